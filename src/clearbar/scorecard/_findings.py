"""The sentence of one verdict: whom it is about, how the score stands to the bar, and how surely."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

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
from clearbar.problems._protocol import Judged

if TYPE_CHECKING:
    from clearbar.verdict import Verdict

MOST_WIDE = 60
"""Columns that a name takes up in a sentence."""


def sentence(verdict: Verdict) -> str:
    said = f"{subject(verdict)}: {finding(verdict)}"
    has_skill = verdict.outcome in {"clears", "fails"} and not math.isnan(verdict.skill)
    return f"{said}; skill {signed(verdict.skill)}" if has_skill else said


def verdict_html(verdict: Verdict) -> str:
    """Return a verdict for a notebook, and the numbers that it rests on."""
    from clearbar.notebook import sentence_html

    return sentence_html("verdict", sentence(verdict), _numbers(verdict))


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
