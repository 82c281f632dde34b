"""A scorecard as a drawing in SVG, for a README or a model card: a badge of one line, or a card."""

from __future__ import annotations

import html
import itertools
import math
import textwrap
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

import numpy as np

from clearbar.core.errors import shown, visible
from clearbar.formatting import capital, plural
from clearbar.formatting._palette import THEMES
from clearbar.scorecard._bullets import COLOURS, bullet, marks_legend
from clearbar.scorecard._columns import View
from clearbar.scorecard._rows import best_first, which_model
from clearbar.scorecard._sentences import sides
from clearbar.verdict import UNJUDGED

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

MOST = 36  # scores of a card
WIDTH, LABEL, ROW, GAP = 640, 210, 26, 8  # of a card, the column of names, a row, between measures
LETTER, WIDE = 6.6, 11  # about the width of a letter of 11 px, and the size of letters


def to_svg(
    card: Scorecard,
    kind: Literal["badge", "card"] = "card",
    *,
    model: str | None = None,
    alpha: float | None = None,
) -> str:
    """Draw the scorecard of all samples as SVG, for a README or a model card.

    Parameters
    ----------
    kind : {"card", "badge"}
        A card has the headline and a row for each score: bar, interval and mark on an axis of its own. It
        follows a reader's choice of light or dark. A badge says in a line how many bars are cleared.
    model : str, optional
        The only model to show; all by default.
    alpha : float, optional
        The corrected p-value above which a score could be chance; that of the scorecard by default.

    Returns
    -------
    str
        One SVG element, without scripts or links.

    Raises
    ------
    ValueError
        If `kind` is neither, or no model has that name.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=50, fp=3, fn=4, tn=40), ["f1", "mcc"])
    >>> card.to_svg("badge")[:41]
    '<svg xmlns="http://www.w3.org/2000/svg" w'
    """
    if kind not in ("badge", "card"):
        raise ValueError(f"kind must be 'badge' or 'card'; found {shown(kind)}.")
    view = View.of(card, alpha)
    models = best_first(card) if model is None else [which_model(card, model)]
    return _badge(view, models) if kind == "badge" else _card(view, models, alpha, model)


def _badge(view: View, models: list[int]) -> str:
    state = view.state[models, 0]
    judged = ~np.isin(state, UNJUDGED)
    cleared, judgeable = ((state == "clears") & judged).sum(axis=1), judged.sum(axis=1)
    worst = next((name for name in ("fails", "ties", "doubt", "clears") if (state == name).any()), "")
    better, has_p_values = sides(view.card.measures)[1], view.card.has_p_values
    if not worst:
        said = "not judged"
    elif len(models) == 1:
        bars = plural(int(judgeable[0]), "bar")
        every = "both bars" if judgeable[0] == 2 else f"all {bars}" if judgeable[0] > 2 else "the bar"
        said = every if cleared[0] == judgeable[0] else f"{cleared[0]} of {bars}"
        said = f"{'clears' if has_p_values else better} {said}"
    else:
        clear = int(((cleared == judgeable) & (judgeable > 0)).sum())
        said = f"{clear} of {len(models)} models {'clear' if has_p_values else f'{better} their bars'}"
    left, right = 14 + LETTER * len("clearbar"), 16 + LETTER * len(said)
    colour = THEMES["light"][f"{COLOURS[worst]}-text" if worst else "soft"]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.0f}" height="20" role="img" '
        f'aria-label="clearbar: {said}"><title>clearbar: {said}</title>'
        f'<rect width="{left + right:.0f}" height="20" rx="3" fill="#3d4450"/>'
        f'<path fill="{colour}" d="M{left:.0f} 0h{right - 3:.0f}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3'
        f'h-{right - 3:.0f}z"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="{WIDE}">'
        f'<text x="7" y="14">clearbar</text><text x="{left + 8:.0f}" y="14">{said}</text></g></svg>'
    )


def _card(view: View, models: list[int], alpha: float | None, model: str | None) -> str:
    card = view.card
    title = textwrap.wrap(card.headline(alpha, model=model), 60)
    rows = [(measure, each) for measure in range(len(card.measures)) for each in models]
    y, several = 22 * len(title) + 34, len(models) > 1
    parts = [_text(line, 20, 32 + 22 * i, "cb-title") for i, line in enumerate(title)]
    for measure, of_measure in itertools.groupby(rows[:MOST], key=itemgetter(0)):
        label = visible(card.measures[measure].label)
        bar_text, scores = view.written(models, 0, measure)
        bar = "" if math.isnan(float(card.columns["bar"][models[0], 0, measure])) else f"bar {bar_text}"
        if several:  # the measure and its bar stand once, above the models
            y += GAP if measure else 0
            heading = capital(f"{label}, {bar}" if bar else label)
            parts.append(_text(heading, 20, y + 7, "cb-measure"))
            y += ROW
        for (_, each), score in zip(of_measure, scores, strict=False):
            name = visible(card.models[each]) if several else label
            texts = _shortened(name), score, "" if several else bar
            parts.append(_row(view, each, measure, texts, y, axis=320 if several else 230))
            y += ROW
    if len(rows) > MOST:
        parts.append(_text(f"{plural(len(rows) - MOST, 'more score')}.", 20, y, "cb-soft cb-note"))
    height = y + 50
    samples = plural(view.samples(0), "sample")
    level = f"{card.confidence_level:.0%}".replace("%", " %")
    note = f"{samples}. Tick: the bar, the best without looking at a feature. Whisker: {level} interval."
    marks = "".join(f"{capital(words)}. " for words in marks_legend(view))
    parts.append(_text(note, 20, height - 30, "cb-soft cb-note"))
    parts.append(_text(marks, 20, height - 14, "cb-soft cb-note"))
    parts.append(_text("clearbar", WIDTH - 20, height - 14, "cb-soft cb-note cb-end"))
    light, dark = (
        f".cb-card{{{';'.join(f'--cb-{name}:{colour}' for name, colour in theme.items())}}}"
        for theme in THEMES.values()
    )
    rules = (
        f"{light}@media (prefers-color-scheme:dark){{{dark}}}"
        ".cb-card{color:var(--cb-ink)}.cb-page{fill:var(--cb-page);stroke:var(--cb-line)}"
        ".cb-card text{font:13px system-ui,sans-serif;fill:var(--cb-ink)}"
        ".cb-card .cb-title{font-size:17px;font-weight:600}"
        ".cb-card .cb-measure{font-weight:600}"
        ".cb-card .cb-soft{fill:var(--cb-soft)}.cb-card .cb-note{font-size:11px}"
        ".cb-card .cb-end{text-anchor:end}"
        ".cb-card .unsettled{fill:var(--cb-page);stroke:var(--cb-unsettled)}"
        ".cb-card .clears{fill:var(--cb-clears)}.cb-card .below{stroke:var(--cb-below)}"
    )
    described = html.escape(card.headline(alpha, model=model))
    return (
        f'<svg class="cb-card" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-label="{described}">'
        f"<title>{described}</title><style>{rules}</style>"
        f'<rect class="cb-page" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>'
        f"{''.join(parts)}</svg>"
    )


def _row(view: View, model: int, measure: int, texts: tuple[str, str, str], y: float, axis: int) -> str:
    """Draw a score on its axis, between its name, and the score and the bar in figures."""
    name, score, bar = texts
    marks = bullet(view, model, 0, measure, interval=True)
    return "".join(
        [
            _text(name, 20, y + 5),
            f'<svg x="{LABEL + 20}" y="{y - 11}" width="{axis}" height="22" overflow="visible">{marks}</svg>',
            _text(score, LABEL + axis + 40, y + 5),
            _text(bar, LABEL + axis + 105, y + 5, "cb-soft") if bar else "",
        ]
    )


def _shortened(name: str) -> str:
    return name if len(name) <= 25 else f"{name[:24]}…"


def _text(words: str, x: float, y: float, style: str = "") -> str:
    named = f' class="{style}"' if style else ""
    return f'<text x="{x}" y="{y:.1f}"{named}>{html.escape(words)}</text>'
