"""How much of an oracle is in a score: against closed forms, the papers' own definition, and skill."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb

LABELS = cb.Population(100, 30)

# Shares in which the authors' package has it (M = 100, P = 30, no errors).
REFERENCE = {
    ("precision", 0.6): 0.024390243902439025,
    ("f1", 0.8): 0.7857142857142857,
    ("balanced_accuracy", 0.75): 0.5,
    ("threat_score", 0.6): 0.7142857142857143,
    ("mcc", 0.5): 0.5,
}


@pytest.mark.parametrize(("case", "expected"), REFERENCE.items())
def test_shares_are_those_of_the_authors(case, expected):
    name, score = case
    assert cb.dutch_scaler(score, LABELS, name) == pytest.approx(expected, rel=1e-14)


def closed(name, s, m, p):
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
        "kappa": lambda: s,
        "mcc": lambda: s,
        "markedness": lambda: s,
    }[name]()


NAMES = ["accuracy", "precision", "npv", "f1", "f2", "fowlkes_mallows", "threat_score", "informedness",
         "balanced_accuracy", "kappa", "mcc", "markedness"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("total", "positives"), [(100, 30), (17, 11), (8, 4)])
def test_shares_are_those_of_closed_forms(name, total, positives):
    population = cb.Population(total, positives)
    bar = float(cb.baseline(population, name).value)
    for share in (0.25, 0.5, 0.9):
        score = bar + share * (1 - bar)
        found = cb.dutch_scaler(score, population, name)
        assert found == pytest.approx(closed(name, score, total, positives), rel=1e-11, abs=1e-14)
    assert cb.dutch_scaler(bar, population, name) == pytest.approx(0, abs=1e-12)
    assert cb.dutch_scaler(1.0, population, name) == 1


@pytest.mark.parametrize("name", [*NAMES, "error_rate", "g_mean"])
@pytest.mark.parametrize("error", [0.0, 0.1])
def test_the_table_of_a_mix_has_its_score(name, error):
    """The definition, in exact fractions: a share of the oracle, the draw of the bar for the rest."""
    measure = cb.get_measure(name)
    bar = cb.baseline(LABELS, measure)
    ends = [end for part in bar.predicted_positives for end in (part.start, part.stop - 1)]
    k = 30 if bar.value == 0 else min(ends) if name != "npv" else max(ends)
    a, t, e = Fraction(3, 8), Fraction(k, 100), Fraction(error).limit_denominator(10)
    tp, fp = 30 * (a * (1 - e) + (1 - a) * t), 70 * (a * e + (1 - a) * t)
    score = float(measure.values(*(np.float64(x) for x in (tp, fp, 30 - tp, 70 - fp))))
    assert cb.dutch_scaler(score, LABELS, measure, oracle_error=error) == pytest.approx(3 / 8, rel=1e-10)


# The largest error at which an oracle still beats the bar.
MOST_WRONG = {
    "accuracy": 30 / 100,
    "f1": 70 / (2 * 70 + 30),
    "f2": 70 / (2 * 70 + 4 * 30),
    "fowlkes_mallows": 70 / (3 * 70 + 30),
    "threat_score": 70 / (70 + 100),
    "informedness": 0.5,
    "precision": 0.5,
    "mcc": 0.5,
}


@pytest.mark.parametrize(("name", "most"), MOST_WRONG.items())
def test_an_oracle_must_beat_the_bar(name, most):
    assert (
        cb.dutch_scaler(float(cb.baseline(LABELS, name).value), LABELS, name, oracle_error=most - 1e-4) < 1e-3
    )
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
    for name in ("accuracy", "balanced_accuracy", "mcc", "kappa"):
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
        ((0.8, LABELS, "f1"), {"oracle_error": "a"}, "oracle_error must be a share from 0 to 1"),
        (("0.8", LABELS, "f1"), {}, "score must be a number or an array of them"),
        ((0.8, [0, 1, 2], "accuracy"), {}, "a binary measure needs two. Judge one class against the rest"),
        ((0.8, cb.Population([9, 8], [3, 3]), "f1"), {}, "y_true must be one Population"),
        ((0.8, cb.Population(9, 0), "mcc"), {}, "MCC has no bar here: there are no positives"),
        ((0.8, LABELS, "frequency_bias"), {}, "has no bar here: .* has no better end"),
    ],
)
def test_what_has_no_share_is_told_so(given, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        cb.dutch_scaler(*given, **options)


def test_labels_will_do():
    assert cb.dutch_scaler(0.8, [1] * 30 + [0] * 70, "f1") == cb.dutch_scaler(0.8, LABELS, "f1")
