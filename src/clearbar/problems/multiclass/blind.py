"""How likely labels in random order score as well, given how often each class was predicted.

That is valid against every feature-blind classifier. Measures that only ask how many samples are right
share one exact law where it can be had; the rest shares seeded permutations of the labels, and where these
are too few to tell how small a probability is, a bound that is proved (Chatterjee, Stochastic Processes and
their Applications 117, 2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.orders import tables_of
from clearbar.null import hypergeometric as hg
from clearbar.problems._protocol import Tail
from clearbar.problems.bootstrap import RESAMPLES, portions, slack
from clearbar.problems.multiclass._joint import law_of_right
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._tables import Tables

LARGEST_EXACT = 150
"""Samples up to which the law of the number right is summed in whole numbers."""

PERMUTED = "p_value_blind is from up to 9,999 permutations of the labels"
BOUNDED = "p_value_blind is an upper bound (Chatterjee 2007)"

ENOUGH = 50
"""Permutations at least as good after which no more are drawn (Besag and Clifford 1991)."""

SEED = 20_240_607


def tails(
    measures: Sequence[ClassMeasure],
    tables: Tables,
    empty: float,
    scores: FloatArray,
    seed: int = 0,
    finest: float = 1.0,
) -> list[Tail]:
    """Return the p-value of each measure of one table; nan where the score has no value."""
    results: list[Tail | None] = [None] * len(measures)
    of_right, two = _of_right(tables), len(_involved(tables)) == 2
    for at, measure in enumerate(measures):
        if math.isnan(scores[at]):
            results[at] = Tail(math.nan, math.nan)
        elif of_right is not None and (measure.rises_with_right or (two and measure.weights is not None)):
            results[at] = Tail.exactly(of_right)
    left = [at for at, tail in enumerate(results) if tail is None]
    every = _every_order(tables) if left else None
    if every is not None:
        for at in left:
            results[at] = Tail.exactly(_share_of(measures[at], *every, empty, float(scores[at])))
    elif left:
        named = [measures[at] for at in left]
        drawn = _by_permutation(named, tables, empty, scores[left], seed, finest)
        for at, tail in zip(left, drawn, strict=True):
            results[at] = tail
    return [tail for tail in results if tail is not None]


def _every_order(tables: Tables) -> tuple[Tables, FloatArray] | None:
    """Return every table that labels in some order make, and how likely it is; None if there are too many."""
    sizes, predicted = (np.asarray(side, dtype=np.int64) for side in (tables.sizes, tables.predicted))
    true, called = np.flatnonzero(sizes), np.flatnonzero(predicted)
    found = tables_of(sizes[true], predicted[called])
    if found is None:
        return None
    cells, chances = found
    hits = np.zeros((len(cells), len(sizes)))
    both = np.intersect1d(true, called)
    hits[:, both] = cells[:, np.searchsorted(true, both), np.searchsorted(called, both)]
    step = np.abs(true[:, None] - called).astype(np.float64)
    apart, squared = ((cells * far).sum(axis=(1, 2)) for far in (step, step**2))
    margins = [np.broadcast_to(side, hits.shape) for side in (tables.sizes, tables.predicted)]
    return Tables(margins[0], margins[1], hits, apart, squared), chances


def _share_of(measure: ClassMeasure, every: Tables, chances: FloatArray, empty: float, score: float) -> float:
    """Return how likely tables score as well; one without a value counts as reaching the score."""
    ahead = (measure(every, empty) - score) * (1.0 if measure.greater_is_better else -1.0)
    return float(chances[~(ahead < -slack(score))].sum())


def _of_right(tables: Tables) -> float | None:
    """Return how likely at least as many samples are right; None where that is too long to compute."""
    sizes, predicted = (tuple(int(n) for n in side) for side in (tables.sizes, tables.predicted))
    total, right = sum(sizes), int(tables.right)
    both = _involved(tables)
    if len(both) == 2:  # one diagonal cell settles the other
        n, x, hits = sizes[both[0]], predicted[both[0]], int(tables.hits[both[0]])
        return float(hg.tail_ge(np.int64(hits), np.int64(total), np.int64(n), np.int64(x)))
    if total > LARGEST_EXACT:
        return None
    law = law_of_right(sizes, predicted)
    return float(sum(law[right:]))


def _involved(tables: Tables) -> list[int]:
    """Return the classes that occur or are predicted."""
    places: list[int] = np.flatnonzero(tables.sizes + tables.predicted).tolist()
    return places


def _by_permutation(
    measures: Sequence[ClassMeasure],
    tables: Tables,
    empty: float,
    scores: FloatArray,
    seed: int,
    finest: float,
) -> list[Tail]:
    """Return (b + 1)/(B + 1), or a proved bound where that is smaller: surely where no share is so small."""
    bounds = np.array([_proved(measure, tables) for measure in measures])
    estimates, number = np.ones(len(measures)), 0
    left = np.flatnonzero(bounds >= min(1 / (RESAMPLES + 1), finest))
    if len(left):
        drawn = [measures[at] for at in left.tolist()]
        estimates[left], number = share_as_good(
            drawn, tables, scores[left], lambda own, part: own(part, empty), seed, finest
        )
    note = PERMUTED if number <= RESAMPLES else PERMUTED.replace(f"{RESAMPLES:,}", f"{number:,}")
    return [
        Tail.between(0.0, bound, BOUNDED) if bound < estimate else Tail.permuted(estimate, number, note)
        for bound, estimate in zip(bounds.tolist(), estimates.tolist(), strict=True)
    ]


def share_as_good(
    measures: Sequence[ClassMeasure],
    tables: Tables,
    scores: FloatArray,
    value: Callable[[ClassMeasure, Tables], FloatArray],
    seed: int = 0,
    finest: float = 1.0,
) -> tuple[FloatArray, int]:
    """Return for each measure (b + 1)/(B + 1) of labels in random order that score as well, and B."""
    signs = np.array([1.0 if measure.greater_is_better else -1.0 for measure in measures])
    goals = signs * scores - 1e-12 * np.maximum(1.0, np.abs(scores))
    reached, drawn = np.zeros(len(measures), dtype=np.int64), 0
    for part in permuted(tables, seed, finest):
        values = np.stack([value(measure, part) for measure in measures], axis=-1) * signs
        reached += np.count_nonzero(~(values < goals), axis=0)  # one without a value counts as reaching it
        drawn += len(values)
        if (reached >= ENOUGH).all():
            break
    return np.asarray((reached + 1) / (drawn + 1)), drawn


def permuted(tables: Tables, seed: int = 0, finest: float = 1.0) -> Iterator[Tables]:
    """Yield tables of labels in random order, in portions; in each fold apart, where there are folds."""
    sizes, predicted = (np.asarray(side, dtype=np.int64) for side in (tables.sizes, tables.predicted))
    total, classes = int(sizes.sum()), sizes.shape[-1]
    names = np.tile(np.arange(classes), sizes.size // classes)
    truth, called = (np.repeat(names, side.ravel()) for side in (sizes, predicted))
    fold = np.repeat(np.arange(sizes.size // classes), np.atleast_1d(sizes.sum(axis=-1)))
    generator = np.random.default_rng(SEED + seed)
    for rows in portions(total, samples=total + sizes.size, finest=finest):
        if sizes.ndim == 1:
            orders = generator.permuted(np.broadcast_to(truth, (rows, total)), axis=1)
        else:
            orders = truth[np.argsort(fold + generator.random((rows, total)), axis=1)]
        yield counted(orders, called, sizes, predicted)


def permuted_scores(
    measure: ClassMeasure, own: Sequence[IntArray], sizes: IntArray, empty: float, orders: Iterable[IntArray]
) -> FloatArray:
    """Return the scores of all models, of shape (permutations, models), for true labels in each order."""
    sorted_calls = []
    for called in own:
        order = np.argsort(called, kind="stable")
        numbers = np.bincount(called, minlength=len(sizes))
        sorted_calls.append((order, called[order].astype(np.int64), numbers))
    parts = []
    for labels in orders:
        tables = (
            counted(labels[:, order], called, sizes, numbers) for order, called, numbers in sorted_calls
        )
        parts.append(np.stack([measure(table, empty) for table in tables], axis=1))
    return np.concatenate(parts)


def counted(
    orders: IntArray, called: IntArray, sizes: IntArray, predicted: IntArray, *, ordered: bool = True
) -> Tables:
    """Count tables of true labels, of shape (tables, samples), against predictions sorted by class.

    How far off they are is counted where classes are `ordered`; else it is nan.
    Sizes and predicted counts have shape (classes,); or (folds, classes), and samples are sorted by fold.
    """
    rows, numbers = len(orders), predicted.ravel()
    starts = np.cumsum(numbers) - numbers
    called_at_all = np.flatnonzero(numbers)
    hits = np.zeros((rows, len(numbers)))
    hits[:, called_at_all] = np.add.reduceat(orders == called, starts[called_at_all], axis=1, dtype=np.int64)
    in_folds = np.atleast_1d(predicted.sum(axis=-1))
    first = np.cumsum(in_folds) - in_folds
    far = squared = np.full((rows, len(first)), np.nan)
    if ordered:
        step = np.abs(orders - called)
        far, squared = (np.add.reduceat(one, first, axis=1, dtype=np.float64) for one in (step, step * step))
    shape = (rows, *predicted.shape)
    return Tables(
        np.broadcast_to(sizes.astype(np.float64), shape),
        np.broadcast_to(predicted.astype(np.float64), shape),
        hits.reshape(shape),
        far.reshape(shape[:-1]),
        squared.reshape(shape[:-1]),
    )


def _proved(measure: ClassMeasure, tables: Tables) -> float:
    """Return exp(-t^2 / (4 mu + 2 t)) for a weighted sum of hits, t above its mean mu; 1 for any other."""
    if measure.weights is None:
        return 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.broadcast_to(measure.weights(tables), tables.sizes.shape)
    weights = np.where(tables.sizes * tables.predicted > 0, weights, 0.0)
    largest = float(weights.max())
    if not 0 < largest < math.inf:
        return 1.0
    shares = weights / largest
    mean = float((shares * tables.sizes * tables.predicted).sum() / tables.total)
    return bound_of_sum(float(shares @ tables.hits), mean)


def bound_of_sum(value: float, mean: float) -> float:
    """Return a bound of how likely a sum over a random permutation, its terms within [0, 1], is so large."""
    above = value - mean
    return math.exp(-(above**2) / (4 * mean + 2 * above)) if above > 0 else 1.0
