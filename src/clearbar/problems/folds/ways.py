"""The ways to make one score of many folds: each an entry of `WAYS`, whatever is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, measures
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core._value import checked_flag
from clearbar.core.counts import Counts
from clearbar.core.errors import listed
from clearbar.problems.folds.bars import (
    Bars,
    admitted,
    aware_bar,
    filled,
    from_pair,
    is_of_pairs,
    mean_bar,
    mean_of_defined_bar,
    pair_fill,
    policy_of,
    precision_recall_bar,
    precision_recall_of_defined_bar,
    ratios,
)


@dataclass(frozen=True)
class Way:
    """A way to combine folds: what is averaged over which folds, or put together, and the bar of the same.

    `notes` say below a scorecard how folds were combined and what the bars know, for each kind of problem
    that knows the way. Where there is no `bar`, it is that of all samples together.
    """

    name: str  # as the argument `aggregate` calls it
    words: str  # as a reader would say it: "mean over folds"
    notes: Mapping[str, str] = field(compare=False)
    bar: Bars | None = field(default=None, compare=False)
    pools: bool = False  # whether folds are put together, and none needs a value
    pairs: bool = False  # whether precision and recall are averaged, and the measure made of both means
    leaves_out: bool = False  # whether folds without a value are left out
    fold_aware: bool = False  # whether the bar was asked to know each fold's share of positives
    weights: Callable[[IntArray], FloatArray] | None = None  # of folds of so many samples; None: equal

    def takes(self, measure: Measure) -> bool:
        """Return whether a measure can be combined so."""
        return not self.pairs or is_of_pairs(measure)

    def refuse(self, chosen: Sequence[Measure]) -> None:
        """Raise where a measure cannot be combined so."""
        cannot = [measure.name for measure in chosen if not self.takes(measure)]
        if cannot:
            can = [measure.name for measure in measures() if is_of_pairs(measure)]
            be = "is no function" if len(cannot) == 1 else "are no functions"
            raise ValueError(
                f"aggregate={self.name!r} averages precision and recall over folds, and {listed(cannot)} "
                f"{be} of these two; {listed(can, most=40)} are. Use aggregate='pooled' or 'mean'."
            )

    # -- scores -----------------------------------------------------------------------------------------
    def policy(self, measure: Measure, undefined: Undefined) -> Undefined:
        """Return what counts for an outcome without a value in a fold."""
        return "exclude" if self.leaves_out else policy_of(measure, undefined)

    def parts(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return what folds of two classes add, (parts, ..., folds); nan where they add nothing."""
        policy, values = self.policy(measure, undefined), np.asarray(measure(counts), dtype=np.float64)
        if self.pairs:
            fill = pair_fill(measure, policy)
            parts = ratios(counts.tp, counts.predicted_positives, counts.positives, fill)
        else:
            parts = filled(measure, values, counts.total, policy)[None]
        if not self.leaves_out:
            return parts
        used = admitted(measure, counts.total, counts.positives, counts.predicted_positives)
        if self.pairs:
            used &= np.isfinite(values) & ~np.isnan(parts).any(axis=0)
        return np.where(used, parts, np.nan)

    def weights_of(self, total: IntArray) -> FloatArray:
        """Return how much each fold counts."""
        return np.ones(len(total)) if self.weights is None else np.asarray(self.weights(total))

    def mean(self, parts: FloatArray, total: IntArray) -> FloatArray:
        """Return means over the last axis, of folds of so many samples."""
        weights = np.broadcast_to(self.weights_of(total), parts.shape)
        if self.leaves_out:
            weights = np.where(np.isnan(parts), 0.0, weights)
        weight = weights.sum(axis=-1)
        sums = (np.where(weights > 0, parts, 0.0) * weights).sum(axis=-1)
        means: FloatArray = np.divide(sums, weight, out=np.full(weight.shape, np.nan), where=weight > 0)
        return means

    def joined(self, measure: Measure, means: FloatArray) -> FloatArray:
        """Return the scores that means over folds make, (parts, ...)."""
        score: FloatArray = from_pair(measure, *means) if self.pairs else means[0]
        return score

    def in_folds(self, measure: Measure, parts: FloatArray) -> FloatArray:
        """Return numbers of folds whose spread tells how surely one model's score is known: (folds,)."""
        # Of mean precision and recall these are the jackknife's pseudo-values: so many times the score, less
        # the others' without a fold.
        if not self.pairs:
            return np.asarray(parts[0])
        used = ~np.isnan(parts).any(axis=0)
        count, sums = used.sum(), np.where(used, parts, 0.0).sum(axis=-1)
        score = from_pair(measure, *(sums / max(count, 1)))
        without = from_pair(measure, *((sums[:, None] - parts) / max(count - 1, 1)))
        return np.where(used, count * score - (count - 1) * without, np.nan)


KNOWING = (
    "what the best blind predictions expect of the same, knowing how many samples of each fold are positive."
)

# Counts are added up over folds, then scored (F_tp,fp of Forman and Scholz 2010).
POOLED = Way(
    "pooled",
    "counts pooled over folds",
    {
        "binary": "The counts of {folds:,} folds are pooled and scored once; the bars are those of all "
        "samples together.",
        "multiclass": "The confusion matrices of {folds:,} folds are pooled and scored once; the bars are "
        "those of all samples together.",
    },
    pools=True,
)

# The same score against a bar that may treat folds differently.
POOLED_AWARE = replace(
    POOLED,
    notes={
        "binary": "The counts of {folds:,} folds are pooled and scored once; the bars are what the best "
        "blind predictions expect, knowing how many samples of each fold are positive."
    },
    bar=aware_bar,
    fold_aware=True,
)

# By the names that `aggregate` takes, in the order of the documentation.
WAYS: dict[str, Way] = {
    way.name: way
    for way in (
        POOLED,
        Way(  # F_avg
            "mean",
            "mean over folds",
            {
                "binary": f"Scores are means over {{folds:,}} folds; the bars are {KNOWING}",
                "multiclass": "Scores are means over {folds:,} folds; the bars are what the best blind "
                "predictions expect of the same, knowing the class sizes of each fold.",
                **dict.fromkeys(
                    ("scores", "probabilities"), "Scores and bars are means over {folds:,} folds."
                ),
            },
            mean_bar,
        ),
        Way(
            "mean_of_defined",
            "mean over defined folds",
            {"binary": "Scores are means over those of {folds:,} folds in which they have a value."},
            mean_of_defined_bar,
            leaves_out=True,
        ),
        Way(  # F_pr,re
            "precision_recall",
            "from mean precision and recall",
            {
                "binary": "Scores are made of mean precision and mean recall over {folds:,} folds; the bars "
                f"are {KNOWING}"
            },
            precision_recall_bar,
            pairs=True,
        ),
        Way(
            "precision_recall_of_defined",
            "from mean precision and recall of defined folds",
            {
                "binary": "Scores are made of mean precision and mean recall over those of {folds:,} folds "
                "in which all have a value."
            },
            precision_recall_of_defined_bar,
            pairs=True,
            leaves_out=True,
        ),
        Way(
            "merged",
            "all folds ranked together",
            {
                "scores": "The folds' scores are merged into one ranking: models fitted in different folds "
                "are compared with each other, which is fair only if their scores are calibrated alike "
                "(Forman and Scholz 2010). aggregate='mean' needs no such thing.",
                "probabilities": "Scores and bars are means over the samples of all {folds:,} folds.",
            },
            pools=True,
        ),
    )
}


def ways_of(kind: str) -> dict[str, Way]:
    """Return the ways in which problems of a kind are combined."""
    return {name: way for name, way in WAYS.items() if kind in way.notes}


def chosen_way(aggregate: Any, fold_aware: Any = False) -> Way:  # noqa: FBT002 - checked here
    """Return a way of combining folds of two classes, with the bar asked for, or say what there is."""
    way = way_of("binary", aggregate)
    if not checked_flag("fold_aware", fold_aware):
        return way
    return POOLED_AWARE if way is POOLED else replace(way, fold_aware=True)


def way_of(kind: str, aggregate: Any, what: str = "") -> Way:
    """Return a way of combining folds of a kind, or say what there is; `what` names a kind that has few."""
    ways = ways_of(kind)
    if isinstance(aggregate, str) and aggregate in ways:
        return ways[aggregate]
    names = f"{' or '.join(map(repr, ways))} for {what}" if what else f"one of {', '.join(map(repr, ways))}"
    raise ValueError(f"aggregate must be {names}; found {aggregate!r:.60}.")
