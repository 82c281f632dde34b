"""A scorecard as a picture: models against the bars of measures, each on an axis of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np

from clearbar.formatting import capital, distinct, number, percent, plural, visible, whole_percent
from clearbar.plots._canvas import TICKS, Canvas, heavy, plain, text_size, text_width, wrap
from clearbar.plots._chance import chance_limit, clears_within
from clearbar.plots._display import ModelsDisplay, Words
from clearbar.plots._marks import (
    JUDGED,
    chance_key,
    draw_score,
    not_drawn,
    outcome_keys,
    outcome_words,
    tick_bar,
    whiskers_note,
)
from clearbar.scorecard import axis_ends

MATRIX = 4
"""Models from which on measures stand side by side, so that each model is named once."""

HEAD = 1.35
"""Lines that a measure takes in a list beside those of its models: its own, and a gap."""

MARKS = 3.3, 4.4
"""Points of marks in a matrix, at least and at most, where text has nine."""

PITCH = 1.42
"""Sizes of text from one row to the next."""


@dataclass(frozen=True)
class Row:
    """One measure: its axis, its bar and the models' scores, all in the measure's own units."""

    label: str  # the measure
    samples: int  # number of samples, for digits
    worst: float  # ends of the axis; a loss has its smallest value at the best end
    best: float
    worst_open: bool  # whether the measure goes on beyond that end
    best_open: bool
    bar: float  # nan where there is none
    limit: float  # how far chance can reach; nan where that is not known
    scores: tuple[float, ...]  # a score per model, nan where there is none
    outcomes: tuple[str, ...]  # of each; "doubt" for one above its bar that could be there by chance
    remark: str  # why there is no verdict; empty where there is one
    spread: tuple[float, ...] = ()  # standard deviation over runs per model; empty where there is one run
    intervals: tuple[tuple[float, float], ...] = ()  # per model; empty where there are none

    @classmethod
    def of(
        cls, card: Any, models: list[int], group: int, measure: int, outcomes: Sequence[str], alpha: float
    ) -> Row:
        bar: Any = card.bar(measure, group)
        scores = card.columns["score"][models, group, measure]
        worst, best, worst_open, best_open = axis_ends(bar, scores)
        remark = ""
        if math.isnan(float(bar.value)):
            remark = "no bar"
        elif not set(JUDGED) & set(outcomes):
            remark = "cannot be beaten" if "unbeatable" in outcomes else "no score"
        runs = card.several_runs
        limit = float(np.clip(chance_limit(bar, alpha), min(worst, best), max(worst, best)))
        whiskers = card.has_p_values and not runs
        return cls(
            bar.measure.label, int(bar.population.total), worst, best, worst_open, best_open,
            float(bar.value), limit, tuple(scores.tolist()), tuple(outcomes), remark,
            spread=tuple(card.columns["score_sd"][models, group, measure].tolist() if runs else ()),
            intervals=tuple(card.interval(model, group, measure) for model in models if whiskers),
        )  # fmt: skip

    @property
    def loss(self) -> bool:
        return self.worst > self.best

    @property
    def ends(self) -> tuple[str, str]:
        """The ends as they are written: with … where the measure goes on."""
        worst, best = number(self.worst, places=2), number(self.best, places=2)
        return f"… {worst}" if self.worst_open else worst, f"{best} …" if self.best_open else best

    @property
    def bar_words(self) -> str:
        """Return the bar in figures, or why there is no verdict."""
        remark = "unbeatable" if self.remark == "cannot be beaten" else self.remark
        return remark or f"bar {number(self.bar, self.samples)}"

    def text(self, model: int) -> str:
        return number(self.scores[model], self.samples)

    def whisker(self, model: int) -> tuple[float, float]:
        """Return the ends of the line through a score: its interval, or one standard deviation over runs."""
        score = self.scores[model]
        if self.spread:
            return score - self.spread[model], score + self.spread[model]
        return self.intervals[model] if self.intervals else (math.nan, math.nan)

    def share(self, value: Any, ends: tuple[float, float] | None = None) -> Any:
        """Return where a value lies between two ends, by default the worst, 0, and the best, 1."""
        worst, best = ends or (self.worst, self.best)
        with np.errstate(invalid="ignore"):
            share = (np.asarray(value, dtype=np.float64) - worst) / (best - worst)
        return np.clip(share, 0.0, 1.0)

    @property
    def clears_within_reach(self) -> bool:
        """Whether a score clears though chance gets as far, with another number of positive predictions."""
        return clears_within(self.limit, self.scores, self.outcomes, loss=self.loss)

    @property
    def whisker_share(self) -> float:
        """Return how much of its column's stretch a whisker takes, the median of the models; nan without."""
        models = range(len(self.scores))
        low, high = np.transpose([self.share(self.whisker(model), self.window(models)) for model in models])
        lengths = (high - low)[np.isfinite(high - low)]
        return float(np.median(lengths)) if lengths.size else math.nan

    def graphic_width(self, size: float) -> float:
        """Return how many points marks and whiskers take: so many that whiskers are twice as long as marks.

        Within a factor of 1.7, since columns are few on narrow pages.
        """
        twice = 2 * MARKS[0] / 9.0 / max(self.whisker_share, 0.1)
        return min(3.4, max(2.0, twice)) * size

    def window(self, models: Sequence[int]) -> tuple[float, float]:
        """Return the ends of the stretch that holds bar, scores and whiskers."""
        shown = np.array([self.bar, *self.scores, *(end for model in models for end in self.whisker(model))])
        shown = shown[np.isfinite(shown)]
        low, high = (shown.min(), shown.max()) if shown.size else (0.0, 1.0)
        margin = 0.08 * float(high - low) or 0.1
        ends = float(low) - margin, float(high) + margin
        return ends[::-1] if self.loss else ends


class Grid(NamedTuple):
    """Where measures stand: in strips below each other, of so many side by side."""

    columns: int
    left: float  # points that names take left of the axes
    widths: tuple[float, ...]  # points of each column
    numbers: float  # points of a score in figures
    heads: tuple[tuple[str, ...], ...]  # what stands above each measure, line by line
    lines: float  # rows of a strip, with its head and the gap below it

    @property
    def head(self) -> float:
        return self.lines - 0.5

    def strips(self, measures: int) -> int:
        return -(-measures // self.columns)


@dataclass(repr=False, eq=False)
class ScorecardDisplay(ModelsDisplay):
    """Models against the bars of measures, with what chance can reach.

    Up to three models: each measure is an axis from the worst to the best possible score, with a line for
    each model. From four models on a matrix, measures across and models down: each column has its own axis,
    which holds the bar and all of the scores.

    The better end is always on the right, also of losses. A thick tick is the bar. The band is what chance
    can reach: what some classifier that ignores its input gets with a probability of 5 % or more. Whiskers
    are confidence intervals of the true scores. A score below its bar is crossed and hangs on a thick line
    from it; one above it that could be chance is hollow. On axes too small for all of it the first models
    and measures are drawn, and a line says how many are not.

    Parameters
    ----------
    models : sequence of str
        Names of the models, from top to bottom.
    rows : sequence of Row
        The measures.
    title, finding : str
        What is judged, such as a slice; and what is said above.
    notes : sequence of str
        What is to be said below.
    left_out : int
        Models of the scorecard that are not among these.
    kind : (str, str)
        What a row is called, and several of them.

    Attributes
    ----------
    points_, texts_, shortfalls_, spreads_, whiskers_ : dict of (str, str) to artist
        Of each model and measure its marker, its score in figures, the line from the bar to a score that
        fails, one standard deviation over runs to either side, and the confidence interval.
    bars_, bands_ : dict of str to artist
        The tick of each measure that has a bar, and what chance can reach.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=3, fp=3, fn=15, tn=10), ["f1", "mcc"])
    >>> display = cb.plots.ScorecardDisplay.from_scorecard(card)
    >>> display.rows[0].outcomes, round(display.rows[0].bar, 3)
    (('fails',), 0.735)
    """

    models: Sequence[str]
    rows: Sequence[Row]
    _: KW_ONLY
    title: str = ""
    finding: str = ""
    notes: Sequence[str] = ()
    left_out: int = 0
    kind: tuple[str, str] = ("measure", "measures")

    def __post_init__(self) -> None:
        self.models, self.rows = tuple(self.models), tuple(self.rows)
        if not self.models or not self.rows:
            raise ValueError("models and rows must hold at least one model and one measure.")

    @classmethod
    def _data(cls, card: Any, models: list[int], group: int, outcomes: Any, alpha: float) -> dict[str, Any]:
        rows = [
            Row.of(card, models, group, measure, outcomes[:, measure].tolist(), alpha)
            for measure in range(len(card.measures))
        ]
        return {"rows": rows, "notes": _notes(card, rows, card.bar(0, group), alpha)}

    @property
    def description(self) -> str:
        measures = []
        for row in self.rows:
            scores = ", ".join(
                f"{visible(model)} {number(score, row.samples)} ({outcome_words(outcome, loss=row.loss)})"
                for model, score, outcome in zip(self.models, row.scores, row.outcomes, strict=True)
            )
            bar = "no bar" if math.isnan(row.bar) else f"bar {number(row.bar, row.samples)}"
            measures.append(f"{capital(row.label)}: {bar}; {scores}")
        where = f" in {self.title}" if self.title else ""
        return (
            f"{self.finding}. Scores of {plural(len(self.models), 'model')}{where} against their bars. "
            + ". ".join(measures)
        )

    @property
    def is_matrix(self) -> bool:
        """Whether measures stand side by side."""
        return len(self.models) >= MATRIX and len(self.rows) > 1

    def _grid(self, width: float, size: float) -> Grid:
        """Return where measures stand on so many points across, with text of so many points."""
        ticks, models = TICKS * size, len(self.models)
        names = [plain(name, 200) for name in distinct(self.models, 22 if width > 30 * size else 15)]
        texts = (row.text(model).lstrip("−") for row in self.rows for model in range(models))
        numbers = text_width(texts, ticks)  # a minus sign may hang into the gap
        if not self.is_matrix:
            widest = text_width((plain(row.label, 22) for row in self.rows), 1.1 * size)
            gutter = 0.8 * size + text_width((row.ends[0] for row in self.rows), ticks)
            left = gutter + max(widest, text_width(names, ticks) if models > 1 else 0.0)
            return Grid(1, left, (width - left,), numbers, (), models + HEAD)
        left = text_width(names, ticks) + 0.6 * size
        inner = width - left - 1.6 * size
        bold, measures = 1.1 * ticks, len(self.rows)
        least = [
            max(
                0.5 * size + text_width(self._parts(row.label), bold),
                0.5 * size + text_width(row.bar_words, ticks),
                numbers + 1.2 * size + row.graphic_width(size),
            )
            for row in self.rows
        ]
        for strips in range(1, measures + 1):
            columns = -(-measures // strips)
            needs = [max(least[column::columns]) for column in range(columns)]
            if sum(needs) <= inner:
                break
        widths = tuple(min(share, max(need, numbers + 14.0 * size))
                       for share, need in zip(_shares(needs, inner), needs, strict=True))  # fmt: skip
        heads = tuple(
            (*self._heading(row.label, bold, widths[index % columns] - 0.4 * size), row.bar_words)
            for index, row in enumerate(self.rows)
        )
        return Grid(columns, left, widths, numbers, heads, models + 0.5 + 0.9 * max(map(len, heads)))

    def _parts(self, label: str) -> list[str]:
        """Return what of a column's heading stays on one line."""
        return plain(label).split()

    def _heading(self, label: str, size: float, points: float) -> list[str]:
        """Return the lines of a column's heading."""
        return wrap(plain(label), size, points).split("\n")

    def _figure_height(self, width: float) -> float:
        size = text_size(width)
        grid = self._grid(72 * width, size)
        lines = grid.strips(len(self.rows)) * grid.lines + (0.0 if self.is_matrix else 1.6)
        return (PITCH * lines + 9.0) * size / 72

    def _draw(self, canvas: Canvas) -> Words:
        self.points_: dict[tuple[str, str], Any] = {}
        self.texts_: dict[tuple[str, str], Any] = {}
        self.shortfalls_: dict[tuple[str, str], Any] = {}
        self.spreads_: dict[tuple[str, str], Any] = {}
        self.whiskers_: dict[tuple[str, str], Any] = {}
        self.bars_: dict[str, Any] = {}
        self.bands_: dict[str, Any] = {}
        grid = self._grid(canvas.shared_width, canvas.size)
        models, measures = self._that_fit(canvas, grid)
        lines = grid.lines - (len(self.models) - models)
        for index, row in enumerate(self.rows[:measures]):
            strip, column = divmod(index, grid.columns)
            draw = self._draw_column if self.is_matrix else self._draw_axis
            draw(canvas, row, grid, (column, strip * lines), range(models), index)
        self._frame(canvas, grid, models, measures, lines)
        drawn = self.rows[:measures]
        outcomes = {row.outcomes[model] for row in drawn for model in range(models)}
        keys = outcome_keys(canvas, outcomes, loss=any(row.loss and not row.remark for row in drawn))
        keys += [chance_key(canvas)] if self.bands_ else []
        left_out = len(self.models) - models + self.left_out, len(self.rows) - measures
        notes, omitted = self.notes[:1] if canvas.is_narrow else self.notes, not_drawn(*left_out, self.kind)
        return Words(keys, notes, omitted, above=0.3, below=0.4 if self.is_matrix else 2.3)

    def _that_fit(self, canvas: Canvas, grid: Grid) -> tuple[int, int]:
        """Return how many models and measures there is room for."""
        around = 3.0 if canvas.compact or not self._has_words else 9.0
        lines = (canvas.height / canvas.size - around) / PITCH
        models, strips = len(self.models), grid.strips(len(self.rows))
        if self._made_figure or lines >= 0.9 * strips * grid.lines:
            return models, len(self.rows)
        models = max(1, min(models, int(lines - (grid.lines - models))))
        strips = max(1, int(lines / (grid.lines - len(self.models) + models)))
        return models, min(len(self.rows), strips * grid.columns)

    def _draw_axis(
        self, canvas: Canvas, row: Row, _: Grid, place: tuple[int, float], models: range, __: int
    ) -> None:
        """Draw a measure over the whole width, with its ends in its own units, its band and its bar."""
        top = place[1]
        bottom = top + 1.0 + len(models)
        canvas.line([0, 1], [top + 0.95] * 2, canvas.muted, 0.6, zorder=1, solid_capstyle="butt")
        for x, text, align, step in ((0, row.ends[0], "right", -4), (1, row.ends[1], "left", 5)):
            canvas.annotate(text, (x, top + 0.5), (step * canvas.unit, 0), ha=align)
        if not math.isnan(row.limit):
            self.bands_[row.label] = canvas.box(0.0, top, float(row.share(row.limit)), bottom - top)
        if row.remark:
            canvas.annotate(row.remark, (0, top + 0.5), (3, 0), zorder=6)
        bar = float(row.share(row.bar))
        if not math.isnan(bar):
            self.bars_[row.label] = tick_bar(canvas, bar, (top + 0.95, bottom))
            align = "right" if bar > 0.9 else "left" if bar < 0.1 else "center"
            words = f"bar {number(row.bar, row.samples)}"
            if not (row.remark and canvas.is_narrow):  # both would stand on each other
                canvas.annotate(words, (bar, top + 0.5), color=canvas.text, ha=align, zorder=6)
        for line, model in enumerate(models):
            y, key = top + 1.5 + line, (self.models[model], row.label)
            self.texts_[key] = canvas.annotate_right(row.text(model), y, 5 * canvas.unit, color=canvas.text)
            self._mark(canvas, row, model, y, row.share, 6.0)

    def _draw_column(
        self, canvas: Canvas, row: Row, grid: Grid, place: tuple[int, float], models: range, index: int
    ) -> None:
        """Draw a measure as a column: marks on an axis that holds them, and the scores in figures."""
        (column, top), step = place, 0.9
        left = sum(grid.widths[:column]) + 0.35 * canvas.size
        graphic = grid.widths[column] - grid.numbers - 1.2 * canvas.size
        ends = row.window(models)
        heads = grid.heads[index]
        first = top + 0.9 * max(map(len, grid.heads)) - step * len(heads)
        for line, words in enumerate(heads):
            is_bar = line == len(heads) - 1
            canvas.annotate(
                words, (left, first + (line + 0.5) * step), color=canvas.text,
                fontweight="normal" if is_bar else heavy(),
                fontsize=canvas.small if is_bar else canvas.ticks,
            )  # fmt: skip

        def place_of(value: Any) -> Any:
            return left + graphic * row.share(value, ends)

        first = top + 0.9 * max(map(len, grid.heads)) + 0.1
        if not math.isnan(row.limit):
            width = float(place_of(row.limit)) - left
            self.bands_[row.label] = canvas.box(left, first, width, len(models))
        if not math.isnan(row.bar):
            self.bars_[row.label] = tick_bar(canvas, float(place_of(row.bar)), (first, first + len(models)))
        right = left + grid.widths[column] - 0.7 * canvas.size
        half = row.whisker_share * graphic / 2 / canvas.unit  # a mark hides no more of an interval
        size = max(min(MARKS[1], half), MARKS[0])
        for line, model in enumerate(models):
            y = first + 0.5 + line
            style = {"ha": "right", "color": canvas.text}
            self.texts_[self.models[model], row.label] = canvas.annotate(row.text(model), (right, y), **style)
            self._mark(canvas, row, model, y, place_of, size)

    def _mark(self, canvas: Canvas, row: Row, model: int, y: float, place_of: Any, size: float) -> None:
        x, bar, low, high = map(float, place_of((row.scores[model], row.bar, *row.whisker(model))))
        drawn = draw_score(canvas, y, x, row.outcomes[model], bar, (low, high), size)
        kinds = self.points_, self.spreads_ if row.spread else self.whiskers_, self.shortfalls_
        for artists, artist in zip(kinds, drawn, strict=True):
            if artist is not None:
                artists[self.models[model], row.label] = artist

    def _frame(self, canvas: Canvas, grid: Grid, models: int, measures: int, lines: float) -> None:
        """Name models and measures, and label the ends of axes."""
        ax, strips = canvas.ax, grid.strips(measures)
        width = 22 if canvas.width > 30 * canvas.size else 15
        names = [plain(name, 200) for name in distinct(self.models, width)[:models]]
        canvas.style_axes("", plain(self.title, 60))
        ax.tick_params(axis="y", length=0)
        ax.spines[["left", "bottom"]].set_visible(False)
        tops = [lines * strip for strip in range(strips)]
        if self.is_matrix:
            head = 0.9 * max(map(len, grid.heads)) + 0.1
            heights = [top + head + 0.5 + line for top in tops for line in range(models)]
            ax.set_yticks(heights, names * strips, fontsize=canvas.ticks)
            ax.set_xticks([])
            across = max(sum(grid.widths), canvas.axis_width(grid.left, 0.0))
            between = [y + 0.5 for line, y in enumerate(heights) if (line + 1) % models]
            ax.hlines(between, 0, across, color=canvas.muted, lw=0.4 * canvas.unit, alpha=0.4, zorder=0)
            ax.set(xlim=(0, across), ylim=(strips * lines - 0.4, 0))
            return
        several, labels, heights = len(self.models) > 1, [], []
        for top, row in zip(tops, self.rows, strict=False):
            labels += [plain(row.label, 22), *names] if several else [plain(row.label, 200)]
            heights += [top + (0.5 if several else 1.5) + line for line in range(models + several)]
        ax.set(xlim=(0, 1), ylim=(strips * lines - HEAD + 1.1, -0.15))
        ax.set_xticks([0, 1], ["worst\npossible", "best\npossible"], fontsize=canvas.ticks)
        ax.set_yticks(heights, labels, fontsize=canvas.ticks)
        for text in ax.get_yticklabels()[:: models + several]:
            text.set(fontsize=canvas.size, fontweight=heavy() if several else "normal")
        gutter = 7 * canvas.unit + text_width((row.ends[0] for row in self.rows), canvas.ticks)
        ax.tick_params(axis="y", pad=gutter)


def _shares(needs: Sequence[float], points: float) -> list[float]:
    """Share points among columns, equally but for those that need more."""
    wide: set[int] = set()
    while True:
        rest = points - sum(needs[column] for column in wide)
        equal = rest / max(len(needs) - len(wide), 1)
        wider = {column for column, need in enumerate(needs) if need > equal} - wide
        if not wider:
            return [need if column in wide else equal for column, need in enumerate(needs)]
        wide |= wider


def _notes(card: Any, rows: Sequence[Row], bar: Any, alpha: float) -> list[str]:
    """Say what is seen, then in a line of its own what there may be no room for."""
    total, (name, members) = int(bar.population.total), bar.population.leading
    about = [f"{plural(total, 'sample')}{f', {percent(int(members) / total)} {name}' if name else ''}."]
    if not all(math.isnan(end) for row in rows for ends in row.intervals for end in ends):
        about.append(whiskers_note(card.confidence_level))
    if card.several_runs:
        about.append(f"Means over {card.runs:,} runs, with a line of one standard deviation to either side.")
    if not all(math.isnan(row.limit) for row in rows):
        grey = f"Grey: reached by chance with a probability of {whole_percent(alpha)} or more"
        within = card.counts is not None and any(row.clears_within_reach for row in rows)
        falls_short = ". A dot on it clears, since chance with as many positive predictions falls short"
        about.append(f"{grey}{falls_short * within}.")
    details = ["Losses run from right to left."] if any(row.loss for row in rows) else []
    return [" ".join(sentences) for sentences in (about, details) if sentences]
