"""Problems that test their scores one by one, and what such a test is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import FloatArray
from clearbar.problems._protocol import Bar, Method, Problem, Tail
from clearbar.problems.bootstrap import at_least_as_good
from clearbar.problems.groups import Groups


class Test(Protocol):
    """What is known of one true score."""

    def tail(self, bar: float) -> Tail:
        """Return how surprising the score is if the true one is the bar, two-sided."""
        ...

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the true scores that are not refuted, within the bounds of the measure."""
        ...


@dataclass(frozen=True)
class NotTested:
    """Nothing is known of a true score; the note says why."""

    note: str

    def tail(self, bar: float) -> Tail:  # noqa: ARG002
        """Return nan."""
        return Tail(math.nan, math.nan, self.note)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        """Return nan twice."""
        return math.nan, math.nan


class Drawn(Protocol):
    """Resamples of one score; `unknown` says why they tell nothing, and is empty if they do."""

    @property
    def unknown(self) -> str: ...
    @property
    def method(self) -> Method: ...
    @property
    def draws(self) -> int: ...
    def p_value(self, bar: float) -> float: ...
    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]: ...


@dataclass(frozen=True, eq=False)
class Resampled:
    """What resamples tell of a true score, and a note that says what was drawn anew."""

    drawn: Drawn
    note: str

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value."""
        if self.drawn.unknown:
            return Tail(math.nan, math.nan, f"p_value is not known: {self.drawn.unknown}")
        p_value = self.drawn.p_value(bar)
        return Tail(p_value, p_value, self.note, self.drawn.method, self.drawn.draws)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted."""
        return self.drawn.interval(level, bounds)


class TestedProblem(Problem):
    """A problem of which a kind brings the tests of single scores, and the tails of permuted labels."""

    def tests(self, measures: Sequence[Any], model: int, group: int) -> Sequence[Test]:
        """Return the test of each measure of one model in one group, all from the same resamples."""
        raise NotImplementedError

    def chances(self, measures: Sequence[Any], scores: FloatArray, model: int, group: int) -> Sequence[Tail]:
        """Return for each measure how likely labels in random order score as well, in one group."""
        raise NotImplementedError

    def clusters_in(self, group: int) -> Groups | None:
        """Return what belongs together in a group; None where samples are independent."""
        clusters, rows = getattr(self, "clusters", None), getattr(self, "rows", ())
        return None if clusters is None else Groups.of(clusters[rows[group]])

    def _cells(self, what: str) -> Iterator[tuple[int, int]]:
        cells = list(np.ndindex(len(self.models), len(self.groups)))
        return tracked(cells, len(cells), lambda _: 1, what)

    def at_the_bar(self, measures: Sequence[Any], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return how surprising the scores are if a model's true score is the bar, two-sided."""
        of_groups = [np.broadcast_to(bar.value, len(self.groups)) for bar in bars]

        def cells() -> Iterator[tuple[tuple[int, int, int], Tail]]:
            for model, group in self._cells("intervals"):
                values = np.array([value[group] for value in of_groups], dtype=np.float64)
                judged = np.flatnonzero(~np.isnan(scores[model, group] + values)).tolist()
                tests = self.tests([measures[at] for at in judged], model, group) if judged else ()
                for at, test in zip(judged, tests, strict=True):
                    yield (model, group, at), test.tail(float(values[at]))

        return Tail.gathered(scores.shape, cells())

    def intervals(self, measures: Sequence[Any], level: float) -> list[tuple[float, float]]:
        """Return the scores that these tests do not refute, of one model in one group."""
        tests = self.tests(measures, 0, 0)
        return [test.interval(level, measure.bounds) for test, measure in zip(tests, measures, strict=True)]

    def blind(self, measures: Sequence[Any], scores: FloatArray) -> Tail:
        """Return how likely labels in random order score as well, or as the mean over runs."""
        means = scores.mean(axis=-1) if self.has_runs else scores
        cells = (
            ((model, group, at), tail)
            for model, group in self._cells("permutations")
            for at, tail in enumerate(self.chances(measures, means[model, group], model, group))
        )
        return Tail.gathered(means.shape, cells)


def not_permuted(why: str) -> Tail:
    """Say that it is not known how well labels in random order do."""
    return Tail(math.nan, math.nan, f"p_value_blind is not known: {why}")


def tails_of_permuted(
    measures: Sequence[Any],
    values: Iterable[FloatArray],
    scores: FloatArray,
    note: str,
    *,
    every: bool = False,
) -> list[Tail]:
    """Return (b + 1)/(B + 1) of values of labels in random order, an array of them for each measure.

    It is the share of all orders, and exact, where `every` other order was looked at.
    """
    tails = []
    for measure, own, score in zip(measures, values, scores.tolist(), strict=True):
        if math.isnan(score) or measure.greater_is_better is None:
            tails.append(Tail(math.nan, math.nan))
            continue
        share = at_least_as_good(own, score, greater_is_better=bool(measure.greater_is_better))
        tails.append(Tail.exactly(share) if every else Tail.permuted(share, len(own), note))
    return tails
