"""What every Display is: data first, a figure when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from clearbar.evaluation import evaluate, evaluate_counts
from clearbar.formatting import visible
from clearbar.plots._canvas import Canvas
from clearbar.plots._findings import of_models
from clearbar.plots._rows import Order, checked_card, checked_most, labels_of, losses_of, ordered
from clearbar.plots._text import factor_of
from clearbar.scorecard import Scorecard, mean_skill, which_group
from clearbar.scorecard import standing as standing_of
from clearbar.verdict import checked_alpha


class NothingToDrawError(ValueError):
    """Whatever the arguments, there is no score, no bar or no law that could be drawn."""


def pyplot(caller: str) -> Any:
    """Return matplotlib's pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        msg = f"{caller} needs matplotlib, which is not installed: in a checkout, pip install '.[plots]'"
        raise ImportError(msg) from error
    return plt


@contextmanager
def _without_tex() -> Iterator[None]:
    """Hold TeX off while text is made: a name is shown, not run."""
    import matplotlib as mpl

    with mpl.rc_context({"text.usetex": False}):
        yield


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
    _own: bool  # whether the figure was made for it
    _across: float = 1.0  # how many panels stand side by side, the space between them included
    _most_panels: int = 1  # how many panels there are at most
    _draw: Callable[..., None]  # draws on a canvas per panel, and keeps what was drawn in attributes

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default. A picture of two panels takes two axes, or divides one.

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
        return self._plot(ax, self._draw)

    def _plot(self, ax: Any, draw: Callable[..., None]) -> Self:
        axes = self._axes(ax)
        self._own = ax is None
        with _without_tex():
            draw(*(Canvas.of(panel, self._across) for panel in axes))
        self.ax_ = axes[0]
        self.figure_ = axes[0].figure
        return self

    def _axes(self, ax: Any) -> Sequence[Any]:
        """Return the axes given, parts of the one given, or new ones on a figure of the user's width."""
        plt = pyplot(f"{type(self).__name__}.plot")
        count = self._panels[0] * self._panels[1]
        if ax is None:
            width = float(plt.rcParams["figure.figsize"][0])
            size = width, self._height_for(width, float(plt.rcParams["font.size"]) * factor_of(width))
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

    @property
    def _panels(self) -> tuple[int, int]:
        """Rows and columns of axes."""
        return 1, 1

    def _boxes(self, whole: Any) -> list[list[float]]:
        """Return where panels stand on axes that they divide: left, bottom, width and height as shares."""
        raise NotImplementedError

    def _height_for(self, width: float, text: float) -> float:  # noqa: ARG002 - some pictures ask for it
        """Return how high a new figure of this width is, with text of so many points."""
        return self._height * max(text / 9.0, 0.8)

    @property
    def _height(self) -> float:
        """Inches of a new figure whose text has nine points."""
        raise NotImplementedError

    @property
    def description(self) -> str:
        """The figure in words, for those who cannot see it."""
        raise NotImplementedError

    def _repr_html_(self) -> str | None:
        """Show the picture in a notebook, in the colours of its page; axes given show themselves."""
        from clearbar.plots._inline import notebook_html

        return notebook_html(self) if self._own else None

    def __repr__(self) -> str:
        """Return the description."""
        return f"<{type(self).__name__}: {self.description}>"


class ModelsDisplay(Display):
    """A picture of models on measures: of a scorecard, or of what it takes to make one."""

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
        group : object, optional
            A slice; by default all samples, or the first slice where there is no whole.
        most : int, optional
            Models drawn at most: the first in this order. By default 8; 20 for `SkillMapDisplay`.
        order : {"best", "worst", "given"}
            Whether the model with the highest mean skill comes first, or last, or all as they were given.
        alpha : float, optional
            The level at which a score is sure; by default that of the scorecard.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Display

        Raises
        ------
        ValueError
            If `card` is not a scorecard, or has no such slice; the message lists what there is.
        """
        checked_card(card)
        place = 0 if group is None else which_group(card, group)
        level = card.alpha if alpha is None else checked_alpha(alpha)
        drawn = ordered(mean_skill(card, place), order)[: checked_most(cls._most if most is None else most)]
        standing = standing_of(card, level)[:, place]
        display: Any = cls
        made: Self = display(
            [card.models[model] for model in drawn],
            **cls._read(card, drawn, place, standing[drawn], level, order),
            title="" if card.groups[place] is None else visible(card.groups[place]),
            finding=of_models(card.models, labels_of(card), standing, losses_of(card)),
            left_out=len(card.models) - len(drawn),
        )
        return made.plot(ax=ax)

    @classmethod
    def _read(
        cls, card: Any, models: list[int], group: int, standing: Any, alpha: float, order: Order
    ) -> dict[str, Any]:
        """Return what else is drawn of some models on a slice."""
        raise NotImplementedError

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        measures: Any = None,
        *,
        group: Any = None,
        most: int | None = None,
        order: Order = "best",
        alpha: float | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Judge and draw predictions; parameters are those of `clearbar.evaluate` and `from_scorecard`.

        Returns
        -------
        Display
        """
        card = evaluate(y_true, y_pred, measures, **options)
        return cls.from_scorecard(card, group=group, most=most, order=order, alpha=alpha, ax=ax)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        measures: Any = None,
        *,
        group: Any = None,
        most: int | None = None,
        order: Order = "best",
        alpha: float | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Judge and draw counts; parameters are those of `clearbar.evaluate_counts` and `from_scorecard`.

        Returns
        -------
        Display
        """
        card = evaluate_counts(counts, measures, **options)
        return cls.from_scorecard(card, group=group, most=most, order=order, alpha=alpha, ax=ax)
