"""No feature-blind classifier is a sure clear more often than the level says: every table of some sizes."""

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

import clearbar as cb

pytestmark = pytest.mark.slow

MEASURES = ["accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc"]
SIZES = [(8, 10), (12, 18), (8, 42), (40, 60)]
COINS = np.linspace(0, 1, 41)


@pytest.fixture(scope="module", params=SIZES, ids=str)
def tables(request):
    """Every table of so many positives and negatives, and both p-values of each measure."""
    positives, negatives = request.param
    tp, fp = (
        side.ravel()
        for side in np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1), indexing="ij")
    )
    counts = cb.Counts(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)
    return positives, negatives, tp, fp, cb.evaluate_counts(counts, MEASURES).columns


@pytest.fixture(scope="module")
def blind(tables):
    """How probable each table is under the draw of as many predicted positive, and under each coin."""
    positives, negatives, tp, fp, _ = tables
    coins = binom.pmf(tp, positives, COINS[:, None]) * binom.pmf(fp, negatives, COINS[:, None])
    return hypergeom.pmf(tp, positives + negatives, positives, tp + fp), coins


def sure_without_correction(columns, measure, alpha):
    """Return for each table whether one model alone would be sure: tables are slices here, so by hand."""
    cells = 0, slice(None), measure
    larger = np.fmax(columns["p_value"][cells], columns["p_value_blind"][cells])
    return (columns["outcome"][cells] == "clears") & (larger <= alpha)


@pytest.mark.parametrize("name", MEASURES)
def test_neither_a_draw_nor_a_coin_is_sure_more_often_than_the_level(tables, blind, name):
    _, _, tp, fp, columns = tables
    draw, coins = blind
    for alpha in (0.1, 0.05, 0.01):
        sure = sure_without_correction(columns, MEASURES.index(name), alpha)
        draws = np.bincount(tp + fp, weights=draw * sure)
        assert max(draws) <= alpha + 1e-12, f"draw of {int(np.argmax(draws))}: {max(draws):.4f}"
        often = coins @ sure
        assert max(often) <= alpha + 1e-12, f"coin of {COINS[int(np.argmax(often))]:.3f}: {max(often):.4f}"


def test_power_is_not_below_fishers_where_every_draw_has_the_bar(tables):
    positives, negatives, tp, fp, columns = tables
    ours = sure_without_correction(columns, MEASURES.index("mcc"), 1.0)
    ours &= columns["p_value"][0, :, MEASURES.index("mcc")] <= 0.05
    fisher = hypergeom.sf(tp - 1, positives + negatives, positives, tp + fp) <= 0.025
    for a, b in ((0.6, 0.2), (0.7, 0.3), (0.8, 0.4), (0.9, 0.5), (0.5, 0.1)):
        law = binom.pmf(tp, positives, a) * binom.pmf(fp, negatives, b)
        assert law[ours].sum() >= law[fisher].sum() - 0.02, (a, b)
