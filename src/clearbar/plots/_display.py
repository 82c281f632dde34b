"""What every Display is: data first, a figure when it is asked for."""

from __future__ import annotations

from typing import Any


class NothingToDrawError(ValueError):
    """Whatever the arguments, there is no score, no bar or no law that could be drawn."""


class Display:
    """A figure's data, and the means to draw it.

    Follows scikit-learn: class methods compute the data and draw, `plot` draws again elsewhere.
    """

    ax_: Any  # where it was drawn last
    figure_: Any  # the figure that holds it

    def _drawn(self, ax: Any) -> None:
        self.ax_ = ax
        self.figure_ = ax.figure

    @property
    def description(self) -> str:
        """The figure in words, for those who cannot see it."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the description."""
        return f"<{type(self).__name__}: {self.description}>"
