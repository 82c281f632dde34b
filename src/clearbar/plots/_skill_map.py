"""Skill of models (rows) on measures (columns): blue above the bar, red below, hatched where in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import MISSING, distinct, plural, signed, visible, width
from clearbar.plots._canvas import Canvas, Key
from clearbar.plots._display import ModelsDisplay
from clearbar.plots._findings import of_models
from clearbar.plots._heat import STEPS, scale, shaded, tinted
from clearbar.plots._marks import JUDGED, outcome_keys, words_of
from clearbar.plots._rows import first_and_last, labels_of, losses_of, not_drawn, worst_verdicts
from clearbar.plots._text import plain, text_width, widest

HATCH = "////"
"""How a cell is hatched that could be chance."""

NAME = 22
"""Columns that a name may take."""


class SkillMapDisplay(ModelsDisplay):
    """A heat table of skill: 0 at the bar, 1 at the best possible score, −1 at the worst blind one.

    The number is in the cell; what could be chance is hatched, and where a bar cannot be beaten or there is
    none the cell is empty. Right of each model stands how many of the bars it clears. On axes too small
    for all of it fewer models and measures are drawn, and a line says how many are not.

    Parameters
    ----------
    models : sequence of str
        Names of the models, from top to bottom.
    labels : sequence of str
        Names of the measures.
    skill : ndarray of shape (models, measures)
        Skill; nan where there is none.
    standing : sequence of sequence of str
        Outcome of each, or "doubt" where it is above its bar but could be there by chance.
    title : str
        What is judged, such as a slice; empty for all samples.
    finding : str
        What is to be said above; by default what is true of these models.
    left_out : int
        Models of the scorecard that are not among these.
    losses : sequence of bool
        Of which measures less is better; of none by default.

    Attributes
    ----------
    image_ : matplotlib.collections.PolyCollection
        The cells.
    texts_ : dict of (str, str) to matplotlib.text.Text
        The number in the cell of each model and measure.
    hatches_ : dict of (str, str) to matplotlib.patches.Rectangle
        What is hatched.
    bar_ : matplotlib.lines.Line2D
        The bar on the scale of colours.
    ax_, figure_, title_, legend_, note_
        As in every `Display`.

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

    def __init__(
        self,
        models: Sequence[str],
        labels: Sequence[str],
        skill: FloatArray,
        standing: Sequence[Sequence[str]],
        *,
        title: str = "",
        finding: str = "",
        left_out: int = 0,
        losses: Sequence[bool] = (),
    ) -> None:
        self.models, self.labels = tuple(models), tuple(labels)
        shape = len(self.models), len(self.labels)
        if not all(shape):
            raise ValueError("models and labels must name at least one model and one measure.")
        self.skill = np.asarray(skill, dtype=np.float64).reshape(shape)
        self.standing = np.asarray(standing, dtype=object).reshape(shape)
        self.title, self.left_out = title, left_out
        self.losses = tuple(losses) or (False,) * len(self.labels)
        self.finding = finding or of_models(self.models, self.labels, self.standing, self.losses)

    _most = 20

    @classmethod
    def _read(cls, card: Any, models: list[int], group: int, standing: Any, *_: Any) -> dict[str, Any]:
        skill = card.columns["skill"][models, group]
        return {"labels": labels_of(card), "skill": skill, "standing": standing, "losses": losses_of(card)}

    @property
    def description(self) -> str:
        """The figure in words."""
        parts = []
        for model, row, states in zip(self.models, self.skill.tolist(), self.standing, strict=True):
            cells = zip(self.labels, row, states, self.losses, strict=True)
            words = ", ".join(
                f"{visible(label)} {_written(value)} ({words_of(name, loss=loss)})"
                for label, value, name, loss in cells
            )
            parts.append(f"{visible(model)}: {words}")
        where = f" in {self.title}" if self.title else ""
        return f"{self.finding}. Skill of {plural(len(self.models), 'model')}{where}. " + ". ".join(parts)

    @property
    def _height(self) -> float:
        return 2.0 + 0.3 * len(self.models)

    def _draw(self, canvas: Canvas) -> None:
        rows, columns = self._that_fit(canvas)
        skill, standing = self.skill[np.ix_(rows, columns)], self.standing[np.ix_(rows, columns)]
        known = np.isin(standing, JUDGED) & np.isfinite(skill)
        colors = _colors(canvas, np.where(known, skill, 0.0))
        colors[~known] = tinted(canvas.muted, np.array(0.05))
        self.image_ = shaded(canvas, colors, "auto")
        self.texts_: dict[tuple[str, str], Any] = {}
        self.hatches_: dict[tuple[str, str], Any] = {}
        for row, column in np.ndindex(skill.shape):
            key = self.models[rows[row]], self.labels[columns[column]]
            if standing[row, column] == "doubt":
                self.hatches_[key] = _hatched(canvas, column, row)
            up = 0.12 if key in self.hatches_ else 0.0
            self.texts_[key] = canvas.ax.text(
                column, row - up, _written(skill[row, column]) if known[row, column] else MISSING,
                color=canvas.text if known[row, column] else canvas.muted, ha="center", va="center",
                fontsize=canvas.small, zorder=4,
            )  # fmt: skip
        judged = np.isin(self.standing, JUDGED)
        for line, model in enumerate(rows):
            cleared = f"{int((self.standing[model] == 'clears').sum())}/{int(judged[model].sum())}"
            canvas.right_of(cleared, line, 4, color=canvas.text)
        left = self._frame(canvas, [self.models[at] for at in rows], [self.labels[at] for at in columns])
        self._scale(canvas)
        outcomes = {str(name) for name in standing.flat}
        keys = self._keys(canvas, outcomes, loss=bool(known[:, np.array(self.losses)[columns]].any()))
        self.title_, self.legend_ = canvas.crown(self.finding, keys, lines=0.4, left=left)
        self.note_ = canvas.note(self._notes(len(rows), len(columns)), lines=self._below, left=left)

    def _that_fit(self, canvas: Canvas) -> tuple[list[int], list[int]]:
        """Return the models and measures that fit; of measures those with the worst verdicts."""
        rows = min(len(self.models), canvas.lines_that_fit(13.0 if canvas.narrow else 9.0))
        wide = canvas.room - 0.6 * canvas.size * min(NAME, max(map(width, self.models))) - 5.0 * canvas.small
        most = max(1, int(wide / (text_width("−0.00", canvas.small) + 3.0)))
        return first_and_last(len(self.models), rows), worst_verdicts(self.standing.T.tolist(), most)

    def _frame(self, canvas: Canvas, models: Sequence[str], labels: Sequence[str]) -> float:
        """Label rows and columns; return how far left of the axes the labels begin."""
        ax = canvas.ax
        canvas.dress("", plain(self.title, 40))
        rows, heads = distinct(models, NAME), distinct(labels, NAME)
        left = widest(rows, canvas.size) + 4.0
        cell = canvas.inside(left, 7.0 * canvas.small) / len(labels)
        upright = max(text_width(head, canvas.small) for head in heads) > 0.95 * cell
        turn = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if upright else {}
        ax.set_xticks(range(len(heads)), [plain(head, 200) for head in heads], fontsize=canvas.small, **turn)
        ax.set_yticks(range(len(rows)), [plain(row, 200) for row in rows], fontsize=canvas.size)
        deep = 0.65 * max(text_width(head, canvas.small) for head in heads) if upright else canvas.small
        self._below = (deep + 8.0) / (1.25 * canvas.size)
        return left

    def _scale(self, canvas: Canvas) -> None:
        """Draw the scale of colours, with the bar as a line."""
        colors = _colors(canvas, np.linspace(-1.0, 1.0, STEPS))
        box = 3.6 * canvas.small / 72, 0.0, 0.9 * canvas.small / 72, 1.0
        ticks = {-1.0: "−1", 0.0: "bar", 1.0: "1"}
        skill_scale = scale(canvas, box, colors, ticks, canvas.margin(canvas.ax.transAxes))
        self.bar_ = skill_scale.ax.axhline(0.0, color=canvas.text, lw=2.0 * canvas.unit)

    def _keys(self, canvas: Canvas, outcomes: set[str], *, loss: bool) -> list[Key]:
        from matplotlib.patches import Patch

        patches = {
            "clears": Patch(facecolor=canvas.clears),
            "doubt": Patch(facecolor=canvas.face, edgecolor=canvas.text, hatch=HATCH, lw=0.4),
            "fails": Patch(facecolor=canvas.fails),
        }
        words = [label for _, label in outcome_keys(canvas, patches.keys() & outcomes, loss=loss)]
        return list(zip((patches[name] for name in patches if name in outcomes), words, strict=True))

    def _notes(self, rows: int, columns: int) -> list[str]:
        silent = not np.isin(self.standing, JUDGED).all()
        parts = (
            "Skill: 0 at the bar, 1 at the best possible score. On the right: bars cleared.",
            f"{MISSING}: a bar that cannot be beaten, or none." if silent else "",
            not_drawn(len(self.models) - rows + self.left_out, len(self.labels) - columns),
        )
        return [" ".join(part for part in parts if part)]


def _written(skill: Any) -> str:
    return signed(round(float(skill), 2))


def _colors(canvas: Canvas, skill: FloatArray) -> FloatArray:
    """Return blue above the bar, red below, the stronger the further; a little at once."""
    strength = np.where(skill == 0.0, 0.0, 0.15 + 0.85 * np.abs(np.clip(skill, -1.0, 1.0)))
    above, below = (tinted(color, strength) for color in (canvas.clears, canvas.fails))
    return np.where((skill > 0)[..., None], above, below)


def _hatched(canvas: Canvas, column: int, row: int) -> Any:
    """Hatch the foot of a cell, below its number, which stays readable whatever is behind."""
    from matplotlib.patches import Rectangle

    place = column - 0.485, row + 0.2
    patch = Rectangle(place, 0.97, 0.285, fill=False, hatch=HATCH, edgecolor=canvas.text, lw=0.0)
    return canvas.ax.add_patch(patch)
