"""Axes with the colours and sizes that fit them, and text that fits on them: what every picture is drawn on.

Nothing here touches matplotlib's global settings: what a user has set is read from them and from the
axes given, and what must differ holds inside of a context.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.formatting import shorten, visible, wrapped

BLUE, SKY, VERMILLION, ORANGE = "#0072B2", "#56B4E9", "#D55E00", "#E69F00"
"""Of the palette of Okabe and Ito (Color Universal Design, 2008)."""

Key = tuple[Any, str]
"""A handle of a legend and its label."""

COLUMN_WIDTH, DEFAULT_WIDTH = 3.3, 6.4
"""Inches: a column of a paper, and matplotlib's own figure."""


def text_scale(figure_width: float) -> float:
    """Return the size of text on a figure of so many inches, as a share of the user's."""
    if figure_width < DEFAULT_WIDTH:
        return 0.72 + 0.18 * max(figure_width - COLUMN_WIDTH, 0.0) / (DEFAULT_WIDTH - COLUMN_WIDTH)
    return 0.9 * min(figure_width / DEFAULT_WIDTH, 2.2)


def _figure_width(ax: Any) -> float:
    """Return how many inches wide a figure would be that these axes fill as usual."""
    return float(ax.bbox.width / ax.figure.dpi / 0.775)


def text_width(text: str, size: float) -> float:
    """Return how many points wide a line of text is, in the user's font."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a font that lacks a letter is told of when it is drawn
        outlines = float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])
    return 1.04 * outlines  # text is drawn wider than its outlines, its letters fitted to pixels


def max_text_width(texts: Iterable[str], size: float) -> float:
    return max((text_width(text, size) for text in texts), default=0.0)


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


def name_lines(name: object, most: int, lines: int = 2) -> str:
    """Return a name broken into a few lines, and cut where that is not enough."""
    text = shorten(visible(name), most * lines - lines + 1)
    broken = wrapped(text, most)
    return "\n".join(broken if len(broken) <= lines else [shorten(text, most)]).replace("$", r"\$")


def axis_label(measure: Any) -> str:
    """Return what an axis of a measure is called, and which way is better where that is not up."""
    better = {True: "", False: " (less is better)", None: " (neither end is better)"}
    return plain(measure.label) + better[measure.greater_is_better]


@dataclass(frozen=True)
class Canvas:
    """Axes, and the colours and sizes read off them; line widths are in points where text has nine."""

    ax: Any
    text: Any
    face: Any  # the background
    clears: str
    fails: str
    doubt: str
    muted: Any
    size: float  # points of text
    panels_across: float = 1.0  # how many such axes are as wide as the figure

    @classmethod
    def of(cls, ax: Any, panels_across: float = 1.0) -> Canvas:
        """Read colours and sizes off the axes and the user's settings."""
        import matplotlib as mpl
        from matplotlib.colors import to_rgba

        text = to_rgba(ax.xaxis.label.get_color())
        face = to_rgba(ax.get_facecolor())
        if face[3] < 0.5:
            face = to_rgba(ax.figure.get_facecolor())
        if face[3] < 0.5:  # drawn on something unknown: what the text is readable on
            face = (1.0, 1.0, 1.0, 1.0) if sum(text[:3]) < 1.5 else (0.0, 0.0, 0.0, 1.0)
        dark = float(np.dot(face[:3], (0.2126, 0.7152, 0.0722))) < 0.4  # relative luminance (ITU-R BT.709)
        muted = tuple(0.68 * t + 0.32 * f for t, f in zip(text[:3], face[:3], strict=True))
        size = float(mpl.rcParams["font.size"]) * text_scale(panels_across * _figure_width(ax))
        return cls(ax, text, face, SKY if dark else BLUE, VERMILLION, ORANGE, muted, size, panels_across)

    def beside(self, ax: Any) -> Canvas:
        """Return other axes with the same colours and sizes."""
        return replace(self, ax=ax)

    @property
    def unit(self) -> float:
        """Factor for lines and markers."""
        return self.size / 9.0

    @property
    def small(self) -> float:
        """Points of small text: ticks, legends, notes."""
        return max(0.88 * self.size, 6.5)

    @property
    def text_room(self) -> float:
        """Points of width for text above and below the axes."""
        return self.panels_across * _figure_width(self.ax) * 72 - 5.5 * self.size

    @property
    def is_narrow(self) -> bool:
        """Whether there is room for little: a column of a paper."""
        return self.text_room < 28.0 * self.size

    @property
    def shade(self) -> float:
        """How opaque the band of chance is: more on black, where it is seen less."""
        return 0.36 if self.clears == SKY else 0.22

    @property
    def backing(self) -> dict[str, Any]:
        """What stands behind text that a line may cross."""
        return {"facecolor": self.face, "edgecolor": "none", "alpha": 0.75, "pad": 0.6}

    def axis_width(self, left: float, right: float) -> float:
        """Return how many points of width axes have between labels as wide as these."""
        figure = self.panels_across * _figure_width(self.ax) * 72
        return max(figure - left - right - 2.0 * self.size, 1.0)

    def beyond_right(self, heights: Any) -> Any:
        """Return the transform of what stands right of the axes: so many inches, at heights of some kind."""
        from matplotlib.transforms import ScaledTranslation, blended_transform_factory

        inches_right = self.ax.figure.dpi_scale_trans + ScaledTranslation(1, 0, self.ax.transAxes)
        return blended_transform_factory(inches_right, heights)

    def line(self, x: Any, y: Any, color: Any, lw: float, **options: Any) -> Any:
        return self.ax.plot(x, y, color=color, lw=lw * self.unit, **options)[0]

    def fill(self, x: Any, low: Any, high: Any, **options: Any) -> Any:
        """Shade the band of chance between two curves."""
        return self.ax.fill_between(
            x, low, high, color=self.muted, alpha=self.shade, lw=0, **{"zorder": 1, **options}
        )

    def annotate(self, text: str, xy: Any, offset: Any = (0, 0), **options: Any) -> Any:
        """Write small text so many points from a place."""
        return self.ax.annotate(
            text, xy, offset, textcoords="offset points", annotation_clip=False,
            **{"color": self.muted, "fontsize": self.small, **options},
        )  # fmt: skip

    def annotate_above(self, text: str, x: float, offset: float = 0.0, **options: Any) -> Any:
        """Write small text in the line above the axes."""
        where: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "left", "va": "center"}
        return self.annotate(text, (x, 1.0), (offset, 0.75 * self.small), **{**where, **options})

    def annotate_right(self, text: str, y: float, points: float, **options: Any) -> Any:
        """Write small text so many points right of the axes, at a height of the data."""
        where: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "ha": "left", "va": "center"}
        return self.annotate(text, (1.0, y), (points, 0), **where, **options)

    def annotate_centre(self, sentence: str) -> Any:
        """Write in the middle of the axes why there is little to be seen."""
        width = self.ax.bbox.width / self.ax.figure.dpi * 72 * 0.9
        return self.annotate(
            wrap(sentence, self.size, width), (0.5, 0.2), xycoords="axes fraction",
            ha="center", va="center", color=self.text, zorder=9,
            bbox={"facecolor": self.face, "edgecolor": self.muted, "lw": 0.5, "alpha": 0.9, "pad": 4.0},
        )  # fmt: skip

    def bar_across(self, value: float, words: str, *, left: bool = False) -> Any:
        """Draw a bar across the axes, and write above its right or left end what it is."""
        line = self.ax.axhline(value, color=self.text, lw=1.5 * self.unit, zorder=3.5)
        if words:
            self.annotate(
                words, (0.01 if left else 0.99, value), (0, 2), xycoords=("axes fraction", "data"),
                ha="left" if left else "right", va="bottom", color=self.text, zorder=7, bbox=self.backing,
            )  # fmt: skip
        return line

    def bar_upright(self, value: float, words: str, *, left: bool) -> Any:
        """Draw a bar upright, and write beside its upper end, right or left of it, what it is."""
        line = self.ax.axvline(value, color=self.text, lw=1.5 * self.unit, zorder=3.5)
        self.annotate(
            words, (value, 0.985), (-3 if left else 3, 0), xycoords=("data", "axes fraction"),
            ha="right" if left else "left", va="top", color=self.text, zorder=7, bbox=self.backing,
        )  # fmt: skip
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

    @property
    def height(self) -> float:
        """Points of a figure that these axes fill as usual."""
        return float(self.ax.bbox.height / self.ax.figure.dpi * 72 / 0.77)

    def rows_that_fit(self, other_lines: float) -> int:
        """Return how many rows of text there is room for, beside so many lines above and below them."""
        return max(1, int((self.height - other_lines * 1.3 * self.size) / (1.4 * self.size)))

    def add_title_and_legend(
        self, title: str, keys: Sequence[Key] = (), *, lines: float = 0.0, left: float = 0.0
    ) -> tuple[Any, Any]:
        """Write what a picture finds above the axes and so many lines of small text, then a legend.

        Both begin `left` points to the left of the axes, above the labels of wide rows. Returns the title and
        the legend, or None where there are no keys.
        """
        import matplotlib as mpl

        legend = self.add_legend(keys, lines=lines, left=left) if keys else None
        up = (1.3 * (lines + self.legend_lines(keys, left)) + 0.7) * self.small + 2.0
        color = mpl.rcParams["axes.titlecolor"]
        text = wrap(title, 1.1 * self.size, self.text_room + self._gained(left))
        return self._annotate_across(
            text, (0.0, 1.0), (-left, up), fontsize=1.1 * self.size, va="bottom", linespacing=1.2,
            weight=mpl.rcParams["axes.titleweight"], color=self.text if color == "auto" else color,
        ), legend  # fmt: skip

    def add_note(self, sentences: Sequence[str], *, lines: float = 2.0, left: float = 0.0) -> Any:
        """Write sentences under the axes, below as many lines of labels; None where there are none."""
        text = self.wrap_note(sentences, left)
        if not text:
            return None
        down = -(1.25 * lines * self.size + 10.0)
        return self._annotate_across(text, (0.0, 0.0), (-left, down), va="top", linespacing=1.25)

    def wrap_note(self, sentences: Sequence[str], left: float = 0.0) -> str:
        """Break sentences, each beginning a line, where the small text would leave the figure."""
        points = self.text_room + self._gained(left)
        return "\n".join(wrap(sentence, self.small, points) for sentence in sentences if sentence)

    def _annotate_across(self, text: str, xy: Any, offset: Any, **options: Any) -> Any:
        """Write text that may go on above or below the next panel: then only its height takes room."""
        options = {"xycoords": "axes fraction", "ha": "left", **options}
        written = self.annotate(text, xy, offset, **options)
        if self.panels_across > 1:
            self.annotate("\n".join(" " for _ in text.split("\n")), xy, offset, **options)
            written.set_in_layout(False)
        return written

    def _gained(self, left: float) -> float:
        return min(0.7 * left, 4.0 * self.size)

    def add_legend(self, keys: Sequence[Key], *, lines: float = 0.0, left: float = 0.0) -> Any:
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
