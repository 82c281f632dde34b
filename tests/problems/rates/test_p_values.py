"""The exact test of the true score against values from elsewhere and against brute force."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.problems.rates.slow import SlowTest, bar_of, differences, every_table, p_of, table

from clearbar import Counts, Measure, evaluate_counts, get_measure, measures
from clearbar.inference.level_curves import is_ordered
from clearbar.inference.two_rates import p_values

pytestmark = pytest.mark.quick

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text())["values"]
ORDERED = [measure for measure in measures() if is_ordered(measure)]
KINKED = {"overlap", "braun_blanquet", "adjusted_geometric_mean"}


def test_reference_values_are_met():
    for value in REFERENCE:
        counts = table(*(value[cell] for cell in ("tp", "fp", "fn", "tn")))
        found = float(p_of(get_measure(value["measure"]), counts, value["bar"]))
        assert abs(found - value["p_value"]) <= 2e-6, value


@pytest.mark.slow
@pytest.mark.parametrize("measure", ORDERED, ids=str)
def test_every_ordered_measure_agrees_with_brute_force(measure):
    """Classes of up to 12; ``python -m benchmarks.every_table`` tries all tables of all sizes."""
    source = np.random.default_rng(sum(map(ord, measure.name)))
    P, N = (int(n) for n in source.integers(2, 13, 2))
    bar = bar_of(measure, P, N, source)
    x, y = source.integers(P + 1, size=6), source.integers(N + 1, size=6)
    found = differences(measure, P, N, bar, np.append(x, P), np.append(y, 0))
    # At a kink the grid of either misses the worst case by a part of its step.
    room = 5e-4 if measure.name in KINKED else 2e-6
    assert np.isfinite(found).any()
    assert np.nanmax(np.abs(found)) < room, (P, N, bar, x, y, found)


@pytest.mark.parametrize(("name", "bar"), [("markedness", -0.41), ("markedness", 0.43), ("mcc", -0.34)])
def test_outcomes_without_a_value_are_above_no_bar(name, bar):
    """Every table of 7 + 4: nothing, or everything, predicted positive has neither of these scores."""
    x, y = (side.ravel() for side in np.indices((8, 5)))
    assert np.nanmax(np.abs(differences(get_measure(name), 7, 4, bar, x, y))) < 2e-6


def test_measures_with_one_curve_have_one_p():
    counts = table(25, 14, 15, 46)
    bars = dict.fromkeys(("mcc", "kappa", "informedness", "markedness"), 0.0)
    bars |= {"balanced_accuracy": 0.5, "precision": 0.4, "npv": 0.6}
    together = p_values([get_measure(name) for name in bars], counts, list(bars.values()))
    assert np.ptp(together) == 0
    alone = [float(p_of(get_measure(name), counts, bar)) for name, bar in bars.items()]
    np.testing.assert_allclose(together, alone, rtol=1e-9)
    pair = p_values([get_measure("f1"), get_measure("threat_score")], counts, [4 / 7, 0.4])
    assert pair[0] == pair[1]


@pytest.mark.parametrize("cells", [(0, 3, 0, 7), (4, 0, 2, 0)])
def test_an_empty_class_drops_its_factor(cells):
    p = p_of(get_measure("accuracy"), table(*cells), 0.5)
    exact = stats.binom.sf(cells[0] + cells[3] - 1, sum(cells), 0.5)
    assert float(p) / 2 == pytest.approx(exact + 1e-6, abs=1e-9)


def test_an_own_measure_is_ordered_if_it_says_so():
    def hits(tp, fp, fn, tn):
        return tp - fp

    assert not is_ordered(Measure("hits", hits, greater_is_better=True))
    told = Measure("hits", hits, greater_is_better=True, better_with_tp=True, worse_with_fp=True)
    counts = table(9, 4, 3, 8)
    same = p_of(get_measure("net_benefit", w=1), counts, 0.0)
    np.testing.assert_allclose(p_of(told, counts, 0.0), same, rtol=1e-9)


@pytest.mark.parametrize(("P", "N"), [(8, 10), (12, 18)])
def test_a_model_whose_true_score_is_the_bar_is_rarely_above_it_surely(P, N):
    counts, total = every_table(P, N), P + N
    bars = {"accuracy": max(P, N) / total, "precision": P / total, "f1": 2 * P / (P + total), "g_mean": 0.5,
            "mcc": 0.0, "fowlkes_mallows": np.sqrt(P / total), "balanced_accuracy": 0.5}  # fmt: skip
    for name, bar in bars.items():
        measure = get_measure(name)
        p = p_of(measure, counts, bar)
        with np.errstate(all="ignore"):
            better = measure(counts) > bar
        slow = SlowTest.__new__(SlowTest)
        slow.measure, slow.sign, slow.P, slow.N, slow.bar = measure, 1.0, P, N, bar
        a = np.linspace(0.0, 1.0, 401)
        b = slow.curve_at(a, "a")
        a, b = a[~np.isnan(b)], b[~np.isnan(b)]
        of_x = stats.binom.pmf(np.arange(P + 1), P, a[:, None])
        of_y = stats.binom.pmf(np.arange(N + 1), N, b[:, None])
        for alpha in (0.1, 0.05, 0.01):
            false = np.einsum("ix,xy,iy->i", of_x, ((p <= alpha) & better).astype(float), of_y)
            assert false.max() <= alpha / 2, (name, alpha)


@pytest.mark.parametrize(
    ("cells", "by_hand"),
    [
        ((6_143_673, 125, 8, 57), 0.06256),
        ((13_573_623, 155, 16, 85), 4.07e-4),
        ((918_716_922, 390, 2, 179), 5.93e-4),
    ],
)
def test_a_rate_next_to_one_of_a_large_class_loses_no_outcome(cells, by_hand):
    """G-mean at its bar: binomial in FP and Poisson in FN, at the worst of a grid of rates of FN."""
    counts = Counts(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))
    assert evaluate_counts(counts, "g_mean")[0].p_value == pytest.approx(by_hand, rel=1e-3)
