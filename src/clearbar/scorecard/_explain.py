"""What a measure asks, what its bar is, who attains it, and how the models stand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from clearbar.formatting import TELLS, number, p_value_text, visible
from clearbar.problems._protocol import Bar
from clearbar.scorecard._rows import which_group, which_measure, which_model
from clearbar.verdict import UNJUDGED

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard
    from clearbar.verdict import Verdict

ASSUMED = (
    "These probabilities take {} for independent draws, and the model for fixed before their labels were "
    "seen. Where either is not so, they are too small."
)


def explain_bar(bar: Bar, reason: str | None = None) -> str:
    """Say what a measure asks, what its bar is, and which draw attains it.

    Parameters
    ----------
    bar : Bar
        The bar of one group.
    reason : str, optional
        Why there is none, for readers with other words; as the bar says it by default.

    Returns
    -------
    str
        A few lines.

    Examples
    --------
    >>> import clearbar as cb
    >>> from clearbar.scorecard import explain_bar
    >>> print(explain_bar(cb.baseline(cb.Population(111, 56), "f1")).splitlines()[-2])
    Nothing that ignores its input does better on average (Pries et al. 2023).
    """
    return "\n".join(_bar_lines(bar, reason))


def _bar_lines(bar: Bar, reason: str | None = None) -> list[str]:
    measure, samples = bar.measure, int(bar.population.total)
    label = visible(measure.label)
    question = visible(measure.question).strip()
    lines = [f"{label}: {question}" if question else f"{label}."]
    if measure.caution:
        lines.append(visible(measure.caution))
    if math.isnan(float(bar.value)):
        return [*lines, f"There is no bar: {visible(bar.reason if reason is None else reason)}."]
    value = number(float(bar.value), samples)
    often = "every time" if bar.attained_by.certain else "on average"
    habit = bar.attained_by.habit
    if bar.certified or not hasattr(bar, "uncertain"):
        lines.append(f"The best feature-blind classifier for {label} {habit} and scores {value} {often}.")
        if not bar.certified:
            lines.append("That is the best of the draws that were tried; there are too many to try them all.")
        lines.append(bar.claim)
    else:
        who = f"A feature-blind classifier that {habit}"
        lines.append(f"{who} scores {value} {often}; another one may score more.")
    best = float(bar.best_possible)
    if best == float(bar.value):
        lines.append(
            f"That is the best possible score, so {label} alone cannot tell a model from random answers. "
            "Judge by a measure that can, such as MCC."
        )
    elif not math.isnan(best):
        lines.append(f"Perfect predictions score {number(best, samples)}.")
    return lines


def explain(card: Scorecard, measure: Any, model: str | None = None, group: Any = None) -> str:
    """Say what a measure asks, what its bar is and who attains it, and how the models stand.

    With several runs, scores are means over them.

    Parameters
    ----------
    measure : str or Measure
        Any name of a measure in this scorecard.
    model : str, optional
        A model; all by default.
    group : object, optional
        A slice; the whole by default.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If nothing matches; the message lists what there is.
    """
    models = range(len(card.models)) if model is None else [which_model(card, model)]
    place = 0 if group is None else which_group(card, group)
    position = which_measure(card, measure)
    verdicts = [card.verdict(row, place, position) for row in models]
    lines = [*_bar_lines(card.bar(position, place)), *map(_verdict_line, verdicts)]
    if any(_has_skill(verdict) for verdict in verdicts):
        lines.append("Skill is 0 at the bar and 1 at perfect predictions.")
    if any(map(_chances, verdicts)):
        numbers = card.population.classes is None
        within = "the samples" if numbers else "the samples within each class"
        grouped = card.problem is not None and card.problem.grouped
        lines.append(ASSUMED.format("whole groups of samples" if grouped else within))
    return "\n".join(lines)


def _has_skill(verdict: Verdict) -> bool:
    return verdict.outcome in {"clears", "fails"} and not math.isnan(verdict.skill)


def _verdict_line(verdict: Verdict) -> str:
    parts = [str(verdict), *_chances(verdict)]
    if verdict.outcome not in UNJUDGED and verdict.reason:  # str() gives it of those
        parts.append(visible(verdict.reason))
    return "; ".join(parts) + "."


def _chances(verdict: Verdict) -> list[str]:
    """Say how likely such a score is for a model at the bar and, above it, for labels in random order."""
    parts = []
    one_sided = getattr(verdict.measure, "interval_of", "") and verdict.outcome == "fails"
    if verdict.outcome in {"clears", "fails"} and not (one_sided or math.isnan(verdict.p_value)):
        far = _is(verdict.p_value, 2, verdict.p_draws)
        parts.append(f"if its true score were the bar, the chance of a score as far off {far}")
    if verdict.clears and not math.isnan(verdict.p_value_blind):
        well = _is(verdict.p_value_blind, 1, verdict.p_blind_draws)
        parts.append(f"if the labels were in random order, that of doing so well {well}")
    return parts


def _is(p_value: float, sides: int, draws: int) -> str:
    bound = draws > 0 and p_value <= sides / (draws + 1) * (1 + 1e-9)
    text = p_value_text(p_value, floor=TELLS, is_bound=bound)
    word = {"<": "below ", ">": "above ", "≤": "at most "}.get(text[0], "")
    return f"is {word}{text[1:] if word else text}"
