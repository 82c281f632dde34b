"""Confusion matrices drawn anew, class by class: interval and test of all but the share that is right.

The samples of each class are drawn anew (bias-corrected and accelerated, Efron 1987), one less than there are
and scaled up, so that the variance is that of the class (Rao and Wu, J. Amer. Statist. Assoc. 83, 1988). A
class whose samples are all right, or all wrong, never varies so: what it may lose or gain unseen is added.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.problems._protocol import Method
from clearbar.problems.bootstrap import RESAMPLES, SHARES, Bootstrap, acceleration, portions, unseen
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._tables import Cells, Tables

BOOTSTRAPPED = "p_value is from bootstrap resamples of each class, which is approximate"

SEED = 20_240_311

FEWEST_SAMPLES = 5
"""Samples of a class below which resamples say too little of it."""

MOST_WORK = 10_000_000
"""Cells times classes beyond which resamples are not corrected for skewness."""

HALVINGS = 60

UNLIKELY = 0.025
"""What share of a class may be otherwise, unseen, is looked at where it shows with all but this chance."""

NOTHING = (np.zeros(1), np.zeros(1))


@dataclass(frozen=True, eq=False)
class ClassBootstrap:
    """Resamples of one measure, and what classes that never vary may lose and gain; no class, of groups."""

    drawn: Bootstrap
    lost: FloatArray  # per class that is all right or all wrong: what the score loses if it were otherwise
    gained: FloatArray
    sizes: FloatArray  # the samples of these classes
    unknown: str

    @classmethod
    def of(
        cls, drawn: Bootstrap, changes: FloatArray, sizes: FloatArray, unknown: str = ""
    ) -> ClassBootstrap:
        """Take what the score changes if classes were otherwise; nan for those that vary."""
        stuck = ~np.isnan(changes)
        change = changes[stuck]
        return cls(drawn, np.maximum(-change, 0.0), np.maximum(change, 0.0), sizes[stuck], unknown)

    @property
    def method(self) -> Method:
        """Resampling, or the failures that are supposed where no resamples differ."""
        return self.drawn.method

    @property
    def draws(self) -> int:
        """How many resamples there are."""
        return self.drawn.draws

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted."""
        if self.unknown:
            return math.nan, math.nan
        if not len(self.sizes):
            return self.drawn.interval(level, bounds)
        score, tail = self.drawn.score, (1 - level) / 2
        low, high = (score, score) if self.drawn.alike else self.drawn.interval(level, bounds)
        low = score - math.hypot(score - low, self._unseen(self.lost, tail))
        high = score + math.hypot(high - score, self._unseen(self.gained, tail))
        return max(low, bounds[0]), min(high, bounds[1])

    def p_value(self, bar: float) -> float:
        """Return the least 1 - level at which the bar is outside of the interval."""
        if self.unknown or math.isnan(bar):
            return math.nan
        if abs(bar - self.drawn.score) <= 1e-12 * max(1.0, abs(bar)):
            return 1.0
        if not len(self.sizes) or (not self.drawn.alike and not (self.lost.any() or self.gained.any())):
            return self.drawn.p_value(bar)
        least, most = math.log(2 / (len(self.drawn.values) + 1)), 0.0
        for _ in range(HALVINGS):
            middle = (least + most) / 2
            low, high = self.interval(1 - math.exp(middle), (-math.inf, math.inf))
            outside = not low <= bar <= high
            least, most = (least, middle) if outside else (middle, most)
        return math.exp(most)

    def _unseen(self, changes: FloatArray, tail: float) -> float:
        """Return the largest change that is not refuted: max sum c s with prod (1 - s)^n >= tail."""
        rising = changes > 0
        if not rising.any():
            return 0.0
        change, size = changes[rising], self.sizes[rising]
        ratio = size / change
        low, high = 1e-15, float((1 / ratio).max())
        for _ in range(HALVINGS):
            middle = math.sqrt(low * high)
            likely = float((size * np.log(np.minimum(1.0, middle * ratio))).sum()) >= math.log(tail)
            low, high = (low, middle) if likely else (middle, high)
        return float((change * (1 - np.minimum(1.0, high * ratio))).sum())


def few_samples(sizes: IntArray) -> str:
    """Say that there are too few samples of a class to draw them anew; empty if there are enough."""
    few = int(np.count_nonzero((sizes > 0) & (sizes < FEWEST_SAMPLES)))
    classes = "one class has" if few == 1 else f"{few:,} classes have"
    return f"{classes} fewer than {FEWEST_SAMPLES} samples" if few else ""


def bootstraps(
    measures: Sequence[ClassMeasure],
    matrix: ConfusionMatrix,
    empty: float,
    seed: int = 0,
    finest: float = 1.0,
) -> tuple[ClassBootstrap, ...]:
    """Resample one matrix for several measures."""
    if not measures:
        return ()
    sizes = matrix.true_counts
    too_few = few_samples(sizes)
    too_few = f"{too_few} (that of accuracy is known at any class sizes)" if too_few else ""
    observed = Tables.of(matrix)
    ordered = any(measure.ordered for measure in measures)
    parts = (
        [
            [measure(part, empty) for measure in measures]
            for part in _drawn(matrix, seed, finest, ordered=ordered)
        ]
        if not too_few
        else []
    )
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] or [np.zeros(0)] * len(measures)
    return tuple(
        _bootstrap(measure, values, matrix, observed, empty, too_few)
        for measure, values in zip(measures, columns, strict=True)
    )


def _bootstrap(
    measure: ClassMeasure,
    values: FloatArray,
    matrix: ConfusionMatrix,
    observed: Tables,
    empty: float,
    too_few: str,
) -> ClassBootstrap:
    skewed = 0.0
    if not too_few and len(matrix.values) * len(matrix.labels) <= MOST_WORK:
        skewed = acceleration(_without_one(measure, matrix, observed, empty))
    score = float(measure(observed, empty))
    drawn = Bootstrap(score, values, skewed, matrix.total, partial(supposed, measure, observed, empty))
    if too_few or drawn.unknown:
        return ClassBootstrap.of(drawn, np.zeros(0), np.zeros(0), too_few or drawn.unknown)
    return ClassBootstrap.of(drawn, never_varying(measure, observed, empty), observed.sizes)


def never_varying(
    measure: ClassMeasure, observed: Tables, empty: float, sizes: FloatArray | None = None
) -> FloatArray:
    """Return the change of the score per share of a class that is all right, were it wrong; or the reverse.

    The share is the largest that can be unseen at a level of 0.95 among the samples of a class that were
    looked at (`sizes`). What is wrong is called the first, the last or the next class, whichever changes
    most. nan for the classes whose resamples vary.
    """
    own, hits = observed.sizes, observed.hits
    classes, score = len(own), float(measure(observed, empty))
    changes = np.full(classes, math.nan)
    for row in np.flatnonzero((own > 0) & ((hits == 0) | (hits == own))).tolist():
        share = float(unseen(UNLIKELY, own[row] if sizes is None else sizes[row]))
        right = hits[row] > 0
        others = sorted({0, classes - 1, (row + 1) % classes} - {row}) if right else [row]
        values = [_moved(measure, observed, row, to, share, empty) - score for to in others]
        known = [value for value in values if not math.isnan(value)]
        changes[row] = max(known, key=abs, default=0.0) / share
    return changes


def _moved(measure: ClassMeasure, observed: Tables, row: int, to: int, share: float, empty: float) -> float:
    """Return the score if a share of a class, all right or all wrong so far, were called one class."""
    size = share * observed.sizes[row]
    predicted, hits = observed.predicted.copy(), observed.hits.copy()
    apart, squared = float(observed.apart), float(observed.squared)
    if to == row:  # of those that were wrong it is not known here what they were called: as others are
        predicted -= size * predicted / predicted.sum()
    else:
        predicted[row] -= size
    predicted[to] += size
    hits[row] += size if to == row else -size
    steps = abs(to - row)
    apart += size * steps if to != row else -min(apart, size)
    squared += size * steps**2 if to != row else -min(squared, size)
    return float(measure(Tables(observed.sizes, predicted, hits, np.array(apart), np.array(squared)), empty))


def faultless(
    measure: ClassMeasure, folds: Sequence[Tables], empty: float, score: float, seen_once: float
) -> ClassBootstrap | None:
    """Return what folds tell that are all right: failures unseen, at equal rates in all; None of others."""
    if any(float(fold.right) < float(fold.total) for fold in folds):
        return None
    sizes = np.sum([fold.sizes for fold in folds], axis=0)
    changes = np.nan_to_num([never_varying(measure, fold, empty, sizes * seen_once) for fold in folds])
    change = np.where(sizes > 0, changes.mean(axis=0), math.nan)
    alike = Bootstrap(score, np.full(RESAMPLES, score), 0.0, int(sizes.sum()), lambda: NOTHING)
    return ClassBootstrap.of(alike, change, sizes * seen_once)


def _drawn(
    matrix: ConfusionMatrix, seed: int = 0, finest: float = 1.0, *, ordered: bool = True
) -> Iterator[Tables]:
    """Draw one sample less of each class than it has, anew from its own, and scale up."""
    generator = np.random.default_rng(SEED + seed)
    sizes, number = matrix.true_counts, len(matrix.rows)
    fewer = np.maximum(sizes - 1, 0)
    spread, first = (np.repeat(side, fewer) for side in (sizes, np.cumsum(sizes) - sizes))
    cell = np.repeat(np.arange(number), matrix.values)  # of each sample, which come in the order of classes
    cells = Cells(matrix.rows, matrix.columns, len(sizes))
    scale = (sizes / np.maximum(fewer, 1))[matrix.rows]
    for rows in portions(matrix.total, samples=max(number, len(sizes)), finest=finest):
        places = (generator.random((rows, len(spread))) * spread).astype(np.int64) + first
        flat = cell[places] + number * np.arange(rows)[:, None]
        drawn = np.bincount(flat.ravel(), minlength=rows * number).reshape(rows, number)
        yield cells.tables(drawn * scale, sizes, ordered=ordered)


def _without_one(
    measure: ClassMeasure, matrix: ConfusionMatrix, observed: Tables, empty: float
) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yield for each class the scores without one sample of each of its cells, and how many it holds."""
    scores = np.empty(len(matrix.values))
    portion = max(1, 2_000_000 // len(matrix.labels))
    for first in range(0, len(scores), portion):
        part = slice(first, first + portion)
        rows, columns = matrix.rows[part], matrix.columns[part]
        at = np.arange(len(rows))
        sizes, predicted, hits = (np.tile(side, (len(rows), 1)) for side in observed[:3])
        sizes[at, rows] -= 1
        predicted[at, columns] -= 1
        hits[at, rows] -= rows == columns
        step = np.abs(rows - columns)
        left = Tables(sizes, predicted, hits, observed.apart - step, observed.squared - step**2)
        scores[part] = measure(left, empty)
    ends = np.flatnonzero(np.diff(matrix.rows, append=-1)) + 1  # cells are in the order of their rows
    yield from zip(np.split(scores, ends[:-1]), np.split(matrix.values, ends[:-1]), strict=True)


def supposed(measure: ClassMeasure, observed: Tables, empty: float) -> tuple[FloatArray, FloatArray]:
    """Return the scores if shares of all samples were called another class, and if these were right.

    The other class is the next one or the farthest, whichever makes the score worse.
    """
    at, sizes = np.arange(len(observed.sizes)), observed.sizes
    farthest = np.where(at > at[-1] - at, 0, at[-1])
    wrong = []
    for to in (np.roll(at, -1), farthest):
        step = np.abs(at - to).astype(np.float64)
        called = np.bincount(to, sizes, len(sizes)).astype(np.float64)
        elsewhere = Tables(sizes, called, np.zeros_like(sizes), sizes @ step, sizes @ step**2)
        wrong.append(_mixed(observed, elsewhere))
    right = _mixed(observed, Tables(sizes, sizes, sizes, np.zeros(()), np.zeros(())))
    worse = np.fmin if measure.greater_is_better else np.fmax
    others = worse(*(measure(table, empty) for table in wrong))
    return (others, measure(right, empty)) if measure.greater_is_better else (measure(right, empty), others)


def _mixed(observed: Tables, others: Tables) -> Tables:
    """Return the tables if shares of all samples, one table for each share, were called as in other ones."""
    share = SHARES[:, None]
    return Tables(
        np.broadcast_to(observed.sizes, (len(SHARES), len(observed.sizes))),
        (1 - share) * observed.predicted + share * others.predicted,
        (1 - share) * observed.hits + share * others.hits,
        (1 - SHARES) * observed.apart + SHARES * others.apart,
        (1 - SHARES) * observed.squared + SHARES * others.squared,
    )
