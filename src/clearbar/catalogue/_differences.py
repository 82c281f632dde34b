"""What moving TP by ``steps`` at fixed margins does to a measure's value, written without cancellation.

It makes the variance exact to the last digits where the values themselves hardly differ. Each change stands
under the name of its measure; those of odds, ratios and logarithms in `_ratio_differences`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant, quotient


def _root(tp: Any, tn: Any, steps: Any, scale: Any) -> Any:
    """Return the change of ``sqrt(tp * tn / scale)``."""
    before = np.sqrt(tp * tn / scale)
    after = np.sqrt((tp + steps) * (tn + steps) / scale)
    return quotient(steps * (tp + tn + steps) / scale, after + before)


def g_mean(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return _root(tp, tn, steps, (tp + fn) * (fp + tn))


def adjusted_geometric_mean(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    total, negatives = tp + fp + fn + tn, fp + tn
    both = total * g_mean(tp, fp, fn, tn, steps)
    won = np.where(tp > 0, 0.0, tn) * (tp + steps > 0)
    lost = np.where(tp + steps > 0, 0.0, tn + steps) * (tp > 0)
    moved = np.where((tp > 0) | (tp + steps > 0), steps, 0.0)
    return (both + (moved + won - lost)) / (total + negatives)


def threat_score(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    union = tp + fp + fn
    return steps * (union + tp) / (union * (union - steps))


def jaccard_negative(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    union = tn + fp + fn
    return steps * (union + tn) / (union * (union - steps))


def jaccard_macro(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    both = threat_score(tp, fp, fn, tn, steps) + jaccard_negative(tp, fp, fn, tn, steps)
    return both / 2


def sokal_sneath1(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    whole = tp + 2 * (fp + fn)
    return 2 * steps * (2 * tp + fp + fn) / (whole * (whole - 3 * steps))


def rogers_tanimoto(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    whole = tp + tn + 2 * (fp + fn)
    return 4 * steps * (tp + fp + fn + tn) / (whole * (whole - 2 * steps))


def p4(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    right, wrong = tp + tn, fp + fn
    a, b = tp * tn, right * wrong
    a_after = (tp + steps) * (tn + steps)
    b_after = (right + 2 * steps) * (wrong - 2 * steps)
    # 4 (a' b - a b') / ...: what is common to both products is taken out before they are formed
    moved = steps * (right + steps) * b - a * 2 * steps * (wrong - right - 2 * steps)
    return 4 * moved / ((4 * a + b) * (4 * a_after + b_after))


def equitable_threat_score(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    total, wrong = tp + fp + fn + tn, fp + fn
    d = determinant(tp, fp, fn, tn)
    whole = d + total * wrong
    return total * steps * (whole + d) / (whole * (whole - total * steps))


def tversky(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any, *, alpha: Any, beta: Any) -> Any:
    rest = alpha * fn + beta * fp
    whole = tp + rest
    return steps * (rest + (alpha + beta) * tp) / (whole * (whole + steps * (1 - alpha - beta)))


def chi2(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return (tp + fp + fn + tn) * phi_squared(tp, fp, fn, tn, steps)


def phi_squared(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    move = (tp + fp + fn + tn) * steps
    grown = move / ((tp + fn) * (fp + tn))
    return grown * (2 * determinant(tp, fp, fn, tn) + move) / ((tp + fp) * (fn + tn))


def roc_distance(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    before = np.hypot(fn / positives, fp / negatives)
    after = np.hypot((fn - steps) / positives, (fp - steps) / negatives)
    fewer = (2 * fn - steps) / positives**2 + (2 * fp - steps) / negatives**2
    return quotient(-steps * fewer, after + before)


def similarity_index(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return -roc_distance(tp, fp, fn, tn, steps) / np.sqrt(2)


def adjusted_f(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    scale = (5 * tp + 4 * fn + fp) * (5 * tn + 4 * fn + fp) / 25
    return _root(tp, tn, steps, scale)


def iba(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any, *, alpha: Any) -> Any:
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


def optimized_precision(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    # ACC - |w| with w = (TPR - TNR)/(TPR + TNR)
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
