"""How much of an oracle is in a score: against closed forms, the papers' own definition, and skill."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import clearbar as cb

LABELS = cb.Population(100, 30)

AUTHORS = json.loads((Path(__file__).parent / "dutch_scaler_authors.json").read_text())
"""What the authors' package answers: measure, class sizes, error of the oracle, score, share."""


@pytest.mark.parametrize("name", sorted({name for name, *_ in AUTHORS}))
def test_shares_are_those_of_the_authors(name):
    for other, positives, negatives, error, score, share in AUTHORS:
        if other == name:
            population = cb.Population(positives + negatives, positives)
            found = cb.dutch_scaler(score, population, name, oracle_error=error)
            assert found == pytest.approx(share, abs=1e-9), (population, error, score)


@pytest.mark.parametrize("name", ["mcc", "kappa", "markedness", "informedness", "precision", "npv"])
@pytest.mark.parametrize(("total", "positives", "error"), [(9, 4, 0.0), (23, 5, 0.1), (40, 31, 0.3)])
def test_no_draw_that_attains_the_bar_needs_less(name, total, positives, error):
    """Each draw on its own, its share found by halving on the definition."""
    measure = cb.get_measure(name)
    population = cb.Population(total, positives)
    bar = cb.baseline(population, measure)
    draws = np.array([k for part in bar.predicted_positives for k in part]) / total

    def mixed(share):
        tp = positives * (share * (1 - error) + (1 - share) * draws)
        fp = (total - positives) * (share * error + (1 - share) * draws)
        return measure.values(tp, fp, positives - tp, total - positives - fp)

    most = float(mixed(np.ones(len(draws)))[0])
    for part in (0.2, 0.5, 0.9):
        score = float(bar.value) + part * (most - float(bar.value))
        low, high = np.zeros(len(draws)), np.ones(len(draws))
        for _ in range(60):
            middle = (low + high) / 2
            short = mixed(middle) < score
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        found = cb.dutch_scaler(score, population, measure, oracle_error=error)
        assert found == pytest.approx(high.min(), abs=1e-12)
        if name not in {"precision", "npv"}:
            at_prevalence = cb.dutch_scaler(score, population, measure, oracle_error=error, draw="prevalence")
            assert at_prevalence == pytest.approx(high[np.argmin(abs(draws - positives / total))], abs=1e-12)


def closed(s, m, p):
    """The share without errors, solved by hand."""
    n = m - p
    return {
        "accuracy": lambda: (m * s - max(p, n)) / min(p, n),
        "precision": lambda: (m * s - p) / (m * s - p + p * m * (1 - s)),
        "npv": lambda: (m * s - n) / (m * s - n + n * m * (1 - s)),
        "f1": lambda: (s * (m + p) - 2 * p) / (s * n),
        "f2": lambda: (s * (m + 4 * p) - 5 * p) / (s * n),
        "fowlkes_mallows": lambda: m / n - p / (s * s * n),
        "threat_score": lambda: (m * s - p) / (n * s),
        "informedness": lambda: s,
        "balanced_accuracy": lambda: 2 * s - 1,
        "kappa": lambda: s * m * min(p, n) / (2 * p * n + s * (min(p, n) ** 2 - p * n)),
    }


NAMES = [*closed(1, 2, 1)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("total", "positives"), [(100, 30), (17, 11)])
def test_shares_are_those_of_closed_forms(name, total, positives):
    population = cb.Population(total, positives)
    bar = float(cb.baseline(population, name).value)
    for share in (0.25, 0.5, 0.9):
        score = bar + share * (1 - bar)
        found = cb.dutch_scaler(score, population, name)
        assert found == pytest.approx(closed(score, total, positives)[name](), rel=1e-11, abs=1e-14)
    assert cb.dutch_scaler(bar, population, name) == pytest.approx(0, abs=1e-12)
    assert cb.dutch_scaler(1.0, population, name) == 1


MOST_WRONG = {"accuracy": 30 / 100, "f1": 70 / (2 * 70 + 30), "fowlkes_mallows": 70 / (3 * 70 + 30),
              "threat_score": 70 / (70 + 100), "informedness": 0.5, "mcc": 0.5}  # fmt: skip
"""The largest error at which an oracle still beats the bar."""


@pytest.mark.parametrize(("name", "most"), MOST_WRONG.items())
def test_an_oracle_must_beat_the_bar(name, most):
    bar = float(cb.baseline(LABELS, name).value)
    assert cb.dutch_scaler(bar, LABELS, name, oracle_error=most - 1e-4) < 1e-3
    with pytest.raises(ValueError, match=r"(where the bar is .*|fall before it rises); take a smaller one"):
        cb.dutch_scaler(0.9, LABELS, name, oracle_error=most + 1e-4)


def test_it_is_a_monotone_function_of_skill_and_its_mean_is_not_that_of_the_mean():
    scores = np.linspace(0.47, 1, 50)
    shares = cb.dutch_scaler(scores, LABELS, "f1")
    skills = cb.skill(scores, cb.baseline(LABELS, "f1"))
    assert shares.shape == scores.shape
    assert (np.diff(shares) > 0).all()
    assert (np.diff(skills) > 0).all()
    both = cb.dutch_scaler([0.6, 1.0], LABELS, "f1")
    assert both.mean() < cb.dutch_scaler(0.8, LABELS, "f1") - 0.03
    for name in ("accuracy", "balanced_accuracy", "informedness"):
        bar = cb.baseline(LABELS, name)
        assert cb.dutch_scaler(0.85, LABELS, name) == pytest.approx(cb.skill(0.85, bar), rel=1e-12)


def test_scores_that_no_mix_has_are_nan_with_a_warning():
    with pytest.warns(cb.UndefinedMeasureWarning, match=r"no mix .* F1 0.3: they have 0.462 to 1"):
        found = cb.dutch_scaler([0.3, 0.8], LABELS, "f1")
    assert np.isnan(found).tolist() == [True, False]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(cb.dutch_scaler(np.nan, LABELS, "f1"))


@pytest.mark.parametrize(
    ("given", "options", "sentence"),
    [
        ((0.8, LABELS, "recall"), {}, "where the bar is 1; choose a measure that can tell"),
        ((0.8, LABELS, "roc_auc"), {}, "'roc_auc' judges scores, not two columns of labels"),
        ((0.8, LABELS, "f1"), {"oracle_error": 2}, "oracle_error must be a share from 0 to 1; found 2"),
        ((0.8, LABELS, "mcc"), {"draw": "most"}, "draw must be 'least' or 'prevalence'; found 'most'"),
        (("0.8", LABELS, "f1"), {}, "score must be a number or an array of them"),
        ((0.8, cb.Population([9, 8], [3, 3]), "f1"), {}, "y_true must be one Population"),
        ((0.8, cb.Population(9, 0), "mcc"), {}, "MCC has no bar here: there are no positives"),
        ((0.8, LABELS, "frequency_bias"), {}, "has no bar here: .* has no better end"),
    ],
)
def test_what_has_no_share_is_told_so(given, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        cb.dutch_scaler(*given, **options)
