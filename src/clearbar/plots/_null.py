"""How likely each score is for classifiers that ignore their input, and where the model stands."""

from __future__ import annotations

import math
from typing import Any

from clearbar.evaluation import evaluate, evaluate_counts
from clearbar.formatting import capital, number, p_phrase, percent, visible, whole_percent
from clearbar.plots._canvas import Canvas, Key
from clearbar.plots._display import Display
from clearbar.plots._findings import name_of, of_score
from clearbar.plots._laws import (
    HATCH,
    Law,
    behind,
    draw_law,
    only,
    point_to,
    say_the_only,
    windows,
)
from clearbar.plots._marks import color_of
from clearbar.plots._text import axis_label, broken, plain
from clearbar.verdict import Verdict


class NullDisplay(Display):
    """The exact distribution of a score under draws that ignore the input, with the model's score.

    Two distributions, one above the other: of the draw with as many predicted positives as the
    model, and of the draw that attains the bar; one, where the model's number attains it. The tail
    at least as good as the model is dark, and its probability written. A distribution that would be a
    sliver beside score and bar has an axis of its own, and arrows say where these are.

    Parameters
    ----------
    verdict : Verdict
        What was judged.
    own : Law
        The distribution at the model's own number of predicted positives.
    bar : Law or None
        The one at the bar; None where there is no bar or it is the same.
    own_attains : bool
        Whether the model's own number of predicted positives attains the bar.

    Attributes
    ----------
    axes_ : tuple of matplotlib.axes.Axes
        One per distribution.
    bars_, tails_ : tuple of matplotlib.collections.Collection
        What is drawn of each distribution outside of the tail, and in it.
    scores_ : tuple of matplotlib.lines.Line2D
        The model's score, in the colour of its outcome.
    lines_ : tuple of matplotlib.lines.Line2D or None
        The bar; None where it lies beyond the axis, or there is none.
    whisker_ : matplotlib.lines.Line2D or None
        The confidence interval of the model's true score.
    texts_ : tuple of matplotlib.text.Text
        The p-values.
    ax_, figure_, title_, legend_, note_
        As in every `Display`.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=13, fp=5, fn=5, tn=8)
    >>> display = cb.plots.NullDisplay.from_counts(counts, "f1")
    >>> [text.get_text().splitlines()[-1] for text in display.texts_]
    ['a score at least this good: p = 0.065', 'a score at least this good: p = 1']
    """

    def __init__(self, verdict: Verdict, own: Law, bar: Law | None, *, own_attains: bool) -> None:
        self.verdict, self.own, self.bar, self.own_attains = verdict, own, bar, own_attains

    @classmethod
    def from_verdict(cls, verdict: Verdict, *, ax: Any = None) -> NullDisplay:
        """Draw the distributions behind a verdict.

        Parameters
        ----------
        verdict : Verdict
            A row of a scorecard, on labels or counts.
        ax : matplotlib.axes.Axes or two of them, optional
            Where to draw; one is divided. A new figure by default.

        Returns
        -------
        NullDisplay

        Raises
        ------
        ValueError
            If it is no verdict on one confusion matrix, or there is no score.
        """
        return cls(**behind(verdict)).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, measure: Any, *, ax: Any = None, **options: Any
    ) -> NullDisplay:
        """Judge one model's predictions and draw; options are those of `clearbar.evaluate`.

        Returns
        -------
        NullDisplay
        """
        return cls.from_verdict(only(evaluate(y_true, y_pred, measure, **options)), ax=ax)

    @classmethod
    def from_counts(cls, counts: Any, measure: Any, *, ax: Any = None, **options: Any) -> NullDisplay:
        """Judge one confusion matrix and draw; options are those of `clearbar.evaluate_counts`.

        Returns
        -------
        NullDisplay
        """
        return cls.from_verdict(only(evaluate_counts(counts, measure, **options)), ax=ax)

    @property
    def laws(self) -> tuple[Law, ...]:
        """The distributions drawn, from top to bottom."""
        return tuple(law for law in (self.own, self.bar) if law is not None)

    @property
    def standing(self) -> str:
        """How the model stands: an outcome, or "doubt" where it could be above the bar by chance."""
        verdict = self.verdict
        doubt = verdict.outcome == "clears" and verdict.has_p_values and not verdict.sure
        return "doubt" if doubt else verdict.outcome

    @property
    def finding(self) -> str:
        """How the model stands to its bar."""
        verdict = self.verdict
        return of_score(verdict.model, verdict.baseline, verdict.score, self.standing)

    @property
    def description(self) -> str:
        """The figure in words."""
        verdict = self.verdict
        parts = [": ".join(self._words(law)) for law in self.laws]
        return (
            f"{self.finding}. Distribution of {verdict.measure.label} for classifiers that ignore their "
            f"input; {visible(verdict.model)} has {self._number(verdict.score)}. " + ". ".join(parts)
        )

    @property
    def _bar_value(self) -> float:
        return float(self.verdict.baseline.value)

    @property
    def _total(self) -> int:
        return int(self.verdict.baseline.population.total)

    def _number(self, value: float) -> str:
        """Write a score with as many digits as so many samples support."""
        return number(value, self._total)

    @property
    def windows(self) -> list[tuple[float, float]]:
        """The stretch of scores that each panel shows."""
        return windows(self.laws, self.verdict.score, self._bar_value)

    _most_panels = 2

    @property
    def _panels(self) -> tuple[int, int]:
        return len(self.laws), 1

    @property
    def _height(self) -> float:
        return 4.9 if len(self.laws) > 1 else 3.1

    def _boxes(self, whole: Any) -> list[list[float]]:
        """Divide the height, but for the title of the lower panel and the ticks above it."""
        canvas = Canvas.of(whole)
        lines = 1.3 * self._lines(canvas) + 0.8 + 3.6 * (len(set(self.windows)) > 1)
        points = lines * canvas.small + 12.0
        high = max(0.5 * (1.0 - points * whole.figure.dpi / 72 / whole.bbox.height), 0.2)
        return [[0.0, low, 1.0, high] for low in (1.0 - high, 0.0)]

    def _lines(self, canvas: Canvas) -> int:
        """Return how many lines the longest title has."""
        return max(self._subtitle(canvas, law).count("\n") for law in self.laws) + 1

    def _subtitle(self, canvas: Canvas, law: Law) -> str:
        """Return what is said of a distribution, in lines that fit."""
        room = canvas.room - 3.0 * canvas.size
        return "\n".join(broken(line, canvas.small, room) for line in self._words(law, short=canvas.narrow))

    def _draw(self, *canvases: Canvas) -> None:
        shared = len(set(self.windows)) == 1
        panels = zip(canvases, self.laws, self.windows, strict=True)
        drawn = [self._draw_panel(canvas, law, window) for canvas, law, window in panels]
        self.bars_, self.tails_, self.scores_, self.lines_, self.texts_ = zip(*drawn, strict=True)
        self.whisker_ = self._draw_whisker(canvases[0])
        for canvas, law in zip(canvases, self.laws, strict=True):
            last = canvas is canvases[-1]
            canvas.dress(
                axis_label(self.verdict.measure) if last else "",
                "probability\nper bin" if law.binned else "probability",
            )
            canvas.ax.tick_params(labelbottom=last or not shared)
            canvas.place_ticks("y", nbins=4)
            canvas.ticks_that_fit()
        first = canvases[0]
        left = (4.2 if any(law.binned for law in self.laws) else 2.6) * first.size  # ticks, and what they are
        self.title_, self.legend_ = first.crown(
            self.finding, self._keys(first), lines=0.4 + 1.05 * self._lines(first), left=left
        )
        self.note_ = canvases[-1].note([self._note()], left=left)
        self.axes_ = tuple(canvas.ax for canvas in canvases)

    def _draw_panel(self, canvas: Canvas, law: Law, window: tuple[float, float]) -> tuple[Any, ...]:
        """Draw a distribution, its tail, the score and the bar; return them, and the title that says p."""
        ax, score = canvas.ax, self.verdict.score
        rest, tail = draw_law(canvas, law, in_tail=False), draw_law(canvas, law, in_tail=True)
        zoomed = any(value < window[0] or value > window[1] for value in (score, self._bar_value))
        room = 1.75 if zoomed else 1.45
        ax.set_ylim(0.0, room * float(law.probability.max(initial=0.0)) or room)
        color = color_of(canvas, self.standing)
        line = ax.axvline(score, color=color, lw=2.2 * canvas.unit, ls="--", zorder=4)
        subtitle = self._subtitle(canvas, law)
        text = ax.set_title(subtitle, loc="left", fontsize=canvas.small, color=canvas.text)
        ax.set_xlim(*window)
        bar = self._draw_bar(canvas, window)
        if len(law.left) == 1:
            words = f"every such answer\nscores {self._number(float(law.left[0]))}"
            say_the_only(canvas, law, score, words)
        return rest, tail, line, bar, text

    def _draw_whisker(self, canvas: Canvas) -> Any:
        low, high = self.verdict.low, self.verdict.high
        left, right = canvas.ax.get_xlim()
        if math.isnan(low) or not left <= self.verdict.score <= right:
            return None
        top = 0.8 * canvas.ax.get_ylim()[1]
        return canvas.line([low, high], [top, top], color_of(canvas, self.standing), 1.4, zorder=5)

    def _draw_bar(self, canvas: Canvas, window: tuple[float, float]) -> Any:
        """Draw the bar; say where it and the score are if they lie beyond the axis."""
        words, (low, high), line = f"bar {self._number(self._bar_value)}", window, None
        if low <= self._bar_value <= high:
            line = canvas.upright_bar(
                self._bar_value, words, left=self._bar_value > low + 0.75 * (high - low)
            )
        else:
            point_to(canvas, words, self._bar_value, window, 0)
        score = f"{plain(name_of(self.verdict.model))} {self._number(self.verdict.score)}"
        point_to(canvas, score, self.verdict.score, window, 1)
        return line

    def _words(self, law: Law, *, short: bool = False) -> tuple[str, str]:
        own = law is self.own
        owner = "the bar"
        if own:
            owner = "the model and the bar" if self.own_attains else "the model"
        blind = self.verdict.p_value_blind
        tail = blind if own and not math.isnan(blind) else law.tail
        p = p_phrase(tail) if tail > 0 or not self._never(law) else "p = 0"
        count = f"{law.predicted_positives:,} of {self._total:,}"
        if short and self._total >= 100_000:
            count = percent(law.predicted_positives / self._total)
        return f"{count} positive at random, as {owner}", f"a score at least this good: {p}"

    def _never(self, law: Law) -> bool:
        """Whether no outcome of the draw is as good, rather than a very unlikely one."""
        return not law.binned and not law.in_tail.any() and len(law.left) <= 2

    def _note(self) -> str:
        undefined = " ".join(
            f"With {law.predicted_positives:,} predicted positive the score has no value with a "
            f"probability of {percent(law.undefined_mass)}."
            for law in self.laws
            if law.undefined_mass > 0
        )
        level = whole_percent(self.verdict.confidence_level)
        whisker = f"The line above the score is its {level} interval." if self.whisker_ is not None else ""
        return f"{whisker} {undefined}".strip()

    def _keys(self, canvas: Canvas) -> list[Key]:
        from matplotlib.patches import Patch

        model = self.verdict.model
        name = capital(name_of(model)) if model == "model" else model
        keys = [(self.scores_[0], f"{plain(name, 24)}: {self._number(self.verdict.score)}")]
        if any(law.in_tail.any() for law in self.laws):
            tail = Patch(facecolor=canvas.text, hatch=HATCH, edgecolor=canvas.face)
            keys.append((tail, "at least as good"))
        return keys
