"""``clearbar baseline``: bars from class sizes alone."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from typing import Any

from clearbar.cli._chosen import named
from clearbar.cli._errors import reason_in_options
from clearbar.cli._formats import written
from clearbar.cli._parser import UsageError
from clearbar.cli._screen import Answer
from clearbar.core.counts import Population
from clearbar.core.documents import document
from clearbar.evaluation import chosen_measures
from clearbar.formatting import (
    Cell,
    Column,
    Screen,
    Table,
    number,
    p_value_text,
    percent,
    plural,
    signed,
    visible,
)
from clearbar.problems._protocol import Bar
from clearbar.problems.binary import Baseline
from clearbar.problems.binary import baseline as bar_of
from clearbar.verdict import Verdict, clearing_score, finding, judge


def baseline(options: argparse.Namespace, screen: Screen) -> Answer:
    """Show the bars for given class sizes, or judge a score against one."""
    population = Population(options.total, options.positives)
    measures = chosen_measures(named(options.measure), None)
    if options.score is not None and (options.measure is None or len(measures) != 1):
        raise UsageError("--score is a score on one measure; name it, as in --measure f1 --score 0.72.")
    bars: list[Any] = [bar_of(population, measure, undefined=options.undefined) for measure in measures]
    verdict = least = None
    why = ""
    if options.score is not None:
        _refuse_impossible(bars[0], float(options.score))
        verdict = judge(bars[0], options.score)
        if isinstance(bars[0], Baseline):  # those of scores have more values than can be listed
            least, why = _least(bars[0], options.alpha)
    said = _judged(verdict, least, why, options.alpha) if verdict is not None else [_head(population)]
    table = [] if verdict is not None else [_table(population, bars)]
    content = _document(options, bars, verdict, least)
    return Answer(
        written(
            options,
            text=lambda: "\n\n".join(["\n".join(map(screen.line, said)), *map(screen.table, table)]),
            json=lambda: content,
            csv=lambda: [content["verdict"]] if verdict is not None else content["baselines"],
            parts=lambda: [*said, *table],
        )
    )


def _refuse_impossible(bar: Bar, score: float) -> None:
    low, high = bar.measure.bounds
    if low <= score <= high:
        return
    hint = f" Did you mean --score {score / 100:g}?" if high == 1 and 1 < score <= 100 else ""
    label = bar.measure.label
    raise UsageError(f"--score {score:g} is no {label}, which runs from {low:g} to {high:g}.{hint}")


def _least(bar: Baseline, alpha: float) -> tuple[float | None, str]:
    """Return the least score that rules out chance, or why there is none."""
    try:
        least = clearing_score(bar, alpha)
    except ValueError as error:  # too many attainable scores to list
        return None, str(error)
    if math.isnan(least):
        return (
            None,
            f"No {bar.measure.label} on these labels rules out chance: none has p at most {alpha:g}.",
        )
    return least, ""


def _judged(verdict: Verdict, least: float | None, why: str, alpha: float) -> list[str]:
    samples = int(verdict.baseline.population.total)
    label = verdict.measure.label
    verdict = replace(verdict, reason=reason_in_options(verdict.reason))
    said = finding(verdict, alpha)
    if verdict.outcome in {"clears", "fails"} and not math.isnan(verdict.skill):
        said += f"; skill {signed(verdict.skill)}"
    lines = [f"{said}."]
    if verdict.outcome == "undefined" and not math.isnan(float(verdict.baseline.value)):
        return [*lines, "Type more of its decimals after --score, even if they are zeros."]
    if verdict.outcome in {"undefined", "unbeatable"}:
        return lines
    if verdict.outcome == "clears" and math.isnan(verdict.p_value):
        lines.append(_without_scores(verdict))
    if verdict.reason:
        lines.append(f"({verdict.reason})")
    if least is None:
        return [*lines, *([why] if why else [])]
    places = _places(least, samples)
    must = "must reach" if verdict.measure.greater_is_better else "must be at most"
    return [*lines, f"{label} {must} {places} to rule out chance (p ≤ {alpha:g})."]


def _without_scores(verdict: Verdict) -> str:
    """Say what is known of a bare score that tells nothing of its spread."""
    p = p_value_text(verdict.p_value_blind)
    most = p if p[0] in "<>" else f"≤ {p}"
    chance = (
        ""
        if math.isnan(verdict.p_value_blind)
        else f"Answers that ignore the features reach it with p {most}. "
    )
    return f"{chance}How surely the model is above the bar, clearbar evaluate tells from its predictions."


def _places(value: float, samples: int) -> str:
    return number(value, max(samples, 10_001))  # one digit more: it is a threshold, to be typed


def _head(population: Population) -> str:
    total, positives = int(population.total), int(population.positives)
    return f"{plural(total, 'sample')}, {positives:,} positive ({percent(positives / total)})."


def _table(population: Population, bars: list[Any]) -> Table:
    columns = (Column(), Column("decimal"), Column("decimal"), Column())
    header = (Cell("measure"), Cell("bar"), Cell("perfect"), Cell("who attains the bar"))
    return Table(columns, (header,), tuple(_row(bar, int(population.total)) for bar in bars))


def _row(bar: Bar, total: int) -> tuple[Cell, ...]:
    value, best = float(bar.value), float(bar.best_possible)
    label = Cell(visible(bar.measure.label))
    if math.isnan(value):
        return (
            label,
            Cell(number(value)),
            Cell(number(best, total)),
            Cell(f"no bar: {reason_in_options(bar.reason)}", style="muted"),
        )
    words = str(bar.attained_by)
    if value == best:
        words += "; cannot be beaten"
    if not bar.certified:
        words += " (searched, not certified)"
    return label, Cell(number(value, total)), Cell(number(best, total)), Cell(words)


def _document(
    options: argparse.Namespace, bars: list[Any], verdict: Verdict | None, least: float | None
) -> dict[str, Any]:
    content: dict[str, Any] = {
        "total": options.total,
        "positives": options.positives,
        "undefined": options.undefined,
        "baselines": [_bar_document(bar) for bar in bars],
    }
    if verdict is not None:
        numbers = ("score", "skill", "p_value", "p_value_blind", "p_corrected")
        content["verdict"] = {
            "measure": verdict.measure.name,
            **{name: _json_number(getattr(verdict, name)) for name in numbers},
            "sure": verdict.clears and verdict.p_corrected <= options.alpha,
            "outcome": verdict.outcome,
            "reason": verdict.reason,
            "alpha": options.alpha,
            "clearing_score": least,
        }
    return document(content)


def _bar_document(bar: Bar) -> dict[str, Any]:
    nothing = math.isnan(float(bar.value))
    ranges: Any = bar.predicted_positives if isinstance(bar, Baseline) and not nothing else ()
    return {
        "measure": bar.measure.name,
        "bar": _json_number(bar.value),
        "best_possible": _json_number(bar.best_possible),
        "worst_draw": _json_number(bar.worst_value),
        "predicted_positives": [[part.start, part.stop - 1] for part in ranges],
        "recipe": "" if nothing else str(bar.attained_by),
        "certified": bool(bar.certified),
        "reason": str(bar.reason),
    }


def _json_number(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None
