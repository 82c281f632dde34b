"""Theorem 1 of Stat. Neerl. and T4: no blind classifier expects more, nor is luckier, than the best draw."""

import functools
import itertools
import math

import numpy as np
import pytest

import clearbar as cb

CASES = [(4, 2), (5, 1), (6, 3), (6, 4)]


@functools.cache
def everything(total, positives):
    """Return the counts of every vector of predictions (rows) against every order of the labels (columns)."""
    predictions = np.array([*itertools.product([0, 1], repeat=total)])
    orders = [np.isin(np.arange(total), chosen) for chosen in itertools.combinations(range(total), positives)]
    tp = predictions @ np.array(orders).T.astype(int)
    k = predictions.sum(axis=1)[:, None]
    return tp, k - tp, positives - tp, total - positives - k + tp


def mixtures(total, rng, admissible):
    """Generate random blind classifiers: laws on the admissible vectors of predictions."""
    size = 2**total
    for spread in (0.05, 0.5, 5.0):
        for _ in range(2):
            law = rng.dirichlet(np.full(size, spread)) * admissible
            if law.sum() > 0:
                yield law / law.sum()
    for vector in rng.choice(np.flatnonzero(admissible), 3):  # constant predictions are mixtures too
        yield np.eye(size)[vector]


def allowed(bar, total):
    """Tell for each vector of predictions whether the bar's policy admits its number of positives."""
    k = np.array([*itertools.product([0, 1], repeat=total)]).sum(axis=1)
    if bar.undefined != "exclude":
        return np.ones(len(k), dtype=bool)
    cells = everything(total, bar.population.positives)
    defined = ~np.isnan(bar.measure(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))).any(axis=1)
    if bar.measure.requires is not None:
        defined &= bar.measure.requires.holds(tuple(cell[:, 0] for cell in cells))
    assert len(k) == len(defined)
    return defined


@pytest.mark.parametrize("policy", ["exclude", 0.0])
@pytest.mark.parametrize("measure", cb.measures(), ids=str)
def test_no_mixture_of_predictions_beats_the_bar(measure, policy):
    rng = np.random.default_rng(11)
    for total, positives in CASES:
        bar = cb.baseline(cb.Population(total, positives), measure, undefined=policy)
        admissible = allowed(bar, total)
        if not admissible.any():
            assert math.isnan(bar.max.value)
            continue
        cells = everything(total, positives)
        scores = measure(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))
        expected = np.where(np.isnan(scores), 0.0, scores).mean(axis=1)
        slack = 1e-13 * max(np.abs(expected).max(), 1)
        for law in mixtures(total, rng, admissible):
            assert bar.min.value - slack <= law @ expected <= bar.max.value + slack
        best = expected[admissible].max(), expected[admissible].min()
        assert best == pytest.approx((bar.max.value, bar.min.value), rel=1e-13, abs=slack)


def test_the_docs_name_the_measures_whose_bar_a_draw_that_is_left_out_could_pass():
    """Passing over outcomes without a value, in all draws of up to 7 samples."""
    passed, without = set(), set()
    for measure in cb.measures():
        if measure.greater_is_better is None:
            continue
        sign = 1 if measure.greater_is_better else -1
        bars = []
        for M, P in itertools.chain.from_iterable(itertools.product([m], range(1, m)) for m in range(4, 8)):
            bar = float(cb.baseline(cb.Population(M, P), measure).value)
            bars.append(bar)
            for k in range(M + 1):
                tp = np.arange(max(0, k - M + P), min(k, P) + 1)
                values = np.asarray(measure.values(tp, k - tp, P - tp, M - P - k + tp), dtype=float)
                ways = np.array([math.comb(P, t) * math.comb(M - P, k - t) for t in tp.tolist()], dtype=float)
                known = np.isfinite(values)
                if known.any() and not known.all() and not np.isnan(bar):
                    mean = float((values[known] * ways[known]).sum() / ways[known].sum())
                    passed |= {measure.name} if sign * (mean - bar) > 1e-9 else set()
        without |= {measure.name} if np.isnan(bars).all() else set()
    assert passed == {
        *("precision_gain", "f1_gain", "positive_likelihood_ratio", "negative_likelihood_ratio"),
        *("information_score", "p4", "seds", "edi", "optimized_precision"),
    }
    assert without == {"diagnostic_odds_ratio", "log_odds_ratio", "discriminant_power", "sedi"}
