"""The value of every measure at every small table, exactly."""

import functools
from fractions import Fraction

from mpmath import mpf
from tests.oracle.closeness import SAME, as_mpf
from tests.oracle.formulas import MEASURES, NAMES, formula
from tests.oracle.law import table, weights

INFINITE = {"diagnostic_odds_ratio", "log_odds_ratio", "discriminant_power", "positive_likelihood_ratio"}
"""What can be x/0 on the better side."""


def is_infinite(name, tp, fp, fn, tn):
    """Tell whether a table without a value is x/0 and better than every finite value; 0/0 never is."""
    nothing = fp == 0 if name == "positive_likelihood_ratio" else fp * fn == 0
    return name in INFINITE and nothing and tp * tn > 0


def same(left, right, scale):
    """Tell whether two exact numbers are equal; numbers of 60 digits are, if 45 of them agree."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left == right
    return abs(left - right) <= SAME * scale


class Scores:
    """All values of one measure on one population, in exact order.

    Attributes
    ----------
    distinct : list
        The finite values, ascending.
    rows : list of list
        For each k, (tp, number of subsets, index into ``distinct``) for every reachable tp; the index
        is None where the measure has no value.
    """

    def __init__(self, name, total, positives):
        self.name, self.total, self.positives = name, total, positives
        found = {}
        for k in range(total + 1):
            for tp, _ in weights(total, positives, k):
                found[k, tp] = formula(name, *table(total, positives, k, tp))
        if not is_rational(name):
            found = {key: None if value is None else as_mpf(value) for key, value in found.items()}
        self.scale = max((abs(value) for value in found.values() if value is not None), default=Fraction(0))
        self.distinct = []
        rank = {}
        for key in sorted((key for key in found if found[key] is not None), key=lambda key: found[key]):
            if not self.distinct or not same(self.distinct[-1], found[key], self.scale):
                self.distinct.append(found[key])
            rank[key] = len(self.distinct) - 1
        self.rows = [
            [(tp, weight, rank.get((k, tp))) for tp, weight in weights(total, positives, k)]
            for k in range(total + 1)
        ]
        self._atoms = [_merged(row) for row in self.rows]
        self.infinite = [
            sum(weight for tp, weight, _ in row if is_infinite(name, *table(total, positives, k, tp)))
            for k, row in enumerate(self.rows)
        ]

    def atoms(self, k):
        """Return {index of value: number of subsets} and the number of subsets without a value."""
        return self._atoms[k]

    @functools.cached_property
    def sums(self):
        """The sum of the values over all subsets that have one, and the numbers with and without, per k."""
        found = []
        for k in range(self.total + 1):
            atoms, undefined = self.atoms(k)
            whole = sum(self.distinct[index] * weight for index, weight in atoms.items())
            found.append((whole, sum(atoms.values()), undefined))
        return found

    def mean(self, k, fill=None):
        """Return the mean given a value; with a ``fill``, outcomes without a value count as that."""
        whole, defined, undefined = self.sums[k]
        if fill is not None:
            whole, defined = whole + fill * undefined, defined + undefined
        if not defined:
            return None
        if not is_rational(self.name) and abs(whole) <= SAME * self.scale * defined:
            return mpf(0)  # so that it is exactly what it is: nothing
        return Fraction(whole) / defined if is_rational(self.name) else whole / defined

    def variance(self, k):
        """Return the variance given a value."""
        mean = self.mean(k)
        if mean is None:
            return None
        atoms, _ = self.atoms(k)
        squares = sum((self.distinct[index] - mean) ** 2 * weight for index, weight in atoms.items())
        if not is_rational(self.name) and squares <= (SAME * self.scale) ** 2 * self.sums[k][1]:
            return mpf(0)
        return squares / self.sums[k][1]


def _merged(row):
    found, undefined = {}, 0
    for _, weight, index in row:
        if index is None:
            undefined += weight
        else:
            found[index] = found.get(index, 0) + weight
    return dict(sorted(found.items())), undefined


@functools.cache
def is_rational(name):
    """Tell whether a measure takes rational values only."""
    tables = (1, 2, 3, 5), (2, 1, 3, 1), (3, 1, 1, 2), (1, 1, 2, 1)
    found = [formula(name, *cells) for cells in tables]
    return all(value is None or isinstance(value, Fraction) for value in found)


@functools.lru_cache(maxsize=128)
def scores(name, total, positives):
    """Return the values of a measure on a population."""
    return Scores(name, total, positives)


@functools.lru_cache(maxsize=256)
def extremes_of_tables(name, total):
    """Return the smallest and largest finite value over all tables of M samples, None where none has one."""
    ends = [s.distinct for p in range(total + 1) if (s := scores(name, total, p)).distinct]
    if not ends:
        return None, None
    return min(values[0] for values in ends), max(values[-1] for values in ends)


__all__ = ["MEASURES", "NAMES", "extremes_of_tables", "is_rational", "same", "scores"]
