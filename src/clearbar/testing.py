"""For test suites: fail where a model does not clear its bar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, Undefined
from clearbar.core.errors import nearest
from clearbar.evaluation.labels import evaluate
from clearbar.evaluation.tables import evaluate_frame
from clearbar.scorecard import Scorecard, finding, subject
from clearbar.verdict import checked_alpha, surely

_INSTEAD = {
    "y_score": "it judges labels: ask evaluate_frame(..., y_score=...).clears() of scores",
    "measures": "it judges by one: pass measure=",
    "intervals": "pass alpha=None to ask for the score alone",
    "p_values": "pass alpha=None to ask for the score alone",
    "confidence_level": "pass alpha=, which is 1 - confidence_level",
}

MOST = 50  # verdicts that a message shows; the rest is counted


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
        The measure.
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
        What else `clearbar.evaluate_frame` takes: `model`, `fold`, `weight`, `threshold`, `nulls`,
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
    __tracebackhide__ = True  # else pytest shows this docstring above the message
    try:
        options: Any = {"by": by, "clusters": clusters, "frame": frame, "tries": tries, **columns}
        options |= {"pos_label": pos_label, "undefined": undefined, "random_state": random_state}
        clearance = cleared(y_true, y_pred, measure, alpha=alpha, **options)
    except ValueError as error:  # a sentence, which says what to change
        raise error.with_traceback(None) from None
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
        """The headline where several verdicts do not pass, and a line for each of them."""
        rows = np.flatnonzero(~self.passes)
        verdicts = [self.card[int(row)] for row in rows[:MOST]]
        lines = [f"{subject(verdict)}: {finding(verdict, self.alpha)}" for verdict in verdicts]
        head = [self.card.headline(self.alpha)] if rows.size > 1 else []
        return "\n".join(
            [*head, *lines, *([f"... and {rows.size - MOST:,} more"] if rows.size > MOST else [])]
        )


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
    options |= {"measures": measure, "by": by, "clusters": clusters, "intervals": alpha is not None}
    if frame is None:
        texts = {"y_pred": y_pred, "by": by, "clusters": clusters}
        named = [name for name, value in texts.items() if isinstance(value, str)]
        named += [name for name in options if name not in signature(evaluate).parameters]
        if named:
            raise ValueError(f"{named[0]} names a column of a table; pass the table as frame=.")
        card = evaluate(y_true, y_pred, **options)
    else:
        card = evaluate_frame(frame, y_true, y_pred, **options)
    sure = card.columns["outcome"] == "clears" if alpha is None else surely(card.columns, alpha)
    return Clearance(card, alpha, sure.reshape(-1))


def refuse_options(options: Mapping[str, Any], called: str = "assert_clears") -> None:
    """Say what stands for an option of `evaluate_frame` that has no place here."""
    for name, instead in _INSTEAD.items():
        if name in options:
            raise ValueError(f"{name} is not an option of {called}; {instead}.")
    names = {"measure", "alpha", *signature(evaluate_frame).parameters}
    for name in options:
        if name not in names:
            near = nearest(name, sorted(names - _INSTEAD.keys()), most=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ValueError(f"{called} has no option {name}.{hint}")
