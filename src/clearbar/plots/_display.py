"""What every Display is: data first, a figure when it is asked for."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np

from clearbar.core._value import checked_flag
from clearbar.core.errors import listed, shown
from clearbar.evaluation.labels import evaluate, evaluate_counts
from clearbar.formatting import capital, visible
from clearbar.plots._canvas import TITLE, Canvas, Key, text_size, wrap
from clearbar.plots._marks import JUDGED, UNSURE, model_name, outcomes_of
from clearbar.scorecard import Scorecard, best_first, which_group
from clearbar.scorecard import finding as verdict_words
from clearbar.verdict import Verdict, checked_alpha

Order = Literal["best", "worst", "given"]
"""What comes first in a picture of rows."""

_STYLES: dict[str, dict[str, Any]] = {
    "paper": {"figure.figsize": (3.3, 2.4), "font.size": 10.0, "savefig.dpi": 300},
    "slide": {"figure.figsize": (12.0, 6.75), "font.size": 14.0, "savefig.dpi": 160},
}

_SHARED = {
    "alpha": "float, optional\n    The level at which a score is sure; by default that of the scorecard.",
    "ax": "matplotlib.axes.Axes, optional\n    Where to draw; a new figure by default.",
    "compact": "bool\n    Whether to leave out legend and notes, as in a grid of one's own.",
    "group": "object, optional\n    A slice of the scorecard; the whole, or the first slice, by default.",
    "measure": "str or Measure\n    The measure.",
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


def style(name: str) -> AbstractContextManager[None]:
    """Return a context in which pictures fit a column of a paper, or a slide.

    Parameters
    ----------
    name : {"paper", "slide"}
        New figures are 3.3 inches wide with text of 7 points, or 12 inches with text of 17.

    Returns
    -------
    context manager
        Settings hold within its ``with`` block alone.

    Raises
    ------
    ValueError
        If there is no such style.

    Examples
    --------
    >>> import clearbar as cb
    >>> with cb.plots.style("paper"):
    ...     display = cb.plots.NullDisplay.from_counts(cb.Counts(tp=13, fp=5, fn=5, tn=8), "mcc")
    >>> float(display.figure_.get_figwidth())
    3.3
    """
    if name not in _STYLES:
        raise ValueError(f'style must be "paper" or "slide"; found {shown(name)}.')
    return pyplot("clearbar.plots.style").rc_context(_STYLES[name])  # type: ignore[no-any-return]


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


def checked_order(order: Any) -> Order:
    if order not in get_args(Order):
        raise ValueError(f'order must be "best", "worst" or "given"; found {shown(order)}.')
    return order  # type: ignore[no-any-return]


def verdict_finding(verdict: Verdict, *, recipe: bool = True) -> str:
    """Say how one score of a model stands to one bar, for a title; with the recipe of the bar, or without."""
    name, words = model_name(verdict.model), verdict_words(verdict, recipe=recipe)
    return capital(words) if name == "the model" else f"{name}: {words}"


def _complete(method: Any) -> None:
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
    returns = "Returns\n-------\nDisplay\n    Of this class, drawn."
    method.__doc__ = "\n\n".join([head, f"Parameters\n----------\n{parameters}", returns, *sections])


@dataclass(frozen=True)
class Words:
    """What stands around a picture besides its title."""

    keys: Sequence[Key] = ()  # of the legend
    notes: Sequence[str] = ()  # sentences below
    omitted: str = ""  # what is not drawn, which is said however small the picture
    above: float = 0.0  # lines of small text between the axes and the legend
    below: float = 2.5  # lines of labels between the axes and the notes


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
    _height: Any  # inches of a new figure whose text has nine points
    _least: tuple[float, float] = 17.0, 9.0  # sizes of text across and down that it takes at least
    _draw: Callable[..., Words]  # draws on a canvas, and keeps what was drawn in attributes

    def __init_subclass__(cls) -> None:
        """Complete the docstrings of the methods that make a picture."""
        super().__init_subclass__()
        for name, method in vars(cls).items():
            made_of = getattr(method, "__func__", None)
            if name.startswith("from_") and made_of is not None and made_of.__doc__:
                _complete(made_of)

    def plot(self, ax: Any = None, *, legend: bool = True, compact: bool = False) -> Self:
        """Draw.

        A figure without a layout gets matplotlib's constrained one, which makes room for labels. Where even
        that leaves too little room, notes and legend are left out, and axes that are too small for the
        picture say so.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        legend : bool
            Whether to add title, legend and note; without them, several curves share axes.
        compact : bool
            Whether to add the title alone, as in a grid of one's own.

        Returns
        -------
        Display
            Itself.

        Raises
        ------
        ValueError
            If `ax` is something else, or `legend` or `compact` neither True nor False.
        ImportError
            If matplotlib is not installed.
        """
        legend, compact = checked_flag("legend", legend), checked_flag("compact", compact)
        axes = self._axes(ax)
        self._made_figure, self._has_words = ax is None, legend
        self.ax_, self.figure_ = axes, axes.figure
        self.title_ = self.legend_ = self.note_ = None
        import matplotlib as mpl

        with mpl.rc_context({"text.usetex": False}):  # a name is shown, not run
            canvas = Canvas(axes, compact)
            if canvas.width < self._least[0] * canvas.size or canvas.height < self._least[1] * canvas.size:
                self._say_too_small(canvas)
                return self
            words = self._draw(canvas)
            if legend:
                self._add_words(canvas, words)
        return self

    def _say_too_small(self, canvas: Canvas) -> None:
        across, down = (least * canvas.size / 72 for least in self._least)
        canvas.ax.set_axis_off()
        self.note_ = canvas.annotate_centre(
            f"Too small: this picture takes {across:.1f} × {down:.1f} inches."
        )

    def _add_words(self, canvas: Canvas, words: Words) -> None:
        """Add what there is room for: the title, then the legend, then the notes."""
        # Semibold letters are a tenth wider; the narrowest of as few lines leave no word alone.
        tries = [
            wrap(self.finding, 1.1 * TITLE * canvas.size, share * canvas.words_width)
            for share in (0.6, 0.7, 0.8, 0.9, 1.0)
        ]
        title = next(lines for lines in tries if lines.count("\n") == tries[-1].count("\n"))
        keys, legend_lines = words.keys, canvas.legend_lines(words.keys)
        notes, omitted = (
            "\n".join(wrap(sentence, canvas.small, canvas.words_width) for sentence in sentences if sentence)
            for sentences in ((*words.notes, words.omitted), (words.omitted,))
        )
        if self._made_figure:  # its height is for a title and a legend of one line and notes of two
            lines = 1.4 * title.count("\n") + max(legend_lines - 1.1, 0.0) + max(notes.count("\n") - 1, 0)
            figure = self.figure_
            figure.set_figheight(figure.get_figheight() + 1.3 * lines * canvas.small / 72)
        else:
            room = (canvas.height - 0.8 * self._least[1] * canvas.size) / canvas.small
            room -= words.above + words.below + 1.7 * (1 + title.count("\n")) + 1.3 * legend_lines
            keys = keys if room > 0 else ()
            notes = notes if room > 1.25 * (1 + notes.count("\n")) + 0.6 else omitted
        if canvas.compact:
            keys, notes = (), omitted
        up = (1.3 * (words.above + (legend_lines if keys else 0.0)) + 0.7) * canvas.small + 2.0
        self.title_ = canvas.add_title(title, up)
        if keys:
            self.legend_ = canvas.add_legend(keys, words.above)
        if notes:
            self.note_ = canvas.add_note(notes, words.below)

    def _axes(self, ax: Any) -> Any:
        """Return the axes given, or new ones on a figure of the user's width."""
        plt = pyplot(f"{type(self).__name__}.plot")
        if ax is None:
            width = float(plt.rcParams["figure.figsize"][0])
            size = width, self._figure_height(width)
            return plt.subplots(figsize=size, layout="constrained")[1]
        several = isinstance(ax, (list, tuple, np.ndarray))
        if several and np.size(ax) != 1:
            raise ValueError(f"ax must be one Axes; found {np.size(ax)}.")
        panel = np.ravel(ax)[0] if several else ax
        if not hasattr(panel, "transAxes"):
            raise ValueError(f"ax must be a matplotlib Axes; found {type(panel).__name__}.")
        figure = panel.get_figure(root=True)
        if figure.get_layout_engine() is None and panel.get_subplotspec() is not None:
            figure.set_layout_engine("constrained")
        return panel

    def _figure_height(self, width: float) -> float:
        """Return how high a new figure of this width is."""
        return float(self._height * max(text_size(width) / 9.0, 0.8))

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
            The measure; ``measures`` is another name of it.
        **options
            ``compact``, those of `from_scorecard`, where the picture has it, and of `clearbar.evaluate`.
        """
        return cls._judged(evaluate, (y_true, y_pred), {"measures": measure, "ax": ax, **options})

    @classmethod
    def from_counts(cls, counts: Any, measure: Any = None, *, ax: Any = None, **options: Any) -> Self:
        """Judge confusion matrices and draw.

        Parameters
        ----------
        counts : Counts, or mapping of str to Counts
            As for `clearbar.evaluate_counts`.
        measure : str or Measure, or several where the picture shows several
            The measure; ``measures`` is another name of it.
        **options
            ``compact``, those of `from_scorecard`, where the picture has it, and of
            `clearbar.evaluate_counts`.
        """
        return cls._judged(evaluate_counts, (counts,), {"measures": measure, "ax": ax, **options})

    @classmethod
    def _judged(
        cls, evaluate: Callable[..., Scorecard], data: tuple[Any, ...], options: dict[str, Any]
    ) -> Self:
        names = "ax", "compact", *cls._options
        drawn = {name: options.pop(name) for name in names if name in options}
        return cls._of_card(evaluate(*data, **options), **drawn)


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
        compact: bool = False,
    ) -> Self:
        """Draw a scorecard.

        Parameters
        ----------
        card : Scorecard
            What `clearbar.evaluate` and its kin return.
        most : int, optional
            Models drawn at most: the first in this order. By default 8; 20 for `SkillMapDisplay`.
        order : {"best", "worst", "given"}
            Whether the model with the best score in the first measure comes first, or last, or all as they
            were given. Where scores are equal, who clears more bars is better.

        Raises
        ------
        ValueError
            If `card` is not a scorecard, or has no such slice; the message lists what there is.
        """
        checked_card(card)
        group_index = 0 if group is None else which_group(card, group)
        level = card.alpha if alpha is None else checked_alpha(alpha)
        most = checked_most(cls._most if most is None else most)
        outcomes = outcomes_of(card, level)[:, group_index]
        models = best_first(card, group=group_index)
        if checked_order(order) != "best":
            models = models[::-1] if order == "worst" else sorted(models)
        models = models[:most]
        display: Any = cls
        made: Self = display(
            [card.models[model] for model in models],
            **cls._data(card, models, group_index, outcomes[models], level),
            title="" if card.groups[group_index] is None else visible(card.groups[group_index]),
            finding=card_finding(card, group_index, outcomes, level),
            left_out=len(card.models) - len(models),
        )
        return made.plot(ax=ax, compact=compact)

    _of_card = from_scorecard

    @classmethod
    def _data(cls, card: Any, models: list[int], group: int, outcomes: Any, alpha: float) -> dict[str, Any]:
        """Return what else the constructor takes of some models on a slice."""
        raise NotImplementedError


def card_finding(card: Scorecard, group: int, outcomes: Any, alpha: float) -> str:
    """Return the headline; of one of several slices how many of its bars are cleared."""
    if card.groups[group] is None or len(card.groups) == 1:
        return card.headline(alpha)
    counts = {name: int((outcomes == name).sum()) for name in JUDGED if name not in UNSURE}
    words = {"clears": "bars are cleared", "ties": "exactly at it", "fails": "below"}
    parts = [f"{count:,} {words[name]}" for name, count in counts.items() if count or name == "clears"]
    unsettled = int(np.isin(outcomes, [*UNSURE]).sum())
    parts[1:1] = [f"{unsettled:,} not settled"] if unsettled else []
    return f"{visible(card.groups[group])}: {', '.join(parts)}"
