"""For test suites: fail where a model does not clear its bar."""

from __future__ import annotations

import math
from typing import Any

from clearbar._typing import Undefined
from clearbar.evaluate import evaluate
from clearbar.measures import Measure
from clearbar.verdict import PValues, checked_alpha


def assert_clears(
    y_true: Any,
    y_pred: Any,
    measure: str | Measure = "mcc",
    *,
    alpha: Any = None,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
) -> None:
    """Raise unless every model clears the bar of a measure.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        True labels.
    y_pred : array_like, mapping or data frame
        Predicted labels, as for `clearbar.evaluate`.
    measure : str or Measure
        What to judge by.
    alpha : float, optional
        Also require that no feature-blind classifier does this well with a probability of `alpha` or
        more.
    pos_label : object, optional
        The label of the positive class.
    undefined : {"exclude", "worst"} or float
        The policy for outcomes without a value.

    Raises
    ------
    AssertionError
        If a model does not clear; the message is its verdict.
    ValueError
        If an argument is not what it should be.

    Examples
    --------
    >>> from clearbar.testing import assert_clears
    >>> assert_clears([1, 1, 0, 0, 0, 1], [1, 1, 0, 0, 1, 1])
    """
    alpha = None if alpha is None else checked_alpha(alpha)
    p_values: PValues = "none" if alpha is None else "both"
    card = evaluate(y_true, y_pred, measure, pos_label=pos_label, undefined=undefined, p_values=p_values)
    unsure = []
    for verdict in card:
        surely = alpha is None or (not math.isnan(verdict.p_value) and verdict.p_value < alpha)
        if not verdict.clears:
            unsure.append(str(verdict))
        elif not surely:
            unsure.append(f"{verdict}, not below alpha = {alpha:g}")
    if unsure:
        raise AssertionError("\n".join(unsure))
