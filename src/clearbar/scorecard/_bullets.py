"""A score as a bullet chart in SVG: what chance can reach, the interval, the bar as a tick, and a mark.

As wide as the place it is drawn in. The axis is its lower edge; the ends of an interval are higher than the
mark, which would hide a short one. Lines are of the page's ink, marks of the palette's colours; classes let a
style sheet say otherwise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray
from clearbar.core.counts import Population
from clearbar.formatting._palette import BELOW, CLEARS, UNSETTLED
from clearbar.scorecard._sentences import sides

if TYPE_CHECKING:
    from clearbar.scorecard._columns import View

COLOURS = {"clears": "clears", "doubt": "unsettled", "fails": "below", "ties": "below"}
"""Which colour of the palette a mark has; that of what is not judged is grey."""

WIDE, NARROW = 120, 64
"""Pixels of a cell's chart: of one model with its interval, of several."""

_MARKS = {
    "clears": f'<circle class="clears" fill="{CLEARS}" cx="{{x}}" cy="50%" r="3.5"/>',
    "unsettled": (
        f'<circle class="unsettled" fill="none" stroke="{UNSETTLED}" stroke-width="2" cx="{{x}}" cy="50%" '
        'r="3.25"/>'
    ),
    "below": (
        f'<svg x="{{x}}" y="50%" overflow="visible"><path class="below" fill="none" stroke="{BELOW}" '
        'stroke-width="2.5" d="M-4-4l8 8m0-8l-8 8"/></svg>'
    ),
    "": '<circle class="cb-grey" fill="#8a8f99" cx="{x}" cy="50%" r="3.5"/>',
}
_LINE = '<line class="cb-{}" stroke="currentColor" {} x1="{}" x2="{}" y1="{}" y2="{}"/>'


def bullet(
    view: View, model: int, group: int, measure: int, *, interval: bool = False, limit: float = math.nan
) -> str:
    """Return the marks of one score, to stand within an ``svg``; the better end is on the right.

    The axis is that of all models, so that their marks can be compared. `limit` is what chance can reach.
    """
    card: Any = view.card
    bar = card.bar(measure, group)
    worst, best, *_ = axis_ends(bar, card.columns["score"][:, group, measure])

    def x(value: float) -> str:
        share = (value - worst) / (best - worst) if best != worst else 1.0  # without positives both may be 0
        return f"{100 * min(max(share, 0.0), 1.0):.4g}%"

    score = float(card.columns["score"][model, group, measure])
    low, high = card.interval(model, group, measure) if interval else (math.nan, math.nan)
    parts = []
    if not math.isnan(limit):
        reached = x(min(max(limit, min(worst, best)), max(worst, best)))
        parts.append(
            f'<rect class="cb-reach" fill="currentColor" fill-opacity=".13" width="{reached}" height="100%"/>'
        )
    parts.append(_LINE.format("axis", 'stroke-opacity=".35"', 0, "100%", "100%", "100%"))
    if np.isfinite([low, high]).all():
        parts.append(_LINE.format("line", 'stroke-width="1.5"', x(low), x(high), "50%", "50%"))
        parts += [
            _LINE.format("end", 'stroke-width="1.5"', x(end), x(end), "25%", "75%") for end in (low, high)
        ]
    if math.isfinite(float(bar.value)):
        bar_position = x(float(bar.value))
        parts.append(_LINE.format("tick", 'stroke-width="3"', bar_position, bar_position, "8%", "92%"))
    if math.isfinite(score):
        parts.append(_MARKS[COLOURS.get(str(view.state[model, group, measure]), "")].format(x=x(score)))
    return "".join(parts)


def marks_legend(view: View) -> list[str]:
    """Say what each mark means that a chart has."""
    worse, better = sides(view.card.measures)
    words = {
        "clears": "dot: clears" if view.card.has_p_values else f"dot: {better} the bar",
        "doubt": "ring: could be chance",
        "fails": f"cross: {worse} the bar",
        "unbeatable": "grey dot: the bar cannot be beaten",
    }
    return [said for state, said in words.items() if (view.state == state).any()]


def bullet_svg(view: View, model: int, group: int, measure: int) -> str:
    """Return a bullet chart for a cell of a notebook, whose words say the same."""
    interval = group == 0 and len(view.card.models) == 1 and view.card.has_p_values
    marks = bullet(view, model, group, measure, interval=interval)
    size = f'width="{WIDE if interval else NARROW}" height="14" overflow="visible"'
    return f'<svg {size} aria-hidden="true" style="vertical-align:middle;margin:0 .5em">{marks}</svg>'


def axis_ends(bar: Any, scores: FloatArray) -> tuple[float, float, bool, bool]:
    """Return the worst and the best end of a measure's axis, and whether either is open.

    The bound of the measure, or where it has none the value at the table with everything wrong; and the score
    of perfect predictions, or the measure's bound. What is open ends a little beyond the last thing that is
    shown.
    """
    measure = bar.measure
    rising = measure.greater_is_better is not False
    worst, best = measure.bounds if rising else measure.bounds[::-1]
    if not math.isfinite(worst):
        worst = math.nan
        if isinstance(measure, Measure) and isinstance(bar.population, Population):
            p, n = bar.population.positives, bar.population.negatives
            worst = float(measure(tp=p * 0, fp=n, fn=p, tn=n * 0))
    perfect = float(bar.best_possible)
    if math.isfinite(perfect) and measure.greater_is_better is not None:
        best = perfect
    shown = np.array([*scores, float(bar.value)])
    shown = shown[np.isfinite(shown)]
    sign = 1.0 if rising else -1.0
    worst, worst_open = _closed(worst, -sign, shown, float(bar.worst_value))
    best, best_open = _closed(best, sign, shown)
    return worst, best, worst_open, best_open


def _closed(end: float, sign: float, shown: FloatArray, extreme: float = math.nan) -> tuple[float, bool]:
    """Return an end that holds all that is shown, and whether more is known to lie, or may lie, beyond."""
    if math.isfinite(end) and not (sign * np.append(shown, extreme) > sign * end * (1 + 1e-9)).any():
        return end, False
    if not shown.size:
        return sign, True
    last = float(sign * (sign * shown).max())
    spread = float(np.ptp(shown)) or abs(last) or 1.0
    return last + sign * 0.1 * spread, True
