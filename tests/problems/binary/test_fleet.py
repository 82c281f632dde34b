"""Bars of many populations at once are what a loop over them gives."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import measures, members, policies, populations

import clearbar as cb


def differing(bars):
    """Every element that is not the bar of its own population."""
    wrong = []
    for i in range(len(bars)):
        population = bars.population[i]
        one = cb.baseline(population, bars.measure, undefined=bars.undefined)
        for got, want in ((bars.max, one.max), (bars.min, one.min)):
            value, k = float(got.value[i]), int(got.predicted_positives[i])
            near = value == pytest.approx(want.value, rel=1e-9, abs=1e-12, nan_ok=True)
            smallest = want.predicted_positives[0].start if want.predicted_positives else -1
            level = k == smallest or _level(one, k, want)
            if not (near and level) or got.certified[i] != want.certified:
                wrong.append((population.total, population.positives, value, want.value, k, smallest))
    return wrong


def _level(one, k, side):
    """Tell whether a draw ties but for the last digits of a sum; next to a peak of many samples all do."""
    if k < 0 or (one.population.total > 2**20 and not one.measure.affine):
        return k >= 0
    return abs(one.expectation(k / one.population.total) - side.value) <= 4e-15 * max(abs(side.value), 1.0)


LARGE = cb.Population(
    [10**3, 10**6, 10**9, 10**12, 10**12, 10**12, 999, 12345, 10**9, 10**9 + 1] * 2,
    [
        *(1, 2, 5, 5 * 10**11, 10**12 - 1, 10**12, 333, 12000, 0, 5 * 10**8),
        *(999, 10**5, 10**9 - 3, 7, 10**11, 3 * 10**11, 500, 6172, 10**9, 123456),
    ],
)


@pytest.mark.slow
@pytest.mark.parametrize("measure", [m for m in cb.measures() if m.shape is not None], ids=str)
def test_arrays_of_large_populations_are_a_loop(measure):
    for policy in ("exclude", 0.0):
        wrong = differing(cb.baseline(LARGE, measure, undefined=policy))
        assert not wrong, (policy, len(wrong), wrong[:5])


@settings(max_examples=25)
@given(st.lists(populations(), min_size=1, max_size=30), st.one_of(measures(), members()), policies)
def test_any_array_is_a_loop(fleet, measure, policy):
    population = cb.Population([one.total for one in fleet], [one.positives for one in fleet])
    wrong = differing(cb.baseline(population, measure, undefined=policy))
    assert not wrong, (len(wrong), wrong[:5])


def test_arrays_have_the_shape_and_types_that_are_promised():
    shape = (4, 5)
    bars = cb.baseline(cb.Population(np.full(shape, 100), np.arange(20).reshape(shape)), "f1")
    assert bars.value.shape == bars.max.value.shape == bars.best_possible.shape == bars.reason.shape == shape
    assert bars.max.predicted_positives.dtype == np.int64
    assert bars.reason[0, 0].startswith("there are no positives; undefined=")
    assert (bars.reason.ravel()[1:] == "").all()
    assert bars.max.predicted_positives[0, 0] == -1
    assert math.isnan(bars.value[0, 0])
    assert bars[2, 3] == cb.baseline(cb.Population(100, 13), "f1")
    assert [float(bar) for bar in bars[1]] == bars.value[1].tolist()


@pytest.mark.parametrize("ask", [cb.Baseline.draw, cb.Baseline.curve, lambda bars: bars.judge(0.5)])
def test_what_needs_one_population_says_so(ask):
    bars = cb.baseline(cb.Population([10, 20], [3, 4]), "f1")
    with pytest.raises(ValueError, match=r"needs the baseline of one population; .* \(2,\)\. Index it first"):
        ask(bars)
    with pytest.raises(ValueError, match="keeps only the smallest optimal k of each; index the baseline"):
        bars.max.theta  # noqa: B018
