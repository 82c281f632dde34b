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

_NOUNS = r"below|unsettled|(?:model|bar|other)s?\b"
_TOGETHER = re.compile(rf"\(?(?:\bbar |\bp [=<≤] |\d+ (?={_NOUNS}))?\S+(?: %\S*)?")
"""Words that no line break parts."""

COLUMN_WIDTH, DEFAULT_WIDTH = 3.3, 6.4
"""Inches: a column of a paper, and matplotlib's own figure."""

TITLE, TICKS, NOTES = 1.15, 0.88, 0.82
"""Sizes of text as shares of that of headings and axis labels."""

LEAST_SIZES = {"size": 6.8, "ticks": 6.4, "small": 6.0}
"""Points below which nothing is read; in this order, so that no small text is larger than a heading."""


def text_scale(inches: float) -> float:
    """Return the size of text in a figure of this width, as a share of the user's.

    Less in a column of a paper; on a slide more, but by less than the picture is wider.
    """
    if inches < DEFAULT_WIDTH:
        return 0.74 + 0.16 * max(inches - COLUMN_WIDTH, 0.0) / (DEFAULT_WIDTH - COLUMN_WIDTH)
    return 0.9 * min(math.sqrt(inches / DEFAULT_WIDTH), 1.5)


def text_size(inches: float) -> float:
    """Return the points of headings in a figure of this width."""
    import matplotlib as mpl

    return max(float(mpl.rcParams["font.size"]) * text_scale(inches), LEAST_SIZES["size"])


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


def heavy() -> str:
    """Return the weight of titles and headings: semibold where the user's font has it."""
    from matplotlib.font_manager import FontProperties, fontManager

    families = set(FontProperties().get_family())
    has = any(font.weight in {600, "semibold"} and font.name in families for font in fontManager.ttflist)
    return "semibold" if has else "bold"


def wrap(sentence: str, size: float, points: float) -> str:
    """Break a sentence into lines of so many points; "bar 0.678", "p = 0.04" and "5 %" stay together."""
    lines = [""]
    for word in _TOGETHER.findall(sentence):
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and text_width(longer, size) > points:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines).replace("$", r"\$")  # nothing is run as a formula


def plain(name: object, most: int = 28) -> str:
    r"""Return a name that no renderer obeys, short enough for a figure."""
    return shorten(visible(name), most).replace("$", r"\$")


def axis_label(measure: Any) -> str:
    """Return what an axis of a measure is called, and which way is better where that is not up."""
    better = {True: "", False: " (less is better)", None: " (neither end is better)"}
    return plain(measure.label) + better[measure.greater_is_better]


def spread(heights: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Return heights as near to the given ones as labels are that keep this distance, within two ends."""
    order = np.argsort(heights, kind="stable")
    placed = np.array(heights, dtype=np.float64)[order]
    for _ in range(200):  # neighbours that are too close push each other apart
        lack = np.maximum(least - np.diff(placed), 0.0) / 2
        if not (lack > 1e-6 * least).any():
            break
        placed[:-1] -= lack
        placed[1:] += lack
        placed += max(low - placed[0], 0.0) - max(placed[-1] - high, 0.0)
    places = np.empty_like(placed)
    places[order] = placed
    return [float(place) for place in places]


def slot_of(ax: Any) -> tuple[float, float, float]:
    """Return the points across and down that axes have with all that stands around them, and their left end.

    That is a share of the figure's width.
    """
    points, figure = 72.0 / ax.figure.dpi, ax.figure.bbox
    spec = ax.get_subplotspec()
    if spec is None:
        across = float(ax.bbox.width / 0.775)
        left = float(ax.bbox.x0 - figure.x0 - 0.125 * across) / figure.width
        return across * points, float(ax.bbox.height * points / 0.77), left
    across, down, left = 1.0, 1.0, 0.0
    while spec is not None:  # grids may stand in the cells of others
        grid = spec.get_gridspec()
        columns, rows = (np.array(sizes) for sizes in (grid.get_width_ratios(), grid.get_height_ratios()))
        columns, rows = columns / columns.sum(), rows / rows.sum()
        share = float(columns[spec.colspan.start : spec.colspan.stop].sum())
        left = float(columns[: spec.colspan.start].sum()) + share * left
        across, down = across * share, down * float(rows[spec.rowspan.start : spec.rowspan.stop].sum())
        spec = getattr(grid, "_subplot_spec", None)
    return across * figure.width * points, down * figure.height * points, left


@dataclass(frozen=True)
class Canvas:
    """Axes, and the colours and sizes read off them; line widths are in points where text has nine."""

    ax: Any
    compact: bool = False  # without legend and notes

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
        return 0.36 if self.is_dark else 0.2

    @property
    def backing(self) -> dict[str, Any]:
        """What stands behind text that a line may cross."""
        return {"facecolor": self.face, "edgecolor": "none", "alpha": 0.75, "pad": 0.6}

    @cached_property
    def slot(self) -> tuple[float, float, float]:
        return slot_of(self.ax)

    @property
    def width(self) -> float:
        """Points across, with all that stands beside the axes."""
        return self.slot[0]

    @property
    def shared_width(self) -> float:
        """Points across that are sure: a layout gives axes above each other the widest labels of either."""
        return self.width * (0.82 if len(self.ax.figure.axes) > 1 else 1.0)

    @property
    def height(self) -> float:
        return self.slot[1]

    @cached_property
    def size(self) -> float:
        """Points of headings and labels of axes."""
        return text_size(self.width / 72)

    @property
    def unit(self) -> float:
        """Factor for lines and markers."""
        return self.size / 9.0

    @property
    def ticks(self) -> float:
        """Points of ticks, names of rows and what is written into the axes."""
        return max(TICKS * self.size, LEAST_SIZES["ticks"])

    @property
    def small(self) -> float:
        """Points of legends and notes."""
        return max(NOTES * self.size, LEAST_SIZES["small"])

    @property
    def text_room(self) -> float:
        """Points of width for text above and below axes with labels on their left."""
        return self.width - 5.2 * self.size

    @property
    def is_narrow(self) -> bool:
        """Whether there is room for little: a column of a paper, or one of several panels."""
        return self.text_room < 28.0 * self.size

    def axis_width(self, left: float, right: float) -> float:
        """Return how many points of width axes have between labels as wide as these."""
        return max(self.shared_width - left - right - 1.6 * self.size, 1.0)

    def rows_that_fit(self, lines_around: float, pitch: float = 1.4) -> int:
        """Return how many rows of text, so many sizes high, there is room for beside lines around them."""
        return max(1, int((self.height / self.size - 1.3 * lines_around) / pitch))

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

    def box(self, x: float, y: float, width: float, height: float) -> Any:
        """Shade a rectangle of what chance can reach."""
        from matplotlib.patches import Rectangle

        style = {"facecolor": self.muted, "alpha": self.shade, "lw": 0, "zorder": 0.5}
        return self.ax.add_patch(Rectangle((x, y), width, height, **style))

    def annotate(self, text: str, xy: Any, offset: Any = (0, 0), **options: Any) -> Any:
        """Write text so many points from a place."""
        return self.ax.annotate(
            text, xy, offset, textcoords="offset points", annotation_clip=False,
            **{"color": self.muted, "fontsize": self.ticks, "va": "center", **options},
        )  # fmt: skip

    def annotate_above(self, text: str, x: float, offset: float = 0.0, **options: Any) -> Any:
        """Write in the line above the axes."""
        return self.annotate(
            text, (x, 1.0), (offset, 0.8 * self.ticks), xycoords=("data", "axes fraction"), **options
        )

    def draw_limit(self, x: float, words: str, **style: Any) -> Any:
        """Draw a line down the axes, and write above them what it is."""
        self.annotate_above(words, x, ha="center", color=self.text)
        return self.ax.axvline(x, **{"color": self.text, **style})

    def annotate_right(self, text: str, y: float, points: float, **options: Any) -> Any:
        """Write so many points right of the axes, at a height of the data."""
        return self.annotate(text, (1.0, y), (points, 0), xycoords=("axes fraction", "data"), **options)

    def annotate_centre(self, sentence: str) -> Any:
        """Write in the middle of the axes why there is little to be seen."""
        points = 0.62 * self.width
        return self.annotate(
            wrap(sentence, self.ticks, points), (0.5, 0.5), xycoords="axes fraction",
            ha="center", color=self.text, zorder=9,
            bbox={"facecolor": self.face, "edgecolor": self.muted, "lw": 0.5, "alpha": 0.9, "pad": 4.0},
        )  # fmt: skip

    def draw_bar(self, value: float, words: str) -> Any:
        """Draw a bar across the axes, and write right of them what it is."""
        if words:
            self.annotate_right(words, value, 0.5 * self.size, color=self.text, linespacing=1.05)
        return self.ax.axhline(value, color=self.text, lw=1.6 * self.unit, zorder=3.5)

    def style_axes(self, xlabel: str = "", ylabel: str = "") -> None:
        """Label the axes, in the figure's size of text, and leave only the lines that are read."""
        self.ax.tick_params(labelsize=self.ticks)
        self.ax.set_xlabel(xlabel, fontsize=self.size)
        self.ax.set_ylabel(ylabel, fontsize=self.size)
        self.ax.spines[["top", "right"]].set_visible(False)
        for axis in (self.ax.xaxis, self.ax.yaxis):
            axis.get_offset_text().set_fontsize(self.ticks)

    def fit_ticks(self, points: float = 0.0) -> None:
        """Leave as many ticks on the horizontal axis as so many points hold, each written out.

        A user's own way of writing them is kept.
        """
        from matplotlib.ticker import ScalarFormatter

        low, high = self.ax.get_xlim()
        is_default = isinstance(self.ax.xaxis.get_major_formatter(), ScalarFormatter)
        if is_default and max(abs(low), abs(high)) < 1e5:
            self.ax.ticklabel_format(axis="x", style="plain", useOffset=False)
        digits = max(2, 2 - math.floor(math.log10(abs(high - low) or 1.0)))
        most = (points or self.text_room) // (0.75 * self.ticks * (digits + 2))
        self.locate_ticks("x", nbins=int(np.clip(most, 2, 7)))

    def locate_ticks(self, axis: str, **options: Any) -> None:
        """Set how many ticks an axis has, and of which kind, unless a user said where they are."""
        from matplotlib.ticker import MaxNLocator

        if isinstance(getattr(self.ax, f"{axis}axis").get_major_locator(), MaxNLocator):
            self.ax.locator_params(axis=axis, **options)

    @property
    def words_width(self) -> float:
        """Points across for title, legend and notes, which begin at the left end of the slot."""
        return self.width - 1.2 * self.size

    def _outside(self, up: float) -> Any:
        """Return the transform of words: a share of the figure across, of the axes up and so many points."""
        from matplotlib.transforms import ScaledTranslation, blended_transform_factory

        figure, axes = self.ax.figure, self.ax.transAxes
        inches = figure.dpi_scale_trans
        left = figure.transSubfigure + ScaledTranslation(0.5 * self.size / 72, 0.0, inches)
        return blended_transform_factory(left, axes + ScaledTranslation(0.0, up / 72, inches))

    def write_outside(self, lines: str, height: float, up: float, **options: Any) -> Any:
        """Write across the slot, so many points above a share of the axes' height; only lines take room.

        A layout would make axes narrower for words that may as well stand over their labels.
        """
        blank = "\n".join(" " for _ in lines.split("\n"))
        offset = {"xycoords": "axes fraction", **options}
        self.annotate(blank, (0.0, height), (0.0, up), **offset)
        text = self.ax.text(
            self.slot[2], height, lines, transform=self._outside(up), clip_on=False,
            **{"color": self.muted, **options},
        )  # fmt: skip
        text.set_in_layout(False)
        return text

    def add_title(self, lines: str, up: float) -> Any:
        """Write what a picture finds so many points above the axes."""
        import matplotlib as mpl

        color, weight = mpl.rcParams["axes.titlecolor"], mpl.rcParams["axes.titleweight"]
        return self.write_outside(
            lines, 1.0, up, fontsize=TITLE * self.size, va="bottom", linespacing=1.2,
            weight=heavy() if weight == "normal" else weight,
            color=self.text if color == "auto" else color,
        )  # fmt: skip

    def add_note(self, text: str, lines: float) -> Any:
        """Write under the axes, below as many lines of labels."""
        down = -(1.25 * lines * self.size + 8.0)
        return self.write_outside(text, 0.0, down, va="top", linespacing=1.25, fontsize=self.small)

    def add_legend(self, keys: Sequence[Key], lines: float = 0.0) -> Any:
        """Put a legend above the axes and so many lines of small text, in as many columns as fit."""
        # Labels are set afterwards, since a legend drops those that begin with an underscore.
        legend = self.ax.legend(
            [handle for handle, _ in keys], ["·"] * len(keys), fontsize=self.small, loc="lower left",
            bbox_to_anchor=(self.slot[2], 1.0), bbox_transform=self._outside(lines * 1.3 * self.small),
            borderaxespad=0.4, borderpad=0.0, ncols=self._columns(keys), frameon=False, handlelength=1.8,
            handletextpad=0.6, columnspacing=1.4, labelspacing=0.35,
        )  # fmt: skip
        legend.set_in_layout(False)
        for text, (_, words) in zip(legend.get_texts(), keys, strict=True):
            text.set_text(words)
            text.set_color(self.text)
        return legend

    def legend_lines(self, keys: Sequence[Key]) -> float:
        """Return how many lines of small text a legend takes."""
        return 1.42 / 1.3 * -(-len(keys) // self._columns(keys)) if keys else 0.0

    def _columns(self, keys: Sequence[Key]) -> int:
        """Return in how many columns, filled one after the other, a legend's labels fit side by side."""
        widths = np.array([text_width(label, self.small) for _, label in keys])
        for columns in range(len(widths), 1, -1):
            widest = [float(column.max()) for column in np.array_split(widths, columns)]
            if sum(widest) + 3.8 * self.small * columns <= self.words_width:
                return -(-len(keys) // -(-len(keys) // columns))  # 4 labels fill 2 columns rather than 3
        return 1
