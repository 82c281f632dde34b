"""Tables of tinted cells: skill of models on measures, and confusion matrices.

A tint is a colour and how opaque it is, so that it fits whatever page is behind, and text is read on it in
the page's ink. Cells are paths, since a page of a strict content security policy shows no embedded images.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import shown
from clearbar.evaluation.classes import evaluate_multiclass
from clearbar.formatting import MISSING, distinct, number, percent, plural, signed, visible, width
from clearbar.formatting._palette import BELOW
from clearbar.plots._canvas import Canvas, Key, label_heights, plain, text_scale, text_width
from clearbar.plots._display import Display, ModelsDisplay, Words, checked_card, refuse_unnamed
from clearbar.plots._outcomes import (
    JUDGED,
    marker,
    models_finding,
    outcome_keys,
    outcome_words,
    score_finding,
)
from clearbar.plots._rows import first_and_last, not_drawn, worst_measures
from clearbar.scorecard import Scorecard, class_matrix, standing, which_group, which_model
from clearbar.verdict import Verdict

STRONGEST = 0.7
"""How opaque the strongest tint is: black is read on it on white, and white on black."""

STEPS, HATCH = 32, "////"
"""Steps of a scale, and how a cell is hatched that could be chance."""

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


def _draw_polygons(ax: Any, corners: Any, tints: FloatArray) -> Any:
    from matplotlib.collections import PolyCollection

    cells = PolyCollection(corners, facecolors=tints.reshape(-1, 4), edgecolors="none", linewidths=0.0)
    ax.add_collection(cells, autolim=False)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    return cells


def draw_cells(canvas: Canvas, tints: FloatArray, aspect: str) -> Any:
    """Draw a table of tinted cells, the first row above, with a thin gap between them."""
    rows, columns = tints.shape[:2]
    half = 0.485 if max(rows, columns) <= 40 else 0.5
    corners = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    row, column = np.indices((rows, columns)).reshape(2, -1)
    drawn = _draw_polygons(canvas.ax, list(np.column_stack((column, row))[:, None, :] + corners), tints)
    canvas.ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), aspect=aspect)
    canvas.ax.spines[:].set_visible(False)
    return drawn


def draw_scale(
    canvas: Canvas, box: Sequence[float], tints: FloatArray, ticks: Mapping[float, str], where: Any = None
) -> Canvas:
    """Draw a scale of tints beside a table: its own axes, from its first tick to its last one.

    Its box is given in the units of a transform, or as shares of the table.
    """
    ax = canvas.ax.inset_axes(box, transform=where)
    heights = list(ticks)
    edges = np.linspace(heights[0], heights[-1], len(tints) + 1).tolist()
    _draw_polygons(ax, [[(0, low), (1, low), (1, high), (0, high)] for low, high in pairwise(edges)], tints)
    ax.set(xlim=(0.0, 1.0), ylim=(heights[0], heights[-1]), facecolor="none", xticks=[])
    ax.yaxis.tick_right()
    ax.set_yticks(heights, list(ticks.values()), fontsize=canvas.small)
    ax.spines[:].set(color=canvas.muted, linewidth=0.6 * canvas.unit)
    return Canvas(ax)


@dataclass(repr=False, eq=False)
class SkillMapDisplay(ModelsDisplay):
    """A heat table of skill: 0 at the bar, 1 at the best possible score, −1 at the worst blind one.

    The number is in the cell; what could be chance is hatched, and where a bar cannot be beaten or there is
    none the cell is empty. Right of each model stands how many of the bars it clears. On axes too small
    for all of it fewer models and measures are drawn, and a line says how many are not.

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
    image_, bar_ : artist
        The cells; the bar on the scale of colours.
    texts_, hatches_ : dict of (str, str) to artist
        The number in the cell of each model and measure, and what is hatched.

    Examples
    --------
    >>> import clearbar as cb
    >>> models = {"a": cb.Counts(tp=14, fp=3, fn=4, tn=10), "b": cb.Counts(tp=3, fp=3, fn=15, tn=10)}
    >>> display = cb.plots.SkillMapDisplay.from_counts(models, ["f1", "mcc"])
    >>> display.finding
    '1 of 2 models misses the F1 and MCC bars'
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
        self.finding = self.finding or models_finding(self.models, self.labels, self.standing, self.losses)

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
        return 2.0 + 0.3 * len(self.models)

    def _draw(self, canvas: Canvas) -> Words:
        from matplotlib.patches import Rectangle

        rows, columns = self._that_fit(canvas)
        skill, outcomes = self.skill[np.ix_(rows, columns)], self.standing[np.ix_(rows, columns)]
        has_skill = np.isin(outcomes, JUDGED) & np.isfinite(skill)
        tints = _tints(canvas, np.where(has_skill, skill, 0.0))
        tints[~has_skill] = tinted(canvas.muted, 0.05)
        self.image_ = draw_cells(canvas, tints, "auto")
        self.texts_: dict[tuple[str, str], Any] = {}
        self.hatches_: dict[tuple[str, str], Any] = {}
        for row, column in np.ndindex(skill.shape):
            key = self.models[rows[row]], self.labels[columns[column]]
            if outcomes[row, column] == "doubt":  # at the foot: the number stays readable whatever is behind
                style = {"fill": False, "hatch": HATCH, "edgecolor": canvas.text, "lw": 0.0}
                foot = Rectangle((column - 0.485, row + 0.2), 0.97, 0.285, **style)
                self.hatches_[key] = canvas.ax.add_patch(foot)
            written = bool(has_skill[row, column])
            self.texts_[key] = canvas.ax.text(
                column, row - 0.12 * (key in self.hatches_),
                _skill_text(skill[row, column]) if written else MISSING,
                color=canvas.text if written else canvas.muted, ha="center", va="center",
                fontsize=canvas.small, zorder=4,
            )  # fmt: skip
        judged = np.isin(self.standing, JUDGED)
        for row, model in enumerate(rows):
            cleared = f"{int((self.standing[model] == 'clears').sum())}/{int(judged[model].sum())}"
            canvas.annotate_right(cleared, row, 4, color=canvas.text)
        left, below = self._frame(
            canvas, [self.models[row] for row in rows], [self.labels[column] for column in columns]
        )
        box = 3.6 * canvas.small / 72, 0.0, 0.9 * canvas.small / 72, 1.0
        tints, ticks = _tints(canvas, np.linspace(-1.0, 1.0, STEPS)), {-1.0: "−1", 0.0: "bar", 1.0: "1"}
        scale = draw_scale(canvas, box, tints, ticks, canvas.beyond_right(canvas.ax.transAxes))
        self.bar_ = scale.ax.axhline(0.0, color=canvas.text, lw=2.0 * canvas.unit)
        loss = bool(has_skill[:, np.array(self.losses)[columns]].any())
        sentences = (
            "Skill: 0 at the bar, 1 at the best possible score. On the right: bars cleared.",
            "" if judged.all() else f"{MISSING}: a bar that cannot be beaten, or none.",
            not_drawn(len(self.models) - len(rows) + self.left_out, len(self.labels) - len(columns)),
        )
        keys = _keys(canvas, {str(name) for name in outcomes.flat}, loss=loss)
        return Words(keys, [" ".join(filter(None, sentences))], above=0.4, below=below, left=left)

    def _that_fit(self, canvas: Canvas) -> tuple[list[int], list[int]]:
        """Return the models and measures that fit; of measures those with the worst outcomes."""
        rows = min(len(self.models), canvas.rows_that_fit(13.0 if canvas.is_narrow else 9.0))
        names = 0.6 * canvas.size * min(NAME_WIDTH, max(map(width, self.models)))
        points = canvas.text_room - names - 5.0 * canvas.small
        most = max(1, int(points / (text_width("−0.00", canvas.small) + 3.0)))
        return first_and_last(len(self.models), rows), worst_measures(self.standing.T, most)

    def _frame(self, canvas: Canvas, models: Sequence[str], labels: Sequence[str]) -> tuple[float, float]:
        """Label rows and columns; return how far left of the axes and how many lines below labels reach."""
        ax = canvas.ax
        canvas.style_axes("", plain(self.title, 40))
        rows, heads = distinct(models, NAME_WIDTH), distinct(labels, NAME_WIDTH)
        left = text_width(rows, canvas.size) + 4.0
        widest = text_width(heads, canvas.small)
        upright = widest > 0.95 * canvas.axis_width(left, 7.0 * canvas.small) / len(labels)
        turn = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if upright else {}
        ax.set_xticks(range(len(heads)), [plain(head, 200) for head in heads], fontsize=canvas.small, **turn)
        ax.set_yticks(range(len(rows)), [plain(row, 200) for row in rows], fontsize=canvas.size)
        deep = 0.65 * widest if upright else canvas.small
        return left, (deep + 8.0) / (1.25 * canvas.size)


def _keys(canvas: Canvas, outcomes: set[str], *, loss: bool) -> list[Key]:
    from matplotlib.patches import Patch

    patches = {
        "clears": Patch(facecolor=canvas.clears),
        "doubt": Patch(facecolor=canvas.face, edgecolor=canvas.text, hatch=HATCH, lw=0.4),
        "fails": Patch(facecolor=BELOW),
    }
    words = [label for _, label in outcome_keys(canvas, patches.keys() & outcomes, loss=loss)]
    return list(zip((patches[name] for name in patches if name in outcomes), words, strict=True))


def _skill_text(skill: Any) -> str:
    return signed(round(float(skill), 2))


def _tints(canvas: Canvas, skill: FloatArray) -> FloatArray:
    """Return blue above the bar, red below, the stronger the further; a little at once."""
    strength = np.where(skill == 0.0, 0.0, 0.15 + 0.85 * np.abs(np.clip(skill, -1.0, 1.0)))
    above, below = (tinted(color, strength) for color in (canvas.clears, BELOW))
    return np.where((skill > 0)[..., None], above, below)


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

    _panels = (1, 2)
    _panels_across = 2.2
    _most_panels = 2

    @classmethod
    def from_matrix(cls, matrix: ConfusionMatrix, *, ax: Any = None) -> ConfusionDisplay:
        """Draw a matrix that was counted; one axes is divided, two are taken.

        Parameters
        ----------
        matrix : ConfusionMatrix
            How often samples of each class were called each.
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
        """Count the labels of one model and draw them; parameters as for `ConfusionMatrix.from_labels`."""
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
            matrix = ConfusionMatrix([[tn, fp], [fn, tp]], labels=["negative", "positive"])
        return cls(matrix, card.models[row] if len(card.models) > 1 else "").plot(ax=ax)

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

    def _figure_height(self, width: float, text: float) -> float:
        names = _names_height(self._rows()[1], 0.88 * text) / 72
        return 0.42 * width + 1.25 * text_scale(width) + names

    def _boxes(self, ax: Any) -> list[list[float]]:  # noqa: ARG002 - whatever their size
        return [[left, 0.0, 0.37, 1.0] for left in (0.0, 0.48)]

    def _draw(self, *canvases: Canvas) -> Words:
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
        below = 2.0 + _names_height(labels, left.small) / (1.25 * left.size)
        return Words((), [f"Shade: share of the class. {self.rest}".strip()], above=1.2, below=below)

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
        heights = label_heights(score, bar, half)
        free = {0.0: min(heights) > 1.5 * half, 1.0: max(heights) < 1 - 1.5 * half}
        ends = {end: f"{end:.0f}" if room else "" for end, room in free.items()}
        tints = tinted(canvas.muted, np.linspace(0.0, 1.0, STEPS))
        scale = draw_scale(canvas, (1.07, 0.0, 0.07, 1.0), tints, ends)
        line = scale.ax.axhline(bar, color=canvas.text, lw=2.2 * canvas.unit)
        (point,) = scale.ax.plot([0.5], [score], clip_on=False, zorder=5, **marker(canvas, self.standing))
        for y, words, value in zip(heights, ("right", "bar"), (score, bar), strict=True):
            text = f"{words}\n{number(value, int(self.matrix.total))}"
            style = {"color": canvas.text, "fontsize": canvas.small, "linespacing": 1.0}
            scale.annotate(text, (1.0, y), (4, 0), **style)
        return line, point


def _are_upright(labels: Sequence[str]) -> bool:
    return max(map(len, labels)) * len(labels) > 24


def _names_height(labels: Sequence[str], size: float) -> float:
    return text_width(labels, size) if _are_upright(labels) else size


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
    values = [float(value) for value in cells.flat]
    texts = [f"{value:,.{0 if value.is_integer() else 1}f}" for value in values]
    if text_width(texts, size) > 0.95 * cell_width:
        texts = [f"{value:,.0f}" for value in values]
    if classes <= WRITTEN and text_width(texts, size) <= 0.98 * cell_width:
        for (row, column), text in zip(np.ndindex(cells.shape), texts, strict=True):
            ax.text(column, row, text, ha="center", va="center", fontsize=size, color=canvas.text)
    return image
