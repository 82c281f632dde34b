"""Text on a figure: its size, names that no renderer obeys, widths in points, lines that fit."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from typing import Any

from clearbar.formatting import shorten, visible, wrapped

WIDER = 1.04
"""How much wider text is drawn, its letters fitted to pixels, than its outlines are."""

COLUMN, USUAL = 3.3, 6.4
"""Widths in inches: a column of a paper, and matplotlib's own figure."""


def factor_of(wide: float) -> float:
    """Return the size of text on a figure of this width, as a share of the user's."""
    if wide < USUAL:
        return 0.72 + 0.18 * max(wide - COLUMN, 0.0) / (USUAL - COLUMN)
    return 0.9 * min(wide / USUAL, 2.2)


def width_of(ax: Any) -> float:
    """Return how many inches wide a figure would be that these axes fill as usual."""
    return float(ax.bbox.width / ax.figure.dpi / 0.775)


def text_width(text: str, size: float) -> float:
    """Return how many points wide a line of text is, in the user's font."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a font that lacks a letter is told of when it is drawn
        return WIDER * float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def widest(texts: Iterable[str], size: float) -> float:
    """Return how many points wide the widest of some lines of text is."""
    return max((text_width(text, size) for text in texts), default=0.0)


def broken(sentence: str, size: float, room: float) -> str:
    """Break a sentence into lines of so many points, not before %; nothing in it is run as a formula."""
    lines = [""]
    for word in re.findall(r"\S+(?: %\S*)?", sentence):
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and text_width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines).replace("$", r"\$")


def plain(name: object, most: int = 28) -> str:
    r"""Return a name that no renderer obeys, short enough for a figure."""
    return shorten(visible(name), most).replace("$", r"\$")


def lines_of(name: object, most: int, lines: int = 2) -> str:
    """Return a name broken into a few lines, and cut where that is not enough."""
    text = shorten(visible(name), most * lines - lines + 1)
    parts = wrapped(text, most)
    if len(parts) > lines:
        parts = [shorten(text, most)]
    return "\n".join(parts).replace("$", r"\$")


def axis_label(measure: Any) -> str:
    """Return what an axis of a measure is called, and which way is better where that is not up."""
    better = {True: "", False: " (less is better)", None: " (neither end is better)"}
    return plain(measure.label) + better[measure.greater_is_better]
