"""The bar of a combination over folds: the best that blind predictions expect of that same score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.problems.binary import Baseline, baseline
from clearbar.problems.combine._allocation import best_allocation
from clearbar.problems.combine._bar import OneBar
from clearbar.problems.combine._pair import combines, from_pair, is_concave
from clearbar.problems.combine._ways import (
    Aggregate,
    admitted,
    by_pair,
    filled,
    named,
    pair_fill,
    policy_in_folds,
    skips,
)
from clearbar.problems.recipes import NOTHING_TO_DO, PREDICT_NONE, Recipe, predict_all, predict_any


def one_bar(
    measure: Measure,
    total: IntArray,
    positives: IntArray,
    aggregate: Aggregate,
    undefined: Undefined,
    *,
    fold_aware: bool,
    names: Sequence[Any],
) -> OneBar:
    """Return the bar of a combination."""
    if measure.greater_is_better is None:
        return _none(f"{measure.label} has no better end, so nothing can clear it")
    folds = _Folds(measure, total, positives, policy_in_folds(measure, aggregate, undefined), tuple(names))
    if aggregate == "pooled":
        return folds.pooled(undefined, aware=fold_aware)
    if by_pair(aggregate):
        if not combines(measure):
            return _none(f"{measure.label} is no function of precision and recall")
        return folds.pair_of_defined() if skips(aggregate) else folds.pair()
    return folds.mean_of_defined() if skips(aggregate) else folds.mean()


def _none(reason: str, best_possible: float = math.nan) -> OneBar:
    return OneBar(math.nan, best_possible, math.nan, reason=reason, certified=True)


class _Folds:
    """Folds, a measure, and what counts for outcomes without a value."""

    def __init__(
        self,
        measure: Measure,
        total: IntArray,
        positives: IntArray,
        policy: Undefined,
        names: tuple[Any, ...],
    ) -> None:
        self.measure, self.total, self.positives, self.policy = measure, total, positives, policy
        self.names = names
        self.largest = measure.greater_is_better is not False

    def pooled(self, undefined: Undefined, *, aware: bool) -> OneBar:
        population = Population(int(self.total.sum()), int(self.positives.sum()))
        blind = baseline(population, self.measure, undefined=undefined)
        if not aware:
            return _from_baseline(blind)
        sides = [
            best_allocation(self.measure, self.total, self.positives, undefined, largest=largest)
            for largest in (self.largest, not self.largest)
        ]
        best, worst = sides
        sign = 1.0 if self.largest else -1.0
        better = not best.certified and sign * float(blind.value) > sign * best.value
        if better or math.isnan(best.value):
            return _from_baseline(blind, certified=best.certified)
        lowest = worst.value
        if not worst.certified:  # a draw from all samples is a mixture of allocations
            lowest = sign * float(np.fmin(sign * lowest, sign * float(blind.worst_value)))
        return OneBar(
            best.value, float(blind.best_possible), lowest, best.certified, "", self._allocation(best.draws)
        )

    def _allocation(self, draws: IntArray) -> Recipe:
        if ((draws == 0) | (draws == self.total)).all():
            return self._everything_in(draws > 0)
        what = f"{int(draws.sum()):,} of {int(self.total.sum()):,} positive at random"
        aside = f"so many in each fold: {listed([f'{k:,}' for k in draws.tolist()])}"
        return Recipe("predict", what, aside)

    def _everything_in(self, chosen: BoolArray) -> Recipe:
        if not chosen.any():
            return PREDICT_NONE
        number = int(self.total[chosen].sum())
        if chosen.all():
            return predict_all(number)
        return predict_all(number, f" in {self._named(chosen)}", "none elsewhere")

    def _named(self, chosen: BoolArray) -> str:
        return named(self.names, chosen)

    def _each(self, policy: Undefined) -> Baseline:
        return baseline(Population(self.total, self.positives), self.measure, undefined=policy)

    def _best_in_each(self) -> FloatArray:
        p, n = self.positives, self.total - self.positives
        perfect = np.asarray(self.measure(tp=p, fp=0 * p, fn=0 * p, tn=n), dtype=np.float64)
        return filled(self.measure, perfect, self.total, self.policy)

    def mean(self) -> OneBar:
        bars = self._each(self.policy)
        value = np.asarray(bars.value)
        best = float(self._best_in_each().mean())
        if np.isnan(value).any():
            where = self._named(np.isnan(value))
            return _none(f"{self.measure.label} has no bar in {where}: {_first_reason(bars)}", best)
        worst = float(np.asarray(bars.worst.value).mean()) if bars.worst is not None else math.nan
        certified = bool(np.asarray(bars.certified).all())
        recipe = self._recipe_of_each(bars, np.ones(len(value), dtype=bool))
        return OneBar(float(value.mean()), best, worst, certified, "", recipe)

    def _recipe_of_each(self, bars: Baseline, chosen: BoolArray) -> Recipe:
        """Return what attains the bar of every fold that counts, where that is the same."""
        rows = np.flatnonzero(chosen)
        sizes = np.stack((self.total[rows], self.positives[rows]), axis=1)
        first = rows[np.unique(sizes, axis=0, return_index=True)[1]]
        kinds: set[_Kind] = set()
        for at in first.tolist():
            best = bars[at].best
            ranges = () if best is None else tuple(best.predicted_positives)
            ends = [(int(r.start), int(self.total[at]) + 1 - int(r.stop)) for r in ranges]
            kinds.add(ends[0] if len(ends) == 1 else None)
            if len(ends) == 1 and sum(ends[0]) == self.total[at]:
                kinds.discard(ends[0])
                kinds.add("all" if ends[0][1] == 0 else "none" if ends[0][0] == 0 else None)
        kind = kinds.pop() if len(kinds) == 1 else None
        if kind == "all":
            return predict_all(int(self.total.sum()))
        if kind == "none":
            return PREDICT_NONE
        short = None if kind is None else predict_any(*kind, " in each fold")
        return short or Recipe("draw", "in each fold as is best there")

    def mean_of_defined(self) -> OneBar:
        bars = self._each("exclude")
        can_skip = self._can_skip()
        value = np.asarray(bars.value)
        if (np.isnan(value) & ~can_skip).any():
            where = self._named(np.isnan(value) & ~can_skip)
            return _none(f"{self.measure.label} has no bar in {where}: {_first_reason(bars)}")
        sign = 1.0 if self.largest else -1.0
        best, chosen = _best_mean(sign * value, can_skip)
        worst = (
            math.nan if bars.worst is None else -_best_mean(-sign * np.asarray(bars.worst.value), can_skip)[0]
        )
        perfect = sign * _best_mean(sign * self._best_in_each(), can_skip)[0]
        if math.isnan(best):
            return _none(
                f"in every fold {self.measure.label} may be left without a value: {_first_reason(bars)}"
            )
        recipe = self._recipe_of_each(bars, chosen)
        if not chosen.all():
            where = f" in {self._named(chosen)} and leave the other {int((~chosen).sum()):,} undefined"
            recipe = (
                predict_all(int(self.total[chosen].sum()), where)
                if recipe.always == "positive"
                else Recipe("draw", f"as is best{where}", certain=recipe.certain)
            )
        certified = bool(np.asarray(bars.certified).all())
        return OneBar(sign * best, perfect, sign * worst, certified, "", recipe)

    def _can_skip(self) -> BoolArray:
        """Return where some number of predicted positives leaves the fold without a value."""
        m, p = self.total, self.positives
        ends = np.stack((0 * m, np.minimum(1, m), m - 1, m, p, m - p))  # all may be right at P, wrong at N
        always: BoolArray = np.asarray(admitted(self.measure, m, p, ends).all(axis=0))
        return ~always

    def pair(self) -> OneBar:
        fill = pair_fill(self.measure, self.policy)
        empty = self.positives == 0
        share = self.positives / self.total
        recall = np.where(empty, fill, 1.0)
        best = self._from(np.where(empty, fill, 1.0), recall)
        if math.isnan(fill) and empty.any():
            where = self._named(empty)
            return _none(f"recall has no value in {where}: no sample is positive there", best)
        everything = self._from(share, recall)
        if math.isnan(fill) or (fill == 0.0 and is_concave(self.measure)):
            worst = self._from(0 * share, 0 * share) if fill == 0.0 else math.nan
            certified = is_concave(self.measure) or everything == self._bound()
            recipe = self._everything_in(np.ones(len(share), dtype=bool))
            return OneBar(everything, best, worst, certified, "", recipe)
        return self._searched(share, fill, best)

    def _searched(self, share: FloatArray, fill: float, best: float) -> OneBar:
        """Try to predict everything or nothing in each fold, the folds with most positives first."""
        order = np.argsort(-share, kind="stable")
        rank = np.empty(len(share), dtype=np.int64)
        rank[order] = np.arange(len(share))
        chosen = rank < np.arange(len(share) + 1)[:, None]
        precision = np.where(chosen, share, fill).mean(axis=1)
        recall = np.where(self.positives == 0, fill, chosen.astype(np.float64)).mean(axis=1)
        values = from_pair(self.measure, precision, recall)
        at = int(np.argmax(values if self.largest else -values))
        certified = bool(values[at] == self._bound())
        return OneBar(float(values[at]), best, math.nan, certified, "", self._everything_in(chosen[at]))

    def pair_of_defined(self) -> OneBar:
        usable = (self.positives > 0) & admitted(self.measure, self.total, self.positives, self.total)
        if not usable.any():
            return _none("no fold has a positive sample")
        share = np.where(usable, self.positives / self.total, -1.0)
        at = int(np.argmax(share))
        chosen = np.arange(len(share)) == at
        value = float(from_pair(self.measure, share[at], 1.0))
        certified = is_concave(self.measure) or value == self._bound()
        rest = len(share) - 1
        others = f" and leave the other {rest:,} undefined" if rest else ""
        recipe = predict_all(int(self.total[at]), f" in {self._named(chosen)}{others}")
        best = float(from_pair(self.measure, 1.0, 1.0))
        return OneBar(value, best, math.nan, certified, "", recipe)

    def _from(self, precision: FloatArray, recall: FloatArray) -> float:
        return float(from_pair(self.measure, precision.mean(), recall.mean()))

    def _bound(self) -> float:
        return self.measure.bounds[1 if self.largest else 0]


_Kind = tuple[int, int] | Literal["all", "none"] | None
"""Draws in the distance of the first and last optimal k to the ends, where they are one range."""


def _first_reason(bars: Baseline) -> str:
    reasons = [str(one) for one in np.atleast_1d(bars.reason) if one]
    return reasons[0] if reasons else "it has no value there"


def _from_baseline(bar: Baseline, *, certified: bool | None = None) -> OneBar:
    worst = math.nan if bar.worst is None else float(bar.worst.value)
    fine = not math.isnan(float(bar.value))
    return OneBar(
        float(bar.value),
        float(bar.best_possible),
        worst,
        bool(bar.certified) if certified is None else certified,
        str(bar.reason),
        bar.attained_by if fine else NOTHING_TO_DO,
    )


def _best_mean(values: FloatArray, can_skip: BoolArray) -> tuple[float, BoolArray]:
    """Return the largest mean over all folds that must count and some of those that need not.

    Taking the best of the others first, as long as each lies above the mean so far, is optimal.
    """
    usable = ~np.isnan(values)
    must = usable & ~can_skip
    order = np.argsort(np.where(usable & can_skip, -values, np.inf), kind="stable")
    order = order[: int((usable & can_skip).sum())]
    total, count = float(values[must].sum()), int(must.sum())
    means = (total + np.cumsum(values[order])) / np.arange(count + 1, count + 1 + len(order))
    known = np.concatenate(([total / count if count else -math.inf], means))
    more = int(np.argmax(known))
    chosen = must.copy()
    chosen[order[:more]] = True
    return (float(known[more]) if chosen.any() else math.nan), chosen
