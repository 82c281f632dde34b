"""The rows of a scorecard's picture: each measure's axis, bar, reach and scores, in its own units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core.errors import listed, shown
from clearbar.formatting import number, percent, plural, whole_percent
from clearbar.plots._blind import ends_of_axis, reach
from clearbar.plots._marks import JUDGED
from clearbar.scorecard import INTERVALS, Scorecard

Order = Literal["best", "worst", "given"]
"""What comes first in a picture of rows."""


@dataclass(frozen=True)
class Row:
    """One measure: its axis, its bar and the models' scores, all in the measure's own units."""

    label: str  # the measure
    samples: int  # number of samples, for digits
    worst: float  # ends of the axis; a loss has its smallest value at the best end
    best: float
    worst_open: bool  # whether the measure goes on beyond that end
    best_open: bool
    bar: float  # nan where there is none
    reach: float  # how far chance can reach; nan where that is not known
    scores: tuple[float, ...]  # a score per model, nan where there is none
    standing: tuple[str, ...]  # how each stands: an outcome, or "doubt"
    remark: str  # why there is no verdict; empty where there is one
    spread: tuple[float, ...] = ()  # standard deviation over runs per model; empty where there is one run
    intervals: tuple[tuple[float, float], ...] = ()  # per model; empty where there are none

    @property
    def loss(self) -> bool:
        """Whether less is better."""
        return self.worst > self.best

    @property
    def differs(self) -> bool:
        """Whether a mark says something else than the grey: a sure score in it, or one in doubt beyond it."""
        if math.isnan(self.reach):
            return False
        beyond = self.place(self.scores) > self.place(self.reach)
        pairs = zip(beyond.tolist(), self.standing, strict=True)
        return any(name == ("doubt" if outside else "clears") for outside, name in pairs)

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


def refuse_unnamed(argument: str, name: Any, names: Sequence[str]) -> None:
    """Refuse not to name one of several."""
    if name is None and len(names) > 1:
        known = listed(list(names), most=12)
        raise ValueError(f"{argument} must be named, since the scorecard has several: {known}.")


def ordered(values: FloatArray, order: Order) -> list[int]:
    """Return the positions of values in an order; those that are not known come last."""
    if order not in get_args(Order):
        raise ValueError(f'order must be "best", "worst" or "given"; found {shown(order)}.')
    if order == "given":
        return list(range(len(values)))
    return [int(at) for at in np.argsort(-values if order == "best" else values, kind="stable")]


def labels_of(card: Scorecard) -> list[str]:
    """Return what the measures are called."""
    return [measure.label for measure in card.measures]


def losses_of(card: Scorecard) -> list[bool]:
    """Return of which measures less is better."""
    return [measure.greater_is_better is False for measure in card.measures]


def checked_most(most: Any) -> int:
    """Return how many rows are drawn at most."""
    if not isinstance(most, (int, np.integer)) or isinstance(most, bool) or most < 1:
        raise ValueError(f"most must be a whole number from 1 up; found {shown(most)}.")
    return int(most)


def telling(rows: Sequence[Row], models: int, lines: float, head: float) -> tuple[list[int], list[Row]]:
    """Return models and measures that so many lines hold: all, or those with the worst verdicts.

    A measure takes a line for each model and `head` more.
    """
    if lines >= 0.85 * len(rows) * (models + head):
        return list(range(models)), list(rows)
    most_models = max(1, min(models, int(lines - head)))
    most_rows = max(1, int(lines // (most_models + head)))
    worst = worst_verdicts([row.standing for row in rows], most_rows)
    return first_and_last(models, most_models), [rows[at] for at in worst]


def worst_verdicts(standing: Sequence[Sequence[str]], most: int) -> list[int]:
    """Return which measures, of each of which the models' verdicts are given, have the worst verdicts."""
    badness = [sum(JUDGED.index(name) if name in JUDGED else -1 for name in names) for names in standing]
    return sorted(np.argsort(-np.array(badness), kind="stable")[:most].tolist())


def first_and_last(models: int, most: int) -> list[int]:
    """Return so many models, half of them from either end: the best and the worst if they are in order."""
    return sorted({*range(most - most // 2), *range(models - most // 2, models)})


def not_drawn(models: int, measures: int) -> str:
    """Say how many models and measures have no room; empty where all have."""
    counts = (models, "more model"), (measures, "more measure")
    parts = [plural(count, words) for count, words in counts if count]
    return f"{' and '.join(parts)} not drawn here." if parts else ""


def notes_on(card: Scorecard, rows: Sequence[Row], bar: Any, alpha: float, order: Order) -> list[str]:
    """Say what is seen, then in a line of its own what there may be no room for."""
    total, (name, part) = int(bar.population.total), bar.population.leading
    about = [f"{plural(total, 'sample')}, {percent(int(part) / total)} {name}."]
    if not all(math.isnan(end) for row in rows for ends in row.intervals for end in ends):
        about.append(f"Whiskers: {whole_percent(card.confidence_level)} intervals.")
    if card.several_runs:
        about.append(f"Means over {card.runs:,} runs, with a line of one standard deviation to either side.")
    if not all(math.isnan(row.reach) for row in rows):
        about.append(f"Grey: what chance can reach with a probability of {whole_percent(alpha)} or more.")
    details = []
    if any(row.differs for row in rows):
        details.append(
            "A mark says whether this model's true score is above the bar; the grey, how far guessing gets. "
            "The two may disagree."
        )
    if any(row.loss for row in rows):
        details.append("Losses run from right to left.")
    if len(card.models) > 1 < len(rows) and order != "given":
        details.append(f"Models by mean skill, the {order} first.")
    return [" ".join(sentences) for sentences in (about, details) if sentences]


def row_of(
    card: Any, models: list[int], group: int, measure: int, standing: Sequence[str], alpha: float
) -> Row:
    """Return the row of a measure: how some models stand to its bar on a slice."""
    bar: Any = card.bar(measure, group)
    scores = card.columns["score"][models, group, measure]
    worst, best, worst_open, best_open = ends_of_axis(bar, scores)
    remark = ""
    if math.isnan(float(bar.value)):
        remark = "no bar"
    elif not set(JUDGED) & set(standing):
        remark = "cannot be beaten" if "unbeatable" in standing else "no score"
    whiskers = card.has_p_values and len(models) * len(card.measures) <= INTERVALS
    runs = card.several_runs
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
        spread=tuple(card.columns["score_sd"][models, group, measure].tolist() if runs else ()),
        intervals=tuple(card.interval(model, group, measure) for model in models if whiskers and not runs),
    )
