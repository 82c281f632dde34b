"""The facts that later steps rely on: each is compared with what enumeration or summation finds."""

from __future__ import annotations

import itertools
from contextlib import suppress
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from tests.catalogue.independent import real, value
from tests.catalogue.tables import (
    MEMBERS,
    TRANSCRIBED,
    admissible,
    cells,
    every_draw,
    every_table,
    numbers,
    support,
)

from clearbar.catalogue import (
    NotExact,
    affine_coefficients,
    get_measure,
    measures,
)
from clearbar.null.nodes import node_chunks

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


def test_affine_coefficients_keep_their_digits_at_any_size():
    total, positives, k = 10**12, 5 * 10**11 + 7, 3 * 10**11 + 11
    slope, intercept = affine_coefficients(get_measure("accuracy"), total, positives, k)
    assert slope == Fraction(2, total)
    assert intercept == Fraction(total - positives - k, total)
    slope, intercept = affine_coefficients(get_measure("mcc"), total, positives, k)
    margins = mpmath.sqrt(positives * (total - positives) * k * (total - k))
    assert float(slope) == pytest.approx(float(total / margins), rel=1e-15)
    assert float(intercept) == pytest.approx(float(-positives * k / margins), rel=1e-15)


@pytest.mark.parametrize(("name", "margins"), [("g_mean", (9, 4, 3)), ("precision", (9, 4, 0))])
def test_without_a_line_or_a_value_there_are_no_coefficients(name, margins):
    with pytest.raises(ValueError, match=r"not affine in TP|has no value at M=9, P=4, k=0: it needs k > 0"):
        affine_coefficients(get_measure(name), *margins)


def runs(shape, steps):
    """Say whether signs of steps fit a shape; a peak may have two equal values at its top."""
    signs = [int(np.sign(step)) for step in steps]
    if shape == "constant":
        return not any(signs)
    if shape == "monotone":
        return not (1 in signs and -1 in signs)
    if shape == "valley":
        signs = [-sign for sign in signs]
    return signs == sorted(signs, reverse=True) and signs.count(0) <= 1


SHAPED = pytest.mark.parametrize("measure", [m for m in MEMBERS if m.shape is not None], ids=str)


@SHAPED
def test_the_declared_shape_is_what_a_wider_scan_finds(measure):
    draws, starts, law = every_draw(25)
    with np.errstate(all="ignore"):
        values = measure.values(*every_table(25))
    means = np.add.reduceat(np.where(np.isfinite(values), values, 0.0) * law, starts)
    at = {tuple(draw): mean for draw, mean in zip(draws.tolist(), means, strict=True)}
    for total in range(1, 26):
        for positives in range(total + 1):
            ks = admissible(measure, total, positives)
            steps = np.diff([at[total, positives, k] for k in ks])
            assert runs(measure.shape, np.where(np.abs(steps) < 1e-12, 0, steps)), (total, positives)


def test_every_affine_measure_has_a_shape_and_only_constants_have_a_constant():
    for measure in MEMBERS:
        assert measure.shape is not None or not measure.affine
        assert (measure.constant is not None) == (measure.shape == "constant")


def test_constants_take_arrays_of_populations():
    total, positives = np.array([[1, 10, 303]]), np.array([[1], [0]])
    for measure in MEMBERS:
        if measure.constant is not None:
            found = np.broadcast_to(measure.constant(total + 0 * positives, positives + 0 * total), (2, 3))
            for row in range(2):
                for column in range(3):
                    single = measure.constant(int(total[0, column]), int(positives[row, 0]))
                    assert found[row, column] == single
    assert get_measure("balanced_accuracy").constant(10, 3) == 0.5
    assert get_measure("chi2").constant(10, 3) == 10 / 9


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


@pytest.mark.parametrize("measure", [m for m in MEMBERS if m.worse_with_fp], ids=str)
def test_what_has_no_value_does_not_disturb_the_search(measure):
    """At fixed TP, tables without a value are the first, the last or all; in TP they come first."""
    for positives in range(8):
        for negatives in range(8 - positives):
            for tp in range(positives + 1 if positives + negatives else 0):
                fp = np.arange(negatives + 1)
                table = (np.full_like(fp, tp), fp, np.full_like(fp, positives - tp), negatives - fp)
                fails = ~measure.domain.holds(table)
                assert fails.all() or not fails[1:-1].any()
    for total in range(1, 9):
        for positives in range(total + 1):
            for k in range(total + 1):
                tp = np.array(support(total, positives, k))
                fails = ~measure.domain.holds(np.broadcast_arrays(*cells(total, positives, k, tp)))
                assert fails.all() or not fails[1:].any()


CONVEX = pytest.mark.parametrize("measure", [m for m in TRANSCRIBED if m.convex_in_tp], ids=str)


@CONVEX
def test_what_is_convex_bends_up_in_a_large_table(measure):
    total = 10**4
    for positives, k in itertools.product((1, 7, 600, 5000, 9000, total), repeat=2):
        tp = np.array(support(total, positives, k), dtype=float)
        values = measure.values(*cells(total, positives, k, tp))
        bend, scale = np.diff(values, 2), np.max(np.abs(values), initial=0)
        assert not np.isfinite(values).any() or (bend >= -1e-14 * scale).all(), (positives, k)


def test_both_ends_of_a_two_sided_measure_are_searched():
    found = {measure.name for measure in TRANSCRIBED if measure.convex_in_tp}
    assert found == {
        "mutual_information",
        "uncertainty_coefficient",
        "chi2",
        "phi_squared",
        "gk_lambda_pred",
        "gk_lambda_true",
    }
    assert all(measure.greater_is_better for measure in TRANSCRIBED if measure.convex_in_tp)


def moments(measure, total, positives, k, *, strided):
    margins = [np.array([number]) for number in (total, positives, k)]
    parts = [nodes for _, nodes in node_chunks(*margins, strided=strided)]
    tp = np.concatenate([nodes.x for nodes in parts]).astype(float)
    weight = np.concatenate([nodes.weight for nodes in parts])
    values = measure.values(*cells(total, positives, k, tp))
    mean = np.sum(weight * values) / np.sum(weight)
    return mean, np.sqrt(np.sum(weight * (values - mean) ** 2) / np.sum(weight)), tp.size


WIDE = [
    (10**4, 3333, 5000),
    (10**4, 5000, 5000),
    (10**4, 9200, 5000),
    (10**4, 1200, 2000),
    (10**6, 700, 333333),
    (10**6, 500000, 600),
    (10**6, 999400, 500000),
    (10**6, 333333, 666667),
    (10**6, 20000, 20000),
]


@pytest.mark.parametrize("measure", [m for m in MEMBERS if m.smooth], ids=str)
def test_smooth_measures_may_be_summed_in_strides(measure):
    for draw in WIDE:
        full, spread, every = moments(measure, *draw, strided=False)
        short, _, few = moments(measure, *draw, strided=True)
        assert few < every / 2
        assert abs(short - full) <= 1e-12 * max(abs(full), spread), draw


def test_what_is_not_smooth_is_not_called_so():
    kinked = {measure.name for measure in TRANSCRIBED if not measure.affine and not measure.smooth}
    assert kinked == {"gk_lambda_pred", "gk_lambda_true", "optimized_precision"}
    full, spread, _ = moments(get_measure("optimized_precision"), 10**6, 20000, 500000, strided=False)
    short, _, _ = moments(get_measure("optimized_precision"), 10**6, 20000, 500000, strided=True)
    assert abs(short - full) > 1e-6 * max(abs(full), spread)


def textbook(measure, *table):
    parameters = {name: Fraction(repr(number)) for name, number in measure.parameters.items()}
    return real(value(measure.family or measure.name, *table, **parameters))


# M = 100, P = 10, value and k of the optimum among draws at which every outcome has a value.
OPTIMA = """
tp 10 100; tn 90 0; fp 0 0; fn 0 100; recall 1 100; specificity 1 0; fpr 0 0; fnr 0 100
precision .1 1..100; npv .9 0..99; fdr .9 1..100; false_omission_rate .1 0..99; prevalence .1 0..100
predicted_positive_rate 1 100; frequency_bias 10 100; detection_rate .1 100; accuracy .9 0
error_rate .1 0; balanced_accuracy .5 0..100; balanced_error_rate .5 0..100
weighted_accuracy(w=0.7) .7 100; informedness 0 0..100; markedness 0 1..99; mcc 0 1..99; kappa 0 0..100
scott_pi 0 10; gwet_ac1 .8895 0; bennett_s .8 0; f1 .1818 100; f2 .3571 100; f1_negative .9474 0
f1_macro .5 10; f1_weighted .8526 0; p4 .2617 52; fowlkes_mallows .3162 100; g_mean .4951 51
threat_score .1 100; jaccard_negative .9 0; jaccard_macro .4511 2; tversky(alpha=0.3,beta=0.7) .137 100
braun_blanquet .1 10..100; overlap 1 100; kulczynski2 .55 100; icsi .1 100; sokal_sneath1 .05263 100
rogers_tanimoto .8182 0; equitable_threat_score .00264 10; yule_q .8 99; yule_y .8 99
positive_likelihood_ratio 1.1 11; negative_likelihood_ratio 1 0; lift 1 1..100; eds 1 100; seds 0 100
edi .8 99; prevalence_threshold .5 100; roc_distance .7137 49; similarity_index .4953 49
information_score 0 100; mutual_information .008613 11,89; uncertainty_coefficient .01837 11,89
chi2 1.01 1..99; phi_squared .0101 1..99; gk_lambda_pred .04668 50; gk_lambda_true .01 1,99
optimized_precision .3914 48; iba .3066 66; adjusted_geometric_mean .5582 28; adjusted_f .4626 57
bangdiwala_b .9 0; net_benefit(w=1) 0 0; standardized_net_benefit(w=1) 0 0
expected_cost(c_fn=5,c_fp=1) .5 0; precision_gain 0 100; recall_gain 1 100; f1_gain .5 100
accuracy_skill 0 0
"""
EXPECTED = [entry.split() for line in OPTIMA.strip().splitlines() for entry in line.split(";")]


def ks(text):
    if ".." in text:
        first, last = map(int, text.split(".."))
        return list(range(first, last + 1))
    return [int(k) for k in text.split(",")]


@pytest.mark.parametrize(("name", "best", "at"), EXPECTED)
def test_the_optimum_is_the_catalogue_s(name, best, at):
    measure, total, positives = get_measure(name), 100, 10
    means = {}
    for k in admissible(measure, total, positives):
        tp = np.array(support(total, positives, k))
        law = [comb(positives, t) * comb(total - positives, k - t) / comb(total, k) for t in tp.tolist()]
        means[k] = float(np.sum(np.array(law) * measure.values(*cells(total, positives, k, tp))))
    top = (min if measure.greater_is_better is False else max)(means.values())
    assert top == pytest.approx(float(best), rel=6e-4, abs=1e-12)
    assert [k for k, mean in means.items() if abs(mean - top) < 1e-12 * max(1, abs(top))] == ks(at)


def test_the_catalogue_s_check_leaves_out_what_has_no_admissible_draw():
    left_out = {measure.name for measure in measures() if measure in TRANSCRIBED} - {
        get_measure(name).name for name, *_ in EXPECTED
    }
    assert left_out == {"diagnostic_odds_ratio", "log_odds_ratio", "discriminant_power", "sedi"}
    for name in left_out:
        assert all(not numbers(get_measure(name).domain.spans(100, p)) for p in range(101))
