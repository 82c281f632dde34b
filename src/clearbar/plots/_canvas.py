"""What every figure shares: axes, inks, sizes, a legend outside, notes below, and text that is only text.

Nothing here touches matplotlib's global settings: what a user has set is read from them and from the
axes given, and what must differ holds inside of a context.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.formatting import shorten, visible, width, wrapped

BLUE, SKY, VERMILLION, ORANGE = "#0072B2", "#56B4E9", "#D55E00", "#E69F00"
"""Of the palette of Okabe and Ito (Color Universal Design, 2008)."""

COLUMN, USUAL = 3.3, 6.4
"""Widths in inches: a column of a paper, and matplotlib's own figure."""


@dataclass(frozen=True)
class Ink:
    """Colours and sizes that fit the axes: read off them, not chosen."""

    text: Any  # colour of text and of the background
    face: Any  # colour of text and of the background
    clears: str  # colours of what clears, what fails, what a guess also reaches, and of what is said aside
    fails: str  # colours of what clears, what fails, what a guess also reaches, and of what is said aside
    doubt: str  # colours of what clears, what fails, what a guess also reaches, and of what is said aside
    muted: Any  # colours of what clears, what fails, what a guess also reaches, and of what is said aside
    size: float  # points of text

    @property
    def unit(self) -> float:
        """Factor for lines and markers."""
        return self.size / 9.0

    @property
    def small(self) -> float:
        """Points of what is said aside."""
        return max(0.88 * self.size, 6.5)


def pyplot(caller: str) -> Any:
    """Return matplotlib's pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        msg = f"{caller} needs matplotlib, which is not installed: pip install 'clearbar[plots]'"
        raise ImportError(msg) from error
    return plt


@contextmanager
def literal() -> Iterator[None]:
    """Hold TeX off while text is made: a name is shown, not run."""
    import matplotlib as mpl

    with mpl.rc_context({"text.usetex": False}):
        yield


def new_axes(ax: Any, caller: str, height: float) -> Any:
    """Return the axes given, or new ones on a figure of the user's width and this height in inches."""
    plt = pyplot(caller)
    if ax is not None:
        if not hasattr(ax, "transAxes"):
            raise ValueError(f"ax must be a matplotlib Axes; found {type(ax).__name__}.")
        return ax
    _, ax = plt.subplots(figsize=(plt.rcParams["figure.figsize"][0], height), layout="constrained")
    return ax


def inches(ax: Any) -> float:
    """Return how wide a figure would be that these axes fill as usual."""
    return float(ax.bbox.width / ax.figure.dpi / 0.775)


def ink_of(ax: Any) -> Ink:
    """Read colours and sizes off the axes and the user's settings."""
    import matplotlib as mpl
    from matplotlib.colors import to_rgba

    text = to_rgba(ax.xaxis.label.get_color())
    face = to_rgba(ax.get_facecolor())
    if face[3] < 0.5:
        face = to_rgba(ax.figure.get_facecolor())
    if face[3] < 0.5:  # drawn on something unknown: what the text is readable on
        face = (1.0, 1.0, 1.0, 1.0) if sum(text[:3]) < 1.5 else (0.0, 0.0, 0.0, 1.0)
    dark = float(np.dot(face[:3], (0.2126, 0.7152, 0.0722))) < 0.4
    wide = inches(ax)
    if wide < USUAL:
        factor = 0.72 + 0.18 * max(wide - COLUMN, 0.0) / (USUAL - COLUMN)
    else:
        factor = 0.9 * min(wide / USUAL, 2.2)
    size = float(mpl.rcParams["font.size"]) * factor
    muted = tuple(0.68 * t + 0.32 * f for t, f in zip(text[:3], face[:3], strict=True))
    return Ink(text, face, SKY if dark else BLUE, VERMILLION, ORANGE, muted, size)


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


def dress(ax: Any, ink: Ink, xlabel: str = "", ylabel: str = "") -> None:
    """Label the axes, in the figure's size of text, and leave only the lines that are read."""
    ax.tick_params(labelsize=ink.small)
    ax.set_xlabel(xlabel, fontsize=ink.size)
    ax.set_ylabel(ylabel, fontsize=ink.size)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set_fontsize(ink.small)


def ticks_that_fit(ax: Any, ink: Ink) -> None:
    """Leave as many ticks on the horizontal axis as have room, however many digits they need."""
    low, high = ax.get_xlim()
    digits = max(2, 2 - math.floor(math.log10(abs(high - low) or 1.0)))
    ax.locator_params(axis="x", nbins=int(np.clip(_room(ax, ink) // (0.75 * ink.small * (digits + 2)), 2, 7)))


def legend_above(
    ax: Any, ink: Ink, handles: Sequence[Any], labels: Sequence[str], *, lines: float = 0.0, left: float = 0.0
) -> Any:
    """Put a legend above the axes and so many lines of small text, in as many columns as fit.

    It begins `left` points to the left of the axes, above the labels of wide rows.

    The labels are set after the legend is made, since it drops those that begin with an underscore.
    """
    from matplotlib.transforms import ScaledTranslation

    raised = ScaledTranslation(-left / 72, lines * 1.3 * ink.small / 72, ax.figure.dpi_scale_trans)
    columns = _columns([width(label) for label in labels], _room(ax, ink) / (0.58 * ink.small))
    legend = ax.legend(
        list(handles),
        ["·"] * len(handles),
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        bbox_transform=ax.transAxes + raised,
        borderaxespad=0.4,
        borderpad=0.2,
        ncols=columns,
        frameon=False,
        fontsize=ink.small,
        handlelength=1.8,
        handletextpad=0.6,
        columnspacing=1.4,
        labelspacing=0.35,
    )
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_text(label)
        text.set_color(ink.text)
    return legend


def _room(ax: Any, ink: Ink) -> float:
    """Return how many points of width there are beside the labels of an axis."""
    return inches(ax) * 72 - 5.5 * ink.size


def _columns(widths: Sequence[int], room: float) -> int:
    """Return in how many columns, filled one after the other, a legend's labels fit side by side."""
    for columns in range(len(widths), 1, -1):
        widest = [int(part.max()) for part in np.array_split(np.array(widths), columns)]
        if sum(widest) + 7 * len(widest) - 2 <= room:
            return columns
    return 1


def wrapped_to(ax: Any, ink: Ink, sentences: Sequence[str]) -> str:
    """Break sentences, each beginning a line, where the small text would leave the axes."""
    room = max(int(_room(ax, ink) / (0.54 * ink.small)), 24)
    return "\n".join("\n".join(textwrap.wrap(sentence, room)) for sentence in sentences if sentence)


def note_below(ax: Any, ink: Ink, sentences: Sequence[str], *, lines: float = 2.0, left: float = 0.0) -> Any:
    """Write sentences under the axes, below as many lines of labels; None where there are none."""
    text = wrapped_to(ax, ink, sentences)
    if not text:
        return None
    return ax.annotate(
        text.replace("$", r"\$"),
        xy=(0.0, 0.0),
        xycoords="axes fraction",
        xytext=(-left, -(1.25 * lines * ink.size + 10.0)),
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize=ink.small,
        color=ink.muted,
        annotation_clip=False,
        linespacing=1.25,
    )


def toward(measure: Any) -> str:
    """Say which way is better, for the label of an axis."""
    return {True: "", False: " (less is better)", None: " (neither end is better)"}[measure.greater_is_better]
