"""The rows of a scorecard's picture: each measure's axis, bar, reach and scores, in its own units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.formatting import number, percent, plural, visible
from clearbar.plots._blind import ends_of_axis, reach
from clearbar.plots._marks import SHAPES
from clearbar.scorecard import INTERVALS, Scorecard, which_group
from clearbar.scorecard import standing as standing_of
from clearbar.verdict import checked_alpha


@dataclass(frozen=True)
class Row:
    """One measure: its axis, its bar and the models' scores, all in the measure's own units."""

    label: str  # the measure
    samples: int  # number of samples, for digits
    worst: float  # ends of the axis; a loss has its smallest value at the best end
    best: float  # ends of the axis; a loss has its smallest value at the best end
    worst_open: bool  # whether the measure goes on beyond that end
    best_open: bool  # whether the measure goes on beyond that end
    bar: float  # the bar, and how far chance can reach; nan where there is none
    reach: float  # the bar, and how far chance can reach; nan where there is none
    scores: tuple[float, ...]  # a score per model, nan where there is none
    standing: tuple[str, ...]  # how each stands: an outcome, or "doubt"
    remark: str  # why there is no verdict; empty where there is one
    spread: tuple[float, ...] = ()  # standard deviation over runs per model; empty where there is one run
    intervals: tuple[tuple[float, float], ...] = ()

    @property
    def ends(self) -> tuple[str, str]:
        """The ends as they are written: with … where the measure goes on."""
        worst, best = number(self.worst, places=2), number(self.best, places=2)
        return f"… {worst}" if self.worst_open else worst, f"{best} …" if self.best_open else best

    def place(self, value: Any) -> Any:
        """Return where a value lies between the worst end, 0, and the best, 1."""
        with np.errstate(invalid="ignore"):
            place = (np.asarray(value, dtype=np.float64) - self.worst) / (self.best - self.worst)
        return np.clip(place, 0.0, 1.0)


def checked_card(card: Any) -> Scorecard:
    """Refuse what is no scorecard."""
    if not isinstance(card, Scorecard):
        raise ValueError(f"card must be a Scorecard, as evaluate returns; found {type(card).__name__}.")
    return card


def rows_of(card: Any, group: Any, most: Any, alpha: float | None) -> dict[str, Any]:
    """Return the models, rows, title and notes of the picture of a scorecard."""
    checked_card(card)
    if not isinstance(most, (int, np.integer)) or not 1 <= most <= len(SHAPES):
        raise ValueError(
            f"most must be from 1 to {len(SHAPES)}: so many markers are told apart; found {most!r}."
        )
    at = 0 if group is None else which_group(card, group)
    alpha = card.alpha if alpha is None else checked_alpha(alpha)
    models = _lowest(card, at, int(most))
    standing = standing_of(card, alpha)[models, at]
    rows = tuple(
        _row_of(card, (models, at, which), standing[:, which].tolist(), alpha)
        for which in range(len(card.measures))
    )
    return {
        "models": [card.models[i] for i in models],
        "rows": rows,
        "title": "" if card.groups[at] is None else visible(card.groups[at]),
        "notes": _notes(card, rows, card.bar(0, at), alpha, len(card.models) - len(models)),
    }


def _notes(card: Scorecard, rows: Sequence[Row], bar: Any, alpha: float, left: int) -> list[str]:
    total, (name, part) = int(bar.population.total), bar.population.leading
    about = [f"{plural(total, 'sample')}, {percent(int(part) / total)} {name}."]
    if not all(math.isnan(row.reach) for row in rows):
        chance = percent(alpha).replace(".0 %", " %")
        about.append(
            f"Band: what chance can reach – some classifier that ignores its input, whichever it is, gets as "
            f"far with a probability of {chance} or more. Marks tell whether the true score of this very "
            "model is above the bar."
        )
    if any(row.worst > row.best for row in rows):
        about.append("Losses run from right to left.")
    notes = [" ".join(about)]
    if not all(math.isnan(end) for row in rows for ends in row.intervals for end in ends):
        level = percent(card.confidence_level).replace(".0 %", " %")
        notes.append(f"Whiskers: {level} intervals of the true scores.")
    if card.several_runs:
        notes.append(f"Means over {card.runs:,} runs, with a line of one standard deviation to either side.")
    if left:
        notes.append(f"{plural(left, 'model')} with a higher mean skill not shown.")
    return notes


def _lowest(card: Scorecard, group: int, most: int) -> list[int]:
    """Return the models with the lowest mean skill."""
    skill = card.columns["skill"][:, group]
    known = ~np.isnan(skill)
    mean = np.where(known, skill, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return sorted(np.argsort(mean, kind="stable")[:most].tolist())


def _row_of(card: Scorecard, at: tuple[list[int], int, int], standing: list[str], alpha: float) -> Row:
    models, group, which = at
    bar: Any = card.bar(which, group)
    scores = card.columns["score"][at]
    worst, best, worst_open, best_open = ends_of_axis(bar, scores)
    remark = ""
    if set(standing) == {"undefined"}:
        remark = "no bar" if math.isnan(float(bar.value)) else "no score"
    elif set(standing) == {"unbeatable"}:
        remark = "cannot be beaten"
    spread: list[float] = card.columns["score_sd"][at].tolist() if card.several_runs else []
    whiskers = card.has_p_values and len(models) * len(card.measures) <= INTERVALS
    return Row(
        label=bar.measure.label,
        samples=int(bar.population.total),
        worst=worst,
        best=best,
        worst_open=worst_open,
        best_open=best_open,
        bar=float(bar.value),
        reach=float(np.clip(reach(bar, alpha), min(worst, best), max(worst, best))),
        scores=tuple(scores.tolist()),
        standing=tuple(standing),
        remark=remark,
        spread=tuple(spread),
        intervals=tuple(card.interval(model, group, which) for model in models)
        if whiskers and not card.several_runs
        else (),
    )
