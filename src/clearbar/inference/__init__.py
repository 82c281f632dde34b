"""What data say about true scores: one function per question, whatever the kind of problem.

``inference.resamples`` is imported when it is first used: of labels of two classes most modules never are.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from clearbar.core._typing import FloatArray

if TYPE_CHECKING:
    from clearbar.inference import bootstrap as bootstrap
    from clearbar.inference import differences as differences
    from clearbar.inference import level_sets as level_sets
    from clearbar.inference import permutation as permutation
    from clearbar.inference import resamples as resamples

# How a p-value or an interval was found.
# "exact" is computed from the distribution, or a proved bound of it: its size holds at any number of samples.
# "estimated" takes parts of the distribution from the data or from an approximation of known accuracy.
Method = Literal[
    "exact", "estimated", "bootstrap", "permutation", "t", "delong", "normal", "unknown"
]  # fmt: skip

METHODS: tuple[Method, ...] = get_args(Method)


class Tail(NamedTuple):
    """A p-value between two bounds, equal where it is no bound; nan where nothing is known.

    Numbers or arrays. The note says how it was found, if not exactly, `method` by which method, and `draws`
    from how many random draws: no p-value is below one over one more of them.
    """

    upper: Any
    lower: Any
    note: Any = ""
    method: Any = "unknown"
    draws: Any = 0

    @classmethod
    def unknown(cls, shape: tuple[int, ...], why: Any) -> Tail:
        """Return that nothing is known, and why."""
        nothing = np.full(shape, np.nan)
        return cls(nothing, nothing, np.full(shape, why, dtype=object))

    @classmethod
    def gathered(cls, shape: tuple[int, ...], cells: Iterator[tuple[Any, Tail]]) -> Tail:
        """Put tails in their places of arrays of this shape; nan and no note elsewhere."""
        upper, lower, draws = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape, dtype=np.int64)
        note, method = np.full(shape, "", dtype=object), np.full(shape, "unknown", dtype=object)
        for place, tail in cells:
            upper[place], lower[place], note[place], method[place], draws[place] = tail
        return cls(upper, lower, note, method, draws)

    @classmethod
    def exactly(cls, probability: float) -> Tail:
        """Return a probability that is no bound."""
        tail = min(max(float(probability), 0.0), 1.0)
        return cls(tail, tail, method="exact")

    @classmethod
    def between(cls, lower: float, upper: float, note: Any = "") -> Tail:
        """Return a probability of which both bounds are proved; the upper one is a valid p-value."""
        return cls(upper, lower, note, "exact")

    @classmethod
    def permuted(cls, share: float, draws: int, note: Any = "") -> Tail:
        """Return the share of so many random orders, the observed one counted among them."""
        return cls(share, share, note, "permutation", draws)

    def over(self, shape: tuple[int, ...]) -> Tail:
        """Return the same with every field an array of this shape."""
        kinds = np.float64, np.float64, object, object, np.int64
        columns = (np.asarray(column, dtype=kind) for column, kind in zip(self, kinds, strict=True))
        return Tail(*(np.broadcast_to(column, shape) for column in columns))


def holm(p_values: FloatArray) -> FloatArray:
    """Return p-values that hold for all rows of the first axis together (Holm 1979)."""
    count = p_values.shape[0]
    order = np.argsort(p_values, axis=0, kind="stable")
    ordered = np.take_along_axis(p_values, order, axis=0)
    steps = np.arange(count, 0, -1).reshape(-1, *[1] * (p_values.ndim - 1))
    stepped = np.minimum(np.maximum.accumulate(ordered * steps, axis=0), 1.0)
    corrected = np.empty_like(p_values)
    np.put_along_axis(corrected, order, stepped, axis=0)
    return corrected


def false_discovery(p_values: FloatArray, *, dependent: bool = False) -> FloatArray:
    """Return for each the least false discovery rate at which it would be a discovery; nan is no question.

    Benjamini and Hochberg (1995) for independent questions, Benjamini and Yekutieli (2001) for `dependent`.
    """
    corrected = np.full(p_values.shape, np.nan)
    question = ~np.isnan(p_values)
    values = p_values[question]
    if not values.size:
        return corrected
    count = values.size
    weight = float((1 / np.arange(1, count + 1)).sum()) if dependent else 1.0
    order = np.argsort(-values, kind="stable")
    stepped = np.minimum.accumulate(values[order] * count * weight / np.arange(count, 0, -1))
    back = np.empty(count)
    back[order] = np.minimum(stepped, 1.0)
    corrected[question] = back
    return corrected


def __getattr__(name: str) -> Any:
    if name in {"bootstrap", "differences", "level_sets", "permutation", "resamples"}:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
