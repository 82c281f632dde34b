"""p_value_blind: how likely scores that ignore the features do at least as well as a model.

Of a model's own scores the labels are dealt out at random. Many measures are better, the larger the sum of
some weights over the positive samples: midranks for ROC AUC, log-odds for log loss, probabilities for the
Brier score, discounts for NDCG, the share of a sample in the first k for precision@k. Labels in random order
then choose P weights of M without replacement: counted out where few sums are possible, else approximated by
a saddlepoint. For other measures all arrangements of the labels are looked at where they are few, else
random ones.

Of a bare score nothing is known: there it is the largest probability over every feature-blind way of scoring,
whatever its ties, or an upper bound of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.units import Tail, number_of_draws, portions
from clearbar.null import hypergeometric as hg
from clearbar.problems.scores._measure import Ranking, ScoreMeasure

TOLERANCE = 1e-12
"""Values this close, relative to their size, are the same."""

MOST, MOST_SUMS = 50_000, 1_000_000
"""Arrangements up to which all are looked at; sums of few weights, which saddlepoints approximate badly."""

FEW_WEIGHTS, MANY_WEIGHTS = 8, 20
"""Distinct weights that are few; and from which on the saddlepoint was within 1 % of the exact tail."""

WORK, LATTICE_STEPS = 10_000_000, 400_000_000
"""Groups looked at, over all arrangements; additions up to which sums of halves are counted out."""

FEW_GROUPS = 64
"""Groups up to which the positives of each are drawn instead of every sample's label."""

MOST_GROUPS = 20_000
"""Distinct weights beyond which neighbours are merged: their cumulants hardly change."""

SEED = 20_100_317
"""Random arrangements are the same in every run."""

NOTHING = Tail(math.nan, math.nan)


def of_any(measure: ScoreMeasure, total: int, positives: int, score: float) -> Tail:
    """Return the largest probability over every feature-blind way of scoring."""
    if measure.certain:
        bar = measure.expected(total, positives)
        ahead = score - bar if measure.greater_is_better else bar - score
        if ahead <= TOLERANCE * abs(bar):
            return Tail.exactly(1.0)  # whoever follows the recipe has the bar every time
    return NOTHING if measure.any_tail is None else measure.any_tail(total, positives, score)


def of_own(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
    """Return the probability of the model's own scores, labels dealt out at random."""
    found = measure.blind_tail(ranking, score) if measure.blind_tail else None
    if found is not None:
        return found
    if measure.weights is not None:
        weights = measure.weights(ranking)
        return sum_tail(weights, ranking.sizes, ranking.hits, float((weights * ranking.positives).sum()))
    return by_arrangements(measure, ranking, score)


def by_arrangements(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
    """Look at all arrangements of the labels, or at random ones."""
    if measure.looks_at is not None:
        ranking = _first_of(ranking, measure.looks_at(ranking.total, score))
    listed = all_values(measure.value, ranking)
    if listed is not None:
        values, probabilities = listed
        return Tail.exactly(float(probabilities[reached(measure, values, score)].sum()))
    dealt = shuffles(ranking.sizes, ranking.hits, seed=ranking.seed, finest=ranking.finest)
    return share_of(measure, score, (measure.value(ranking.with_positives(labels)) for labels in dealt))


def _first_of(ranking: Ranking, first: int) -> Ranking:
    """Return a ranking whose samples beyond the first few share one score: they do not matter."""
    group = int(np.searchsorted(ranking.ends, min(first, ranking.total))) + 1
    return ranking if group >= len(ranking.sizes) else ranking.merged(np.arange(group + 1))


def reached(measure: ScoreMeasure, values: FloatArray, score: float) -> BoolArray:
    """Return which values are at least as good as a score, up to rounding."""
    sign = 1.0 if measure.greater_is_better else -1.0
    return np.asarray(sign * (values - score) >= -TOLERANCE * max(1.0, abs(score)))


def share_of(measure: ScoreMeasure, score: float, values: Iterable[FloatArray]) -> Tail:
    """Return the share of random arrangements that reach a score."""
    drawn = np.concatenate(list(values))
    return share(int(np.count_nonzero(reached(measure, drawn, score))), len(drawn))


def share(as_good: int, draws: int) -> Tail:
    """Return the tail of so many random rankings of which some do as well.

    The observed one counts among them, which makes it a valid p-value (Phipson and Smyth, Statist. Appl.
    Genet. Molec. Biol. 9, 2010).
    """
    note = Reason.of("random_rankings", draws=draws, error=0.5 / math.sqrt(draws))
    return Tail.permuted((as_good + 1) / (draws + 1), draws, note)


# -- arrangements of the labels ----------------------------------------------------------------------------
def log_arrangements(total: float, positives: float) -> float:
    """Return the logarithm of the number of ways to choose the positive samples."""
    return math.lgamma(total + 1) - math.lgamma(positives + 1) - math.lgamma(total - positives + 1)


def all_arrangements(sizes: IntArray, positives: int, most: int = MOST) -> tuple[IntArray, FloatArray] | None:
    """Return every arrangement of positives over groups, and its probability; None if they are many."""
    from scipy.special import gammaln

    after = np.cumsum(sizes[::-1])[::-1] - sizes
    left, logs = np.array([positives], dtype=np.int64), np.zeros(1)
    steps = []
    for size, later in zip(sizes.tolist(), after.tolist(), strict=True):
        low, high = np.maximum(left - later, 0), np.minimum(left, size)
        times = high - low + 1
        number = int(times.sum())
        if number > most or number * len(sizes) > WORK:  # each goes on to at least one arrangement
            return None
        row = np.repeat(np.arange(len(left)), times)
        here = np.arange(number) - np.repeat(np.cumsum(times) - times, times) + low[row]
        steps.append((row, here))
        ways = gammaln(size + 1) - gammaln(here + 1) - gammaln(size - here + 1)
        left, logs = left[row] - here, logs[row] + ways
    rows = np.empty((len(left), len(sizes)), dtype=np.int64)
    place = np.arange(len(left))
    for group in range(len(sizes) - 1, -1, -1):  # each arrangement from its end to its beginning
        row, here = steps[group]
        rows[:, group], place = here[place], row[place]
    return rows, np.exp(logs - log_arrangements(int(sizes.sum()), positives))


def all_values(
    value: Callable[[Ranking], FloatArray], ranking: Ranking
) -> tuple[FloatArray, FloatArray] | None:
    """Evaluate every arrangement of the labels; None if there are many."""
    listed = all_arrangements(ranking.sizes, ranking.hits)
    return None if listed is None else (value(ranking.with_positives(listed[0])), listed[1])


def shuffles(sizes: IntArray, positives: int, *, seed: int = 0, finest: float = 1.0) -> Iterator[IntArray]:
    """Yield random arrangements, the same in every run, in portions."""
    total = int(sizes.sum())
    generator = np.random.default_rng((SEED + seed, 0))
    if len(sizes) <= FEW_GROUPS and total < 1_000_000_000:
        number = number_of_draws(len(sizes), finest=finest)
        yield np.asarray(generator.multivariate_hypergeometric(sizes, positives, number, "marginals"))
        return
    starts, truth = np.cumsum(sizes) - sizes, np.arange(total) < positives
    for rows in portions(total, finest=finest):
        labels = generator.permuted(np.tile(truth, (rows, 1)), axis=1)
        yield np.add.reduceat(labels, starts, axis=1, dtype=np.int64)


# -- whatever the ties -------------------------------------------------------------------------------------
def majorant(values: FloatArray, probabilities: FloatArray, score: float) -> float:
    """Return the largest probability with which a coarser ranking reaches a score.

    A ranking with ties has the mean score of the rankings that break them at random. So its score is a
    conditional expectation of the untied one, and P(tied >= s) is at most the share of the untied
    distribution, best first, whose mean is s (Hardy and Littlewood's maximal function).

    Hardy and Littlewood, Acta Mathematica 54, 1930; Kertz and Roesler, Israel J. Math. 69, 1990.
    """
    values, probabilities = values[::-1], probabilities[::-1]
    excess = np.cumsum(probabilities * (values - score))
    above = np.flatnonzero(excess < -1e-14 * np.cumsum(probabilities * np.abs(values - score)))
    if not len(above):
        return 1.0
    first = int(above[0])
    rest = float(excess[first - 1]) if first else 0.0
    return min(1.0, float(probabilities[:first].sum()) + max(rest, 0.0) / (score - float(values[first])))


def over_ties(values: FloatArray, probabilities: FloatArray, score: float) -> Tail:
    """Return how likely rankings with any ties reach a score, given values without ties, ascending."""
    untied = float(probabilities[values >= score * (1 - 1e-12)].sum())
    return Tail.between(untied, max(untied, majorant(values, probabilities, score * (1 - 1e-14))))


# -- sums of weights ---------------------------------------------------------------------------------------
def sum_tail(weights: FloatArray, sizes: IntArray, positives: int, observed: float) -> Tail:
    """Return the probability that the sum of P weights reaches what was observed."""
    if len(weights) <= MOST_GROUPS:  # beyond that, equal ones make no difference
        weights, back = np.unique(weights, return_inverse=True)
        sizes = np.bincount(back, sizes, minlength=len(weights)).astype(np.int64)
    total, tolerance = int(sizes.sum()), TOLERANCE * float(np.abs(weights).max()) * max(positives, 1)
    if len(weights) == 1 or positives in (0, total):
        return Tail.exactly(1.0)
    exact = _exact_tail(weights, sizes, positives, observed - tolerance)
    if exact is not None:
        return Tail.exactly(exact)
    best, log_probability = _largest_sum(weights, sizes, positives)
    if observed >= best - tolerance:
        return Tail.exactly(math.exp(log_probability))
    tail = saddlepoint_tail(weights, sizes, positives, observed)
    note = Reason.of("saddlepoint", percent=1 if len(weights) >= MANY_WEIGHTS else 10)
    return Tail(tail, tail, note, "estimated")


def _exact_tail(weights: FloatArray, sizes: IntArray, positives: int, wanted: float) -> float | None:
    """Return P(sum >= wanted) of distinct ascending weights; None where that takes long."""
    total, lightest = int(sizes.sum()), float(weights[0])
    if len(weights) == 2:
        least = math.ceil((wanted - positives * lightest) / (float(weights[1]) - lightest))
        return float(hg.tail_ge(least, total, int(sizes[1]), positives))
    if positives in (1, total - 1):
        sums = weights if positives == 1 else float((weights * sizes).sum()) - weights
        return float(sizes[sums >= wanted].sum()) / total
    listed = all_arrangements(sizes, positives, MOST_SUMS if len(sizes) <= FEW_WEIGHTS else MOST)
    if listed is not None:
        return float(listed[1][listed[0] @ weights >= wanted].sum())
    doubled = 2 * (weights - lightest)
    steps = np.minimum(sizes, positives).sum() * (positives + 1.0) * (positives * doubled.max() + 1)
    if steps > LATTICE_STEPS or (doubled != np.rint(doubled)).any():
        return None
    chances = lattice_sums(doubled.astype(np.int64), sizes, positives)
    return float(chances[math.ceil(2 * (wanted - positives * lightest)) :].sum())


def lattice_sums(weights: IntArray, sizes: IntArray, positives: int) -> FloatArray:
    """Return P(sum = s) for s = 0, 1, ... where P of the samples are chosen, whose weights are whole numbers.

    One group after the other: `ways[b, s]` in which b samples of the groups so far have the sum s.
    """
    ways = np.zeros((positives + 1, positives * int(weights.max()) + 1))
    ways[0, 0] = 1.0
    for weight, size in zip(weights.tolist(), sizes.tolist(), strict=True):
        more = ways.copy()
        for taken in range(1, min(size, positives) + 1):
            rest = ways[: positives + 1 - taken, : ways.shape[1] - taken * weight]
            more[taken:, taken * weight :] += float(math.comb(size, taken)) * rest
        ways = more
    return np.asarray(ways[positives] / float(math.comb(int(sizes.sum()), positives)))


def _largest_sum(weights: FloatArray, sizes: IntArray, positives: int) -> tuple[float, float]:
    """Return the largest sum, and the logarithm of its probability."""
    order = np.argsort(-weights, kind="stable")
    weights, sizes = weights[order], sizes[order]
    last = weights[int(np.searchsorted(np.cumsum(sizes), positives))]  # the lightest that is chosen
    above = weights > last
    equal, taken = int(sizes[weights == last].sum()), positives - int(sizes[above].sum())
    largest = float((weights * sizes)[above].sum()) + taken * float(last)
    return largest, log_arrangements(equal, taken) - log_arrangements(int(sizes.sum()), positives)


def _tilted(units: FloatArray, sizes: IntArray, positives: int, target: float) -> tuple[float, float, float]:
    """Return t, the least of sum log(1 + exp(s + t w)) - s P - t target, and its Hessian's determinant.

    Coins with log-odds s + t w then expect P heads and the target sum. By Newton's steps, halved until the
    convex function falls; the determinant is nan where they do not settle.
    """
    from scipy.special import expit

    wanted = np.array([float(positives), target])
    features = np.stack([np.ones_like(units), units])
    share = positives / int(sizes.sum())
    place = np.array([math.log(share / (1 - share)), 0.0])

    def value(place: FloatArray) -> float:
        return float(sizes @ np.logaddexp(0.0, place @ features) - place @ wanted)

    least = value(place)
    for _ in range(60):
        chance = expit(place @ features)
        gap = wanted - features @ (sizes * chance)
        hessian = (features * (sizes * chance * (1 - chance))) @ features.T
        determinant = float(np.linalg.det(hessian))
        off = float(np.abs(gap / np.sqrt(np.maximum(np.diag(hessian), 1e-300))).max())
        if off < 1e-10 or not determinant > 0:
            break
        step = np.linalg.solve(hessian, gap)
        step *= min(1.0, 100 / max(float(np.abs(step).max()), 1e-300))  # no leap to where values cancel
        while not value(place + step) <= least + 1e-12 * abs(least) and np.abs(step).max() > 1e-9:
            step /= 2
        place = place + step
        least = value(place)
    return float(place[1]), least, determinant if off <= 1e-6 else math.nan


def saddlepoint_tail(weights: FloatArray, sizes: IntArray, positives: int, observed: float) -> float:
    """Return about the probability that the sum reaches what was observed.

    The weights' indicators are independent coins, given that P of them fall on heads: the double saddlepoint
    of Skovgaard, with the second continuity correction where sums lie on a lattice, of multiples of one half.

    Skovgaard, J. Appl. Prob. 24, 1987; Robinson, J. R. Statist. Soc. B 44, 1982; Butler, Saddlepoint
    Approximations with Applications, 2007, section 4.2; Lugannani and Rice, Adv. Appl. Prob. 12, 1980.
    """
    from scipy.special import erfcx

    doubled = np.rint(2 * weights)
    span = (
        float(np.gcd.reduce(np.diff(doubled).astype(np.int64))) / 2 if (doubled == 2 * weights).all() else 0
    )
    if len(weights) > MOST_GROUPS:
        order = np.argsort(weights, kind="stable")
        starts = np.linspace(0, len(weights), MOST_GROUPS + 1).astype(np.int64)[:-1]
        merged = np.add.reduceat(sizes[order], starts)
        weights, sizes = np.add.reduceat((weights * sizes)[order], starts) / merged, merged
    total = int(sizes.sum())
    mean = float((weights * sizes).sum()) / total
    spread = math.sqrt(float(((weights - mean) ** 2 * sizes).sum()) / total)
    if not spread:
        return 1.0
    share = positives / total
    target = (observed - span / 2 - positives * mean) / spread
    z = target / math.sqrt(positives * (1 - share) * total / (total - 1))
    normal = 0.5 * math.erfc(z / math.sqrt(2))
    t, value, determinant = _tilted((weights - mean) / spread, sizes, positives, target)
    if abs(z) < 1e-4 or not determinant > 0:  # 0 / 0 at the mean
        return normal
    untilted = total * math.log1p(share / (1 - share)) - math.log(share / (1 - share)) * positives
    r = math.copysign(math.sqrt(max(2 * (untilted - value), 0.0)), t)
    step = 2 / (span / spread) * math.sinh(span / spread * t / 2) if span else t
    u = step * math.sqrt(determinant / (total * share * (1 - share)))
    density = math.exp(-r * r / 2) / math.sqrt(2 * math.pi)
    if r > 5:  # 1 / r nearly cancels the normal tail, of which Mills' ratio is known
        mills = math.sqrt(math.pi / 2) * float(erfcx(r / math.sqrt(2)))
        return max(density * (1 / u - (1 / r - mills)), 0.0)
    return min(max(0.5 * math.erfc(r / math.sqrt(2)) + density * (1 / u - 1 / r), 0.0), 1.0)


def chernoff_bound(weights: FloatArray, positives: int, observed: float) -> float:
    """Return an upper bound of the probability that the sum of P of these weights reaches what was observed.

    It holds for every way to average some of them, so for every pattern of ties of a measure whose ties are
    averaged: the minimum over z and t of exp(-t w) z**-P prod(1 + z exp(t c)) / C(M, P) (Chernoff, Annals of
    Mathematical Statistics 23(4), 1952).
    """
    total = len(weights)
    mean, spread = float(weights.mean()), float(weights.std())
    if not spread or not 0 < positives < total or observed <= positives * mean:
        return 1.0
    target = (observed - positives * mean) / spread
    t, value, _ = _tilted((weights - mean) / spread, np.ones(total, dtype=np.int64), positives, target)
    return math.exp(min(0.0, value - log_arrangements(total, positives))) if t >= 0 else 1.0
