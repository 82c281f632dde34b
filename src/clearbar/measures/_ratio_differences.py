"""Changes of odds, ratios and logarithms when TP moves at fixed margins, without cancellation.

See `_differences`. At fixed margins TN moves with TP, FP and FN against it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.measures._arithmetic import LN_2, log_share


def odds_ratio_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of TP TN / (FP FN)."""
    right, wrong = tp * tn, fp * fn
    moved = right * (fp + fn - steps) + wrong * (tp + tn + steps)
    return steps * moved / (wrong * ((fp - steps) * (fn - steps)))


def log_odds_ratio_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of ln(TP TN / (FP FN)): four terms of one sign."""
    right = np.log1p(steps / tp) + np.log1p(steps / tn)
    return right - (np.log1p(-steps / fp) + np.log1p(-steps / fn))


def yule_q_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of (a - b)/(a + b) with a = TP TN and b = FP FN."""
    right, wrong = tp * tn, fp * fn
    after = (tp + steps) * (tn + steps) + (fp - steps) * (fn - steps)
    moved = wrong * (tp + tn + steps) + right * (fp + fn - steps)
    return 2 * steps * moved / ((right + wrong) * after)


def positive_likelihood_ratio_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of TPR / FPR."""
    return steps * (tp + fp) * (fp + tn) / ((tp + fn) * fp * (fp - steps))


def negative_likelihood_ratio_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of FNR / TNR."""
    return -steps * (fn + tn) * (fp + tn) / ((tp + fn) * tn * (tn + steps))


def information_score_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of log2(M TP / (P k))."""
    return np.log1p(steps / tp) / LN_2


def eds_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of 2 ln(P/M) / ln(TP/M) - 1."""
    return 2 * log_share(tp + fn, fp + tn) * _inverse_log_change(tp, fp + fn + tn, steps)


def seds_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of (ln(k/M) + ln(P/M)) / ln(TP/M) - 1."""
    both = log_share(tp + fp, fn + tn) + log_share(tp + fn, fp + tn)
    return both * _inverse_log_change(tp, fp + fn + tn, steps)


def _inverse_log_change(part: Any, rest: Any, steps: Any) -> Any:
    """Return the change of 1 / ln(part / whole) when steps move from the rest to the part."""
    return -np.log1p(steps / part) / (log_share(part, rest) * log_share(part + steps, rest - steps))


def precision_gain_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of 1 - (P / N) FP / TP."""
    return (tp + fn) / (fp + tn) * (tp + fp) * _inverse_drop(tp, steps)


def recall_gain_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of 1 - (P / N) FN / TP."""
    return (tp + fn) / (fp + tn) * (tp + fn) * _inverse_drop(tp, steps)


def f1_gain_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of 1 - (P / N) (FP + FN) / (2 TP)."""
    return (tp + fn) / (fp + tn) * (2 * tp + fp + fn) / 2 * _inverse_drop(tp, steps)


def _inverse_drop(tp: Any, steps: Any) -> Any:
    """Return by how much 1 / TP falls."""
    return steps / (tp * (tp + steps))


def bangdiwala_b_difference(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of (TP^2 + TN^2) / (P k + N (M - k))."""
    area = (tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)
    return 2 * steps * (tp + tn + steps) / area
