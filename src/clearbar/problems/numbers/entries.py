"""What a measure of numbers is (formula, the numbers it takes, best constant), and how entries are made."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from clearbar.catalogue import Entry, Family, Range
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.problems.numbers import formulas as of
from clearbar.problems.numbers.formulas import Constant, Formula, Loss, ranks

WHOLE = np.zeros(1, dtype=np.int64)  # where groups start if there is but one

MEDIAN = of.best_quantile(0.5)


class Order(NamedTuple):
    """Of targets in any order, which predictions are better: those with the larger sum of u(y) v(f)."""

    u: Callable[[FloatArray], FloatArray]
    v: Callable[[FloatArray], FloatArray]


class Domain(NamedTuple):
    """Which numbers a measure takes, and what to use instead."""

    words: str  # behind "needs y_true"
    holds: Callable[[FloatArray], BoolArray]
    remedy: str


def as_they_are(values: FloatArray) -> FloatArray:
    return values


ANY = Domain("that is finite", np.isfinite, "Drop what is not")
NOT_ZERO = Domain("without zeros", lambda y: y != 0, "Use mae, or leave those samples out")
NOT_ALL_ZERO = Domain("that are not all 0", lambda y: np.full(y.shape, bool(np.any(y))), "Use mae")
NOT_NEGATIVE = Domain("of 0 or more", lambda y: y >= 0, "Use mse")
POSITIVE = Domain("above 0", lambda y: y > 0, "Use mse")
ABOVE_MINUS_ONE = Domain("above −1", lambda y: y > -1, "Use mse")

PRODUCTS = Order(as_they_are, as_they_are)
LOGS = Order(np.log1p, np.log1p)
RANKS = Order(ranks, ranks)
LOGARITHM = Order(as_they_are, np.log)
INVERSE = Order(as_they_are, lambda f: -1 / f)

ADDITIVE = (
    "Nothing that ignores its input does better on average: a mean over samples is best at one number for "
    "all (Pries et al. 2023, theorem 1)."
)
CONVEX = (
    "Nothing that ignores its input does better on average: the loss is convex in the predictions (Jensen)."
)
NOTHING = "Whatever ignores its input has this value on average, over all orders of the targets."
CONJECTURE = (
    "No constant does better. That no other predictions that ignore their input do is a conjecture, without "
    "a counterexample among up to 7 samples."
)


@dataclass(frozen=True, eq=False, repr=False)
class NumberMeasure(Entry):
    """A measure of predicted numbers, with the facts of its bar."""

    kind: ClassVar[str] = "regression"

    function: Formula  # of targets, predictions and weights; of each row of weights
    _: KW_ONLY
    greater_is_better: bool = False
    bounds: tuple[float, float] = (0.0, math.inf)
    constant: Constant | None = None  # the best prediction for each group of sorted targets
    word: str = ""  # what that is called, such as "median"
    flat: float | None = None  # the value of whatever ignores the features, or of the best constant
    at_best: Callable[[FloatArray, Any], Any] | None = None  # of the best constant, if quicker
    loss: Loss | None = None  # of each sample, whose mean or median `function` is or follows
    of_mean: bool = True  # whether the value follows from the mean of `loss`
    root: bool = False  # whether it is the root of that mean
    order: Order | None = None  # how predictions are compared where targets are in random order
    targets: Domain = ANY
    predictions: Domain = ANY
    by_column: bool = True  # whether the best that sees one column is a constant for each of its values
    spread: bool = False  # whether it has no value where all targets are the same
    resampled: bool = True  # whether resamples tell of its error
    ranked: bool = False  # whether only the order of the predictions counts
    certified: bool = True  # whether the best constant is proved to be the bar
    claim: str = ADDITIVE

    def __call__(self, y: FloatArray, f: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """Return the value, for each row of weights if there are any; nan where there is none."""
        return self.finite(y, f, weights)

    def best(self, y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the value of the best constant under weights, where these are not looked at by column."""
        if self.flat is not None:
            return np.full(weights.shape[:-1], self.flat)
        if self.at_best is not None:
            with np.errstate(over="ignore", invalid="ignore"):
                value = np.asarray(self.at_best(y, weights))
            return np.where(np.isfinite(value), value, np.nan)
        assert self.constant is not None  # noqa: S101 - a bar is flat or some constant's
        return self(y, self.constant(y, weights, WHOLE), weights)


def sorted_first(at_best: Callable[[FloatArray, FloatArray], Any]) -> Callable[[FloatArray, Any], Any]:
    """Return the same of targets in any order, weighted or not."""

    def of_any_order(y: FloatArray, weights: FloatArray | None) -> Any:
        y = y if y.ndim == 1 else y[0]  # in any order the same targets
        weights = np.ones(len(y)) if weights is None else weights
        order = slice(None) if (y[1:] >= y[:-1]).all() else np.argsort(y)
        return at_best(y[order], weights[..., order])

    return of_any_order


def entry(name: str, function: Formula, **facts: Any) -> NumberMeasure:
    return NumberMeasure(name, function, in_catalogue=True, **facts)


def mean_loss(
    name: str, loss: Loss, constant: Constant, word: str, *, root: bool = False, **facts: Any
) -> NumberMeasure:
    """Return the entry of a mean loss, or its root, and the best constant of that word."""
    function = of.root_of(loss) if root else of.mean_of(loss)
    return entry(name, function, loss=loss, constant=constant, word=word, root=root, **facts)


def share(
    name: str, loss: Loss, constant: Constant, word: str, order: Order | None, **facts: Any
) -> NumberMeasure:
    """Return the entry of the share of the best constant's loss that is gone."""
    at_best = sorted_first(lambda y, weights: of.mean(loss(y, constant(y, weights, WHOLE)), weights))
    gone = of.share_gone(loss, of.variance if loss is of.squared else at_best)
    ends: Any = {"greater_is_better": True, "bounds": (-math.inf, 1.0), "flat": 0.0, "spread": True}
    return entry(name, gone, loss=loss, constant=constant, word=word, order=order, **ends, **facts)


def family(
    listed: Mapping[str, float], aliases: tuple[str, ...], default: Mapping[str, float] | None, within: Range,
    short: str = "",
) -> Callable[[Callable[..., NumberMeasure]], Family]:  # fmt: skip
    """Turn a function of one parameter and of what names its entry into the family of its name."""

    def decorate(made: Callable[..., NumberMeasure]) -> Family:
        name = made.__name__

        @functools.lru_cache(maxsize=1024)
        def make(**parameters: float) -> NumberMeasure:
            written = ", ".join(f"{key}={value:g}" for key, value in parameters.items())
            (value,) = parameters.values()
            return made(value, name=f"{name}({written})", parameters=parameters, family=name)

        allowed = dict.fromkeys(listed, within)
        return Family(
            name, make, listed, "regression", aliases, default, allowed, short, natural=default is not None
        )

    return decorate
