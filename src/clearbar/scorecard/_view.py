"""A scorecard and how it is looked at: how each row stands, and its bar and scores as they are written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clearbar.formatting import decimals, number
from clearbar.scorecard._rows import standing
from clearbar.verdict import checked_alpha, sides

if TYPE_CHECKING:
    from clearbar.formatting import Style
    from clearbar.problems._protocol import Judged
    from clearbar.scorecard._card import Scorecard

MARKS = {"fails": "✗", "ties": "=", "doubt": "?"}
STYLES: dict[str, Style] = {
    "fails": "bad",
    "ties": "bad",
    "doubt": "doubt",
    "unbeatable": "muted",
    "undefined": "muted",
}
MEANING = {
    "doubt": "{better} the bar, but it could be chance",
    "ties": "exactly at the bar",
    "fails": "{worse} the bar",
}

SAME = 1e-12
"""Closer than this to the bar, relative to the scores there can be, a score is the bar but for rounding."""


def meaning(state: str, measures: Iterable[Judged]) -> str:
    """Say what a mark means, of a score by one of these measures; empty where there is none."""
    worse, better = sides(measures)
    return MEANING.get(state, "").format(worse=worse, better=better)


class Hints(NamedTuple):
    """What a reader can type next; the methods of a card unless a shell says otherwise."""

    more: str = ": card.worst(20), card.failing, card.to_frame()"
    """Stands after the number of rows that are left out."""
    reasons: str = ": card.to_frame() has the reasons"


@dataclass(frozen=True)
class View:
    """A scorecard and how it is looked at."""

    card: Scorecard  # the rows
    alpha: float  # the p-value above which a score is doubtful
    state: Any  # how each row stands
    hints: Hints

    @classmethod
    def of(cls, card: Scorecard, alpha: float | None = None, hints: Hints | None = None) -> View:
        """Look at a scorecard."""
        level = card.alpha if alpha is None else checked_alpha(alpha)
        return cls(card, level, standing(card, alpha), hints or Hints())

    def legend(self, states: Any) -> list[tuple[str, str, str]]:
        """Return of these states that have a mark: their name, the mark, and what it means."""
        return [(state, MARKS[state], self._meaning(state)) for state in MEANING if state in states]

    def _meaning(self, state: str) -> str:
        rows = (self.state == state).any(axis=(0, 1)).tolist()
        return meaning(state, [measure for measure, has in zip(self.card.measures, rows, strict=True) if has])

    def samples(self, group: int) -> int:
        """Return the samples of a group."""
        return int(np.asarray(self.card.population.total)[group])

    def interval(self, model: int, group: int, measure: int) -> str:
        """Write the interval of a score."""
        low, high = self.card.interval(model, group, measure)
        ends = (number(end, self.samples(group)) for end in (low, high))
        return "–" if math.isnan(low) else " – ".join(ends)

    def written(self, models: Sequence[int], group: int, measure: int) -> tuple[str, list[str]]:
        """Write a bar and scores; digits are added until what differs from the bar shows it."""
        columns, samples = self.card.columns, self.samples(group)
        bar = float(columns["bar"][models[0], group, measure])
        values = [float(columns["score"][model, group, measure]) for model in models]
        ends = (float(columns[name][models[0], group, measure]) for name in ("best_possible", "worst_draw"))
        scale = max((abs(end) for end in (bar, *ends) if math.isfinite(end)), default=0.0)
        # What is the bar but for rounding is written as the bar; nothing has digits that would tell it apart.
        same = [
            self.state[model, group, measure] == "ties" or abs(value - bar) <= SAME * scale
            for value, model in zip(values, models, strict=True)
        ]
        for places in range(decimals(samples), decimals(samples) + 6):
            bar_text = number(bar, scale=scale, places=places)
            texts = [bar_text if alike else number(value, scale=scale, places=places)
                     for value, alike in zip(values, same, strict=True)]  # fmt: skip
            if math.isnan(bar) or not any(
                text == bar_text and not alike for text, alike in zip(texts, same, strict=True)
            ):
                break
        return bar_text, texts
