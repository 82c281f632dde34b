"""Sums over nodes against exact expectations, and pieces against the whole."""

import numpy as np
import pytest
from tests.null.hypergeometric.exact import corners, law

from clearbar.null.hypergeometric import mode, node_chunks, node_counts, pmf, tp_variance, window


def margin_arrays(rows):
    return tuple(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))


def mean(nodes, values):
    """Weighted mean of the values at the nodes of each draw."""
    return nodes.sums(nodes.weight * values)


def joined(columns, **options):
    """All weights, values and draws, whatever the pieces."""
    weights, points, draws = [], [], []
    for cut, nodes in node_chunks(*columns, **options):
        weights.append(nodes.weight)
        points.append(nodes.x)
        draws.append(nodes.draw + cut.start)
    return np.concatenate(weights), np.concatenate(points), np.concatenate(draws)


MIXED = margin_arrays(
    [row for row in corners((70, 1000, 10**5, 10**7)) if min(row[1], row[2]) > 0]
    + [(64, 20, 30), (64, 64, 3), (1, 1, 1), (0, 0, 0), (10**12, 4, 10**11), (10**12, 10**5, 10**9)]
)


def test_moments_of_the_full_window():
    for cut, nodes in node_chunks(*MIXED, strided=False):
        margin = [column[cut] for column in MIXED]
        variance, centre = tp_variance(*margin), mode(*margin)
        # From the mode, and in integers: the mean itself, rounded, would be too far off.
        offset = np.array(
            [
                (k * p - c * m) / max(m, 1)
                for m, p, k, c in zip(*(a.tolist() for a in (*margin, centre)), strict=True)
            ]
        )
        deviation = (nodes.x - centre[nodes.draw]).astype(float)
        np.testing.assert_allclose(mean(nodes, np.ones(nodes.x.size)), 1, rtol=1e-14)
        assert (
            np.max(np.abs(mean(nodes, deviation) - offset) / np.sqrt(variance + offset**2 + 1e-300)) < 1e-13
        )
        np.testing.assert_allclose(mean(nodes, deviation**2), variance + offset**2, rtol=1e-13)


@pytest.mark.parametrize("strided", [False, True])
def test_weights_are_probabilities(strided):
    for cut, nodes in node_chunks(*MIXED, strided=strided):
        m, p, k = (column[cut][nodes.draw] for column in MIXED)
        stride = np.ones(nodes.x.size)
        first = nodes.start[:-1]
        several = np.diff(nodes.start) > 1
        step = np.ones(first.size)
        step[several] = nodes.x[first[several] + 1] - nodes.x[first[several]]
        stride = step[nodes.draw]
        # Far out a recurrence of thousands of steps has lost some digits, of next to nothing.
        np.testing.assert_allclose(nodes.weight, pmf(nodes.x, m, p, k) * stride, rtol=1e-12, atol=1e-30)


@pytest.mark.parametrize("name", ["root", "ratio", "harmonic"])
def test_stride_equals_full_window_for_smooth_functions(name):
    rows = [row for row in corners((1000, 10**5, 10**7, 10**8)) if 0 < row[1] < row[0] and row[2] > 0]
    columns = margin_arrays(rows)
    means = []
    for strided in (False, True):
        parts = []
        for cut, nodes in node_chunks(*columns, strided=strided):
            m, p, k = (column[cut][nodes.draw].astype(float) for column in columns)
            tp, tn = nodes.x.astype(float), m - p - k + nodes.x
            values = {
                "root": np.sqrt(tp / p * tn / (m - p)),
                "ratio": tp / (p + k - tp),
                "harmonic": tp * tn / (tp * (m - p) + tn * p + 1e-300),
            }[name]
            parts.append(mean(nodes, values))
        means.append(np.concatenate(parts))
    np.testing.assert_allclose(means[1], means[0], rtol=1e-13)
    assert node_counts(*columns, strided=True).max() < 210


def test_expectation_against_fractions():
    rows = [(200, 60, 90), (150, 3, 140), (300, 150, 150), (70, 69, 35)]
    columns = margin_arrays(rows)
    (_, nodes), *rest = node_chunks(*columns, strided=False)
    assert not rest
    f = 1 / (1.0 + nodes.x)
    truth = [float(sum(w / (1 + x) for x, w in law(*row).items())) for row in rows]
    np.testing.assert_allclose(mean(nodes, f), truth, rtol=1e-14)


@pytest.mark.parametrize("strided", [False, True])
def test_pieces_are_consecutive_and_bounded(strided):
    counts = node_counts(*MIXED, strided=strided)
    whole = joined(MIXED, strided=strided, max_nodes=2**30)
    pieces = joined(MIXED, strided=strided, max_nodes=500)
    for a, b in zip(whole, pieces, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=0)
    at = 0
    for cut, nodes in node_chunks(*MIXED, strided=strided, max_nodes=500):
        assert cut.start == at
        at = cut.stop
        assert nodes.x.size <= 500 or cut.stop - cut.start == 1
        assert nodes.start[0] == 0
        assert nodes.start[-1] == nodes.x.size == nodes.draw.size == nodes.weight.size
        assert np.array_equal(np.diff(nodes.start), counts[cut])
        assert np.array_equal(nodes.draw, np.repeat(np.arange(cut.stop - cut.start), counts[cut]))
    assert at == counts.size


def test_full_window_is_every_integer():
    counts = node_counts(*MIXED, strided=False)
    low, high = window(*MIXED)
    assert np.array_equal(counts, high - low + 1)
    _, x, draw = joined(MIXED, strided=False)
    assert np.array_equal(x, np.arange(x.size) - np.repeat(np.cumsum(counts) - counts, counts) + low[draw])


def test_wide_window():
    row = margin_arrays([(10**11, 10**10, 10**10)])
    (cut, nodes), *rest = node_chunks(*row, strided=False, max_nodes=10)
    assert not rest
    assert (cut.start, cut.stop) == (0, 1)
    deviation = nodes.x - 10.0**9
    assert mean(nodes, deviation**2)[0] == pytest.approx(float(tp_variance(*row)[0]), rel=1e-12)


def test_too_wide_to_be_summed():
    row = margin_arrays([(10, 5, 5), (10**15, 10**15 // 2, 10**15 // 2)])
    with pytest.raises(ValueError, match="too wide"):
        node_chunks(*row, strided=False)
    assert sum(nodes.weight.sum() for _, nodes in node_chunks(*row, strided=True)) == pytest.approx(2)


def test_only_equal_lengths():
    with pytest.raises(ValueError, match="equal length"):
        node_chunks(np.array([10, 10]), np.array([5]), np.array([5]), strided=False)


def test_no_draws():
    empty = np.zeros(0, dtype=np.int64)
    assert list(node_chunks(empty, empty, empty, strided=True)) == []
