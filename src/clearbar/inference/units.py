"""The independent units of a kind of problem, and how scores follow from them: all that inference reads.

A kind is bars, scores and `Units`; everything that is drawn at random is drawn here, once for all kinds:
`resamples.tests_of` (H0: the true score is the bar, and the interval), `permutation.blind` (H0: labels in
random order), `differences.paired` and `differences.pair_p_values` (two models and many),
`permutation.scores` (the best of all models). `clearbar.problems._protocol.Problem` calls them.

A kind subclasses `Units` in its problem's file and returns one from ``Problem.units(group, models, joint)``,
for some models on the samples of one group. Arrays of its hooks have the axes (measures, models, resamples).

- ``multiplicity``: how many units there are of each kind of unit, (kinds,). Mostly ones; a cell of a table
  that stands for many samples is one kind. With `clusters` the kinds are whole clusters; ``per_sample``
  turns weights of kinds into weights of samples.
- ``strata``: kinds of the same number are resampled together, apart from the others (classes, tasks); one
  less than there are where `one_less` is set (Rao and Wu 1988), when `score` scales weights back itself.
- ``score(measures, weights)``: the scores where kinds count as often as each row of weights says.
- ``bar(measure, weights)``: the bar found anew in each resample; None where it never moves.
- ``failing(measure, model)``: the worst and best scores if the shares `SHARES` of units were all wrong, or
  all right: it decides where no two resamples differ.
- ``shuffled(measures, orders)``: the scores with label ``orders[r, i]`` at sample i. `statistic` may return
  something quicker that orders permutations alike.
- ``mixed(measure, first, second)``: the scores of models that give so many units of each kind the answer of
  the first model, and so many that of the second; for `joint` units of two models.
- ``slopes(measure, weights)``: how scores rise with each kind's weight, (models, rows or 1, kinds); where a
  score is a function of sums, `slopes_of_sums` finds them. By default by small steps, the same in all rows.
- facts with defaults: `clusters`, `labels`, `blocks`, `held`, `agreement`, `refined`, `not_resampled`, ...

Closed forms stand beside it: ``Problem.exact_tests`` and ``Problem.exact_chances`` return a test or a tail
for what has one, None for what is drawn here. Where a whole question has another answer, a kind overrides the
method of `Problem` that asks it, and calls that of `Problem` for the rest: labels of two classes have exact
p-values of many tables at once (`at_the_bar`, `blind`), AUC and two models' labels have tests of differences
of their own (`paired`, `pair_p_values`), and folds combine what their test sets answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.orders import few_orders

if TYPE_CHECKING:
    from clearbar.inference.bounded import BoundedMeans

# Resamples, or random orders: as a rule, where each costs much, and where a small p must be told.
RESAMPLES, FEWEST_RESAMPLES, MOST_RESAMPLES = 9_999, 999, 1_000_000
# Units times resamples beyond which there are fewer: as a rule, and where a small p must be told.
WORK, MOST_WORK = 20_000_000, 400_000_000
CELLS = 500_000  # units times resamples that are held at once
ENOUGH = 50  # orders at least as good after which some kinds draw no more (Besag and Clifford 1991)
PER_TAIL = 20  # resamples that are drawn for one of the least p-value that must be told from a larger one
SHARES = 1 - np.geomspace(1.0, 1e-6, 400)  # hypothetical shares of units that differ from all that were seen
FEWEST = 5  # units without which nothing is said
FEWEST_ARRANGEMENTS = 20  # ways to permute clusters below which no p-value could be 0.05
TILT = 1e-3  # by how much the weight of a unit is changed where slopes are found by small steps
STEP = 1e-6  # share of the largest sum by which sums are moved to see how a score follows them


class Groups:
    """Samples that belong together: the cluster of each sample, numbered from 0 without gaps.

    Whole clusters are resampled, and trade places with others of their size.
    """

    def __init__(self, codes: IntArray) -> None:
        self.codes = codes

    @classmethod
    def of(cls, codes: IntArray, *held: FloatArray | IntArray | BoolArray) -> Groups:
        """Number clusters by what their samples hold, whatever they are called and whichever comes first."""
        # ``held`` have samples as their last axis. A seed then draws the same whatever the order of the rows;
        # that of the samples within a cluster is kept, since labels trade places sample by sample.
        _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
        groups = cls(np.argsort(np.argsort(first))[numbers.reshape(-1)])
        return cls(groups._ranks(np.vstack([np.zeros(len(codes)), *held]))[groups.codes])

    def _ranks(self, held: FloatArray) -> IntArray:
        """Return the place of each cluster by size, by what its samples hold, and by their order at last."""
        kinds = np.unique(held, axis=1, return_inverse=True)[1].reshape(-1)
        order = np.argsort(self.codes, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        ranked = [np.zeros(0, dtype=np.int64)]
        for size in np.unique(self.sizes):
            alike = np.flatnonzero(self.sizes == size)
            samples = kinds[order[starts[alike][:, None] + np.arange(size)]]
            ranked.append(alike[np.lexsort((*samples.T[::-1], *np.sort(samples, axis=1).T[::-1]))])
        return np.argsort(np.concatenate(ranked))

    @cached_property
    def sizes(self) -> IntArray:
        return np.bincount(self.codes)

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def too_few(self) -> Reason | None:
        return too_few("groups", len(self))

    @cached_property
    def blocks(self) -> tuple[IntArray, ...]:
        """The samples of the clusters of each size that more than one has, of shape (clusters, size)."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        common, counts = np.unique(self.sizes, return_counts=True)
        return tuple(
            order[starts[self.sizes == size][:, None] + np.arange(size)] for size in common[counts > 1]
        )

    def alike(self, labels: Any) -> Reason | None:
        """Say that permuting clusters changes no label."""
        moved = any((labels[block] != labels[block[0]]).any() for block in self.blocks)
        return None if moved else Reason("group_labels_alike")

    @cached_property
    def not_permutable(self) -> Reason | None:
        """Say that sizes hardly repeat."""
        # Clusters that stay in place take power, not validity: with most of them in place nothing is tested.
        moved = sum(block.size for block in self.blocks)
        arrangements = sum(math.lgamma(len(block) + 1) for block in self.blocks)
        if 2 * moved >= len(self.codes) and arrangements >= math.log(FEWEST_ARRANGEMENTS) - 1e-9:
            return None
        together = sum(len(block) for block in self.blocks)
        return Reason.of("group_sizes_differ", groups=len(self), together=together)

    @property
    def sizes_differ(self) -> bool:
        """Whether there are enough clusters, but so many sizes that few could trade places."""
        return bool(self.not_permutable) and not self.too_few

    def why_fixed(self, labels: Any) -> Reason | None:
        """Say why labels of whole clusters cannot trade places."""
        return self.too_few or self.not_permutable or self.alike(labels)

    def kinds_of_blocks(self, labels: Any) -> list[IntArray]:
        """Return for each block which of its clusters have the same labels."""
        return [np.unique(labels[block], axis=0, return_inverse=True)[1].reshape(-1) for block in self.blocks]

    def counts_out(self, labels: Any) -> bool:
        """Whether clusters of the same size can trade places in so few ways that each can be looked at."""
        return few_orders(self.kinds_of_blocks(labels), len(self.codes))

    def order(self, generator: np.random.Generator) -> IntArray:
        """Return an order of the samples in which clusters have traded places with others of their size."""
        order = np.arange(len(self.codes))
        for block in self.blocks:
            order[block.ravel()] = block[generator.permutation(len(block))].ravel()
        return order

    def sums(self, values: Any) -> FloatArray:
        """Add up values of shape (..., samples) within clusters: (clusters, ...)."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        return np.moveaxis(np.add.reduceat(values[..., order], starts, axis=-1, dtype=np.float64), -1, 0)


def too_few(what: str, found: int) -> Reason | None:
    """Say that there are too few units to say anything."""
    return None if found >= FEWEST else Reason.of("too_few_units", least=FEWEST, units=what, found=found)


class Units:
    """Independent units, and the scores of some models on them; the module says what a kind brings."""

    models: int
    samples: int
    seed: int = 0
    finest: float = 1.0  # the least p-value that must be told from larger ones
    clusters: Groups | None = None
    one_less = False
    fewest = FEWEST  # units without which nothing is said of one model
    runs = 1  # more: hooks return an axis of runs before that of resamples, and runs are resampled
    enough: float = math.inf  # permutations at least as good after which no more are needed
    noun = "samples"
    label_noun = "labels"  # what is put in random order

    # -- facts ------------------------------------------------------------------------------------------
    @cached_property
    def multiplicity(self) -> IntArray:
        return np.ones(self.samples if self.clusters is None else len(self.clusters), dtype=np.int64)

    @property
    def strata(self) -> IntArray | None:
        return None

    @property
    def permuted(self) -> str:
        """The units that are permuted where labels are put in random order, in words."""
        return f"the {self.label_noun}" if self.clusters is None else "whole groups"

    @property
    def labels(self) -> Any:
        """What makes samples differ where labels are put in random order."""
        raise NotImplementedError

    @property
    def blocks(self) -> list[IntArray]:
        """Samples whose labels are put in random order among themselves."""
        return [np.arange(self.samples)]

    @property
    def held(self) -> FloatArray:
        """What kinds of units hold, (facts, kinds): it puts them in an order that rows do not decide."""
        return np.zeros((0, len(self.multiplicity)))

    def __len__(self) -> int:
        return int(self.multiplicity.sum())

    @property
    def words(self) -> str:
        """The units that are resampled, in words."""
        return self.noun if self.clusters is None else f"{len(self.clusters):,} groups"

    def not_resampled(self, measure: Any) -> Reason | None:
        """Say why resamples tell nothing of a measure."""
        if self.clusters is not None:
            return self.clusters.too_few
        return None if len(self) >= self.fewest else too_few(self.noun, len(self))

    @property
    def not_permutable(self) -> Reason | None:
        """Say why labels cannot be put in random order."""
        return None if self.clusters is None else self.clusters.why_fixed(self.labels)

    @cached_property
    def every_order(self) -> bool:
        """Whether there are so few orders that each can be looked at."""
        if self.clusters is not None:
            return self.clusters.counts_out(self.labels)
        return few_orders([self.labels[block] for block in self.blocks], self.samples)

    def order_cost(self, measures: Sequence[Any]) -> int:
        """Return how many steps one order takes."""
        return self.samples

    def resample_cost(self, measures: Sequence[Any]) -> int:
        """Return how many steps one resample takes."""
        return max(self.samples, len(self.multiplicity))

    @property
    def draw_cost(self) -> int:
        """Return how many steps it takes to draw a resample."""
        return len(self)

    def pair_cost(self, measure: Any) -> float:
        """Return how many steps a score and its slopes take, for each kind of units."""
        return 40.0

    # -- hooks ------------------------------------------------------------------------------------------
    def score(self, measures: Sequence[Any], weights: FloatArray) -> FloatArray:
        raise NotImplementedError

    def bar(self, measure: Any, weights: FloatArray) -> FloatArray | None:
        return None

    def scale(self, measure: Any) -> tuple[float, float]:
        """Return an origin and a length in which scores are free of the targets' units."""
        return 0.0, 1.0

    def failing(self, measure: Any, model: int) -> tuple[FloatArray, FloatArray]:
        raise NotImplementedError

    def shuffled(self, measures: Sequence[Any], orders: IntArray) -> FloatArray:
        raise NotImplementedError

    @property
    def observed_order(self) -> IntArray:
        """The order that is there, as a row of `shuffled`."""
        return np.arange(self.samples)[None]

    def drawn_orders(self, generator: np.random.Generator) -> Iterator[IntArray] | None:
        """Yield random orders in a form of the kind's own, in portions; None where samples are shuffled."""
        return None

    def statistic(self, measures: Sequence[Any]) -> Callable[[Sequence[int], IntArray], FloatArray]:
        """Return what orders compare by, the larger the better, of some of the measures."""
        signs = np.array([-1.0 if measure.greater_is_better is False else 1.0 for measure in measures])

        def of(places: Sequence[int], orders: IntArray) -> FloatArray:
            values = self.shuffled([measures[place] for place in places], orders)
            return np.asarray(values * signs[list(places)].reshape(-1, *[1] * (values.ndim - 1)))

        return of

    def bounds(self, measures: Sequence[Any]) -> FloatArray | None:
        """Return what p_value_blind does not exceed, (measures, models); None where nothing is proved."""
        return None

    def agreement(self, measure: Any, model: int) -> FloatArray:
        """Return what each sample adds to the agreement of labels and predictions beyond chance."""
        raise NotImplementedError

    def in_order(self, order: IntArray) -> Units | None:
        """Return the same with samples in this order, whose labels are then only moved round."""
        return None

    def part(self, kinds: IntArray) -> Units | None:
        """Return some of the units, of which so many as all are resampled; None where all always are."""
        return None

    def refined(self, test: Any, measure: Any, model: int) -> Any:
        """Return a test that takes into account what resamples do not show."""
        return test

    def bounded_difference(self, measure: Any, first: int, second: int) -> BoundedMeans | None:
        """Return the test of two models' difference, where that of any unit lies between known bounds."""
        return None

    def mixed(self, measure: Any, first: FloatArray, second: FloatArray) -> FloatArray:
        raise NotImplementedError

    def differ(self) -> BoolArray:
        """Return the kinds of units on which the answers of two models are not the same."""
        raise NotImplementedError

    def steps(self, measure: Any) -> FloatArray | None:
        """Return what each unit of a kind adds to a sum that is larger for larger differences."""
        return None

    def only_one_right(self) -> tuple[int, int] | None:
        """Return on how many samples only the first of two models is right, and only the second."""
        return None

    def counts_right(self, measure: Any) -> bool:
        """Whether exchanging answers is McNemar's test: scores are shares of independent right samples."""
        return False

    def span(self, measure: Any) -> float:
        """Return the largest difference of two scores."""
        low, high = measure.bounds
        return float(high - low)

    def linear(self, measure: Any) -> bool:
        """Whether the score adds up what units add: slopes are exact and the same in all resamples."""
        return False

    def slopes(self, measure: Any, weights: FloatArray) -> FloatArray:
        kinds = len(self.multiplicity)
        slopes = np.empty((self.models, 1, kinds))
        rows = max(1, CELLS // kinds)
        for start in range(0, kinds, rows):
            tilted = np.arange(start, min(start + rows, kinds))
            more = np.tile(self.multiplicity.astype(np.float64), (len(tilted), 1))
            fewer = more.copy()
            more[np.arange(len(tilted)), tilted] += TILT
            fewer[np.arange(len(tilted)), tilted] -= TILT
            apart = self.score([measure], more)[0] - self.score([measure], fewer)[0]
            slopes[:, 0, tilted] = apart / (2 * TILT)
        return slopes

    def per_sample(self, weights: FloatArray) -> FloatArray:
        """Return weights of samples from those of units."""
        if self.clusters is None:
            return weights
        # Not weights[:, codes], whose rows lie across memory and are several times slower to add up.
        return weights.take(self.clusters.codes, axis=1)

    def added_up(self, values: Any) -> FloatArray:
        """Add up values of samples, of shape (..., samples), within units."""
        return values if self.clusters is None else np.moveaxis(self.clusters.sums(values), 0, -1)


def slopes_of_sums(
    function: Callable[[FloatArray], FloatArray], sums: FloatArray, terms: FloatArray
) -> FloatArray:
    """Return by how much a function of sums rises with each unit's weight, by the delta method."""
    # `sums` have shape (rows, sums), `terms` what each unit adds, (kinds, sums).
    return np.asarray(gradient(function, sums) @ terms.T)


def gradient(function: Callable[[FloatArray], FloatArray], sums: FloatArray) -> FloatArray:
    """Return how a function of sums, (rows, sums), rises with each; one-sided where it ends."""
    slopes = np.empty(sums.shape)
    middle = function(sums)
    for column in range(sums.shape[1]):
        step = STEP * (float(np.abs(sums[:, column]).max()) or 1.0)
        moved = sums.copy()
        moved[:, column] = sums[:, column] + step
        above = function(moved)
        moved[:, column] = sums[:, column] - step
        below = function(moved)
        inside = ~np.isnan(above) & ~np.isnan(below)
        one_sided = np.where(np.isnan(above), middle - below, above - middle) / step
        slopes[:, column] = np.where(inside, (above - below) / (2 * step), one_sided)
    return slopes


def number_of_draws(
    cost: int, *, fewest: int = FEWEST_RESAMPLES, most: int = RESAMPLES, finest: float = 1.0
) -> int:
    """Return how many resamples, or random orders, are drawn: fewer where each costs much."""
    # More where the least p-value that must be told apart, the `finest`, asks for more.
    number = int(np.clip(WORK // max(cost, 1), fewest, most))
    if finest >= PER_TAIL / number:
        return number
    return max(number, min(math.ceil(PER_TAIL / finest), MOST_RESAMPLES, MOST_WORK // cost))


def portions(units: int, *, samples: int = 0, most: int = RESAMPLES, finest: float = 1.0) -> Iterator[int]:
    """Yield how many of them are drawn at once."""
    cost = max(units, samples, 1)
    number = number_of_draws(cost, most=most, finest=finest)
    portion = max(1, CELLS // cost)
    for first in range(0, number, portion):
        yield min(portion, number - first)


def strata_of(units: Units) -> list[IntArray]:
    """Return the kinds of each stratum that are there, in an order that knows nothing of that of the rows."""
    present = np.flatnonzero(units.multiplicity > 0)
    strata = np.zeros(len(units.multiplicity), dtype=np.int64) if units.strata is None else units.strata
    order = present[np.lexsort((*units.held[:, present], strata[present]))]
    return np.split(order, np.flatnonzero(np.diff(strata[order])) + 1)


def order_of_runs(counts: IntArray, truth: IntArray | BoolArray, called: Any) -> IntArray:
    """Order runs by counts, (counts, runs), the last first; of those that tie, by what they call of whom.

    `called` has the answers of each model, (runs, samples). Neither rows nor runs need an order of their own.
    """
    by_counts = list(map(tuple, counts[::-1].T.tolist()))
    if len(set(by_counts)) == len(by_counts):
        return np.lexsort(counts)
    classes = int(max(truth.max(initial=0), *(of_model.max(initial=0) for of_model in called))) + 1
    kinds = [((of_model == truth).sum(axis=0) * classes + truth) * classes + of_model for of_model in called]
    held = [b"".join(np.sort(of_model[run]).tobytes() for of_model in kinds) for run in range(len(by_counts))]
    return np.array(sorted(range(len(by_counts)), key=lambda run: (by_counts[run], held[run])))


def resampled(units: Units, strata: list[IntArray], rows: int, generator: np.random.Generator) -> FloatArray:
    """Draw as many units of each stratum as it has, or one less, and count them by kind: (rows, kinds)."""
    weights = np.zeros((rows, len(units.multiplicity)))
    for kinds in strata:
        multiplicity = units.multiplicity[kinds]
        size = int(multiplicity.sum())
        drawn = max(size - 1, 1) if units.one_less else size
        if size > 8 * len(kinds):  # then a binomial variate per kind costs less than an index per unit
            weights[:, kinds] = generator.multinomial(drawn, multiplicity / size, size=rows)
            continue
        picked = generator.integers(size, size=(rows, drawn))
        if size > len(kinds):
            picked = np.repeat(np.arange(len(kinds)), multiplicity)[picked]
        picked += len(kinds) * np.arange(rows)[:, None]
        counts = np.bincount(picked.ravel(), minlength=rows * len(kinds)).reshape(rows, -1)
        weights[:, kinds] = counts
    return weights
