"""True scores of few classes: p at the likeliest rates, held against sums over every table."""

import itertools
import math

import numpy as np
import pytest

import clearbar as cb
from clearbar.problems.multiclass import exact as estimated

MEASURES = ("kappa", "mcc", "balanced_accuracy", "f1_macro", "f1_weighted", "precision_macro", "g_mean")
CELLS = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 3]])


def of(name, cells=CELLS):
    matrix = cb.ConfusionMatrix(cells)
    measure = cb.get_measure(name, "multiclass")
    bar = float(cb.baseline_multiclass(matrix.sizes, measure).value)
    return estimated.estimates([measure], matrix, 0.0, 0)[0].tables, bar


def every_table(sizes):
    rows = [[row for row in itertools.product(range(n + 1), repeat=3) if sum(row) == n] for n in sizes]
    return np.array(list(itertools.product(*rows)), dtype=float)


@pytest.mark.parametrize("name", MEASURES[::2])
def test_p_is_the_sum_over_every_table_at_the_fitted_rates(name):
    own, bar = of(name)
    rates, found = own.rows.likeliest(own.function, np.array([bar]))
    assert found.all()
    sizes = own.rows.sizes[:, 0].astype(int)
    tables = every_table(sizes)
    counts = [math.factorial(n) for n in sizes]
    ways = np.prod(counts) / np.array([np.prod([math.factorial(int(c)) for c in t.ravel()]) for t in tables])
    chances = ways * np.prod(rates[0] ** tables, axis=(1, 2))
    assert chances.sum() == pytest.approx(1)
    z = (own.function.value(tables) - bar) / own.rows.spread(own.function, tables)
    here = (own.score - bar) / own.rows.spread(own.function, own.rows.counts)
    exact = chances[~(z < here - 1e-9)].sum()
    above, _ = own.tails(np.array([bar]))
    assert above[0] == pytest.approx(exact, rel=0.15)
    assert own.p_value(bar) == pytest.approx(2 * above[0])


@pytest.mark.parametrize("name", MEASURES)
def test_fitted_rates_are_the_likeliest_of_their_score(name):
    """SciPy finds none that are likelier from anywhere near."""
    optimize = pytest.importorskip("scipy.optimize")
    own, bar = of(name)
    rates, _ = own.rows.likeliest(own.function, np.array([bar]))
    raised = own.rows.counts + 1 / 3
    sizes = own.rows.sizes

    def shares(x):
        e = np.exp(x.reshape(3, 3) - x.reshape(3, 3).max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    start = np.log(rates[0]).ravel()
    best = optimize.minimize(
        lambda x: -(raised * np.log(shares(x))).sum(),
        start + np.random.default_rng(1).normal(0, 0.05, 9),
        constraints=[{"type": "eq", "fun": lambda x: float(own.function.value(sizes * shares(x))) - bar}],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert float(own.function.value(sizes * rates[0])) == pytest.approx(bar, abs=1e-7)
    assert (raised * np.log(rates[0])).sum() >= -best.fun - 1e-4


def test_few_draws_tell_a_small_p():
    """Nine of nine in each of three classes: P = 3^-27 at the bar, from 10,000 tables."""
    own, bar = of("balanced_accuracy", np.diag([9, 9, 9]))
    assert own.p_value(bar) / 2 == pytest.approx(3.0**-27, rel=0.05)


def test_kappa_and_mcc_ask_one_question_at_zero():
    cells = [[4, 1, 1], [1, 4, 1], [1, 1, 4]]
    card = cb.evaluate_multiclass(cb.ConfusionMatrix(cells), None, ["kappa", "mcc"])
    assert card[0].p_value == card[1].p_value
    assert card[0].sure


def test_what_is_outside_of_the_interval_is_refuted():
    for name in ("kappa", "f1_weighted", "g_mean"):
        own, _ = of(name, np.array([[30, 9, 4], [6, 20, 3], [2, 4, 12]]))
        low, high = own.interval(0.95, (-1.0, 1.0))
        assert own.p_value(low - 0.005) < 0.05 < own.p_value(low + 0.005)
        assert own.p_value(high + 0.005) < 0.05 < own.p_value(high - 0.005)


@pytest.mark.parametrize("name", ["kappa", "f1_macro"])
def test_models_at_the_bar_are_refuted_as_seldom_as_said(name):
    """The two worst points of a scan over rates whose score is the bar: docs/many_classes.md."""
    own, bar = of(name, np.diag([20, 5, 3]))
    rows, function = own.rows, own.function
    true = {"kappa": [[0.58, 0.17, 0.25], [0.65, 0.33, 0.02], [0.69, 0.18, 0.13]],
            "f1_macro": [[0.47, 0.48, 0.05], [0.2, 0.41, 0.39], [0.81, 0.03, 0.16]]}[name]  # fmt: skip
    rng = np.random.default_rng(7)
    near = np.array(true) / np.sum(true, axis=1, keepdims=True)
    (true_rates,), _ = rows.likeliest(function, np.array([bar]), rows.sizes * near * 1000)
    tables = rng.multinomial([20, 5, 3], true_rates, size=(300, 3)).astype(float)
    fitted, found = rows.likeliest(function, np.full(300, bar), tables)
    assert found.all()
    z = (function.value(tables) - bar) / rows.spread(function, tables)
    again = rng.multinomial([20, 5, 3], fitted, size=(300, 300, 3)).astype(float)
    drawn = (function.value(again) - bar) / rows.spread(function, again)
    p = (drawn >= z - 1e-9).mean(axis=0)
    assert (p <= 0.025).mean() <= 0.025 + 4 * math.sqrt(0.04 / 300)


@pytest.mark.slow
def test_a_class_of_three_that_is_right_once_by_chance_does_not_clear_the_bar_of_the_g_mean():
    """Without the rates at which it alone is otherwise, 0.05 of all such test sets did, for 0.025."""
    stats = pytest.importorskip("scipy.stats")
    sizes, (_, bar) = (20, 5, 3), of("g_mean", np.diag([20, 5, 3]))
    recalls = (0.94, 0.91, bar**3 / (0.94 * 0.91))
    refuted = 0.0
    for right in itertools.product(*(range(n + 1) for n in sizes)):
        chance = float(np.prod(stats.binom.pmf(right, sizes, recalls)))
        if chance < 2e-4 or math.prod(right) <= bar**3 * math.prod(sizes):
            continue
        wrong = np.subtract(sizes, right)
        own, _ = of("g_mean", np.diag(right) + np.diag(wrong)[:, [1, 2, 0]])
        refuted += chance * (own.p_value(bar) <= 0.05)
    assert 0 < refuted <= 0.025, refuted
