"""Intervals of the true score: the bars that the exact test does not refute."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.problems.rates.slow import interval, p_of, table

from clearbar import Counts, evaluate_counts, get_measure
from clearbar.catalogue import KINDS
from clearbar.inference.two_rates import intervals

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text())["values"]


def test_reference_intervals_are_met():
    for value in REFERENCE:
        if "low" in value:
            counts = table(*(value[cell] for cell in ("tp", "fp", "fn", "tn")))
            found = interval(get_measure(value["measure"]), counts)
            np.testing.assert_allclose(found, (value["low"], value["high"]), atol=1e-4, err_msg=str(value))


@pytest.mark.parametrize("name", ["f1", pytest.param("mcc", marks=pytest.mark.slow)])
def test_levels_nest_and_a_bar_outside_the_interval_is_refuted(name):
    measure = get_measure(name)
    counts = table([9, 3, 5, 0], [4, 2, 0, 2], [3, 1, 2, 5], [14, 5, 6, 3])
    shares = np.array((1e-3, 0.01, 0.03, 0.1, 0.3))[:, None]
    ends = measure(counts), measure(counts)
    for level in (0.8, 0.95, 0.99):
        low, high = interval(measure, counts, level)
        assert (low <= ends[0]).all()
        assert (ends[1] <= high).all()
        ends = low, high
        below, above = low - shares * (measure(counts) - low), high + shares * (high - measure(counts))
        for row in (*below, *above):
            outside = ((row < low) & (row >= measure.bounds[0])) | ((row > high) & (row <= 1))
            p = p_of(measure, counts, row)
            assert np.all(p[outside] <= 1 - level + 1e-9), (level, row, p)
    assert np.isnan(interval(get_measure("precision"), table(0, 0, 4, 4))).all()


def test_lower_ends_of_every_table_above_chance_lie_where_p_crosses():
    """Nothing is left of a part in which a bar was looked for in vain: (14, 4, 4, 8) once began at 0.596."""
    measure, P, N = get_measure("precision"), 18, 12
    x, y = (side.ravel() for side in np.meshgrid(np.arange(12, P + 1), np.arange(6), indexing="ij"))
    counts = table(x, y, P - x, N - y)
    low, _ = interval(measure, counts)
    score = np.asarray(measure(counts))

    def p_at(share):
        return p_of(measure, counts, low + share * (score - low))

    assert (np.maximum(p_at(0.0), p_at(1e-5)) > 0.0499).all()  # at a jump both sides may have a little less
    assert (p_at(-1e-5) <= 0.05).all()


def test_a_loss_has_its_own_units():
    counts = table(9, 4, 3, 14)
    low, high = interval(get_measure("accuracy"), counts)
    np.testing.assert_allclose(interval(get_measure("error_rate"), counts), (1 - high, 1 - low), atol=1e-9)


def test_one_sample_of_a_class_has_clopper_pearson_s_interval():
    low, high = interval(get_measure("recall"), table([1, 0], [2, 2], [0, 1], [97, 97]))
    np.testing.assert_allclose((low[0], high[1]), (0.025, 0.975), atol=2e-6)
    assert (high[0], low[1]) == (1, 0)


def test_a_jump_beyond_where_p_first_crosses_is_inside():
    """A bar of 0.9733 is not refuted, as p_value says, though lower ones are."""
    measure, counts = get_measure("mcc"), table(7, 1, 1, 10)
    bars = np.linspace(0.96, 0.985, 101)
    kept = bars[p_of(measure, table(*(np.full(101, n) for n in (7, 1, 1, 10))), bars) > 0.05]
    assert kept[-1] - 1e-9 <= interval(measure, counts)[1] <= kept[-1] + bars[1] - bars[0]


@pytest.mark.parametrize("total", [4 * 10**4, 4 * 10**8, 4 * 10**12])
def test_large_tables_have_the_interval_of_the_normal_approximation(total):
    counts = table(*(int(total * share) for share in (0.35, 0.15, 0.15, 0.35)))
    low, high = interval(get_measure("accuracy"), counts)
    error = stats.norm.isf(0.025) * np.sqrt(0.7 * 0.3 / total)
    np.testing.assert_allclose(
        ((low - 0.7) / error, (high - 0.7) / error), (-1, 1), atol=2 / np.sqrt(total) ** 0.7
    )


@pytest.mark.slow
def test_intervals_of_the_default_measures_cover_the_true_score():
    """Enumerated; a true score without value is covered. benchmarks/coverage_counts.py has larger sizes."""
    P, N = 8, 10
    x, y = (side.ravel() for side in np.indices((P + 1, N + 1)))
    a, b = (side.ravel() for side in np.meshgrid(*[np.linspace(0, 1, 41)] * 2))
    chance = stats.binom.pmf(x, P, a[:, None]) * stats.binom.pmf(y, N, b[:, None])
    measures = [get_measure(name) for name in KINDS["binary"].default]
    low, high = np.array(intervals(measures, table(x, y, P - x, N - y)))
    for measure, *ends in zip(measures, low, high, strict=True):
        true = measure.values(P * a, N * b, P * (1 - a), N * (1 - b))[:, None]
        missed = (true < ends[0] - 1e-9) | (true > ends[1] + 1e-9)
        assert (chance * missed).sum(axis=1).max() <= 0.05, measure


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("precision", (4, 9, 212, 2058)),  # few predicted positives among many samples: p jumps
        ("precision", (4, 9, 1224, 1046)),
        # where secants do not arrive
        pytest.param("f1", (609_884, 384_168_908, 1, 58), marks=pytest.mark.slow),
        # rounding puts an end of a curve beside the square
        pytest.param("mcc", (14, 0, 46_673_471, 742), marks=pytest.mark.slow),
    ],
)
def test_a_bar_that_is_not_refuted_is_inside(name, cells):
    counts = Counts(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))
    (verdict,) = evaluate_counts(counts, name)
    assert verdict.p_value > 0.05
    assert verdict.low <= float(verdict.baseline.value) <= verdict.high
