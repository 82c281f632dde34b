"""Draws grow with the number of models and tries: what is perfect is sure, and no floor decides."""

import numpy as np
import pytest

import clearbar as cb

TRIES = 300
"""Times the least p-value of 9,999 resamples, 2e-4, that is 0.06."""

SAMPLES = 90
CLUSTERS = np.random.default_rng(4).permutation(SAMPLES) // 3


NUMBERS = np.random.default_rng(1).normal(size=SAMPLES)
SETS = np.random.default_rng(2).random((SAMPLES, 5)) < 0.4
THIRD = (np.arange(SAMPLES) % 3 == 0).astype(int)
RANKED = 0.8 * THIRD + 0.1 * np.random.default_rng(3).random(SAMPLES)

KINDS = {
    "numbers": (cb.evaluate_regression, "mae", NUMBERS, NUMBERS, None),
    "numbers in clusters": (cb.evaluate_regression, "mae", NUMBERS, NUMBERS, np.arange(SAMPLES) // 2),
    "label sets": (cb.evaluate_multilabel, "f1_macro", SETS, SETS, None),
    "label sets in clusters": (cb.evaluate_multilabel, "f1_samples", SETS, SETS, CLUSTERS),
    "average precision": (cb.evaluate_scores, "average_precision", THIRD, RANKED, None),
    "brier": (cb.evaluate_scores, "brier", THIRD, RANKED, None),
    "scores in clusters": (cb.evaluate_scores, "roc_auc", THIRD, RANKED, CLUSTERS),
    "two classes in clusters": (cb.evaluate, "f1", THIRD, THIRD, CLUSTERS),
    "runs": (cb.evaluate, "f1", THIRD, np.stack([THIRD] * 3), None),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_perfect_model_is_sure_however_many_were_tried(kind):
    judge, measure, truth, perfect, clusters = KINDS[kind]
    more = {} if clusters is None else {"clusters": clusters}
    (verdict,) = judge(truth, perfect, measure, tries=TRIES, **more)
    assert verdict.sure
    assert verdict.p_corrected <= 0.05
    for sides, draws in ((2, verdict.p_draws), (1, verdict.p_blind_draws)):
        assert not draws or TRIES * sides / (draws + 1) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "label sets"])
def test_the_perfect_one_of_many_models_is_sure(kind):
    """With 12 models at this level the least p-value of 9,999 resamples, 12 times 2e-4, is 0.0024."""
    judge, measure, truth, perfect, clusters = KINDS[kind]
    rng, more = np.random.default_rng(2), {} if clusters is None else {"clusters": clusters}
    samples = 1 if kind == "runs" else 0
    blind = {f"blind {at}": rng.permutation(perfect, axis=samples) for at in range(11)}
    card = judge(truth, {"perfect": perfect} | blind, measure, confidence_level=0.998, **more)
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
