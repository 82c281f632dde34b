"""Axes with the colours and sizes that fit them: what every picture is drawn on.

Nothing here touches matplotlib's global settings: what a user has set is read from them and from the
axes given, and what must differ holds inside of a context.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.plots._text import broken, factor_of, text_width, width_of

BLUE, SKY, VERMILLION, ORANGE = "#0072B2", "#56B4E9", "#D55E00", "#E69F00"
"""Of the palette of Okabe and Ito (Color Universal Design, 2008)."""

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
    across: float = 1.0  # how many such axes are as wide as the figure

    @classmethod
    def of(cls, ax: Any, across: float = 1.0) -> Canvas:
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
        muted = tuple(0.68 * t + 0.32 * f for t, f in zip(text[:3], face[:3], strict=True))
        size = float(mpl.rcParams["font.size"]) * factor_of(across * width_of(ax))
        return cls(ax, text, face, SKY if dark else BLUE, VERMILLION, ORANGE, muted, size, across)

    def beside(self, ax: Any) -> Canvas:
        """Return other axes with the same colours and sizes."""
        return replace(self, ax=ax)

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
        return self.across * width_of(self.ax) * 72 - 5.5 * self.size

    @property
    def shade(self) -> float:
        """How opaque the band of what chance can reach is: more on black, where it is seen less."""
        return 0.36 if self.clears == SKY else 0.22

    @property
    def backing(self) -> dict[str, Any]:
        """What stands behind text that a line may cross."""
        return {"facecolor": self.face, "edgecolor": "none", "alpha": 0.75, "pad": 0.6}

    @property
    def narrow(self) -> bool:
        """Whether there is room for little: a column of a paper."""
        return self.room < 28.0 * self.size

    def inside(self, left: float, right: float) -> float:
        """Return how many points of width axes have between labels as wide as these."""
        return max(self.across * width_of(self.ax) * 72 - left - right - 2.0 * self.size, 1.0)

    def margin(self, heights: Any) -> Any:
        """Return the transform of what stands right of the axes: so many inches, at heights of some kind."""
        from matplotlib.transforms import ScaledTranslation, blended_transform_factory

        inches_right = self.ax.figure.dpi_scale_trans + ScaledTranslation(1, 0, self.ax.transAxes)
        return blended_transform_factory(inches_right, heights)

    def line(self, x: Any, y: Any, color: Any, lw: float, **options: Any) -> Any:
        """Draw a line."""
        return self.ax.plot(x, y, color=color, lw=lw * self.unit, **options)[0]

    def above(self, text: str, x: float, offset: float = 0.0, **options: Any) -> Any:
        """Write small text in the line above the axes."""
        how: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "left", "va": "center"}
        return self.aside(text, (x, 1.0), (offset, 0.75 * self.small), **{**how, **options})

    def aside(self, text: str, xy: Any, offset: Any, *, color: Any = None, **options: Any) -> Any:
        """Write small text so many points from a place."""
        return self.ax.annotate(
            text, xy, offset, textcoords="offset points", color=self.muted if color is None else color,
            annotation_clip=False, **{"fontsize": self.small, **options},
        )  # fmt: skip

    def right_of(self, words: str, y: float, points: float, *, color: Any = None) -> Any:
        """Write small text so many points right of the axes, at a height of the data."""
        return self.aside(
            words,
            (1.0, y),
            (points, 0),
            xycoords=("axes fraction", "data"),
            ha="left",
            va="center",
            color=color,
        )

    def dress(self, xlabel: str = "", ylabel: str = "") -> None:
        """Label the axes, in the figure's size of text, and leave only the lines that are read."""
        self.ax.tick_params(labelsize=self.small)
        self.ax.set_xlabel(xlabel, fontsize=self.size)
        self.ax.set_ylabel(ylabel, fontsize=self.size)
        for side in ("top", "right"):
            self.ax.spines[side].set_visible(False)
        for axis in (self.ax.xaxis, self.ax.yaxis):
            axis.get_offset_text().set_fontsize(self.small)

    def ticks_that_fit(self, room: float = 0.0) -> None:
        """Leave as many ticks on the horizontal axis as so many points hold, however many digits they need.

        Each is written out: nothing is to be added to what stands at an end of the axis. A user's own way of
        writing them is kept.
        """
        from matplotlib.ticker import ScalarFormatter

        low, high = self.ax.get_xlim()
        ours = isinstance(self.ax.xaxis.get_major_formatter(), ScalarFormatter)
        if ours and max(abs(low), abs(high)) < 1e5:
            self.ax.ticklabel_format(axis="x", style="plain", useOffset=False)
        digits = max(2, 2 - math.floor(math.log10(abs(high - low) or 1.0)))
        most = (room or self.room) // (0.75 * self.small * (digits + 2))
        self.place_ticks("x", nbins=int(np.clip(most, 2, 7)))

    def place_ticks(self, axis: str, **options: Any) -> None:
        """Set how many ticks an axis has, and of which kind, unless a user said where they are."""
        from matplotlib.ticker import MaxNLocator

        if isinstance(getattr(self.ax, f"{axis}axis").get_major_locator(), MaxNLocator):
            self.ax.locator_params(axis=axis, **options)

    def lines_that_fit(self, others: float) -> int:
        """Return how many rows of text there is room for, beside so many lines above and below them."""
        high = self.ax.bbox.height / self.ax.figure.dpi * 72 / 0.77
        return max(1, int((high - others * 1.3 * self.size) / (1.4 * self.size)))

    def crown(
        self,
        finding: str,
        keys: Sequence[Key] = (),
        *,
        lines: float = 0.0,
        left: float = 0.0,
    ) -> tuple[Any, Any]:
        """Write what a picture finds above the axes and so many lines of small text, then a legend.

        Both begin `left` points to the left of the axes, above the labels of wide rows. Returns the title and
        the legend, or None where there are no keys.
        """
        import matplotlib as mpl

        legend = self.legend(keys, lines=lines, left=left) if keys else None
        up = (1.3 * (lines + self.height_of(keys, left)) + 0.7) * self.small + 2.0
        color = mpl.rcParams["axes.titlecolor"]
        text = broken(finding, 1.1 * self.size, self.room + self._gained(left))
        title = self._across_panels(
            text, (0.0, 1.0), (-left, up), xycoords="axes fraction", fontsize=1.1 * self.size, ha="left",
            va="bottom", linespacing=1.2, weight=mpl.rcParams["axes.titleweight"],
            color=self.text if color == "auto" else color,
        )  # fmt: skip
        return title, legend

    def _across_panels(self, text: str, xy: Any, offset: Any, **options: Any) -> Any:
        """Write text that may go on above or below the next panel: then only its height takes room."""
        written = self.aside(text, xy, offset, **options)
        if self.across > 1:
            self.aside("\n".join(" " for _ in text.split("\n")), xy, offset, **options)
            written.set_in_layout(False)
        return written

    def legend(self, keys: Sequence[Key], *, lines: float = 0.0, left: float = 0.0) -> Any:
        """Put a legend above the axes and so many lines of small text, in as many columns as fit."""
        from matplotlib.transforms import ScaledTranslation

        raised = ScaledTranslation(-left / 72, lines * 1.3 * self.small / 72, self.ax.figure.dpi_scale_trans)
        legend = self.ax.legend(
            [handle for handle, _ in keys],
            ["·"] * len(keys),
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            bbox_transform=self.ax.transAxes + raised,
            borderaxespad=0.4,
            borderpad=0.0,
            ncols=self._columns(keys, left),
            frameon=False,
            fontsize=self.small,
            handlelength=1.8,
            handletextpad=0.6,
            columnspacing=1.4,
            labelspacing=0.35,
        )
        self.label(legend, keys)
        return legend

    def label(self, legend: Any, keys: Sequence[Key]) -> None:
        """Set the labels of a legend, which itself drops those that begin with an underscore."""
        for text, (_, words) in zip(legend.get_texts(), keys, strict=True):
            text.set_text(words)
            text.set_color(self.text)

    def height_of(self, keys: Sequence[Key], left: float = 0.0) -> float:
        """Return how many lines of small text a legend takes."""
        return 1.42 / 1.3 * -(-len(keys) // self._columns(keys, left)) if keys else 0.0

    def _columns(self, keys: Sequence[Key], left: float) -> int:
        """Return in how many columns, filled one after the other, a legend's labels fit side by side."""
        widths = np.array([text_width(label, self.small) for _, label in keys])
        for columns in range(len(widths), 1, -1):
            widest = [float(part.max()) for part in np.array_split(widths, columns)]
            if sum(widest) + 3.8 * self.small * len(widest) <= self.room + min(left, 4.0 * self.size):
                return columns
        return 1

    def _gained(self, left: float) -> float:
        """Return how much more room text has that begins so many points left of the axes."""
        return min(0.7 * left, 4.0 * self.size)

    def fitted(self, sentences: Sequence[str], left: float = 0.0) -> str:
        """Break sentences, each beginning a line, where the small text would leave the figure."""
        room = self.room + self._gained(left)
        return "\n".join(broken(sentence, self.small, room) for sentence in sentences if sentence)

    def note(self, sentences: Sequence[str], *, lines: float = 2.0, left: float = 0.0) -> Any:
        """Write sentences under the axes, below as many lines of labels; None where there are none."""
        text = self.fitted(sentences, left)
        if not text:
            return None
        down = -(1.25 * lines * self.size + 10.0)
        return self._across_panels(
            text, (0.0, 0.0), (-left, down), xycoords="axes fraction", ha="left", va="top", linespacing=1.25
        )

    def say(self, sentence: str) -> Any:
        """Write in the middle of the axes why there is little to be seen."""
        inside = self.ax.bbox.width / self.ax.figure.dpi * 72 * 0.9
        return self.aside(
            broken(sentence, self.size, inside), (0.5, 0.2), (0, 0), xycoords="axes fraction",
            ha="center", va="center", color=self.text, zorder=9,
            bbox={"facecolor": self.face, "edgecolor": self.muted, "lw": 0.5, "alpha": 0.9, "pad": 4.0},
        )  # fmt: skip

    def bar_line(self, value: float, words: str, *, left: bool = False) -> Any:
        """Draw the bar across the axes, and write above its right or left end what it is."""
        line = self.ax.axhline(value, color=self.text, lw=1.5 * self.unit, zorder=3.5)
        if words:
            self.aside(
                words, (0.01 if left else 0.99, value), (0, 2), xycoords=("axes fraction", "data"),
                ha="left" if left else "right", va="bottom", color=self.text, zorder=7, bbox=self.backing,
            )  # fmt: skip
        return line

    def upright_bar(self, value: float, words: str, *, left: bool) -> Any:
        """Draw the bar upright, and write beside its upper end, right or left of it, what it is."""
        line = self.ax.axvline(value, color=self.text, lw=1.5 * self.unit, zorder=3.5)
        self.aside(
            words, (value, 0.985), (-3 if left else 3, 0), xycoords=("data", "axes fraction"),
            ha="right" if left else "left", va="top", color=self.text, zorder=7, bbox=self.backing,
        )  # fmt: skip
        return line
