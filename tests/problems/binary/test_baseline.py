"""Bars of one population: large ones, a user's own measures, curves, and how much work they take."""

# ruff: noqa: ARG005 - a formula takes the whole table

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf
from tests.strategies import archetypes_first, measures, members, own_measures, policies, populations

import clearbar as cb
from clearbar.problems.binary import _search

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "core_values.json").read_text("utf-8"))


@pytest.mark.parametrize("row", REFERENCE["optima"], ids=lambda row: f"{row['M']:g}-{row['P']:g}")
def test_g_mean_peaks_where_the_reference_says(row):
    bar = cb.baseline(cb.Population(row["M"], row["P"]), "g_mean")
    assert bar.value == pytest.approx(float(mpf(row["max"])), rel=1e-12)
    if row["M"] <= 10**6:  # beyond, neighbours differ by less than rounding
        assert [k for part in bar.max.predicted_positives for k in part] == row["argmax_k"]
    assert bar.min.value == 0
    assert bar.min.predicted_positives == (range(1), range(row["M"], row["M"] + 1))
    assert bar.certified


@pytest.mark.parametrize("total", [10**3, 10**6, 10**9, 10**12])
def test_complete_sets_at_any_size(total):
    some = total // 3
    everything, one_up, inner = range(total + 1), range(1, total + 1), range(1, total)
    first, last = range(1), range(total, total + 1)
    for name, positives, highest, lowest in (
        ("threat_score", 1, one_up, first),
        ("accuracy", total // 2, everything, everything),
        ("accuracy", some, first, last),
        ("kappa", some, everything, everything),
        ("mcc", some, inner, inner),
        ("braun_blanquet", some, range(some, total + 1), first),
        ("f1_macro", some, range(some, some + 1), None),
        ("precision", total, one_up, one_up),
        ("f1", some, last, range(1, 2)),
    ):
        if name == "f1_macro" and total > 10**6:  # beyond, neighbours differ by less than rounding
            continue
        bar = cb.baseline(cb.Population(total, positives), name)
        assert bar.max.predicted_positives == (highest,), name
        assert lowest is None or bar.min.predicted_positives == (lowest,), name


@pytest.mark.parametrize("total", [10**3, 10**9, 10**12])
def test_constants_are_exact(total):
    population = cb.Population(total, total // 3)
    share = (total // 3) / total
    wanted = {
        "precision": share, "npv": (total - total // 3) / total, "balanced_accuracy": 0.5, "mcc": 0.0,
        "kappa": 0.0, "lift": 1.0, "phi_squared": 1 / (total - 1), "chi2": total / (total - 1),
    }  # fmt: skip
    for name, want in wanted.items():
        bar = cb.baseline(population, name)
        assert bar.max.value == bar.min.value == want


def brute_force(measure, total, positives):
    """Return the expectation for every k by plain summation; nan where an outcome has no value."""
    found = np.full(total + 1, np.nan)
    for k in range(total + 1):
        tp = np.arange(max(0, k + positives - total), min(k, positives) + 1)
        law = [
            math.comb(positives, t) * math.comb(total - positives, k - t) / math.comb(total, k) for t in tp
        ]
        found[k] = np.dot(law, measure(tp=tp, fp=k - tp, fn=positives - tp, tn=total - positives - k + tp))
    return found


@settings(max_examples=60)
@given(populations(30), st.one_of(own_measures(), members()))
def test_any_measure_of_ones_own_is_tried_at_every_k(population, measure):
    expected = brute_force(measure, population.total, population.positives)
    if measure.requires is not None:
        expected[0] = np.nan
        expected[:] = np.nan if population.positives == 0 else expected
    bar = cb.baseline(population, measure)
    if np.isnan(expected).all():
        assert math.isnan(bar.max.value)
        return
    scale = np.nanmax(np.abs(expected))
    for side, want in ((bar.max, np.nanmax(expected)), (bar.min, np.nanmin(expected))):
        assert side.value == pytest.approx(want, rel=1e-12, abs=1e-13 * scale)
        level = np.flatnonzero(np.abs(expected - want) <= 1e-12 * scale).tolist()
        assert [k for part in side.predicted_positives for k in part] == level
        assert side.certified


OWN = {
    # what people write, not all of which means the same for fractions as for floats
    "nan_to_num": lambda tp, fp, fn, tn: np.nan_to_num(tp / (tp + fp)),
    "divide": lambda tp, fp, fn, tn: np.divide(tp, tp + fp, out=np.zeros_like(tp), where=tp + fp > 0),
    "isnan": lambda tp, fp, fn, tn: np.where(np.isnan(tp / (tp + fp)), 0, tp / (tp + fp)),
    "comparison": lambda tp, fp, fn, tn: tp > 1,
    "floor": lambda tp, fp, fn, tn: tp // 2,
    "round": lambda tp, fp, fn, tn: np.round(tp / (tp + fn), 1),
    "root": lambda tp, fp, fn, tn: (tp / (tp + fn)) ** (1 / 3),
    "clip": lambda tp, fp, fn, tn: np.clip(tp - fp, 0, 2),
    "constant": lambda tp, fp, fn, tn: tp * 0 + 1,
}


@pytest.mark.parametrize("name", OWN)
def test_the_function_of_a_users_measure_is_what_floats_make_of_it(name):
    measure = cb.Measure(name, OWN[name], greater_is_better=True)
    expected = brute_force(measure, 10, 3)
    for k, want in enumerate(expected):
        mean = cb.Draw(cb.Population(10, 3), k).distribution(measure).mean()
        assert mean == pytest.approx(want, rel=1e-13, nan_ok=True), k
    bar = cb.baseline(cb.Population(10, 3), measure)
    assert bar.max.value == pytest.approx(np.nanmax(expected), rel=1e-13)
    assert bar.min.value == pytest.approx(np.nanmin(expected), rel=1e-13)


def undeclared(measure):
    """Take away what makes a measure fast: shape, slope, gain and the rest."""
    kept = {name: getattr(measure, name) for name in ("greater_is_better", "domain", "requires")}
    return cb.Measure(measure.name, measure.values, **kept)


@pytest.fixture
def only_searched(monkeypatch):
    """No population is small enough to be scanned."""
    monkeypatch.setattr(_search, "SCAN_DRAWS", 100)
    _search._of_one.cache_clear()
    yield
    _search._of_one.cache_clear()


@pytest.mark.parametrize("measure", archetypes_first([m for m in cb.measures() if m.shape is not None]))
def test_the_declared_shape_finds_what_a_full_scan_finds(measure):
    rng = np.random.default_rng(8)
    for total in (2, 13, 150):
        for positives in {0, 1, 2, total // 2, total - 1, total, int(rng.integers(total + 1))}:
            population = cb.Population(total, positives)
            fast, slow = cb.baseline(population, measure), cb.baseline(population, undeclared(measure))
            for got, want in ((fast.max, slow.max), (fast.min, slow.min)):
                assert got.value == pytest.approx(want.value, rel=1e-12, abs=1e-13, nan_ok=True)
                assert got.predicted_positives == want.predicted_positives, (total, positives)


@pytest.mark.parametrize("thin", [False, True], ids=["full", "few outcomes"])
@pytest.mark.parametrize("name", ["p4", "optimized_precision", "gk_lambda_pred", "gk_lambda_true"])
def test_the_search_finds_what_the_scan_finds(name, thin, request, monkeypatch):
    population = cb.Population(6000, 1350)
    exact = cb.baseline(population, name)
    request.getfixturevalue("only_searched")
    if thin:  # few outcomes show where to look
        monkeypatch.setattr(_search, "THIN", 64)
        monkeypatch.setattr(_search, "FULL_NODES", 2**13)
    searched = cb.baseline(population, name)
    assert exact.certified
    assert not searched.certified
    for got, want in ((searched.max, exact.max), (searched.min, exact.min)):
        assert got.value == pytest.approx(want.value, rel=1e-7 if thin else 1e-13, abs=1e-13)
        assert thin or any(k in part for part in want.predicted_positives for k in got.predicted_positives[0])


def counted(measure):
    """Return a measure, and the numbers of tables that it was asked about."""
    tables = []

    def function(*cells, **parameters):
        tables.append(max(np.size(cell) for cell in cells))
        return measure.function(*cells, **parameters)

    return dataclasses.replace(measure, function=function), tables


@pytest.mark.parametrize("measure", [m for m in cb.measures() if m.shape is not None], ids=str)
def test_a_bar_at_a_thousand_billion_asks_about_few_tables(measure):
    """A guard that counts evaluations, not time: constant shapes a few, peaks some dozen expectations."""
    limit = 2_000 if measure.affine or measure.shape == "constant" else 50_000
    for positives in (1, 5, 10**6, 5 * 10**11, 10**12 - 1):
        watched, tables = counted(measure)
        bar = cb.baseline(cb.Population(10**12, positives), watched)
        assert bar.certified
        assert math.isfinite(bar.max.value)
        assert sum(tables) < limit, positives


@settings(max_examples=60)
@given(populations(), measures(), policies, st.floats(0, 1))
def test_the_expectation_at_a_share_is_that_of_its_draw(population, measure, policy, theta):
    bar = cb.baseline(population, measure, undefined=policy)
    null = cb.Draw.from_theta(population, theta).distribution(measure)
    got, mean, gone = bar.expectation(theta), null.mean(), null.undefined_mass
    assert isinstance(got, float)
    if policy == "exclude" or gone == 0:
        assert got == pytest.approx(mean, rel=1e-12, abs=1e-12, nan_ok=True)
    elif not isinstance(policy, str):
        want = policy * gone + (0 if math.isnan(mean) else mean * (1 - gone))
        assert got == pytest.approx(want, rel=1e-12, abs=1e-12)


@settings(max_examples=40)
@given(populations(), measures(), policies)
def test_the_curve_has_every_k_and_touches_its_optima(population, measure, policy):
    bar = cb.baseline(population, measure, undefined=policy)
    theta, expectation = bar.curve()
    assert theta.tolist() == [k / population.total for k in range(population.total + 1)]
    side = bar.best if bar.best is not None else bar.max
    for part in side.predicted_positives:
        assert expectation[list(part)] == pytest.approx(side.value, rel=1e-12, abs=1e-12)


def test_a_long_curve_is_a_grid_with_both_ends_and_every_optimum():
    bar = cb.baseline(cb.Population(10**12, 5), "g_mean")
    theta, expectation = bar.curve()
    assert 2000 < len(theta) < 2010
    assert (theta[0], theta[-1]) == (0.0, 1.0)
    assert (np.diff(theta) > 0).all()
    assert expectation.max() == pytest.approx(bar.value, rel=1e-12)
    assert bar.max.theta_star[0][0] in theta
    assert bar.expectation(theta[:6].reshape(2, 3)) == pytest.approx(expectation[:6].reshape(2, 3), rel=1e-12)


@pytest.mark.slow
def test_a_search_with_kinks_ends_soon_at_any_size():
    """Sums in full are for the last few draws: half a million outcomes each at this size."""
    watched, tables = counted(cb.get_measure("optimized_precision"))
    bar = cb.baseline(cb.Population(10**12, 3 * 10**11), watched)
    assert not bar.certified
    assert sum(tables) < 2**24
    assert bar.expectation(bar.max.theta_star[0][0]) == pytest.approx(bar.value, rel=1e-9)
