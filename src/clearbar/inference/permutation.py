"""H0: labels are in random order. Permutations, or the t-test of clusters whose sizes hardly repeat.

Of B permutations of which b score at least as well, p is (b + 1)/(B + 1): exact, since the observed order is
one of them. Where there are few orders, each is looked at once, so that p is no estimate.

Labels of clusters can only be permuted among clusters of equal size. Where sizes hardly repeat, the
contribution of each cluster to the agreement of labels and predictions is tested instead: it is 0 on average
if predictions tell nothing of labels. Clusters are independent, so that the t of their contributions is
Student's as far as they are normal. Its degrees of freedom are those of G* clusters of equal size, G* = (sum
of sizes)^2 / sum of their squares (Kish 1965, section 8.2, of weights): with G - 1 of them a cluster that
holds half of the samples would make blind predictions significant in 13 to 22 % at 5 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference import Tail
from clearbar.inference.bootstrap import tolerance
from clearbar.inference.orders import orders_together
from clearbar.inference.units import FEWEST, Groups, Units, number_of_draws, portions

# Samples that are put in random order for each permutation; of more, labels may be moved round.
MOST_SHUFFLED = 20_000
ROUNDING = 1e-12  # spread of contributions, relative to their size, below which they are all the same


def blind(units: Units, measures: Sequence[Any], scores: FloatArray) -> Tail:
    """Return how likely labels in random order score as well: arrays of shape (models, measures)."""
    # nan where `scores`, of that shape, are nan. Measures of equal cost share their orders, so that
    # no other one changes how many are drawn.
    costs = np.array([units.order_cost([measure]) for measure in measures])
    if len(np.unique(costs)) > 1:
        parts = [np.flatnonzero(costs == cost) for cost in np.unique(costs)]
        tails = (
            _blind(units, [measures[place] for place in part.tolist()], scores[:, part]) for part in parts
        )
        several = [tail.over(scores[:, part].shape) for tail, part in zip(tails, parts, strict=True)]
        places = np.argsort(np.concatenate(parts))
        return Tail(*(np.concatenate(values, axis=1)[:, places] for values in zip(*several, strict=True)))
    return _blind(units, measures, scores)


def _blind(units: Units, measures: Sequence[Any], scores: FloatArray) -> Tail:
    """Return the same of measures that cost alike."""
    clusters = units.clusters
    if clusters is not None and clusters.sizes_differ:
        tails = (
            ((model, place), group_tail(clusters.sums(units.agreement(measure, model)), clusters.sizes))
            for model in range(units.models)
            for place, measure in enumerate(measures)
        )
        return _where_scored(Tail.gathered(scores.shape, tails), scores)
    why = units.not_permutable
    if why is not None:
        return Tail.unknown(scores.shape, Reason.of("p_value_blind_unknown", why=why))
    every, bounds = units.every_order, units.bounds(measures)
    scored = ~np.isnan(scores) & [measure.greater_is_better is not None for measure in measures]
    proved = np.zeros(scores.shape, dtype=bool)
    if bounds is not None and not every:
        most = number_of_draws(units.order_cost(measures), finest=units.finest)
        proved = 1 / (most + 1) > bounds.T  # permutations are too few to tell
    shares, draws = _by_permutation(units, measures, scored & ~proved)
    upper = shares.copy()
    lower = shares.copy()
    if bounds is not None:
        upper, lower = np.where(proved, bounds.T, shares), np.where(proved, 0.0, shares)
    method = np.where(proved | every, "exact", "permutation").astype(object)
    note = np.full(scores.shape, "", dtype=object)
    for place in zip(*np.nonzero(scored & (not every)), strict=True):
        note[place] = _note(units, measures, int(draws[place]), proved=bool(proved[place]))
    draws = np.where(proved | every, 0, draws)
    return _where_scored(Tail(upper, lower, note, method, draws), np.where(scored, scores, np.nan))


def _note(units: Units, measures: Sequence[Any], draws: int, *, proved: bool) -> Reason:
    """Say how the p-value of one row was found; rows that stopped early share one sentence."""
    if proved:
        return Reason("chatterjee")
    if units.enough < math.inf:
        most = number_of_draws(units.order_cost(measures), finest=units.finest)
        return Reason.of("up_to_permutations", draws=most, what=units.permuted)
    return Reason.of("permutations", draws=draws, what=units.permuted)


def _where_scored(tail: Tail, scores: FloatArray) -> Tail:
    upper, lower = (np.where(np.isnan(scores), math.nan, side) for side in (tail.upper, tail.lower))
    return tail._replace(upper=upper, lower=lower)


def _by_permutation(units: Units, measures: Sequence[Any], wanted: BoolArray) -> tuple[FloatArray, IntArray]:
    """Return p-values of shape (models, measures), nan where not wanted, and from how many orders."""
    # A measure of a model needs no more than `enough` orders that do as well: that decides when to stop, and
    # their share is as valid a p-value (Besag and Clifford, Biometrika 78, 1991).
    reached, drawn = np.zeros(wanted.shape, dtype=np.int64), np.zeros(wanted.shape, dtype=np.int64)
    if wanted.any():
        units, orders = _orders(units, measures)
        statistic = units.statistic(measures)
        places = np.flatnonzero(wanted.any(axis=0)).tolist()
        observed = np.full((len(measures), units.models), np.nan)
        observed[places] = _over_runs(statistic(places, units.observed_order))[..., 0]
        goals = (observed - 1e-12 * np.maximum(1.0, np.abs(observed))).T
        for block in orders:
            going = wanted & ((reached < units.enough) | units.every_order)
            places = np.flatnonzero(going.any(axis=0)).tolist()
            if not places:
                break
            values = _over_runs(statistic(places, block)).swapaxes(0, 1)
            # One without a value counts as reaching the score.
            as_good = np.count_nonzero(~(values < goals[:, places, None]), axis=2)
            reached[:, places] += np.where(going[:, places], as_good, 0)
            drawn[:, places] += np.where(going[:, places], len(block), 0)
    return np.where(wanted, (reached + 1) / (drawn + 1), np.nan), drawn


def _over_runs(values: FloatArray) -> FloatArray:
    return values if values.ndim == 3 else np.asarray(values.mean(axis=2))


def scores(units: Units, measure: Any) -> FloatArray:
    """Return the scores of all models with labels in random order: (permutations, models)."""
    why = units.not_permutable
    if why is not None:
        raise ValueError(f"{units.label_noun} cannot be put in random order: {why}.")
    units, orders = _orders(units, [measure], cost=units.samples * units.models)
    return np.concatenate([_over_runs(units.shuffled([measure], block))[0].T for block in orders])


def _orders(
    units: Units, measures: Sequence[Any], cost: int | None = None
) -> tuple[Units, Iterator[IntArray]]:
    """Return units, and portions of orders of their samples, (orders, samples), without the observed one."""
    # Many samples are put in random order once; labels are then moved round, by as many places for all
    # samples of a block. Such shifts are a group of permutations, so that the test is as exact as that of all
    # orders, and memory is read from one end to the other.
    generator = np.random.default_rng(units.seed)
    cost = units.order_cost(measures) if cost is None else cost
    clusters = units.clusters
    if clusters is not None:
        return units, traded(clusters, units.labels, generator, cost=cost, finest=units.finest)
    if units.every_order:
        return units, _every_order(units)
    drawn = units.drawn_orders(generator)
    if drawn is not None:
        return units, drawn
    if units.samples > MOST_SHUFFLED:
        order = np.concatenate([generator.permutation(block) for block in units.blocks])
        mixed = units.in_order(order)
        if mixed is not None:
            return mixed, _moved_round(mixed, generator, cost)
    return units, _shuffled(units, generator, cost)


def _every_order(units: Units) -> Iterator[IntArray]:
    blocks = units.blocks
    for orders in orders_together([units.labels[block] for block in blocks], units.samples):
        sample_orders = np.empty((len(orders[0]), units.samples), dtype=np.int64)
        for block, places in zip(blocks, orders, strict=True):
            sample_orders[:, block] = block[places]
        yield sample_orders


def _shuffled(units: Units, generator: np.random.Generator, cost: int) -> Iterator[IntArray]:
    blocks = units.blocks
    for rows in portions(units.samples, samples=cost, finest=units.finest):
        if len(blocks) == 1:
            yield generator.permuted(np.broadcast_to(blocks[0], (rows, units.samples)), axis=1)
            continue
        orders = np.empty((rows, units.samples), dtype=np.int64)
        for block in blocks:
            orders[:, block] = generator.permuted(np.broadcast_to(block, (rows, len(block))), axis=1)
        yield orders


def _moved_round(units: Units, generator: np.random.Generator, cost: int) -> Iterator[IntArray]:
    number, blocks = units.samples, units.blocks  # blocks are one behind the other
    if len(blocks) == 1:
        twice = np.arange(2 * number) % number
        draws = number_of_draws(max(cost, number), finest=units.finest)
        for first in generator.integers(number, size=draws).tolist():
            yield twice[None, first : first + number]  # a view: nothing is copied
        return
    sizes = np.array([len(block) for block in blocks])
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    ends = starts + np.repeat(sizes, sizes)
    for rows in portions(number, samples=cost, finest=units.finest):
        moved = np.arange(number) + np.repeat(
            generator.integers(sizes, size=(rows, len(sizes))), sizes, axis=1
        )
        yield np.where(moved < ends, moved, moved - ends + starts)


def traded(
    clusters: Groups, labels: Any, generator: np.random.Generator, *, cost: int = 0, finest: float = 1.0
) -> Iterator[IntArray]:
    """Yield orders of samples in which whole clusters trade places with others of their size."""
    # All but the one that is there, each once, where there are few: `labels` say which samples are alike.
    number = len(clusters.codes)
    if clusters.counts_out(labels):
        for orders in orders_together(clusters.kinds_of_blocks(labels), number):
            sample_orders = np.repeat(np.arange(number)[None], len(orders[0]), axis=0)
            for block, places in zip(clusters.blocks, orders, strict=True):
                sample_orders[:, block.ravel()] = block[places].reshape(len(places), -1)
            yield sample_orders
        return
    for rows in portions(number, samples=cost, finest=finest):
        yield shuffled_clusters(clusters, rows, generator)


def shuffled_clusters(clusters: Groups, rows: int, generator: np.random.Generator) -> IntArray:
    """Return orders of samples, (rows, samples), in which clusters trade places with others of their size."""
    sample_orders = np.repeat(np.arange(len(clusters.codes))[None], rows, axis=0)
    for block in clusters.blocks:
        places = generator.permuted(np.repeat(np.arange(len(block))[None], rows, axis=0), axis=1)
        sample_orders[:, block.ravel()] = block[places].reshape(rows, -1)
    return sample_orders


class GroupTest(NamedTuple):
    """The t of the clusters' contributions, and the one-sided p-value of no agreement."""

    t: float
    effective_groups: float
    p_value: float


def group_test(contributions: FloatArray, sizes: FloatArray | IntArray) -> GroupTest:
    """Test whether contributions of clusters are 0 on average, against that they are larger."""
    # The t is that of their mean, uncorrelated under H0; were it not centred at their mean, it could not
    # exceed the square root of the number of clusters less one, and five would never be significant.
    # Contributions that are all the same have no spread: that all are positive has probability 2^-G then, of
    # contributions that may as well be negative; so that nothing is less likely, however small the spread.
    from scipy.special import stdtr

    number = len(contributions)
    effective = effective_groups(sizes)
    mean, spread = float(contributions.mean()), float(contributions.std(ddof=1))
    if spread <= ROUNDING * float(np.abs(contributions).max(initial=0.0)):
        agree = mean > ROUNDING * float(np.max(sizes))
        return GroupTest(math.inf if agree else 0.0, effective, 2.0**-number if agree else 1.0)
    t = mean * math.sqrt(number) / spread
    return GroupTest(t, effective, max(2.0**-number, float(stdtr(max(1.0, effective - 1), -t))))


def effective_groups(sizes: FloatArray | IntArray) -> float:
    """Return how many clusters of equal size tell as much as clusters of these sizes."""
    weights = np.asarray(sizes, dtype=np.float64)
    return float(weights.sum() ** 2 / (weights**2).sum())


def group_tail(contributions: FloatArray, sizes: FloatArray | IntArray) -> Tail:
    """Return the t-test of clusters that cannot trade places, most of them for their sizes."""
    test, number = group_test(contributions, sizes), len(sizes)
    note = Reason.of("group_t_unequal" if np.ptp(sizes) > 1e-9 * np.max(sizes) else "group_t", groups=number)
    if test.effective_groups < FEWEST - 1e-9:
        note = Reason.of("group_t_few", groups=number, effective=test.effective_groups)
    return Tail(test.p_value, test.p_value, note, "t")


def agreement(truth: IntArray, called: IntArray, classes: int) -> FloatArray:
    """Return what each sample adds to the agreement of labels and predictions beyond what shares explain."""
    # 1(y = p), less its mean over predictions given the label, and over labels given the prediction, plus
    # that over both. `called` has shape (runs, samples); the mean over runs is returned.
    of_truth = np.bincount(truth, minlength=classes) / len(truth)
    total = np.zeros(len(truth))
    for run in called:
        of_run = np.bincount(run, minlength=classes) / len(run)
        total += (truth == run) - of_run[truth] - of_truth[run] + of_truth @ of_run
    return np.asarray(total / len(called))


def products(truth: FloatArray | BoolArray, called: FloatArray | BoolArray) -> FloatArray:
    """Return what each sample adds to a covariance."""
    y, f = (np.asarray(side, dtype=np.float64) for side in (truth, called))
    return np.asarray((y - y.mean()) * (f - f.mean()))


def rank_agreement(truth: BoolArray, scores: FloatArray) -> FloatArray:
    """Return what each sample adds to the covariance of labels and mid-ranks of scores."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - counts / 2
    return products(truth, ranks[places.reshape(-1)])


def at_least_as_good(values: FloatArray, score: float, *, greater_is_better: bool) -> float:
    """Return (b + 1)/(B + 1) for B permutations; one without a value counts as reaching the score."""
    ahead = values - score if greater_is_better else score - values
    reached = np.count_nonzero(~(ahead < -tolerance(score)))
    return (reached + 1) / (len(values) + 1)
