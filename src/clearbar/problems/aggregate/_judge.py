"""Folds judged: one score per model, its bar, and p-values of that same score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar._typing import Undefined
from clearbar.baseline import Bar, baseline, fill_value
from clearbar.counts import Counts, counts_of
from clearbar.errors import listed
from clearbar.measures import Measure
from clearbar.problems.aggregate._bar import FoldBar
from clearbar.problems.aggregate._bars import one_bar
from clearbar.problems.aggregate._p_values import Folds
from clearbar.problems.aggregate._sums import Bracket
from clearbar.problems.aggregate._ways import (
    Aggregate,
    Combined,
    by_pair,
    combine,
    margins_of,
    named,
    policy_in_folds,
    precision_and_recall,
    skips,
)
from clearbar.verdict import PValues, stand, universal_p_value

IMPLIED = {"P + k > 0": {"P > 0", "k > 0"}, "N + (M - k) > 0": {"N > 0", "k < M"}}
"""Conditions that hold wherever one of these does: they need not be told as well."""


@dataclass(frozen=True)
class Way:
    """How folds are combined, and what counts for outcomes without a value.

    Attributes
    ----------
    aggregate : str
        The way of combining.
    undefined : "exclude", "worst" or float
        What to do about outcomes without a value.
    fold_aware : bool
        Whether blind predictions for a pooled score may differ from fold to fold.
    p_values : {"both", "matched", "none"}
        Which p-values to compute.
    """

    aggregate: Aggregate
    undefined: Undefined
    fold_aware: bool
    p_values: PValues


def judge_folds(
    measure: Measure, counts: Counts, way: Way, names: Sequence[Any]
) -> tuple[dict[str, Any], Bar, Combined]:
    """Judge models on one measure.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    counts : Counts
        Of shape (models, folds).
    way : Way
        How folds are combined.
    names : sequence
        The folds' names.

    Returns
    -------
    columns : dict
        The columns of a scorecard, each of shape (models, 1), and ``p_value_found``: the largest
        probability that some blind predictions are known to reach the score with.
    bars : Bar
        Over the one group of all samples.
    combined : Combined
        Scores of models and folds.
    """
    combined = combine(measure, counts, way.aggregate, way.undefined)
    bars = _bars(measure, counts, way, names)
    columns: dict[str, Any] = stand(combined.score[:, None], bars)
    missing = np.full(columns["score"].shape, np.nan)
    columns["score_sd"], columns["share_clearing"] = missing, missing
    found = [
        _p_values(measure, counts, way, model, float(score)) for model, score in enumerate(combined.score)
    ]
    columns["p_value"] = np.array([[one.upper] for one, _ in found])
    columns["p_value_matched"] = np.array([[one.upper] for _, one in found])
    columns["p_value_found"] = np.array([[one.lower] for one, _ in found])
    reasons = [
        _reason(measure, counts, way, combined, columns, bars, names, model, *both)
        for model, both in enumerate(found)
    ]
    columns["reason"] = np.array(reasons, dtype=object)[:, None]
    return columns, bars, combined


def _bars(measure: Measure, counts: Counts, way: Way, names: Sequence[Any]) -> Bar:
    pooled = counts[0].sum(axis=-1)
    population = counts_of(np.array([cell]) for cell in pooled.cells).population
    if way.aggregate == "pooled" and not way.fold_aware:
        return baseline(population, measure, undefined=way.undefined)
    m, p, _ = margins_of(counts)
    bar = one_bar(measure, m[0], p[0], way.aggregate, way.undefined, fold_aware=way.fold_aware, names=names)
    return FoldBar(measure, population, way.aggregate, (bar,))


def _p_values(
    measure: Measure, counts: Counts, way: Way, model: int, score: float
) -> tuple[Bracket, Bracket]:
    """Return the p-value over all blind predictions, and the one at the model's own numbers."""
    nothing = Bracket(np.nan, np.nan)
    if measure.greater_is_better is None or way.p_values == "none" or np.isnan(score):
        return nothing, nothing
    m, p, k = (part[model] for part in margins_of(counts))
    folds = Folds(measure, m, p, way.aggregate, way.undefined)
    matched = folds.matched(k, score)
    if way.p_values != "both":
        return nothing, matched
    if way.aggregate == "pooled" and not way.fold_aware:
        return _blind(measure, m, p, way, score), matched
    universal = folds.universal(score, matched.lower)
    return universal, Bracket(float(np.fmin(matched.upper, universal.upper)), matched.lower)


def _blind(measure: Measure, m: Any, p: Any, way: Way, score: float) -> Bracket:
    """Return the p-value over all draws from all samples, whatever their folds."""
    total = int(m.sum())
    fill = fill_value(measure, total, way.undefined, largest=measure.greater_is_better is not False)
    found = universal_p_value(measure, total, int(p.sum()), score, fill=fill)
    upper, lower = float(found.upper), float(found.lower)
    return Bracket(np.nan if upper >= 1.0 > lower else upper, lower)


def _reason(
    measure: Measure,
    counts: Counts,
    way: Way,
    combined: Combined,
    columns: dict[str, Any],
    bars: Bar,
    names: Sequence[Any],
    model: int,
    blind: Bracket,
    matched: Bracket,
) -> str:
    """Say why a number is missing or only bounded."""
    if columns["outcome"][model, 0] == "undefined":
        if measure.greater_is_better is None:
            return f"{measure.label} has no better end, so nothing can clear it"
        if np.isnan(combined.score[model]):
            return _why_undefined(measure, counts, way, names, model)
        return str(bars[0].reason)
    parts = []
    clears = columns["outcome"][model, 0] == "clears"  # else nobody asks how sure a bound is
    for name, one, asked in (
        ("p_value", blind, way.p_values == "both"),
        ("p_value_matched", matched, way.p_values != "none"),
    ):
        if asked and (clears or np.isnan(one.upper)):
            parts.append(_bounded(name, one))
    if np.isnan(columns["skill"][model, 0]):
        parts.append(f"no skill: {measure.label} has no finite value to scale by")
    if not bars[0].certified:
        parts.append("the bar was searched, not certified")
    return "; ".join(part for part in parts if part)


def _bounded(name: str, found: Bracket) -> str:
    lower = f"; the largest found is {found.lower:.3g}" if found.lower > 0 else ""
    if np.isnan(found.upper):
        return f"{name} is not known{lower}"
    return f"{name} is an upper bound{lower}" if found.upper > found.lower * (1 + 1e-9) else ""


def _why_undefined(measure: Measure, counts: Counts, way: Way, names: Sequence[Any], model: int) -> str:
    """Name the folds in which there is no value, and what is missing there."""
    one = counts[model]
    if way.aggregate == "pooled":
        broken = listed(measure.domain.violated(one.sum().cells)) or "other counts"
        return f"{measure.label} has no value here: it needs {broken}"
    where = undefined_folds(measure, one, names).replace("every fold", "any fold", 1)
    if skips(way.aggregate):
        return f"{measure.label} has no value in {where}"
    if by_pair(way.aggregate):
        policy = policy_in_folds(measure, way.aggregate, way.undefined)
        pair = np.isnan(precision_and_recall(measure, one, policy))
        where = _in_words(names, [_all_of("k > 0", "P > 0", gone) for gone in pair.T])
        where = where.replace("every fold", "any fold", 1)
    pooled = combine(measure, counts[model : model + 1], "pooled", way.undefined).score
    hint = "" if np.isnan(pooled[0]) else "; pooled counts have one (aggregate='pooled')"
    return f"{measure.label} has no value in {where}{hint}"


def _all_of(first: str, second: str, which: Any) -> str:
    return " and ".join(text for text, one in zip((first, second), which, strict=True) if one)


def violated(measure: Measure, counts: Counts) -> list[str]:
    """Return for each fold the conditions of a measure that fail there, as words; empty where none does.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    counts : Counts
        Of shape (folds,).

    Returns
    -------
    list of str
    """
    fails = {part.text: ~part.holds(counts.cells) for part in measure.admissible.conjuncts}
    for text, parts in IMPLIED.items():
        if text in fails and fails.keys() & parts:
            fails.pop(text)
    texts = np.full(counts.shape, "", dtype=object)
    for text, where in fails.items():
        texts[where] = [f"{before} and {text}" if before else text for before in texts[where]]
    unknown = np.isnan(np.asarray(measure(counts))) & (texts == "")
    texts[unknown] = "another table"
    return [str(text) for text in texts]


LACKING = {
    "P > 0": "no positive samples",
    "N > 0": "no negative samples",
    "k > 0": "nothing predicted positive",
    "k < M": "nothing predicted negative",
    "P + k > 0": "no positive samples, nothing predicted positive",
    "N + (M - k) > 0": "no negative samples, nothing predicted negative",
    "another table": "needs another table",
}
"""What is the matter where a condition fails."""


def undefined_folds(measure: Measure, counts: Counts, names: Sequence[Any], *, valued: bool = True) -> str:
    """Say in which folds which conditions fail.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    counts : Counts
        Of shape (folds,).
    names : sequence
        The folds' names.
    valued : bool
        Whether folds are told in which the measure has a value though what it requires fails.

    Returns
    -------
    str
        Such as ``fold 2 (nothing predicted positive)``; empty where none fails.
    """
    texts = violated(measure, counts)
    if not valued:
        gone = np.isnan(np.asarray(measure(counts)))
        texts = [text if one else "" for text, one in zip(texts, gone, strict=True)]
    return _in_words(names, texts)


def _in_words(names: Sequence[Any], texts: Sequence[str]) -> str:
    """Tell folds by name, those together in which the same conditions fail."""
    array = np.array(texts, dtype=object)
    kinds = [text for text in dict.fromkeys(texts) if text]
    found = [f"{named(names, array == text)} ({_lacking(text)})" for text in kinds]
    return listed(found)


def _lacking(conditions: str) -> str:
    return ", ".join(LACKING.get(text, f"needs {text}") for text in conditions.split(" and "))
