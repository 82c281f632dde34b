"""Bars across folds: the best that blind predictions, made in each fold apart, expect of one combined score.

Blind predictions of different folds are independent given the labels, so that the expectation of a mean over
folds is the mean of expectations, and its bar the mean of the folds' bars. Forman and Scholz,
Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010; docs/folds.md has the proofs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import Measure, fill_value
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Population
from clearbar.core.errors import listed, visible
from clearbar.core.reasons import OfMeasure
from clearbar.null import cells_at
from clearbar.null import hypergeometric as hg
from clearbar.problems.bars import (
    NOTHING_TO_DO,
    PREDICT_NONE,
    CombinedBar,
    CombinedOptimum,
    Recipe,
    predict_all,
    predict_any,
)
from clearbar.problems.binary import baseline
from clearbar.problems.folds.allocation import best_allocation

IN_EACH_FOLD = Recipe("draw", "in each fold as is best there")


@dataclass(frozen=True, eq=False, repr=False)
class FoldBar(CombinedBar):
    """The best that blind predictions expect of a score combined over folds, of all samples as one group."""

    uncertain = "searched, not certified"


@dataclass(frozen=True, eq=False)
class Folds:
    """A measure on folds of two classes, by their samples and positive samples.

    Folds of other kinds bring `population`, `bars_of_each` and `recipe` of their own.
    """

    measure: Any
    total: IntArray
    positives: IntArray
    undefined: Undefined = "exclude"  # what stands for outcomes without a value
    names: tuple[Any, ...] = ()
    words: str = ""  # how folds are combined
    weights: FloatArray | None = None  # how much each fold counts in a mean; None: all the same
    labels: tuple[str, str] = field(default=Population.labels, kw_only=True)  # of the two classes

    part: ClassVar[str] = "fold"
    kind_of_bar: ClassVar[type[FoldBar]] = FoldBar
    skips_missing: ClassVar[bool] = False  # whether folds without a bar are no part of a mean

    @property
    def sign(self) -> float:
        """1 for a score, -1 for a loss."""
        return -1.0 if self.measure.greater_is_better is False else 1.0

    @property
    def bound(self) -> float:
        """The best value that the measure can have."""
        return float(self.measure.bounds[1 if self.sign > 0 else 0])

    @functools.cached_property
    def population(self) -> Any:
        """All samples, as an array of one group."""
        sizes = Population(self.total.sum(keepdims=True), self.positives.sum(keepdims=True))
        return sizes.called(self.labels)

    @property
    def claim(self) -> str:
        """Why nothing does better."""
        return (
            f"Nothing that ignores its input does better on average, {self.words} "
            "(Pries et al. 2023, fold by fold)."
        )

    def bars_of_each(self, policy: Undefined | None = None) -> Any:
        """Return the bar of each fold."""
        policy = policy_of(self.measure, self.undefined) if policy is None else policy
        return baseline(Population(self.total, self.positives), self.measure, undefined=policy)

    def perfect(self, bars: Any) -> FloatArray:
        """Return the score of perfect predictions in each fold, with what the policy has for none."""
        policy = policy_of(self.measure, self.undefined)
        return filled(self.measure, np.asarray(bars.best_possible), self.total, policy)

    def bar(self, value: float, best: float, worst: float, recipe: Recipe, **facts: Any) -> FoldBar:
        """Return a bar."""
        optimum = CombinedOptimum(value, worst, best, recipe.called(self.labels), **facts)
        return self.kind_of_bar(self.measure, self.population, (optimum,), self.claim)

    def no_bar(self, reason: str, best: float = math.nan) -> FoldBar:
        """Return that there is no bar, and why."""
        return self.bar(math.nan, best, math.nan, NOTHING_TO_DO, reason=reason)

    def named(self, selected: BoolArray) -> str:
        """Return folds by name."""
        return named(self.names, selected, f"every {self.part}", self.part)

    def all_positive_in(self, selected: BoolArray) -> Recipe:
        """Predict everything positive in some folds, and nothing elsewhere."""
        if not selected.any():
            return PREDICT_NONE
        number = int(self.total[selected].sum())
        if selected.all():
            return predict_all(number)
        return predict_all(number, f" in {self.named(selected)}", "none elsewhere")

    def recipe(self, bars: Any, counted: BoolArray) -> Recipe:
        """Return what attains the bar of every fold that counts, where that is the same."""
        rows = np.flatnonzero(counted)
        sizes = np.stack((self.total[rows], self.positives[rows]), axis=1)
        first = rows[np.unique(sizes, axis=0, return_index=True)[1]]
        kinds = {_ends(bars[row], int(self.total[row])) for row in first.tolist()}
        ends = kinds.pop() if len(kinds) == 1 else None
        if ends == "all":
            return predict_all(int(self.total.sum()))
        if ends == "none":
            return PREDICT_NONE
        if ends is None:
            return IN_EACH_FOLD
        at_least, all_but = ends
        return predict_any(at_least, all_but, " in each fold") or IN_EACH_FOLD


def _ends(bar: Any, total: int) -> Any:
    """Return how far the best numbers of predicted positives of a fold are from none and from all."""
    ranges = () if bar.best is None else tuple(bar.best.predicted_positives)
    if len(ranges) != 1:
        return None
    before, after = int(ranges[0].start), total + 1 - int(ranges[0].stop)
    if before + after < total:
        return before, after
    return "all" if after == 0 else "none" if before == 0 else None


def named(names: Sequence[Any], selected: Any, all_of_them: str = "every fold", noun: str = "fold") -> str:
    """Return folds by name: ``fold 2``, ``folds 1, 4 and 5``, ``every fold``."""
    if len(names) > 2 and np.all(selected):
        return all_of_them
    words = [visible(str(name)) for name, is_selected in zip(names, selected, strict=True) if is_selected]
    return f"{noun}{'s' * (len(words) != 1)} {listed(words, most=6)}"


def _first_reason(bars: Any) -> str:
    reasons = [str(reason) for reason in np.atleast_1d(bars.reason) if reason]
    return reasons[0] if reasons else "it has no value there"


# -- outcomes without a value --------------------------------------------------------------------------------
def policy_of(measure: Any, undefined: Undefined) -> Undefined:
    """Return what counts for an outcome without a value in a fold: 0 for F scores (Forman and Scholz)."""
    return undefined if measure.in_empty_fold is None else measure.in_empty_fold


def filled(measure: Measure, values: FloatArray, total: Any, policy: Undefined) -> FloatArray:
    """Give outcomes without a value the one that the policy has for them."""
    if policy == "exclude":
        return values
    return np.where(np.isnan(values), fill_value(measure, np.asarray(total), policy), values)


def admitted(measure: Measure, total: Any, positives: Any, draws: Any) -> BoolArray:
    """Return where what a measure requires holds, and every outcome of so many positives has a value."""
    m, p, k = np.broadcast_arrays(*(np.asarray(sizes, dtype=np.int64) for sizes in (total, positives, draws)))
    cells = cells_at(np.stack(hg.support(m, p, k)), m, p, k)  # conditions can fail at the ends alone
    valued = measure.admissible.holds(cells) & np.isfinite(measure.values(*cells))
    both_ends: BoolArray = np.logical_and.reduce(valued)
    return both_ends


# -- precision and recall ------------------------------------------------------------------------------------
TINY = 1e-150  # stands for a precision or recall of 0 beside one that is not


@functools.lru_cache(maxsize=1024)
def is_of_pairs(measure: Measure) -> bool:
    """Return whether a measure is a function of precision and recall: of the ratios of TP, FP and FN."""
    # Found out on some tables: TN must not matter, nor the scale of the other three.
    sizes = np.array([0, 1, 2, 3, 7, 20], dtype=np.float64)
    tp, fp, fn = (grid.ravel() for grid in np.meshgrid(sizes, sizes, sizes, indexing="ij"))
    keep = (tp > 0) | ((fp > 0) & (fn > 0))
    tp, fp, fn = tp[keep], fp[keep], fn[keep]
    values = measure.values(tp, fp, fn, np.full(tp.shape, 5.0))
    for scale, tn in ((1.0, 0.0), (1.0, 11.0), (2.0, 5.0), (3.0, 40.0)):
        other = measure.values(scale * tp, scale * fp, scale * fn, np.full(tp.shape, tn))
        if not np.allclose(values, other, rtol=1e-12, atol=1e-14, equal_nan=True):
            return False
    nothing = values[tp == 0]
    return bool(np.isfinite(values).all() and (nothing == nothing[0]).all())


def from_pair(measure: Measure, precision: Any, recall: Any) -> FloatArray:
    """Return a measure at a precision and a recall, which no table need have together."""
    x, y = np.broadcast_arrays(np.asarray(precision, dtype=np.float64), np.asarray(recall, dtype=np.float64))
    none = (x == 0) & (y == 0)
    # tp : fp : fn = 1 : 1/x - 1 : 1/y - 1, times xy. Where both are 0 nothing was found; where one is, by
    # a policy for empty folds, the other must not be lost.
    u, v = np.maximum(x, TINY), np.maximum(y, TINY)
    cells = u * v, v * (1 - u), u * (1 - v)
    tp, fp, fn = (np.where(none, empty, cell) for empty, cell in zip((0.0, 1.0, 1.0), cells, strict=True))
    values = measure.values(tp, fp, fn, np.ones(x.shape))
    values = np.where(np.abs(values) <= TINY**0.5, 0.0, values)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, values)


def pair_fill(measure: Measure, policy: Undefined) -> float:
    """Return what a precision or recall without a value counts as; nan where it counts as nothing."""
    if policy == "exclude":
        return math.nan
    if policy == "worst":
        return 0.0
    return 1.0 - float(policy) if measure.greater_is_better is False else float(policy)


def ratios(tp: Any, predicted: Any, positives: Any, fill: float) -> FloatArray:
    """Return precision and recall: TP as a share of predicted and of true positives; `fill` of none."""
    sizes = np.stack([predicted, positives]).astype(np.float64)
    shares: FloatArray = np.divide(tp, sizes, out=np.full(sizes.shape, fill), where=sizes > 0)
    return shares


# -- the bars of the ways ------------------------------------------------------------------------------------
Bars = Callable[[Folds], Any]


def mean_bar(folds: Folds) -> FoldBar:
    """Return the mean of the folds' bars: what is done in one fold changes nothing in another."""
    bars = folds.bars_of_each()
    weights = np.ones(len(folds.total)) if folds.weights is None else folds.weights
    value = np.asarray(bars.value)
    missing, label = np.isnan(value) & (weights > 0), folds.measure.label
    counted = (weights > 0) & ~missing
    perfect = _weighted(folds.perfect(bars), weights if not folds.skips_missing else weights * counted)
    if folds.skips_missing and not counted.any():
        return folds.no_bar(OfMeasure(f"{label} has no value in any fold"))
    if missing.any() and not folds.skips_missing:
        where = folds.named(missing)
        return folds.no_bar(OfMeasure(f"{label} has no bar in {where}: {_first_reason(bars)}"), perfect)
    columns = bars.value, bars.worst_value, getattr(bars, "error", 0.0), getattr(bars, "rounding", 0.0)
    mean, worst, error, rounding = (_weighted(column, weights * counted) for column in columns)
    facts: Any = {
        "certified": bool(np.broadcast_to(bars.certified, counted.shape)[counted].all()),
        "error": error,
        "rounding": rounding,
    }
    return folds.bar(mean, perfect, worst, folds.recipe(bars, counted), **facts)


def _weighted(values: Any, weights: FloatArray) -> float:
    values = np.broadcast_to(values, weights.shape)
    total = float(weights.sum())
    return float((np.where(weights > 0, values, 0.0) * weights).sum() / total) if total > 0 else math.nan


def mean_of_defined_bar(folds: Folds) -> FoldBar:
    """Return the best mean over all folds that must count and some of those that need not."""
    # It can be gamed: blind predictions leave undefined what would lower their score, as the bar does.
    bars, can_skip = folds.bars_of_each("exclude"), _can_skip(folds)
    value, label, sign = np.asarray(bars.value), folds.measure.label, folds.sign
    lost = np.isnan(value) & ~can_skip
    if lost.any():
        return folds.no_bar(OfMeasure(f"{label} has no bar in {folds.named(lost)}: {_first_reason(bars)}"))
    best, counted = _best_mean(sign * value, can_skip)
    if math.isnan(best):
        return folds.no_bar(f"in every fold {label} may be left without a value: {_first_reason(bars)}")
    worst = -_best_mean(-sign * np.asarray(bars.worst_value), can_skip)[0]
    perfect = _best_mean(sign * np.asarray(bars.best_possible), can_skip)[0]
    recipe = folds.recipe(bars, counted)
    if not counted.all():
        where = f" in {folds.named(counted)} and leave the other {int((~counted).sum()):,} undefined"
        if recipe.always == "positive":
            recipe = predict_all(int(folds.total[counted].sum()), where)
        else:
            recipe = Recipe("draw", f"as is best{where}", certain=recipe.certain)
    certified = bool(np.asarray(bars.certified).all())
    return folds.bar(sign * best, sign * perfect, sign * worst, recipe, certified=certified)


def _can_skip(folds: Folds) -> BoolArray:
    """Return where some number of predicted positives leaves the fold without a value."""
    m, p = folds.total, folds.positives
    draws = np.stack((0 * m, np.minimum(1, m), m - 1, m, p, m - p))  # all may be right at P, wrong at N
    return ~np.asarray(admitted(folds.measure, m, p, draws).all(axis=0))


def _best_mean(values: FloatArray, can_skip: BoolArray) -> tuple[float, BoolArray]:
    """Return the largest mean over all folds that must count and some of those that need not."""
    # Taking the best of the others first, as long as each lies above the mean so far, is optimal.
    usable = ~np.isnan(values)
    counted = usable & ~can_skip
    order = np.argsort(np.where(usable & can_skip, -values, np.inf), kind="stable")
    order = order[: int((usable & can_skip).sum())]
    total, count = float(values[counted].sum()), int(counted.sum())
    means = (total + np.cumsum(values[order])) / np.arange(count + 1, count + 1 + len(order))
    means = np.append(total / count if count else -math.inf, means)
    more = int(np.argmax(means))
    counted[order[:more]] = True
    return (float(means[more]) if counted.any() else math.nan), counted


def precision_recall_bar(folds: Folds) -> FoldBar:
    """Return what predicting everything scores, or whole folds where that need not be best."""
    # H(precision, recall) of a measure that is concave and rises in both is at most H of their expectations.
    measure, positives = folds.measure, folds.positives
    fill = pair_fill(measure, policy_of(measure, folds.undefined))
    empty, share = positives == 0, positives / folds.total
    recall = np.where(empty, fill, 1.0)
    perfect = float(from_pair(measure, recall.mean(), recall.mean()))
    if math.isnan(fill) and empty.any():
        where = folds.named(empty)
        return folds.no_bar(f"recall has no value in {where}: no sample is positive there", perfect)
    all_positive = np.ones((1, len(share)), dtype=bool)
    proved = math.isnan(fill) or (fill == 0.0 and measure.concave_in_precision)
    if not proved:  # everything or nothing in each fold, the folds with most positives first
        rank = np.argsort(np.argsort(-share, kind="stable"))
        all_positive = rank < np.arange(len(share) + 1)[:, None]
    precision = np.where(all_positive, share, fill).mean(axis=1)
    recalls = np.where(empty, fill, all_positive.astype(np.float64)).mean(axis=1)
    values = from_pair(measure, precision, recalls)
    place = int(np.argmax(folds.sign * values))
    value, worst = float(values[place]), math.nan
    if proved and fill == 0.0:
        worst = float(from_pair(measure, 0.0, 0.0))
    certified = (proved and measure.concave_in_precision) or value == folds.bound
    return folds.bar(value, perfect, worst, folds.all_positive_in(all_positive[place]), certified=certified)


def precision_recall_of_defined_bar(folds: Folds) -> FoldBar:
    """Return what predicting everything scores in the fold with most positives alone: one is enough."""
    total, positives = folds.total, folds.positives
    usable = (positives > 0) & admitted(folds.measure, total, positives, total)
    if not usable.any():
        return folds.no_bar("no fold has a positive sample")
    share = np.where(usable, positives / total, -1.0)
    place = int(np.argmax(share))
    value = float(from_pair(folds.measure, share[place], 1.0))
    others = f" and leave the other {len(share) - 1:,} undefined" if len(share) > 1 else ""
    where = f" in {folds.named(np.arange(len(share)) == place)}{others}"
    certified = folds.measure.concave_in_precision or value == folds.bound
    perfect, recipe = float(from_pair(folds.measure, 1.0, 1.0)), predict_all(int(total[place]), where)
    return folds.bar(value, perfect, math.nan, recipe, certified=certified)


def aware_bar(folds: Folds) -> Any:
    """Return the best allocation of predicted positives to folds, or a better bar of all samples."""
    measure, sign = folds.measure, folds.sign
    blind = baseline(folds.population, measure, undefined=folds.undefined)
    if measure.greater_is_better is None:
        return blind
    margins = folds.total, folds.positives, folds.undefined
    best, worst = (best_allocation(measure, *margins, largest=largest) for largest in (sign > 0, sign < 0))
    value, lowest, perfect = (
        float(np.asarray(number)[0]) for number in (blind.value, blind.worst_value, blind.best_possible)
    )
    if math.isnan(best.value) or (not best.certified and sign * value > sign * best.value):
        recipe = NOTHING_TO_DO if math.isnan(value) else blind[0].attained_by
        reason = blind[0].reason
        return folds.bar(value, perfect, lowest, recipe, certified=best.certified, reason=reason)
    # A draw from all samples is a mixture of allocations.
    lowest = worst.value if worst.certified else sign * float(np.fmin(sign * worst.value, sign * lowest))
    draws = best.draws
    recipe = folds.all_positive_in(draws > 0)
    if not ((draws == 0) | (draws == folds.total)).all():
        what = f"{int(draws.sum()):,} of {int(folds.total.sum()):,} {{positive}} at random"
        each = listed([f"{k:,}" for k in draws.tolist()])
        recipe = Recipe("predict", what, f"so many in each {folds.part}: {each}")
    return folds.bar(best.value, perfect, lowest, recipe, certified=best.certified)
