"""The facts that later steps rely on: each is compared with what enumeration or summation finds."""

from contextlib import suppress
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from tests.catalogue.tables import MEMBERS, cells, every_table, support

from clearbar.catalogue import NotExact, affine_coefficients, get_measure

each = pytest.mark.parametrize("measure", MEMBERS, ids=str)

TINY = Decimal(10) ** -50


def same(a, b):
    return abs(a - b) <= (0 if isinstance(a - b, Fraction) else TINY)


def exact_values(measure, total, positives, k, points):
    """Return the values at the points that have one."""
    found = {}
    for tp in points:
        with suppress(ZeroDivisionError):
            found[tp] = measure.exactly(*map(Fraction, cells(total, positives, k, tp)))
    return found


@each
def test_affine_means_a_straight_line_in_tp_also_outside_the_support(measure):
    straight = True
    for total in range(2, 7):
        for positives in range(total + 1):
            for k in range(total + 1):
                points = set(support(total, positives, k)) | ({0, total} if measure.affine else set())
                try:
                    values = exact_values(measure, total, positives, k, points)
                except NotExact:
                    assert not measure.affine
                    return
                if len(values) < 2:
                    continue
                with localcontext() as context:
                    context.prec = 60
                    first, second = sorted(values)[:2]
                    slope = (values[second] - values[first]) / (second - first)
                    line = {tp: values[first] + slope * (tp - first) for tp in values}
                    straight &= all(same(values[tp], line[tp]) for tp in values)
                    if measure.affine:
                        assert len(values) == len(points)
                        found = affine_coefficients(measure, total, positives, k)
                        assert same(found[0], slope)
                        assert same(found[1], values[0])
    # without weights it is 1 wherever it has a value, but it has none at TP = 0 for a line to pass
    assert straight == bool(measure.affine) or measure.name == "tversky(alpha=0, beta=0)"


NO_SIDE = {"prevalence", "predicted_positive_rate", "frequency_bias"}
"""Neither end is better."""

WITHOUT_VALUE_AT_MANY_TP = {"edi", "sedi"}
"""The table with the most TP may have no value (FP = 0, FN = 0)."""

INFINITE_AT_MANY_TP = {
    "diagnostic_odds_ratio",
    "log_odds_ratio",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "discriminant_power",
}
"""Their x/0 lie where the search over FP would need a value."""


@each
def test_the_directions_are_what_enumeration_finds(measure):
    """One more TP at fixed margins; one more FP at fixed TP and class sizes."""
    tables = every_table(12)
    row = {table: index for index, table in enumerate(map(tuple, tables.T.tolist()))}
    sign = -1 if measure.greater_is_better is False else 1
    values = sign * measure.values(*tables)
    defined = measure.domain.holds(tuple(tables))
    more_tp, more_fp = True, True
    for (tp, fp, fn, tn), now in row.items():
        later = row.get((tp + 1, fp - 1, fn - 1, tn + 1))
        if later is not None and not np.isnan(values[[now, later]]).any():
            more_tp &= values[later] >= values[now] - 1e-12
        later = row.get((tp, fp + 1, fn, tn - 1))
        if later is not None and defined[now] and defined[later]:
            more_fp &= values[later] <= values[now] + 1e-12
    # the first tables to show it of the index of balanced accuracy have more than 12 samples
    hidden = measure.family == "iba" and measure.parameters["alpha"] > 0.5
    no_tp = measure.name in NO_SIDE or hidden
    no_fp = measure.name in NO_SIDE | WITHOUT_VALUE_AT_MANY_TP | INFINITE_AT_MANY_TP or hidden
    found = {"better_with_tp": more_tp and not no_tp, "worse_with_fp": more_fp and not no_fp}
    wrong = [fact for fact, holds in found.items() if getattr(measure, fact) != holds]
    assert not wrong, f"facts of {measure.name} say otherwise: {wrong}; an unsaid one costs exact p-values"
    if measure.name in WITHOUT_VALUE_AT_MANY_TP | INFINITE_AT_MANY_TP:
        assert more_tp


@pytest.mark.parametrize("alpha", [0.51, 0.6, 1])
def test_the_index_of_balanced_accuracy_may_fall_when_a_prediction_is_corrected(alpha):
    iba = get_measure("iba", alpha=alpha)
    assert iba(tp=10**5 + 1, fp=0, fn=10**9, tn=100) < iba(tp=10**5, fp=1, fn=10**9 + 1, tn=99)
    assert iba(tp=10**5, fp=0, fn=10**9, tn=100) < iba(tp=10**5, fp=1, fn=10**9, tn=99)


@pytest.mark.parametrize("measure", [m for m in MEMBERS if m.better_with_tp], ids=str)
def test_the_directions_hold_on_large_tables_too(measure):
    """What enumeration of small tables cannot see: very unequal class sizes."""
    rng = np.random.default_rng(9)
    tp, fp, fn, tn = np.floor(np.exp(rng.uniform(0, 14, (4, 20000)))) - (rng.random((4, 20000)) < 0.1)
    sign = -1 if measure.greater_is_better is False else 1
    now = sign * measure.values(tp, fp, fn, tn)
    moves = [(np.minimum(fp, fn) > 0, 1, (tp + 1, fp - 1, fn - 1, tn + 1))]
    if measure.worse_with_fp:
        moves.append((tn > 0, -1, (tp, fp + 1, fn, tn - 1)))
    for possible, direction, table in moves:
        later = sign * measure.values(*table)
        known = possible & np.isfinite(now) & np.isfinite(later)
        change = direction * (later[known] - now[known])
        assert (change >= -1e-12 * np.maximum(1, np.abs(now[known]))).all()
