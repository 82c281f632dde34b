"""``clearbar baseline`` and ``clearbar samples``: what class sizes alone tell."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from typing import Any

from clearbar.catalogue import get_measure
from clearbar.cli._errors import UsageError, reason_in_options
from clearbar.cli._output import Reply, answered, pages
from clearbar.core.counts import CELLS, Counts, Population
from clearbar.core.documents import document
from clearbar.core.errors import listed
from clearbar.evaluation.options import chosen_measures
from clearbar.formatting import Cell, Screen, Table, number, p_value_text, signed, visible
from clearbar.notebook import samples_in_words
from clearbar.problems._protocol import Bar
from clearbar.problems.binary import Baseline
from clearbar.problems.binary import baseline as bar_of
from clearbar.scorecard import finding
from clearbar.verdict import UNJUDGED, Verdict, clearing_score, judge_score, level_of


def class_sizes_typed(options: argparse.Namespace) -> Population | None:
    """Return the class sizes, None where none are named, or say what is lacking or too much."""
    total, positives, prevalence = options.total, options.positives, options.prevalence
    if total is None and positives is None and prevalence is None:
        return None
    if positives is not None and prevalence is not None:
        raise UsageError("--positives and --prevalence say the same; leave out one of them.")
    if total is None or (positives is None and prevalence is None):
        lacking = "--total" if total is None else "--positives or --prevalence"
        raise UsageError(f"{lacking} is missing: a bar needs the number of samples and of positive ones.")
    return Population(total, positives, prevalence=prevalence)


def baseline(options: argparse.Namespace, screen: Screen) -> Reply:
    population = class_sizes_typed(options)
    if population is None:
        raise UsageError("name the class sizes with --total and --positives, or --total and --prevalence.")
    measures = chosen_measures(options.measure, None)
    if options.score is not None and (options.measure is None or len(measures) != 1):
        raise UsageError("--score is a score on one measure; name it, as in --measure f1 --score 0.72.")
    bars: list[Any] = [bar_of(population, measure, undefined=options.undefined) for measure in measures]
    content = {
        "total": int(population.total),
        "positives": int(population.positives),
        "undefined": options.undefined,
        "baselines": [_bar_document(bar) for bar in bars],
    }
    if options.score is None:
        return _of_sizes(population, bars, content, options, screen)
    return _of_score(bars[0], content, options, screen)


def judge(options: argparse.Namespace, screen: Screen) -> Reply:
    """Judge four cells, or one printed score on class sizes."""
    cells = {name: getattr(options, name) for name in CELLS}
    lacking = [f"--{name}" for name, count in cells.items() if count is None]
    if len(lacking) == len(cells):
        if options.score is None:
            raise UsageError("name --tp, --fp, --fn and --tn, or class sizes, --measure and --score.")
        options.alpha = level_of(options.confidence_level)
        return baseline(options, screen)
    if lacking:
        verb = "is" if len(lacking) == 1 else "are"
        raise UsageError(f"{listed(lacking)} {verb} missing: a confusion matrix has four cells.")
    for name in ("total", "positives", "prevalence", "score"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is told by the cells; leave it out.")
    from clearbar.cli._files import answer_of_rows
    from clearbar.evaluation.labels import evaluate_counts

    how = {"undefined": options.undefined, "confidence_level": options.confidence_level}
    card = evaluate_counts(Counts(**cells), chosen_measures(options.measure), **how)
    return answer_of_rows(card, options, screen)


def _of_sizes(
    population: Population,
    bars: list[Any],
    content: dict[str, Any],
    options: argparse.Namespace,
    screen: Screen,
) -> Reply:
    total, head = int(population.total), f"{samples_in_words(population)}."
    heads = ("measure", "bar", "perfect", "who attains the bar")
    table = Table.of(("left", "decimal", "decimal", "left"), heads, (_row(bar, total) for bar in bars))
    return answered(
        options,
        text=lambda: f"{screen.line(head)}\n\n{screen.table(table)}",
        json=lambda: document(content),
        csv=lambda: content["baselines"],
        **pages(lambda: [head, table]),
    )


def _of_score(bar: Any, content: dict[str, Any], options: argparse.Namespace, screen: Screen) -> Reply:
    _refuse_impossible(bar, float(options.score))
    verdict = judge_score(bar, options.score)
    least, why = math.nan, ""
    if isinstance(bar, Baseline):  # those of scores have more values than can be listed
        least, why = _least(bar, options.alpha)
    sentences = _sentences(verdict, least, why, options.alpha)
    answer = _verdict_document(verdict, least, options.alpha)
    return answered(
        options,
        text=lambda: "\n".join(map(screen.line, sentences)),
        json=lambda: document({**content, "verdict": answer}),
        csv=lambda: [answer],
        **pages(lambda: [*sentences]),
    )


def _refuse_impossible(bar: Bar, score: float) -> None:
    low, high = bar.measure.bounds
    if low <= score <= high:
        return
    hint = f" Did you mean --score {score / 100:g}?" if high == 1 and 1 < score <= 100 else ""
    label = bar.measure.label
    raise UsageError(f"--score {score:g} is no {label}, which runs from {low:g} to {high:g}.{hint}")


def _least(bar: Baseline, alpha: float) -> tuple[float, str]:
    """Return the least score that rules out chance, or nan and why there is none."""
    try:
        least = clearing_score(bar, alpha)
    except ValueError as error:  # too many attainable scores to list
        return math.nan, str(error)
    if math.isnan(least):
        return (
            least,
            f"No {bar.measure.label} on these labels rules out chance: none has p at most {alpha:g}.",
        )
    return least, ""


def _sentences(verdict: Verdict, least: float, why: str, alpha: float) -> list[str]:
    samples = int(verdict.baseline.population.total)
    label = verdict.measure.label
    verdict = replace(verdict, reason=reason_in_options(verdict.reason))
    skill = ""
    if verdict.outcome in {"clears", "fails"} and not math.isnan(verdict.skill):
        skill = f"; skill {signed(verdict.skill)}"
    lines = [f"{finding(verdict, alpha)}{skill}."]
    if verdict.outcome == "undefined" and not math.isnan(float(verdict.baseline.value)):
        return [*lines, "Type more of its decimals after --score, even if they are zeros."]
    if verdict.outcome in UNJUDGED:
        return lines
    if verdict.outcome == "clears" and math.isnan(verdict.p_value):
        lines.append(_without_scores(verdict))
    if verdict.reason:
        lines.append(f"({verdict.reason})")
    if math.isnan(least):
        return [*lines, *([why] if why else [])]
    threshold = number(least, max(samples, 10_001))  # one digit more than a score has: it is to be typed
    must = "must reach" if verdict.measure.greater_is_better else "must be at most"
    return [*lines, f"{label} {must} {threshold} to rule out chance (p ≤ {alpha:g})."]


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


def _row(bar: Bar, total: int) -> tuple[str | Cell, ...]:
    value, best = float(bar.value), float(bar.best_possible)
    if math.isnan(value):
        words = Cell(f"no bar: {reason_in_options(bar.reason)}", style="muted")
    else:
        beaten = "; cannot be beaten" if value == best else ""
        searched = "" if bar.certified else " (searched, not certified)"
        words = Cell(f"{bar.attained_by}{beaten}{searched}")
    return visible(bar.measure.label), number(value, total), number(best, total), words


def _verdict_document(verdict: Verdict, least: float, alpha: float) -> dict[str, Any]:
    numbers = ("score", "skill", "p_value", "p_value_blind", "p_corrected")
    return {
        "measure": verdict.measure.name,
        **{name: _json_number(getattr(verdict, name)) for name in numbers},
        "sure": verdict.clears and verdict.p_corrected <= alpha,
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "alpha": alpha,
        "clearing_score": _json_number(least),
    }


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


def samples(options: argparse.Namespace, screen: Screen) -> Reply:
    """Say how many samples are needed for each measure."""
    rows = [_needed(options, name) for name in dict.fromkeys(options.measure)]
    sentence = _hypotheses(options)
    lines = [
        f"{row['label']}: {_range_of(row)} samples"
        + (f", {row['positives']:,} of them positive (power {_reached(row)})" if row["power"] else "")
        for row in rows
    ]
    return answered(
        options,
        text=lambda: "\n".join([screen.sentence(sentence), *map(screen.line, lines)]),
        json=lambda: document({"samples": rows}),
        csv=lambda: rows,
        **pages(lambda: [sentence, _table(rows)]),
    )


def _hypotheses(options: argparse.Namespace) -> str:
    """Say what is assumed, and what shall be shown."""
    rates = f"of sensitivity {options.sensitivity or 0:g} and specificity {options.specificity or 0:g}"
    who = rates if options.score is None else f"with a true score of {options.score:g}"
    what = "surely clears its bar"
    if options.versus:
        what = "surely differs from one of sensitivity {:g} and specificity {:g}".format(*options.versus)
        if options.versus_prevalence is not None:
            what += f" in another group, at a prevalence of {options.versus_prevalence:g},"
    grouped = ""
    if options.cluster_size > 1:
        grouped = f", {options.cluster_size:g} samples in a cluster (correlation {options.icc:g})"
    each = " in each group" if options.versus_prevalence is not None else ""
    chance = f"Samples needed{each} for a chance of {100 * options.power:g} %"
    model = f"a model {who}, at a prevalence of {options.prevalence:g}{grouped}"
    return f"{chance} that {model}, {what} (p ≤ {options.alpha:g}):"


def _table(rows: list[dict[str, Any]]) -> Table:
    cells = (
        (row["label"], _range_of(row), f"{row['positives']:,}" if row["power"] else "", _reached(row))
        for row in rows
    )
    heads = ("", "samples", "positive", "power")
    return Table.of(("left", "right", "right", "decimal"), heads, cells)


def _needed(options: argparse.Namespace, name: str) -> dict[str, Any]:
    from clearbar.verdict import class_sizes, power, samples_needed

    versus: Any = None
    if options.versus:
        versus = dict(zip(("sensitivity", "specificity"), options.versus, strict=True))
        if options.versus_prevalence is not None:
            versus["prevalence"] = options.versus_prevalence
    elif options.versus_prevalence is not None:
        raise UsageError("--versus-prevalence is that of another group; add --versus A B.")
    facts: dict[str, Any] = {
        "sensitivity": options.sensitivity, "specificity": options.specificity, "score": options.score,
        "versus": versus, "agreement": options.agreement, "cluster_size": options.cluster_size,
        "icc": options.icc, "alpha": options.alpha,
    }  # fmt: skip
    needed: Any = samples_needed(name, prevalence=options.prevalence, power=options.power, **facts)
    measure, several = get_measure(name), isinstance(needed, tuple)
    least, most = (needed.low, needed.high) if several else (needed, needed)
    sizes, reached = class_sizes(least, options.prevalence), None
    if not several:
        if versus and "prevalence" in versus:
            versus["population"] = class_sizes(least, versus.pop("prevalence"))
        reached = power(sizes, name, **facts)
    return {
        "measure": measure.name,
        "label": measure.label,
        "samples": least,
        "most_samples": most,
        "positives": int(sizes.positives),
        "power": None if reached is None else float(reached),
        "standard_error": None if reached is None else reached.standard_error,
    }


def _range_of(row: dict[str, Any]) -> str:
    """Write how many samples are needed, or from how many to how many, by what is not known."""
    ends = dict.fromkeys(f"{row[name]:,}" for name in ("samples", "most_samples"))
    return " to ".join(ends)


def _reached(row: dict[str, Any]) -> str:
    if row["power"] is None:
        return ""
    error = row["standard_error"]
    return f"{number(row['power'])}{f' ± {error:.3f}, simulated' if error else ''}"
