"""What a reader of a scorecard over folds should know, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar._typing import BoolArray, FloatArray
from clearbar.counts import Counts
from clearbar.display import decimals, number, visible
from clearbar.errors import listed
from clearbar.measures import Measure
from clearbar.problems.aggregate import (
    AGGREGATES,
    Way,
    by_pair,
    combine,
    combines,
    skips,
    undefined_folds,
    violated,
)

APART = 0.01
"""Distance between two ways of combining, as a share of the measure's range, that is worth a sentence."""

FEW = 3
"""Undefined cases that are told one by one."""


def notes_on(
    models: tuple[str, ...], counts: Counts, folds: Sequence[Any], measures: tuple[Measure, ...], way: Way
) -> list[str]:
    """Say how folds were combined, what was undefined, and how much another way would differ.

    Parameters
    ----------
    models : tuple of str
        Their names.
    counts : Counts
        Of shape (models, folds).
    folds : sequence
        The folds' names.
    measures : tuple of Measure
        What is judged by.
    way : Way
        How folds are combined.

    Returns
    -------
    list of str
        Sentences.
    """
    number_of = f"{len(folds):,} folds"
    same = "the bars are the best that blind predictions expect of the same"
    pooled = (
        "those of blind predictions that know the folds' shares of positives"
        if way.fold_aware
        else "those of all samples together"
    )
    how = {
        "pooled": f"The counts of {number_of} are pooled and scored once; the bars are {pooled}.",
        "mean": f"Scores are means over {number_of}; {same} mean.",
        "mean_of_defined": f"Scores are means over those of {number_of} in which they have a value.",
        "precision_recall": f"Scores are made of mean precision and mean recall over {number_of}; {same}.",
        "precision_recall_of_defined": (
            f"Scores are made of mean precision and mean recall over those of {number_of} in which all have "
            "a value."
        ),
    }
    found = [how[way.aggregate]]
    if skips(way.aggregate):
        gamed = (
            "Leaving folds out can be gamed: the best blind predictions leave all folds undefined but the "
            "best one, and so do these bars. aggregate='pooled' leaves nothing to game."
        )
        found.append(gamed)
    found += _about_undefined(models, counts, folds, measures, way)
    found += _about_ways(models, counts, measures, way)
    return found


def _about_undefined(
    models: tuple[str, ...], counts: Counts, folds: Sequence[Any], measures: tuple[Measure, ...], way: Way
) -> list[str]:
    cases: dict[str, list[str]] = {}
    for at, model in enumerate(models):
        who = f" of {visible(model)}" if len(models) > 1 else ""
        for measure in measures:
            if any(violated(measure, counts[at])):
                where = f"{undefined_folds(measure, counts[at], folds)}{who}"
                cases.setdefault(where, []).append(visible(measure.label))
    if not cases:
        return []
    told = [f"{listed(labels, most=4)} in {where}" for where, labels in list(cases.items())[:FEW]]
    rest = len(cases) - len(told)
    more = f"; {rest:,} more in card.undefined_folds" if rest else ""
    others = "others have no mean" if way.undefined == "exclude" else f"others follow {way.undefined!r}"
    what = {
        "pooled": "pooled counts do not need it",
        "mean": f"F scores count 0 there, {others}",
        "precision_recall": f"F scores count 0 there, {others}",
    }.get(way.aggregate, "these are left out")
    how_often = (
        "How often random folds have no positive sample: cb.probability_of_empty_fold(population, folds)."
    )
    return [f"Undefined: {'; '.join(told)}{more}. {what[0].upper()}{what[1:]}. {how_often}"]


def _about_ways(
    models: tuple[str, ...], counts: Counts, measures: tuple[Measure, ...], way: Way
) -> list[str]:
    """Return a sentence where ways of combining differ by more than a little, on the worst case."""
    scored = {measure: _in_all_ways(measure, counts, way) for measure in measures}
    apart = {measure: _apart(measure, scores) for measure, (_, scores) in scored.items()}
    measure = max(apart, key=lambda one: apart[one].max())
    if not apart[measure].max() > APART:
        return []
    ways, scores = scored[measure]
    model = int(np.argmax(apart[measure]))
    places = decimals(int(np.asarray(counts.total)[0].sum()))
    ends = [int(np.nanargmin(scores[:, model])), int(np.nanargmax(scores[:, model]))]
    told = [f"{number(float(scores[at, model]), places=places)} {ways[at]!r}" for at in ends]
    who = f" of {visible(models[model])}" if len(models) > 1 else ""
    flips = _flips(measure, models, ways, scores)
    apart_by = f"{visible(measure.label)}{who} is {' and '.join(told)}{flips}"
    return [f"The way of combining matters here: {apart_by}; card.all_ways() shows all, each with its bar."]


def _in_all_ways(measure: Measure, counts: Counts, way: Way) -> tuple[list[str], FloatArray]:
    """Return the ways that a measure can be combined in, and scores of shape (ways, models)."""
    ways = [one for one in AGGREGATES if not by_pair(one) or combines(measure)]
    scores = [combine(measure, counts, one, way.undefined).score for one in ways]
    return [str(one) for one in ways], np.stack(scores)


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
