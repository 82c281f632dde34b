"""P-values of answers that know nothing of the questions: how often they do at least as well.

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
from functools import cached_property, lru_cache, reduce

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.data.tasks import Task
from clearbar.inference import Tail
from clearbar.inference.binomial import log_pmf
from clearbar.inference.permutation import agreement, group_tail, traded
from clearbar.inference.units import CELLS, FEWEST, RESAMPLES, Groups, number_of_draws
from clearbar.problems.multiclass.exact import LARGEST_EXACT
from clearbar.problems.multiclass.joint import law_of_right
from clearbar.problems.multiclass.units import bound_of_sum

MOST_OPTIONS_EXACT = 5_000  # items whose options are called by text up to which that distribution is summed
MOST_OUTCOMES = 100_000  # outcomes of several tasks together up to which all are looked at

SEED = 20_261_123

UNKNOWN = Tail(math.nan, math.nan, Reason.of("p_value_blind_unknown", why=Reason("no_task_bar")))


class Blind:
    """The distributions of how many items are right by chance, of one model in some tasks."""

    def __init__(self, tasks: Sequence[Task], model: int, seed: int = 0) -> None:
        self.tasks, self.model, self.seed = tasks, model, seed
        self.hits = np.array([float(task.right[model].sum()) for task in tasks])
        self.means = [self._mean(task) for task in tasks]

    def tail(self, slope: FloatArray) -> Tail:
        """Return how likely a sum of shares, each taken so many times, is at least as large."""
        if any(mean is None for mean in self.means) or np.isnan(slope).any():
            return UNKNOWN
        weights = slope / [len(task) for task in self.tasks]
        if any(task.clusters is not None for task in self.tasks):
            return self._estimated(weights, "permutations", "whole clusters of right answers")
        if self._outcomes is not None:
            sums = reduce(np.add.outer, (weight * np.arange(len(pmf)) for weight, pmf in
                                         zip(weights, self._outcomes, strict=True)))  # fmt: skip
            chances = reduce(np.multiply.outer, self._outcomes)
            return Tail.exactly(chances[sums >= self._goal(weights)].sum())
        bound = self._bound(weights)
        answers_known = all(_is_known(task, self.model) and task.chance is None for task in self.tasks)
        if bound * (RESAMPLES + 1) > 1 and answers_known:
            estimate = self._estimated(weights, "up_to_permutations", "the right answers of each task")
            if estimate.upper <= bound:
                return estimate
        if any(task.most_by_chance is not None for task in self.tasks):
            return Tail(bound, 0.0, Reason("chatterjee_one_right"), "estimated")
        return Tail.between(0.0, bound, Reason("chatterjee"))

    def _mean(self, task: Task) -> float | None:
        """Return how many items are right by chance on average; at most, where answers are not known."""
        if task.chance is not None:
            return task.chance * len(task)
        if task.kind == "unlettered":
            return float((1 / _choices(task, self.model)).sum())
        if task.best is None:
            return None
        if task.known[self.model]:
            return sum(_expected(*stratum) for stratum in _strata(task, self.model))
        return float(task.best.right if task.most_by_chance is None else task.most_by_chance[self.model])

    @cached_property
    def _outcomes(self) -> list[FloatArray] | None:
        """The probabilities of each number of right items of each task, if all have few outcomes together."""
        if len(self.tasks) > 1 and math.prod(len(task) + 1 for task in self.tasks) > MOST_OUTCOMES:
            return None
        outcomes = [_pmf(task, self.model) for task in self.tasks]
        return None if any(pmf is None for pmf in outcomes) else [pmf for pmf in outcomes if pmf is not None]

    def _goal(self, weights: FloatArray) -> float:
        score = float(weights @ self.hits)
        return score - 1e-12 * max(1.0, abs(score))

    def _bound(self, weights: FloatArray) -> float:
        """Return what the probability does not exceed: blocks that are independent add up."""
        shares = weights / weights.max()
        mean = float(shares @ np.array(self.means, dtype=np.float64))
        return bound_of_sum(float(shares @ self.hits), mean)

    def _estimated(self, weights: FloatArray, code: str, what: str) -> Tail:
        """Return (b + 1)/(B + 1) over random orders of the right answers."""
        number = len(self._drawn)
        reached = np.count_nonzero(self._drawn @ weights >= self._goal(weights))
        return Tail.permuted((reached + 1) / (number + 1), number, Reason.of(code, draws=number, what=what))

    @cached_property
    def _drawn(self) -> FloatArray:
        """Numbers of right items in random orders, (orders, tasks)."""
        number = number_of_draws(sum(map(len, self.tasks)))
        generator = np.random.default_rng(SEED + self.seed)
        hits = [right_by_chance(task, [self.model], number, generator)[:, 0] for task in self.tasks]
        return np.stack(hits, axis=1)


def blind_tail(tasks: Sequence[Task], model: int, slopes: Sequence[FloatArray], seed: int) -> list[Tail]:
    """Return for each sum of shares how likely blind answers do as well."""
    if any(task.clusters is not None for task in tasks):
        unknown = next((why for task in tasks if (why := _why_unknown(task, model))), None)
        if unknown is not None:
            nothing = Reason.of("p_value_blind_unknown", why=unknown)
            return [Tail(math.nan, math.nan, nothing)] * len(slopes)
        if not all(map(_can_trade, tasks)):
            return [_test_of_clusters(tasks, model, slope) for slope in slopes]
    blind = Blind(tasks, model, seed)
    return [blind.tail(slope) for slope in slopes]


def _why_unknown(task: Task, model: int) -> Reason | None:
    if task.clusters is not None and Groups.of(task.clusters).too_few:
        return Reason.of("too_few_clusters", task=task.name, least=FEWEST)
    return None if _is_known(task, model) else Reason.of("answers_unknown", task=task.name)


def _can_trade(task: Task) -> bool:
    """Whether right answers of whole clusters can trade places with others of their size."""
    if task.clusters is None:
        return True
    options = np.asarray(task.options)
    if task.gold is None or (task.kind == "lettered" and (options != options[0]).any()):
        return False
    return not Groups.of(task.clusters).not_permutable


def _test_of_clusters(tasks: Sequence[Task], model: int, slope: FloatArray) -> Tail:
    """Return the t-test of what clusters add to a sum of shares beyond what chance explains."""
    if np.isnan(slope).any():
        return UNKNOWN
    contributions, sizes = [], []
    for task, times in zip(tasks, slope.tolist(), strict=True):
        groups = Groups(np.arange(len(task))) if task.clusters is None else Groups.of(task.clusters)
        contributions.append(times / len(task) * groups.sums(_beyond_chance(task, model)))
        sizes.append(times / len(task) * groups.sizes)
    tail = group_tail(np.concatenate(contributions), np.concatenate(sizes))
    if any(task.kind != "unlettered" for task in tasks):
        return tail
    # Each cluster is by chance as right as these with at most chance / share (Markov), however its items hang
    # together; where three trials name three of four options, one of them is right in three clusters of four.
    shares = np.array([task.right[model].mean() for task in tasks])
    by_chance = np.array([(1 / _choices(task, model)).mean() for task in tasks])
    ratio = float(slope @ by_chance) / max(float(slope @ shares), math.ulp(0.0))
    p_value = max(tail.upper, min(1.0, ratio) ** sum(map(len, contributions)))
    return tail._replace(upper=p_value, lower=p_value)


def _beyond_chance(task: Task, model: int) -> FloatArray:
    """Return what each item adds to the right answers beyond chance, among those with as many options."""
    if task.chance is not None:
        return np.asarray(task.right[model] - task.chance, dtype=np.float64)
    if task.kind == "unlettered":
        return np.asarray(task.right[model] - 1 / _choices(task, model), dtype=np.float64)
    added = np.zeros(len(task))
    for rows, (gold, said) in zip(_by_options(task), _strata(task, model), strict=True):
        never = int(max(gold.max(), said.max())) + 1
        added[rows] = agreement(gold, np.where(said < 0, never, said)[None], never + 1)
    return added


def _is_known(task: Task, model: int) -> bool:
    return task.chance is not None or task.kind == "unlettered" or bool(task.known[model])


def _choices(task: Task, model: int) -> IntArray:
    """Return of how many options each item's answer is one; 1 where the likelihoods are tied."""
    # The harness then takes the first option, and which one stands first is not by chance: such an item
    # counts as right.
    return np.where(task.tied[model], 1, np.asarray(task.options))


def _by_options(task: Task) -> list[IntArray]:
    """Return the items with as many options, where positions are answered; else all together."""
    if task.kind != "lettered":
        return [np.arange(len(task))]
    options = np.asarray(task.options)
    return [np.flatnonzero(options == number) for number in np.unique(options)]


def _strata(task: Task, model: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield right answers and a model's, of items with as many options."""
    gold, said = np.asarray(task.gold), np.asarray(task.answers)[model]
    for rows in _by_options(task):
        yield gold[rows], said[rows]


def _margins(gold: IntArray, said: IntArray) -> tuple[IntArray, IntArray]:
    """Return how often each answer is right, and how often it was said; what is never right comes last."""
    size = int(max(gold.max(), said.max())) + 1
    sizes = np.bincount(gold, minlength=size + 1)
    said_often = np.bincount(np.where(said < 0, size, said), minlength=size + 1)
    return sizes, said_often


def _expected(gold: IntArray, said: IntArray) -> float:
    sizes, said_often = _margins(gold, said)
    return float(sizes @ said_often) / len(gold)


def _pmf(task: Task, model: int) -> FloatArray | None:
    """Return the probabilities that 0, 1, ... items are right by chance; None where that is too long."""
    if not _is_known(task, model):
        return None
    if task.chance is not None:
        return _binomial(task, task.chance)
    if task.kind == "unlettered":
        if len(task) > MOST_OPTIONS_EXACT:
            return None
        options, items = np.unique(_choices(task, model), return_counts=True)
        right = [np.arange(number + 1.0) for number in items.tolist()]
        return reduce(np.convolve, [
            np.exp(log_pmf(hits, np.full_like(hits, len(hits) - 1), np.full_like(hits, 1 / number)))
            for hits, number in zip(right, options.tolist(), strict=True)
        ])  # fmt: skip
    parts = []
    for gold, said in _strata(task, model):
        if len(gold) > LARGEST_EXACT:
            return None
        sizes, said_often = _margins(gold, said)
        present = (sizes > 0) | (said_often > 0)
        parts.append(_in_random_order(tuple(sizes[present].tolist()), tuple(said_often[present].tolist())))
    return reduce(np.convolve, parts)


def _binomial(task: Task, chance: float) -> FloatArray | None:
    """Return the distribution of right items with a named chance; None where there is partial credit."""
    hits = np.arange(len(task) + 1.0)
    logs = log_pmf(hits, np.full_like(hits, len(task)), np.full_like(hits, chance))
    return np.asarray(np.exp(logs)) if task.right_or_wrong else None


@lru_cache(maxsize=4096)
def _in_random_order(sizes: tuple[int, ...], said: tuple[int, ...]) -> FloatArray:
    return np.array([float(chance) for chance in law_of_right(sizes, said)])


def shares_by_chance(tasks: Sequence[Task], seed: int) -> FloatArray:
    """Return shares of right items of shape (permutations, models, tasks), one order for all models."""
    # Models that answer alike are right alike: the best of them is hardly better than one.
    for task in tasks:
        _refuse_unknown(task)
    generator, models = np.random.default_rng(SEED + seed), list(range(len(tasks[0].right)))
    number = number_of_draws(len(models) * sum(map(len, tasks)))
    drawn = [right_by_chance(task, models, number, generator) / len(task) for task in tasks]
    return np.stack(drawn, axis=-1)


def right_by_chance(
    task: Task, models: Sequence[int], number: int, generator: np.random.Generator
) -> FloatArray:
    """Return how many items are right, right answers in random order: (permutations, models)."""
    if task.kind == "unlettered" and len(models) == 1 and task.clusters is None:
        options, counts = np.unique(_choices(task, models[0]), return_counts=True)
        drawn = generator.binomial(counts, 1 / options, size=(number, len(counts)))
        return np.asarray(drawn.sum(axis=1, keepdims=True), dtype=np.float64)
    if task.kind != "unlettered" and len(models) == 1 and task.clusters is None:
        strata = list(_strata(task, models[0]))
        if all(_cells(*stratum) * COST_OF_CELL < len(stratum[0]) for stratum in strata):
            right = [_right_in_tables(*_margins(*stratum), number, generator) for stratum in strata]
            return np.asarray(np.stack(right).sum(axis=0)[:, None], dtype=np.float64)
    answers, rows = np.asarray(task.answers), max(1, CELLS // len(task))
    groups = None if task.clusters is None else Groups.of(task.clusters)
    parts: list[FloatArray] = []
    while sum(map(len, parts)) < number:
        parts += [
            np.stack([(gold == answers[model]).sum(axis=1) for model in models], axis=1)
            for gold in _orders(task, min(rows, number), groups, generator)
        ]
    return np.concatenate(parts)[:number].astype(np.float64)


COST_OF_CELL = 20  # drawing a cell of a table takes as long as putting so many items in order


def _cells(gold: IntArray, said: IntArray) -> int:
    sizes, said_often = _margins(gold, said)
    return int(np.count_nonzero(sizes) * np.count_nonzero(said_often))


def _right_in_tables(
    sizes: IntArray, said_often: IntArray, number: int, generator: np.random.Generator
) -> IntArray:
    """Return how many items are right, drawn as tables with these margins, one cell after the other."""
    left = np.repeat(sizes[None], number, axis=0)
    right = np.zeros(number, dtype=np.int64)
    for answer in np.flatnonzero(said_often):
        to_draw, others = np.full(number, said_often[answer]), left.sum(axis=1)
        for gold in np.flatnonzero(sizes):
            others -= left[:, gold]
            drawn = generator.hypergeometric(left[:, gold], others, to_draw)
            left[:, gold] -= drawn
            to_draw -= drawn
            if gold == answer:
                right += drawn
    return right


def _orders(
    task: Task, rows: int, groups: Groups | None, generator: np.random.Generator
) -> Iterator[IntArray]:
    """Yield right answers in random order, (permutations, items); of options called by texts any one."""
    if task.kind == "unlettered":
        options = np.asarray(task.options)
        if groups is None:
            yield generator.integers(options, size=(rows, len(task)))
        else:  # the same option is right throughout a cluster
            yield (generator.random((rows, len(groups)))[:, groups.codes] * options).astype(np.int64)
        return
    gold = np.asarray(task.gold)
    if groups is not None:
        for order in traded(groups, np.arange(len(gold)), generator):
            yield gold[order]
        return
    orders = np.repeat(gold[None], rows, axis=0)
    for items in _by_options(task):
        orders[:, items] = generator.permuted(orders[:, items], axis=1)
    yield orders


def _refuse_unknown(task: Task) -> None:
    """Raise where right answers cannot be put in random order for all models together."""
    if task.answers is None or (task.kind != "unlettered" and not task.known.all()):
        lacking = f"not all answers to task {task.name!r} are known"
        if task.gold is None and task.kind != "unlettered":
            lacking = f"the right answers to all items of task {task.name!r} are not known"
        raise ValueError(
            f"best_of puts right answers in random order, and {lacking}; judge the others "
            f"without it, in logs by kind={{{task.name!r}: 'none'}}, which takes it out of the mean."
        )
    if task.clusters is None or task.kind == "unlettered":
        return
    options, groups = np.asarray(task.options), Groups.of(task.clusters)
    mixed = task.kind == "lettered" and (options != options[0]).any()
    why = "items have different numbers of options" if mixed else groups.why_fixed(np.asarray(task.gold))
    if why:
        raise ValueError(f"right answers of task {task.name!r} cannot be put in random order: {why}.")
