"""Tables 2 to 5 of van de Bijl et al., The Dutch Draw (arXiv 2203.13084; J. Appl. Prob. 2024)."""

# ruff: noqa: ARG005 - every cell of a table is a function of the same margins

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from mpmath import mpf
from tests.oracle.bars import as_set
from tests.oracle.closeness import agrees

import clearbar as cb

pytestmark = pytest.mark.slow

# Table 3: the value is a * TP + b; with N = M - P and D = P(M - k) + Nk.
LINEAR = {
    "tp": lambda m, p, k: (1, 0),
    "tn": lambda m, p, k: (1, m - p - k),
    "fn": lambda m, p, k: (-1, p),
    "fp": lambda m, p, k: (-1, k),
    "recall": lambda m, p, k: (Fraction(1, p), 0),
    "specificity": lambda m, p, k: (Fraction(1, m - p), 1 - Fraction(k, m - p)),
    "fnr": lambda m, p, k: (-Fraction(1, p), 1),
    "fpr": lambda m, p, k: (-Fraction(1, m - p), Fraction(k, m - p)),
    "precision": lambda m, p, k: (Fraction(1, k), 0),
    "npv": lambda m, p, k: (Fraction(1, m - k), 1 - Fraction(p, m - k)),
    "fdr": lambda m, p, k: (-Fraction(1, k), 1),
    "false_omission_rate": lambda m, p, k: (-Fraction(1, m - k), Fraction(p, m - k)),
    "f1": lambda m, p, k: (Fraction(2, p + k), 0),
    "f2": lambda m, p, k: (Fraction(5, 4 * p + k), 0),
    "informedness": lambda m, p, k: (Fraction(1, p) + Fraction(1, m - p), -Fraction(k, m - p)),
    "markedness": lambda m, p, k: (Fraction(1, k) + Fraction(1, m - k), -Fraction(p, m - k)),
    "accuracy": lambda m, p, k: (Fraction(2, m), Fraction(m - p - k, m)),
    "balanced_accuracy": lambda m, p, k: (
        (Fraction(1, p) + Fraction(1, m - p)) / 2,
        (1 - Fraction(k, m - p)) / 2,
    ),
    "mcc": lambda m, p, k: tuple(mpf(x) / mpf(p * (m - p) * k * (m - k)) ** 0.5 for x in (m, -p * k)),
    "kappa": lambda m, p, k: tuple(Fraction(x, p * (m - k) + (m - p) * k) for x in (2 * m, -2 * p * k)),
    "fowlkes_mallows": lambda m, p, k: (1 / mpf(p * k) ** 0.5, 0),
}

# Table 3: the expectation, with theta* = k / M.
EXPECTATION = {
    "tp": lambda m, p, t: t * p,
    "tn": lambda m, p, t: (1 - t) * (m - p),
    "fn": lambda m, p, t: (1 - t) * p,
    "fp": lambda m, p, t: t * (m - p),
    "recall": lambda m, p, t: t,
    "specificity": lambda m, p, t: 1 - t,
    "fnr": lambda m, p, t: 1 - t,
    "fpr": lambda m, p, t: t,
    "precision": lambda m, p, t: Fraction(p, m),
    "npv": lambda m, p, t: 1 - Fraction(p, m),
    "fdr": lambda m, p, t: 1 - Fraction(p, m),
    "false_omission_rate": lambda m, p, t: Fraction(p, m),
    "f1": lambda m, p, t: 2 * t * p / (p + m * t),
    "f2": lambda m, p, t: 5 * t * p / (4 * p + m * t),
    "informedness": lambda m, p, t: Fraction(0),
    "markedness": lambda m, p, t: Fraction(0),
    "accuracy": lambda m, p, t: ((1 - t) * (m - p) + t * p) / m,
    "balanced_accuracy": lambda m, p, t: Fraction(1, 2),
    "mcc": lambda m, p, t: Fraction(0),
    "kappa": lambda m, p, t: Fraction(0),
    "fowlkes_mallows": lambda m, p, t: (mpf((t * p).numerator) / (t * p).denominator / m) ** 0.5,
}

DRAWS = [(m, p, k) for m in (2, 3, 7, 10) for p in range(1, m) for k in range(1, m)]
DRAWS += [(303, 139, 27), (10**6, 1, 10**6 - 1), (10**12, 5, 10**11), (10**12, 5 * 10**11, 3)]


@pytest.mark.parametrize("name", LINEAR)
def test_slope_intercept_and_expectation_are_those_of_table_3(name):
    measure = cb.get_measure(name)
    for m, p, k in DRAWS:
        draw = cb.Draw(cb.Population(m, p), k)
        for number, want in zip(measure.affine_coefficients(draw), LINEAR[name](m, p, k), strict=True):
            assert agrees(number, want), (m, p, k, number)
        assert agrees(draw.distribution(name).mean(), EXPECTATION[name](m, p, Fraction(k, m))), (m, p, k)


def everything(m):
    return [range(m + 1)]


def at(k):
    return [range(k, k + 1)]


def from_one(m):
    return [range(1, m + 1)]


def before_all(m):
    return [range(m)]


def _f_score(weight):
    def row(m, p):
        if p == 0:
            return None
        largest = Fraction((1 + weight) * p, weight * p + m), at(m)
        smallest = Fraction((1 + weight) * p, m * (weight * p + 1)), at(1)
        return largest, smallest

    return row


def _accuracy(m, p):
    n = m - p
    if p == n:
        return (Fraction(1, 2), everything(m)), (Fraction(1, 2), everything(m))
    more, fewer = (m, 0) if p > n else (0, m)
    return (Fraction(max(p, n), m), at(more)), (Fraction(min(p, n), m), at(fewer))


def _kappa(m, p):
    draws = from_one(m) if p == 0 else before_all(m) if p == m else everything(m)
    return (Fraction(0), draws), (Fraction(0), draws)


def _fowlkes_mallows(m, p):
    if p == 0:
        return None
    return (mpf(p) ** 0.5 / mpf(m) ** 0.5, at(m)), (mpf(p) ** 0.5 / m, at(1))


def _threat_score(m, p):
    if p == 0:
        return None
    return (Fraction(p, m), from_one(m) if p == 1 else at(m)), (Fraction(0), at(0))


def _constant(value, draws, *, needs=lambda m, p: True):
    def row(m, p):
        return ((value(m, p), draws(m)),) * 2 if needs(m, p) and draws(m)[0] else None

    return row


def _ends(high, low, *, needs=lambda m, p: True):
    """Make a row whose extremes lie at k = 0 and k = M; all draws where both are the same."""

    def row(m, p):
        if not needs(m, p):
            return None
        (largest, top), (smallest, bottom) = high(m, p), low(m, p)
        if largest == smallest:
            return (largest, everything(m)), (smallest, everything(m))
        return (Fraction(largest), at(top)), (Fraction(smallest), at(bottom))

    return row


def _some(m, p):
    return p > 0


def _both(m, p):
    return 0 < p < m


def _zero(m, p):
    return Fraction(0)


# Table 4 as corrected in its errata: max with its k, min with its k; None where no draw is admissible.
EXTREMES = {
    "tp": _ends(lambda m, p: (p, m), lambda m, p: (0, 0)),
    "tn": _ends(lambda m, p: (m - p, 0), lambda m, p: (0, m)),
    "fn": _ends(lambda m, p: (p, 0), lambda m, p: (0, m)),
    "fp": _ends(lambda m, p: (m - p, m), lambda m, p: (0, 0)),
    "recall": _ends(lambda m, p: (1, m), lambda m, p: (0, 0), needs=_some),
    "specificity": _ends(lambda m, p: (1, 0), lambda m, p: (0, m), needs=lambda m, p: p < m),
    "fnr": _ends(lambda m, p: (1, 0), lambda m, p: (0, m), needs=_some),
    "fpr": _ends(lambda m, p: (1, m), lambda m, p: (0, 0), needs=lambda m, p: p < m),
    "precision": _constant(lambda m, p: Fraction(p, m), from_one),
    "npv": _constant(lambda m, p: Fraction(m - p, m), before_all),
    "fdr": _constant(lambda m, p: Fraction(m - p, m), from_one),
    "false_omission_rate": _constant(lambda m, p: Fraction(p, m), before_all),
    "f1": _f_score(1),
    "f2": _f_score(4),
    "informedness": _constant(_zero, everything, needs=_both),
    "markedness": _constant(_zero, lambda m: [range(1, m)]),
    "accuracy": _accuracy,
    "balanced_accuracy": _constant(lambda m, p: Fraction(1, 2), everything, needs=_both),
    "mcc": _constant(_zero, lambda m: [range(1, m)], needs=_both),
    "kappa": _kappa,
    "fowlkes_mallows": _fowlkes_mallows,
    "threat_score": _threat_score,
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_and_where_they_lie_are_those_of_table_4(name):
    populations = [(m, p) for m in (1, 2, 3, 5, 8) for p in range(m + 1)]
    for m, p in [*populations, (303, 139), (306, 153), (10**6, 1), (10**12, 5), (10**12, 10**12 - 1)]:
        bar = cb.baseline(cb.Population(m, p), name)
        row = EXTREMES[name](m, p)
        if row is None:
            assert math.isnan(bar.max.value), (m, p)
            assert bar.max.predicted_positives == bar.min.predicted_positives == ()
            continue
        for side, (value, draws) in zip((bar.max, bar.min), row, strict=True):
            assert agrees(side.value, value), (m, p, side)
            found = list(side.predicted_positives)
            if m > 10**6 and not bar.measure.affine:  # one range that is within 1e-12 of the best
                assert len(found) == 1
                assert draws[0].start in found[0]
            else:
                assert found == draws, (m, p, side)


def test_the_shares_of_an_optimum_round_to_it():
    """Table 4 states them as intervals: half a sample to either side, half-open but for 1."""
    bar = cb.baseline(cb.Population(10, 3), "f1")
    assert bar.max.theta_star == ((1.0, 1.0),)
    assert bar.max.theta == ((0.95, 1.0),)
    assert bar.min.theta_star == ((0.1, 0.1),)
    assert bar.min.theta == ((0.05, 0.15),)
    kappa = cb.baseline(cb.Population(10, 10), "kappa")
    assert kappa.max.theta == ((0.0, 0.95),)
    assert kappa.max.theta_star == ((0.0, 0.9),)


DATA_SETS = {
    # M, P, and the maxima of F1 and FM as printed; G2 to eight digits (the paper prints 0.500) with its k
    "Adult": (48842, 11687, ".386162", ".489164", ".49999809", 24421),
    "Bank Marketing": (45211, 5289, ".209465", ".342030", ".49999215", 22606),
    "Banknote": (1372, 610, ".615540", ".666788", ".49999773", 686),
    "Cleveland": (303, 139, ".628959", ".677308", ".49999199", 152),
    "Haberman": (306, 81, ".418605", ".514496", ".49976367", 153),
    "LSVT": (126, 42, ".5", ".577350", ".49974274", 63),
    "Occupancy": (20560, 4750, ".375346", ".480657", ".49999505", 10280),
    "Wisconsin": (569, 212, ".542894", ".610396", ".49996891", 285),
}


@pytest.mark.parametrize("data", DATA_SETS)
def test_the_maxima_of_table_5_come_out(data):
    """With its errata: the rows of FN and FP are swapped in print, and Banknote has 762 negatives."""
    m, p, f1, fm, g2, k = DATA_SETS[data]
    population = cb.Population(m, p)
    for name, row in EXTREMES.items():
        (largest, _), _ = row(m, p)
        assert agrees(cb.baseline(population, name).max.value, largest), name
    for name, printed in (("f1", f1), ("fowlkes_mallows", fm), ("g_mean", g2)):
        value = cb.baseline(population, name).max.value
        assert abs(value - float(printed)) <= 0.5 * 10.0 ** -(len(printed) - 1) or value == float(printed)
    assert list(cb.baseline(population, "g_mean").max.predicted_positives) == at(k)


BARS = json.loads((Path(__file__).parents[1] / "reference" / "bars_100_10.json").read_text("utf-8"))


@pytest.mark.parametrize("name", BARS)
def test_every_bar_at_10_positives_of_100_is_the_brute_force_one(name):
    """Two programs tried every k: the design's prototype, and tests/reference/make_bars.py."""
    value, draws = BARS[name]
    bar = cb.baseline(cb.Population(100, 10), name)
    side = bar.min if bar.measure.greater_is_better is False else bar.max
    if value is None:
        assert math.isnan(side.value)
        assert "undefined" in bar.reason
        return
    assert float(f"{side.value:.4g}") == float(value)
    assert as_set(side.predicted_positives) == [k for first, last in draws for k in range(first, last + 1)]
