"""One judge for every kind of problem: scores held against their bars, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clearbar.catalogue import Entry
from clearbar.core._typing import BoolArray
from clearbar.core.reasons import Footnote
from clearbar.inference import Tail
from clearbar.problems._protocol import Bar, Problem
from clearbar.problems.reasons import and_also
from clearbar.verdict._significance import corrected, level_of, surely
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
        reasons[undefined] = f"{measure.label} has no better end, so nothing can clear it"
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
