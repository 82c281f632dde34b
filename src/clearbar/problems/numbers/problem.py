"""Predicted numbers as a problem: what is drawn, and how measures follow from it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import NoValue, Reason
from clearbar.inference.bootstrap import Test
from clearbar.inference.permutation import MOST_SHUFFLED, products
from clearbar.inference.units import SHARES, Groups, Units
from clearbar.problems._protocol import Problem
from clearbar.problems.numbers.bars import NumberBaseline, NumberOptimum, Targets, bars_of, optimum
from clearbar.problems.numbers.entries import RANKS, WHOLE, NumberMeasure
from clearbar.problems.numbers.formulas import ranks

# Units up to which each is given a little more weight in turn, to see how a score follows it.
MOST_TILTED = 1_500
MOST_HYPOTHETICAL = 20_000  # samples up to which all are wrong in part where failures are hypothetical


class NumberUnits(Units):
    """Samples, or whole clusters of them, with the predictions of some models, of shape (models, samples).

    Samples are sorted by the column, then by target, as constants need them; of clusters they stay as they
    are, since targets of a cluster trade places one by one. Among equal targets each model's predictions are
    sorted as well, so that rows decide nothing; `joint` models share that order.
    """

    label_noun = "targets"

    def __init__(
        self,
        y: FloatArray,
        predicted: Sequence[FloatArray],
        column: IntArray | None = None,
        clusters: IntArray | None = None,
        *,
        seed: int = 0,
        finest: float = 1.0,
        joint: bool = False,
    ) -> None:
        self.models, self.samples, self.seed, self.finest = len(predicted), len(y), seed, finest
        self.joint, self.given, self.shifted = joint, column is not None, False
        self.fewest = 1 if joint else self.fewest
        if self.given:
            self.label_noun = "targets within the groups of the column"
        codes = np.zeros(len(y), dtype=np.int64) if column is None else column
        rows = np.array(predicted, dtype=np.float64).reshape(len(predicted), len(y))
        if clusters is not None:
            self.clusters = Groups.of(clusters, y, *rows)
            self.y, self.predicted, self.codes = y, rows, codes
        else:
            tied = [rows[::-1] if joint else f[None] for f in rows] or [rows]
            orders = [np.lexsort((*columns, y, codes)) for columns in (tied[:1] if joint else tied)]
            self.y, self.codes = y[orders[0]], codes[orders[0]]
            self.predicted = np.array([f[orders[0 if joint else model]] for model, f in enumerate(rows)])
            self.predicted = self.predicted.reshape(rows.shape)
        self.order = np.arange(len(y)) if clusters is None else np.lexsort((y, codes))
        self.targets = Targets.of(self.y[self.order], self.codes[self.order], given=self.given)
        self.whole = self
        self._optima: dict[NumberMeasure, NumberOptimum] = {}  # shared by its parts

    # -- resamples --------------------------------------------------------------------------------------
    def not_resampled(self, measure: NumberMeasure) -> Reason | None:
        return super().not_resampled(measure) if measure.resampled else Reason("no_larger_error")

    def score(self, measures: Sequence[NumberMeasure], weights: FloatArray) -> FloatArray:
        per_sample = self.per_sample(weights)
        return np.array([[m(self.y, f, per_sample) for f in self.predicted] for m in measures])

    def scale(self, measure: NumberMeasure) -> tuple[float, float]:
        bar = self._optimum(measure).value
        length = abs((1.0 if measure.greater_is_better else 0.0) - bar)
        return bar, length if length > 0 else 1.0

    def _optimum(self, measure: NumberMeasure) -> NumberOptimum:
        if measure not in self._optima:
            self._optima[measure] = optimum(measure, self.whole.targets)
        return self._optima[measure]

    def bar(self, measure: NumberMeasure, weights: FloatArray) -> FloatArray | None:
        """Return the bar of each resample. The constants of a column stay those of the bar."""
        # Looked for anew they would follow each resample the closer the fewer samples a group has, and to
        # first order they make no difference.
        constants = self._constants(measure)
        if constants is None and measure.flat is not None:
            return None
        per_sample = self.per_sample(weights)
        if constants is not None:
            return measure(self.y, constants, per_sample)
        ordered = per_sample if self.clusters is None else per_sample[:, self.order]
        return measure.best(self.y if self.clusters is None else self.y[self.order], ordered)

    def _constants(self, measure: NumberMeasure) -> FloatArray | None:
        """Return the best constant of each sample's group of the column; None without several groups."""
        targets = self.whole.targets
        if len(targets.starts) == 1:
            return None
        values = np.array(self._optimum(measure).constants)
        return np.asarray(values[np.searchsorted(np.unique(self.whole.codes), self.codes)])

    def failing(self, measure: NumberMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        """Return the scores if shares of samples were as wrong as can be, or right."""
        y, f = self.y, self.predicted[model]
        if len(y) > MOST_HYPOTHETICAL:  # evenly over the sorted targets, which keeps both of their ends
            evenly = self.order[np.linspace(0, len(y) - 1, MOST_HYPOTHETICAL).round().astype(np.int64)]
            y, f = y[evenly], f[evenly]
        low, high = float(y.min()), float(y.max())
        wrong, right = np.where(y - low > high - y, low, high), y
        if measure.ranked and self.joint:  # both models are compared on the scale of ranks
            f, wrong, right = ranks(f), ranks(wrong), ranks(y)
        share = np.repeat(np.stack([1 - SHARES, SHARES], axis=1), len(y), axis=1)
        twice = np.concatenate([y, y])
        ends = [measure(twice, np.concatenate([f, other]), share) for other in (wrong, right)]
        return (ends[0], ends[1]) if measure.greater_is_better else (ends[1], ends[0])

    def part(self, kinds: IntArray) -> NumberUnits:
        if self.clusters is None:
            units = self._of(kinds)
            units.order = np.arange(len(kinds))
        else:
            rows = np.flatnonzero(np.isin(self.clusters.codes, kinds))
            units = self._of(rows)
            units.clusters = Groups(np.unique(self.clusters.codes[rows], return_inverse=True)[1])
            units.order = np.lexsort((units.y, units.codes))
        units.multiplicity = np.ones(len(kinds), dtype=np.int64)
        return units

    def _of(self, rows: IntArray) -> NumberUnits:
        """Return the same with these samples."""
        units = copy.copy(self)
        units.samples = len(rows)
        units.y, units.codes, units.predicted = self.y[rows], self.codes[rows], self.predicted[:, rows]
        return units

    # -- labels in random order -------------------------------------------------------------------------
    @property
    def labels(self) -> FloatArray:
        return self.y

    @property
    def not_permutable(self) -> Reason | None:
        clusters = self.clusters
        return None if clusters is None else clusters.too_few or clusters.not_permutable

    @property
    def blocks(self) -> list[IntArray]:
        if self.shifted or self.clusters is None:
            return np.split(np.arange(self.samples), self.targets.starts[1:])
        return [np.arange(self.samples)]

    def order_cost(self, measures: Sequence[NumberMeasure]) -> int:
        slow = self.samples <= MOST_SHUFFLED and any(m.loss is None and m.order is None for m in measures)
        return self.samples * (max(self.samples - 1, 1).bit_length() if slow else 1)

    def in_order(self, order: IntArray) -> NumberUnits:
        mixed = self._of(order)
        mixed.shifted = True
        return mixed

    def shuffled(self, measures: Sequence[NumberMeasure], orders: IntArray) -> FloatArray:
        targets = self.y[orders]
        return np.array([[m(targets, f) for f in self.predicted] for m in measures])

    def statistic(self, measures: Sequence[NumberMeasure]) -> Callable[[Sequence[int], IntArray], FloatArray]:
        """Return what orders compare by: one statistic for measures that compare them alike."""
        keys = [measure.order or measure.name for measure in measures]
        compared = {key: self._statistic(measure) for key, measure in zip(keys, measures, strict=True)}

        def of(places: Sequence[int], orders: IntArray) -> FloatArray:
            values = {key: compared[key](orders) for key in {keys[place] for place in places}}
            return np.array([values[keys[place]] for place in places])

        return of

    def _statistic(self, measure: NumberMeasure) -> Callable[[IntArray], FloatArray]:
        order = measure.order
        if measure.ranked and self.samples > MOST_SHUFFLED:
            order = RANKS  # a permutation test may take any statistic, and pairs of many samples take long
        if order is not None:
            u, v = order.u(self.y), np.array([order.v(f) for f in self.predicted])
            return self._products(u, v)
        return self._values(measure)

    def _products(self, u: FloatArray, v: FloatArray) -> Callable[[IntArray], FloatArray]:
        """Compare by sums of products u(y) v(f); of targets moved round by a circular correlation."""
        u, v = _unit(u), _unit(v)
        if self.shifted and len(self.blocks) == 1:
            rounds = np.fft.irfft(np.fft.rfft(u) * np.fft.rfft(v).conj(), len(u))
            return lambda orders: rounds[:, orders[:, 0]]
        return lambda orders: np.asarray((u[orders] @ v.T).T)

    def _values(self, measure: NumberMeasure) -> Callable[[IntArray], FloatArray]:
        """Compare by the measure itself, or by the loss whose mean it follows."""
        sign = 1.0 if measure.greater_is_better else -1.0

        def scores(orders: IntArray) -> FloatArray:
            y, loss = self.y[orders], measure.loss
            if loss is None or not measure.of_mean:
                return sign * np.array([measure(y, f) for f in self.predicted])
            with np.errstate(over="ignore"):
                sums = np.array([loss(y, f).sum(axis=-1) for f in self.predicted])
            return np.where(np.isfinite(sums), -sums, np.nan)

        observed = scores(np.arange(self.samples)[None])
        size = np.where(observed != 0, np.abs(observed), 1.0)
        return lambda orders: scores(orders) / size

    def agreement(self, measure: Any, model: int) -> FloatArray:
        """Return what each sample adds to the covariance, within groups of the column."""
        added = np.empty(self.samples)
        for code in np.unique(self.codes):
            rows = self.codes == code
            added[rows] = products(self.y[rows], self.predicted[model, rows])
        return added

    # -- two models -------------------------------------------------------------------------------------
    def _loss(self, measure: NumberMeasure) -> FloatArray | None:
        """Return the losses whose mean the score follows; None where there are none, or not finite ones."""
        if measure.loss is None or not measure.of_mean:
            return None
        with np.errstate(all="ignore"):
            loss = np.array([measure.loss(self.y, f) for f in self.predicted], dtype=np.float64)
        return loss if np.isfinite(loss).all() else None

    def linear(self, measure: NumberMeasure) -> bool:
        plain = not (measure.spread or measure.root) and self.clusters is None
        return plain and self._loss(measure) is not None

    def pair_cost(self, measure: NumberMeasure) -> float:
        return 0.1 if self.linear(measure) else 10.0 if not measure.spread else 30.0

    def slopes(self, measure: NumberMeasure, weights: FloatArray) -> FloatArray:
        loss, number = self._loss(measure), len(self.multiplicity)
        if loss is None:
            if measure.of_mean and number <= MOST_TILTED:
                return super().slopes(measure, weights)
            return np.full((self.models, 1, number), np.nan)
        if self.linear(measure):
            return loss[:, None] / number
        if measure.spread:
            return np.array([self._slopes_of_share(measure, model_loss, weights) for model_loss in loss])

        # A unit's weight moves the sum by its loss, and what it is divided by by its samples.
        added, counts = self.added_up(loss), self.added_up(np.ones(self.samples))
        total = (weights @ counts)[:, None]
        mean = (added @ weights.T)[..., None] / total
        slopes = (added[:, None] - mean * counts) / total
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(mean > 0, slopes / (2 * np.sqrt(mean)), 0.0) if measure.root else slopes

    def _slopes_of_share(self, measure: NumberMeasure, loss: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the slopes of 1 − L / A, A being the best constant's loss."""
        # At its best a constant may be moved and A stays the same to first order (the envelope theorem), so
        # that A rises with a weight by the loss of that constant on the unit.
        assert measure.constant is not None and measure.loss is not None  # noqa: S101, PT018
        per_sample = self.per_sample(weights)
        constants = measure.constant(self.y[self.order], per_sample[:, self.order], WHOLE)
        best = measure.loss(self.y, constants)
        loss_at_best = (per_sample * best).sum(axis=1, keepdims=True)
        left = (per_sample @ loss)[:, None] / loss_at_best
        return self.added_up((left * best - loss) / loss_at_best)

    @cached_property
    def _ranks(self) -> FloatArray:
        return np.array([ranks(f) for f in self.predicted])

    def mixed(self, measure: NumberMeasure, first: FloatArray, second: FloatArray) -> FloatArray:
        weights = np.concatenate([self.per_sample(first), self.per_sample(second)], axis=1)
        predicted = self._ranks if measure.ranked else self.predicted  # on a scale that both models share
        return measure(np.concatenate([self.y, self.y]), predicted.ravel(), weights)

    def differ(self) -> BoolArray:
        unlike = self.predicted[0] != self.predicted[1]
        return np.asarray(self.added_up(unlike.astype(np.float64)) > 0)

    def steps(self, measure: NumberMeasure) -> FloatArray | None:
        loss = self._loss(measure)
        return None if loss is None else self.added_up(loss[0] - loss[1])


def _unit(values: FloatArray) -> FloatArray:
    """Return values from their mean, of length 1 or 0."""
    largest = np.abs(values).max(axis=-1, keepdims=True)
    scaled = values / np.where(largest > 0, largest, 1.0)
    off = scaled - scaled.mean(axis=-1, keepdims=True)
    size = np.sqrt((off**2).sum(axis=-1, keepdims=True))
    return np.asarray(off / np.where(size > 0, size, 1.0))


@dataclass(frozen=True, eq=False)
class Numbers(Problem):
    """Targets, each model's predictions, the rows of each group; a column that bars may see; clusters."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    truth: FloatArray
    predicted: tuple[FloatArray, ...]
    rows: tuple[Any, ...]
    column: IntArray | None = None
    clusters: IntArray | None = None
    seed: int = 0
    finest: float = 1.0
    kept_tests: dict[Any, Test] = field(default_factory=dict, repr=False)

    by_model = ("models", "predicted")
    by_group = ("groups", "rows")
    truths = "targets"

    @cached_property
    def targets(self) -> tuple[Targets, ...]:
        """The sorted targets of each group."""
        columns = [None if self.column is None else self.column[rows] for rows in self.rows]
        return tuple(
            Targets.in_any_order(self.truth[rows], column)
            for rows, column in zip(self.rows, columns, strict=True)
        )

    def bars(self, measures: Sequence[NumberMeasure]) -> tuple[NumberBaseline, ...]:
        mean = float(self.truth.mean())
        return tuple(bars_of(measure, self.targets, mean) for measure in measures)

    def scores(self, measures: Sequence[NumberMeasure]) -> FloatArray:
        return np.array(
            [
                [[float(m(self.truth[rows], f[rows])) for m in measures] for rows in self.rows]
                for f in self.predicted
            ]
        )

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> NumberUnits:
        rows = self.rows[group]
        model_indices = range(len(self.models)) if models is None else models
        return NumberUnits(
            self.truth[rows],
            [self.predicted[model][rows] for model in model_indices],
            None if self.column is None else self.column[rows],
            None if self.clusters is None else self.clusters[rows],
            seed=self.seed,
            finest=self.finest,
            joint=joint,
        )

    def why_undefined(self, measure: NumberMeasure, missing: BoolArray) -> Any:
        reasons = []
        for model, group in np.argwhere(missing).tolist():
            y, f = (values[self.rows[group]] for values in (self.truth, self.predicted[model]))
            why = "it is too large a number"
            if measure.spread and f.min() == f.max():
                why = "its predictions are all the same"
            if measure.spread and y.min() == y.max():
                why = "all targets are the same"
            reasons.append(NoValue(measure.label, where=f"here: {why}"))
        return reasons
