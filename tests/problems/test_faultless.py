"""Means over folds in which nothing failed: p and interval against every outcome of every fold."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import clearbar as cb
from clearbar.core.counts import counts_of
from clearbar.inference.bootstrap import Bootstrap
from clearbar.inference.units import SHARES
from clearbar.problems.folds import WAYS, FoldLabels
from clearbar.sklearn import cross_evaluate

SHAPES = {
    "three of 2 + 3": [(2, 3)] * 3,
    "two of 4 + 5": [(4, 5)] * 2,
    "five of 1 + 9": [(1, 9)] * 5,
    "unlike": [(3, 4), (5, 2), (2, 6)],
    "one left out": [(1, 0)] * 7 + [(0, 1)] * 8,
}
RATES = [(a, b) for a in np.linspace(0.6, 0.99, 4) for b in np.linspace(0.005, 0.4, 4)]


def perfect(shape):
    p, n = np.array(shape).T
    return cb.Counts(tp=p, fp=0 * p, fn=0 * p, tn=n)


def expected(measure, way, shape, a, b):
    """Return the expected score, from every table of every fold; one without a value is worth the least."""
    parts = []
    for (p, n), folds in Counter(shape).items():
        tp, fp = (side.ravel() for side in np.meshgrid(np.arange(p + 1), np.arange(n + 1), indexing="ij"))
        tables = cb.Counts(tp=tp, fp=fp, fn=p - tp, tn=n - fp)
        if way.startswith("precision"):
            none = np.zeros(len(tp))
            ratios = [np.divide(tp, size, out=none.copy(), where=size > 0) for size in (tp + fp, 0 * tp + p)]
        else:
            values = np.asarray(measure(tables), dtype=float)
            empty = 0.0 if measure.name == "f1" else measure.bounds[0]
            ratios = [np.where(np.isnan(values), empty, values)]
        law = binom.pmf(tp, p, a) * binom.pmf(fp, n, b)
        parts += [[law @ ratio for ratio in ratios]] * folds
    means = np.mean(parts, axis=0)
    return means[0] if len(means) == 1 else 2 * means[0] * means[1] / means.sum()


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("accuracy", "mean"),
        ("f1", "mean"),
        ("mcc", "mean_of_defined"),
        ("f1", "precision_recall"),
        ("threat_score", "mean"),
        ("error_rate", "mean"),
    ],
)
def test_no_true_rates_are_refuted_that_often_show_no_failure(name, way, shape):
    """Rates that show no failure with a probability of exp(-x) have no mean below the end at x."""
    measure, counts = cb.get_measure(name), perfect(shape)
    loss = not measure.greater_is_better
    problem = FoldLabels(("m",), tuple(range(len(shape))), WAYS[way], counts[None], "exclude")
    own = problem.without_spread(measure, 0, 0.0 if loss else 1.0)
    p, n = np.array(shape).sum(axis=0)
    for a, b in RATES:
        true = expected(cb.get_measure("accuracy") if loss else measure, way, shape, a, b)
        x = -p * np.log(a) - n * np.log1p(-b)
        assert (1 - own.end(x) if loss else own.end(x)) <= true + 1e-6, (a, b)
    if own.end(0.0) != own.score:  # single samples have no MCC, nor a mean of them
        return
    for x in (1.0, 4.0, 9.0):
        assert own.p_value(own.end(x)) == pytest.approx(2 * np.exp(-x), rel=1e-3)
        assert min(abs(np.array(own.interval(1 - 2 * np.exp(-x), (-1.0, 1.0))) - own.end(x))) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("p", "n", "folds"), [(2, 3, 3), (4, 5, 2), (3, 9, 2)])
@pytest.mark.parametrize("name", ["accuracy", "f1", "g_mean"])
def test_folds_that_all_score_the_same_are_rarely_sure_where_the_true_mean_is_the_bar(name, p, n, folds):
    """Every outcome in which all folds score the same, on a grid of the rates whose mean is the bar."""
    measure = cb.get_measure(name)
    tp, fp = (side.ravel() for side in np.meshgrid(np.arange(p + 1), np.arange(n + 1), indexing="ij"))
    value = np.nan_to_num(np.asarray(measure(cb.Counts(tp=tp, fp=fp, fn=p - tp, tn=n - fp)), dtype=float))
    outcomes = np.array(
        [
            rows
            for score in np.unique(value.round(12))
            for rows in itertools.combinations_with_replacement(
                np.flatnonzero(np.isclose(value, score)).tolist(), folds
            )
        ]
    )
    cells = (tp[outcomes], fp[outcomes], p - tp[outcomes], n - fp[outcomes])
    names = tuple(map(str, range(len(outcomes))))
    problem = FoldLabels(names, tuple(range(folds)), WAYS["mean"], counts_of(cells), "exclude")
    bars = problem.bars([measure])
    bar = float(np.asarray(bars[0].value).item())
    tail = problem.at_the_bar([measure], bars, problem.scores([measure])).upper[:, 0, 0]
    above = value[outcomes[:, 0]] > bar + 1e-9
    orders = np.array([len(set(itertools.permutations(rows))) for rows in outcomes.tolist()])

    a = np.linspace(0.01, 0.999, 60)
    low, high = np.zeros_like(a), np.ones_like(a)

    def mean(b):
        of_x, of_y = binom.pmf(tp, p, a[:, None]), binom.pmf(fp, n, b[:, None])
        return (of_x * of_y) @ value

    for _ in range(45):
        middle = (low + high) / 2
        better = mean(middle) > bar
        low, high = np.where(better, middle, low), np.where(better, high, middle)
    on_curve = np.abs(mean(low) - bar) < 1e-9
    law = binom.pmf(tp, p, a[on_curve, None]) * binom.pmf(fp, n, low[on_curve, None])
    chances = law[:, outcomes].prod(axis=2) * orders
    for alpha in (0.1, 0.05, 0.01):
        false = chances[:, above & (tail <= alpha)].sum(axis=1).max(initial=0.0)
        assert false <= alpha / 2 + 1e-9, (alpha, false)


@pytest.mark.parametrize("aggregate", ["mean", "precision_recall"])
def test_a_perfect_model_on_enough_samples_passes_the_gate(aggregate):
    truth = np.tile([1, 0], 40)
    card = cb.evaluate_folds(truth, truth, np.arange(80) // 16, "f1", aggregate=aggregate)
    assert card.clears()
    assert card[0].p_value == pytest.approx(2e-6)
    assert "supposes failures that were not seen" in card[0].reason
    few = cb.evaluate_folds([1, 0] * 4, [1, 0] * 4, [0] * 4 + [1] * 4, "f1", aggregate=aggregate)
    assert few[0].p_value > 0.05
    assert not few.clears()


@pytest.mark.parametrize("name", ["roc_auc", "brier_score"])
def test_scores_without_a_failure_in_any_fold(name):
    truth = np.tile([1, 0], 60)
    y_score, folds = np.where(truth, 0.97, 0.02), np.arange(120) // 24
    row = cb.evaluate_scores(truth, y_score, name, folds=folds)[0]
    assert row.sure
    assert "supposes failures that were not seen" in row.reason
    worst = row.low if row.measure.greater_is_better else row.high
    wrong = y_score.copy()  # as many failures as are unseen once in 40 test sets, rounded down
    for place in np.flatnonzero(truth)[: int(60 * (1 - 0.025 ** (1 / 60)))]:
        wrong[place] = 0.0
    seen = cb.evaluate_scores(truth, wrong, name, folds=folds)[0].score
    assert (worst <= seen) if row.measure.greater_is_better else (worst >= seen)
    few = cb.evaluate_scores([1, 0] * 4, [0.9, 0.1] * 4, name, folds=[0] * 4 + [1] * 4)[0]
    assert not few.sure


def test_scores_that_fail_alike_in_all_folds_have_no_p():
    truth, scores = np.array([1, 1, 0, 0] * 2), np.array([0.9, 0.3, 0.5, 0.1] * 2)
    row = cb.evaluate_scores(truth, scores, "roc_auc", folds=[0] * 4 + [1] * 4)[0]
    assert np.isnan(row.p_value)
    assert "p_value is not known where all folds score the same though some sample failed" in row.reason


def test_samples_that_are_tested_often_count_once():
    X, y = np.tile([[1.0], [0.0]], (30, 1)), np.tile([1, 0], 30)
    options = {"measures": "f1", "aggregate": "mean"}
    repeated = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    once, twice = (
        cross_evaluate(DecisionTreeClassifier(), X, y, cv=cv, **options)[0]
        for cv in (StratifiedKFold(5), repeated)
    )
    assert (once.p_value, once.low, once.high) == pytest.approx((twice.p_value, twice.low, twice.high))
    blind = cross_evaluate(DummyClassifier(), X, y, cv=StratifiedKFold(5), **options)[0]
    assert not blind.sure


def test_groups_that_fail_together_are_the_units():
    truth = np.tile([1, 0], 30)
    fold, ids = np.arange(60) // 12, np.arange(60) // 6
    cv = [(np.flatnonzero(fold != one), np.flatnonzero(fold == one)) for one in range(5)]
    options = {"cv": cv, "measures": "accuracy", "aggregate": "mean"}
    X = truth[:, None].astype(float)
    alone, together = (
        cross_evaluate(DecisionTreeClassifier(), X, truth, groups=groups, **options)[0]
        for groups in (None, ids)
    )
    assert together.low < alone.low


@pytest.mark.parametrize("units", [20, 200, 5_000])
@pytest.mark.parametrize("bar", [0.5, 0.98, 0.999, 0.99999])
def test_p_and_interval_of_unseen_failures_take_the_share_itself_and_no_grid(units, bar):
    """Where no failure was seen, b^units is the chance of that at a true score of b."""
    shares = SHARES.copy()
    drawn = Bootstrap(1.0, np.ones(9_999), 0.0, units, (1 - shares, np.ones(len(shares))))
    assert drawn.p_value(bar) == pytest.approx(min(1.0, max(2 * bar**units, 2 / 10_000)), rel=2e-3)
    low, high = drawn.interval(0.95, (0.0, 1.0))
    assert low == pytest.approx(0.025 ** (1 / units), rel=1e-9)
    assert high == 1
