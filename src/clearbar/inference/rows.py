"""Is a function of a table's true rates some value? The rows are independent multinomials of known sizes.

An estimated p-value (Lloyd, Aust. N. Z. J. Stat. 50, 2008): how likely is a table at least as far out as the
observed one, at the rates that are the likeliest of those where the function is that value. How far out a
table is says its difference over its standard error (delta method, each row raised by two samples, so that a
class that is all right has one too). Rates are fitted to rows raised by one sample, so that nothing is
impossible that was not seen. A row of few samples may also owe all of it to chance while the others are as
they seem: the largest p is taken.

Tables are drawn once, from rates near the observed ones, and weighed by their likelihood (a mixture of
proposals: Owen and Zhou, J. Amer. Statist. Assoc. 95, 2000). So the same draws serve every value that is
asked about, p is smooth in it, and one far below 1 over the number of draws is no less accurate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core.reasons import Reason
from clearbar.inference.multinomials import CLOSE, Function, Strata, constrained, put_back

DRAWS = 10_000  # tables drawn, half of them from each proposal
# Samples by which each row is raised where rates are fitted, and where a standard error is taken.
FITTED, SPREAD = 1.0, 2.0
SEEN = 0.1  # samples by which rows are raised that are left as they were observed
# Samples below which a row alone is looked at, and how many of the smallest such rows are.
FEW, MOST_ALONE = 5, 3
# Values looked at together for the end of an interval, and standard errors that it is away at first.
STEPS, FAR = 16, 6.0
MOST_UNDEFINED = 0.1  # share of tables without a value beyond which nothing is said


@dataclass(frozen=True, eq=False)
class ObservedTable:
    """An observed table, each column of which can occur in each row, and tables drawn near it."""

    counts: FloatArray
    seed: int = 0

    @cached_property
    def sizes(self) -> FloatArray:
        """Samples of each row, as a column."""
        return np.asarray(self.counts.sum(axis=1, keepdims=True))

    def rates(self, counts: FloatArray, by: float) -> FloatArray:
        """Return the rates of tables whose rows are raised by so many samples."""
        return np.asarray((counts + by / counts.shape[-1]) / (self.sizes + by))

    @cached_property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """Tables, a row of cells each, and logs of how likely they are drawn, but for what rates share."""
        # With rows raised by one sample a table of many rows that is all right would hardly be drawn again:
        # half of the tables are from rows raised by one sample together.
        generator = np.random.default_rng(self.seed)
        proposals = [self.rates(self.counts, by) for by in (FITTED, FITTED / len(self.counts))]
        sizes = self.sizes[:, 0].astype(np.int64)
        number = DRAWS // len(proposals)
        tables = np.concatenate(
            [generator.multinomial(sizes, rates, size=(number, len(sizes))) for rates in proposals]
        )
        cells = tables.reshape(len(tables), -1).astype(np.float64)
        logs = _log_likelihood(cells, np.stack(proposals))
        return cells, np.logaddexp.reduce(logs, axis=1) - math.log(len(proposals))

    @cached_property
    def tables(self) -> FloatArray:
        """The same tables; they are the fastest axis in memory, for sums over few rows and columns."""
        return np.moveaxis(np.ascontiguousarray(self.drawn[0].T).reshape(*self.counts.shape, -1), -1, 0)

    def spread(self, function: Function, tables: FloatArray) -> FloatArray:
        """Return standard errors by the delta method."""
        rates = self.rates(tables, SPREAD)
        slope = function.slope(self.sizes * rates)
        around = slope - (rates * slope).sum(axis=-1, keepdims=True)  # so that nothing cancels
        return np.asarray(np.sqrt((self.sizes * rates * around**2).sum(axis=(-2, -1))))

    def likeliest(
        self, function: Function, values: FloatArray, counts: FloatArray | None = None
    ) -> tuple[FloatArray, BoolArray]:
        """Return for each value the likeliest rates at which it is the function's, and whether any are."""
        # Of the observed table, or of as many tables with its row sums as there are values.
        shape = (len(values), *self.counts.shape)
        raised = np.broadcast_to((self.counts if counts is None else counts) + FITTED / shape[-1], shape)
        seen, rates = (cells.reshape(len(values), -1) for cells in (raised, raised / (self.sizes + FITTED)))
        rates, settled = constrained(self._strata, seen, rates, self._of_rates(function), values)
        return rates.reshape(shape), settled

    @cached_property
    def _strata(self) -> Strata:
        """The row of each cell."""
        rows, columns = self.counts.shape
        return Strata(np.repeat(np.arange(rows), columns), columns * np.arange(rows))

    def _of_rates(self, function: Function, kept: BoolArray | None = None) -> Function:
        """Return a function of tables as one of rates, a row of cells each; only in cells that are `kept`."""

        def tables(rates: FloatArray) -> FloatArray:
            return np.asarray(self.sizes * rates.reshape(-1, *self.counts.shape))

        def slope(rates: FloatArray) -> FloatArray:
            rises = self.sizes * function.slope(tables(rates))
            return np.asarray((rises if kept is None else np.where(kept, rises, 0.0)).reshape(rates.shape))

        return Function(lambda rates: function.value(tables(rates)), slope)

    def unfavourable(
        self, function: Function, values: FloatArray, counts: FloatArray | None = None
    ) -> Iterator[tuple[FloatArray, BoolArray]]:
        """Yield rates at which the function has these values, and whether there are any."""
        # The likeliest ones, and those at which one row of few samples alone is otherwise than observed: such
        # a row owes more to chance than the likeliest rates say, which share what is to change among all
        # rows.
        yield self.likeliest(function, values, counts)
        shape = (len(values), *self.counts.shape)
        seen = np.broadcast_to(self.rates(self.counts if counts is None else counts, SEEN), shape)
        units = np.broadcast_to(self.sizes, shape).reshape(len(values), -1)
        seen = seen.reshape(units.shape)
        smallest = np.argsort(self.sizes[:, 0], kind="stable")[:MOST_ALONE]
        for row in smallest[self.sizes[smallest, 0] < FEW].tolist():
            alone = self._of_rates(function, np.arange(len(self.counts))[:, None] == row)
            rates = put_back(self._strata, units, seen, alone, values)
            yield rates.reshape(shape), np.abs(alone.value(rates) - values) <= 10 * CLOSE


def _log_likelihood(cells: FloatArray, rates: FloatArray) -> FloatArray:
    """Return how likely tables are at each of several rates, of shape (tables, rates)."""
    return np.asarray(cells @ np.log(rates).reshape(len(rates), -1).T)


@dataclass(frozen=True, eq=False)
class Estimated:
    """Inference on the true value of a function of a table, from tables drawn near the observed one."""

    rows: ObservedTable
    function: Function

    @cached_property
    def score(self) -> float:
        """The value of the observed table."""
        return float(self.function.value(self.rows.counts))

    @cached_property
    def _values(self) -> tuple[FloatArray, FloatArray]:
        tables = self.rows.tables
        return self.function.value(tables), self.rows.spread(self.function, tables)

    @cached_property
    def _error(self) -> float:
        return float(self.rows.spread(self.function, self.rows.counts))

    @cached_property
    def unknown(self) -> Reason | None:
        values, _ = self._values
        missing = int(np.count_nonzero(np.isnan(values)))
        if missing > MOST_UNDEFINED * len(values):
            return Reason.of("undefined_tables", missing=missing, draws=len(values))
        return None if self._error > 0 else Reason("tables_alike")

    def tails(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return how likely tables are as far above, and below, if these are the true values; or nan."""
        cells, proposed = self.rows.drawn
        table_scores, errors = self._values
        far = (table_scores[:, None] - values) / errors[:, None] - (self.score - values) / self._error
        tolerance = 1e-9 * (1 + np.abs(self.score - values) / self._error)
        # A table without a value could be any: it counts on both sides.
        sides = ~np.stack((far < -tolerance, far > tolerance))
        largest = np.full((2, len(values)), np.nan)
        for rates, attained in self.rows.unfavourable(self.function, values):
            with np.errstate(under="ignore"):
                weights = np.exp(_log_likelihood(cells, rates) - proposed[:, None])
            tails = np.minimum((weights * sides).mean(axis=1), 1.0)
            largest = np.fmax(largest, np.where(attained, tails, np.nan))
        return largest[0], largest[1]

    def p_value(self, bar: float) -> float:
        if self.unknown or math.isnan(bar):
            return math.nan
        if abs(bar - self.score) <= 1e-12 * max(1.0, abs(bar)):
            return 1.0
        return float(np.minimum(1.0, 2 * np.minimum(*self.tails(np.array([bar]))))[0])

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        if self.unknown:
            return math.nan, math.nan
        tail = (1 - level) / 2
        return self._end(bounds[0], 0, tail), self._end(bounds[1], 1, tail)

    def _end(self, bound: float, side: int, tail: float) -> float:
        """Return the value farthest from the score, towards a bound, that is not refuted."""
        last, beyond = (
            self.score,
            min(max(bound, self.score - FAR * self._error), self.score + FAR * self._error),
        )
        for _ in range(3):
            values = np.linspace(last, beyond, STEPS + 1)[1:]
            likely = np.flatnonzero(self.tails(values)[side] > tail)  # what no rates attain is no true value
            if len(likely) == STEPS:  # there is no end up to here
                last, beyond = beyond, bound
                if last == bound:
                    return bound
                continue
            last_likely = int(likely[-1]) if len(likely) else -1
            last, beyond = values[last_likely] if last_likely >= 0 else last, values[last_likely + 1]
        return float(last)
