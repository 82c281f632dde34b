"""Five ways to make one score of the counts of many folds (Forman and Scholz 2010)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts
from clearbar.core.errors import listed
from clearbar.distributions import hypergeometric as hg
from clearbar.distributions.null import cells_at
from clearbar.formatting import visible
from clearbar.problems.binary import fill_value
from clearbar.problems.combine._pair import combines, from_pair, is_fbeta

Aggregate = Literal["pooled", "mean", "mean_of_defined", "precision_recall", "precision_recall_of_defined"]

AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)

WORDS = {
    "pooled": "counts pooled over folds",
    "mean": "mean over folds",
    "mean_of_defined": "mean over defined folds",
    "precision_recall": "from mean precision and recall",
    "precision_recall_of_defined": "from mean precision and recall of defined folds",
}
"""Each way as a reader would say it."""


def checked_aggregate(aggregate: Any) -> Aggregate:
    """Return the way of combining, or say which ones there are."""
    if isinstance(aggregate, str) and aggregate in AGGREGATES:
        return aggregate
    names = ", ".join(map(repr, AGGREGATES))
    raise ValueError(f"aggregate must be one of {names}; found {aggregate!r:.60}.")


def checked_fold_aware(fold_aware: Any) -> bool:
    """Return whether blind predictions may know the folds' shares; no word such as "False" says so."""
    if isinstance(fold_aware, (bool, np.bool_)):
        return bool(fold_aware)
    raise ValueError(f"fold_aware must be True or False; found {fold_aware!r:.60}.")


def skips(aggregate: Aggregate) -> bool:
    """Return whether folds without a value are left out."""
    return aggregate.endswith("_of_defined")


def by_pair(aggregate: Aggregate) -> bool:
    """Return whether precision and recall are averaged, and not the measure itself."""
    return aggregate.startswith("precision_recall")


def averages(aggregate: Aggregate) -> bool:
    """Return whether the score is the mean of the folds' scores."""
    return aggregate in {"mean", "mean_of_defined"}


def policy_in_folds(measure: Measure, aggregate: Aggregate, undefined: Undefined) -> Undefined:
    """Return what counts for an outcome without a value in a fold.

    0 for F-beta, as in Forman and Scholz; nothing where such folds are left out.
    """
    if skips(aggregate):
        return "exclude"
    return 0.0 if is_fbeta(measure) else undefined


def admitted(measure: Measure, total: Any, positives: Any, draws: Any) -> BoolArray:
    """Return where what a measure requires holds, and every outcome of a draw has a value."""
    m, p, k = np.broadcast_arrays(*(np.asarray(part, dtype=np.int64) for part in (total, positives, draws)))
    return admitted_between(measure, m, p, k, *hg.support(m, p, k))


def admitted_between(
    measure: Measure, total: Any, positives: Any, draws: Any, low: Any, high: Any
) -> BoolArray:
    """Return the same where TP goes from one end to the other: conditions can fail at the ends alone."""
    tp = np.stack(np.broadcast_arrays(low, high))
    cells = cells_at(tp, total, positives, draws)
    valued = measure.admissible.holds(cells) & np.isfinite(measure.values(*cells))
    found: BoolArray = np.logical_and.reduce(valued)
    return found


@dataclass(frozen=True)
class Combined:
    """Scores of some models, and those of their folds."""

    score: FloatArray  # the combined scores; nan where there is none
    folds: FloatArray  # the measure in each fold, nan where it has no value
    defined: BoolArray  # where what the measure requires holds


def combine(measure: Measure, counts: Counts, aggregate: Aggregate, undefined: Undefined) -> Combined:
    """Combine the counts of folds."""
    folds = np.asarray(measure(counts), dtype=np.float64)
    margins = counts.total, counts.positives, counts.predicted_positives
    defined = admitted(measure, *margins) & np.isfinite(folds)
    if aggregate == "pooled":
        return Combined(_pooled(measure, counts, undefined), folds, defined)
    policy = policy_in_folds(measure, aggregate, undefined)
    if by_pair(aggregate):
        pair = precision_and_recall(measure, counts, policy)
        used = (
            defined & ~np.isnan(pair).any(axis=0) if skips(aggregate) else np.ones(defined.shape, dtype=bool)
        )
        score = from_pair(measure, *(_mean(part, used) for part in pair))
        return Combined(score if combines(measure) else np.full(score.shape, np.nan), folds, defined)
    values = averaged(measure, counts, aggregate, undefined)
    used = ~np.isnan(values) if skips(aggregate) else np.ones(values.shape, dtype=bool)
    return Combined(_mean(values, used), folds, defined)


def averaged(measure: Measure, counts: Counts, aggregate: Aggregate, undefined: Undefined) -> FloatArray:
    """Return what each fold adds to a mean over folds; nan where it is left out or has no value."""
    folds = np.asarray(measure(counts), dtype=np.float64)
    values = filled(measure, folds, counts.total, policy_in_folds(measure, aggregate, undefined))
    if not skips(aggregate):
        return values
    margins = counts.total, counts.positives, counts.predicted_positives
    return np.where(admitted(measure, *margins), values, np.nan)


def _pooled(measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
    pooled = counts.sum(axis=-1)
    return filled(measure, np.asarray(measure(pooled), dtype=np.float64), pooled.total, undefined)


def filled(measure: Measure, values: FloatArray, total: Any, policy: Undefined) -> FloatArray:
    """Give outcomes without a value the one that the policy has for them."""
    if policy == "exclude":
        return values
    fill = fill_value(measure, np.asarray(total), policy, largest=measure.greater_is_better is not False)
    return np.where(np.isnan(values), fill, values)


def precision_and_recall(measure: Measure, counts: Counts, policy: Undefined) -> FloatArray:
    """Return precision and recall of every fold, with the policy's value where there is none."""
    tp = np.asarray(counts.tp, dtype=np.float64)
    sizes = np.stack([np.asarray(counts.predicted_positives), np.asarray(counts.positives)]).astype(
        np.float64
    )
    ratios = np.divide(tp, sizes, out=np.full(sizes.shape, np.nan), where=sizes > 0)
    fill = pair_fill(measure, policy)
    found: FloatArray = ratios if math.isnan(fill) else np.where(np.isnan(ratios), fill, ratios)
    return found


def pair_fill(measure: Measure, policy: Undefined) -> float:
    """Return what a precision or recall without a value counts as; nan where it counts as nothing."""
    if policy == "exclude":
        return math.nan
    if policy == "worst":
        return 0.0
    return 1.0 - float(policy) if measure.greater_is_better is False else float(policy)


def _mean(values: FloatArray, used: BoolArray) -> FloatArray:
    """Return means over the folds used; nan where there is none, or one has no value."""
    count = used.sum(axis=-1)
    total = np.where(used, values, 0.0).sum(axis=-1)
    found: FloatArray = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
    return found


def margins_of(counts: Counts) -> tuple[IntArray, IntArray, IntArray]:
    """Return M, P and k of every fold as arrays."""
    parts = counts.total, counts.positives, counts.predicted_positives
    m, p, k = (np.asarray(part, dtype=np.int64) for part in parts)
    return m, p, k


def named(names: Sequence[Any], chosen: Any) -> str:
    """Return folds by name: ``fold 2``, ``folds 1, 4 and 5``, ``every fold``."""
    if len(names) > 2 and np.all(chosen):
        return "every fold"
    words = [visible(str(name)) for name, one in zip(names, chosen, strict=True) if one]
    return f"fold{'s' * (len(words) != 1)} {listed(words, most=6)}"
