"""One verdict: a model, a measure, its bar, and a sentence."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from clearbar.core._value import Value
from clearbar.core.counts import Counts
from clearbar.formatting import (
    MISSING,
    TELLS,
    number,
    p_phrase,
    p_value_text,
    shorten,
    signed,
    visible,
    whole_percent,
)
from clearbar.problems._protocol import Bar, Judged, Method, Problem
from clearbar.verdict._bound import is_bound

MOST_WIDE = 60
"""Columns that a name takes up in a sentence."""

Outcome = Literal["undefined", "unbeatable", "ties", "clears", "fails"]

UNJUDGED = ("undefined", "unbeatable")
"""Outcomes that tell nothing of a model: no value, or a bar that cannot be beaten."""

TOGETHER = 12
"""Intervals that are found together: they share the work."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of one model in one group, found when one is first read; nan where a measure is None."""

    problem: Problem
    measures: Sequence[Judged | None]
    level: float
    known: dict[int, tuple[float, float]] = field(default_factory=dict)

    def __getitem__(self, number: int) -> tuple[float, float]:
        """Return `low` and `high` of a measure."""
        if number not in self.known:
            first = number - number % TOGETHER
            block = dict(enumerate(self.measures[first : first + TOGETHER], first))
            self.known.update(dict.fromkeys(block, (math.nan, math.nan)))
            judged = {at: measure for at, measure in block.items() if measure is not None}
            ends = self.problem.intervals([*judged.values()], self.level) if judged else []
            self.known.update(zip(judged, ends, strict=True))
        return self.known[number]


@dataclass(frozen=True, eq=False)
class Verdict(Value):
    """Whether a score clears its bar, by how much, and how surely.

    Attributes
    ----------
    model : str
        Name of the model.
    group : object
        The slice; None for all samples.
    measure : Measure
        What is evaluated.
    counts : Counts or None
        What happened; None for a bare score and for measures of scores.
    score : float
        The model's score; the mean over runs where there are several.
    baseline : Baseline
        The bar, on this population; of another kind of problem, what stands there for it.
    best_possible, worst_draw : float
        The score of perfect predictions; the worst expected score of any draw.
    skill : float
        0 at the bar, 1 at the best possible score, -1 at the worst draw.
    low, high : float
        The confidence interval of the model's true score.
    p_value : float
        How surprising the score is if the model's true score is the bar; two-sided. Of a measure whose
        expectation depends on the number of samples (average precision, KS, the best of all thresholds) it
        is 1 below the bar.
    p_value_blind : float
        How likely labels in random order score at least as well, given how many samples were predicted
        positive; where that is not known, the largest probability over all numbers. An x/0 outcome on the
        better side counts as reaching the score, which can only make it larger. Of several runs, or with
        clusters, from permutations of the labels, seeded: all runs together, labels of whole groups. Where
        sizes of clusters hardly repeat, a t-test of what they add to the agreement, for all measures alike.
    p_sure : float
        The larger of the two; nan where one is not known. Where the interval holds a bar that is refuted
        itself, as p jumps from bar to bar, it is that of the worse bar within it that is refuted least.
    p_corrected : float
        The larger of the two for a score above its bar, else 1; corrected for the models (Holm) or the
        slices (Benjamini and Hochberg) that were judged together.
    sure : bool
        Whether the score clears its bar and `p_corrected` is at most 1 - `confidence_level`.
    outcome : {"undefined", "unbeatable", "ties", "clears", "fails"}
        Only "clears" clears.
    reason : str
        Why a number is missing or only bounded; empty otherwise.
    runs : int
        Number of runs of the model.
    score_sd, share_clearing : float
        Standard deviation of the score over runs, and the share of runs that clear the bar.
    has_p_values : bool
        Whether p-values were asked for (``intervals=False`` leaves them out). Where they were and neither
        is known, nothing is sure.
    p_method, interval_method, p_blind_method : str
        How `p_value`, the interval and `p_value_blind` were found: "exact", "estimated", "bootstrap",
        "permutation", "t", "delong", "normal"; "unknown" where that is not known, and empty where a score has
        no value or p-values were not asked for. Where both p are "exact", no feature-blind classifier is a
        sure clear more often than `alpha`; elsewhere that is approximate.
    p_draws, p_blind_draws : int
        How many random draws each is from, 0 if none: no p-value is below one over one more of them.
    p_is_bound : bool
        Whether that decides `p_sure`, so that the true one is at most it; it is written "≤".
    """

    model: str
    group: Any
    measure: Judged
    counts: Counts | None
    score: float
    baseline: Bar
    best_possible: float
    worst_draw: float
    skill: float
    p_value: float
    p_value_blind: float
    p_sure: float
    p_corrected: float
    sure: bool
    outcome: Outcome
    reason: str = ""
    runs: int = 1
    score_sd: float = math.nan
    share_clearing: float = math.nan
    confidence_level: float = 0.95
    has_p_values: bool = True
    p_method: Method | Literal[""] = ""
    p_blind_method: Method | Literal[""] = ""
    p_draws: int = 0
    p_blind_draws: int = 0
    ends: tuple[Intervals, int] | None = field(default=None, compare=False, repr=False)

    @property
    def interval_method(self) -> Method | Literal[""]:
        """How the interval was found: in the same way as `p_value`."""
        return "" if self.ends is None else self.p_method

    @property
    def p_is_bound(self) -> bool:
        """Whether `p_sure` is the least that its random draws can tell: the true one is at most that."""
        return bool(is_bound(self.p_value, self.p_value_blind, self.p_draws, self.p_blind_draws))

    @property
    def low(self) -> float:
        """Lower end of the confidence interval of the true score, found when it is first read."""
        return self._interval[0]

    @property
    def high(self) -> float:
        """Upper end of the confidence interval of the true score."""
        return self._interval[1]

    @functools.cached_property
    def _interval(self) -> tuple[float, float]:
        if self.ends is None:
            return math.nan, math.nan
        intervals, number = self.ends
        return intervals[number]

    @property
    def clears(self) -> bool:
        """Whether the score is better than the bar."""
        return self.outcome == "clears"

    def __str__(self) -> str:
        """Say the verdict in one sentence."""
        sentence = f"{subject(self)}: {finding(self)}"
        has_skill = self.outcome in {"clears", "fails"} and not math.isnan(self.skill)
        return f"{sentence}; skill {signed(self.skill)}" if has_skill else sentence

    def _repr_html_(self) -> str:
        """Return the verdict for a notebook, and the numbers that it rests on."""
        from clearbar.notebook import sentence_html

        return sentence_html("verdict", str(self), _numbers(self))


def _numbers(verdict: Verdict) -> list[tuple[str, str]]:
    """Return the numbers of a verdict that there are, each with its heading."""
    samples, level = int(verdict.baseline.population.total), whole_percent(verdict.confidence_level)
    numbers = [
        ("bar", number(float(verdict.baseline.value), samples)),
        ("score", number(verdict.score, samples)),
    ]
    if not math.isnan(verdict.low):
        ends = " – ".join(number(end, samples) for end in (verdict.low, verdict.high))
        numbers.append((f"{level} interval", ends))
    numbers.append(("skill", signed(verdict.skill)))
    if verdict.clears and not math.isnan(verdict.p_sure):
        numbers.append(("p", p_value_text(verdict.p_corrected, floor=TELLS, is_bound=verdict.p_is_bound)))
    return [(name, text) for name, text in numbers if text != MISSING]


def subject(verdict: Verdict) -> str:
    """Say whom a verdict is about, such as ``tree in nl``."""
    where = "" if verdict.group is None else f" in {shorten(visible(verdict.group), MOST_WIDE)}"
    return f"{shorten(visible(verdict.model), MOST_WIDE)}{where}"


def sides(measures: Iterable[Judged]) -> tuple[str, str]:
    """Say which side of the bar is worse and which better: below and above, unless there is a loss."""
    loss = any(measure.greater_is_better is False for measure in measures)
    return ("worse than", "better than") if loss else ("below", "above")


def finding(verdict: Verdict, alpha: float | None = None) -> str:
    """Say how a score stands to its bar; `alpha` is the p that is asked for, and then said."""
    label, bar = verdict.measure.label, verdict.baseline
    if verdict.outcome == "undefined":
        return f"{label} cannot be judged: {verdict.reason}"
    samples = int(bar.population.total)
    score, value = number(verdict.score, samples), number(float(bar.value), samples)
    recipe = bar.attained_by
    how = f'always answering "{visible(recipe.always)}"' if recipe.always else str(recipe)
    if verdict.outcome == "unbeatable":
        return f"{label} {score} tells nothing, since the bar {value} ({how}) is the best possible score"
    stands = f"{label} {score}"
    if verdict.runs > 1:
        stands += f" on average over {verdict.runs:,} runs"
    worse, better = sides([verdict.measure])
    if verdict.outcome in {"ties", "fails"}:
        perhaps = verdict.outcome == "fails" and verdict.p_value > 1 - verdict.confidence_level
        stands += f" is {worse if verdict.outcome == 'fails' else 'exactly at'} the bar {value} ({how})"
        return f"{stands}, perhaps by chance" if perhaps else stands
    if math.isnan(verdict.p_sure):
        how_surely = "how surely is not known" if verdict.ends else "a bare score does not tell how surely"
        doubt = f", but {how_surely}" if verdict.has_p_values else f" ({how}); how surely was not asked"
        return f"{stands} is {better} the bar {value}{doubt}"
    level = 1 - verdict.confidence_level if alpha is None else alpha
    p = p_phrase(verdict.p_corrected, level, floor=TELLS, is_bound=verdict.p_is_bound)
    if verdict.p_corrected <= level if alpha is not None else verdict.sure:
        return f"{stands} clears the bar {value} ({p})"
    needed = "" if alpha is None else f"; needs p ≤ {alpha:g}"
    return f"{stands} is {better} the bar {value}, but it could be chance ({p}{needed})"
