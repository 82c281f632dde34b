"""One judge for every kind of problem: scores held against their bars, as columns; and what is significant.

A score is sure if it is above its bar, and both questions say so: its true score is the bar
(`p_value`), and labels in random order (`p_value_blind`). Where both are exact, no feature-blind
classifier of any kind is a sure clear with a probability above alpha.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from clearbar.catalogue import Entry
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core._value import number_or_nan
from clearbar.core.errors import shown
from clearbar.core.reasons import Footnote, Reason, and_also, no_better_end
from clearbar.inference import Method, Tail, false_discovery, holm
from clearbar.problems._protocol import Bar, Problem
from clearbar.verdict._skill import CLEARS, UNBEATABLE, UNDEFINED, standing

Columns = dict[str, Any]

# In the order of their numbers in `Standing`.
OUTCOMES = np.array(["fails", "clears", "ties", "unbeatable", "undefined"], dtype=object)

NO_ROOM = "the bar already is the best possible score, so nothing can clear it"

# The columns that say how each p-value was found, and from how many random draws.
METHODS = {"p_value": ("p_method", "p_draws"), "p_value_blind": ("p_blind_method", "p_blind_draws")}

# Columns that are nan where p-values were not asked for, or there are no runs.
OPTIONAL = ("p_value", "p_value_blind", "p_sure", "score_sd", "share_clearing")


def judge(
    problem: Problem, measures: Sequence[Entry], *, intervals: bool = True, confidence_level: float = 0.95
) -> tuple[tuple[Bar, ...], Columns]:
    """Return each measure's bars, and columns of shape (models, groups, measures) that none can write to."""
    # Without `intervals` no p-value is computed, and nothing is sure.
    bars = problem.bars(measures)
    shape = len(problem.models), len(problem.groups), len(measures)
    columns: Columns = {}
    for groups, piece in problem.pieces(len(measures)):
        judged = _judged(
            piece, measures, [bar[groups] for bar in bars], confidence_level if intervals else None
        )
        for name, column in judged.items():
            columns.setdefault(name, np.empty(shape, dtype=column.dtype))[:, groups] = column
    for method, draws in METHODS.values():
        columns.setdefault(method, np.full(shape, "", dtype=object))
        columns.setdefault(draws, np.zeros(shape, dtype=np.int64))
    columns = dict.fromkeys(OPTIONAL, np.broadcast_to(np.nan, shape)) | columns  # takes no room
    columns["outcome"] = OUTCOMES[columns["outcome"]]
    columns["p_corrected"] = corrected(columns, problem.groups)
    columns["sure"] = surely(columns, level_of(confidence_level))
    for column in columns.values():
        column.flags.writeable = False
    return bars, columns


def _judged(
    problem: Problem, measures: Sequence[Entry], bars: Sequence[Bar], confidence_level: float | None
) -> Columns:
    """Judge groups that are looked at together; without a level no p-value is computed."""
    per_run = problem.scores(measures)
    scores = per_run.mean(axis=-1) if problem.has_runs else per_run
    tails: dict[str, Tail] = {}
    if confidence_level is not None:
        tails["p_value"] = problem.at_the_bar(measures, bars, scores).over(scores.shape)
        tails["p_value_blind"] = problem.blind(measures, per_run).over(scores.shape)
    by_measure: list[Columns] = []
    for index, (measure, bar) in enumerate(zip(measures, bars, strict=True)):
        score = scores[:, :, index]
        numbers = bar.value, bar.best_possible, bar.worst_value
        scale = [np.broadcast_to(np.asarray(value, dtype=np.float64), score.shape) for value in numbers]
        facts: Any = {"total": bar.population.total, "rounding": bar.rounding}
        skill, outcome = standing(measure, score, *scale, **facts)
        judged: Columns = dict(zip(("bar", "best_possible", "worst_draw"), scale, strict=True))
        judged |= {"score": score, "skill": skill, "outcome": outcome}
        if problem.has_runs:
            runs = per_run[:, :, index]
            clears = standing(measure, runs, *(value[..., None] for value in scale)).outcome == CLEARS
            several = runs.shape[-1] > 1
            judged["score_sd"] = runs.std(axis=-1, ddof=1) if several else np.full(score.shape, np.nan)
            judged["share_clearing"] = clears.mean(axis=-1)
        of_measure = {name: Tail(*(values[:, :, index] for values in tail)) for name, tail in tails.items()}
        judged["reason"] = _reasons(problem, measure, bar, judged, of_measure)
        by_measure.append(judged)
    columns = {name: np.stack([judged[name] for judged in by_measure], axis=-1) for name in by_measure[0]}
    if confidence_level is None:
        return columns
    codes = columns["outcome"]
    for name, tail in tails.items():
        method, draws = METHODS[name]
        is_known = ~np.isnan(tail.upper) & (codes != UNDEFINED)
        columns[name] = np.where(codes == UNDEFINED, np.nan, tail.upper)
        columns[method] = np.where(is_known, tail.method, np.where(codes == UNDEFINED, "", "unknown"))
        columns[draws] = np.where(is_known, tail.draws, 0)
    larger = np.maximum(columns["p_value"], columns["p_value_blind"])
    # p jumps from bar to bar: a worse bar within the interval may be refuted less than the bar is.
    above = np.where(codes == CLEARS, larger, np.nan)
    within = problem.within_interval(measures, bars, above, confidence_level)
    return columns | {"p_sure": np.where(within > larger, within, larger)}


def outcomes(measure: Entry, score: Any, bar: Any, best_possible: Any, worst_draw: Any) -> Any:
    """Return the outcome of each score in words; the arguments are numbers as in a verdict."""
    return OUTCOMES[standing(measure, score, bar, best_possible, worst_draw).outcome]


def _reasons(problem: Problem, measure: Entry, bar: Bar, judged: Columns, tails: Mapping[str, Tail]) -> Any:
    """Say why a number is missing or only bounded, or why nothing can clear the bar."""
    undefined, no_room = judged["outcome"] == UNDEFINED, judged["outcome"] == UNBEATABLE
    reasons = np.full(undefined.shape, "", dtype=object)
    if measure.greater_is_better is None:
        reasons[undefined] = no_better_end(measure.label)
        return reasons

    def add(where: BoolArray, text: str) -> None:
        for cell in zip(*np.nonzero(where), strict=True):
            reasons[cell] = and_also(reasons[cell], text)

    no_bar = undefined & ~np.isnan(judged["score"])
    reasons[no_bar] = np.broadcast_to(np.asarray(bar.reason, dtype=object), undefined.shape)[no_bar]
    defined = ~undefined
    for name, tail in tails.items():  # how a p-value was found, if not exactly
        bounded = np.isnan(tail.upper) | (tail.upper > tail.lower * (1 + 1e-9)) | (tail.note != "")
        for cell in zip(*np.nonzero(defined & bounded), strict=True):
            words = p_value_in_words(name, Tail(*(values[cell] for values in tail)))
            how = words if np.isnan(tail.upper[cell]) else Footnote(words)
            reasons[cell] = and_also(reasons[cell], how)
    no_skill = defined & np.isnan(judged["skill"])
    no_best = np.isnan(judged["best_possible"])
    add(no_skill & no_best, f"no skill: {measure.label} has no value for perfect predictions")
    add(no_skill & ~no_best, f"no skill: {measure.label} has no finite worst value to scale by")
    searched = defined & ~np.broadcast_to(np.asarray(bar.certified), undefined.shape)
    add(searched, getattr(bar, "uncertain", "the bar was searched on a grid, not certified"))
    lost = undefined & (reasons == "")
    if lost.any():
        reasons[lost] = problem.why_undefined(measure, lost)
    reasons[no_room & (reasons == "")] = NO_ROOM
    return reasons


def p_value_in_words(name: str, tail: Tail) -> str:
    """Say what is unknown, bounded or estimated about a p-value; empty if it is exact."""
    if tail.note:
        return str(tail.note)
    largest = f"; the largest found is {tail.lower:.3g}" if tail.lower > 0 else ""
    if np.isnan(tail.upper) and np.isnan(tail.lower):
        return ""
    if np.isnan(tail.upper):
        return f"{name} is not known: there are too many outcomes to look at{largest}"
    return f"{name} is an upper bound{largest}" if tail.upper > tail.lower * (1 + 1e-9) else ""


# -- significance --------------------------------------------------------------------------------------------
# The least p-value that a true score of two classes has: what the confidence box of the rates costs.
# Berger and Boos (1994) add beta = 1e-6 to the largest p-value within a box of the rates; it is two-sided.
FLOOR = 2e-6

# Outcomes that tell nothing of a model: no value, or a bar that cannot be beaten.
UNJUDGED = ("undefined", "unbeatable")

FLOORED = ("p_value", "p_value_blind", "p_draws", "p_blind_draws")  # the arguments of `is_bound`, as columns


def corrected(columns: Mapping[str, Any], groups: tuple[Any, ...]) -> FloatArray:
    """Return `p_sure` corrected: over the models of the whole, and over all slices."""
    slices = np.array([group is not None for group in groups]) & (len(groups) > 1)
    clears = (columns["outcome"] == "clears") & ~np.isnan(columns["p_sure"])
    result = holm(np.where(clears, columns["p_sure"], 1.0))  # what is not known is not sure
    if slices.any():
        names = ("outcome", "bar", "p_value", "p_sure")
        result[:, slices] = over_slices({name: columns[name][:, slices] for name in names})
    return result


def over_slices(columns: Mapping[str, Any]) -> FloatArray:
    """Return p-values corrected over the slices, per measure, for discoveries above and below the bar."""
    # A slice whose class sizes leave no bar, or none that can be beaten, is no question. One whose score has
    # no value was asked about: leaving it out would let the answers choose the questions.
    above = columns["outcome"] == "clears"
    raw = np.where(above, columns["p_sure"], columns["p_value"])
    raw = np.where(np.isnan(raw) | (columns["outcome"] == "undefined"), 1.0, raw)
    raw = np.where(np.isnan(columns["bar"]) | (columns["outcome"] == "unbeatable"), np.nan, raw)
    result = np.empty(raw.shape)
    for measure in range(raw.shape[2]):
        result[:, :, measure] = false_discovery(raw[:, :, measure], dependent=raw.shape[0] > 1)
    return np.where(np.isnan(result), 1.0, result)


def level_of(confidence_level: float) -> float:
    """Return the level at which a score is sure: 0.05, not 1 - 0.95, which is a little more."""
    return round(1 - confidence_level, 15)


def surely(columns: Mapping[str, Any], alpha: float) -> BoolArray:
    """Return which scores clear surely at this level."""
    return np.asarray((columns["outcome"] == "clears") & (columns["p_corrected"] <= alpha))


# Every way a slice can stand.
STANDINGS = (
    "surely below",
    "below, could be chance",
    "at the bar",
    "above, could be chance",
    "clears surely",
    "no value",
)


def stand_together(outcome: Any, adjusted: FloatArray, alpha: float) -> Any:
    """Tell how slices stand; `adjusted` are p-values corrected in both directions."""
    sure = adjusted <= alpha
    surely_below, below, level, above, surely_above, nothing = range(len(STANDINGS))
    codes = np.select(
        [np.isin(outcome, UNJUDGED), outcome == "ties", outcome == "clears"],
        [nothing, level, np.where(sure, surely_above, above)],
        np.where(sure, surely_below, below),
    )
    return np.array(STANDINGS, dtype=object)[codes]


def is_bound(p_value: Any, p_value_blind: Any, p_draws: Any, p_blind_draws: Any) -> BoolArray:
    """Whether the larger of both p-values is the least that so many random draws can tell."""
    # A two-sided one of B resamples is 2 / (B + 1) where none of them is on the other side of the bar.
    at_floor = [
        (np.asarray(draws) > 0) & (p <= sides / (np.asarray(draws) + 1) * (1 + 1e-9))
        for p, draws, sides in ((p_value, p_draws, 2), (p_value_blind, p_blind_draws, 1))
    ]
    # Where one of them is not known, neither is the larger.
    return np.asarray((at_floor[0] & (p_value >= p_value_blind)) | (at_floor[1] & (p_value_blind >= p_value)))


def undecided(columns: Mapping[str, Any], alpha: float) -> BoolArray:
    """Return which scores would be sure if their random draws could tell a smaller p-value."""
    doubted = (columns["outcome"] == "clears") & (columns["p_corrected"] > alpha)
    return np.asarray(doubted & is_bound(*(columns[name] for name in FLOORED)))


def with_reasons(columns: Mapping[str, Any], alpha: float) -> Any:
    """Return the reasons, with one more for each score that random draws leave undecided."""
    reasons = np.array(columns["reason"])
    for cell in zip(*np.nonzero(undecided(columns, alpha)), strict=True):
        told = Reason.of("not_resolvable", p=float(columns["p_corrected"][cell]))
        reasons[cell] = and_also(reasons[cell], told)
    return reasons


def checked_alpha(alpha: Any) -> float:
    """Return a level, or say what one is."""
    level = number_or_nan(alpha)
    if not 0 < level <= 1:
        raise ValueError(f"alpha must be a probability greater than 0 and at most 1; found {shown(alpha)}.")
    return level


def resolved_alpha(alpha: Any, tries: int = 1) -> float:
    """Return the level of each try, or say that no p-value of a true score is as small."""
    level = checked_alpha(alpha)
    if level / tries < FLOOR:
        if tries == 1:
            raise ValueError(
                f"alpha must be at least {FLOOR:g}, below which no p-value of a true score is resolved, "
                f"whatever the data; found {level:g}."
            )
        most = math.floor(level / FLOOR * (1 + 1e-9))
        raise ValueError(
            f"tries must be at most {most:,} at alpha={level:g}: they divide alpha, and no p-value of a true "
            f"score is resolved below {FLOOR:g}; found {tries:,}."
        )
    return level / tries


TOGETHER = 12  # intervals that are found together: they share the work


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of one model in one group, found when one is first read; nan where a measure is None."""

    problem: Problem
    measures: Sequence[Entry | None]
    level: float
    found: dict[int, tuple[float, float]] = field(default_factory=dict)

    def __getitem__(self, number: int) -> tuple[float, float]:
        """Return `low` and `high` of a measure."""
        if number not in self.found:
            first = number - number % TOGETHER
            block = dict(enumerate(self.measures[first : first + TOGETHER], first))
            self.found.update(dict.fromkeys(block, (math.nan, math.nan)))
            wanted = {index: measure for index, measure in block.items() if measure is not None}
            ends = self.problem.intervals([*wanted.values()], self.level) if wanted else []
            self.found.update(zip(wanted, ends, strict=True))
        return self.found[number]

    def method(self, number: int) -> Method | Literal[""]:
        """Return how the interval of a score without a bar was found, of which there is no p-value."""
        measure, low = self.measures[number], self[number][0]
        if measure is None or math.isnan(low):
            return ""
        ((test,),) = self.problem.tests_of([measure], [0], 0)
        method: Method = test.tail(low).method
        return method
