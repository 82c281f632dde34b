"""Tables of tinted cells: skill of models on measures, and confusion matrices.

A tint is a colour and how opaque it is, so that it fits whatever page is behind, and text is read on it in
the page's ink. Cells are paths, since a page of a strict content security policy shows no embedded images.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import shown
from clearbar.evaluation.classes import evaluate_multiclass
from clearbar.formatting import MISSING, distinct, percent, plural, signed, visible
from clearbar.plots._canvas import TICKS, Canvas, Key, heavy, plain, text_size, text_width, wrap
from clearbar.plots._display import (
    Display,
    ModelsDisplay,
    Words,
    checked_card,
    refuse_unnamed,
    verdict_finding,
)
from clearbar.plots._marks import JUDGED, marker, not_drawn, outcome_color, outcome_keys, outcome_words
from clearbar.scorecard import Scorecard, class_matrix, which_group, which_model
from clearbar.verdict import Verdict

STRONGEST = 0.7
"""How opaque the strongest tint is: black is read on it on white, and white on black."""

NAME_WIDTH = 22
"""Columns that a name may take."""

WRITTEN, MOST = 12, 30
"""Classes up to which cells have numbers, and each has a row; of more the smallest share one."""


def tinted(color: Any, shares: Any) -> FloatArray:
    """Return a colour, red, green, blue and how opaque, for shares from 0, nothing, to 1, all of it."""
    from matplotlib.colors import to_rgb

    share = np.clip(np.nan_to_num(np.asarray(shares, dtype=np.float64)), 0.0, 1.0)
    tints = np.empty((*share.shape, 4))
    tints[..., :3], tints[..., 3] = to_rgb(color), STRONGEST * share
    return tints


def draw_cells(canvas: Canvas, tints: FloatArray, left: float = 0.0) -> Any:
    """Draw a table of tinted cells, the first row above, with a thin gap between them."""
    from matplotlib.collections import PolyCollection

    rows, columns = tints.shape[:2]
    half = 0.485 if max(rows, columns) <= 40 else 0.5
    corners = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    row, column = np.indices((rows, columns)).reshape(2, -1)
    places = np.column_stack((column + left, row))[:, None, :] + corners
    cells = PolyCollection(list(places), facecolors=tints.reshape(-1, 4), edgecolors="none", linewidths=0.0)
    canvas.ax.add_collection(cells, autolim=False)
    canvas.ax.grid(visible=False)
    canvas.ax.spines[:].set_visible(False)
    return cells


def column_heads(
    canvas: Canvas, places: Sequence[float], heads: Sequence[str], points: float, *, above: bool = False
) -> float:
    """Write the heads of columns so many points wide, in lines, or turned where words are wider.

    Returns how many points they reach up or down.
    """
    lines = [wrap(head, canvas.ticks, 0.95 * points) for head in heads]
    words = [word for text in lines for word in text.split("\n")]
    is_turned = text_width(words, canvas.ticks) > points
    style: dict[str, Any] = {"va": "baseline"} if above else {}
    if is_turned:
        lines = [plain(head, 200) for head in heads]
        style = {"rotation": 40, "ha": "left" if above else "right", "rotation_mode": "anchor"}
    canvas.ax.set_xticks(places, lines, fontsize=canvas.ticks, linespacing=1.05, **style)
    canvas.ax.tick_params(length=0, **({"pad": 5.0} if above else {}))
    if above:
        canvas.ax.xaxis.tick_top()
    if is_turned:
        return 0.65 * text_width(lines, canvas.ticks) + 6.0
    return 1.2 * canvas.ticks * (1 + max(text.count("\n") for text in lines)) + 4.0


@dataclass(repr=False, eq=False)
class SkillMapDisplay(ModelsDisplay):
    """A heat table of skill: 0 at the bar, 1 at the best possible score, −1 at the worst blind one.

    The number is in the cell, beside the mark of its outcome; the colour is that of the outcome, the stronger
    the further from the bar. Where a bar cannot be beaten or there is none the cell is empty. Right of each
    model stands how many of the bars it clears. On axes too small for all of it the first models and measures
    are drawn, and a line says how many are not.

    Parameters
    ----------
    models, labels : sequence of str
        Names of the models, from top to bottom, and of the measures.
    skill, standing : array_like of shape (models, measures)
        Skill, nan where there is none; and outcomes, "doubt" for what is above its bar but could be there by
        chance.
    title, finding : str
        What is judged, such as a slice; and what is said above, by default what is true of these models.
    left_out : int
        Models of the scorecard that are not among these.
    losses : sequence of bool
        Of which measures less is better; of none by default.

    Attributes
    ----------
    image_ : artist
        The cells.
    texts_, points_ : dict of (str, str) to artist
        The number in the cell of each model and measure, and the mark of its outcome.

    Examples
    --------
    >>> import clearbar as cb
    >>> models = {"a": cb.Counts(tp=14, fp=3, fn=4, tn=10), "b": cb.Counts(tp=3, fp=3, fn=15, tn=10)}
    >>> display = cb.plots.SkillMapDisplay.from_counts(models, ["f1", "mcc"])
    >>> display.texts_["b", "F1"].get_text()
    '−0.72'
    """

    models: Sequence[str]
    labels: Sequence[str]
    skill: Any
    standing: Any
    _: KW_ONLY
    title: str = ""
    finding: str = ""
    left_out: int = 0
    losses: Sequence[bool] = ()

    _most = 20

    def __post_init__(self) -> None:
        self.models, shape = tuple(self.models), (len(self.models), len(self.labels))
        if not all(shape):
            raise ValueError("models and labels must name at least one model and one measure.")
        self.skill = np.asarray(self.skill, dtype=np.float64).reshape(shape)
        self.standing = np.asarray(self.standing, dtype=object).reshape(shape)
        self.losses = self.losses or [False] * len(self.labels)

    @classmethod
    def _data(cls, card: Any, models: list[int], group: int, outcomes: Any, *_: Any) -> dict[str, Any]:
        return {
            "labels": [measure.label for measure in card.measures],
            "skill": card.columns["skill"][models, group],
            "standing": outcomes,
            "losses": [measure.greater_is_better is False for measure in card.measures],
        }

    @property
    def description(self) -> str:
        models = []
        for model, row, outcomes in zip(self.models, self.skill.tolist(), self.standing, strict=True):
            words = ", ".join(
                f"{visible(label)} {_skill_text(value)} ({outcome_words(name, loss=loss)})"
                for label, value, name, loss in zip(self.labels, row, outcomes, self.losses, strict=True)
            )
            models.append(f"{visible(model)}: {words}")
        where = f" in {self.title}" if self.title else ""
        return f"{self.finding}. Skill of {plural(len(self.models), 'model')}{where}. " + ". ".join(models)

    @property
    def _height(self) -> float:
        return 1.9 + 0.25 * len(self.models)

    def _draw(self, canvas: Canvas) -> Words:
        rows, columns = self._that_fit(canvas)
        skill, outcomes = self.skill[:rows, :columns], self.standing[:rows, :columns]
        has_skill = np.isin(outcomes, JUDGED) & np.isfinite(skill)
        tints = np.zeros((rows, columns, 4))
        for place in np.ndindex(skill.shape):
            is_written = has_skill[place]
            tints[place] = _tint(canvas, outcomes[place], skill[place]) if is_written else (0, 0, 0, 0)
        tints[~has_skill] = tinted(canvas.muted, 0.06)
        self.image_ = draw_cells(canvas, tints)
        self.texts_: dict[tuple[str, str], Any] = {}
        self.points_: dict[tuple[str, str], Any] = {}
        column = self._frame(canvas, rows, columns)
        mark = 0.5 * (text_width("−0.00", canvas.ticks) + 0.75 * canvas.ticks) / column
        for row, index in np.ndindex(skill.shape):
            key, is_written = (self.models[row], self.labels[index]), bool(has_skill[row, index])
            self.texts_[key] = canvas.annotate(
                _skill_text(skill[row, index]) if is_written else MISSING,
                (index + (mark if is_written else 0.0), row), ha="right" if is_written else "center",
                color=canvas.text if is_written else canvas.muted, zorder=4,
            )  # fmt: skip
            if is_written:
                style = marker(canvas, outcomes[row, index], 4.4)
                (self.points_[key],) = canvas.ax.plot([index - mark], [row], zorder=4, **style)
        judged = np.isin(self.standing, JUDGED)
        canvas.annotate(
            "clears", (1.0, 1.0), (4, 5.0), xycoords="axes fraction", va="baseline", color=canvas.text
        )
        for row in range(rows):
            cleared = f"{int((self.standing[row] == 'clears').sum())}/{int(judged[row].sum())}"
            canvas.annotate_right(cleared, row, 4, color=canvas.text)
        heads = distinct(self.labels, NAME_WIDTH)[:columns]
        deep = column_heads(canvas, range(columns), heads, column, above=True)
        canvas.ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
        sentences = (
            "Skill: 0 at the bar, 1 at the best possible score. Deeper tints are further from the bar.",
            "" if judged.all() else f"{MISSING}: a bar that cannot be beaten, or none.",
        )
        omitted = not_drawn(len(self.models) - rows + self.left_out, len(self.labels) - columns)
        loss = bool(has_skill[:, np.array(self.losses)[:columns]].any())
        keys = _keys(canvas, {str(name) for name in outcomes.flat}, loss=loss)
        notes, above = [" ".join(filter(None, sentences))], 0.3 + deep / (1.3 * canvas.small)
        return Words(keys, notes, omitted, above=above, below=0.2)

    def _that_fit(self, canvas: Canvas) -> tuple[int, int]:
        """Return how many models and measures there is room for."""
        rows = len(self.models)
        if not self._made_figure:
            rows = min(rows, canvas.rows_that_fit(7.0 if canvas.compact else 11.0, 1.7))
        names = text_width(self._names(canvas), canvas.ticks) + 4.0
        points = canvas.axis_width(names, 3.2 * canvas.ticks)
        column = text_width("−0.00", canvas.ticks) + 1.4 * canvas.ticks
        return rows, min(len(self.labels), max(1, int(points / column)))

    def _names(self, canvas: Canvas) -> list[str]:
        names = distinct(self.models, 15 if canvas.is_narrow else NAME_WIDTH)
        return [plain(name, 200) for name in names]

    def _frame(self, canvas: Canvas, rows: int, columns: int) -> float:
        """Name the models; return how many points wide a column is."""
        canvas.style_axes("", plain(self.title, 40))
        names = self._names(canvas)[:rows]
        left = text_width(names, canvas.ticks) + 4.0
        canvas.ax.set_yticks(range(rows), names, fontsize=canvas.ticks)
        return canvas.axis_width(left, 3.2 * canvas.ticks) / columns


def _keys(canvas: Canvas, outcomes: set[str], *, loss: bool) -> list[Key]:
    """Return a legend's keys: the mark of each outcome on its tint, as in the cells."""
    from matplotlib.patches import Patch

    keys: list[Key] = []
    for outcome in JUDGED:
        if outcome in outcomes:
            ((mark, words),) = outcome_keys(canvas, {outcome}, loss=loss)
            mark.set_markersize(4.4 * canvas.unit)
            keys.append(((Patch(facecolor=tuple(_tint(canvas, outcome, 0.6)), lw=0), mark), words))
    return keys


def _skill_text(skill: Any) -> str:
    return signed(round(float(skill), 2))


def _tint(canvas: Canvas, outcome: str, skill: float) -> FloatArray:
    """Return the colour of an outcome, the stronger the further from the bar; a little at once."""
    return tinted(outcome_color(canvas, outcome), 0.15 + 0.75 * abs(min(max(skill, -1.0), 1.0)))


@dataclass(repr=False, eq=False)
class ConfusionDisplay(Display):
    """What samples of each class were called, beside what labels in random order would give.

    The shade is the share of the class; right answers are outlined.

    Parameters
    ----------
    matrix : ConfusionMatrix
        The number of samples of each class that were called each.
    model : str
        The model; empty where there is only one.

    Attributes
    ----------
    expected : ndarray of shape (K, K)
        What random order expects of each cell with as many answers of each class: n_i k_j / M.
    images_, shares_ : tuple
        The cells of the two heat maps, and what they shade: the share of each class that is called so.
    texts_ : tuple of list
        The numbers in the cells of each, row by row; empty where cells are too small.

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

    _least = 22.0, 11.0

    @classmethod
    def from_matrix(
        cls, matrix: ConfusionMatrix, *, ax: Any = None, compact: bool = False
    ) -> ConfusionDisplay:
        """Draw a matrix that was counted.

        Parameters
        ----------
        matrix : ConfusionMatrix
            The number of samples of each class that were called each.
        """
        if not isinstance(matrix, ConfusionMatrix):
            raise ValueError(
                f"matrix must be a ConfusionMatrix; found {shown(matrix)}: make one with "
                "ConfusionMatrix(matrix, labels=...)."
            )
        return cls(matrix).plot(ax=ax, compact=compact)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Iterable[Any] | None = None,
        ax: Any = None,
        compact: bool = False,
    ) -> ConfusionDisplay:
        """Count the labels of one model and draw them; parameters as for `ConfusionMatrix.from_labels`."""
        matrix: ConfusionMatrix = ConfusionMatrix.from_labels(y_true, y_pred, labels=labels)
        return cls.from_matrix(matrix, ax=ax, compact=compact)

    @classmethod
    def from_scorecard(
        cls,
        card: Scorecard,
        *,
        model: str | None = None,
        group: Any = None,
        ax: Any = None,
        compact: bool = False,
    ) -> ConfusionDisplay:
        """Draw one model of a scorecard of classes.

        Parameters
        ----------
        card : Scorecard
            As `evaluate` returns it.
        """
        checked_card(card)
        if card.several_runs:
            raise ValueError(
                f"card holds {card.runs:,} runs of each model; draw one of them with "
                "ConfusionDisplay.from_predictions(y_true, y_pred[0])."
            )
        refuse_unnamed("model", model, list(map(repr, card.models)))
        row = 0 if model is None else which_model(card, model)
        column = 0 if group is None else which_group(card, group)
        matrix, counts = class_matrix(card, row, column), card.counts
        if matrix is None:
            if counts is None or card.population.classes:
                raise ValueError(
                    "card must be of labels of two or more classes; this scorecard is of "
                    "others. Sets of labels have card.per_label(), which SlicesDisplay draws."
                )
            tp, fp, fn, tn = (int(cell) for cell in counts[row, column].cells)
            matrix = ConfusionMatrix([[tn, fp], [fn, tp]], labels=card.population.labels)
        name = card.models[row] if len(card.models) > 1 else ""
        return cls(matrix, name).plot(ax=ax, compact=compact)

    @property
    def expected(self) -> FloatArray:
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
    def finding(self) -> str:
        return verdict_finding(replace(self.accuracy, model=self.model or "model"))

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

    def _figure_height(self, width: float) -> float:
        size, (_, labels) = text_size(width), self._rows()
        names = text_width(labels, TICKS * size)
        cell = (72 * width - names - 4.0 * size) / (2 * len(labels) + 1)
        cell = min(max(cell, 1.5 * size), 3.6 * size if len(labels) <= WRITTEN else 36.0)
        heads = names if names > 0.9 * cell else size
        return (cell * len(labels) + min(heads, 5.0 * size) + 9.5 * size) / 72

    def _draw(self, canvas: Canvas) -> Words:
        row_of_class, labels = self._rows()
        matrix, rows = self.matrix, len(labels)
        cells = np.zeros((rows, rows))
        np.add.at(cells, (row_of_class[matrix.rows], row_of_class[matrix.columns]), matrix.values)
        blind = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / matrix.total
        sizes = np.maximum(cells.sum(axis=1, keepdims=True), 1)
        self.shares_ = cells / sizes, blind / sizes
        names = [plain(label, 200) for label in labels]
        left = text_width(names, canvas.ticks) + 2.4 * canvas.size
        gap = max(0.35, 0.045 * rows)  # between both tables
        starts = 0.0, rows + gap
        points = canvas.axis_width(left, 0.5 * canvas.size) / (2 * rows + gap)
        titles = [plain(self.model) if self.model else "the model", "labels in random order"]
        if text_width(titles[1], 1.1 * canvas.ticks) > points * rows:
            titles[1] = "random order"
        canvas.style_axes("predicted class", "true class")
        texts = _figures(canvas, (cells, blind), points)
        self.images_, self.texts_ = zip(
            *(_draw_table(canvas, *panel) for panel in zip(starts, self.shares_, texts, strict=True)),
            strict=True,
        )
        for start, title in zip(starts, titles, strict=True):
            style = {"color": canvas.text, "fontweight": heavy()}
            canvas.annotate_above(title, start - 0.5, 0.0, ha="left", **style)
        step = max(1, int(np.ceil(1.25 * canvas.ticks / points)))
        named = range((rows - 1) % step, rows, step)  # so that the last class is named
        heads = [labels[index] for index in named]
        places = [start + index for start in starts for index in named]
        deep = column_heads(canvas, places, heads * 2, points * step)
        height = (0.6 * canvas.height) / rows
        step = max(1, int(np.ceil(1.25 * canvas.ticks / height))) if not self._made_figure else step
        named = range((rows - 1) % step, rows, step)
        canvas.ax.set_yticks(named, [names[index] for index in named], fontsize=canvas.ticks)
        canvas.ax.set(xlim=(-0.5, 2 * rows + gap - 0.5), ylim=(rows - 0.5, -0.5))
        below = 1.1 + deep / (1.25 * canvas.size)
        notes = [f"Shade: share of the class. {self.rest}".strip()]
        return Words((), notes, above=1.2, below=below)

    def _rows(self) -> tuple[IntArray, list[str]]:
        labels = self.matrix.labels
        if len(labels) <= MOST:
            return np.arange(len(labels)), distinct(labels, 14)
        largest = np.sort(np.argsort(-self.matrix.true_counts, kind="stable")[: MOST - 1])
        row_of_class = np.full(len(labels), MOST - 1)
        row_of_class[largest] = np.arange(MOST - 1)
        return row_of_class, [*distinct([labels[index] for index in largest.tolist()], 14), "others"]


def _figures(canvas: Canvas, tables: Sequence[FloatArray], points: float) -> list[list[str]]:
    """Return the numbers of both tables, as precise as cells so many points wide hold; else none."""
    for places in (1, 0):
        texts = [
            [f"{value:,.{places * (table % 1 != 0).any()}f}" for value in map(float, table.flat)]
            for table in tables
        ]
        if text_width((text for table in texts for text in table), canvas.small) <= 0.92 * points:
            return texts if len(tables[0]) <= WRITTEN else [[], []]
    return [[], []]


def _draw_table(canvas: Canvas, start: float, shares: FloatArray, texts: list[str]) -> tuple[Any, list[Any]]:
    """Draw one of both tables, its right answers outlined."""
    from matplotlib.patches import Rectangle

    image = draw_cells(canvas, tinted(canvas.muted, shares), start)
    outline = {"fill": False, "edgecolor": canvas.text, "lw": 0.7 * canvas.unit, "clip_on": False}
    for index in range(len(shares)):
        corner = start + index - 0.485, index - 0.485
        canvas.ax.add_patch(Rectangle(corner, 0.97, 0.97, **outline))
    style = {"ha": "center", "va": "center", "fontsize": canvas.small, "color": canvas.text}
    places = zip(np.ndindex(shares.shape), texts, strict=False)
    return image, [canvas.ax.text(start + column, row, text, **style) for (row, column), text in places]
