"""Axes with the colours and sizes that fit them: what every picture is drawn on.

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

Key = tuple[Any, str]
"""A handle of a legend and its label."""


@dataclass(frozen=True)
class Canvas:
    """Axes, and the colours and sizes read off them; widths are in points where text has nine."""

    ax: Any
    text: Any
    face: Any  # the background
    clears: str
    fails: str
    doubt: str
    muted: Any
    size: float  # points of text

    @classmethod
    def of(cls, ax: Any) -> Canvas:
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
        muted = tuple(0.68 * t + 0.32 * f for t, f in zip(text[:3], face[:3], strict=True))
        size = float(mpl.rcParams["font.size"]) * factor
        return cls(ax, text, face, SKY if dark else BLUE, VERMILLION, ORANGE, muted, size)

    @property
    def unit(self) -> float:
        """Factor for lines and markers."""
        return self.size / 9.0

    @property
    def small(self) -> float:
        """Points of what is said aside."""
        return max(0.88 * self.size, 6.5)

    @property
    def room(self) -> float:
        """Points of width beside the labels of an axis."""
        return inches(self.ax) * 72 - 5.5 * self.size

    def line(self, x: Any, y: Any, color: Any, lw: float, **options: Any) -> Any:
        """Draw a line."""
        return self.ax.plot(x, y, color=color, lw=lw * self.unit, **options)[0]

    def point(self, x: float, y: float, marker: str, ms: float, **options: Any) -> Any:
        """Draw a marker, also where it reaches over the axes' edge."""
        if "mew" in options:
            options["mew"] *= self.unit
        return self.ax.plot([x], [y], marker, ms=ms * self.unit, clip_on=False, **options)[0]

    def aside(self, text: str, xy: Any, offset: Any, *, color: Any = None, **options: Any) -> Any:
        """Write small text so many points from a place."""
        return self.ax.annotate(
            text, xy, offset, textcoords="offset points", fontsize=self.small,
            color=self.muted if color is None else color, annotation_clip=False, **options,
        )  # fmt: skip

    def dress(self, xlabel: str = "", ylabel: str = "") -> None:
        """Label the axes, in the figure's size of text, and leave only the lines that are read."""
        self.ax.tick_params(labelsize=self.small)
        self.ax.set_xlabel(xlabel, fontsize=self.size)
        self.ax.set_ylabel(ylabel, fontsize=self.size)
        for side in ("top", "right"):
            self.ax.spines[side].set_visible(False)
        for axis in (self.ax.xaxis, self.ax.yaxis):
            axis.get_offset_text().set_fontsize(self.small)

    def ticks_that_fit(self) -> None:
        """Leave as many ticks on the horizontal axis as have room, however many digits they need."""
        low, high = self.ax.get_xlim()
        digits = max(2, 2 - math.floor(math.log10(abs(high - low) or 1.0)))
        most = self.room // (0.75 * self.small * (digits + 2))
        self.ax.locator_params(axis="x", nbins=int(np.clip(most, 2, 7)))

    def bar_tick(self) -> Any:
        """Return a legend's handle for a bar that is a tick."""
        from matplotlib.lines import Line2D

        return Line2D([], [], color=self.text, marker="|", ls="none", ms=9 * self.unit, mew=2.2 * self.unit)

    def legend(self, keys: Sequence[Key], *, lines: float = 0.0, left: float = 0.0) -> Any:
        """Put a legend above the axes and so many lines of small text, in as many columns as fit.

        It begins `left` points to the left of the axes, above the labels of wide rows. The labels are set
        after the legend is made, since it drops those that begin with an underscore.
        """
        from matplotlib.transforms import ScaledTranslation

        raised = ScaledTranslation(-left / 72, lines * 1.3 * self.small / 72, self.ax.figure.dpi_scale_trans)
        legend = self.ax.legend(
            [handle for handle, _ in keys],
            ["·"] * len(keys),
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            bbox_transform=self.ax.transAxes + raised,
            borderaxespad=0.4,
            borderpad=0.2,
            ncols=_columns([width(label) for _, label in keys], self.room / (0.58 * self.small)),
            frameon=False,
            fontsize=self.small,
            handlelength=1.8,
            handletextpad=0.6,
            columnspacing=1.4,
            labelspacing=0.35,
        )
        for text, (_, label) in zip(legend.get_texts(), keys, strict=True):
            text.set_text(label)
            text.set_color(self.text)
        return legend

    def fitted(self, sentences: Sequence[str]) -> str:
        """Break sentences, each beginning a line, where the small text would leave the axes."""
        room = max(int(self.room / (0.54 * self.small)), 24)
        return "\n".join("\n".join(textwrap.wrap(sentence, room)) for sentence in sentences if sentence)

    def note(self, sentences: Sequence[str], *, lines: float = 2.0, left: float = 0.0) -> Any:
        """Write sentences under the axes, below as many lines of labels; None where there are none."""
        text = self.fitted(sentences)
        if not text:
            return None
        down = -(1.25 * lines * self.size + 10.0)
        return self.aside(
            text.replace("$", r"\$"), (0.0, 0.0), (-left, down), xycoords="axes fraction", ha="left",
            va="top", linespacing=1.25,
        )  # fmt: skip


def _columns(widths: Sequence[int], room: float) -> int:
    """Return in how many columns, filled one after the other, a legend's labels fit side by side."""
    for columns in range(len(widths), 1, -1):
        widest = [int(part.max()) for part in np.array_split(np.array(widths), columns)]
        if sum(widest) + 7 * len(widest) - 2 <= room:
            return columns
    return 1


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


def new_axes(ax: Any, caller: str, height: float, rows: int = 1) -> Any:
    """Return the axes given, or new ones on a figure of the user's width and this height in inches."""
    plt = pyplot(caller)
    if ax is not None:
        if not hasattr(ax, "transAxes"):
            raise ValueError(f"ax must be a matplotlib Axes; found {type(ax).__name__}.")
        return ax
    size = plt.rcParams["figure.figsize"][0], height
    return plt.subplots(rows, 1, figsize=size, layout="constrained")[1]


def inches(ax: Any) -> float:
    """Return how wide a figure would be that these axes fill as usual."""
    return float(ax.bbox.width / ax.figure.dpi / 0.775)


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
