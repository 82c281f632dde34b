"""What every Display is: data first, a figure when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from clearbar.core._typing import Undefined
from clearbar.evaluation import evaluate, evaluate_counts
from clearbar.plots._canvas import Canvas
from clearbar.plots._figure import literal, new_axes
from clearbar.plots._rows import Order
from clearbar.scorecard import Scorecard


class NothingToDrawError(ValueError):
    """Whatever the arguments, there is no score, no bar or no law that could be drawn."""


class Display:
    """A figure's data, and the means to draw it.

    Follows scikit-learn: class methods compute the data and draw, `plot` draws again elsewhere.

    Attributes
    ----------
    finding : str
        What the picture shows, in a line: its title, and the first sentence of its description.
    ax_, figure_
        Where it was drawn last, and the figure that holds it.
    title_
        The line above the picture; ``title_.set_text`` writes another one.
    """

    finding: Any
    ax_: Any
    figure_: Any
    title_: Any
    _own: bool  # whether the figure was made for it
    _across: float = 1.0  # how many panels stand side by side
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
        with literal():
            draw(*(Canvas.of(panel, self._across) for panel in axes))
        self.ax_ = axes[0]
        self.figure_ = axes[0].figure
        return self

    def _axes(self, ax: Any) -> Sequence[Any]:
        return [new_axes(ax, f"{type(self).__name__}.plot", self._height)]

    @property
    def _height(self) -> float:
        """Inches of a new figure."""
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

    @classmethod
    def from_scorecard(cls, card: Scorecard, *, order: Order = "best", ax: Any = None) -> Self:
        """Draw a scorecard."""
        raise NotImplementedError

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        measures: Any = None,
        *,
        pos_label: Any = None,
        undefined: Undefined = "exclude",
        order: Order = "best",
        ax: Any = None,
    ) -> Self:
        """Judge predictions and draw the scorecard; parameters as for `clearbar.evaluate`.

        Returns
        -------
        Display
        """
        card = evaluate(y_true, y_pred, measures, pos_label=pos_label, undefined=undefined)
        return cls.from_scorecard(card, order=order, ax=ax)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        measures: Any = None,
        *,
        undefined: Undefined = "exclude",
        order: Order = "best",
        ax: Any = None,
    ) -> Self:
        """Judge counts and draw the scorecard; parameters as for `clearbar.evaluate_counts`.

        Returns
        -------
        Display
        """
        card = evaluate_counts(counts, measures, undefined=undefined)
        return cls.from_scorecard(card, order=order, ax=ax)
