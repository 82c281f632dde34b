"""Which fold tests which sample: ids, or the pairs that a splitter yields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.data.columns import read, refuse_other_rows
from clearbar.data.groups import factorise


@dataclass(frozen=True)
class Split:
    """The folds of some samples."""

    names: tuple[Any, ...]  # the folds' names
    codes: IntArray  # for each sample the position of its fold plus one where some are outside; those have 0
    outside: bool  # whether some samples are tested in no fold
    notes: tuple[str, ...]  # what a reader should know

    @property
    def rows(self) -> tuple[IntArray, ...]:
        """The samples of each fold."""
        first = int(self.outside)
        return tuple(np.flatnonzero(self.codes == at) for at in range(first, first + len(self.names)))


def folds_of(folds: Any, y_true: Any) -> Split:
    """Return the fold of each sample."""
    samples = read(y_true, "y_true").length
    if hasattr(folds, "split"):
        raise ValueError(
            "folds must be fold ids or what cv.split(X, y) yields; found a splitter: pass cv.split(X, y)."
        )
    given = list(folds) if isinstance(folds, (Iterator, zip, map)) else folds
    if _are_pairs(given):
        return _from_pairs(given, samples)
    names, codes = factorise(given, samples, "folds")
    refuse_other_rows(y_true, given, "folds")
    if len(names) < 2:
        raise ValueError(
            "folds holds one fold; cross-validation has two or more. For one test set use evaluate(...)."
        )
    return Split(tuple(names), codes, outside=False, notes=())


def _are_pairs(folds: Any) -> bool:
    if not isinstance(folds, (list, tuple)) or not folds:
        return False
    return all(isinstance(pair, (tuple, list)) and len(pair) == 2 and np.ndim(pair[1]) == 1 for pair in folds)


def _from_pairs(pairs: Iterable[tuple[Any, Any]], samples: int) -> Split:
    rows, split = tests_of(pairs, samples)
    together = rows[split.codes >= split.outside]
    times = np.bincount(together, minlength=samples)
    if times.max() > 1:
        first = int(np.argmax(times > 1))
        raise ValueError(
            f"folds test some samples more than once (sample {first:,} in {int(times[first])} test sets), as "
            "repeated and shuffled splits do; judge each repeat by itself, with its own predictions."
        )
    codes = np.empty(samples, dtype=np.int64)
    codes[rows] = split.codes
    return replace(split, codes=codes)


def tests_of(pairs: Iterable[tuple[Any, Any]], samples: int) -> tuple[IntArray, Split]:
    """Return the samples of all test sets one after the other, then those never tested; and their folds."""
    tests = [_test_set(test, at, samples) for at, (_, test) in enumerate(pairs, 1)]
    if len(tests) < 2:
        raise ValueError(
            "folds holds one split; cross-validation has two or more. For one test set use evaluate(...)."
        )
    names = tuple(range(1, len(tests) + 1))
    codes = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    left = np.setdiff1d(np.arange(samples), np.concatenate(tests))
    rows = np.concatenate([*tests, left])
    if not left.size:
        return rows, Split(names, codes, outside=False, notes=())
    note = f"{len(left):,} of {samples:,} samples are tested in no fold and left out."
    return rows, Split(names, np.append(codes + 1, 0 * left), outside=True, notes=(note,))


def _test_set(test: Any, at: int, samples: int) -> IntArray:
    positions = np.asarray(test)
    if positions.dtype == bool and len(positions) == samples:
        positions = np.flatnonzero(positions)
    if not positions.size:
        raise ValueError(f"folds: the test set of split {at} has no samples; leave that split out.")
    if positions.dtype.kind not in "iu":
        raise ValueError(
            "folds must hold positions of samples as (train, test) pairs; "
            f"split {at} holds {positions.dtype} values."
        )
    wrong = (positions < 0) | (positions >= samples)
    if wrong.any():
        first, last = int(positions[wrong][0]), samples - 1
        raise ValueError(f"folds: split {at} tests sample {first:,}, but y_true has samples 0 to {last:,}.")
    return positions.astype(np.int64)
