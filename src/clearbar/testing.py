"""For test suites: fail where a model does not clear its bar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, Undefined
from clearbar.core.errors import nearest
from clearbar.evaluation import evaluate, evaluate_frame
from clearbar.scorecard import Scorecard
from clearbar.verdict import Verdict, checked_alpha, finding, subject, surely

_OPTIONS = (
    "model",
    "fold",
    "weight",
    "item",
    "options",
    "threshold",
    "y_score",
    "nulls",
    "kind",
    "min_support",
    "by_file",
    "aggregate",
    "fold_aware",
)
"""What is passed on to `evaluate_frame`."""

_OWN = ("y_true", "y_pred", "measure", "alpha", "frame")
"""What it takes itself."""

_OF_BOTH = ("by", "clusters", "pos_label", "undefined", "tries", "random_state")
"""What goes with arrays and with tables."""

_INSTEAD = {
    "y_score": "it judges labels: ask evaluate_frame(..., y_score=...).clears() of scores",
    "measures": "it judges by one: pass measure=",
    "intervals": "pass alpha=None to ask for the score alone",
    "p_values": "pass alpha=None to ask for the score alone",
    "confidence_level": "pass alpha=, which is 1 - confidence_level",
}

MOST = 50
"""Verdicts that a message shows; the rest is counted."""


def assert_clears(
    y_true: Any,
    y_pred: Any,
    measure: str | Measure = "mcc",
    *,
    alpha: Any = 0.05,
    pos_label: Any = None,
    by: Any = None,
    undefined: Undefined = "exclude",
    clusters: Any = None,
    tries: int = 1,
    random_state: Any = 0,
    frame: Any = None,
    **columns: Any,
) -> None:
    """Raise unless every model surely clears the bar of a measure, in every slice if there are slices.

    Parameters
    ----------
    y_true : array_like of shape (M,), or str
        True labels; with `frame`, the name of their column.
    y_pred : array_like, mapping or data frame, or str or list of str
        Predicted labels, as for `clearbar.evaluate`; with `frame`, the names of their columns.
    measure : str or Measure
        What to judge by.
    alpha : float or None
        How sure: `p_corrected` must be at most this; None asks for the score alone.
    pos_label : object, optional
        The label of the positive class.
    by : array_like of shape (M,), optional
        The slice of each sample, as for `clearbar.evaluate`: every one must clear, and the whole; with
        `frame`, the name of its column, or of several.
    undefined : {"exclude", "worst"} or float
        The policy for outcomes without a value.
    clusters : array_like of shape (M,), optional
        Which samples belong together, as for `clearbar.evaluate`; with `frame`, the name of their column.
    tries : int
        Each model is the best of so many that were fixed before any score was seen.
    random_state : int, Generator, RandomState or None
        Seed of what is drawn at random, as for `clearbar.evaluate`.
    frame : data frame, path, or list of paths, optional
        The table that holds the columns, as for `clearbar.evaluate_frame`.
    **columns
        What else `clearbar.evaluate_frame` takes: `model`, `fold`, `weight`, `threshold`, `y_score`, `nulls`,
        `min_support`, ...

    Raises
    ------
    AssertionError
        If a model does not clear; the message is its verdict.
    ValueError
        If an argument is not what it should be.

    Examples
    --------
    >>> from clearbar.testing import assert_clears
    >>> assert_clears([1, 0] * 20, [1, 0] * 19 + [1, 1])
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": [1, 0] * 20, "tree": [1, 0] * 19 + [1, 1]})
    >>> assert_clears("y", "tree", frame=frame)
    """
    clearance = cleared(
        y_true,
        y_pred,
        measure,
        alpha=alpha,
        pos_label=pos_label,
        by=by,
        undefined=undefined,
        clusters=clusters,
        tries=tries,
        random_state=random_state,
        frame=frame,
        **columns,
    )
    if not clearance:
        raise AssertionError(clearance.message)


@dataclass(frozen=True, eq=False)
class Clearance:
    """What `assert_clears` found: every verdict, and which of them pass."""

    card: Scorecard
    alpha: float | None
    passes: BoolArray  # of each verdict, in the order of the card

    def __bool__(self) -> bool:
        """Whether all of them pass."""
        return bool(self.passes.all())

    @property
    def message(self) -> str:
        """A line for each verdict that does not pass."""
        rows = np.flatnonzero(~self.passes)
        return "\n".join([*(_told(self.card[int(at)], self.alpha) for at in rows[:MOST]), *_more(rows.size)])


def cleared(
    y_true: Any,
    y_pred: Any,
    measure: str | Measure = "mcc",
    *,
    alpha: Any = 0.05,
    by: Any = None,
    clusters: Any = None,
    frame: Any = None,
    **options: Any,
) -> Clearance:
    """Judge what `assert_clears` asserts, with its options."""
    alpha = None if alpha is None else checked_alpha(alpha)
    refuse_options(options)
    how = {**options, "measures": measure, "by": by, "clusters": clusters, "intervals": alpha is not None}
    if frame is None:
        columns = [name for name in options if name in _OPTIONS]
        names = {"y_pred": y_pred, "by": by, "clusters": clusters}
        said = [name for name, given in names.items() if isinstance(given, str)]
        named = next(iter([*said, *columns]), None)
        if named is not None:
            raise ValueError(f"{named} names a column of a table; pass the table as frame=.")
        card = evaluate(y_true, y_pred, **how)
    else:
        card = evaluate_frame(frame, y_true, y_pred, **how)
    sure = card.columns["outcome"] == "clears" if alpha is None else surely(card.columns, alpha)
    return Clearance(card, alpha, sure.reshape(-1))


def refuse_options(options: Mapping[str, Any], called: str = "assert_clears") -> None:
    """Say what stands for an option of `evaluate_frame` that has no place here."""
    for name, instead in _INSTEAD.items():
        if name in options:
            raise ValueError(f"{name} is not an option of {called}; {instead}.")
    for name in options:
        if name not in (*_OWN, *_OF_BOTH, *_OPTIONS):
            near = nearest(name, (*_OWN, *_OF_BOTH, *_OPTIONS), most=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ValueError(f"{called} has no option {name}.{hint}")


def _told(verdict: Verdict, alpha: float | None) -> str:
    return f"{subject(verdict)}: {finding(verdict, alpha)}"


def _more(rows: int) -> list[str]:
    return [f"... and {rows - MOST:,} more"] if rows > MOST else []
