"""Which pictures a page has, and of what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from clearbar.formatting import number, visible
from clearbar.problems.binary import Baseline
from clearbar.report._sheet import has_whole, judged_skill
from clearbar.scorecard import Names, Scorecard, View, slices

ROWS = 16
"""Measures in one picture."""

SLICES = 10
"""Slices in one picture; finding the interval of each takes a moment, and the table has all."""

_INKS = {
    "#ffffff": "var(--page,#fff)",
    "#525252": "var(--soft,#525252)",
    "#0072b2": "var(--blue,#0072b2)",
}
"""What the page's style, which knows of dark and light, calls the figures' colours."""


@dataclass(frozen=True)
class Picture:
    """A figure of the page."""

    svg: Any  # markup, with the picture in words
    caption: str  # what is to be seen


def pictures(view: View, names: Names) -> list[Picture]:
    """Draw the verdicts on the whole, on the slices, and the one verdict that is worth a closer look."""
    wanted = enumerate(_wanted(view, names))
    drawn = [_drawn(f"p{place}", draw, caption) for place, (draw, caption) in wanted]
    return [picture for picture in drawn if picture is not None]


def _drawn(name: str, draw: Callable[[], Any], caption: str) -> Picture | None:
    from markupsafe import Markup

    from clearbar.plots import NothingToDrawError, inline_svg

    try:
        svg, _ = inline_svg(draw, name, _INKS)
    except NothingToDrawError:  # no slice can be judged, say
        return None
    return Picture(Markup(svg), caption)  # noqa: S704 - escaped there


def _wanted(view: View, names: Names) -> list[tuple[Callable[[], Any], str]]:
    from clearbar.plots import ScorecardDisplay, SlicesDisplay

    card: Any = view.card
    alpha = view.alpha
    makers: list[tuple[Callable[[], Any], str]] = []
    if has_whole(card):
        where = f" on {names.groups[0]}" if len(card.groups) > 1 else ""
        if len(card.measures) > ROWS:
            where = f"{where}, for the {ROWS} measures with the least skill"
        caption = f"Scores and bars{where}. Each row is an axis of its own, the better end on the right"
        caption += "; the band is what chance can reach." if card.counts is not None else "."
        makers.append((partial(ScorecardDisplay.from_scorecard, _fewer(view), alpha=alpha), caption))
    if len(card.groups) > 1:
        model, measure = _most_missed(view)
        own, name = _of_measures(card, [measure]), card.models[model]
        draw = partial(SlicesDisplay.from_scorecard, own, model=name, most=SLICES, alpha=alpha)
        caption = (
            f"{names.measures[measure]} of {names.models[model]} in the {card.group_words[1]}, by distance "
            "from their own bars: the pair with the most bars missed."
        )
        makers.append((draw, caption))
    return makers + _closer_look(view, names)


def _fewer(view: View) -> Any:
    """Return a scorecard of as many measures as a picture has room for: those with the least skill."""
    card = view.card
    if len(card.measures) <= ROWS:
        return card
    least = judged_skill(view)[:, 0].min(axis=0)
    return _of_measures(card, np.sort(np.argsort(least, kind="stable")[:ROWS]).tolist())


def _of_measures(card: Any, chosen: list[int]) -> Scorecard:
    """Return a scorecard of some of the measures, so that nothing is worked out for the others."""
    columns = {name: column[:, :, chosen] for name, column in card.columns.items()}
    measures = tuple(card.measures[at] for at in chosen)
    bars = tuple(card.baselines[at] for at in chosen)
    return Scorecard(
        card.models, card.groups, measures, card.counts, bars, columns, card.undefined,
        confidence_level=card.confidence_level, has_p_values=card.has_p_values, problem=card.problem,
    )  # fmt: skip


def _most_missed(view: View) -> tuple[int, int]:
    """Return the model and measure with the most slices that miss their bar, then with the least skill."""
    chosen = slices(view.card)
    state = view.state[:, chosen]
    missed = np.isin(state, ("fails", "ties")).sum(axis=1)
    least = judged_skill(view)[:, chosen].min(axis=1)
    order = np.lexsort((least.reshape(-1), -missed.reshape(-1)))
    model, measure = np.unravel_index(int(order[0]), missed.shape)
    return int(model), int(measure)


def _closer_look(view: View, names: Names) -> list[tuple[Callable[[], Any], str]]:
    """Return the law and the curve behind the closest call on the whole."""
    from clearbar.plots import ExpectationDisplay, NullDisplay

    card = view.card
    if card.counts is None or card.several_runs or not has_whole(card):
        return []
    near = np.abs(judged_skill(view)[:, 0])
    if np.isinf(near).all():
        return []
    # Predictions that are all alike leave nothing to chance: they are looked at where there are no others.
    k, total = (np.asarray(cells)[:, :1] for cells in (card.counts.predicted_positives, card.counts.total))
    alike = np.broadcast_to((k == 0) | (k == total), near.shape)
    order = np.lexsort((near.reshape(-1), alike.reshape(-1), np.isinf(near).reshape(-1)))
    model, measure = (int(at) for at in np.unravel_index(int(order[0]), near.shape))
    bar = card.bar(measure, 0)
    if not isinstance(bar, Baseline):
        return []
    row = model * len(card.groups) * len(card.measures) + measure
    counts = card.counts[model, 0]
    label, model_name = names.measures[measure], names.models[model]
    score = number(float(card.columns["score"][model, 0, measure]), view.samples(0))
    return [
        (
            partial(NullDisplay.from_verdict, card[row]),
            f"The closest call: how likely random answers get the {label} {score} of {model_name}.",
        ),
        (
            partial(
                ExpectationDisplay.from_counts, counts, card.measures[measure],
                undefined=card.undefined, confidence_level=card.confidence_level,
                name=card.models[model],
            ),
            f"What random answers expect of {visible(label)}, by the share that they predict positive.",
        ),
    ]  # fmt: skip
