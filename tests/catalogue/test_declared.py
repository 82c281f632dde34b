"""What an entry says of itself is true, and what it leaves unsaid is not supposed."""

# ruff: noqa: ARG005 - a formula takes all four cells

import dataclasses
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from tests.catalogue.tables import MEMBERS, cells, every_draw, every_table, support

from clearbar import Population, baseline
from clearbar.catalogue import _declare
from clearbar.inference.level_curves import is_ordered
from clearbar.null import moments

pytestmark = pytest.mark.quick

LARGEST = 12
"""Samples of the largest tables that are looked at one by one."""

WIDEST = 25
"""Samples of the largest draws whose expectations are looked at."""

WIDE = 60_000, 20_000, 25_000
"""A draw whose outcomes are summed in strides."""

ROUNDING = 1e-11


def false_facts(measure):
    """Name the declared facts of an entry that small tables, or one wide draw, refute."""
    tables = every_table(LARGEST).astype(float)
    with np.errstate(all="ignore"):
        values = measure.values(*tables)
    return [fact for fact, holds in CHECKS.items() if getattr(measure, fact) and not holds(measure, values)]


def _by_draw(values):
    """Yield margins and the values of each draw, by ascending TP."""
    draws, starts, _ = every_draw(LARGEST)
    yield from zip(draws.tolist(), np.split(values, starts[1:]), strict=True)


def _convex(measure, values):
    for _, inside in _by_draw(values):
        bend = np.diff(inside, 2)
        if (np.isnan(inside).any() and not np.isnan(inside).all()) or (bend < -ROUNDING).any():
            return False
    return True


def _concave(measure, _):
    precision, recall = np.meshgrid(np.linspace(0.02, 1, 50), np.linspace(0.02, 1, 50), indexing="ij")
    hits = precision * recall
    scores = measure.values(hits, recall - hits, precision - hits, np.ones(hits.shape))
    other = measure.values(hits, recall - hits, precision - hits, np.full(hits.shape, 9.0))
    scores = scores if measure.greater_is_better else -scores
    rises = min(np.diff(scores, axis=0).min(), np.diff(scores, axis=1).min()) > -ROUNDING
    same = np.allclose(np.abs(scores), np.abs(other), atol=1e-9)
    return bool(rises and same and np.diff(scores, 2, axis=0).max() < ROUNDING)


def _smooth(measure, _):
    plain = dataclasses.replace(
        measure, smooth=False, affine=None, constant=None, shape=None, in_catalogue=False
    )
    strided, whole = moments(dataclasses.replace(plain, smooth=True), *WIDE), moments(plain, *WIDE)
    same = abs(strided.mean - whole.mean) <= 1e-9 * (abs(whole.mean) + np.sqrt(whole.variance))
    return bool(same and abs(strided.variance - whole.variance) <= 1e-6 * whole.variance)


def _courses(measure):
    """Yield the class sizes and E[score] of the draws whose outcomes all have a value, by ascending k."""
    draws, starts, law = every_draw(WIDEST)
    tables, admissible = every_table(WIDEST), measure.requires or measure.domain
    with np.errstate(all="ignore"):
        values = measure.values(*tables.astype(float))
    fit = admissible.holds(tuple(tables)) & np.isfinite(values)
    sums = np.add.reduceat(np.where(fit, values, np.nan) * law, starts)
    sizes = np.unique(draws[:, :2], axis=0, return_index=True)
    for (total, positives), start in zip(sizes[0].tolist(), sizes[1].tolist(), strict=True):
        course = sums[start : start + total + 1]
        yield total, positives, course[~np.isnan(course)]


def _shape(measure, _):
    for _, _, course in _courses(measure):
        steps = np.diff(course)
        signs = np.sign(np.where(np.abs(steps) < 1e-12, 0, steps)).astype(int)
        turns = signs[signs != 0]
        fits = {
            "constant": not signs.any(),
            "monotone": (signs >= 0).all() or (signs <= 0).all(),
            "peak": (np.diff(turns) <= 0).all() and (signs == 0).sum() <= 1,
            "valley": (np.diff(turns) >= 0).all() and (signs == 0).sum() <= 1,
        }
        if not fits[measure.shape]:
            return False
    return True


def _constant(measure, _):
    return all(
        np.allclose(course, measure.constant(total, positives), rtol=1e-10, atol=1e-10)
        for total, positives, course in _courses(measure)
    )


CHECKS = {
    "convex_in_tp": _convex,
    "concave_in_precision": _concave,
    "smooth": _smooth,
    "shape": _shape,
    "constant": _constant,
}


@pytest.mark.parametrize("measure", MEMBERS, ids=str)
def test_no_declared_fact_is_false(measure):
    assert [f"{fact} of {measure.name}" for fact in false_facts(measure)] == []


def square_ratio(tp, fp, fn, tn):
    """A score that is affine in nothing: 4 det / (right squared + wrong squared)."""
    right, wrong = tp + tn, fp + fn
    return 4 * (tp * tn - fp * fn) / (right * right + wrong * wrong)


def entry(function=square_ratio, **facts):
    return _declare.measure(question="?", formula="x", source="?", **facts)(function)


def exact_mean(total, positives, k):
    return sum(
        Fraction(comb(positives, tp) * comb(total - positives, k - tp), comb(total, k))
        * square_ratio(*map(Fraction, cells(total, positives, k, tp)))
        for tp in support(total, positives, k)
    )


def test_an_entry_that_says_nothing_of_itself_gets_its_bar():
    """It was taken for affine, and got bar 0 at k = 12."""
    measure, total, positives = entry(), 30, 9
    best = max((exact_mean(total, positives, k), k) for k in range(total + 1))
    bar = baseline(Population(total, positives), measure)
    assert float(bar.value) == pytest.approx(float(best[0]), rel=1e-14)
    assert float(bar.value) == pytest.approx(0.01555, abs=5e-6)
    assert bar.predicted_positives == (range(best[1], best[1] + 1),) == (range(23, 24),)
    assert bar.certified
    assert not is_ordered(measure)
    assert false_facts(measure) == []


FALSE = [
    (lambda tp, fp, fn, tn: np.sqrt(tp), {"facts": "convex_in_tp"}, "convex_in_tp"),
    (lambda tp, fp, fn, tn: tn / (fp + tn), {"facts": "concave_in_precision"}, "concave_in_precision"),
    (lambda tp, fp, fn, tn: tp % 7, {"facts": "smooth"}, "smooth"),
    (square_ratio, {"shape": "monotone"}, "shape"),
    (lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn), {"constant": 0.5}, "constant"),
]


@pytest.mark.parametrize(("function", "facts", "wrong"), FALSE, ids=[wrong for *_, wrong in FALSE])
def test_a_false_fact_is_named(function, facts, wrong):
    assert wrong in false_facts(entry(function, **facts))


def test_a_fact_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match=r"facts of square_ratio must be of affine, .*; found straight"):
        entry(facts="straight")
