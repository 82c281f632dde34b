"""Every p-value and interval names the method it was found by, whatever the kind of problem and the route."""

import json

import numpy as np
import pytest
from scipy.stats import beta, binom

import clearbar as cb
from clearbar.inference import METHODS
from clearbar.inference.two_rates import p_values
from clearbar.sklearn import cross_evaluate

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, 120)
PREDICTED = np.where(RNG.random(120) < 0.7, Y, 1 - Y)
GROUPS = np.arange(120) // 6
FOLDS = np.arange(120) // 12
SCORES = Y + RNG.normal(0, 1.5, 120)


def counts(tp, fp, fn, tn):
    return cb.evaluate_counts(cb.Counts(tp=tp, fp=fp, fn=fn, tn=tn), "mcc")


def refitted():
    from sklearn.linear_model import LogisticRegression

    X = np.column_stack([SCORES, RNG.normal(size=120)])
    return cross_evaluate(LogisticRegression(), X, Y, cv=4, measures="mcc", permutations=19)


ROUTES = {
    "a mean of counts without order": (
        lambda: cb.evaluate(Y, PREDICTED, "optimized_precision"),
        "estimated",
        "exact",
    ),
    "many samples": (lambda: counts(2_000_000, 900_000, 2_000_000, 2_000_000), "estimated", "exact"),
    "very many samples": (lambda: counts(30 * 10**8, 10**9, 30 * 10**8, 60 * 10**8), "normal", "exact"),
    "a rare class of many samples": (lambda: counts(12, 10_000, 30, 70_000), "exact", "exact"),
    "more points than are looked at": (lambda: counts(12, 10_000, 30, 700_000), "estimated", "exact"),
    "clusters": (lambda: cb.evaluate(Y, PREDICTED, "mcc", clusters=GROUPS), "bootstrap", "permutation"),
    "refits": (refitted, "estimated", "permutation"),
    "roc auc": (lambda: cb.evaluate_scores(Y, SCORES, "roc_auc"), "delong", "exact"),
    "a perfect ranking": (lambda: cb.evaluate_scores(Y, Y, "average_precision"), "estimated", "exact"),
}
"""What the golden cards do not pin, and two that they do."""


@pytest.mark.parametrize(("make", "p_method", "blind"), ROUTES.values(), ids=ROUTES)
def test_every_route_names_its_method_and_documents_hold_it_as_a_code(make, p_method, blind):
    card = make()
    for row in card:
        assert (row.p_method, row.p_blind_method) == (p_method, blind)
        assert row.interval_method == row.p_method
        assert (row.p_draws > 0) == (p_method == "bootstrap") or p_method == "estimated"
        assert (row.p_blind_draws > 0) == (blind == "permutation")
    for row in json.loads(card.to_json())["rows"]:
        assert {row["p_method"], row["interval_method"], row["p_blind_method"]} <= {*METHODS, ""}
        for p, draws in (("p_value", "p_draws"), ("p_value_blind", "p_blind_draws")):
            assert not row[draws] or row[p] >= 1 / (row[draws] + 1)


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
    assert counts(tp, fp, P - tp, N - fp)[0].p_method == "exact"
    one = cb.Counts(tp=np.array([tp]), fp=np.array([fp]), fn=np.array([P - tp]), tn=np.array([N - fp]))
    p = float(p_values([cb.get_measure("accuracy")], one, [np.array([0.6])])[0, 0])
    assert p == pytest.approx(_brute(P, N, tp, fp, 0.6), abs=1e-5)


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
    tails = np.array([1 - np.sqrt(1 - 1e-6), 1 + np.sqrt(1 - 1e-6)]) / 2
    low_a, high_a = beta.ppf(tails, [tp, tp + 1], [P - tp + 1, P - tp])
    low_b, high_b = beta.ppf(tails, [fp, fp + 1], [N - fp + 1, N - fp])
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
