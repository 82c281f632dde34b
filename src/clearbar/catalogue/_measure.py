"""What a measure is: a formula of the four cells, and the facts that every later step reads."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from clearbar.catalogue._arithmetic import NotExact, evaluate_exactly
from clearbar.catalogue._domain import Condition, always
from clearbar.catalogue._entry import Entry, checked_cells, refuse_false_affine, returned_values
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts, refuse_matrix

Formula = Callable[..., Any]
# How the expected score runs over k: flat; never turning back; up then down; down then up.
# A peak (every concave expectation is one) is strict on both sides of its top, a valley likewise.
Shape = Literal["constant", "monotone", "peak", "valley"]


# Tables that a formula is evaluated on at once, so that what it makes on the way stays in cache.
TABLES_AT_ONCE = 2**15


@dataclass(frozen=True, eq=False, repr=False)
class Measure(Entry):
    """An evaluation measure: a function of TP, FP, FN and TN with its facts.

    Make your own from any vectorised function of the four cells; nothing is assumed of it. The
    catalogue's entries carry more facts, which only make the same answers come faster.

    Parameters
    ----------
    name : str
        Canonical name.
    function : callable
        ``function(tp, fp, fn, tn)`` on float64 arrays of one shape, returning an array of that
        shape. nan or infinity means that the formula has no value there; finite values go up to 1e100.
    greater_is_better : bool or None
        True for a score, False for a loss, None where neither end is better.
    bounds : (float, float), optional
        Smallest and largest value the formula can take; unbounded when not given.
    affine : bool, optional
        Whether the value is affine in TP when the margins P and k are fixed. None: found out on
        the support of each draw before a closed form is used.
    smooth : bool
        Whether the function has no kink and no pointwise exception in TP, so that wide
        distributions may be summed in strides.
    label : str
        The name as a reader writes it, such as ``G-mean``; `name` when not given.
    aliases : tuple of str
        Other names.
    symbol, formula : str
        LaTeX.
    domain : Condition
        Where the formula has a value.
    requires : Condition, optional
        Which draws a bar may use; by default those at which `domain` holds for every reachable TP.
    shape : {"constant", "monotone", "peak", "valley"}, optional
        How the expected score runs over k; None when it is not known and must be searched.
    constant : callable, optional
        ``constant(total, positives)``: the expectation where `shape` is "constant".
    better_with_tp : bool
        At fixed margins, among the outcomes with a value, one more TP never makes it worse. x/0 counts
        as an infinite value here; outcomes that are 0/0 are all of them or the first or last few.
    worse_with_fp : bool
        At a fixed TP, one more FP never makes it better; outcomes without a finite value are all of
        them or lie at the ends, and in TP they come first.
    convex_in_tp : bool
        At fixed margins the value is convex in TP on the real line between the ends of the support,
        so that the outcomes at least as good as a score lie at the two ends.
    concave_in_precision : bool
        Whether the value is a function of precision and recall that falls in neither and is concave in
        precision at each recall, a loss mirrored. Then no blind predictions expect more of averages of
        precision and recall over folds than predicting everything positive: the expected precision of a
        fold is at most its prevalence, its recall at most 1, both at once there, and E g(x, y) <= E g(x, 1)
        <= g(E x, 1) (Jensen).
    in_empty_fold : float, optional
        What a fold counts in which no draw is as `requires` says; without it, as `undefined` says.
    question : str
        The question the measure answers.
    caution : str
        What a reader should know before trusting it.
    source : str
        Where it is defined.
    parameters : mapping
        A family's parameters, handed to `function` as keywords.
    family : str
        Name of the family, empty for a measure without parameters.

    Raises
    ------
    ValueError
        If `name` is empty or cannot be written on one line, `function` is not callable, `bounds` are
        not two ascending numbers, or another fact is not of its kind.

    Examples
    --------
    >>> from clearbar import Counts, Measure
    >>> hits = Measure("hits_minus_alarms", lambda tp, fp, fn, tn: tp - fp, greater_is_better=True)
    >>> hits(Counts(tp=14, fp=3, fn=4, tn=10))
    11.0
    """

    kind: ClassVar[str] = "binary"

    greater_is_better: bool | None = field(kw_only=True)
    bounds: tuple[float, float] = field(default=(-math.inf, math.inf), kw_only=True)
    affine: bool | None = field(default=None, kw_only=True)
    smooth: bool = field(default=False, kw_only=True)
    symbol: str = field(default="", kw_only=True)
    domain: Condition = field(default=always, kw_only=True)
    requires: Condition | None = field(default=None, kw_only=True)
    shape: Shape | None = field(default=None, kw_only=True)
    constant: Callable[[Any, Any], Any] | None = field(default=None, kw_only=True)
    better_with_tp: bool = field(default=False, kw_only=True)
    worse_with_fp: bool = field(default=False, kw_only=True)
    convex_in_tp: bool = field(default=False, kw_only=True)
    concave_in_precision: bool = field(default=False, kw_only=True)
    in_empty_fold: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        admissible = self.domain if self.requires is None else self.domain & self.requires
        object.__setattr__(self, "_admissible", admissible)
        if self.affine and not self.in_catalogue:
            refuse_false_affine(self)

    @property
    def admissible(self) -> Condition:
        """Which draws a bar may use: those that have a value at every outcome, and that it requires."""
        condition: Condition = getattr(self, "_admissible")  # noqa: B009 - not a field
        return condition

    def __call__(
        self,
        counts: Counts | None = None,
        *,
        tp: Any = None,
        fp: Any = None,
        fn: Any = None,
        tn: Any = None,
    ) -> float | FloatArray:
        """Evaluate the measure."""
        cells: tuple[Any, ...] = (tp, fp, fn, tn)
        if isinstance(counts, Counts) and all(cell is None for cell in cells):
            cells = counts.cells
        elif counts is not None or any(cell is None for cell in cells):
            refuse_matrix(counts)
            raise TypeError(f"{self.name} takes Counts, or all of tp=, fp=, fn=, tn= by name.")
        else:
            cells = checked_cells(cells)
        values = self.values(*cells)
        values = np.where(np.isfinite(values), values, np.nan)
        return float(values) if values.ndim == 0 else values

    def values(self, tp: Any, fp: Any, fn: Any, tn: Any) -> FloatArray:
        """Evaluate the formula on broadcast cells as floating point does: x/0 is infinite, 0/0 is nan."""
        cells = np.broadcast_arrays(*(np.asarray(cell) for cell in (tp, fp, fn, tn)))
        shape = cells[0].shape
        if cells[0].size <= TABLES_AT_ONCE:
            return returned_values(self, [_floats(cell) for cell in cells]).reshape(shape)
        scores = np.empty(shape)
        flat, places = [cell.reshape(-1) for cell in cells], scores.reshape(-1)
        for start in range(0, places.size, TABLES_AT_ONCE):  # as much as a processor's cache holds
            block = slice(start, start + TABLES_AT_ONCE)
            places[block] = returned_values(self, [_floats(cell[block]) for cell in flat])
        return scores

    def float_parameters(self) -> dict[str, float]:
        return {name: float(value) for name, value in self.parameters.items()}

    def exactly(self, tp: Fraction, fp: Fraction, fn: Fraction, tn: Fraction) -> Fraction | Decimal:
        """Evaluate the formula on one table: a Fraction, or a Decimal of 60 digits where it takes roots.

        Raises ZeroDivisionError where the formula has no value, and `NotExact` where it needs floats.
        """
        try:
            return evaluate_exactly(self.name, self.function, (tp, fp, fn, tn), self.parameters)
        except Exception as error:
            if self.in_catalogue:
                raise
            # what a user's function does with Fractions says nothing of floats
            raise NotExact(self.name) from error

    def affine_coefficients(self, draw: Any) -> tuple[float, float]:
        """Return slope and intercept of the measure in TP at the margins of a draw.

        Parameters
        ----------
        draw : Draw
            A population and a number of predicted positives.

        Returns
        -------
        slope, intercept : float
            The papers' a and b: the value is ``slope * tp + intercept``.

        Raises
        ------
        ValueError
            If the measure is not affine in TP, or has no value at these margins.
        """
        if not hasattr(draw, "population"):
            raise ValueError(f"draw must be a Draw; found {draw!r}.")
        population = draw.population
        slope, intercept = affine_coefficients(
            self, population.total, population.positives, draw.predicted_positives
        )
        return float(slope), float(intercept)


def _floats(cell: Any) -> FloatArray:
    return np.atleast_1d(np.asarray(cell, dtype=np.float64))


def affine_coefficients(
    measure: Measure, total: int, positives: int, predicted_positives: int
) -> tuple[Fraction | Decimal | float, Fraction | Decimal | float]:
    """Return slope and intercept of ``measure`` in TP at fixed margins."""
    # The formula is read at TP = 0 and TP = M, both possibly outside the support: neighbouring values would
    # agree in all but their last digits when M is large.
    # Exact where the formula is rational, of 60 digits where it takes roots.
    if not measure.affine:
        raise ValueError(f"{measure.name} is not affine in TP, so it has no slope and intercept.")
    cells = [
        (tp, predicted_positives - tp, positives - tp, total - positives - predicted_positives + tp)
        for tp in (0, total)
    ]
    low: Any
    high: Any
    try:
        low, high = (measure.exactly(*map(Fraction, table)) for table in cells)
    except ZeroDivisionError:
        raise ValueError(
            f"{measure.name} has no value at M={total:,}, P={positives:,}, "
            f"k={predicted_positives:,}: it needs {measure.domain}."
        ) from None
    except NotExact:
        low, high = (float(value) for value in measure.values(*zip(*cells, strict=True)))
    return (high - low) / total, low


# -- what stands for outcomes without a value ----------------------------------------------------------------
Extreme: TypeAlias = Literal["smallest", "largest"]

# A policy, or which value of all tables of M samples stands for none, whichever end is sought.
Filling: TypeAlias = Undefined | Extreme

# Samples up to which every table is tried for the worst value a table can have; tables kept of a search.
ALL_TABLES, KEPT = 128, 32


def scoring(
    measure: Measure, positives: Any, negatives: Any, undefined: Undefined
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Return what scores TP and FP at these class sizes, with the policy's value where there is none."""
    fill = fill_value(measure, positives + negatives, undefined)

    def scored(tp: FloatArray, fp: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            values = measure.values(tp, fp, positives - tp, negatives - fp)
        finite = np.isfinite(values)
        if finite.all():
            return values
        return np.where(finite, values, np.where(np.isnan(tp + fp), np.nan, fill))

    return scored


def fill_value(measure: Measure, total: Any, filling: Filling, *, largest: bool | None = None) -> Any:
    """Return what outcomes without a value count as where one end is sought, by default the better one."""
    # nan where they count as nothing.
    largest = measure.greater_is_better is not False if largest is None else largest
    side = _side(filling, largest=largest)
    if side is None:
        return np.nan if filling == "exclude" else float(filling)
    totals, back = np.unique(np.asarray(total, dtype=np.int64), return_inverse=True)
    values = np.array([extreme_value(measure, int(m), largest=side == "largest") for m in totals])
    return values[back.reshape(np.shape(total))][()]


def fill_is_proved(measure: Measure, total: Any, filling: Filling, *, largest: bool) -> Any:
    """Return whether no table can have a value beyond the one that `fill_value` found."""
    totals = np.asarray(total, dtype=np.int64)
    side = _side(filling, largest=largest)
    if side is None:
        return np.full(totals.shape, fill_value=True)[()]
    bound = measure.bounds[1 if side == "largest" else 0]
    value = fill_value(measure, totals, filling, largest=largest)
    return ((totals <= ALL_TABLES) | np.isnan(value) | (value == bound))[()]


def _side(filling: Filling, *, largest: bool) -> Extreme | None:
    """Return which value of all tables stands for none; None where the policy has one of its own."""
    if filling == "worst":
        return "smallest" if largest else "largest"
    return filling if filling in {"smallest", "largest"} else None


@functools.lru_cache(maxsize=4096)
def extreme_value(measure: Measure, total: int, *, largest: bool) -> float:
    """Return the least or largest finite value of a measure over all tables of M samples, nan without one."""
    # Every table is tried up to 128 samples; beyond, tables with few distinct cells are refined by moving
    # samples between cells, in halving amounts, from the best tables on.
    sign = 1.0 if largest else -1.0

    def signed(tables: IntArray) -> FloatArray:
        values = measure.values(*tables)
        return np.where(np.isfinite(values), sign * values, -np.inf)

    def best_of(tables: IntArray) -> IntArray:
        tables = np.unique(tables, axis=1)
        return np.asarray(tables[:, np.argsort(-signed(tables), kind="stable")[:KEPT]])

    half = total // 2
    best = signed(_tables_of([0, 1, half, total - half, total - 1, total], total)).max()
    if best == sign * measure.bounds[1 if largest else 0]:  # nothing goes beyond a bound
        return sign * float(best)
    if total <= ALL_TABLES:
        best = signed(_tables_of(range(total + 1), total)).max()
    else:
        sizes = {0, 1, 2, total // 4, total // 3, half - 1, half, half + 1, total - 2, total - 1, total}
        corners = _tables_of(sorted(sizes | {(total - 2) // 2, (total - 3) // 3}), total)
        tables = best_of(np.concatenate([np.roll(corners, turns, axis=0) for turns in range(4)], axis=1))
        step = max(total // 4, 1)
        while step:
            spread = [tables]
            for source, target in itertools.permutations(range(4), 2):
                moved = tables.copy()
                amount = np.minimum(step, moved[source])
                moved[source] -= amount
                moved[target] += amount
                spread.append(moved)
            tables = best_of(np.concatenate(spread, axis=1))
            step //= 2
        best = signed(tables).max()
    return sign * float(best) if math.isfinite(best) else math.nan


def _tables_of(sizes: Iterable[int], total: int) -> IntArray:
    """Return the tables whose tp, fp and fn are among some sizes."""
    tp, fp, fn = (grid.ravel() for grid in np.meshgrid(*[np.array(list(sizes))] * 3, indexing="ij"))
    tables = np.stack((tp, fp, fn, total - tp - fp - fn))
    return np.asarray(tables[:, (tables >= 0).all(axis=0)])
