"""Skill of models (rows) on measures (columns): blue above the bar, red below, hatched where in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import MISSING, distinct, plural, signed, visible, width
from clearbar.plots._canvas import Canvas, Key, max_text_width, plain, text_width
from clearbar.plots._display import ModelsDisplay
from clearbar.plots._heat import STEPS, draw_cells, draw_scale, tinted
from clearbar.plots._outcomes import JUDGED, models_finding, outcome_keys, outcome_words
from clearbar.plots._rows import first_and_last, not_drawn, worst_measures

HATCH = "////"
"""How a cell is hatched that could be chance."""

NAME_WIDTH = 22
"""Columns that a name may take."""


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
        The cells, and the bar on the scale of colours.
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

    def __post_init__(self) -> None:
        self.models, shape = tuple(self.models), (len(self.models), len(self.labels))
        if not all(shape):
            raise ValueError("models and labels must name at least one model and one measure.")
        self.skill = np.asarray(self.skill, dtype=np.float64).reshape(shape)
        self.standing = np.asarray(self.standing, dtype=object).reshape(shape)
        self.losses = self.losses or [False] * len(self.labels)
        self.finding = self.finding or models_finding(self.models, self.labels, self.standing, self.losses)

    _most = 20

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

    def _draw(self, canvas: Canvas) -> None:
        rows, columns = self._that_fit(canvas)
        skill, outcomes = self.skill[np.ix_(rows, columns)], self.standing[np.ix_(rows, columns)]
        has_skill = np.isin(outcomes, JUDGED) & np.isfinite(skill)
        tints = _tints(canvas, np.where(has_skill, skill, 0.0))
        tints[~has_skill] = tinted(canvas.muted, np.array(0.05))
        self.image_ = draw_cells(canvas, tints, "auto")
        self.texts_: dict[tuple[str, str], Any] = {}
        self.hatches_: dict[tuple[str, str], Any] = {}
        for row, column in np.ndindex(skill.shape):
            key = self.models[rows[row]], self.labels[columns[column]]
            if outcomes[row, column] == "doubt":
                self.hatches_[key] = _hatch(canvas, column, row)
            self.texts_[key] = canvas.ax.text(
                column, row - 0.12 * (key in self.hatches_),
                _skill_text(skill[row, column]) if has_skill[row, column] else MISSING,
                color=canvas.text if has_skill[row, column] else canvas.muted, ha="center", va="center",
                fontsize=canvas.small, zorder=4,
            )  # fmt: skip
        judged = np.isin(self.standing, JUDGED)
        for row, model in enumerate(rows):
            cleared = f"{int((self.standing[model] == 'clears').sum())}/{int(judged[model].sum())}"
            canvas.annotate_right(cleared, row, 4, color=canvas.text)
        names = [self.models[row] for row in rows]
        left, below = self._frame(canvas, names, [self.labels[column] for column in columns])
        self._draw_scale(canvas)
        loss = bool(has_skill[:, np.array(self.losses)[columns]].any())
        keys = _keys(canvas, {str(name) for name in outcomes.flat}, loss=loss)
        self.title_, self.legend_ = canvas.add_title_and_legend(self.finding, keys, lines=0.4, left=left)
        sentences = (
            "Skill: 0 at the bar, 1 at the best possible score. On the right: bars cleared.",
            "" if judged.all() else f"{MISSING}: a bar that cannot be beaten, or none.",
            not_drawn(len(self.models) - len(rows) + self.left_out, len(self.labels) - len(columns)),
        )
        self.note_ = canvas.add_note([" ".join(filter(None, sentences))], lines=below, left=left)

    def _that_fit(self, canvas: Canvas) -> tuple[list[int], list[int]]:
        """Return the models and measures that fit; of measures those with the worst outcomes."""
        rows = min(len(self.models), canvas.rows_that_fit(13.0 if canvas.is_narrow else 9.0))
        names = 0.6 * canvas.size * min(NAME_WIDTH, max(map(width, self.models)))
        points = canvas.text_room - names - 5.0 * canvas.small
        most = max(1, int(points / (text_width("−0.00", canvas.small) + 3.0)))
        return first_and_last(len(self.models), rows), worst_measures(self.standing.T.tolist(), most)

    def _frame(self, canvas: Canvas, models: Sequence[str], labels: Sequence[str]) -> tuple[float, float]:
        """Label rows and columns; return how far left of the axes and how many lines below labels reach."""
        ax = canvas.ax
        canvas.style_axes("", plain(self.title, 40))
        rows, heads = distinct(models, NAME_WIDTH), distinct(labels, NAME_WIDTH)
        left = max_text_width(rows, canvas.size) + 4.0
        widest = max_text_width(heads, canvas.small)
        upright = widest > 0.95 * canvas.axis_width(left, 7.0 * canvas.small) / len(labels)
        turn = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if upright else {}
        ax.set_xticks(range(len(heads)), [plain(head, 200) for head in heads], fontsize=canvas.small, **turn)
        ax.set_yticks(range(len(rows)), [plain(row, 200) for row in rows], fontsize=canvas.size)
        deep = 0.65 * widest if upright else canvas.small
        return left, (deep + 8.0) / (1.25 * canvas.size)

    def _draw_scale(self, canvas: Canvas) -> None:
        tints = _tints(canvas, np.linspace(-1.0, 1.0, STEPS))
        box = 3.6 * canvas.small / 72, 0.0, 0.9 * canvas.small / 72, 1.0
        ticks = {-1.0: "−1", 0.0: "bar", 1.0: "1"}
        scale = draw_scale(canvas, box, tints, ticks, canvas.beyond_right(canvas.ax.transAxes))
        self.bar_ = scale.ax.axhline(0.0, color=canvas.text, lw=2.0 * canvas.unit)


def _keys(canvas: Canvas, outcomes: set[str], *, loss: bool) -> list[Key]:
    from matplotlib.patches import Patch

    patches = {
        "clears": Patch(facecolor=canvas.clears),
        "doubt": Patch(facecolor=canvas.face, edgecolor=canvas.text, hatch=HATCH, lw=0.4),
        "fails": Patch(facecolor=canvas.fails),
    }
    words = [label for _, label in outcome_keys(canvas, patches.keys() & outcomes, loss=loss)]
    return list(zip((patches[name] for name in patches if name in outcomes), words, strict=True))


def _skill_text(skill: Any) -> str:
    return signed(round(float(skill), 2))


def _tints(canvas: Canvas, skill: FloatArray) -> FloatArray:
    """Return blue above the bar, red below, the stronger the further; a little at once."""
    strength = np.where(skill == 0.0, 0.0, 0.15 + 0.85 * np.abs(np.clip(skill, -1.0, 1.0)))
    above, below = (tinted(color, strength) for color in (canvas.clears, canvas.fails))
    return np.where((skill > 0)[..., None], above, below)


def _hatch(canvas: Canvas, column: int, row: int) -> Any:
    """Hatch the foot of a cell, below its number, which stays readable whatever is behind."""
    from matplotlib.patches import Rectangle

    foot = column - 0.485, row + 0.2
    patch = Rectangle(foot, 0.97, 0.285, fill=False, hatch=HATCH, edgecolor=canvas.text, lw=0.0)
    return canvas.ax.add_patch(patch)
