"""A measure of predictions of many classes: a formula, its facts, and its bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import Entry
from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.multiclass._optimum import Optimum
from clearbar.problems.multiclass._tables import Tables

Formula = Callable[[Tables, float], FloatArray]
Search = Callable[[IntArray, float], Optimum]


@dataclass(frozen=True, eq=False, repr=False)
class ClassMeasure(Entry):
    """A measure of predictions of any number of classes, with the facts of its bar.

    Parameters
    ----------
    name : str
        Canonical name.
    function : callable
        ``function(tables, zero_division)``: the value of confusion matrices, nan where there is none.
    optimum : callable
        ``optimum(sizes, zero_division)``: what the best and the worst blind predictions expect, an `Optimum`.
    greater_is_better : bool
        False for a loss.
    counts_right : bool
        Whether it is the share of samples that are right, or wrong: then the test of its bar is certified.
    rises_with_right : bool
        Whether at fixed margins it depends only on how many samples are right, and is the better the more.
    named_classes : int
        How many classes scores may name for a sample; 0 where predicted labels are judged.
    ordered : bool
        Whether it takes the classes in their order.
    of_two : str
        The measure of two classes that it is where there are two, whichever is positive; empty if none.
    at_zero : str
        The measure that is 0 at the same rates, and so has the same test at a bar of 0; empty for itself.
    weights : callable, optional
        ``weights(tables)``: what each hit of a class adds at fixed margins, where that is all it depends on.
    bounds, label, aliases, formula, question, caution, source
        For readers, as for `Measure`.
    """

    kind: ClassVar[str] = "multiclass"

    function: Formula
    optimum: Search = field(kw_only=True)
    counts_right: bool = field(default=False, kw_only=True)
    rises_with_right: bool = field(default=False, kw_only=True)
    weights: Callable[[Tables], Any] | None = field(default=None, kw_only=True)
    named_classes: int = field(default=0, kw_only=True)
    ordered: bool = field(default=False, kw_only=True)
    of_two: str = field(default="", kw_only=True)
    at_zero: str = field(default="", kw_only=True)

    def __call__(self, tables: Tables, zero_division: float = 0.0) -> FloatArray:
        """Return the value of each table; nan where there is none."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.asarray(self.function(tables, zero_division), dtype=np.float64)
        return np.where(np.isfinite(value), value, np.nan)
