"""Changes of a measure's value, written without cancellation.

A *difference* is what moving TP by ``steps`` does at fixed margins; it makes the variance exact to
the last digits where the values themselves hardly differ. A *gain* is what one more sample, drawn at
random from the predicted negatives, changes on average; its expectation is the step of the expected
score from k to k + 1, and its sign decides where a peak is when the scores agree to all digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant


def _quotient(a: Any, b: Any) -> Any:
    """Return a / b, and 0 for 0/0: no move, no change."""
    return a / np.where(b == 0, 1.0, b)


def root_difference(tp: Any, tn: Any, steps: Any, scale: Any) -> Any:
    """Return the change of ``sqrt(tp * tn / scale)``."""
    before = np.sqrt(tp * tn / scale)
    after = np.sqrt((tp + steps) * (tn + steps) / scale)
    return _quotient(steps * (tp + tn + steps) / scale, after + before)


def g_mean_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of sqrt(TPR TNR)."""
    return root_difference(tp, tn, steps, (tp + fn) * (fp + tn))


def g_mean_gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return the mean change of sqrt(TPR TNR) with one more predicted positive."""
    drawn = np.maximum(tn, 1.0)  # where there is no negative left, the factor tn is 0
    up = fn * np.sqrt(tn) / (np.sqrt(tp + 1) + np.sqrt(tp))
    down = tn * np.sqrt(tp) / (np.sqrt(drawn) + np.sqrt(drawn - 1))
    return (up - down) / ((fn + tn) * np.sqrt((tp + fn) * (fp + tn)))


def adjusted_geometric_mean_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of AGM, which is 0 as long as there is no true positive."""
    total, negatives = tp + fp + fn + tn, fp + tn
    both = total * g_mean_difference(tp, fp, fn, tn, steps)
    won = np.where(tp > 0, 0.0, tn) * (tp + steps > 0)
    lost = np.where(tp + steps > 0, 0.0, tn + steps) * (tp > 0)
    moved = np.where((tp > 0) | (tp + steps > 0), steps, 0.0)
    return (both + (moved + won - lost)) / (total + negatives)


def adjusted_geometric_mean_gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return the mean change of AGM, which is 0 as long as there is no true positive."""
    total, negatives, rest = tp + fp + fn + tn, fp + tn, fn + tn
    first = fn * (total * np.sqrt(tn / ((tp + fn) * negatives)) + tn)
    later = total * g_mean_gain(tp, fp, fn, tn) - tn / rest
    return np.where(tp > 0, later, first / rest) / (total + negatives)


def threat_score_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of TP / (TP + FP + FN)."""
    union = tp + fp + fn
    return steps * (union + tp) / (union * (union - steps))


def threat_score_gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return the mean change of TP / (TP + FP + FN) with one more predicted positive."""
    union = tp + fp + fn
    return determinant(fn, tp, tn, union + 1) / (union * (union + 1) * (fn + tn))


def jaccard_negative_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of TN / (TN + FP + FN)."""
    union = tn + fp + fn
    return steps * (union + tn) / (union * (union - steps))


def jaccard_negative_gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return the mean change of TN / (TN + FP + FN) with one more predicted positive."""
    union = tn + fp + fn
    # fn / (union - 1) of the loss is won back when the sample is a positive
    lost = np.where(union > 1, (fp + tn - 1) / np.maximum(union - 1, 1.0), 1.0)
    return -tn * lost / (union * (fn + tn))


def jaccard_macro_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of the mean of both Jaccard indices."""
    return (
        threat_score_difference(tp, fp, fn, tn, steps) + jaccard_negative_difference(tp, fp, fn, tn, steps)
    ) / 2


def jaccard_macro_gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return the mean change of the mean of both Jaccard indices."""
    return (threat_score_gain(tp, fp, fn, tn) + jaccard_negative_gain(tp, fp, fn, tn)) / 2


def sokal_sneath1_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of TP / (TP + 2 FP + 2 FN)."""
    whole = tp + 2 * (fp + fn)
    return 2 * steps * (2 * tp + fp + fn) / (whole * (whole - 3 * steps))


def rogers_tanimoto_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of (TP + TN) / (TP + TN + 2 FP + 2 FN)."""
    whole = tp + tn + 2 * (fp + fn)
    return 4 * steps * (tp + fp + fn + tn) / (whole * (whole - 2 * steps))


def p4_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of P4 = 4 a / (4 a + b) with a = TP TN, b = (TP + TN)(FP + FN)."""
    right, wrong = tp + tn, fp + fn
    a, b = tp * tn, right * wrong
    a_after = (tp + steps) * (tn + steps)
    b_after = (right + 2 * steps) * (wrong - 2 * steps)
    # 4 (a' b - a b') / ...: what is common to both products is taken out before they are formed
    moved = steps * (right + steps) * b - a * 2 * steps * (wrong - right - 2 * steps)
    return 4 * moved / ((4 * a + b) * (4 * a_after + b_after))


def equitable_threat_score_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of D / (D + M (FP + FN)) with D = TP TN - FP FN."""
    total, wrong = tp + fp + fn + tn, fp + fn
    d = determinant(tp, fp, fn, tn)
    whole = d + total * wrong
    return total * steps * (whole + d) / (whole * (whole - total * steps))


def tversky_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any, *, alpha: Any, beta: Any) -> Any:
    """Return the change of TP / (TP + alpha FN + beta FP)."""
    rest = alpha * fn + beta * fp
    whole = tp + rest
    return steps * (rest + (alpha + beta) * tp) / (whole * (whole + steps * (1 - alpha - beta)))


def chi2_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of M times the squared correlation."""
    return (tp + fp + fn + tn) * phi_squared_difference(tp, fp, fn, tn, steps)


def phi_squared_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of the squared correlation."""
    move = (tp + fp + fn + tn) * steps
    grown = move / ((tp + fn) * (fp + tn))
    return grown * (2 * determinant(tp, fp, fn, tn) + move) / ((tp + fp) * (fn + tn))


def roc_distance_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of sqrt(FNR^2 + FPR^2)."""
    positives, negatives = tp + fn, fp + tn
    before = np.hypot(fn / positives, fp / negatives)
    after = np.hypot((fn - steps) / positives, (fp - steps) / negatives)
    fewer = (2 * fn - steps) / positives**2 + (2 * fp - steps) / negatives**2
    return _quotient(-steps * fewer, after + before)


def roc_distance_gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return the mean change of sqrt(FNR^2 + FPR^2) with one more predicted positive."""
    positives, negatives = tp + fn, fp + tn
    now = np.hypot(fn / positives, fp / negatives)
    found = np.hypot((fn - 1) / positives, fp / negatives)
    alarmed = np.hypot(fn / positives, (fp + 1) / negatives)
    closer = fn * (2 * fn - 1) / (positives**2 * (now + found))
    farther = tn * (2 * fp + 1) / (negatives**2 * (now + alarmed))
    return (farther - closer) / (fn + tn)


def similarity_index_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of 1 - sqrt((FNR^2 + FPR^2) / 2)."""
    return -roc_distance_difference(tp, fp, fn, tn, steps) / np.sqrt(2)


def similarity_index_gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return the mean change of 1 - sqrt((FNR^2 + FPR^2) / 2)."""
    return -roc_distance_gain(tp, fp, fn, tn) / np.sqrt(2)


def adjusted_f_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of the adjusted F: its two denominators are margins."""
    scale = (5 * tp + 4 * fn + fp) * (5 * tn + 4 * fn + fp) / 25
    return root_difference(tp, tn, steps, scale)


def iba_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any, *, alpha: Any) -> Any:
    """Return the change of (1 + alpha (TPR - TNR)) TPR TNR."""
    positives, negatives = tp + fn, fp + tn
    hit, quiet, alarm = tp / positives, tn / negatives, fp / negatives
    hit_after, quiet_after = (tp + steps) / positives, (tn + steps) / negatives
    alarm_after = (fp - steps) / negatives
    # g' h' - g h = g' (h' - h) + (g' - g) h = g (h' - h) + (g' - g) h', whichever h is smaller
    product = quiet / positives + hit_after / negatives
    before, after = hit * quiet, hit_after * quiet_after
    rewarded = np.where(before < after, hit_after + alarm_after, hit + alarm)
    lead = np.minimum(before, after) * ((negatives - positives) / (positives * negatives))
    return steps * (product * ((1 - alpha) + alpha * rewarded) + alpha * lead)


def iba_gain(tp: Any, fp: Any, fn: Any, tn: Any, *, alpha: Any) -> Any:
    """Return the mean change of (1 + alpha (TPR - TNR)) TPR TNR with one more predicted positive."""
    positives, negatives = tp + fn, fp + tn
    hit, quiet, alarm = tp / positives, tn / negatives, fp / negatives
    up = fn / positives * ((1 - alpha) + alpha * (2 * hit + alarm + 1 / positives))
    down = hit * ((1 - alpha) + alpha * (hit + alarm - quiet + 1 / negatives))
    return quiet * (up - down) / (fn + tn)


def optimized_precision_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of ACC - |w| with w = (TPR - TNR)/(TPR + TNR)."""
    positives, negatives = tp + fn, fp + tn
    together = tp * negatives + tn * positives
    together_after = (tp + steps) * negatives + (tn + steps) * positives
    w = determinant(tp, tn, positives, negatives) / together
    w_after = determinant(tp + steps, tn + steps, positives, negatives) / together_after
    # on one side of TPR = TNR the change of w is a product
    product = 2 * positives * steps * (negatives / together) * ((tn - tp) / together_after)
    # from one side to the other, |w| is known best near 0 and what it lacks of 1 is near 1
    lack = 2 * np.minimum(tp * negatives, tn * positives) / together
    lack_after = 2 * np.minimum((tp + steps) * negatives, (tn + steps) * positives) / together_after
    near_one = lack + lack_after < np.abs(w) + np.abs(w_after)
    across = np.where(near_one, lack - lack_after, np.abs(w_after) - np.abs(w))
    return 2 * steps / (positives + negatives) - np.where(w * w_after > 0, np.sign(w) * product, across)
