"""The mean loss of probabilities: its test knows how much these probabilities could lose at most.

The mean of few losses looks too small where large losses are rare, and resamples hold no loss that was not
seen. But the largest possible loss is known: a number for Brier score and RPS, and for log loss that of the
least probability given to a class. So the test is one of means of bounded values (`inference.bounded`).
From each loss, what the model itself expects to lose on samples of that class is subtracted, after these
expectations were centred at the class sizes: score and bar stay as they are, and the losses vary less.
Small classes share one expected loss: that of a single sample would be its own loss.
"""

from __future__ import annotations

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.bootstrap import Test
from clearbar.inference.bounded import BoundedMean, BoundedMeans
from clearbar.inference.units import Groups

SMALL = 5  # samples: classes of fewer have one expected loss together


def mean_loss_test(
    losses: FloatArray,
    probabilities: FloatArray,
    truth: IntArray,
    clusters: IntArray | None,
    most: float | None,
    whole: tuple[float, float] = (0.0, 1.0),
) -> Test | None:
    """Return the test of a mean loss, or of a line in it; None where clusters are too few.

    `losses`, none below 0, has what each sample would lose in each class, of the shape of the probabilities;
    `most` what any sample may lose, None where these probabilities tell. The score is `whole[0]` and
    `whole[1]` times it.
    """
    samples, classes = probabilities.shape
    sizes = np.bincount(truth, minlength=classes)
    given, lost = probabilities.sum(axis=0), np.einsum("ij,ij->j", probabilities, losses)
    present = sizes > 0
    small = present & (sizes < SMALL)
    given[small], lost[small] = given[small].sum(), lost[small].sum()
    expected = lost / np.where(given > 0, given, 1.0)
    expected -= sizes @ expected / samples
    largest = float(losses[:, present].max()) if most is None else most
    low, high = -float(expected[present].max()), largest - float(expected[present].min())
    nothing, times = whole
    sums = (losses[np.arange(samples), truth] - expected[truth] - low) / (high - low)
    counts = np.ones(samples)
    if clusters is not None:
        groups = Groups.of(clusters)
        if groups.too_few:
            return None
        sums, counts = groups.sums(sums), groups.sizes.astype(np.float64)
    note = Reason.of("bounded_losses" if most is None else "bounded_losses_known", most=largest)
    if times < 0:
        sums, low, high = counts - sums, high, low
    means = [BoundedMean.of(sums, counts)]
    return BoundedMeans(nothing + times * low, [times * (high - low)], means, note)
