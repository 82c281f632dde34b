"""One judge for every kind of problem: scores held against their bars, as columns."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.problems._protocol import Bar, Judged, Problem, Tail
from clearbar.verdict._skill import CLEARS, UNBEATABLE, UNDEFINED, Standing, settled, standing
from clearbar.verdict._sure import corrected, level_of, surely

Columns = dict[str, Any]

OUTCOMES = np.array(["fails", "clears", "ties", "unbeatable", "undefined"], dtype=object)
"""In the order of their numbers in `Standing`."""

NO_ROOM = "the bar already is the best possible score, so nothing can clear it"

FOUND = {"p_value": ("p_method", "p_draws"), "p_value_blind": ("p_blind_method", "p_blind_draws")}
"""The columns that say how each p-value was found, and from how many random draws."""

MAYBE = ("p_value", "p_value_blind", "p_sure", "score_sd", "share_clearing")
"""Columns that are nan where p-values were not asked for, or there are no runs."""


def judge_problem(
    problem: Problem, measures: Sequence[Judged], *, intervals: bool = True, confidence_level: float = 0.95
) -> tuple[tuple[Bar, ...], Columns]:
    """Return each measure's bars, and columns of shape (models, groups, measures) that none can write to.

    Without `intervals` no p-value is computed, and nothing is sure.
    """
    bars = problem.bars(measures)
    shape = len(problem.models), len(problem.groups), len(measures)
    columns: Columns = defaultdict(functools.partial(np.empty, shape))
    columns["reason"] = np.full(shape, "", dtype=object)
    for method, draws in FOUND.values():
        columns[method] = np.full(shape, "", dtype=object)
        columns[draws] = np.zeros(shape, dtype=np.int64)
    codes = np.empty(shape, dtype=np.int8)
    for part, piece in problem.pieces(len(measures)):
        scores = piece.scores(measures)
        mean = scores.mean(axis=-1) if problem.has_runs else scores
        piece_bars = [bar[part] for bar in bars]
        tails: dict[str, Tail] = {}
        if intervals:
            tails["p_value"] = piece.at_the_bar(measures, piece_bars, mean).over(mean.shape)
            tails["p_value_blind"] = piece.blind(measures, scores).over(mean.shape)
        for at, measure in enumerate(measures):
            judged = _judged(piece, measure, piece_bars[at], mean[:, :, at], scores[:, :, at])
            own = {name: Tail(*(values[:, :, at] for values in tail)) for name, tail in tails.items()}
            judged["reason"] = _reasons(piece, measure, piece_bars[at], judged, own)
            codes[:, part, at] = judged.pop("outcome")
            for name, column in judged.items():
                columns[name][:, part, at] = column
        if tails:
            p_values = _p_values(piece, measures, piece_bars, codes[:, part], tails, confidence_level)
            for name, column in (p_values | _methods(codes[:, part], tails)).items():
                columns[name][:, part] = column
    columns = dict.fromkeys(MAYBE, np.broadcast_to(np.nan, shape)) | columns  # takes no room
    columns["outcome"] = OUTCOMES[codes]
    columns["p_corrected"] = corrected(columns, problem.groups)
    columns["sure"] = surely(columns, level_of(confidence_level))
    for column in columns.values():
        column.flags.writeable = False
    return bars, columns


def outcomes(measure: Judged, score: Any, bar: Any, best_possible: Any, worst_draw: Any) -> Any:
    """Return the outcome of each score in words; the arguments are numbers as in a verdict."""
    return OUTCOMES[standing(measure, score, bar, best_possible, worst_draw).outcome]


def _judged(piece: Problem, measure: Judged, bar: Bar, score: FloatArray, per_run: FloatArray) -> Columns:
    """Judge scores of shape (models, groups), and with several runs each of them, by one measure."""
    judged = _held(score, bar)
    if piece.has_runs:
        return judged | _over_runs(measure, per_run, judged)
    judged["skill"], judged["outcome"] = settled(
        piece, bar, score, Standing(judged["skill"], judged["outcome"])
    )
    return judged


def _p_values(
    piece: Problem,
    measures: Sequence[Judged],
    bars: Sequence[Bar],
    codes: Any,
    tails: Mapping[str, Tail],
    confidence_level: float,
) -> Columns:
    """Return both p-values, and the one that says whether a score is sure; nan where nothing is defined."""
    both = {name: np.where(codes == UNDEFINED, np.nan, tail.upper) for name, tail in tails.items()}
    larger = np.maximum(*both.values())
    above = np.where(codes == CLEARS, larger, np.nan)
    inside = piece.within_interval(measures, bars, above, confidence_level)
    return both | {"p_sure": np.where(inside > larger, inside, larger)}


def _methods(codes: Any, tails: Mapping[str, Tail]) -> Columns:
    """Return how p-values were found; empty where a score has no value, which asks for none."""
    columns: Columns = {}
    for name, (method, draws) in FOUND.items():
        tail = tails[name]
        known = ~np.isnan(tail.upper) & (codes != UNDEFINED)
        columns[method] = np.where(known, tail.method, np.where(codes == UNDEFINED, "", "unknown"))
        columns[draws] = np.where(known, tail.draws, 0)
    return columns


def _held(score: FloatArray, bars: Bar) -> Columns:
    """Hold scores of shape (models, groups) against the bars of the groups."""
    scale = tuple(
        np.broadcast_to(np.asarray(value, dtype=np.float64), score.shape)
        for value in (bars.value, bars.best_possible, bars.worst_value)
    )
    facts = {"total": bars.population.total, "rounding": bars.rounding}
    skill, outcome = standing(bars.measure, score, *scale, **facts)
    names = ("bar", "best_possible", "worst_draw")
    return {"score": score, **dict(zip(names, scale, strict=True)), "skill": skill, "outcome": outcome}


def _over_runs(measure: Judged, per_run: FloatArray, judged: Columns) -> Columns:
    """Return how much scores vary over the last axis, and in how many runs they clear."""
    score = judged["score"]
    several = per_run.shape[-1] > 1
    scale = (judged[name][..., None] for name in ("bar", "best_possible", "worst_draw"))
    clears = standing(measure, per_run, *scale).outcome == CLEARS
    return {
        "score_sd": per_run.std(axis=-1, ddof=1) if several else np.full(score.shape, np.nan),
        "share_clearing": clears.mean(axis=-1),
    }


def _reasons(piece: Problem, measure: Judged, bars: Bar, judged: Columns, tails: Mapping[str, Tail]) -> Any:
    """Say why a number is missing or only bounded, or why nothing can clear the bar."""
    undefined, no_room = judged["outcome"] == UNDEFINED, judged["outcome"] == UNBEATABLE
    reasons = np.full(undefined.shape, "", dtype=object)
    if measure.greater_is_better is None:
        reasons[undefined] = f"{measure.label} has no better end, so nothing can clear it"
        return reasons
    no_bar = undefined & ~np.isnan(judged["score"])
    reasons[no_bar] = np.broadcast_to(np.asarray(bars.reason, dtype=object), undefined.shape)[no_bar]
    defined = ~undefined
    for name, tail in tails.items():  # how a p-value was found, if not exactly
        bounded = np.isnan(tail.upper) | (tail.upper > tail.lower * (1 + 1e-9)) | (tail.note != "")
        for where in zip(*np.nonzero(defined & bounded), strict=True):
            words = p_value_in_words(name, Tail(*(values[where] for values in tail)))
            reasons[where] = f"{reasons[where]}; {words}" if reasons[where] else words
    without_skill = defined & np.isnan(judged["skill"])
    perfect = np.isnan(judged["best_possible"])
    _add(reasons, without_skill & perfect, f"no skill: {measure.label} has no value for perfect predictions")
    no_worst = f"no skill: {measure.label} has no finite worst value to scale by"
    _add(reasons, without_skill & ~perfect, no_worst)
    searched = defined & ~np.broadcast_to(np.asarray(bars.certified), undefined.shape)
    _add(reasons, searched, getattr(bars, "uncertain", "the bar was searched on a grid, not certified"))
    lost = undefined & (reasons == "")
    if lost.any():
        reasons[lost] = piece.why_undefined(measure, lost)
    if no_room.any():
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


def _add(reasons: Any, where: BoolArray, text: str) -> None:
    """Add a reason to those that a cell has."""
    if where.any():
        reasons[where] = [f"{before}; {text}" if before else text for before in reasons[where]]
