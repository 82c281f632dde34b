"""p-values by adding up subsets, exactly."""

import functools
import math

import numpy as np
from tests.oracle.bars import fill
from tests.oracle.law import populations
from tests.oracle.values import MEASURES, same, scores


def tails(law, policy="exclude"):
    """Return how often a draw of k is at least as good as the i-th value, and out of how many times.

    The counts are an array of whole numbers with a row per k, all out of the same number.
    """
    greater = MEASURES[law.name].greater_is_better is not False
    whole = math.lcm(*(math.comb(law.total, k) for k in range(law.total + 1)))
    filled = _reached_by_fill(law, policy, greater=greater)
    rows = []
    for k in range(law.total + 1):
        found, undefined = law.atoms(k)
        weights = np.array([found.get(i, 0) for i in range(len(law.distinct))], dtype=np.int64)
        sums = np.cumsum(weights[::-1])[::-1] if greater else np.cumsum(weights)
        extra = law.infinite[k] if filled is None else np.where(filled, undefined, 0)
        rows.append((sums + extra) * (whole // math.comb(law.total, k)))
    return np.array(rows), whole


def _reached_by_fill(law, policy, *, greater):
    """Tell for each value whether the value of the policy is as good; None if the policy gives none."""
    value = fill(law.name, law.total, policy, largest=greater)
    if value is None:
        return None
    better = [value > v if greater else value < v for v in law.distinct]
    level = [same(value, v, law.scale) for v in law.distinct]
    return np.array(better) | np.array(level)


@functools.lru_cache(maxsize=8)
def every_p_value(name, policy, largest):
    """Return M, P, k, tp and the matched and the universal p-value of every table that has a value."""
    found = []
    for total, positives in populations(largest):
        law = scores(name, total, positives)
        if not law.distinct:
            continue
        reach, whole = tails(law, policy)
        best = reach.max(axis=0) / whole
        reach = reach / whole
        for k in range(total + 1):
            found += [
                (total, positives, k, tp, reach[k, i], best[i]) for tp, _, i in law.rows[k] if i is not None
            ]
    return [np.array(column) for column in zip(*found, strict=True)]
