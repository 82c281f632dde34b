"""Arrays give what a loop gives, in the broadcast shape; bad arguments are named."""

import numpy as np
import pytest

from clearbar.null.hypergeometric import (
    log_pmf,
    log_tail_ge,
    log_tail_le,
    mode,
    pmf,
    quantile,
    support,
    tail_ge,
    tail_le,
    tp_mean,
    tp_variance,
    window,
)

POINTWISE = (pmf, log_pmf, tail_ge, tail_le, log_tail_ge, log_tail_le)
PER_POPULATION = (support, mode, tp_mean, tp_variance, window)


def mixed(size, seed=0):
    rng = np.random.default_rng(seed)
    total = np.concatenate(
        [rng.integers(0, top, size // 4, endpoint=True) for top in (64, 3000, 10**7, 10**13)]
    )
    positives, draws = rng.integers(0, total, endpoint=True), rng.integers(0, total, endpoint=True)
    positives[::7], draws[::5] = np.minimum(total[::7], 3), total[::5] - np.minimum(total[::5], 2)
    spread = 4 * np.sqrt(tp_variance(total, positives, draws)) + 2
    x = np.rint(tp_mean(total, positives, draws) + spread * rng.uniform(-1, 1, total.size)).astype(np.int64)
    return x, total, positives, draws


@pytest.mark.parametrize("function", POINTWISE)
def test_array_equals_loop(function):
    columns = mixed(200)
    together = function(*columns)
    alone = [float(function(*(int(value) for value in row))) for row in zip(*columns, strict=True)]
    np.testing.assert_allclose(together, alone, rtol=1e-13, atol=0)


@pytest.mark.parametrize("function", POINTWISE)
def test_chunks_leave_no_seam(function):
    columns = mixed(20_000, seed=1)
    together = function(*columns)
    pieces = np.concatenate(
        [function(*(column[i : i + 3001] for column in columns)) for i in range(0, 20_000, 3001)]
    )
    np.testing.assert_allclose(together, pieces, rtol=1e-13, atol=0)


@pytest.mark.parametrize("function", POINTWISE)
def test_shapes(function):
    x, total = np.arange(24).reshape(2, 3, 4), np.array([[100], [1000], [40]])
    out = function(x, total, [1, 2, 3, 20], 10)
    assert out.shape == (2, 3, 4)
    assert out.dtype == np.float64
    assert out[1, 2, 3] == function(23, 40, 20, 10)
    assert np.shape(function(3, 100, 20, 10)) == ()
    assert function(np.arange(0), 100, 20, 10).shape == (0,)
    assert function(x, 100, 20, 10).shape == x.shape  # one population for all points
    np.testing.assert_allclose(
        function(x, 100, 20, 10), function(x, np.full(x.shape, 100), 20, 10), rtol=1e-14
    )


@pytest.mark.parametrize("function", PER_POPULATION)
def test_population_shapes(function):
    for args, shape in (((100, 20, 10), ()), (([[100], [40]], [1, 2, 3], 10), (2, 3))):
        out = function(*args)
        assert (
            all(np.shape(part) in ((), shape) for part in out)
            if isinstance(out, tuple)
            else out.shape == shape
        )


def test_quantile_array_equals_loop():
    _, total, positives, draws = mixed(400, seed=2)
    q = np.random.default_rng(3).random(total.size)
    together = quantile(q, total, positives, draws)
    assert together.dtype == np.int64
    assert together.tolist() == [int(quantile(*row)) for row in zip(q, total, positives, draws, strict=True)]
    assert quantile([[0.1], [0.9]], 1000, [3, 300, 500], 200).shape == (2, 3)


def test_narrow_integers_do_not_wrap():
    small = [np.array([value], dtype=np.uint8) for value in (200, 250, 240, 210)]
    assert pmf(*small) == pmf(200, 250, 240, 210)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((1, 10, 11, 2), "positives"),
        ((1, 10, 3, -1), "draws"),
        ((1, -1, 0, 0), "positives"),
        ((1, 2**52 + 1, 0, 0), "total"),
    ],
)
def test_impossible_margins(args, words):
    with pytest.raises(ValueError, match=words):
        pmf(*args)


@pytest.mark.parametrize("bad", [1.0, True, "1"])
def test_only_integers(bad):
    with pytest.raises(TypeError, match="x must hold integers"):
        pmf(bad, 10, 3, 2)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_only_probabilities(bad):
    with pytest.raises(ValueError, match="probability"):
        quantile(bad, 10, 3, 2)
