"""What a reader of a scorecard over folds should know, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

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
    how = {
        "pooled": f"The counts of {number_of} are pooled, then scored",
        "mean": f"Scores are means over {number_of}",
        "mean_of_defined": f"Scores are means over those of {number_of} in which they have a value",
        "precision_recall": f"Scores are made of mean precision and mean recall over {number_of}",
        "precision_recall_of_defined": (
            f"Scores are made of mean precision and mean recall over those of {number_of} in which all have "
            "a value"
        ),
    }[way.aggregate]
    bar = "and so are the bars" if not way.fold_aware or way.aggregate != "pooled" else ""
    aware = "the bars are those of predictions that know the folds' shares of positives"
    found = [f"{how}, {bar or aware}."]
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
    what = {
        "pooled": "which pooling does not mind",
        "mean": "which count 0 for F scores",
        "precision_recall": "which count 0 for F scores",
    }.get(way.aggregate, "which are left out")
    how_often = (
        "How often random folds have no positive sample: cb.probability_of_empty_fold(population, folds)."
    )
    return [f"Without a value: {'; '.join(told)}{more}; {what}. {how_often}"]


def _about_ways(
    models: tuple[str, ...], counts: Counts, measures: tuple[Measure, ...], way: Way
) -> list[str]:
    """Return a sentence where ways of combining differ by more than a little, on the worst case."""
    worst: tuple[float, str] = (APART, "")
    for measure in measures:
        ways = [one for one in AGGREGATES if not by_pair(one) or combines(measure)]
        scores = np.stack([combine(measure, counts, one, way.undefined).score for one in ways])
        low, high = measure.bounds
        scale = high - low if math.isfinite(high - low) else 1.0
        known = np.where(np.isnan(scores), -math.inf, scores)
        gap = known.max(axis=0) - np.nanmin(np.where(np.isnan(scores), math.inf, scores), axis=0)
        model = int(np.argmax(np.where(np.isfinite(gap), gap, -1.0)))
        if not gap[model] > worst[0] * scale:
            continue
        least, most = int(np.nanargmin(scores[:, model])), int(np.nanargmax(scores[:, model]))
        who = f" of {visible(models[model])}" if len(models) > 1 else ""
        places = decimals(int(np.asarray(counts.total)[0].sum()))
        ends = [f"{number(float(scores[at, model]), places=places)} {ways[at]!r}" for at in (least, most)]
        worst = (float(gap[model]) / scale, f"{visible(measure.label)}{who} is {ends[0]} and {ends[1]}")
    if not worst[1]:
        return []
    return [f"The way of combining matters here: {worst[1]}; card.all_ways() shows all, each with its bar."]
