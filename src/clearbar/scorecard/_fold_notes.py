"""What a reader of a scorecard over folds should know, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core.counts import Counts
from clearbar.core.errors import listed
from clearbar.formatting import decimals, number, visible
from clearbar.problems.combine import WAYS, FoldLabels, folds_in_words, violated

APART = 0.01
"""Distance between two ways of combining, as a share of the measure's range, that is worth a sentence."""

FEW = 3
"""Undefined cases that are told one by one."""

GAMED = (
    "Leaving folds out can be gamed: the best blind predictions leave undefined whatever fold would lower "
    "their score, and so do these bars. aggregate='pooled' leaves nothing to game."
)


def notes_on(problem: Any, measures: tuple[Measure, ...]) -> list[str]:
    """Say how folds were combined, what was undefined, and how much another way would differ."""
    notes = [problem.way.note(len(problem.folds))]
    if not isinstance(problem.fold_counts, Counts):
        return notes
    if problem.way.leaves_out:
        notes.append(GAMED)
    return [*notes, *_about_undefined(problem, measures), *_about_ways(problem, measures)]


def _about_undefined(problem: FoldLabels, measures: tuple[Measure, ...]) -> list[str]:
    models, counts, way = problem.models, problem.counts, problem.way
    cases: dict[tuple[str, str], list[Measure]] = {}
    for at, model in enumerate(models):
        who = f" of {visible(model)}" if len(models) > 1 else ""
        for measure in measures:
            conditions = violated(measure, counts[at])
            if not (way.leaves_out or measure.in_empty_fold is not None):
                gone = np.isnan(np.asarray(measure(counts[at])))
                conditions = [text if lost else "" for text, lost in zip(conditions, gone, strict=True)]
            where = folds_in_words(problem.folds, conditions)
            if where:
                cases.setdefault((who, where), []).append(measure)
    if not cases:
        return []
    listing = [f"{_labels(chosen)}{who} in {where}" for (who, where), chosen in list(cases.items())[:FEW]]
    rest = len(cases) - len(listing)
    more = f"; {rest:,} more in card.undefined_folds" if rest else ""
    if way.pools:
        treatment = _about_pooled(problem, cases)
    elif way.leaves_out:
        treatment = "These are left out."
    else:
        treatment = _about_policy(problem, cases)
    how_often = (
        "cb.probability_of_empty_fold(population, folds) says how often random folds have no positive sample."
    )
    return [f"Undefined: {'; '.join(listing)}{more}. {treatment} {how_often}"]


_Cases = Mapping[tuple[str, str], Sequence[Measure]]


def _labels(measures: Iterable[Measure]) -> str:
    return listed([visible(measure.label) for measure in dict.fromkeys(measures)], most=4)


def _about_pooled(problem: FoldLabels, cases: _Cases) -> str:
    """Say whether pooled counts have a value where folds have none."""
    concerned = list(dict.fromkeys(measure for chosen in cases.values() for measure in chosen))
    scores = [problem.way.score(measure, problem.counts, problem.undefined) for measure in concerned]
    gone = np.isnan(scores)
    if not gone.any():
        return "Pooled counts have a value all the same."
    lost = []
    for at, model in enumerate(problem.models):
        measures = [measure for measure, missing in zip(concerned, gone[:, at], strict=True) if missing]
        if measures:
            lost.append(_labels(measures) + (f" of {visible(model)}" if len(problem.models) > 1 else ""))
    return f"Pooled counts give {listed(lost, most=FEW)} no value either."


def _about_policy(problem: FoldLabels, cases: _Cases) -> str:
    """Say what such a fold counts."""
    kinds = {measure.in_empty_fold is not None for chosen in cases.values() for measure in chosen}
    if kinds == {True}:
        return "F scores count 0 there."
    others = (
        "have no mean over folds (aggregate='pooled' needs none in each)"
        if problem.undefined == "exclude"
        else f"follow undefined={problem.undefined!r}"
    )
    return f"F scores count 0 there, others {others}." if True in kinds else f"They {others}."


def _about_ways(problem: FoldLabels, measures: tuple[Measure, ...]) -> list[str]:
    """Return a sentence where ways of combining differ by more than a little, on the worst case."""
    models, counts = problem.models, problem.counts
    scored = {measure: _in_all_ways(measure, problem) for measure in measures}
    apart = {measure: _apart(measure, scores) for measure, (_, scores) in scored.items()}
    measure = max(apart, key=lambda known: apart[known].max())
    if not apart[measure].max() > APART:
        return []
    ways, scores = scored[measure]
    model = int(np.argmax(apart[measure]))
    places = decimals(int(np.asarray(counts.total)[0].sum()))
    ends = [int(np.nanargmin(scores[:, model])), int(np.nanargmax(scores[:, model]))]
    extremes = [f"{number(float(scores[at, model]), places=places)} {ways[at]!r}" for at in ends]
    who = f" of {visible(models[model])}" if len(models) > 1 else ""
    flips = _flips(measure, models, ways, scores)
    apart_by = f"{visible(measure.label)}{who} is {' and '.join(extremes)}{flips}"
    return [f"The way of combining matters here: {apart_by}; card.all_ways() shows all, each with its bar."]


def _in_all_ways(measure: Measure, problem: FoldLabels) -> tuple[list[str], FloatArray]:
    """Return the ways that a measure can be combined in, and scores of shape (ways, models)."""
    ways = [way for way in WAYS.values() if way.takes(measure)]
    scores = [way.score(measure, problem.counts, problem.undefined) for way in ways]
    return [way.name for way in ways], np.stack(scores)


def _apart(measure: Measure, scores: FloatArray) -> FloatArray:
    """Return how far the ways are apart for each model, as a share of the measure's range."""
    known = ~np.isnan(scores)
    low, high = measure.bounds
    scale = high - low if math.isfinite(high - low) else float(np.abs(scores[known]).max(initial=1e-300))
    most = np.where(known, scores, -math.inf).max(axis=0)
    least = np.where(known, scores, math.inf).min(axis=0)
    return np.where(known.any(axis=0), most - least, 0.0) / scale


def _flips(measure: Measure, models: tuple[str, ...], ways: list[str], scores: FloatArray) -> str:
    """Say which models two ways put first, where they do not agree."""
    sign = -1.0 if measure.greater_is_better is False else 1.0
    whole: BoolArray = np.asarray(~np.isnan(scores).any(axis=1))
    first = np.argmax(sign * np.where(np.isnan(scores), 0.0, scores), axis=1)
    other = np.flatnonzero(whole & (first != first[0]))
    if not (whole[0] and other.size):
        return ""
    at = int(other[0])
    names = [visible(models[int(first[row])]) for row in (0, at)]
    return f", and {ways[0]!r} puts {names[0]} first but {ways[at]!r} {names[1]}"
