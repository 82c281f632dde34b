"""Folds judged: one score per model, its bar, and p-values of that same score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar._typing import Undefined
from clearbar.baseline import Bar, baseline, fill_value
from clearbar.counts import Counts
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
        The columns of a scorecard, each of shape (models, 1).
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
    reasons = [
        _reason(measure, counts, way, combined, columns, bars, names, model, *both)
        for model, both in enumerate(found)
    ]
    columns["reason"] = np.array(reasons, dtype=object)[:, None]
    return columns, bars, combined


def _bars(measure: Measure, counts: Counts, way: Way, names: Sequence[Any]) -> Bar:
    pooled = counts[0].sum(axis=-1)
    population = Counts(*(np.array([cell]) for cell in pooled.cells)).population
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
    return folds.universal(score, matched.lower), matched


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
    clears = columns["outcome"][model, 0] == "clears"  # else no p-value is asked about
    if clears and way.p_values == "both":
        parts.append(_bounded("p_value", blind, "no bound below 1 was found"))
    if clears and way.p_values != "none":
        parts.append(_bounded("p_value_matched", matched, "the sums over folds are too many to list"))
    if np.isnan(columns["skill"][model, 0]):
        parts.append(f"no skill: {measure.label} has no finite value to scale by")
    if not bars[0].certified:
        parts.append("the bar was searched, not certified")
    return "; ".join(part for part in parts if part)


def _bounded(name: str, found: Bracket, why: str) -> str:
    if np.isnan(found.upper):
        lower = "" if np.isnan(found.lower) else f"; the largest found is {found.lower:.3g}"
        return (
            f"{name} is not known, {why}{lower}"
            if name == "p_value_matched"
            else f"{name} is not known{lower}"
        )
    if found.upper > found.lower * (1 + 1e-9):
        return f"{name} is an upper bound; the largest found is {found.lower:.3g}"
    return ""


def _why_undefined(measure: Measure, counts: Counts, way: Way, names: Sequence[Any], model: int) -> str:
    """Name the condition that fails, and the folds in which it does."""
    one = counts[model]
    if way.aggregate == "pooled":
        broken = listed(measure.domain.violated(one.sum().cells)) or "other counts"
        return f"{measure.label} has no value here: it needs {broken}"
    if skips(way.aggregate):
        return f"{measure.label} has a value in no fold: {undefined_folds(measure, one, names)}"
    where = undefined_folds(measure, one, names)
    if by_pair(way.aggregate):
        policy = policy_in_folds(measure, way.aggregate, way.undefined)
        pair = np.isnan(precision_and_recall(measure, one, policy))
        words = zip(("precision", "recall"), ("k > 0", "P > 0"), pair, strict=True)
        where = listed(
            [f"{named(names, gone)} ({name} needs {need})" for name, need, gone in words if gone.any()]
        )
    return f"{measure.label} has no value in {where}; aggregate='pooled' needs none there"


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
    needed = measure.domain if measure.requires is None else measure.requires & measure.domain
    fails = {part.text: ~part.holds(counts.cells) for part in needed.conjuncts}
    for text, parts in IMPLIED.items():
        if text in fails and fails.keys() & parts:
            fails.pop(text)
    texts = np.full(counts.shape, "", dtype=object)
    for text, where in fails.items():
        texts[where] = [f"{before} and {text}" if before else text for before in texts[where]]
    unknown = np.isnan(np.asarray(measure(counts))) & (texts == "")
    texts[unknown] = "another table"
    return [str(text) for text in texts]


def undefined_folds(measure: Measure, counts: Counts, names: Sequence[Any]) -> str:
    """Say in which folds which conditions fail.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    counts : Counts
        Of shape (folds,).
    names : sequence
        The folds' names.

    Returns
    -------
    str
        Such as ``fold 2 (it needs k > 0)``; empty where none fails.
    """
    texts = np.array(violated(measure, counts), dtype=object)
    kinds = [text for text in dict.fromkeys(texts.tolist()) if text]
    return listed([f"{named(names, texts == text)} (it needs {text})" for text in kinds])
