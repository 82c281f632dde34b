"""What every Display is: data first, a figure when it is asked for."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core.errors import listed, shown
from clearbar.evaluation.labels import evaluate, evaluate_counts
from clearbar.formatting import visible
from clearbar.plots._canvas import Canvas, Key, text_scale
from clearbar.plots._outcomes import models_finding
from clearbar.scorecard import Scorecard, mean_skill, standing, which_group
from clearbar.verdict import checked_alpha

Order = Literal["best", "worst", "given"]
"""What comes first in a picture of rows."""

_SHARED = {
    "alpha": "float, optional\n    The level at which a score is sure; by default that of the scorecard.",
    "ax": "matplotlib.axes.Axes, optional\n    Where to draw; a new figure by default.",
    "group": "object, optional\n    A slice of the scorecard; the whole, or the first slice, by default.",
    "measure": "str or Measure\n    What is evaluated.",
    "model": "str, optional\n    A model in the scorecard; needed where it has several.",
    "name": "str\n    The model's name.",
    "pos_label": "object, optional\n    The label of the positive class.",
    "undefined": '{"exclude", "worst"} or float\n    As for `clearbar.baseline`.',
}
"""What is said of parameters that many pictures have, where their own docstrings say nothing."""


class NothingToDrawError(ValueError):
    """Whatever the arguments, there is no score, no bar or no distribution that could be drawn."""


def pyplot(caller: str) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        msg = f"{caller} needs matplotlib, which is not installed: in a checkout, pip install '.[plots]'"
        raise ImportError(msg) from error
    return plt


def checked_card(card: Any) -> Scorecard:
    if not isinstance(card, Scorecard):
        raise ValueError(f"card must be a Scorecard, as evaluate returns; found {type(card).__name__}.")
    return card


def checked_most(most: Any) -> int:
    if not isinstance(most, (int, np.integer)) or isinstance(most, bool) or most < 1:
        raise ValueError(f"most must be a whole number from 1 up; found {shown(most)}.")
    return int(most)


def refuse_unnamed(argument: str, name: Any, names: Sequence[str]) -> None:
    """Refuse not to name one of several."""
    if name is None and len(names) > 1:
        several = listed(list(names), most=12)
        raise ValueError(f"{argument} must be named, since the scorecard has several: {several}.")


def ordered(values: FloatArray, order: Order) -> list[int]:
    """Return the positions of values in an order; those that are nan come last."""
    if order not in get_args(Order):
        raise ValueError(f'order must be "best", "worst" or "given"; found {shown(order)}.')
    if order == "given":
        return list(range(len(values)))
    positions: list[int] = np.argsort(-values if order == "best" else values, kind="stable").tolist()
    return positions


def _complete(method: Any, returned: str) -> None:
    """Add to a docstring the shared parameters that it does not describe, and what is returned."""
    names = inspect.signature(method).parameters
    head, rule, rest = inspect.cleandoc(method.__doc__).partition("\n\nParameters\n----------\n")
    described, *sections = re.split(r"\n\n(?=\w+\n---)", rest if rule else "")
    missing = [
        f"{name} : {words}"
        for name, words in _SHARED.items()
        if name in names and not re.search(rf"^([\w, ]+, )?{name}\b", described, re.MULTILINE)
    ]
    parameters = "\n".join(filter(None, [described, *missing]))
    returns = f"Returns\n-------\n{returned}"
    method.__doc__ = "\n\n".join([head, f"Parameters\n----------\n{parameters}", returns, *sections])


@dataclass(frozen=True)
class Words:
    """What stands around a picture besides its title."""

    keys: Sequence[Key] = ()  # of the legend
    notes: Sequence[str] = ()  # sentences below
    above: float = 0.0  # lines of small text between the axes and the legend
    below: float = 2.0  # lines of labels between the axes and the notes
    left: float = 0.0  # points that labels of rows take left of the axes


class Display:
    """A figure's data, and the means to draw it.

    Follows scikit-learn: class methods compute the data and draw, `plot` draws again elsewhere.

    Attributes
    ----------
    finding : str
        What the picture shows, in a line: its title, and the first sentence of its description.
    ax_, figure_
        Where it was drawn last, and the figure that holds it.
    title_, legend_, note_
        The line above the picture, the legend, and what is said below it; None where there is nothing to say.
        ``title_.set_text`` writes another title.
    """

    finding: Any
    ax_: Any
    figure_: Any
    title_: Any
    legend_: Any
    note_: Any
    _made_figure: bool  # whether the figure was made for it
    _has_words: bool  # whether there are title, legend and note
    _panels: Any = (1, 1)  # rows and columns of axes
    _panels_across: float = 1.0  # how many panels stand side by side, the space between them included
    _most_panels: int = 1
    _height: Any  # inches of a new figure whose text has nine points
    _draw: Callable[..., Words]  # draws on a canvas per panel, and keeps what was drawn in attributes

    def __init_subclass__(cls) -> None:
        """Complete the docstrings of the methods that make a picture."""
        super().__init_subclass__()
        for name, method in vars(cls).items():
            made_of = getattr(method, "__func__", None)
            if name.startswith("from_") and getattr(made_of, "__doc__", None):
                _complete(made_of, cls.__name__)

    def plot(self, ax: Any = None, *, legend: bool = True) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default. A picture of two panels takes two axes, or divides one.
        legend : bool
            Whether to add title, legend and note; without them, several curves share axes.

        Returns
        -------
        Display
            Itself.

        Raises
        ------
        ValueError
            If `ax` is something else.
        ImportError
            If matplotlib is not installed.
        """
        axes = self._axes(ax)
        self._made_figure, self._has_words = ax is None, legend
        import matplotlib as mpl

        with mpl.rc_context({"text.usetex": False}):  # a name is shown, not run
            canvases = [Canvas(panel, self._panels_across) for panel in axes]
            words = self._draw(*canvases)
            self.title_ = self.legend_ = self.note_ = None
            if legend:
                self._add_words(canvases, words)
        self.ax_, self.figure_ = axes[0], axes[0].figure
        return self

    def _add_words(self, canvases: Sequence[Canvas], words: Words) -> None:
        self.title_, self.legend_ = canvases[0].add_title_and_legend(
            self.finding, words.keys, words.above, words.left
        )
        lowest = canvases[self._panels[0] - 1]
        self.note_ = lowest.add_note(words.notes, words.below, words.left)

    def _axes(self, ax: Any) -> Sequence[Any]:
        """Return the axes given, parts of the one given, or new ones on a figure of the user's width."""
        plt = pyplot(f"{type(self).__name__}.plot")
        count = self._panels[0] * self._panels[1]
        if ax is None:
            width = float(plt.rcParams["figure.figsize"][0])
            size = width, self._figure_height(width, float(plt.rcParams["font.size"]) * text_scale(width))
            return list(np.ravel(plt.subplots(*self._panels, figsize=size, layout="constrained")[1]))
        several = isinstance(ax, (list, tuple, np.ndarray))
        axes = list(np.ravel(ax)) if several else [ax]
        for panel in axes:
            if not hasattr(panel, "transAxes"):
                raise ValueError(f"ax must be a matplotlib Axes; found {type(panel).__name__}.")
        if count > 1 and not several:
            ax.set_axis_off()
            return [ax.inset_axes(box) for box in self._boxes(ax)]
        if len(axes) < count or (len(axes) > 1 and self._most_panels == 1):
            right = "be one Axes" if count == 1 else f"hold {count} axes, or be one"
            raise ValueError(f"ax must {right}; found {len(axes)}.")
        return axes[:count]

    def _boxes(self, ax: Any) -> list[list[float]]:
        """Return where panels stand on axes that they divide: left, bottom, width and height as shares."""
        raise NotImplementedError

    def _figure_height(self, width: float, text: float) -> float:  # noqa: ARG002 - some pictures ask for it
        """Return how high a new figure of this width is, with text of so many points."""
        return float(self._height * max(text / 9.0, 0.8))

    @property
    def description(self) -> str:
        """The figure in words, for those who cannot see it."""
        raise NotImplementedError

    def _repr_html_(self) -> str | None:
        """Show the picture in a notebook, in the colours of its page; axes given show themselves."""
        from clearbar.plots._inline import notebook_html

        return notebook_html(self) if self._made_figure else None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.description}>"


class CardDisplay(Display):
    """A picture of a scorecard, or of what it takes to make one."""

    _options: tuple[str, ...] = ()  # keywords of `_of_card`; the others are of evaluate
    _of_card: Callable[..., Self]  # makes and draws it of a scorecard

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, measure: Any = None, *, ax: Any = None, **options: Any
    ) -> Self:
        """Judge predictions and draw.

        Parameters
        ----------
        y_true, y_pred : array_like
            As for `clearbar.evaluate`.
        measure : str or Measure, or several where the picture shows several
            What is evaluated; ``measures`` is another name of it.
        **options
            Those of `from_scorecard`, where the picture has it, and of `clearbar.evaluate`.
        """
        return cls._judged(evaluate, (y_true, y_pred), ax, {"measures": measure, **options})

    @classmethod
    def from_counts(cls, counts: Any, measure: Any = None, *, ax: Any = None, **options: Any) -> Self:
        """Judge confusion matrices and draw.

        Parameters
        ----------
        counts : Counts, or mapping of str to Counts
            As for `clearbar.evaluate_counts`.
        measure : str or Measure, or several where the picture shows several
            What is evaluated; ``measures`` is another name of it.
        **options
            Those of `from_scorecard`, where the picture has it, and of `clearbar.evaluate_counts`.
        """
        return cls._judged(evaluate_counts, (counts,), ax, {"measures": measure, **options})

    @classmethod
    def _judged(
        cls, evaluate: Callable[..., Scorecard], data: tuple[Any, ...], ax: Any, options: dict[str, Any]
    ) -> Self:
        drawn = {name: options.pop(name) for name in cls._options if name in options}
        return cls._of_card(evaluate(*data, **options), ax=ax, **drawn)


class ModelsDisplay(CardDisplay):
    """A picture of models on measures."""

    _options = "group", "most", "order", "alpha"
    _most: int = 8  # models that are drawn if nobody says how many

    @classmethod
    def from_scorecard(
        cls,
        card: Scorecard,
        *,
        group: Any = None,
        most: int | None = None,
        order: Order = "best",
        alpha: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw a scorecard.

        Parameters
        ----------
        card : Scorecard
            What `clearbar.evaluate` and its kin return.
        most : int, optional
            Models drawn at most: the first in this order. By default 8; 20 for `SkillMapDisplay`.
        order : {"best", "worst", "given"}
            Whether the model with the highest mean skill comes first, or last, or all as they were given.

        Raises
        ------
        ValueError
            If `card` is not a scorecard, or has no such slice; the message lists what there is.
        """
        checked_card(card)
        group_index = 0 if group is None else which_group(card, group)
        level = card.alpha if alpha is None else checked_alpha(alpha)
        most = checked_most(cls._most if most is None else most)
        models = ordered(mean_skill(card, group_index), order)[:most]
        outcomes = standing(card, level)[:, group_index]
        labels = [measure.label for measure in card.measures]
        losses = [measure.greater_is_better is False for measure in card.measures]
        display: Any = cls
        made: Self = display(
            [card.models[model] for model in models],
            **cls._data(card, models, group_index, outcomes[models], level, order),
            title="" if card.groups[group_index] is None else visible(card.groups[group_index]),
            finding=models_finding(card.models, labels, outcomes, losses),
            left_out=len(card.models) - len(models),
        )
        return made.plot(ax=ax)

    _of_card = from_scorecard

    @classmethod
    def _data(
        cls, card: Any, models: list[int], group: int, outcomes: Any, alpha: float, order: Order
    ) -> dict[str, Any]:
        """Return what else the constructor takes of some models on a slice."""
        raise NotImplementedError
