"""Small populations against the enumeration of all subsets and against fractions."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from tests.null.hypergeometric.exact import arrays, law, populations, ulps

from clearbar.null.hypergeometric import (
    log_pmf,
    log_tail_ge,
    log_tail_le,
    mode,
    node_chunks,
    pmf,
    quantile,
    support,
    tail_ge,
    tail_le,
    tp_mean,
    tp_variance,
    window,
)


def small_sample():
    rng = np.random.default_rng(5)
    for _ in range(150):
        total = int(rng.integers(13, 65))
        yield total, int(rng.integers(0, total + 1)), int(rng.integers(0, total + 1))
    yield from ((64, 32, 32), (64, 1, 63), (64, 63, 1), (63, 31, 31), (57, 28, 29))


MARGINS = [*populations(12), *small_sample()]
# Every reachable number of true positives and two beyond either end.
ROWS = [(x, *margin) for margin in MARGINS for x in range(min(law(*margin)) - 2, max(law(*margin)) + 3)]


@pytest.mark.parametrize("total", range(9))
def test_law_is_that_of_a_random_subset(total):
    for positives in range(total + 1):
        for draws in range(total + 1):
            counts = Counter(sum(i < positives for i in s) for s in combinations(range(total), draws))
            whole = math.comb(total, draws)
            assert law(total, positives, draws) == {x: Fraction(n, whole) for x, n in sorted(counts.items())}


@pytest.fixture(scope="module")
def exact():
    """P(TP = x), P(TP >= x) and P(TP <= x) of all rows."""
    laws = {margin: law(*margin) for margin in MARGINS}
    return [
        (
            laws[tuple(margin)].get(x, Fraction(0)),
            sum((w for y, w in laws[tuple(margin)].items() if y >= x), Fraction(0)),
            sum((w for y, w in laws[tuple(margin)].items() if y <= x), Fraction(0)),
        )
        for x, *margin in ROWS
    ]


@pytest.mark.parametrize(("function", "column"), [(pmf, 0), (tail_ge, 1), (tail_le, 2)])
def test_probabilities_within_two_ulp(function, column, exact):
    values = function(*arrays(ROWS))
    assert max(ulps(v, e[column]) for v, e in zip(values, exact, strict=True)) <= 2


@pytest.mark.parametrize(("function", "column"), [(log_pmf, 0), (log_tail_ge, 1), (log_tail_le, 2)])
def test_logarithms(function, column, exact):
    for value, row in zip(function(*arrays(ROWS)), exact, strict=True):
        probability = row[column]
        if probability == 0:
            assert value == -math.inf
        elif 2 * probability > 1:
            assert value == pytest.approx(math.log1p(-float(1 - probability)), rel=1e-15, abs=0)
        else:
            assert value == pytest.approx(math.log(probability), rel=1e-15, abs=0)


def test_support_mode_and_moments():
    m, p, k = arrays(MARGINS)
    low, high = support(m, p, k)
    first, last = window(m, p, k)
    modes, means, variances = mode(m, p, k), tp_mean(m, p, k), tp_variance(m, p, k)
    for i, margin in enumerate(MARGINS):
        probabilities = law(*margin)
        assert (low[i], high[i]) == (min(probabilities), max(probabilities))
        assert low[i] <= first[i] <= modes[i] <= last[i] <= high[i]
        assert probabilities[int(modes[i])] == max(probabilities.values())
        mean = sum(x * w for x, w in probabilities.items())
        assert ulps(means[i], mean) <= 2
        assert ulps(variances[i], sum((x - mean) ** 2 * w for x, w in probabilities.items())) <= 2


@pytest.mark.parametrize("strided", [False, True])
def test_node_weights_are_the_law(strided):
    (_, nodes), *rest = node_chunks(*arrays(MARGINS), strided=strided)
    assert not rest
    for i, margin in enumerate(MARGINS):
        cut = slice(nodes.start[i], nodes.start[i + 1])
        assert np.all(nodes.draw[cut] == i)
        assert nodes.weight[cut].sum() == pytest.approx(1, rel=1e-15, abs=0)
        probabilities = law(*margin)
        assert set(nodes.x[cut].tolist()) <= set(probabilities)
        assert all(
            ulps(w, probabilities[int(x)]) <= 2 for x, w in zip(nodes.x[cut], nodes.weight[cut], strict=True)
        )
        if len(probabilities) == 1:
            assert nodes.weight[cut].tolist() == [1.0]


@pytest.mark.parametrize("upper", [False, True])
def test_quantiles_between_and_on_the_steps(upper):
    for margin in populations(9):
        below, steps = Fraction(0), []
        for x, weight in law(*margin).items():
            steps.append((x, below + weight / 2))  # strictly inside the step up to x
            below += weight
        found = quantile(np.array([float(1 - q if upper else q) for _, q in steps]), *margin, upper=upper)
        assert found.tolist() == [x for x, _ in steps]
        x = np.array([x for x, _ in steps])
        at = 1 - tail_le(x, *margin) if upper else tail_le(x, *margin)
        tails = tail_ge(x + 1, *margin) if upper else at
        assert quantile(tails, *margin, upper=upper).tolist() == x.tolist()
