"""A scorecard as a picture: each measure on its own axis, with the bar and what chance can reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray
from clearbar.core.counts import Population
from clearbar.formatting import capital, distinct, number, percent, plural, visible, whole_percent
from clearbar.plots._canvas import Canvas, plain, text_width
from clearbar.plots._chance import chance_limit
from clearbar.plots._display import ModelsDisplay, Order, Words
from clearbar.plots._outcomes import JUDGED, models_finding, outcome_keys, outcome_words
from clearbar.plots._rows import (
    band_words,
    draw_band,
    draw_score,
    first_and_last,
    not_drawn,
    tick_bar,
    worst_measures,
)
from clearbar.scorecard import INTERVALS

NAME_WIDTH = 22
"""Columns of the name of a row."""

HEAD = 1.35
"""Lines that a measure takes beside those of its models: its own, and a gap."""


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
        whiskers = card.has_p_values and not runs and len(models) * len(card.measures) <= INTERVALS
        limit = float(np.clip(chance_limit(bar, alpha), min(worst, best), max(worst, best)))
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
    def differs(self) -> bool:
        """Whether a mark says something else than the grey: a sure score in it, or one in doubt beyond it."""
        if math.isnan(self.limit):
            return False
        beyond = self.share(self.scores) > self.share(self.limit)
        pairs = zip(beyond.tolist(), self.outcomes, strict=True)
        return any(outcome == ("doubt" if outside else "clears") for outside, outcome in pairs)

    @property
    def ends(self) -> tuple[str, str]:
        """The ends as they are written: with … where the measure goes on."""
        worst, best = number(self.worst, places=2), number(self.best, places=2)
        return f"… {worst}" if self.worst_open else worst, f"{best} …" if self.best_open else best

    def share(self, value: Any) -> Any:
        """Return where a value lies between the worst end, 0, and the best, 1."""
        with np.errstate(invalid="ignore"):
            share = (np.asarray(value, dtype=np.float64) - self.worst) / (self.best - self.worst)
        return np.clip(share, 0.0, 1.0)


def axis_ends(bar: Any, scores: FloatArray) -> tuple[float, float, bool, bool]:
    """Return the worst and the best end of a measure's axis, and whether either is open.

    The bound of the measure, or where it has none the value at the table with everything wrong; and the score
    of perfect predictions, or the measure's bound. What is open ends a little beyond the last thing that is
    shown.
    """
    measure = bar.measure
    rising = measure.greater_is_better is not False
    worst, best = measure.bounds if rising else measure.bounds[::-1]
    if not math.isfinite(worst):
        worst = math.nan
        if isinstance(measure, Measure) and isinstance(bar.population, Population):
            p, n = bar.population.positives, bar.population.negatives
            worst = float(measure(tp=p * 0, fp=n, fn=p, tn=n * 0))
    perfect = float(bar.best_possible)
    if math.isfinite(perfect) and measure.greater_is_better is not None:
        best = perfect
    shown = np.array([*scores, float(bar.value)])
    shown = shown[np.isfinite(shown)]
    sign = 1.0 if rising else -1.0
    worst, worst_open = _closed(worst, -sign, shown, float(bar.worst_value))
    best, best_open = _closed(best, sign, shown)
    return worst, best, worst_open, best_open


def _closed(end: float, sign: float, shown: FloatArray, extreme: float = math.nan) -> tuple[float, bool]:
    """Return an end that holds all that is shown, and whether more is known to lie, or may lie, beyond."""
    if math.isfinite(end) and not (sign * np.append(shown, extreme) > sign * end * (1 + 1e-9)).any():
        return end, False
    if not shown.size:
        return sign, True
    last = float(sign * (sign * shown).max())
    spread = float(np.ptp(shown)) or abs(last) or 1.0
    return last + sign * 0.1 * spread, True


@dataclass(repr=False, eq=False)
class ScorecardDisplay(ModelsDisplay):
    """Each measure from worst to best possible, with its bar, what chance can reach, and the models.

    Every measure is an axis of its own, in its own units, its better end on the right, also for losses,
    with a line for each model. A thick tick is the bar. The band is what chance can reach: what some
    classifier that ignores its input gets with a probability of 5 % or more. Whiskers are confidence
    intervals of the true scores, where there are at most 40. A score below its bar is crossed and hangs on a
    thick line from it; one above it that could be chance is hollow. On axes too small for all of it fewer
    models and measures are drawn, those with the worst verdicts, and a line says how many are not.

    Parameters
    ----------
    models : sequence of str
        Names of the models, from top to bottom.
    rows : sequence of Row
        The measures.
    title, finding : str
        What is judged, such as a slice; and what is said above, by default what is true of these models.
    notes : sequence of str
        What is to be said below.
    left_out : int
        Models of the scorecard that are not among these.

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
    >>> display.finding
    'The model misses the F1 and MCC bars'
    """

    models: Sequence[str]
    rows: Sequence[Row]
    _: KW_ONLY
    title: str = ""
    finding: str = ""
    notes: Sequence[str] = ()
    left_out: int = 0

    def __post_init__(self) -> None:
        self.models, self.rows = tuple(self.models), tuple(self.rows)
        if not self.models or not self.rows:
            raise ValueError("models and rows must hold at least one model and one measure.")
        labels, losses = [row.label for row in self.rows], [row.loss for row in self.rows]
        outcomes = list(zip(*(row.outcomes for row in self.rows), strict=True))
        self.finding = self.finding or models_finding(self.models, labels, outcomes, losses)

    @classmethod
    def _data(
        cls, card: Any, models: list[int], group: int, outcomes: Any, alpha: float, order: Order
    ) -> dict[str, Any]:
        rows = [
            Row.of(card, models, group, measure, outcomes[:, measure].tolist(), alpha)
            for measure in range(len(card.measures))
        ]
        return {"rows": rows, "notes": _notes(card, rows, card.bar(0, group), alpha, order)}

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
    def _height(self) -> float:
        return 1.75 + 0.165 * len(self.rows) * (len(self.models) + HEAD)

    def _draw(self, canvas: Canvas) -> Words:
        self.points_: dict[tuple[str, str], Any] = {}
        self.texts_: dict[tuple[str, str], Any] = {}
        self.shortfalls_: dict[tuple[str, str], Any] = {}
        self.spreads_: dict[tuple[str, str], Any] = {}
        self.whiskers_: dict[tuple[str, str], Any] = {}
        self.bars_: dict[str, Any] = {}
        self.bands_: dict[str, Any] = {}
        notes = self.notes[:1] if canvas.is_narrow else self.notes
        models, rows = self._that_fit(canvas, notes)
        height = len(models) + HEAD
        for top, row in zip(height * np.arange(len(rows)), rows, strict=True):
            self._draw_axis(canvas, row, top, len(models))
            self._draw_scores(canvas, row, models, top)
        left = self._frame(canvas, rows, models, height)
        self._label_bands(canvas, rows, height, left)
        outcomes = {row.outcomes[model] for row in rows for model in models}
        keys = outcome_keys(canvas, outcomes, loss=any(row.loss and not row.remark for row in rows))
        left_out = len(self.models) - len(models) + self.left_out, len(self.rows) - len(rows)
        return Words(keys, [*notes, not_drawn(*left_out)], above=0.6, below=2.3, left=left)

    def _that_fit(self, canvas: Canvas, notes: Sequence[str]) -> tuple[list[int], list[Row]]:
        """Return the models and measures for which there is room: all, or those with the worst outcomes."""
        note_lines = canvas.wrap_note([*notes, "."]).count("\n") + 1
        text = 2.6 * canvas.size + 1.3 * canvas.small * note_lines + 6.2 * canvas.small
        lines = (canvas.height - text) / (1.3 * canvas.small)
        models = len(self.models)
        if lines >= 0.85 * len(self.rows) * (models + HEAD):
            return list(range(models)), list(self.rows)
        most_models = max(1, min(models, int(lines - HEAD)))
        most_rows = max(1, int(lines // (most_models + HEAD)))
        worst = worst_measures([row.outcomes for row in self.rows], most_rows)
        return first_and_last(models, most_models), [self.rows[row] for row in worst]

    def _draw_axis(self, canvas: Canvas, row: Row, top: float, models: int) -> None:
        """Draw a measure's axis with its ends in its own units, its band and its bar."""
        canvas.line([0, 1], [top + 0.95] * 2, canvas.muted, 0.6, zorder=1, solid_capstyle="butt")
        for x, text, align, step in ((0, row.ends[0], "right", -4), (1, row.ends[1], "left", 5)):
            canvas.annotate(text, (x, top + 0.5), (step * canvas.unit, 0), ha=align)
        bottom = top + 1.0 + models
        if not math.isnan(row.limit):
            self.bands_[row.label] = draw_band(canvas, 0.0, float(row.share(row.limit)), (top, bottom))
        if row.remark:
            canvas.annotate(row.remark, (0, top + 0.5), (3, 0), zorder=6)
        if math.isnan(row.bar):
            return
        bar = float(row.share(row.bar))
        self.bars_[row.label] = tick_bar(canvas, bar, (top + 0.95, bottom))
        align = "right" if bar > 0.9 else "left" if bar < 0.1 else "center"
        text = f"bar {number(row.bar, row.samples)}"
        canvas.annotate(text, (bar, top + 0.5), color=canvas.text, ha=align, zorder=6)

    def _draw_scores(self, canvas: Canvas, row: Row, models: Sequence[int], top: float) -> None:
        whiskers = self.spreads_ if row.spread else self.whiskers_
        kinds = self.points_, self.texts_, whiskers, self.shortfalls_
        for line, model in enumerate(models):
            score = row.scores[model]
            ends = row.intervals[model] if row.intervals else (math.nan, math.nan)
            if row.spread:
                ends = score - row.spread[model], score + row.spread[model]
            x, bar, low, high = map(float, row.share((score, row.bar, *ends)))
            text = number(score, row.samples)
            drawn = draw_score(canvas, top + 1.5 + line, x, row.outcomes[model], text, bar, (low, high))
            for artists, artist in zip(kinds, drawn, strict=True):
                if artist is not None:
                    artists[self.models[model], row.label] = artist

    def _label_bands(self, canvas: Canvas, rows: Sequence[Row], height: float, left: float) -> None:
        """Say on the first band that has room for it what bands are."""
        width = canvas.axis_width(left, 4.0 * canvas.small)
        self.band_label_ = None
        for index, row in enumerate(rows):
            if math.isnan(row.limit) or row.remark:
                continue
            bar = text_width(f"bar {number(row.bar, row.samples)}", canvas.small) / 2
            free = min(float(row.share(row.limit)) * width, float(row.share(row.bar)) * width - bar)
            words = band_words(canvas, free)
            if words:
                position = 0.0, index * height + 0.5
                self.band_label_ = canvas.annotate(words, position, (3, 0), zorder=6)
                return

    def _frame(self, canvas: Canvas, rows: Sequence[Row], models: Sequence[int], height: float) -> float:
        """Label rows and axes; return how far left of the axes the labels begin."""
        several, ax = len(self.models) > 1, canvas.ax
        names = [plain(name, 200) for name in distinct([self.models[model] for model in models], NAME_WIDTH)]
        labels, heights = [], []
        for index, row in enumerate(rows):
            labels += [plain(row.label, NAME_WIDTH), *names] if several else [plain(row.label, 200)]
            first = index * height + (0.5 if several else 1.5)
            heights += [first + line for line in range(len(models) + several)]
        canvas.style_axes("", plain(self.title, 60))
        ax.set_xlim(0, 1)
        ax.set_ylim(len(rows) * height - HEAD + 1.1, -0.15)
        ax.set_xticks([0, 1], ["worst\npossible", "best\npossible"], fontsize=canvas.small)
        ax.set_yticks(heights, labels, fontsize=canvas.small)
        for text in ax.get_yticklabels()[:: len(heights) // len(rows)]:
            text.set(fontsize=canvas.size, fontweight="bold" if several else "normal")
        gutter = 7 * canvas.unit + text_width((row.ends[0] for row in rows), canvas.small)
        ax.tick_params(axis="y", length=0, pad=gutter)
        ax.spines[["left", "bottom"]].set_visible(False)
        heads = text_width((row.label for row in rows), canvas.size)
        return gutter + max(text_width(labels, canvas.small), heads)


def _notes(card: Any, rows: Sequence[Row], bar: Any, alpha: float, order: Order) -> list[str]:
    """Say what is seen, then in a line of its own what there may be no room for."""
    total, (name, members) = int(bar.population.total), bar.population.leading
    about = [f"{plural(total, 'sample')}, {percent(int(members) / total)} {name}."]
    if not all(math.isnan(end) for row in rows for ends in row.intervals for end in ends):
        about.append(f"Whiskers: {whole_percent(card.confidence_level)} intervals.")
    if card.several_runs:
        about.append(f"Means over {card.runs:,} runs, with a line of one standard deviation to either side.")
    if not all(math.isnan(row.limit) for row in rows):
        about.append(f"Grey: what chance can reach with a probability of {whole_percent(alpha)} or more.")
    details = []
    if any(row.differs for row in rows):
        details.append(
            "A mark says whether this model's true score is above the bar; the grey, how far guessing gets. "
            "The two may disagree."
        )
    if any(row.loss for row in rows):
        details.append("Losses run from right to left.")
    if len(card.models) > 1 < len(rows) and order != "given":
        details.append(f"Models by mean skill, the {order} first.")
    return [" ".join(sentences) for sentences in (about, details) if sentences]
