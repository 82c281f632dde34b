"""Random counts and random subsets follow their law (fixed seeds)."""

import numpy as np
import pytest
from scipy import stats

from clearbar.null.hypergeometric import quantile, support, tail_le, tp_variance
from clearbar.null.sampling import sample, subset_mask

SMALLEST_P = 1e-3


@pytest.mark.parametrize(
    "margin",
    [
        (10**12, 3 * 10**11, 5 * 10**11),
        (10**12, 10**6, 10**8),
        (4 * 10**9, 5, 10**9),
        (10**9, 10**8, 10**8),
        (10**10, 10**10 - 7, 10**9),
        (50, 20, 30),
    ],
)
def test_moments_and_uniform_ranks(margin):
    values = sample(*margin, 200_000, np.random.default_rng(1))
    assert values.dtype == np.int64
    low, high = support(*margin)
    assert low <= values.min() <= values.max() <= high
    sigma = np.sqrt(float(tp_variance(*margin)))
    assert abs(values.mean() - margin[1] * margin[2] / margin[0]) < 4 * sigma / np.sqrt(values.size)
    edges = np.unique(quantile(np.linspace(0.02, 0.98, 25), *margin))
    expected = np.diff(np.concatenate(([0.0], tail_le(edges, *margin), [1.0])))
    observed = np.bincount(np.searchsorted(edges, values), minlength=expected.size)
    kept = expected > 0
    assert stats.chisquare(observed[kept], expected[kept] / expected.sum() * values.size).pvalue > SMALLEST_P


@pytest.mark.parametrize("margin", [(0, 0, 0), (10, 0, 5), (10, 10, 5), (10**12, 10**12, 7)])
def test_nothing_left_to_chance(margin):
    assert np.unique(sample(*margin, 5, np.random.default_rng(3))).tolist() == [int(support(*margin)[0])]
    assert sample(*margin, 0, np.random.default_rng(3)).shape == (0,)


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox])
@pytest.mark.parametrize(("total", "draws"), [(3000, 700), (3000, 12), (3000, 2500)])
def test_no_position_is_favoured(bits, total, draws):
    rng = np.random.Generator(bits(8))
    rounds = 500
    counts = sum(subset_mask(total, draws, rng).astype(np.int64) for _ in range(rounds))
    share = draws / total
    # A position's count has variance rounds*share*(1-share); together they lose one degree of freedom.
    statistic = ((counts - rounds * share) ** 2).sum() / (rounds * share * (1 - share)) * (total - 1) / total
    assert SMALLEST_P < stats.chi2.sf(statistic, total - 1) < 1 - SMALLEST_P
