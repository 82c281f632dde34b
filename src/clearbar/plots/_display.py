"""What every Display is: data first, a figure when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from clearbar.plots._canvas import Canvas, literal, new_axes


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
            draw(*(Canvas.of(one, self._across) for one in axes))
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
