"""What a measure asks, what its bar is, who attains it, and how the models stand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from clearbar.formatting import TELLS, number, p_value_text, signed, visible
from clearbar.problems._protocol import Bar
from clearbar.scorecard._rows import known_p
from clearbar.verdict import sides

if TYPE_CHECKING:
    from clearbar.scorecard._columns import Columns


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
    lines.append(
        f"The best feature-blind classifier for {label} {bar.attained_by.habit} and scores {value} {often}."
    )
    if not bar.certified and not hasattr(bar, "uncertain"):
        lines.append("That is the best of the draws that were tried; there are too many to try them all.")
    lines.append(bar.claim)
    best = float(bar.best_possible)
    if best == float(bar.value):
        lines.append(
            f"That is the best possible score, so {label} alone cannot tell a model from random answers. "
            "Judge by a measure that can, such as MCC."
        )
    elif not math.isnan(best):
        lines.append(f"Perfect predictions score {number(best, samples)}.")
    return lines


def explain(card: Columns, measure: int, models: Iterable[int], group: int) -> str:
    """Explain a bar, then how models stand."""
    models = list(models)
    lines = [*_bar_lines(card.bar(measure, group)), *(_model_line(card, at, group, measure) for at in models)]
    doubtful = any(_chances(card, (at, group, measure)) for at in models)
    numbers = card.population.classes is None
    within = "the samples" if numbers else "the samples within each class"
    grouped = card.problem is not None and card.problem.grouped
    assumed = ASSUMED.format("whole groups of samples" if grouped else within)
    return "\n".join([*lines, *([assumed] if doubtful else [])])


def _model_line(card: Columns, model: int, group: int, measure: int) -> str:
    at = model, group, measure
    columns = card.columns
    samples = int(card.bar(measure, group).population.total)
    name, outcome = visible(card.models[model]), str(columns["outcome"][at])
    reason = visible(str(columns["reason"][at]))
    score = number(float(columns["score"][at]), samples)
    if outcome == "undefined":
        return f"{name} cannot be judged: {reason}."
    chance = "it could be chance" if known_p(card)[at] else "how surely is not known"
    if not card.has_p_values:
        chance = "how surely was not asked"
    better = sides([card.measures[measure]])[1]
    perhaps = ", perhaps by chance" if columns["p_value"][at] > 1 - card.confidence_level else ""
    verb = {
        "clears": "clears the bar" if columns["sure"][at] else f"is {better} the bar, but {chance}",
        "fails": f"does not clear the bar{perhaps}",
        "ties": "ties with the bar, which is not clearing it",
        "unbeatable": "cannot clear a bar that is the best possible score",
    }[outcome]
    mean = f" on average over {card.runs:,} runs" if card.several_runs else ""
    parts = [f"{name} scores {score}{mean} and {verb}"]
    skill = float(columns["skill"][at])
    if outcome in {"clears", "fails"} and not math.isnan(skill):
        parts.append(f"skill {signed(skill)} (0 at the bar, 1 at perfect predictions)")
    parts += _chances(card, at)
    said = outcome == "unbeatable" or not reason  # the verb says it
    return "; ".join(parts if said else [*parts, reason]) + "."


def _chances(card: Columns, at: tuple[int, int, int]) -> list[str]:
    """Say how likely such a score is for a model at the bar and, above it, for labels in random order."""
    outcome = str(card.columns["outcome"][at])
    if outcome not in {"clears", "fails"}:
        return []
    at_the_bar, blind = (float(card.columns[name][at]) for name in ("p_value", "p_value_blind"))
    blind = blind if outcome == "clears" else math.nan
    parts = []
    if not math.isnan(at_the_bar):
        parts.append(f"if its true score were the bar, the chance of a score as far off {_is(at_the_bar)}")
    if not math.isnan(blind):
        parts.append(f"if the labels were in random order, that of doing so well {_is(blind)}")
    return parts


def _is(p_value: float) -> str:
    text = p_value_text(p_value, floor=TELLS)
    word = {"<": "below ", ">": "above "}.get(text[0], "")
    return f"is {word}{text[1:] if word else text}"
