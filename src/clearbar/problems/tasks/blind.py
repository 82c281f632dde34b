"""How likely answers that know nothing of the questions do as well.

Where the options of a task are called by their positions, or its questions are open, the right answers are
put in random order, among items with as many options, given how often a model said what: that is valid
against every answer that ignores the questions. Options that are called by their text are each right with
the same chance. Where a model's answers are not known, or were taken for right though they are called
otherwise, what holds for the best blind answers is an upper bound; where right answers are known only of
items that some model got right, so is what is right if all others asked for what a model says most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.data.tasks import Task
from clearbar.inference.binomial import log_pmf
from clearbar.inference.permutation import agreement
from clearbar.problems._protocol import Tail
from clearbar.problems.bootstrap import CELLS, RESAMPLES, portions
from clearbar.problems.groups import FEWEST, Groups, test_of_groups
from clearbar.problems.multiclass._joint import law_of_right
from clearbar.problems.multiclass.blind import BOUNDED, LARGEST_EXACT, bound_of_sum

MOST_OPTIONS_EXACT = 5_000
"""Items whose options are called by text up to which that law is summed."""

MOST_OUTCOMES = 100_000
"""Outcomes of several tasks together up to which all are looked at."""

MOST_DEALT = 8
"""Different right answers up to which their random order is drawn as numbers, not item by item."""

SEED = 20_261_123

PERMUTED = "p_value_blind is from up to 9,999 random orders of the right answers of each task"
OF_GROUPS = (
    "p_value_blind is from whole clusters of right answers that trade places with others of their size"
)
ONE_RIGHT = f"{BOUNDED}, if each item has one right answer"
UNKNOWN = Tail(math.nan, math.nan, "p_value_blind is not known: a task has no bar")


class Blind:
    """The laws of how many items are right by chance, of one model in some tasks."""

    def __init__(self, tasks: Sequence[Task], model: int, seed: int = 0) -> None:
        self.tasks, self.model, self.seed = tasks, model, seed
        self.hits = np.array([np.count_nonzero(task.right[model]) for task in tasks])
        self.means = [self._mean(task) for task in tasks]

    def tail(self, slope: FloatArray) -> Tail:
        """Return how likely a sum of shares, each taken so many times, is at least as large."""
        if any(mean is None for mean in self.means) or np.isnan(slope).any():
            return UNKNOWN
        sizes = np.array([len(task) for task in self.tasks])
        weights = slope / sizes
        if any(task.clusters is not None for task in self.tasks):
            return self._estimated(weights, OF_GROUPS)
        exact = self._exactly(weights)
        if exact is not None:
            return Tail.exactly(exact)
        bound = self._bound(weights)
        if bound * (RESAMPLES + 1) > 1 and all(_has_law(task, self.model) for task in self.tasks):
            estimate = self._estimated(weights, PERMUTED)
            if estimate.upper <= bound:
                return estimate
        if any(task.most_by_chance is not None for task in self.tasks):
            return Tail(bound, 0.0, ONE_RIGHT, "estimated")
        return Tail.between(0.0, bound, BOUNDED)

    def _mean(self, task: Task) -> float | None:
        """Return how many items are right by chance on average; at most, where answers are not known."""
        if task.kind == "unlettered":
            return float((1 / _choices(task, self.model)).sum())
        if task.best is None:
            return None
        if task.known[self.model]:
            return sum(_expected(*stratum) for stratum in _strata(task, self.model))
        return float(task.best.right if task.most_by_chance is None else task.most_by_chance[self.model])

    def _exactly(self, weights: FloatArray) -> float | None:
        """Return the probability, if all tasks together have few outcomes."""
        outcomes = math.prod(len(task) + 1 for task in self.tasks)
        if len(self.tasks) > 1 and outcomes > MOST_OUTCOMES:
            return None
        sums, chances = np.zeros(1), np.ones(1)
        for weight, task in zip(weights, self.tasks, strict=True):
            law = _law(task, self.model)
            if law is None:
                return None
            sums = np.add.outer(sums, weight * np.arange(len(law))).ravel()
            chances = np.multiply.outer(chances, law).ravel()
        return float(chances[sums >= self._goal(weights)].sum())

    def _goal(self, weights: FloatArray) -> float:
        score = float(weights @ self.hits)
        return score - 1e-12 * max(1.0, abs(score))

    def _bound(self, weights: FloatArray) -> float:
        """Return what the probability does not exceed: blocks that are independent add up."""
        shares = weights / weights.max()
        mean = float(shares @ np.array(self.means, dtype=np.float64))
        return bound_of_sum(float(shares @ self.hits), mean)

    def _estimated(self, weights: FloatArray, note: str) -> Tail:
        """Return (b + 1)/(B + 1) over random orders of the right answers."""
        number = sum(portions(int(sum(map(len, self.tasks)))))
        generator = np.random.default_rng(SEED + self.seed)
        drawn = [_drawn(task, self.model, number, generator) for task in self.tasks]
        sums = weights @ np.stack(drawn)
        share = (np.count_nonzero(sums >= self._goal(weights)) + 1) / (number + 1)
        return Tail.permuted(float(share), number, note)


def why_unknown(task: Task, model: int) -> str:
    """Say why nothing is known of blind answers to items of which some belong together; empty where it is."""
    if task.clusters is not None and Groups.of(task.clusters).too_few:
        return f"task {task.name!r} has fewer than {FEWEST} clusters"
    return "" if _has_law(task, model) else f"the answers to {task.name!r} are not known"


def can_trade(task: Task) -> bool:
    """Whether right answers of whole clusters can trade places with others of their size."""
    if task.clusters is None:
        return True
    options = np.asarray(task.options)
    if task.gold is None or (task.kind == "lettered" and (options != options[0]).any()):
        return False
    return not Groups.of(task.clusters).unmoved


def test_of_clusters(tasks: Sequence[Task], model: int, slope: FloatArray) -> Tail:
    """Return the t-test of what clusters add to a sum of shares beyond what chance explains."""
    if np.isnan(slope).any():
        return UNKNOWN
    contributions, sizes = [], []
    for task, times in zip(tasks, slope.tolist(), strict=True):
        groups = Groups(np.arange(len(task))) if task.clusters is None else Groups.of(task.clusters)
        contributions.append(times / len(task) * groups.sums(_beyond_chance(task, model)))
        sizes.append(times / len(task) * groups.sizes)
    found = test_of_groups(np.concatenate(contributions), np.concatenate(sizes))
    if any(task.kind != "unlettered" for task in tasks):
        return found
    # Each cluster is by chance as right as these with at most chance / share (Markov), however its items hang
    # together; where three trials name three of four options, one of them is right in three clusters of four.
    shares = np.array([task.right[model].mean() for task in tasks])
    by_chance = np.array([(1 / _choices(task, model)).mean() for task in tasks])
    ratio = float(slope @ by_chance) / max(float(slope @ shares), math.ulp(0.0))
    p_value = max(found.upper, min(1.0, ratio) ** sum(map(len, contributions)))
    return found._replace(upper=p_value, lower=p_value)


def _beyond_chance(task: Task, model: int) -> FloatArray:
    """Return what each item adds to the right answers beyond chance, among those with as many options."""
    if task.kind == "unlettered":
        return np.asarray(task.right[model] - 1 / _choices(task, model), dtype=np.float64)
    added = np.zeros(len(task))
    strata = np.asarray(task.options) if task.kind == "lettered" else np.zeros(len(task), dtype=np.int64)
    for number, (gold, said) in zip(np.unique(strata), _strata(task, model), strict=True):
        never = int(max(gold.max(), said.max())) + 1
        added[strata == number] = agreement(gold, np.where(said < 0, never, said)[None], never + 1)
    return added


def _has_law(task: Task, model: int) -> bool:
    return task.kind == "unlettered" or bool(task.known[model])


def _choices(task: Task, model: int) -> IntArray:
    """Return of how many options each item's answer is one; 1 where the likelihoods are tied.

    The harness then takes the first option, and which one stands first is not by chance: such an item counts
    as right.
    """
    return np.where(task.tied[model], 1, np.asarray(task.options))


Stratum = tuple[IntArray, IntArray]
"""Right answers and a model's, of items with as many options."""


def _strata(task: Task, model: int) -> Iterator[Stratum]:
    gold, said = np.asarray(task.gold), np.asarray(task.answers)[model]
    if task.kind != "lettered":
        yield gold, said
        return
    options = np.asarray(task.options)
    for number in np.unique(options):
        here = options == number
        yield gold[here], said[here]


def _margins(gold: IntArray, said: IntArray) -> tuple[IntArray, IntArray]:
    """Return how often each answer is right, and how often it was said; what is never right comes last."""
    size = int(max(gold.max(), said.max())) + 1
    sizes = np.bincount(gold, minlength=size + 1)
    said_often = np.bincount(np.where(said < 0, size, said), minlength=size + 1)
    return sizes, said_often


def _expected(gold: IntArray, said: IntArray) -> float:
    sizes, said_often = _margins(gold, said)
    return float(sizes @ said_often) / len(gold)


def _law(task: Task, model: int) -> FloatArray | None:
    """Return the probabilities that 0, 1, ... items are right by chance; None where that is too long."""
    if task.kind == "unlettered":
        numbers, counts = np.unique(_choices(task, model), return_counts=True)
        if len(task) > MOST_OPTIONS_EXACT:
            return None
        parts = [_binomial(int(n), 1 / int(o)) for o, n in zip(numbers, counts, strict=True)]
        return reduce(np.convolve, parts)
    if not task.known[model]:
        return None
    laws = []
    for gold, said in _strata(task, model):
        if len(gold) > LARGEST_EXACT:
            return None
        sizes, said_often = _margins(gold, said)
        part = (sizes > 0) | (said_often > 0)
        laws.append(_in_random_order(tuple(sizes[part].tolist()), tuple(said_often[part].tolist())))
    return reduce(np.convolve, laws)


def _binomial(number: int, chance: float) -> FloatArray:
    if chance == 1:
        return np.asarray(np.eye(1, number + 1, number)[0])
    return np.asarray(np.exp(log_pmf(np.arange(number + 1.0), np.full(1, float(number)), np.full(1, chance))))


@lru_cache(maxsize=4096)
def _in_random_order(sizes: tuple[int, ...], said: tuple[int, ...]) -> FloatArray:
    return np.array([float(chance) for chance in law_of_right(sizes, said)])


def _drawn(task: Task, model: int, number: int, generator: np.random.Generator) -> FloatArray:
    """Return how many items are right by chance, so many times."""
    if task.kind == "unlettered":
        numbers, counts = np.unique(_choices(task, model), return_counts=True)
        return np.asarray(generator.binomial(counts, 1 / numbers, size=(number, len(counts))).sum(axis=1))
    if task.clusters is not None:
        traded = Groups.of(task.clusters).permuted(np.asarray(task.gold), generator)
        parts = [np.count_nonzero(order == np.asarray(task.answers)[model], axis=1) for order in traded]
        return np.concatenate(parts)[:number].astype(np.float64)
    hits = np.zeros(number)
    for gold, said in _strata(task, model):
        sizes, said_often = _margins(gold, said)
        few = np.count_nonzero(sizes) <= MOST_DEALT
        hits += (
            _dealt(sizes, said_often, number, generator) if few else _shuffled(gold, said, number, generator)
        )
    return hits


def _shuffled(gold: IntArray, said: IntArray, number: int, generator: np.random.Generator) -> FloatArray:
    """Return how many right answers, in random order, meet what was said."""
    rows = max(1, CELLS // len(gold))
    parts = []
    for first in range(0, number, rows):
        orders = np.broadcast_to(gold, (min(rows, number - first), len(gold)))
        parts.append(np.count_nonzero(generator.permuted(orders, axis=1) == said, axis=1))
    return np.concatenate(parts).astype(np.float64)


def _dealt(sizes: IntArray, said_often: IntArray, number: int, generator: np.random.Generator) -> FloatArray:
    """Return the same of few different answers, which are dealt out one by one."""
    involved = sizes > 0
    left = np.broadcast_to(sizes[involved], (number, int(np.count_nonzero(involved)))).copy()
    hits = np.zeros(number)
    for at, times in enumerate(said_often[involved].tolist()):
        if times:
            dealt = _hand(left, times, generator)
            hits += dealt[:, at]
            left -= dealt
    return hits


def _hand(left: IntArray, times: int, generator: np.random.Generator) -> IntArray:
    """Draw so many from what is left of each kind: multivariate hypergeometric, a line per hand."""
    rest, to_draw = left.sum(axis=1), np.full(len(left), times, dtype=np.int64)
    drawn = np.zeros_like(left)
    for kind in range(left.shape[1]):
        rest = rest - left[:, kind]
        drawn[:, kind] = generator.hypergeometric(left[:, kind], rest, to_draw)
        to_draw = to_draw - drawn[:, kind]
        if not to_draw.any():
            break
    return drawn
