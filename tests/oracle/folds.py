"""Scores combined over folds and their law, by going through every draw in every fold."""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
from tests.oracle.formulas import formula
from tests.oracle.law import table, weights

AGGREGATES = ("pooled", "mean", "mean_of_defined", "precision_recall", "precision_recall_of_defined")

DESIGNS = (  # samples and positives of each fold
    ((3, 1), (2, 1)),
    ((4, 1), (3, 2)),
    ((2, 2), (3, 1)),
    ((3, 0), (3, 2)),
    ((2, 1), (2, 1), (2, 1)),
    ((4, 2), (2, 0), (1, 1)),
    ((5, 1), (2, 1)),
    ((3, 3), (2, 0)),
    ((1, 0), (1, 1), (2, 1)),
    ((5, 2), (4, 3)),
    ((4, 2), (3, 1)),
)


def required(name, total, positives, draws):
    """Whether what the papers' table 2 requires holds, where it is more than having a value."""
    if name in {"f1", "f2"}:
        return positives > 0 and draws > 0
    return positives > 0 if name == "threat_score" else True


def every_outcome(name, total, positives, draws):
    """Whether the measure may be used with this draw: required, and a value whatever happens."""
    values = [
        formula(name, *table(total, positives, draws, tp)) for tp, _ in weights(total, positives, draws)
    ]
    return required(name, total, positives, draws) and all(value is not None for value in values)


def pair(name, tp, fp, fn):
    """Precision and recall; 0 for F scores where they have no value, else None."""
    empty = Fraction(0) if name in {"f1", "f2"} else None
    precision = Fraction(tp, tp + fp) if tp + fp else empty
    recall = Fraction(tp, tp + fn) if tp + fn else empty
    return precision, recall


def of_pair(name, x, y):
    """The measure written in precision and recall, by hand."""
    square = {"f1": 1, "f2": 4}.get(name)
    if square:
        return (1 + square) * x * y / (square * x + y) if x or y else Fraction(0)
    return {
        "precision": lambda: x,
        "recall": lambda: y,
        "fdr": lambda: 1 - x,
        "fowlkes_mallows": lambda: math.sqrt(x * y),
        "threat_score": lambda: x * y / (x + y - x * y) if x or y else Fraction(0),
        "kulczynski2": lambda: (x + y) / 2,
        "sokal_sneath1": lambda: x * y / (2 * x + 2 * y - 3 * x * y) if x or y else Fraction(0),
    }[name]()


def combined(name, tables, aggregate):
    """Return the score of some tables; None where there is none."""
    if aggregate == "pooled":
        return formula(name, *map(sum, zip(*tables, strict=True)))
    used = list(tables)
    if aggregate.endswith("of_defined"):
        used = [one for one in tables if every_outcome(name, *margins(one))]
        if aggregate.startswith("precision"):
            used = [one for one in used if one[0] + one[1] and one[0] + one[2]]
    if not used:
        return None
    if aggregate.startswith("mean"):
        values = [formula(name, *one) for one in used]
        if name in {"f1", "f2"}:
            values = [Fraction(0) if value is None else value for value in values]
        return None if None in values else mean(values)
    pairs = [pair(name, tp, fp, fn) for tp, fp, fn, _ in used]
    if any(None in one for one in pairs):
        return None
    return of_pair(name, *(mean(part) for part in zip(*pairs, strict=True)))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def margins(cells):
    tp, fp, fn, tn = cells
    return tp + fp + fn + tn, tp + fn, tp + fp


def draws_of(design):
    return itertools.product(*(range(total + 1) for total, _ in design))


@functools.lru_cache(maxsize=4096)
def law(name, design, draws, aggregate):
    """Return (score, probability) of every outcome of a draw in each fold."""
    supports = [weights(*fold, k) for fold, k in zip(design, draws, strict=True)]
    whole = math.prod(math.comb(total, k) for (total, _), k in zip(design, draws, strict=True))
    found = []
    for outcome in itertools.product(*supports):
        tables = [table(*fold, k, tp) for fold, k, (tp, _) in zip(design, draws, outcome, strict=True)]
        weight = math.prod(ways for _, ways in outcome)
        found.append((combined(name, tables, aggregate), Fraction(weight, whole)))
    return tuple(found)


def admissible(name, design, draws, aggregate):
    """Whether a bar may use these draws."""
    if any(score is None for score, _ in law(name, design, draws, aggregate)):
        return False
    folds = [(*fold, k) for fold, k in zip(design, draws, strict=True)]
    if aggregate == "pooled":
        return required(name, *(sum(part) for part in zip(*folds, strict=True)))
    if aggregate == "mean" and name not in {"f1", "f2"}:
        return all(every_outcome(name, *fold) for fold in folds)
    if aggregate == "precision_recall" and name not in {"f1", "f2"}:
        return all(required(name, *fold) for fold in folds)
    return True


def expectations(name, design, aggregate):
    """Return the expected score of every admissible draw."""
    return {
        draws: sum(float(score) * float(mass) for score, mass in law(name, design, draws, aggregate))
        for draws in draws_of(design)
        if admissible(name, design, draws, aggregate)
    }


def tail(name, design, draws, aggregate, score, *, greater):
    """Return the probability of a score at least as good; outcomes without a value never are."""
    slack = 1e-9
    return float(
        sum(
            mass
            for value, mass in law(name, design, draws, aggregate)
            if value is not None
            and (float(value) >= score - slack if greater else float(value) <= score + slack)
        )
    )


def designs_up_to(largest):
    """Generate every way to part up to so many samples, some of them positive, into two folds or more."""
    kinds = [(total, positives) for total in range(1, largest) for positives in range(total + 1)]

    def grown(design, left, first):
        if len(design) > 1:
            yield design
        for at in range(first, len(kinds)):
            if kinds[at][0] <= left:
                yield from grown((*design, kinds[at]), left - kinds[at][0], at)

    return grown((), largest, 0)


@functools.cache
def pooled_laws(design):
    """Return for every allocation, once where it has the same law: K, and the probability of every TP."""
    laws = {(0, (1,))}
    for total, positives in design:
        wider = set()
        for (drawn, ways), draws in itertools.product(laws, range(total + 1)):
            grown = [0] * (len(ways) + positives)
            for (tp, more), (at, count) in itertools.product(
                weights(total, positives, draws), enumerate(ways)
            ):
                grown[at + tp] += more * count
            wider.add((drawn + draws, tuple(grown)))
        laws = wider
    drawn, ways = zip(*sorted(laws), strict=True)
    ways = np.array(ways, dtype=np.float64)
    return np.array(drawn), ways / ways.sum(axis=1, keepdims=True)


@functools.cache
def pooled_values(name, total, positives):
    """Return the measure at every K and TP; nan where it has no value or there is no such table."""
    values = np.full((total + 1, positives + 1), np.nan)
    for draws in range(total + 1):
        for tp, _ in weights(total, positives, draws):
            value = formula(name, *table(total, positives, draws, tp))
            values[draws, tp] = np.nan if value is None else float(value)
    return values


def pooled_extremes(name, design, fill=None):
    """Return the smallest and the largest expected score of all allocations; None where there is none.

    With a ``fill`` every allocation counts, and outcomes without a value as that.
    """
    total, positives = map(sum, zip(*design, strict=True))
    drawn, laws = pooled_laws(design)
    values = pooled_values(name, total, positives)[drawn]
    if fill is not None:
        values = np.where(np.isnan(values), float(fill), values)
    means = np.where(laws > 0, laws * values, 0.0).sum(axis=1)
    if fill is None:
        means = means[[required(name, total, positives, k) for k in drawn]]
    means = means[~np.isnan(means)]
    return (means.min(), means.max()) if means.size else None
