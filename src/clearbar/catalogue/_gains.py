"""What one more sample, drawn at random from the predicted negatives, changes on average.

Its expectation is the step of the expected score from k to k + 1, and its sign decides where a peak is when
the scores agree to all digits. Each gain stands under the name of its measure and is free of cancellation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant


def g_mean(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    drawn = np.maximum(tn, 1.0)  # where there is no negative left, the factor tn is 0
    up = fn * np.sqrt(tn) / (np.sqrt(tp + 1) + np.sqrt(tp))
    down = tn * np.sqrt(tp) / (np.sqrt(drawn) + np.sqrt(drawn - 1))
    return (up - down) / ((fn + tn) * np.sqrt((tp + fn) * (fp + tn)))


def adjusted_geometric_mean(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    total, negatives, rest = tp + fp + fn + tn, fp + tn, fn + tn
    first = fn * (total * np.sqrt(tn / ((tp + fn) * negatives)) + tn)
    later = total * g_mean(tp, fp, fn, tn) - tn / rest
    return np.where(tp > 0, later, first / rest) / (total + negatives)


def threat_score(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    union = tp + fp + fn
    return determinant(fn, tp, tn, union + 1) / (union * (union + 1) * (fn + tn))


def jaccard_negative(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    union = tn + fp + fn
    # fn / (union - 1) of the loss is won back when the sample is a positive
    lost = np.where(union > 1, (fp + tn - 1) / np.maximum(union - 1, 1.0), 1.0)
    return -tn * lost / (union * (fn + tn))


def jaccard_macro(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (threat_score(tp, fp, fn, tn) + jaccard_negative(tp, fp, fn, tn)) / 2


def roc_distance(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    now = np.hypot(fn / positives, fp / negatives)
    distance = np.hypot((fn - 1) / positives, fp / negatives)
    alarmed = np.hypot(fn / positives, (fp + 1) / negatives)
    closer = fn * (2 * fn - 1) / (positives**2 * (now + distance))
    farther = tn * (2 * fp + 1) / (negatives**2 * (now + alarmed))
    return (farther - closer) / (fn + tn)


def similarity_index(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return -roc_distance(tp, fp, fn, tn) / np.sqrt(2)


def iba(tp: Any, fp: Any, fn: Any, tn: Any, *, alpha: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    hit, quiet, alarm = tp / positives, tn / negatives, fp / negatives
    up = fn / positives * ((1 - alpha) + alpha * (2 * hit + alarm + 1 / positives))
    down = hit * ((1 - alpha) + alpha * (hit + alarm - quiet + 1 / negatives))
    return quiet * (up - down) / (fn + tn)
