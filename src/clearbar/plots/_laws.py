"""Distributions as they are drawn: atoms, or bins of many atoms, the tail, and the window that shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.null import Draw, NullDistribution
from clearbar.null.hypergeometric import pmf, quantile
from clearbar.plots._blind import nearest_draw
from clearbar.plots._canvas import Canvas
from clearbar.plots._display import NothingToDrawError
from clearbar.problems.binary import Baseline
from clearbar.scorecard import Scorecard
from clearbar.verdict import Verdict

MOST_STEMS = 160
"""Atoms up to which each is drawn; more are gathered in bins."""

BINS = 60
"""Bins over the window that is drawn."""

TABLES = 2**16
"""Tables up to which atoms are listed; of more, bins of one width hold nearly the same number each."""

NARROW = 0.2
"""Share of a common axis below which a distribution gets one of its own."""

HATCH = "/////"
"""How a tail is hatched."""

LOST = 1e-6
"""Mass beyond each end of the window that is drawn."""


@dataclass(frozen=True)
class Law:
    """The distribution of the score under one draw, as it is drawn."""

    predicted_positives: int  # the draw's k
    left: FloatArray  # edges of the bars; equal where each bar is one atom
    right: FloatArray  # edges of the bars; equal where each bar is one atom
    probability: FloatArray  # of each bar
    in_tail: Any  # which bars are at least as good as the model's score
    tail: float  # probability of a score at least that good
    undefined_mass: float  # probability of an outcome at which the measure has no value

    @property
    def binned(self) -> bool:
        """Whether bars gather several atoms."""
        return bool((self.right > self.left).any())


def law_of(null: NullDistribution, score: float) -> Law:
    """Return the atoms of a distribution, or bins of them, one edge of which is the score."""
    rising = null.measure.greater_is_better is not False
    listed = _atoms(null)
    if listed is None:
        bars = _binned(null, score, rising=rising)
    elif len(listed[0]) > MOST_STEMS:
        bars = _gathered(*listed, score, rising=rising)
    else:
        bars = (listed[0], *listed, _in_tail(listed[0], score, rising=rising))
    return Law(null.draw.predicted_positives, *bars, float(null.tail(score)), null.undefined_mass)


def _in_tail(values: FloatArray, score: float, *, rising: bool) -> BoolArray:
    slack = 4 * np.spacing(abs(score))
    inside: BoolArray = values >= score - slack if rising else values <= score + slack
    return inside


def _gathered(
    values: FloatArray, mass: FloatArray, score: float, *, rising: bool
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Gather as many atoms in each bin, from the tail's first one on: no bin is low for want of atoms."""
    per_bin = -(-len(values) // BINS)
    tail = _in_tail(values, score, rising=rising)
    split = int(np.flatnonzero(tail == rising)[0]) if (tail == rising).any() else len(values)
    first = np.append(0, split + per_bin * np.arange(-BINS, BINS))
    first = np.unique(first[(first >= 0) & (first < len(values))])
    probability = np.add.reduceat(mass, first)
    step = float(values[-1] - values[0]) / (len(values) - 1)
    if rising:
        left, right = values[first], np.append(values[first[1:]], values[-1] + step)
    else:
        ends = np.append(first[1:] - 1, len(values) - 1)
        left, right = np.append(values[0] - step, values[ends[:-1]]), values[ends]
    return left, right, probability, tail[first]


def _binned(
    null: NullDistribution, score: float, *, rising: bool
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Cut the window into bins of one width."""
    low, high = (float(null.ppf(q)) for q in (LOST, 1.0 - LOST))
    width = (high - low) / BINS
    first, last = math.floor((low - score) / width), math.ceil((high - score) / width)
    edges = np.array(score + width * np.arange(first, last + 1), dtype=np.float64)
    # Whole shares of what is at least (for a loss: at most) each edge: the score's own atom is in the tail.
    at_least = np.asarray(null.tail(edges))
    mass = at_least[:-1] - at_least[1:] if rising else at_least[1:] - at_least[:-1]
    tail = np.arange(first, last) >= 0 if rising else np.arange(first + 1, last + 1) <= 0
    return edges[:-1], edges[1:], np.maximum(mass, 0.0), tail


def _atoms(null: NullDistribution) -> tuple[FloatArray, FloatArray] | None:
    """Return the atoms that matter; None where they are too many to be listed."""
    population, k = null.draw.population, null.draw.predicted_positives
    total, positives = int(population.total), int(population.positives)
    if min(k, positives) - max(0, k + positives - total) < TABLES:
        values, mass = null.atoms()
        if not len(values):
            return values, mass
        sums = np.cumsum(mass)
        first = int(np.searchsorted(sums, LOST))
        last = int(np.searchsorted(sums, sums[-1] - LOST)) + 1
        return values[first:last], mass[first:last]
    low, high = (int(quantile(LOST, total, positives, k, upper=upper)) for upper in (False, True))
    if high - low >= TABLES:
        return None
    tp = np.arange(low, high + 1)
    scores = null.measure(tp=tp, fp=k - tp, fn=positives - tp, tn=total - positives - k + tp)
    return _merged(np.asarray(scores, dtype=np.float64), pmf(tp, total, positives, k))


def _merged(values: FloatArray, mass: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sort atoms, and merge those of one value."""
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    values, mass = values[known][order], mass[known][order]
    if not len(values):
        return values, mass
    first = np.flatnonzero(np.append(True, np.diff(values) > 4 * np.spacing(np.abs(values[1:]))))
    return values[first], np.add.reduceat(mass, first)


def windows(laws: Sequence[Law], score: float, bar: float) -> list[tuple[float, float]]:
    """Return the stretch of scores that each distribution's axes show.

    One stretch for all that holds every distribution, the score and the bar; for a distribution that would
    be a sliver on it, one of its own, with the score and the bar where they are near.
    """
    whole = _padded(np.concatenate([[score, bar], *([*law.left, *law.right] for law in laws)]))
    return [_window(law, score, bar, whole) for law in laws]


def _window(law: Law, score: float, bar: float, whole: tuple[float, float]) -> tuple[float, float]:
    ends = np.array([law.left.min(initial=math.inf), law.right.max(initial=-math.inf)])
    wide = float(ends[1] - ends[0])
    if not 0 < wide < NARROW * (whole[1] - whole[0]):
        return whole
    for point in sorted((score, bar), key=lambda value: abs(value - ends.mean())):
        held = np.append(ends, point)
        if wide >= NARROW * float(np.ptp(held)):
            ends = held
    return _padded(ends)


def _padded(values: FloatArray) -> tuple[float, float]:
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    spread = (high - low) or max(abs(low), 1.0) * 0.1
    return low - 0.05 * spread, high + 0.05 * spread


def only(card: Scorecard) -> Verdict:
    """Return the one row of a scorecard."""
    if len(card) != 1:
        raise ValueError(
            f"a null distribution is that of one model and one measure; found {len(card):,} rows. "
            "Pass from_verdict one row of evaluate(...)."
        )
    return card[0]


def behind(verdict: Any) -> dict[str, Any]:
    """Return what a picture of the distributions behind a verdict shows.

    The verdict, the law at the model's own number of predicted positives, that at the bar, and whether the
    first is the second.
    """
    if not isinstance(verdict, Verdict):
        raise ValueError(
            f"verdict must be a Verdict, as a scorecard's rows are; found {type(verdict).__name__}."
        )
    bar = verdict.baseline
    if not isinstance(bar, Baseline) or verdict.counts is None or verdict.counts.shape:
        raise ValueError(
            "a null distribution is that of one confusion matrix; this verdict has "
            + ("several runs." if verdict.counts is not None and verdict.counts.shape else "none.")
        )
    if math.isnan(verdict.score):
        raise NothingToDrawError(f"{verdict.measure.label} has no value here, so there is nothing to mark.")
    k = int(verdict.counts.predicted_positives)
    own = Draw(bar.population, k).distribution(bar.measure)
    best = nearest_draw(bar, k)
    attains = best is not None and best.predicted_positives == k
    other = None if best is None or attains else law_of(best.distribution(bar.measure), verdict.score)
    return {
        "verdict": verdict,
        "own": law_of(own, verdict.score),
        "bar": other,
        "own_attains": attains,
    }


def draw_law(canvas: Canvas, law: Law, *, in_tail: bool) -> Any:
    """Draw what lies in the tail, or outside of it: stems, or bins of many atoms."""
    from matplotlib.collections import LineCollection, PolyCollection

    where = law.in_tail if in_tail else ~law.in_tail
    color = canvas.text if in_tail else canvas.muted
    bars = list(zip(law.left[where], law.right[where], law.probability[where], strict=True))
    drawn: Any
    if law.binned:
        corners = [[(a, 0.0), (a, p), (b, p), (b, 0.0)] for a, b, p in bars]
        drawn = PolyCollection(
            corners, facecolor=color, edgecolor=canvas.face, linewidth=0.3 * canvas.unit,
            hatch=HATCH if in_tail else None, alpha=0.9 if in_tail else 0.55,
        )  # fmt: skip
    else:
        ends = [[(a, 0.0), (a, p)] for a, _, p in bars]
        wide = (3.4 if in_tail else 2.2) * min(1.0, 50 / max(len(law.left), 1))
        drawn = LineCollection(ends, colors=[color], linewidths=max(wide, 0.9) * canvas.unit)
    return canvas.ax.add_collection(drawn)


def say_the_only(canvas: Canvas, law: Law, score: float, words: str) -> None:
    """Say that there is no other score, where neither it nor the model's is in the way."""
    low, high = canvas.ax.get_xlim()
    places = sorted({low, high, float(law.left[0]), min(max(score, low), high)})
    left, right = max(pairwise(places), key=lambda gap: gap[1] - gap[0])
    canvas.aside(
        words, ((left + right) / 2, 0.5), (0, 0), xycoords=("data", "axes fraction"), ha="center",
        va="center", color=canvas.text, zorder=7, bbox=canvas.backing,
    )  # fmt: skip


def point_to(canvas: Canvas, words: str, value: float, window: tuple[float, float], line: int) -> None:
    """Say, so many lines from the top, on which side a value lies beyond the axis, if it does."""
    if math.isnan(value) or window[0] <= value <= window[1]:
        return
    right = value > window[1]
    canvas.aside(
        f"{words} →" if right else f"← {words}", (float(right), 1.0), (0, -1.35 * canvas.small * line),
        xycoords="axes fraction", ha="right" if right else "left", va="top", color=canvas.text, zorder=7,
    )  # fmt: skip
