"""Axes with the colours and sizes that fit them, and text that fits on them: what every picture is drawn on.

Nothing here touches matplotlib's global settings: what a user has set is read from them and from the axes.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.formatting import shorten, visible
from clearbar.formatting._palette import CLEARS, CLEARS_ON_DARK

Key = tuple[Any, str]
"""A handle of a legend and its label."""

COLUMN_WIDTH, DEFAULT_WIDTH = 3.3, 6.4
"""Inches: a column of a paper, and matplotlib's own figure."""


def text_scale(figure_width: float) -> float:
    """Return the size of text on a figure of so many inches, as a share of the user's."""
    if figure_width < DEFAULT_WIDTH:
        return 0.72 + 0.18 * max(figure_width - COLUMN_WIDTH, 0.0) / (DEFAULT_WIDTH - COLUMN_WIDTH)
    return 0.9 * min(figure_width / DEFAULT_WIDTH, 2.2)


def text_width(texts: str | Iterable[str], size: float) -> float:
    """Return how many points wide a line of text is in the user's font, or the widest of several."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    lines = [texts] if isinstance(texts, str) else texts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a font that lacks a letter is told of when it is drawn
        outlines = [text_to_path.get_text_width_height_descent(line, font, ismath=False)[0] for line in lines]
    return 1.04 * float(max(outlines, default=0.0))  # letters are fitted to pixels: wider than outlines


def wrap(sentence: str, size: float, points: float) -> str:
    """Break a sentence into lines of so many points, not before %; nothing in it is run as a formula."""
    lines = [""]
    for word in re.findall(r"\S+(?: %\S*)?", sentence):
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and text_width(longer, size) > points:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines).replace("$", r"\$")


def plain(name: object, most: int = 28) -> str:
    r"""Return a name that no renderer obeys, short enough for a figure."""
    return shorten(visible(name), most).replace("$", r"\$")


def axis_label(measure: Any) -> str:
    """Return what an axis of a measure is called, and which way is better where that is not up."""
    better = {True: "", False: " (less is better)", None: " (neither end is better)"}
    return plain(measure.label) + better[measure.greater_is_better]


def label_heights(first: float, second: float, half: float) -> tuple[float, float]:
    """Return heights as near to two values as labels, each so much high to either side, do not overlap."""
    low, high = sorted((first, second))
    if high - low < 2 * half:
        middle = (low + high) / 2
        low, high = middle - half, middle + half
    low = min(max(low, half), 1 - 3 * half)
    high = min(max(high, low + 2 * half), 1 - half)
    return (high, low) if first >= second else (low, high)


@dataclass(frozen=True)
class Canvas:
    """Axes, and the colours and sizes read off them; line widths are in points where text has nine."""

    ax: Any
    panels_across: float = 1.0  # how many such axes are as wide as the figure

    @cached_property
    def text(self) -> Any:
        from matplotlib.colors import to_rgba

        return to_rgba(self.ax.xaxis.label.get_color())

    @cached_property
    def face(self) -> Any:
        """The background; on something unknown, what the text is readable on."""
        from matplotlib.colors import to_rgba

        for artist in (self.ax, self.ax.figure):
            face = to_rgba(artist.get_facecolor())
            if face[3] >= 0.5:
                return face
        return (1.0, 1.0, 1.0, 1.0) if sum(self.text[:3]) < 1.5 else (0.0, 0.0, 0.0, 1.0)

    @cached_property
    def is_dark(self) -> bool:
        return bool(np.dot(self.face[:3], (0.2126, 0.7152, 0.0722)) < 0.4)  # relative luminance, ITU-R BT.709

    @property
    def clears(self) -> str:
        return CLEARS_ON_DARK if self.is_dark else CLEARS

    @cached_property
    def muted(self) -> Any:
        return tuple(0.68 * t + 0.32 * f for t, f in zip(self.text[:3], self.face[:3], strict=True))

    @property
    def shade(self) -> float:
        """How opaque the band of chance is: more on black, where it is seen less."""
        return 0.36 if self.is_dark else 0.22

    @property
    def backing(self) -> dict[str, Any]:
        """What stands behind text that a line may cross."""
        return {"facecolor": self.face, "edgecolor": "none", "alpha": 0.75, "pad": 0.6}

    @cached_property
    def _figure_width(self) -> float:
        """Inches of a figure that these axes fill as usual."""
        return float(self.panels_across * self.ax.bbox.width / self.ax.figure.dpi / 0.775)

    @cached_property
    def size(self) -> float:
        """Points of text."""
        import matplotlib as mpl

        return float(mpl.rcParams["font.size"]) * text_scale(self._figure_width)

    @property
    def unit(self) -> float:
        """Factor for lines and markers."""
        return self.size / 9.0

    @property
    def small(self) -> float:
        """Points of small text: ticks, legends, notes."""
        return max(0.88 * self.size, 6.5)

    @cached_property
    def text_room(self) -> float:
        """Points of width for text above and below the axes."""
        return self._figure_width * 72 - 5.5 * self.size

    @property
    def is_narrow(self) -> bool:
        """Whether there is room for little: a column of a paper."""
        return self.text_room < 28.0 * self.size

    @property
    def height(self) -> float:
        """Points of a figure that these axes fill as usual."""
        return float(self.ax.bbox.height / self.ax.figure.dpi * 72 / 0.77)

    def axis_width(self, left: float, right: float) -> float:
        """Return how many points of width axes have between labels as wide as these."""
        return max(self._figure_width * 72 - left - right - 2.0 * self.size, 1.0)

    def rows_that_fit(self, other_lines: float) -> int:
        """Return how many rows of text there is room for, beside so many lines above and below them."""
        return max(1, int((self.height - other_lines * 1.3 * self.size) / (1.4 * self.size)))

    def beyond_right(self, heights: Any) -> Any:
        """Return the transform of what stands right of the axes: so many inches, at heights of some kind."""
        from matplotlib.transforms import ScaledTranslation, blended_transform_factory

        inches_right = self.ax.figure.dpi_scale_trans + ScaledTranslation(1, 0, self.ax.transAxes)
        return blended_transform_factory(inches_right, heights)

    def line(self, x: Any, y: Any, color: Any, lw: float, **options: Any) -> Any:
        return self.ax.plot(x, y, color=color, lw=lw * self.unit, **options)[0]

    def fill(self, x: Any, low: Any, high: Any, **options: Any) -> Any:
        """Shade the band of chance between two curves."""
        style = {"color": self.muted, "alpha": self.shade, "lw": 0, "zorder": 1}
        return self.ax.fill_between(x, low, high, **style, **options)

    def annotate(self, text: str, xy: Any, offset: Any = (0, 0), **options: Any) -> Any:
        """Write small text so many points from a place."""
        return self.ax.annotate(
            text, xy, offset, textcoords="offset points", annotation_clip=False,
            **{"color": self.muted, "fontsize": self.small, "va": "center", **options},
        )  # fmt: skip

    def annotate_above(self, text: str, x: float, offset: float = 0.0, **options: Any) -> Any:
        """Write small text in the line above the axes."""
        return self.annotate(
            text, (x, 1.0), (offset, 0.75 * self.small), xycoords=("data", "axes fraction"), **options
        )

    def annotate_right(self, text: str, y: float, points: float, **options: Any) -> Any:
        """Write small text so many points right of the axes, at a height of the data."""
        return self.annotate(text, (1.0, y), (points, 0), xycoords=("axes fraction", "data"), **options)

    def annotate_centre(self, sentence: str) -> Any:
        """Write in the middle of the axes why there is little to be seen."""
        width = self.ax.bbox.width / self.ax.figure.dpi * 72 * 0.9
        return self.annotate(
            wrap(sentence, self.size, width), (0.5, 0.2), xycoords="axes fraction",
            ha="center", color=self.text, zorder=9,
            bbox={"facecolor": self.face, "edgecolor": self.muted, "lw": 0.5, "alpha": 0.9, "pad": 4.0},
        )  # fmt: skip

    def draw_bar(self, value: float, words: str, *, left: bool = False, upright: bool = False) -> Any:
        """Draw a bar across the axes, and write above its right or left end what it is; or upright."""
        line = (self.ax.axvline if upright else self.ax.axhline)(
            value, color=self.text, lw=1.5 * self.unit, zorder=3.5
        )
        options: dict[str, Any] = {"color": self.text, "zorder": 7, "bbox": self.backing}
        if upright:
            where = {"xycoords": ("data", "axes fraction"), "ha": "right" if left else "left", "va": "top"}
            self.annotate(words, (value, 0.985), (-3 if left else 3, 0), **where, **options)
        elif words:
            where = {"xycoords": ("axes fraction", "data"), "ha": "left" if left else "right", "va": "bottom"}
            self.annotate(words, (0.01 if left else 0.99, value), (0, 2), **where, **options)
        return line

    def style_axes(self, xlabel: str = "", ylabel: str = "") -> None:
        """Label the axes, in the figure's size of text, and leave only the lines that are read."""
        self.ax.tick_params(labelsize=self.small)
        self.ax.set_xlabel(xlabel, fontsize=self.size)
        self.ax.set_ylabel(ylabel, fontsize=self.size)
        self.ax.spines[["top", "right"]].set_visible(False)
        for axis in (self.ax.xaxis, self.ax.yaxis):
            axis.get_offset_text().set_fontsize(self.small)

    def fit_ticks(self, points: float = 0.0) -> None:
        """Leave as many ticks on the horizontal axis as so many points hold, however many digits they need.

        Each is written out: nothing is to be added to what stands at an end of the axis. A user's own way of
        writing them is kept.
        """
        from matplotlib.ticker import ScalarFormatter

        low, high = self.ax.get_xlim()
        is_default = isinstance(self.ax.xaxis.get_major_formatter(), ScalarFormatter)
        if is_default and max(abs(low), abs(high)) < 1e5:
            self.ax.ticklabel_format(axis="x", style="plain", useOffset=False)
        digits = max(2, 2 - math.floor(math.log10(abs(high - low) or 1.0)))
        most = (points or self.text_room) // (0.75 * self.small * (digits + 2))
        self.locate_ticks("x", nbins=int(np.clip(most, 2, 7)))

    def locate_ticks(self, axis: str, **options: Any) -> None:
        """Set how many ticks an axis has, and of which kind, unless a user said where they are."""
        from matplotlib.ticker import MaxNLocator

        if isinstance(getattr(self.ax, f"{axis}axis").get_major_locator(), MaxNLocator):
            self.ax.locator_params(axis=axis, **options)

    def add_title_and_legend(
        self, title: str, keys: Sequence[Key], lines: float, left: float
    ) -> tuple[Any, Any]:
        """Write what a picture finds above the axes and so many lines of small text, then a legend.

        Both begin `left` points to the left of the axes, above the labels of wide rows. Returns the title and
        the legend, or None where there are no keys.
        """
        import matplotlib as mpl

        legend = self.add_legend(keys, lines, left) if keys else None
        up = (1.3 * (lines + self.legend_lines(keys, left)) + 0.7) * self.small + 2.0
        color = mpl.rcParams["axes.titlecolor"]
        text = wrap(title, 1.1 * self.size, self.text_room + min(0.7 * left, 4.0 * self.size))
        return self._annotate_across(
            text, (0.0, 1.0), (-left, up), fontsize=1.1 * self.size, va="bottom", linespacing=1.2,
            weight=mpl.rcParams["axes.titleweight"], color=self.text if color == "auto" else color,
        ), legend  # fmt: skip

    def add_note(self, sentences: Sequence[str], lines: float, left: float) -> Any:
        """Write sentences under the axes, below as many lines of labels; None where there are none."""
        text = self.wrap_note(sentences, left)
        if not text:
            return None
        down = -(1.25 * lines * self.size + 10.0)
        return self._annotate_across(text, (0.0, 0.0), (-left, down), va="top", linespacing=1.25)

    def wrap_note(self, sentences: Sequence[str], left: float = 0.0) -> str:
        """Break sentences, each beginning a line, where the small text would leave the figure."""
        points = self.text_room + min(0.7 * left, 4.0 * self.size)
        return "\n".join(wrap(sentence, self.small, points) for sentence in sentences if sentence)

    def _annotate_across(self, text: str, xy: Any, offset: Any, **options: Any) -> Any:
        """Write text that may go on above or below the next panel: then only its height takes room."""
        written = self.annotate(text, xy, offset, xycoords="axes fraction", **options)
        if self.panels_across > 1:
            blank = "\n".join(" " for _ in text.split("\n"))
            self.annotate(blank, xy, offset, xycoords="axes fraction", **options)
            written.set_in_layout(False)
        return written

    def add_legend(self, keys: Sequence[Key], lines: float = 0.0, left: float = 0.0) -> Any:
        """Put a legend above the axes and so many lines of small text, in as many columns as fit."""
        from matplotlib.transforms import ScaledTranslation

        raised = ScaledTranslation(-left / 72, lines * 1.3 * self.small / 72, self.ax.figure.dpi_scale_trans)
        return self.legend(
            keys, loc="lower left", bbox_to_anchor=(0.0, 1.0), bbox_transform=self.ax.transAxes + raised,
            borderaxespad=0.4, borderpad=0.0, ncols=self._columns(keys, left), frameon=False,
            handlelength=1.8, handletextpad=0.6, columnspacing=1.4, labelspacing=0.35,
        )  # fmt: skip

    def legend(self, keys: Sequence[Key], **options: Any) -> Any:
        """Draw a legend; labels are set afterwards, since it drops those that begin with an underscore."""
        handles = [handle for handle, _ in keys]
        legend = self.ax.legend(handles, ["·"] * len(keys), fontsize=self.small, **options)
        for text, (_, words) in zip(legend.get_texts(), keys, strict=True):
            text.set_text(words)
            text.set_color(self.text)
        return legend

    def legend_lines(self, keys: Sequence[Key], left: float = 0.0) -> float:
        """Return how many lines of small text a legend takes."""
        return 1.42 / 1.3 * -(-len(keys) // self._columns(keys, left)) if keys else 0.0

    def _columns(self, keys: Sequence[Key], left: float) -> int:
        """Return in how many columns, filled one after the other, a legend's labels fit side by side."""
        widths = np.array([text_width(label, self.small) for _, label in keys])
        for columns in range(len(widths), 1, -1):
            widest = [float(column.max()) for column in np.array_split(widths, columns)]
            if sum(widest) + 3.8 * self.small * columns <= self.text_room + min(left, 4.0 * self.size):
                return columns
        return 1
