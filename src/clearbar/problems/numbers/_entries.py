"""How entries of the catalogue are made."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.numbers import _formulas as of
from clearbar.problems.numbers._constants import Constant, quantile
from clearbar.problems.numbers._formulas import Formula, Loss
from clearbar.problems.numbers._measure import WHOLE, NumberMeasure, Order

MEDIAN = quantile(0.5)


def sorted_first(at_best: Callable[[FloatArray, FloatArray], Any]) -> Callable[[FloatArray, Any], Any]:
    """Return the same of targets in any order, weighted or not."""

    def found(y: FloatArray, weights: FloatArray | None) -> Any:
        y = y if y.ndim == 1 else y[0]  # in any order the same targets
        weights = np.ones(len(y)) if weights is None else weights
        order = slice(None) if (y[1:] >= y[:-1]).all() else np.argsort(y)
        return at_best(y[order], weights[..., order])

    return found


def _at(constant: Constant, loss: Loss) -> Callable[[FloatArray, Any], Any]:
    """Return the mean loss of the best constant."""
    return sorted_first(lambda y, weights: of.mean(loss(y, constant(y, weights, WHOLE)), weights))


def entry(name: str, function: Formula, **facts: Any) -> NumberMeasure:
    """Return an entry of the catalogue."""
    return NumberMeasure(name, function, in_catalogue=True, **facts)


def share(name: str, loss: Loss, constant: Constant, word: str, order: Order | None, **facts: Any) -> Any:
    """Return the entry of the share of the best constant's loss that is gone."""
    return entry(
        name,
        of.share_gone(loss, of.variance if loss is of.squared else _at(constant, loss)),
        greater_is_better=True,
        bounds=(-math.inf, 1.0),
        constant=constant,
        word=word,
        flat=0.0,
        loss=loss,
        order=order,
        spread=True,
        **facts,
    )
