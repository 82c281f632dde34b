"""Every p-value and interval names the method it was found by, whatever the kind of problem and the route."""

import json

import numpy as np
import pytest
from scipy.stats import binom

import clearbar as cb
from clearbar.data.answers import Answer
from clearbar.evaluation.answers import judged_answers
from clearbar.evaluation.options import InferenceOptions
from clearbar.problems._protocol import METHODS
from clearbar.sklearn import cross_evaluate

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, 120)
PREDICTED = np.where(RNG.random(120) < 0.7, Y, 1 - Y)
RUNS = np.where(RNG.random((3, 120)) < 0.7, Y, 1 - Y)
GROUPS = np.arange(120) // 6
FOLDS = np.arange(120) // 12
SCORES = Y + RNG.normal(0, 1.5, 120)
CLASSES = RNG.integers(0, 3, 120)
CALLED = np.where(RNG.random(120) < 0.7, CLASSES, (CLASSES + 1) % 3)
NEARLY = np.where(RNG.random(120) < 0.4, CLASSES, RNG.integers(0, 3, 120))
TARGETS = RNG.normal(0, 1, 60)
NUMBERS = TARGETS + RNG.normal(0, 0.8, 60)
SETS = [{label for label in "abc" if RNG.random() < 0.5} for _ in range(60)]
FOUND = [{label for label in one if RNG.random() < 0.8} for one in SETS]


def counts(tp, fp, fn, tn):
    return cb.evaluate_counts(cb.Counts(tp=tp, fp=fp, fn=fn, tn=tn), "mcc")


def tasks(*, grouped, several):
    names = ("one", "two") if several else ("one",)
    rows = [
        Answer("m", name, at, at % 4, (at + (at % 7 < 3)) % 4, 4, at % 7 >= 3, at // 3 if grouped else None)
        for name in names
        for at in range(60)
    ]
    return judged_answers(rows, InferenceOptions(0.95, True, 0))


def refitted():
    from sklearn.linear_model import LogisticRegression

    X = np.column_stack([SCORES, RNG.normal(size=120)])
    return cross_evaluate(LogisticRegression(), X, Y, cv=4, measures="mcc", permutations=19)


ROUTES = {
    "labels": (lambda: cb.evaluate(Y, PREDICTED, "mcc"), "exact", "exact"),
    "slices": (lambda: cb.evaluate(Y, PREDICTED, "f1", by=FOLDS % 3), "exact", "exact"),
    "a mean of counts without order": (
        lambda: cb.evaluate(Y, PREDICTED, "optimized_precision"),
        "estimated",
        "exact",
    ),
    "many samples": (lambda: counts(2_000_000, 900_000, 2_000_000, 2_000_000), "estimated", "exact"),
    "very many samples": (lambda: counts(30 * 10**8, 10**9, 30 * 10**8, 60 * 10**8), "normal", "exact"),
    "a rare class of many samples": (lambda: counts(12, 10_000, 30, 70_000), "exact", "exact"),
    "more points than are looked at": (lambda: counts(12, 10_000, 30, 700_000), "estimated", "exact"),
    "runs": (lambda: cb.evaluate(Y, RUNS, "mcc"), "bootstrap", "permutation"),
    "clusters": (lambda: cb.evaluate(Y, PREDICTED, "mcc", clusters=GROUPS), "bootstrap", "permutation"),
    "pooled folds": (lambda: cb.evaluate_folds(Y, PREDICTED, FOLDS, "mcc"), "estimated", "exact"),
    "mean of folds": (
        lambda: cb.evaluate_folds(Y, PREDICTED, FOLDS, "accuracy", aggregate="mean"),
        "t",
        "exact",
    ),
    "faultless folds": (
        lambda: cb.evaluate_folds(Y, Y, FOLDS, "accuracy", aggregate="mean"),
        "estimated",
        "exact",
    ),
    "refits": (refitted, "estimated", "permutation"),
    "classes, share right": (lambda: cb.evaluate_multiclass(CLASSES, CALLED, "accuracy"), "exact", "exact"),
    "classes": (lambda: cb.evaluate_multiclass(CLASSES, NEARLY, "f1_macro"), "estimated", "permutation"),
    "classes, folds": (
        lambda: cb.evaluate_folds(CLASSES, CALLED, FOLDS, "f1_macro"),
        "estimated",
        "permutation",
    ),
    "classes, clusters": (
        lambda: cb.evaluate_multiclass(CLASSES, CALLED, "accuracy", clusters=GROUPS),
        "bootstrap",
        "permutation",
    ),
    "each class": (lambda: cb.evaluate_multiclass(CLASSES, CALLED).per_class("f1"), "exact", "exact"),
    "roc auc": (lambda: cb.evaluate_scores(Y, SCORES, "roc_auc"), "delong", "exact"),
    "roc auc of one positive": (
        lambda: cb.evaluate_scores([1, 0, 0, 0], [0.9, 0.1, 0.95, 0.3], "roc_auc"),
        "exact",
        "exact",
    ),
    "average precision": (
        lambda: cb.evaluate_scores(Y, SCORES, "average_precision"),
        "bootstrap",
        "permutation",
    ),
    "log loss": (
        lambda: cb.evaluate_scores(Y, 1 / (1 + np.exp(-SCORES)), "log_loss"),
        "bootstrap",
        "estimated",
    ),
    "a perfect ranking": (lambda: cb.evaluate_scores(Y, Y, "average_precision"), "estimated", "exact"),
    "scores, clusters": (
        lambda: cb.evaluate_scores(Y, SCORES, "roc_auc", clusters=GROUPS),
        "bootstrap",
        "permutation",
    ),
    "numbers": (lambda: cb.evaluate_regression(TARGETS, NUMBERS, "mae"), "bootstrap", "permutation"),
    "label sets": (lambda: cb.evaluate_multilabel(SETS, FOUND, "f1_macro"), "bootstrap", "permutation"),
    "one task": (lambda: tasks(grouped=False, several=False), "exact", "exact"),
    "tasks": (lambda: tasks(grouped=False, several=True), "bootstrap", "exact"),
    "tasks of clusters": (lambda: tasks(grouped=True, several=True), "estimated", "permutation"),
}


@pytest.mark.parametrize("route", ROUTES)
def test_every_route_names_its_method_and_documents_hold_it_as_a_code(route):
    make, p_method, blind = ROUTES[route]
    card = make()
    for row in card[:1] if route.startswith("tasks") else card:  # of which the first is their mean
        if row.outcome == "undefined":
            assert (row.p_method, row.interval_method, row.p_blind_method) == ("", "", "")
            continue
        assert (row.p_method, row.p_blind_method) == (p_method, blind)
        assert row.interval_method == row.p_method
        assert (row.p_draws > 0) == (p_method == "bootstrap") or p_method == "estimated"
        assert (row.p_blind_draws > 0) == (blind == "permutation")
    for row in json.loads(card.to_json())["rows"]:
        for name in ("p_method", "interval_method", "p_blind_method"):
            assert row[name] in {*METHODS, ""}
        for p, method, draws in (
            ("p_value", "p_method", "p_draws"),
            ("p_value_blind", "p_blind_method", "p_blind_draws"),
        ):
            assert (row[p] is None) == (row[method] in {"unknown", ""})
            assert row[p] is None or not row[draws] or row[p] >= 1 / (row[draws] + 1)


def test_nothing_is_named_that_was_not_asked_for_or_has_no_value():
    asked = cb.evaluate(Y, PREDICTED, "mcc", intervals=False)[0]
    assert (asked.p_method, asked.interval_method, asked.p_blind_method) == ("", "", "")
    few = cb.evaluate(Y, PREDICTED, "mcc", by=FOLDS, clusters=GROUPS)
    assert few[1].group is not None
    assert (few[1].p_method, few[1].p_blind_method, few[1].sure) == ("unknown", "unknown", False)
    none = cb.evaluate([0, 1, 0, 1], [0, 0, 0, 0], "precision")[0]
    assert (none.outcome, none.p_method, none.p_blind_method) == ("undefined", "", "")


def test_a_bare_score_names_them_too():
    bar = cb.baseline(cb.Population(31, 18), "f1")
    assert (bar.judge(0.9).p_method, bar.judge(0.9).p_blind_method) == ("exact", "exact")
    large = cb.baseline(cb.Population(60_000, 30_000), "f1").judge(0.68)
    assert large.p_method == "estimated"
    scores = cb.baseline_scores(cb.Population(40, 20), "roc_auc").judge(0.9)
    assert scores.p_method == "unknown"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("P", "N", "tp", "fp"), [(150, 150, 85, 61), (40, 400, 22, 141), (300, 200, 202, 71)]
)
def test_exact_is_exact_beyond_ten_thousand_tables(P, N, tp, fp):
    """Accuracy against 0.6 by every outcome, T from a grid of the null hypothesis, within the box."""
    card = counts(tp, fp, P - tp, N - fp)
    assert card[0].p_method == "exact"
    bar = 0.6
    found = cb.get_measure("accuracy")
    from clearbar.inference.two_rates import p_values

    one = cb.Counts(tp=np.array([tp]), fp=np.array([fp]), fn=np.array([P - tp]), tn=np.array([N - fp]))
    p = float(p_values([found], one, [np.array([bar])])[0, 0])
    assert p == pytest.approx(_brute(P, N, tp, fp, bar), abs=1e-5)


def _brute(P, N, tp, fp, bar):
    """Twice the smaller one-sided p of accuracy over points of the null hypothesis within the box."""
    a = np.linspace(0, 1, 6001)
    b = 1 - (bar * (P + N) - P * a) / N
    a, b = a[(b > 0) & (b < 1) & (a > 0) & (a < 1)], b[(b > 0) & (b < 1) & (a > 0) & (a < 1)]
    x, y = np.arange(P + 1)[:, None], np.arange(N + 1)[:, None]
    null_a = x * np.log(a) + (P - x) * np.log1p(-a)
    null_b = y * np.log(b) + (N - y) * np.log1p(-b)
    best = np.array([np.max(null_a[i] + null_b, axis=1) for i in range(P + 1)])
    free = _entropy(x, P) + _entropy(y, N).T
    score = (x + N - y.T) / (P + N)
    T = np.sign(np.round(score - bar, 12)) * np.sqrt(np.maximum(2 * (free - best), 0))
    # Clopper and Pearson's limits at the square root of one minus a millionth.
    tail = (1 - np.sqrt(1 - 1e-6)) / 2
    low_a, high_a = _limits(tp, P, tail)
    low_b, high_b = _limits(fp, N, tail)
    inside = (a >= low_a) & (a <= high_a) & (b >= low_b) & (b <= high_b)
    of_x, of_y = binom.pmf(x, P, a[inside]), binom.pmf(y, N, b[inside])
    seen = T[tp, fp]
    slack = 1e-6 * max(1.0, abs(seen))  # T is from a grid
    sides = seen - T <= slack, T - seen <= slack
    worst = [float((of_x * (side @ of_y)).sum(axis=0).max()) for side in sides]
    return min(1.0, 2 * (min(worst) + 1e-6))


def _entropy(count, size):
    share = count / size
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(count * np.log(share)) + np.nan_to_num((size - count) * np.log1p(-share))


def _limits(count, size, tail):
    from scipy.stats import beta

    return beta.ppf(tail, count, size - count + 1), beta.ppf(1 - tail, count + 1, size - count)
