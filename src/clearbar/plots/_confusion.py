"""A confusion matrix, and beside it what labels in random order would make of the same answers."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import shown
from clearbar.evaluation import evaluate_multiclass
from clearbar.formatting import distinct, number, percent, plural, visible
from clearbar.plots._canvas import Canvas, max_text_width, plain, text_scale
from clearbar.plots._display import Display, checked_card, refuse_unnamed
from clearbar.plots._heat import STEPS, draw_cells, draw_scale, tinted
from clearbar.plots._outcomes import marker, score_finding
from clearbar.scorecard import Scorecard, class_matrix, standing, which_group, which_model
from clearbar.verdict import Verdict

WRITTEN = 12
"""Classes up to which every cell has its number."""

MOST = 30
"""Classes up to which each has a row; of more the largest have one, and the rest share one."""


@dataclass(repr=False, eq=False)
class ConfusionDisplay(Display):
    """What samples of each class were called, beside what labels in random order would give.

    The shade is the share of the class; its scale has a line at the bar of accuracy and a mark at the
    model's.

    Parameters
    ----------
    matrix : ConfusionMatrix
        How often samples of each class were called each.
    model : str
        The model; empty where there is only one.

    Attributes
    ----------
    expected : ndarray of shape (K, K)
        What random order expects of each cell with as many answers of each class: n_i k_j / M.
    images_, shares_ : tuple
        The cells of the two heat maps, and what they shade: the share of each class that is called so.
    bar_, point_ : matplotlib.lines.Line2D
        The bar of accuracy on the scale, and the model's accuracy.

    Examples
    --------
    >>> import clearbar as cb
    >>> matrix = cb.ConfusionMatrix([[50, 6, 4], [10, 25, 5], [5, 5, 15]], labels=["cat", "dog", "cow"])
    >>> display = cb.plots.ConfusionDisplay.from_matrix(matrix)
    >>> display.expected.round(1).tolist()[0]
    [31.2, 17.3, 11.5]
    """

    matrix: ConfusionMatrix
    model: str = ""

    @classmethod
    def from_matrix(cls, matrix: ConfusionMatrix, *, ax: Any = None) -> ConfusionDisplay:
        """Draw a matrix that was counted.

        Parameters
        ----------
        matrix : ConfusionMatrix
            How often samples of each class were called each.
        ax : matplotlib.axes.Axes or two of them, optional
            Where to draw; one is divided. A new figure by default.

        Returns
        -------
        ConfusionDisplay

        Raises
        ------
        ValueError
            If `matrix` is no ConfusionMatrix.
        """
        if not isinstance(matrix, ConfusionMatrix):
            raise ValueError(
                f"matrix must be a ConfusionMatrix; found {shown(matrix)}: make one with "
                "ConfusionMatrix(matrix, labels=...)."
            )
        return cls(matrix).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, labels: Iterable[Any] | None = None, ax: Any = None
    ) -> ConfusionDisplay:
        """Count the labels of one model and draw them; parameters as for `ConfusionMatrix.from_labels`.

        Returns
        -------
        ConfusionDisplay
        """
        matrix: ConfusionMatrix = ConfusionMatrix.from_labels(y_true, y_pred, labels=labels)
        return cls.from_matrix(matrix, ax=ax)

    @classmethod
    def from_scorecard(
        cls, card: Scorecard, *, model: str | None = None, group: Any = None, ax: Any = None
    ) -> ConfusionDisplay:
        """Draw one model of a scorecard of classes.

        Parameters
        ----------
        card : Scorecard
            As `evaluate` returns it.
        model : str, optional
            A model in it; needed where it has several.
        group : object, optional
            A slice in it; the whole by default.
        ax : matplotlib.axes.Axes or two of them, optional
            Where to draw; one is divided. A new figure by default.

        Returns
        -------
        ConfusionDisplay

        Raises
        ------
        ValueError
            If the scorecard is of something else, or the model must be named.
        """
        return cls(*_matrix_of(card, model, group)).plot(ax=ax)

    @property
    def expected(self) -> FloatArray:
        """What random order expects of each cell."""
        return np.outer(self.matrix.true_counts, self.matrix.predicted_counts / self.matrix.total)

    @functools.cached_property
    def _judged(self) -> Scorecard:
        card: Scorecard = evaluate_multiclass(self.matrix, measures="accuracy")
        return card

    @property
    def accuracy(self) -> Verdict:
        """The verdict on accuracy, whose bar is the share of the largest class."""
        return self._judged[0]

    @property
    def standing(self) -> str:
        return str(standing(self._judged)[0, 0, 0])

    @property
    def finding(self) -> str:
        return score_finding(self.model, self.accuracy.baseline, self.accuracy.score, self.standing)

    @property
    def description(self) -> str:
        matrix, model = self.matrix, f" of {visible(self.model)}" if self.model else ""
        chance = float(matrix.true_counts @ (matrix.predicted_counts / matrix.total))
        counted = (
            f"{self.finding}. Confusion matrix{model} of {plural(matrix.total, 'sample')} and "
            f"{plural(len(matrix.labels), 'class', 'classes')}: "
            f"{matrix.correct:,} {'is' if matrix.correct == 1 else 'are'} right, where labels in random "
            f"order leave {chance:,.{0 if chance > 1e5 else 1}f}."
        )
        wrong = np.where(matrix.rows != matrix.columns, matrix.values, 0)
        if not wrong.any():
            return counted
        worst = int(np.argmax(wrong))
        row, column, errors = int(matrix.rows[worst]), int(matrix.columns[worst]), int(wrong[worst])
        true, called = (visible(matrix.labels[label]) for label in (row, column))
        size = int(matrix.true_counts[row])
        return (
            f"{counted} The most frequent error: {true} is called {called} in {errors:,} of its "
            f"{plural(size, 'sample')} ({percent(errors / size)})."
        )

    @property
    def rest(self) -> str:
        """What shares a row, in words; empty where each class has its own."""
        left = len(self.matrix.labels) - MOST
        return f"The {left + 1:,} smallest classes share a row and a column." if left > 0 else ""

    _panels_across = 2.2
    _most_panels = 2

    @property
    def _panels(self) -> tuple[int, int]:
        return 1, 2

    def _figure_height(self, width: float, text: float) -> float:
        names = _names_height(self._rows()[1], 0.88 * text) / 72
        return 0.42 * width + 1.25 * text_scale(width) + names

    def _boxes(self, ax: Any) -> list[list[float]]:  # noqa: ARG002 - whatever their size
        return [[left, 0.0, 0.37, 1.0] for left in (0.0, 0.48)]

    def _draw(self, *canvases: Canvas) -> None:
        row_of_class, labels = self._rows()
        matrix, rows = self.matrix, len(labels)
        cells = np.zeros((rows, rows))
        np.add.at(cells, (row_of_class[matrix.rows], row_of_class[matrix.columns]), matrix.values)
        blind = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / matrix.total
        sizes = np.maximum(cells.sum(axis=1, keepdims=True), 1)
        self.shares_ = cells / sizes, blind / sizes
        titles = plain(self.model) if self.model else "the model", "labels in random order"
        panels = zip(canvases, (cells, blind), self.shares_, titles, strict=True)
        self.images_ = tuple(_draw_panel(*panel, labels) for panel in panels)
        left, right = canvases
        left.ax.set_ylabel("true class", fontsize=left.size)
        right.ax.tick_params(labelleft=False)
        self.bar_, self.point_ = self._draw_scale(right)
        self.title_, self.legend_ = left.add_title_and_legend(self.finding, lines=1.2)
        below = 2.0 + _names_height(labels, left.small) / (1.25 * left.size)
        self.note_ = left.add_note([f"Shade: share of the class. {self.rest}".strip()], lines=below)

    def _rows(self) -> tuple[IntArray, list[str]]:
        labels = self.matrix.labels
        if len(labels) <= MOST:
            return np.arange(len(labels)), distinct(labels, 14)
        largest = np.sort(np.argsort(-self.matrix.true_counts, kind="stable")[: MOST - 1])
        row_of_class = np.full(len(labels), MOST - 1)
        row_of_class[largest] = np.arange(MOST - 1)
        return row_of_class, [*distinct([labels[index] for index in largest.tolist()], 14), "others"]

    def _draw_scale(self, canvas: Canvas) -> tuple[Any, Any]:
        bar, score = float(self.accuracy.baseline.value), self.accuracy.score
        height = min(canvas.ax.bbox.size) / canvas.ax.figure.dpi * 72 * 0.9
        half = 1.15 * canvas.small / height  # of a label of two lines
        heights = _label_heights(score, bar, half)
        free = {0.0: min(heights) > 1.5 * half, 1.0: max(heights) < 1 - 1.5 * half}
        ends = {end: f"{end:.0f}" if room else "" for end, room in free.items()}
        shades = tinted(canvas.muted, np.linspace(0.0, 1.0, STEPS))
        scale = draw_scale(canvas, (1.07, 0.0, 0.07, 1.0), shades, ends)
        line = scale.ax.axhline(bar, color=canvas.text, lw=2.2 * canvas.unit)
        (point,) = scale.ax.plot([0.5], [score], clip_on=False, zorder=5, **marker(canvas, self.standing))
        for y, words, value in zip(heights, ("right", "bar"), (score, bar), strict=True):
            scale.annotate(
                f"{words}\n{number(value, int(self.matrix.total))}", (1.0, y), (4, 0), ha="left", va="center",
                color=canvas.text, linespacing=1.0,
            )  # fmt: skip
        return line, point


def _label_heights(first: float, second: float, half: float) -> tuple[float, float]:
    """Return heights as near to two values as labels, each so much high to either side, do not overlap."""
    low, high = sorted((first, second))
    if high - low < 2 * half:
        middle = (low + high) / 2
        low, high = middle - half, middle + half
    low = min(max(low, half), 1 - 3 * half)
    high = min(max(high, low + 2 * half), 1 - half)
    return (high, low) if first >= second else (low, high)


def _are_upright(labels: Sequence[str]) -> bool:
    return max(map(len, labels)) * len(labels) > 24


def _names_height(labels: Sequence[str], size: float) -> float:
    return max_text_width(labels, size) if _are_upright(labels) else size


def _draw_panel(
    canvas: Canvas, cells: FloatArray, shares: FloatArray, title: str, labels: Sequence[str]
) -> Any:
    ax, classes, size = canvas.ax, len(labels), canvas.small
    image = draw_cells(canvas, tinted(canvas.muted, shares), "equal")
    canvas.style_axes("called")
    ax.set_title(title, fontsize=canvas.size, color=canvas.text)
    cell_width = ax.bbox.width / ax.figure.dpi * 72 / classes
    step = max(1, int(np.ceil(1.25 * size / cell_width)))
    first = (classes - 1) % step  # so that the last class is named
    ticks, names = range(first, classes, step), [plain(label, 200) for label in labels[first::step]]
    ax.set_xticks(ticks, names, fontsize=size, rotation=90 if _are_upright(labels) else 0)
    ax.set_yticks(ticks, names, fontsize=size)
    ax.tick_params(length=0)
    if classes > WRITTEN:
        return image
    texts = [f"{value:,.{0 if value.is_integer() else 1}f}" for value in map(float, cells.flat)]
    if max_text_width(texts, size) > 0.95 * cell_width:
        texts = [f"{value:,.0f}" for value in map(float, cells.flat)]
    if max_text_width(texts, size) > 0.98 * cell_width:
        return image
    for (row, column), text in zip(np.ndindex(cells.shape), texts, strict=True):
        ax.text(column, row, text, ha="center", va="center", fontsize=size, color=canvas.text)
    return image


def _matrix_of(card: Any, model: str | None, group: Any) -> tuple[ConfusionMatrix, str]:
    checked_card(card)
    if card.several_runs:
        raise ValueError(
            f"card holds {card.runs:,} runs of each model; draw one of them with "
            "ConfusionDisplay.from_predictions(y_true, y_pred[0])."
        )
    if class_matrix(card, 0, 0) is None and (card.counts is None or card.population.classes):
        raise ValueError(
            "card must be of labels of two or more classes; this scorecard is of "
            "others. Sets of labels have card.per_label(), which SlicesDisplay draws."
        )
    refuse_unnamed("model", model, list(map(repr, card.models)))
    row = 0 if model is None else which_model(card, model)
    column = 0 if group is None else which_group(card, group)
    name = card.models[row] if len(card.models) > 1 else ""
    matrix = class_matrix(card, row, column)
    if matrix is not None:
        return matrix, name
    counts = card.counts[row, column]
    cells = [[int(counts.tn), int(counts.fp)], [int(counts.fn), int(counts.tp)]]
    return ConfusionMatrix(cells, labels=["negative", "positive"]), name
