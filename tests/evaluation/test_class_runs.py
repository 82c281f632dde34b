"""Runs of one model of many classes: judged by their mean score, on samples that they share."""

import numpy as np
import pytest

import clearbar as cb

TRUTH = np.repeat(["a", "b", "c"], [40, 30, 20])


def test_classes_that_no_run_ever_misses_may_be_missed_unseen():
    """Accuracy of perfect runs: no rates are refuted that show no failure with a probability of 0.025."""
    verdict = cb.evaluate(TRUTH, np.stack([TRUTH, TRUTH]), "accuracy")[0]
    assert verdict.low == pytest.approx(0.025 ** (1 / 90))
