"""Samples drawn anew: interval and test of sets of labels.

Labels are drawn with the samples, and with them the bar: what is resampled is how far a score is ahead of the
answer that attains the bar, on the same samples (bias-corrected and accelerated, Efron 1987).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._tested import NotTested, Resampled, Test
from clearbar.problems.bootstrap import SHARES, Bootstrap, acceleration
from clearbar.problems.groups import FEWEST, Groups
from clearbar.problems.multiclass.interval import Certified
from clearbar.problems.multilabel._compared import Compared, constant_terms, terms_of
from clearbar.problems.multilabel._search import Optimum
from clearbar.problems.multilabel.bars import CERTIFIED
from clearbar.problems.multilabel.measures import LabelMeasure, Sums

MOST_WORK = 2_000_000_000
"""Groups times samples times labels up to which measures of each label are corrected for skewness."""

WithOptima = Sequence[tuple[LabelMeasure, Optimum]]
"""Measures, and the bar of each."""


def tests_of(
    with_optima: WithOptima,
    compared: Compared,
    groups: Groups,
    empty: float,
    seed: int,
    finest: float = 1.0,  # noqa: PT028 - this is no test
) -> list[Test]:
    """Return the test of each measure; all that are resampled share their resamples."""
    single = len(groups) == len(compared.truth)
    tests: dict[LabelMeasure, Test] = {}
    if single:
        right, total = int(np.count_nonzero(compared.right)), len(compared.truth)
        counts_right = (measure for measure, _ in with_optima if measure.counts_right)
        tests = {m: Certified(right, total, not m.greater_is_better, CERTIFIED) for m in counts_right}
    resampled = [(measure, optimum) for measure, optimum in with_optima if measure not in tests]
    if len(groups) < FEWEST:
        units = "samples" if single else "groups"
        too_few = f"p_value is not known: it takes at least {FEWEST} {units}, and there are {len(groups)}"
        return [tests.get(measure, NotTested(too_few)) for measure, _ in with_optima]
    units = "the samples" if single else f"{len(groups):,} groups"
    note = f"p_value is from bootstrap resamples of {units}, which is approximate"
    drawn = bootstraps(resampled, compared, groups, empty, seed, finest) if resampled else []
    tests |= {measure: Resampled(own, note) for (measure, _), own in zip(resampled, drawn, strict=True)}
    return [tests[measure] for measure, _ in with_optima]


def bootstraps(
    with_optima: WithOptima,
    compared: Compared,
    groups: Groups,
    empty: float,
    seed: int,
    finest: float = 1.0,
) -> list[Bootstrap]:
    """Resample whole groups once for all measures; where no two scores differ, the bar is held fixed."""
    truth, pairs = compared.truth, len(compared.truth.columns) + len(compared.called.columns)
    cost = max(len(truth), pairs if any(m.terms is None for m, _ in with_optima) else 0)
    drawn = groups.weights(np.random.default_rng(seed), samples=cost, finest=finest)
    values = _evaluated(with_optima, compared, groups, empty, drawn)
    results = []
    for (measure, optimum), (own, bar) in zip(with_optima, values, strict=True):
        score = compared.score(measure, empty)
        unseen = partial(supposed, measure, compared, empty)
        known = np.full_like(own, score) if compared.right.all() else own  # perfect as far as was seen
        drawn_anew = Bootstrap(score, known, 0.0, len(groups), unseen)
        if not drawn_anew.unknown and not drawn_anew.alike:
            at_the_bar = _score_of_constant(measure, _chosen(optimum, compared), compared, empty)
            skewed = _skewness(measure, optimum, compared, groups, empty)
            drawn_anew = Bootstrap(score, own - bar + at_the_bar, skewed, len(groups), unseen)
        results.append(drawn_anew)
    return results


def _evaluated(
    with_optima: WithOptima, compared: Compared, groups: Groups, empty: float, parts: Iterator[IntArray]
) -> list[tuple[FloatArray, FloatArray]]:
    """Return for each measure the scores, and those of the answer that attains the bar."""
    chosen = [_chosen(optimum, compared) for _, optimum in with_optima]
    terms = [
        None
        if measure.terms is None
        else (compared.terms(measure, empty), constant_terms(measure, compared.truth, own, empty))
        for (measure, _), own in zip(with_optima, chosen, strict=True)
    ]
    columns: list[tuple[list[FloatArray], list[FloatArray]]] = [([], []) for _ in with_optima]
    for drawn in parts:
        weights = drawn[:, groups.codes]
        labels = compared.weighted_labels(weights) if None in terms else ()
        for (measure, _), own, added, column in zip(with_optima, chosen, terms, columns, strict=True):
            if added is None:
                pair = labels, _constant(labels[0], weights.sum(axis=1)[:, None], own)
            else:
                pair = tuple(tuple(weights @ term for term in side) for side in added)  # type: ignore[assignment]
            for sums, values in zip(pair, column, strict=True):
                values.append(measure(sums, empty))
    return [(np.concatenate(own), np.concatenate(bar)) for own, bar in columns]


def _chosen(optimum: Optimum, compared: Compared) -> BoolArray:
    """Return the labels of the constant answer that attains the bar, or comes next to it."""
    return np.zeros(len(compared.truth.labels), dtype=bool) if optimum.chosen is None else optimum.chosen


def _score_of_constant(measure: LabelMeasure, chosen: BoolArray, compared: Compared, empty: float) -> float:
    """Return what a constant answer scores on the samples as they are."""
    truth = compared.truth
    if measure.terms is None:
        return float(measure(_constant(compared.by_label[0], np.float64(len(truth)), chosen), empty))
    terms = constant_terms(measure, truth, chosen, empty)
    return float(measure(tuple(term.sum() for term in terms), empty))


def _constant(counts: FloatArray, total: Any, chosen: BoolArray) -> Sums:
    """Return what a measure reads of each label if the same ones are called for all samples."""
    return counts, total * chosen, counts * chosen


def _skewness(
    measure: LabelMeasure, optimum: Optimum, compared: Compared, groups: Groups, empty: float
) -> float:
    """Return the acceleration, from leaving out one group at a time."""
    chosen, alike = _chosen(optimum, compared), np.ones(len(groups), dtype=np.int64)
    if measure.terms is None:
        if len(groups) * len(compared.truth) * len(compared.truth.labels) > MOST_WORK:
            return 0.0
        left = groups.all_but_one(samples=max(len(compared.truth), len(compared.truth.columns)))
        ((own, bar),) = _evaluated([(measure, optimum)], compared, groups, empty, left)
        return acceleration([(own - bar, alike)])
    sides = (compared.terms(measure, empty), constant_terms(measure, compared.truth, chosen, empty))
    own, bar = (measure(tuple(term.sum() - groups.sums(term) for term in side), empty) for side in sides)
    return acceleration([(own - bar, alike)])


def supposed(measure: LabelMeasure, compared: Compared, empty: float) -> tuple[FloatArray, FloatArray]:
    """Return the scores if shares of all samples had every label wrong, and if they had every label right."""
    truth, labels = compared.truth, len(compared.truth.labels)
    if measure.terms is None:
        share = SHARES[:, None]
        true, called, both = compared.by_label
        wrong: Sums = (true, len(truth) - true, np.zeros_like(true))
        right: Sums = (true, true, true)
        own: Sums = (true, called, both)
    else:
        share = SHARES
        nothing = np.zeros(len(truth))
        sides: Any = ((truth.sizes, labels - truth.sizes, nothing), (truth.sizes,) * 3)
        wrong, right = (
            tuple(term.sum() for term in terms_of(measure, true, called, both, empty, truth))
            for true, called, both in sides
        )
        own = compared.sums(measure, empty)
    others = [
        measure(tuple((1 - share) * a + share * b for a, b in zip(own, other, strict=True)), empty)
        for other in (wrong, right)
    ]
    return (others[0], others[1]) if measure.greater_is_better else (others[1], others[0])
