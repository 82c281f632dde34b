"""What stands below a table: why a row cannot tell, how to read it, what was averaged and corrected for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from clearbar.core.errors import listed
from clearbar.formatting import capital, plural, visible
from clearbar.problems.reasons import NoValue, in_a_row
from clearbar.scorecard._headline import scores_all

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard
    from clearbar.scorecard._view import View


class Remark(NamedTuple):
    """What is said of a row, and what stands before it behind the names of one measure or of several."""

    text: str
    verbs: tuple[str, str] = (":", ":")


def remark(view: View, models: Sequence[int], group: int, measure: int) -> Remark:
    """Say in a few words why a row cannot tell, or how to read it."""
    card = view.card
    if "unbeatable" in card.columns["outcome"][list(models), group, measure]:
        return Remark(f"cannot tell: {scores_all(card.bar(measure, group))}", ("", ""))
    reasons = dict.fromkeys(card.columns["reason"][list(models), group, measure])
    lacking = [reason for reason in reasons if isinstance(reason, NoValue)]
    others = [visible(reason) for reason in reasons if reason and not isinstance(reason, NoValue)]
    if card.folds:
        lacking = [reason for reason in lacking if not reason.in_folds]
    if lacking:
        return Remark(visible("; ".join([in_a_row(lacking[:2]), *others][:2])), (" has", " have"))
    if others:
        return Remark("; ".join(dict.fromkeys("; ".join(others[:2]).split("; "))))
    return Remark("less is better" if card.measures[measure].greater_is_better is False else "")


def remarks(view: View, measures: Sequence[int]) -> list[str]:
    """Return the remarks on the whole as sentences, one for all measures that share it."""
    by_remark: dict[Remark, list[str]] = {}
    for at in measures:
        on_whole = remark(view, range(len(view.card.models)), 0, at)
        if on_whole.text:
            by_remark.setdefault(on_whole, []).append(visible(view.card.measures[at].label))
    return [
        capital(f"{listed(labels)}{shared.verbs[len(labels) > 1]} {shared.text}.")
        for shared, labels in by_remark.items()
    ]


def about_runs(card: Scorecard) -> list[str]:
    """Say that runs are averaged."""
    if card.runs == 1:
        return []
    return [f"Scores are means over {card.runs:,} runs (± their standard deviation)."]


def correction(card: Scorecard, *, slices: int = 0) -> str:
    """Say what p was corrected for; empty for one question or none."""
    many = [(slices, card.group_words), (len(card.models), ("model", "models"))]
    parts = [plural(size, *noun) for size, noun in many if size > 1]
    return f"(p corrected for {' of '.join(parts)})" if card.has_p_values and parts else ""
