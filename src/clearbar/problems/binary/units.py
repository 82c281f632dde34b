"""Samples of two classes and what runs of models call them: what is resampled, permuted and exchanged.

The true score is that of the true rates at the class sizes of the sample: resamples change rates and leave
class sizes, and with them the bar, as they are. Samples that are alike are counted, and each class is
resampled apart; of clusters whole ones are resampled, and rates are those of what was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, scoring
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.inference.permutation import agreement
from clearbar.inference.units import SHARES, Groups, Units, portions, slopes_of_sums

# Patterns of calls up to which it is drawn how many positive samples have each; of more, labels shuffle.
MOST_PATTERNS = 2**12


class LabelUnits(Units):
    """Kinds of samples, of which there are so many `times`, or samples in clusters.

    `truth` has shape (kinds,), `called` (models, runs, kinds).
    """

    fewest = 0

    def __init__(
        self,
        truth: BoolArray,
        called: BoolArray,
        undefined: Undefined = "exclude",
        *,
        times: IntArray | None = None,
        clusters: IntArray | None = None,
        seed: int = 0,
        finest: float = 1.0,
    ) -> None:
        self.truth, self.called, self.undefined = truth, called, undefined
        self.seed, self.finest = seed, finest
        self.models, self.runs, _ = called.shape
        self.flat = called.reshape(-1, len(truth))  # (models * runs, kinds)
        self.times = np.ones(len(truth), dtype=np.int64) if times is None else times
        self.samples, self.P = int(self.times.sum()), int(self.times[truth].sum())
        self.N = self.samples - self.P
        self.multiplicity = self.times
        if clusters is not None:
            self.clusters = Groups.of(clusters, truth, self.flat)
            self.multiplicity = np.ones(len(self.clusters), dtype=np.int64)

    @classmethod
    def counted(cls, truth: BoolArray, called: BoolArray, *args: Any, **options: Any) -> LabelUnits:
        """Count samples that are alike."""
        keys = _packed(np.concatenate([truth[None], called.reshape(-1, len(truth))]))
        _, first, times = np.unique(keys, return_index=True, return_counts=True)
        return cls(truth[first], called[:, :, first], *args, times=times, **options)

    @property
    def strata(self) -> IntArray | None:
        return None if self.clusters is not None else self.truth.astype(np.int64)

    @property
    def words(self) -> str:
        return f"{super().words} and runs" if self.runs > 1 else super().words

    @property
    def draw_cost(self) -> int:
        return len(self.multiplicity)

    def resample_cost(self, measures: Sequence[Measure]) -> int:
        return len(self.multiplicity)

    # -- scores -----------------------------------------------------------------------------------------
    @cached_property
    def terms(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """True and false positives of each kind, (kinds, models * runs), and its samples of both classes."""
        classes = np.stack((self.truth, ~self.truth))
        hits, alarms = (self.added_up(self.flat & of_class).T.astype(np.float64) for of_class in classes)
        return hits, alarms, self.added_up(classes).T.astype(np.float64)

    def _values(self, measure: Measure, tp: FloatArray, fp: FloatArray, sizes: FloatArray) -> FloatArray:
        """Evaluate the rates of counts (rows, runs) among sizes (rows, 2) at the sample's class sizes."""
        # nan where a class of the sample was not drawn.
        of_class = []
        for hits, drawn, size in ((tp, sizes[:, 0], self.P), (fp, sizes[:, 1], self.N)):
            rate = np.where(drawn[:, None] > 0, hits / np.maximum(drawn, 1e-300)[:, None], np.nan)
            of_class.append(rate * size if size else np.zeros_like(hits))
        return scoring(measure, self.P, self.N, self.undefined)(*of_class)

    def score(self, measures: Sequence[Measure], weights: FloatArray) -> FloatArray:
        sums = [weights @ term for term in self.terms]
        return self._by_model([self._values(measure, *sums) for measure in measures])

    def _by_model(self, values: list[FloatArray]) -> FloatArray:
        """Return values (rows, models * runs) as (measures, models, runs, rows), or without a single run."""
        shaped = np.stack([rows.T for rows in values]).reshape(len(values), self.models, self.runs, -1)
        return shaped if self.runs > 1 else shaped[:, :, 0]

    def failing(self, measure: Measure, model: int) -> tuple[FloatArray, FloatArray]:
        scored, (hits, alarms) = scoring(measure, self.P, self.N, self.undefined), self._totals[:, model]
        wrong = SHARES[:, None]
        worse = scored(hits * (1 - wrong), alarms + wrong * (self.N - alarms)).mean(axis=1)
        better = scored(hits + wrong * (self.P - hits), alarms * (1 - wrong)).mean(axis=1)
        return (better, worse) if measure.greater_is_better is False else (worse, better)

    @cached_property
    def _totals(self) -> FloatArray:
        """True and false positives of the sample, of shape (2, models, runs)."""
        sums = [self.multiplicity @ added for added in self.terms[:2]]
        return np.reshape(sums, (2, self.models, self.runs))

    # -- labels in random order -------------------------------------------------------------------------
    @cached_property
    def labels(self) -> IntArray:
        return np.repeat(self.truth, self.times).astype(np.int64)

    @cached_property
    def _patterns(self) -> tuple[FloatArray, IntArray, IntArray] | None:
        """Distinct calls, how many samples have each, and how many positive ones; None if labels shuffle."""
        if self.clusters is not None or self.every_order:
            return None
        _, first, place = np.unique(_packed(self.flat), return_index=True, return_inverse=True)
        if len(first) > MOST_PATTERNS:
            return None
        both, positive = (np.bincount(place, times, len(first)).astype(np.int64)
                          for times in (self.times, self.times * self.truth))  # fmt: skip
        return self.flat[:, first].T.astype(np.float64), both, positive

    @property
    def observed_order(self) -> IntArray:
        return super().observed_order if self._patterns is None else self._patterns[2][None]

    def drawn_orders(self, generator: np.random.Generator) -> Iterator[IntArray] | None:
        """Draw how many positive samples have each pattern of calls: a multivariate hypergeometric."""
        if self._patterns is None:
            return None
        _, both, _ = self._patterns
        blocks = portions(len(both), finest=self.finest)
        return (generator.multivariate_hypergeometric(both, self.P, size=rows) for rows in blocks)

    def shuffled(self, measures: Sequence[Measure], orders: IntArray) -> FloatArray:
        if self._patterns is not None:
            tp = orders @ self._patterns[0]
        else:
            # Single precision holds every whole number up to 2**24, and multiplies twice as fast.
            precision = np.float32 if self.samples < 2**24 else np.float64
            called = np.repeat(self.flat, self.times, axis=1).T.astype(precision)
            labels: Any = self.labels.astype(precision)[orders]
            tp = (labels @ called).astype(np.float64)
        fp = self._totals.sum(axis=0).ravel() - tp
        return self._by_model([scoring(m, self.P, self.N, self.undefined)(tp, fp) for m in measures])

    def agreement(self, measure: Measure, model: int) -> FloatArray:
        return agreement(self.labels, self.called[model].astype(np.int64), 2)

    # -- two models -------------------------------------------------------------------------------------
    def slopes(self, measure: Measure, weights: FloatArray) -> FloatArray:
        hits, alarms, classes = self.terms

        def mean(sums: FloatArray) -> FloatArray:
            tp, fp = sums[:, : self.runs], sums[:, self.runs : -2]
            return np.asarray(self._values(measure, tp, fp, sums[:, -2:]).mean(axis=1))

        slopes = []
        for start in range(0, len(self.flat), self.runs):
            runs = slice(start, start + self.runs)
            added = np.column_stack((hits[:, runs], alarms[:, runs], classes))
            slopes.append(slopes_of_sums(mean, weights @ added, added))
        return np.array(slopes)

    def mixed(self, measure: Measure, first: FloatArray, second: FloatArray) -> FloatArray:
        (hits, alarms, classes), models = self.terms, slice(None, self.runs)
        other = slice(self.runs, 2 * self.runs)
        tp, fp = (first @ added[:, models] + second @ added[:, other] for added in (hits, alarms))
        return np.asarray(self._values(measure, tp, fp, (first + second) @ classes).mean(axis=1))

    def differ(self) -> BoolArray:
        unlike = [added[:, : self.runs] != added[:, self.runs : 2 * self.runs] for added in self.terms[:2]]
        return np.asarray((unlike[0] | unlike[1]).any(axis=1))


def _packed(calls: BoolArray) -> Any:
    """Return each column of calls as one key."""
    packed = np.ascontiguousarray(np.packbits(calls, axis=0).T)
    return packed.view(f"S{packed.shape[1]}").ravel()
