"""What happened, as whole numbers: class sizes, the four cells of a confusion matrix, and models' calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clearbar.core import Later
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Integers
from clearbar.core._value import LARGEST_TOTAL, Value, WholeNumbers, shares, whole_numbers
from clearbar.core.errors import shown

# Models up to which every pattern of calls is counted; of more, hardly two samples have the same.
MOST_COUNTED = 12
BLOCK = 2**18  # samples that are looked at together, so that what is made on the way stays in cache

CELLS = ("tp", "fp", "fn", "tn")  # the order in which every measure takes its cells


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Population(WholeNumbers):
    """Class sizes: how many samples there are and how many of them are positive.

    Parameters
    ----------
    total : int or array_like of int
        Number of samples M, at least 1. Arrays describe many populations at once.
    positives : int or array_like of int, optional
        Number of positive samples P, from 0 to ``total``; or
    prevalence : float, str or array_like of float, optional
        their share as it was printed, such as 0.459 or ``"45.9 %"``: P is the whole number nearest to it.

    Raises
    ------
    ValueError
        If a value is not a whole number, ``total`` is 0, ``positives`` exceeds it, not one of ``positives``
        and ``prevalence`` is given, or the latter is no share.

    Examples
    --------
    >>> from clearbar import Population
    >>> Population(303, 139).negatives
    164
    >>> Population(303, prevalence="45.9 %")
    Population(total=303, positives=139, nearest to a prevalence of 45.9 %)
    """

    _one = "Population"

    total: Integers
    positives: Integers
    _printed = ""  # the prevalence that they were taken from

    from_labels = Later("clearbar.data.counting", "population_from_labels", static=True)
    _repr_html_ = Later("clearbar.notebook", "population_html")

    def __init__(
        self,
        total: Integers,
        positives: Integers | None = None,
        *,
        prevalence: float | str | FloatArray | None = None,
    ) -> None:
        if (positives is None) == (prevalence is None):
            lacking = "is missing" if positives is None else "and prevalence say the same"
            raise ValueError(f"positives {lacking}: give either their number or, as prevalence, their share.")
        if prevalence is not None:
            share = shares("prevalence", prevalence)
            positives = np.floor(whole_numbers("total", total) * share + 0.5).astype(np.int64)
            printed = prevalence.strip() if isinstance(prevalence, str) else f"{prevalence}"
            object.__setattr__(self, "_printed", printed)
        object.__setattr__(self, "total", total)
        object.__setattr__(self, "positives", positives)
        total, positives = self._checked()
        if (total < 1).any():
            raise ValueError("total must be at least 1: a population without samples has no bar.")
        if (positives > total).any():
            where = positives > total
            raise ValueError(
                f"positives must not exceed total; found positives={positives[where][0]:,} "
                f"with total={total[where][0]:,}."
            )
        self._keep((total.copy(), positives.copy()))

    def __repr__(self) -> str:
        """Show the numbers, and the prevalence that they were taken from."""
        nearest = f", nearest to a prevalence of {self._printed}" if self._printed else ""
        return f"Population(total={self.total!r}, positives={self.positives!r}{nearest})"

    @property
    def negatives(self) -> Integers:
        """Number of negative samples, N = M - P."""
        return self.total - self.positives

    @property
    def prevalence(self) -> float | FloatArray:
        """Share of positive samples, P / M."""
        return self.positives / self.total

    @property
    def leading(self) -> tuple[str, Integers]:
        """The class that readers are told the share of, by what it is called."""
        return class_in_words(self.labels[1]), self.positives

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels of many classes; none of two, of which one is positive."""
        return ()


def class_in_words(label: str) -> str:
    """Return what a class is called within a sentence: a number in quotes."""
    return f'"{label}"' if label[:1].isdigit() or label[:1] in {"-", "+", "."} else label


class _ByName:
    """A base of `Counts`, so that the cells in a row get a sentence rather than Python's."""

    def __new__(cls, *cells: Any, **_named: Any) -> Self:
        """Refuse cells without a name."""
        if cells:
            raise TypeError(
                "Counts takes its cells by name, Counts(tp=..., fp=..., fn=..., tn=...): scikit-learn's "
                "ravel() gives tn, fp, fn, tp. Counts.from_matrix(matrix) reads the whole matrix."
            )
        return super().__new__(cls)


def already_counted(population: Population, pos_label: Any) -> Population:
    """Return a population, or say that its positives are counted: there is no label to be named."""
    if pos_label is not None:
        raise ValueError(f"pos_label={shown(pos_label)} is for labels; a Population has none, leave it out.")
    return population


@dataclass(frozen=True, eq=False, kw_only=True)
class Counts(_ByName, WholeNumbers):
    """The four cells of a binary confusion matrix, or arrays of them.

    Parameters
    ----------
    tp, fp, fn, tn : int or array_like of int
        True positives, false positives, false negatives, true negatives, by name: their order differs
        from library to library, and `Counts.from_matrix` reads the matrices of others. Arrays broadcast;
        their axes may be models, slices, folds, runs: nothing here depends on which.

    Raises
    ------
    ValueError
        If a cell is negative, fractional, nan, infinite or masked.

    Examples
    --------
    >>> from clearbar import Counts
    >>> Counts(tp=14, fp=3, fn=4, tn=10).population
    Population(total=31, positives=18)
    """

    _one = "set of Counts"

    tp: Integers
    fp: Integers
    fn: Integers
    tn: Integers

    from_matrix = Later("clearbar.data.counting", "counts_from_matrix", static=True)
    _repr_html_ = Later("clearbar.notebook", "counts_html")

    def __post_init__(self) -> None:
        cells = self._checked()
        if np.any(sum(cells) > LARGEST_TOTAL):  # four times as much is still an int64
            raise ValueError("tp + fp + fn + tn must not exceed 2**52 samples.")
        self._keep(cell.copy() for cell in cells)

    @property
    def positives(self) -> Integers:
        """Positive samples, P = TP + FN."""
        return self.tp + self.fn

    @property
    def negatives(self) -> Integers:
        """Negative samples, N = FP + TN."""
        return self.fp + self.tn

    @property
    def predicted_positives(self) -> Integers:
        """Samples predicted positive, k = TP + FP."""
        return self.tp + self.fp

    @property
    def predicted_negatives(self) -> Integers:
        """Samples predicted negative, M - k = FN + TN."""
        return self.fn + self.tn

    @property
    def total(self) -> Integers:
        """All samples, M."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def population(self) -> Population:
        """Class sizes without the predictions."""
        total, positives = self.total, self.positives
        if np.min(total, initial=1) < 1:
            return Population(total, positives)  # which refuses samples that are none
        population = Population._trusted((total, positives))  # noqa: SLF001 - both are WholeNumbers
        return population.called(self.labels)

    @property
    def cells(self) -> tuple[Integers, Integers, Integers, Integers]:
        """The cells in the order in which every measure takes them: tp, fp, fn, tn."""
        return self.tp, self.fp, self.fn, self.tn

    def __add__(self, other: object) -> Counts:
        """Pool two sets of counts, cell by cell."""
        if other == 0 and isinstance(other, int):  # so that the builtin sum works
            return self
        if not isinstance(other, Counts):
            return NotImplemented
        return counts_of(a + b for a, b in zip(self.cells, other.cells, strict=True)).called(self.labels)

    __radd__ = __add__

    def sum(self, axis: int | None = None) -> Counts:
        """Pool along one axis, or all of them.

        Parameters
        ----------
        axis : int, optional
            The axis to pool; all of them by default.

        Returns
        -------
        Counts
        """
        return counts_of(np.sum(np.asarray(cell), axis=axis) for cell in self.cells).called(self.labels)


def refuse_matrix(value: Any, name: str = "counts") -> None:
    """Raise if a matrix stands where Counts belong: its cells come in an order of its own."""
    several = isinstance(value, (list, tuple))
    if isinstance(value, Counts) or not (several or (hasattr(value, "__len__") and hasattr(value, "shape"))):
        return
    kind = type(value).__name__
    if several and value and all(isinstance(item, Counts) for item in value):
        raise ValueError(f"{name} is a {kind} of Counts; pass one, or name the models in a dict.")
    what = "NumPy array" if isinstance(value, np.ndarray) else kind
    reads = "pandas.crosstab" if kind == "DataFrame" else "scikit-learn's confusion_matrix"
    raise ValueError(f"{name} is a {what}; Counts.from_matrix(matrix) reads {reads}.")


def counts_of(cells: Iterable[Any]) -> Counts:
    """Return the Counts whose four cells come in the order tp, fp, fn, tn."""
    return Counts(**dict(zip(CELLS, cells, strict=True)))


@dataclass(frozen=True, eq=False)
class PairCalls(Value):
    """On how many positive and negative samples both of two models say "positive": shape (models, models)."""

    positives: IntArray
    negatives: IntArray


@dataclass(frozen=True, eq=False)
class Calls(Value):
    """Patterns of calls, a bit per model, and how many positive and negative samples have each."""

    packed: NDArray[np.uint8]  # of shape (patterns, bytes)
    models: int
    positives: NDArray[Any]
    negatives: NDArray[Any]

    @classmethod
    def of(cls, truth: BoolArray, called: Iterable[BoolArray]) -> Calls:
        """Look at every sample once."""
        called = list(called)
        if len(called) <= MOST_COUNTED:
            return cls._counted(truth, called)
        packed = np.empty((len(truth), -(-len(called) // 8)), dtype=np.uint8)
        for start in range(0, len(truth), BLOCK):
            block = slice(start, start + BLOCK)
            packed[block] = np.packbits(np.array([column[block] for column in called]), axis=0).T
        return cls(packed, len(called), truth.astype(np.uint8), (~truth).astype(np.uint8))

    @classmethod
    def _counted(cls, truth: BoolArray, called: list[BoolArray]) -> Calls:
        columns = [truth, *called]
        counts = np.zeros(2 ** len(columns), dtype=np.int64)
        for start in range(0, len(truth), BLOCK):
            codes = np.zeros(len(truth[start : start + BLOCK]), dtype=np.uint16)
            for bit, column in enumerate(columns):
                codes |= column[start : start + BLOCK].astype(np.uint16) << np.uint16(bit)
            counts += np.bincount(codes, minlength=len(counts))
        negatives, positives = counts.reshape(-1, 2).T
        seen = np.flatnonzero(negatives + positives)
        bits = (seen[:, None] >> np.arange(len(called))) & 1
        return cls(np.packbits(bits.astype(bool), axis=1), len(called), positives[seen], negatives[seen])

    def bits(self, rows: Any = ...) -> NDArray[np.uint8]:
        """Return the calls of some patterns, of shape (patterns, models)."""
        return np.unpackbits(self.packed[rows], axis=1, count=self.models)

    @cached_property
    def pairs(self) -> PairCalls:
        """What each two models call alike."""
        return PairCalls(*(self._both(side) for side in (self.positives, self.negatives)))

    def _both(self, side: NDArray[Any]) -> IntArray:
        both = np.zeros((self.models, self.models))
        rows, step = np.flatnonzero(side), max(1, 2**21 // max(self.models, 1))
        for start in range(0, len(rows), step):
            block = rows[start : start + step]
            times = side[block]
            if times.max() == 1:  # float32 holds whole numbers up to 2**24
                bits = self.bits(block).astype(np.float32)
                both += bits.T @ bits
            else:
                wide = self.bits(block).astype(np.float64)
                both += (wide * times[:, None]).T @ wide
        return both.astype(np.int64)
