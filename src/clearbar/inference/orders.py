"""Labels in random order, where the orders can be counted out: each once, so that p is no estimate.

The order that is there is left out: of B others of which b score as well, (b + 1)/(B + 1) is then the share
of all orders, as it is the estimate where B orders are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import TypeAlias

import numpy as np

from clearbar.core._typing import FloatArray, IntArray

# Of each unit what makes it different from others: a class, or a number.
Kinds: TypeAlias = IntArray | FloatArray

MOST_ORDERS = 100_000  # different orders, or tables, up to which all are looked at
MOST_WORK = 20_000_000  # orders times samples up to which all are looked at
SURE = 1.3  # how many times the logarithm of a number a rough one must be to be surely above it
AT_ONCE = 500_000  # orders times samples that are yielded together


def number_of_orders(kinds: Kinds) -> int:
    """Return in how many different orders samples of these kinds can stand; 2e9 if there are more."""
    counts = np.unique(kinds, return_counts=True)[1]
    if math.lgamma(len(kinds) + 1) - sum(map(math.lgamma, (counts + 1.0).tolist())) > 21.4:
        return 2_000_000_000
    left, number = len(kinds), 1
    for count in counts.tolist():
        number *= math.comb(left, count)
        left -= count
    return number


def few_orders(blocks: Sequence[Kinds], samples: int) -> bool:
    """Whether all orders of samples, whose units have these kinds in each block, can be looked at."""
    number = 1
    for kinds in blocks:
        number *= number_of_orders(kinds)
        if number > MOST_ORDERS:
            return False
    return number * samples <= MOST_WORK


def orders_of(kinds: Kinds) -> IntArray:
    """Return every different order of samples of these kinds once, by their positions: (orders, samples)."""
    names, counts = np.unique(kinds, return_counts=True)
    standing = np.full((1, len(kinds)), -1, dtype=np.int64)
    free = np.arange(len(kinds))[None]  # the places of each order that no kind has taken
    for kind in np.argsort(counts, kind="stable").tolist():
        subsets = np.fromiter(
            chain.from_iterable(combinations(range(free.shape[1]), int(counts[kind]))), dtype=np.int64
        ).reshape(-1, int(counts[kind]))
        taken = np.zeros((len(subsets), free.shape[1]), dtype=bool)
        taken[np.arange(len(subsets))[:, None], subsets] = True
        places = free[:, subsets].reshape(-1, subsets.shape[1])
        samples = np.flatnonzero(kinds == names[kind])
        standing = np.repeat(standing, len(subsets), axis=0)
        standing[np.arange(len(standing))[:, None], places] = samples
        rest = np.nonzero(~taken)[1].reshape(len(subsets), -1)
        free = free[:, rest].reshape(len(standing), rest.shape[1])
    return standing


def orders_together(blocks: Sequence[Kinds], samples: int) -> Iterator[list[IntArray]]:
    """Yield the orders of each block's units, all combinations but the one that changes nothing."""
    # In portions, at least one: of each block an array of shape (orders, units).
    of_block = [orders_of(kinds) for kinds in blocks]
    shape = tuple(map(len, of_block))
    still = [
        int(np.flatnonzero((kinds[orders] == kinds).all(axis=1))[0])
        for kinds, orders in zip(blocks, of_block, strict=True)
    ]
    others = np.delete(np.arange(math.prod(shape)), np.ravel_multi_index(still, shape))
    rows = max(1, AT_ONCE // max(samples, 1))
    for first in range(0, max(len(others), 1), rows):
        cells = np.unravel_index(others[first : first + rows], shape)
        yield [orders[number] for orders, number in zip(of_block, cells, strict=True)]


def tables_of(rows: IntArray, columns: IntArray) -> tuple[IntArray, FloatArray] | None:
    """Return every table with these sums, and how likely random orders make it; None if there are many."""
    # P = prod rows! prod columns! / (total! prod cells!).
    most = min(MOST_ORDERS, MOST_WORK // (len(rows) * len(columns)))
    if _roughly(rows, columns) > SURE * math.log(most):
        return None
    tables = np.zeros((1, len(rows), len(columns)), dtype=np.int64)
    room = np.array(columns, dtype=np.int64)[None]
    logs = np.full(1, _log_factorials(rows) + _log_factorials(columns) - math.lgamma(int(rows.sum()) + 1))
    log_factorial = np.array([math.lgamma(n + 1) for n in range(int(columns.max(initial=0)) + 1)])
    for row, size in enumerate(rows.tolist()):
        left = np.full(len(tables), size)
        for column in range(len(columns)):
            least = np.maximum(0, left - room[:, column + 1 :].sum(axis=1))
            ways = np.minimum(left, room[:, column]) - least + 1
            if int(ways.sum()) > most:
                return None
            first = np.repeat(np.cumsum(ways) - ways, ways)
            number = np.arange(len(first)) - first + np.repeat(least, ways)
            tables, room, left, logs = (np.repeat(part, ways, axis=0) for part in (tables, room, left, logs))
            tables[:, row, column] = number
            room[:, column] -= number
            left = left - number
            logs = logs - log_factorial[number]
    return tables, np.exp(logs)


def _roughly(rows: IntArray, columns: IntArray) -> float:
    """Return about the logarithm of how many tables there are (Good, Annals of Statistics 4, 1976)."""

    def ways(samples: int, cells: int) -> float:
        return math.lgamma(samples + cells) - math.lgamma(samples + 1) - math.lgamma(cells)

    by_row = sum(ways(size, len(columns)) for size in rows.tolist())
    by_column = sum(ways(size, len(rows)) for size in columns.tolist())
    return by_row + by_column - ways(int(rows.sum()), len(rows) * len(columns))


def _log_factorials(numbers: IntArray) -> float:
    return sum(math.lgamma(number + 1) for number in numbers.tolist())
