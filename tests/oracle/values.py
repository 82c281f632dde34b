"""The value of every measure at every small table, exactly."""

import functools
from fractions import Fraction

from mpmath import mpf
from tests.oracle.closeness import SAME, as_mpf
from tests.oracle.formulas import MEASURES, NAMES, formula
from tests.oracle.law import table, weights

INFINITE = {
    # x/0 that is better than every finite value; 0/0 never is
    "diagnostic_odds_ratio": lambda tp, fp, fn, tn: fp * fn == 0 and tp * tn > 0,
    "log_odds_ratio": lambda tp, fp, fn, tn: fp * fn == 0 and tp * tn > 0,
    "discriminant_power": lambda tp, fp, fn, tn: fp * fn == 0 and tp * tn > 0,
    "positive_likelihood_ratio": lambda tp, fp, fn, tn: fp == 0 and tn > 0 and tp > 0,
}


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
        better = INFINITE.get(name)
        self.infinite = [
            sum(w for tp, w, _ in row if better is not None and better(*table(total, positives, k, tp)))
            for k, row in enumerate(self.rows)
        ]

    def atoms(self, k):
        """Return {index of value: number of subsets} and the number of subsets without a value."""
        found, undefined = {}, 0
        for _, weight, index in self.rows[k]:
            if index is None:
                undefined += weight
            else:
                found[index] = found.get(index, 0) + weight
        return dict(sorted(found.items())), undefined

    def moments(self, k, fill=None):
        """Return mean and variance given a value; outcomes without one count as ``fill`` if there is one."""
        found, undefined = self.atoms(k)
        pairs = [(self.distinct[index], weight) for index, weight in found.items()]
        if fill is not None and undefined:
            pairs.append((fill if is_rational(self.name) else as_mpf(fill), undefined))
        whole = sum(weight for _, weight in pairs)
        if not whole:
            return None, None
        mean = sum(value * weight for value, weight in pairs) / whole
        if not isinstance(mean, Fraction) and abs(mean) <= SAME * self.scale:
            mean = mpf(0)  # so that it is exactly what it is: nothing
        variance = sum((value - mean) ** 2 * weight for value, weight in pairs) / whole
        if not isinstance(variance, Fraction) and variance <= (SAME * self.scale) ** 2:
            variance = mpf(0)
        return mean, variance


@functools.cache
def is_rational(name):
    """Tell whether a measure takes rational values only."""
    return all(
        value is None or isinstance(value, Fraction)
        for value in (
            formula(name, *cells) for cells in ((1, 2, 3, 5), (2, 1, 3, 1), (3, 1, 1, 2), (1, 1, 2, 1))
        )
    )


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
