"""Figures: matplotlib itself, new axes, and the size of text that fits a width."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

COLUMN, USUAL = 3.3, 6.4
"""Widths in inches: a column of a paper, and matplotlib's own figure."""


def pyplot(caller: str) -> Any:
    """Return matplotlib's pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        msg = f"{caller} needs matplotlib, which is not installed: pip install 'clearbar[plots]'"
        raise ImportError(msg) from error
    return plt


@contextmanager
def literal() -> Iterator[None]:
    """Hold TeX off while text is made: a name is shown, not run."""
    import matplotlib as mpl

    with mpl.rc_context({"text.usetex": False}):
        yield


def new_axes(ax: Any, caller: str, height: float, rows: int = 1) -> Any:
    """Return the axes given, or new ones on a figure of the user's width and this height in inches."""
    plt = pyplot(caller)
    if ax is not None:
        if not hasattr(ax, "transAxes"):
            raise ValueError(f"ax must be a matplotlib Axes; found {type(ax).__name__}.")
        return ax
    wide = float(plt.rcParams["figure.figsize"][0])
    text = float(plt.rcParams["font.size"]) * factor_of(wide) / 9.0
    size = wide, height * max(text, 0.8)
    return plt.subplots(rows, 1, figsize=size, layout="constrained")[1]


def factor_of(wide: float) -> float:
    """Return the size of text on a figure of this width, as a share of the user's."""
    if wide < USUAL:
        return 0.72 + 0.18 * max(wide - COLUMN, 0.0) / (USUAL - COLUMN)
    return 0.9 * min(wide / USUAL, 2.2)


def inches(ax: Any) -> float:
    """Return how wide a figure would be that these axes fill as usual."""
    return float(ax.bbox.width / ax.figure.dpi / 0.775)
