"""Changes of odds, ratios and logarithms, as in `_differences`: TN moves with TP, FP and FN against it."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import LN_2, log_ratio, log_share, quotient, skewness


def diagnostic_odds_ratio(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    right, wrong = tp * tn, fp * fn
    moved = right * (fp + fn - steps) + wrong * (tp + tn + steps)
    return steps * moved / (wrong * ((fp - steps) * (fn - steps)))


def log_odds_ratio(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    right = np.log1p(steps / tp) + np.log1p(steps / tn)
    return right - (np.log1p(-steps / fp) + np.log1p(-steps / fn))


def yule_q(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    right, wrong = tp * tn, fp * fn
    after = (tp + steps) * (tn + steps) + (fp - steps) * (fn - steps)
    moved = wrong * (tp + tn + steps) + right * (fp + fn - steps)
    return 2 * steps * moved / ((right + wrong) * after)


def yule_y(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    right, wrong = tp * tn, fp * fn
    right_after, wrong_after = (tp + steps) * (tn + steps), (fp - steps) * (fn - steps)
    moved = wrong * (tp + tn + steps) + right * (fp + fn - steps)
    crossed = np.sqrt(right_after) * np.sqrt(wrong) + np.sqrt(right) * np.sqrt(wrong_after)
    whole = (np.sqrt(right) + np.sqrt(wrong)) * (np.sqrt(right_after) + np.sqrt(wrong_after))
    return 2 * quotient(steps * moved, crossed) / whole


def discriminant_power(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return np.sqrt(3) / np.pi * log_odds_ratio(tp, fp, fn, tn, steps)


def prevalence_threshold(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    whole = np.sqrt(fp * positives) + np.sqrt(tp * negatives)
    whole_after = np.sqrt((fp - steps) * positives) + np.sqrt((tp + steps) * negatives)
    crossed = np.sqrt((fp - steps) * tp) + np.sqrt(fp * (tp + steps))
    scale = np.sqrt(positives) * np.sqrt(negatives)
    return -scale * quotient(steps * (tp + fp), crossed) / (whole * whole_after)


def positive_likelihood_ratio(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return steps * (tp + fp) * (fp + tn) / ((tp + fn) * fp * (fp - steps))


def negative_likelihood_ratio(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return -steps * (fn + tn) * (fp + tn) / ((tp + fn) * tn * (tn + steps))


def information_score(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return np.log1p(steps / tp) / LN_2


def eds(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return 2 * log_share(tp + fn, fp + tn) * _inverse_log_change(tp, fp + fn + tn, steps)


def seds(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    both = log_share(tp + fp, fn + tn) + log_share(tp + fn, fp + tn)
    return both * _inverse_log_change(tp, fp + fn + tn, steps)


def edi(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    a, b = -log_share(fp, tn), -log_share(tp, fn)
    more, less = -np.log1p(-steps / fp), -np.log1p(steps / tp)
    return _balance_change(a, b, more, less)


def sedi(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    a = -(log_share(fp, tn) + log_share(fn, tp))
    b = -(log_share(tp, fn) + log_share(tn, fp))
    more = -(np.log1p(-steps / fp) + np.log1p(-steps / fn))
    less = -(np.log1p(steps / tp) + np.log1p(steps / tn))
    return _balance_change(a, b, more, less)


def _balance_change(a: Any, b: Any, more: Any, less: Any) -> Any:
    """Return the change of (a - b)/(a + b) when a grows by `more` and b, against it, by `less`."""
    return 2 * (b * more - a * less) / ((a + b) * ((a + more) + (b + less)))


def mutual_information(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return _information_change(tp, fp, fn, tn, steps) / ((tp + fp + fn + tn) * LN_2)


def uncertainty_coefficient(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    entropy = positives * log_share(positives, negatives) + negatives * log_share(negatives, positives)
    return _information_change(tp, fp, fn, tn, steps) / -entropy


def _information_change(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    """Return the change of the sum of x ln x over the four cells.

    Between x - h and x + h the change of x ln x is 2 h (1 + ln x) less the skewness. The logarithms
    are those of the odds ratio half way, and no cell is empty there.
    """
    half = steps / 2
    middle = tp + half, fp - half, fn - half, tn + half
    tp_bend, fp_bend, fn_bend, tn_bend = (skewness(cell, half) for cell in middle)
    # the larger of each side first: near symmetry they cancel, and then they are equal
    bent = (np.maximum(tp_bend, tn_bend) - np.maximum(fp_bend, fn_bend)) + (
        np.minimum(tp_bend, tn_bend) - np.minimum(fp_bend, fn_bend)
    )
    return np.where(steps == 0, 0.0, steps * log_ratio(*middle) - bent)


def _inverse_log_change(part: Any, rest: Any, steps: Any) -> Any:
    """Return the change of 1 / ln(part / whole) when steps move from the rest to the part."""
    return -np.log1p(steps / part) / (log_share(part, rest) * log_share(part + steps, rest - steps))


def precision_gain(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return (tp + fn) / (fp + tn) * (tp + fp) * _inverse_drop(tp, steps)


def recall_gain(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return (tp + fn) / (fp + tn) * (tp + fn) * _inverse_drop(tp, steps)


def f1_gain(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    return (tp + fn) / (fp + tn) * (2 * tp + fp + fn) / 2 * _inverse_drop(tp, steps)


def _inverse_drop(tp: Any, steps: Any) -> Any:
    """Return by how much 1 / TP falls."""
    return steps / (tp * (tp + steps))


def bangdiwala_b(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    area = (tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)
    return 2 * steps * (tp + tn + steps) / area


def gk_lambda_pred(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    fewer = np.minimum(tp + fp, fn + tn)
    return (_larger_change(tp, fn, steps) + _larger_change(tn, fp, steps)) / fewer


def gk_lambda_true(tp: Any, fp: Any, fn: Any, tn: Any, steps: Any) -> Any:
    fewer = np.minimum(tp + fn, fp + tn)
    return (_larger_change(tp, fp, steps) + _larger_change(tn, fn, steps)) / fewer


def _larger_change(a: Any, b: Any, steps: Any) -> Any:
    """Return the change of max(a, b) when steps move from b to a."""
    return np.maximum(a + steps, b - steps) - np.maximum(a, b)
