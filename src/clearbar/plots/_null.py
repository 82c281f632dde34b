"""How likely each score is for classifiers that ignore their input, and where the model stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import Undefined
from clearbar.evaluation import evaluate, evaluate_counts
from clearbar.formatting import number, p_phrase, percent, shorten, visible
from clearbar.plots._canvas import (
    Ink,
    dress,
    ink_of,
    legend_above,
    literal,
    new_axes,
    note_below,
    plain,
    pyplot,
    ticks_that_fit,
    toward,
    wrapped_to,
)
from clearbar.plots._display import Display
from clearbar.plots._laws import Law, behind, only, windows
from clearbar.verdict import Verdict


class NullDisplay(Display):
    """The exact distribution of a score under draws that ignore the input, with the model's score.

    Two distributions, one above the other: of the draw with as many predicted positives as the
    model, and of the draw that attains the bar; one, where the model's number attains it. The tail
    at least as good as the model is dark, and its probability written.

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
    ax_, figure_
        The first of them, and the figure.
    bars_, tails_ : tuple of matplotlib.collections.Collection
        What is drawn of each distribution outside of the tail, and in it.
    scores_ : tuple of matplotlib.lines.Line2D
        The model's score.
    texts_ : tuple of matplotlib.text.Text
        The p-values.

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
        cls,
        y_true: Any,
        y_pred: Any,
        measure: Any,
        *,
        pos_label: Any = None,
        undefined: Undefined = "exclude",
        ax: Any = None,
    ) -> NullDisplay:
        """Judge one model's predictions and draw; parameters as for `clearbar.evaluate`.

        Returns
        -------
        NullDisplay
        """
        card = evaluate(y_true, y_pred, measure, pos_label=pos_label, undefined=undefined)
        return cls.from_verdict(only(card), ax=ax)

    @classmethod
    def from_counts(
        cls, counts: Any, measure: Any, *, undefined: Undefined = "exclude", ax: Any = None
    ) -> NullDisplay:
        """Judge one confusion matrix and draw; parameters as for `clearbar.evaluate_counts`.

        Returns
        -------
        NullDisplay
        """
        return cls.from_verdict(only(evaluate_counts(counts, measure, undefined=undefined)), ax=ax)

    @property
    def laws(self) -> tuple[Law, ...]:
        """The distributions drawn, from top to bottom."""
        return tuple(law for law in (self.own, self.bar) if law is not None)

    @property
    def description(self) -> str:
        """The figure in words."""
        verdict = self.verdict
        parts = [": ".join(self._said(law)) for law in self.laws]
        score = number(verdict.score, int(verdict.baseline.population.total))
        return (
            f"Distribution of {verdict.measure.label} for classifiers that ignore their input; "
            f"{visible(verdict.model)} has {score}. " + ". ".join(parts)
        )

    def plot(self, ax: Any = None) -> NullDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or two of them, optional
            Where to draw; one is divided. A new figure by default.

        Returns
        -------
        NullDisplay
            Itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        axes = self._axes(ax)
        drawn = []
        with literal():
            ink = ink_of(axes[0])
            for panel, law, window in zip(axes, self.laws, self.windows, strict=True):
                drawn.append(self._panel(panel, ink, law, window))
                panel.set_xlim(*window)
                self._bar(panel, ink)
            self._dress(axes, ink)
            self.legend_ = legend_above(
                axes[0], ink, *self._legend(ink, drawn[0]), lines=0.4 + 1.05 * self._lines(axes[0], ink)
            )
            self.note_ = note_below(axes[-1], ink, [self._note()])
        self.bars_, self.tails_, self.scores_, self.texts_ = zip(*drawn, strict=True)
        self.axes_ = tuple(axes)
        self._drawn(axes[0])
        return self

    def _axes(self, ax: Any) -> list[Any]:
        number_of = len(self.laws)
        if ax is None and number_of > 1:
            plt = pyplot("NullDisplay.plot")
            size = (plt.rcParams["figure.figsize"][0], 1.1 + 1.75 * number_of)
            _, axes = plt.subplots(number_of, 1, figsize=size, layout="constrained")
            return list(axes)
        if isinstance(ax, (Sequence, np.ndarray)):
            axes = list(np.asarray(ax).ravel())
            if len(axes) < number_of:
                raise ValueError(f"ax must hold {number_of} axes, or be one; found {len(axes)}.")
            return axes[:number_of]
        one = new_axes(ax, "NullDisplay.plot", 2.9)
        if number_of == 1:
            return [one]
        one.set_axis_off()
        # The title of the lower one and the ticks above it need their points of height.
        ink = ink_of(one)
        lines = 1.3 * self._lines(one, ink) + 0.8 + 1.4 * (len(set(self.windows)) > 1)
        points = lines * ink.small + 12.0
        each = max(0.5 * (1.0 - points * one.figure.dpi / 72 / one.bbox.height), 0.2)
        return [one.inset_axes([0.0, 1.0 - each, 1.0, each]), one.inset_axes([0.0, 0.0, 1.0, each])]

    def _lines(self, ax: Any, ink: Ink) -> int:
        """Return how many lines the longest title has."""
        return max(wrapped_to(ax, ink, self._said(law)).count("\n") for law in self.laws) + 1

    def _panel(self, ax: Any, ink: Ink, law: Law, window: tuple[float, float]) -> tuple[Any, Any, Any, Any]:
        from matplotlib.collections import LineCollection, PolyCollection

        made = []
        for where, color, hatch in ((~law.in_tail, ink.muted, None), (law.in_tail, ink.fails, "/////")):
            left, right, mass = law.left[where], law.right[where], law.probability[where]
            if law.binned:
                corners = [
                    [(a, 0.0), (a, p), (b, p), (b, 0.0)] for a, b, p in zip(left, right, mass, strict=True)
                ]
                one: Any = PolyCollection(
                    corners, facecolor=color, edgecolor=ink.face, linewidth=0.3 * ink.unit, hatch=hatch,
                    alpha=0.9 if hatch else 0.55,
                )  # fmt: skip
            else:
                ends = [[(a, 0.0), (a, p)] for a, p in zip(left, mass, strict=True)]
                wide = (3.4 if hatch else 2.2) * ink.unit * min(1.0, 50 / max(len(law.left), 1))
                one = LineCollection(ends, colors=[color], linewidths=max(wide, 0.9 * ink.unit))
            made.append(ax.add_collection(one))
        top = float(law.probability.max()) if len(law.probability) else 1.0
        ax.set_ylim(0.0, 1.12 * top)
        far = window[0 if self.verdict.measure.greater_is_better is False else 1]
        ax.axvspan(self.verdict.score, far, color=ink.fails, alpha=0.13, lw=0, zorder=0)
        score = ax.axvline(self.verdict.score, color=ink.clears, lw=1.6 * ink.unit, ls="--", zorder=4)
        text = ax.set_title(
            wrapped_to(ax, ink, self._said(law)), loc="left", fontsize=ink.small, color=ink.text
        )
        return made[0], made[1], score, text

    @property
    def windows(self) -> list[tuple[float, float]]:
        """The stretch of scores that each panel shows."""
        return windows(self.laws, self.verdict.score, float(self.verdict.baseline.value))

    def _bar(self, ax: Any, ink: Ink) -> None:
        """Mark the bar, or say on which side it lies beyond the axis."""
        bar = float(self.verdict.baseline.value)
        low, high = ax.get_xlim()
        if low <= bar <= high:
            ax.plot([bar], [0.0], "^", color=ink.text, clip_on=False, ms=6.5 * ink.unit, zorder=6)
        elif not math.isnan(bar):
            text = number(bar, int(self.verdict.baseline.population.total))
            right = bar > high
            ax.annotate(
                f"bar {text} →" if right else f"← bar {text}", (float(right), 0.96),
                xycoords="axes fraction", ha="right" if right else "left", va="top", fontsize=ink.small,
                color=ink.text,
            )  # fmt: skip

    def _dress(self, axes: Sequence[Any], ink: Ink) -> None:
        measure = self.verdict.measure
        shared = len(set(self.windows)) == 1
        for ax, law in zip(axes, self.laws, strict=True):
            last = ax is axes[-1]
            dress(
                ax, ink, f"{plain(measure.label)}{toward(measure)}" if last else "",
                "probability\nper bin" if law.binned else "probability",
            )  # fmt: skip
            ax.tick_params(labelbottom=last or not shared)
            ax.locator_params(axis="y", nbins=4)
            ticks_that_fit(ax, ink)

    def _said(self, law: Law) -> tuple[str, str]:
        own = law is self.own
        total = int(self.verdict.baseline.population.total)
        who = "the model" if own else "the bar"
        if own and self.own_attains:
            who += " and the bar"
        tail = self.verdict.p_value_blind if own else law.tail
        p = p_phrase(tail) if tail > 0 or not self._never(law) else "p = 0"
        return (
            f"{law.predicted_positives:,} of {total:,} positive at random, as {who}",
            f"a score at least this good: {p}",
        )

    def _never(self, law: Law) -> bool:
        """Whether no outcome of the draw is as good, rather than a very unlikely one."""
        return not law.binned and not law.in_tail.any() and len(law.left) <= 2

    def _note(self) -> str:
        gone = [law for law in self.laws if law.undefined_mass > 0]
        parts = [
            f"With {law.predicted_positives:,} predicted positive the score has no value with a "
            f"probability of {percent(law.undefined_mass)}."
            for law in gone
        ]
        return " ".join(parts)

    def _legend(self, ink: Ink, drawn: tuple[Any, ...]) -> tuple[list[Any], list[str]]:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        total = int(self.verdict.baseline.population.total)
        name = shorten(visible(self.verdict.model), 24).replace("$", r"\$")
        handles = [drawn[2], Patch(facecolor=ink.fails, hatch="/////", edgecolor=ink.face)]
        labels = [f"{name}: {number(self.verdict.score, total)}", "at least as good"]
        if not math.isnan(float(self.verdict.baseline.value)):
            handles.insert(1, Line2D([], [], marker="^", ls="none", color=ink.text, ms=6.5 * ink.unit))
            labels.insert(1, f"bar: {number(float(self.verdict.baseline.value), total)}")
        return handles, labels
