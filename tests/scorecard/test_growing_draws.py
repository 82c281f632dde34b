"""Draws grow with the number of models and tries: what is perfect is sure, and no floor decides."""

from __future__ import annotations

import numpy as np
import pytest

import clearbar as cb

TRIES = 300
"""Times the least p-value of 9,999 resamples, 2e-4, that is 0.06."""

SAMPLES = 90
CLUSTERS = np.arange(SAMPLES) // 3


def numbers(rng):
    truth = rng.normal(size=SAMPLES)
    return truth, truth, lambda: rng.permutation(truth)


def label_sets(rng):
    truth = [set(np.flatnonzero(row).tolist()) for row in rng.random((SAMPLES, 5)) < 0.4]
    return truth, truth, lambda: [truth[at] for at in rng.permutation(SAMPLES)]


def rankings(rng):
    truth = rng.permutation(np.arange(SAMPLES) % 3 == 0).astype(int)
    return truth, 0.8 * truth + 0.1 * rng.random(SAMPLES), lambda: rng.random(SAMPLES)


def two_classes(rng):
    truth = rng.permutation(np.arange(SAMPLES) % 3 == 0).astype(int)
    return truth, truth, lambda: rng.permutation(truth)


def runs(rng):
    truth = rng.permutation(np.arange(SAMPLES) % 3 == 0).astype(int)
    return truth, np.stack([truth] * 3), lambda: rng.permuted(np.stack([truth] * 3), axis=1)


def of(judge, measure, **options):
    return lambda truth, models, **how: judge(truth, models, measure, **options, **how)


KINDS = {
    "numbers": (numbers, of(cb.evaluate_regression, "mae")),
    "numbers in clusters": (numbers, of(cb.evaluate_regression, "mae", clusters=np.arange(SAMPLES) // 2)),
    "label sets": (label_sets, of(cb.evaluate_multilabel, "f1_macro")),
    "label sets in clusters": (label_sets, of(cb.evaluate_multilabel, "f1_samples", clusters=CLUSTERS)),
    "average precision": (rankings, of(cb.evaluate_scores, "average_precision")),
    "ks": (rankings, of(cb.evaluate_scores, "ks")),
    "brier": (rankings, of(cb.evaluate_scores, "brier")),
    "scores in clusters": (rankings, of(cb.evaluate_scores, "roc_auc", clusters=CLUSTERS)),
    "two classes in clusters": (two_classes, of(cb.evaluate, "f1", clusters=CLUSTERS)),
    "runs": (runs, of(cb.evaluate, "f1")),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_perfect_model_is_sure_however_many_were_tried(kind):
    make, judge = KINDS[kind]
    truth, perfect, _ = make(np.random.default_rng(1))
    (verdict,) = judge(truth, perfect, tries=TRIES)
    assert verdict.sure
    assert verdict.p_corrected <= 0.05
    floors = [
        sides / (draws + 1) for sides, draws in ((2, verdict.p_draws), (1, verdict.p_blind_draws)) if draws
    ]
    assert all(TRIES * floor < 0.05 for floor in floors)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "label sets"])
def test_the_perfect_one_of_many_models_is_sure(kind):
    """With 12 models at this level the least p-value of 9,999 resamples, 12 times 2e-4, is 0.0024."""
    make, judge = KINDS[kind]
    rng = np.random.default_rng(2)
    truth, perfect, blind = make(rng)
    models = {"perfect": perfect} | {f"blind {at}": blind() for at in range(11)}
    card = judge(truth, models, confidence_level=0.998)
    assert card[0].sure
    assert not any(verdict.sure for verdict in list(card)[1:])


@pytest.mark.slow
def test_models_whose_samples_allow_few_draws():
    """Of 9,000 samples there are 2,222 resamples: 60 times 2/2,223 is 0.054."""
    rng = np.random.default_rng(3)
    truth = rng.normal(size=9_000)
    card = cb.evaluate_regression(truth, {"perfect": truth, "blind": rng.permutation(truth)}, "mse", tries=30)
    assert card[0].sure
    assert card[0].p_draws > 20_000
    assert card[1].p_draws == 2_222
