"""A confusion matrix, and beside it what labels in random order would make of the same answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import shown
from clearbar.formatting import distinct, percent, plural, visible
from clearbar.plots._canvas import Canvas, plain, pyplot
from clearbar.plots._display import Display
from clearbar.plots._rows import checked_card
from clearbar.problems.multiclass import ClassLabels
from clearbar.scorecard import Scorecard, which_group, which_model

WRITTEN = 12
"""Classes up to which every cell has its number."""

MOST = 30
"""Classes up to which each has a row; of more the largest have one, and the rest share one."""


class ConfusionDisplay(Display):
    """What samples of each class were called, beside what labels in random order would give.

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
    ax_, figure_
        Axes of the matrix and the figure.
    images_ : tuple of matplotlib.image.AxesImage
        The two heat maps: the share of each class that is called so.

    Examples
    --------
    >>> import clearbar as cb
    >>> matrix = cb.ConfusionMatrix([[50, 6, 4], [10, 25, 5], [5, 5, 15]], labels=["cat", "dog", "cow"])
    >>> display = cb.plots.ConfusionDisplay.from_matrix(matrix)
    >>> display.expected.round(1).tolist()[0]
    [31.2, 17.3, 11.5]
    """

    def __init__(self, matrix: ConfusionMatrix, model: str = "") -> None:
        self.matrix, self.model = matrix, model

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
        """Draw one model of a scorecard of more than two classes.

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
        problem = checked_card(card).problem
        if not isinstance(problem, ClassLabels):
            raise ValueError("card must be of labels of more than two classes; this scorecard is of others.")
        if model is None and len(card.models) > 1:
            names = ", ".join(map(repr, card.models[:6]))
            raise ValueError(f"model must be named, since the scorecard has several: {names}.")
        if problem.has_runs:
            raise ValueError(
                f"card holds {problem.runs:,} runs of each model; draw one of them with "
                "ConfusionDisplay.from_predictions(y_true, y_pred[0])."
            )
        at = 0 if model is None else which_model(card, model)
        place = 0 if group is None else which_group(card, group)
        name = card.models[at] if len(card.models) > 1 else ""
        return cls(problem.matrices[at][place], name).plot(ax=ax)

    @property
    def expected(self) -> FloatArray:
        """What random order expects of each cell."""
        return np.outer(self.matrix.true_counts, self.matrix.predicted_counts) / self.matrix.total

    @property
    def description(self) -> str:
        """The figure in words."""
        matrix, who = self.matrix, f" of {visible(self.model)}" if self.model else ""
        chance = float(matrix.true_counts @ matrix.predicted_counts) / matrix.total
        said = (
            f"Confusion matrix{who} of {plural(matrix.total, 'sample')} and {len(matrix.labels):,} classes: "
            f"{matrix.correct:,} are right, where labels in random order leave {chance:.1f}."
        )
        wrong = np.where(matrix.rows != matrix.columns, matrix.values, 0)
        if not wrong.any():
            return said
        at = int(np.argmax(wrong))
        row, column = int(matrix.rows[at]), int(matrix.columns[at])
        true, called = (visible(matrix.labels[place]) for place in (row, column))
        return (
            f"{said} The most frequent error: {true} is called {called} {int(wrong[at]):,} times "
            f"({percent(int(wrong[at]) / int(matrix.true_counts[row]))} of its samples)."
        )

    @property
    def _height(self) -> float:
        return 4.2

    def _axes(self, ax: Any) -> Sequence[Any]:
        if isinstance(ax, (list, tuple, np.ndarray)):
            axes = list(np.asarray(ax).ravel())
            if len(axes) < 2:
                raise ValueError(f"ax must hold two axes, or be one; found {len(axes)}.")
            return axes[:2]
        plt = pyplot("ConfusionDisplay.plot")
        if ax is None:
            width = max(float(plt.rcParams["figure.figsize"][0]), 6.4)
            size = width, (0.62 if len(self.matrix.labels) <= WRITTEN else 0.72) * width
            return list(plt.subplots(1, 2, figsize=size, layout="constrained")[1])
        if not hasattr(ax, "transAxes"):
            raise ValueError(f"ax must be a matplotlib Axes; found {type(ax).__name__}.")
        ax.set_axis_off()
        return [ax.inset_axes([left, 0.0, 0.42, 1.0]) for left in (0.0, 0.58)]

    def _draw(self, *canvases: Canvas) -> None:
        groups, labels = self._shown()
        matrix, number = self.matrix, len(labels)
        seen = np.zeros((number, number))
        np.add.at(seen, (groups[matrix.rows], groups[matrix.columns]), matrix.values)
        blind = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / matrix.total
        sizes = np.maximum(seen.sum(axis=1, keepdims=True), 1)
        titles = plain(self.model) if self.model else "the model", "labels in random order"
        panels = zip(canvases, (seen, blind), titles, strict=True)
        self.images_ = tuple(
            _panel(canvas, cells, cells / sizes, labels, title) for canvas, cells, title in panels
        )
        canvases[0].ax.set_ylabel("true class", fontsize=canvases[0].size)
        note = "Shade: share of the class that is called so, from none to all of it."
        longest = max(map(len, labels)) if _turned(labels) else 1
        self.note_ = canvases[0].note([note, self.rest], lines=2.0 + 0.3 * longest)

    @property
    def rest(self) -> str:
        """What shares a row, in words; empty where each class has its own."""
        left = len(self.matrix.labels) - MOST
        return f"The {left + 1:,} smallest classes share a row and a column." if left > 0 else ""

    def _shown(self) -> tuple[Any, list[str]]:
        """Return the row of each class, and the names of the rows."""
        sizes, classes = self.matrix.true_counts, len(self.matrix.labels)
        if classes <= MOST:
            return np.arange(classes), distinct(self.matrix.labels, 14)
        largest = np.sort(np.argsort(-sizes, kind="stable")[: MOST - 1])
        groups = np.full(classes, MOST - 1)
        groups[largest] = np.arange(MOST - 1)
        return groups, [*distinct([self.matrix.labels[at] for at in largest.tolist()], 14), "others"]


def _turned(labels: Sequence[str]) -> bool:
    """Whether names of columns stand upright, since side by side they have no room."""
    return max(map(len, labels)) * len(labels) > 24


def _panel(canvas: Canvas, cells: FloatArray, shares: FloatArray, labels: Sequence[str], title: str) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    ax, classes = canvas.ax, len(labels)
    colors = LinearSegmentedColormap.from_list("shares", [canvas.face, canvas.clears])
    image = ax.imshow(shares, cmap=colors, vmin=0.0, vmax=1.0, aspect="equal")
    canvas.dress("called")
    ax.set_title(title, fontsize=canvas.size, color=canvas.text)
    names = [label.replace("$", r"\$") for label in labels]
    size = min(canvas.small, max(3.5, 200.0 / classes))
    ax.set_xticks(range(classes), names, fontsize=size, rotation=90 if _turned(labels) else 0)
    ax.set_yticks(range(classes), names, fontsize=size)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    if classes <= WRITTEN:
        for row, column in np.ndindex(cells.shape):
            value = float(cells[row, column])
            text = f"{value:,.0f}" if value.is_integer() else f"{value:,.1f}"
            color = canvas.face if shares[row, column] > 0.55 else canvas.text
            ax.text(column, row, text, ha="center", va="center", fontsize=size, color=color)
    return image
