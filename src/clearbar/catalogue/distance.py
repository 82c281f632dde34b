"""Trade-offs between recall and specificity: distances in ROC space and adjusted means."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant
from clearbar.catalogue._declare import family, measure
from clearbar.catalogue._entry import Range

_PERKINS = (
    "Perkins & Schisterman, The inconsistency of 'optimal' cutpoints obtained using two criteria "
    "based on the receiver operating characteristic curve, American Journal of Epidemiology "
    "163(7), 2006"
)


# E is strictly convex in k. With x = FNR, y = FPR the Euclidean norm is convex in x and in y and
# has decreasing differences, d2/dxdy <= 0; one more predicted positive lowers x or raises y, so all
# three second differences are at least 0, the mixed one more than 0 (exchangeability does the rest).
@measure(
    question="How far is the classifier from the perfect corner of the ROC plane?",
    label="ROC distance",
    aliases="dInd, roc_dist, distance to corner",
    symbol=r"d",
    formula=r"\sqrt{\left(\frac{FN}{P}\right)^2 + \left(\frac{FP}{N}\right)^2}",
    bounds=(0, math.sqrt(2)),
    greater_is_better=False,
    source=_PERKINS,
    domain=("P > 0", "N > 0"),
    shape="valley",
    facts="smooth, better_with_tp, worse_with_fp",
)
def roc_distance(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    miss, alarm = fn / (tp + fn), fp / (fp + tn)
    return np.sqrt(miss * miss + alarm * alarm)


@measure(
    question="How close is the classifier to the perfect corner of the ROC plane?",
    aliases="sInd",
    symbol=r"s",
    formula=r"1 - \frac{1}{\sqrt{2}}\sqrt{\left(\frac{FN}{P}\right)^2 + \left(\frac{FP}{N}\right)^2}",
    bounds=(0, 1),
    source=_PERKINS,
    domain=("P > 0", "N > 0"),
    shape="peak",
    facts="smooth, better_with_tp, worse_with_fp",
)
def similarity_index(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    hit, miss = tp / positives, fn / positives
    quiet, alarm = tn / negatives, fp / negatives
    # 1 - sqrt(x) = (1 - x)/(1 + sqrt(x)), and 1 - x is a sum of positive parts
    above = (hit * (1 + miss) + quiet * (1 + alarm)) / 2
    return above / (1 + np.sqrt((miss * miss + alarm * alarm) / 2))


@measure(
    question="Which share of the predictions is right, less the imbalance of the two classes' rates?",
    aliases="OP",
    formula=r"\frac{TP + TN}{M} - \frac{\left|TPR - TNR\right|}{TPR + TNR}",
    bounds=(-1, 1),
    source="Ranawana & Palade, Optimized precision: a new measure for classifier performance "
    "evaluation, IEEE Congress on Evolutionary Computation, 2006",
    domain=("P > 0", "N > 0", "TP + TN > 0"),
)
def optimized_precision(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    hits, quiet = tp * negatives, tn * positives
    less, more = np.minimum(hits, quiet), np.maximum(hits, quiet)
    # (TP + TN)/M - (more - less)/(more + less) on one denominator
    above = determinant(less, more, fp + fn, (positives + negatives) + (tp + tn))
    return above / ((positives + negatives) * (hits + quiet))


# The formula is a polynomial of degree 3 in TP and FP, so E is one of degree 3 in k (factorial
# moments). It is 0 at k = 0 and k = M and positive between: its third root lies outside, and
# between two neighbouring roots a cubic turns once.
@family(
    # With a = TPR, b = TNR the slopes are b (1 + 2 alpha a - alpha b), never negative, and
    # a (1 + alpha a - 2 alpha b), never negative up to alpha = 1/2. Beyond, a better TNR may hurt, and
    # where negatives are few so may one more TP, which takes a FP away.
    question="What is the product of recall and specificity when a lead of recall is rewarded?",
    label="IBA",
    listed={"alpha": 1},
    default={"alpha": 1},
    allowed={"alpha": Range(high=1)},
    aliases="index of balanced accuracy",
    symbol=lambda alpha: rf"\mathrm{{IBA}}_{{{float(alpha):g}}}",
    formula=r"\left(1 + \alpha\,(TPR - TNR)\right) TPR\,TNR",
    bounds=(0, 1),
    source="García, Mollineda & Sánchez, Index of balanced accuracy: a performance measure for "
    "skewed class distributions, IbPRIA, 2009",
    domain=("P > 0", "N > 0"),
    shape="peak",
    caution="With alpha above 1/2 it may fall when a prediction is corrected.",
    better_with_tp=lambda alpha: alpha <= Fraction(1, 2),
    worse_with_fp=lambda alpha: alpha <= Fraction(1, 2),
    facts="smooth",
)
def iba(tp: Any, fp: Any, fn: Any, tn: Any, *, alpha: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    hit, alarm = tp / positives, fp / negatives  # 1 + TPR - TNR = TPR + FPR
    return ((1 - alpha) + alpha * (hit + alarm)) * (hit * (tn / negatives))


# Concave in k for the same reason as g_mean; being 0 at TP = 0 keeps all second differences at
# most 0. That exception sits at an empty cell, which a strided window never reaches.
@measure(
    question="What is the geometric mean of both rates when specificity counts as much as there are "
    "negatives?",
    aliases="AGM, adjusted G-mean",
    formula=r"\frac{G_2 + TNR\,N/M}{1 + N/M}\ (0\ \mathrm{if}\ TP = 0)",
    bounds=(0, 1),
    source="Batuwita & Palade, A new performance measure for class imbalance learning: application "
    "to bioinformatics problems, ICMLA, 2009",
    domain=("P > 0", "N > 0"),
    shape="peak",
    facts="smooth, better_with_tp, worse_with_fp",
)
def adjusted_geometric_mean(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    total = positives + negatives
    both = total * np.sqrt((tp * tn) / (positives * negatives))
    return (both + tn) * (tp > 0) / (total + negatives)


@measure(
    question="What is the geometric mean of F2 of the positives and F0.5 of the negatives?",
    label="adjusted F",
    aliases="AGF, adjusted F measure",
    formula=r"\sqrt{F_2^{+}\,F_{0.5}^{-}}",
    bounds=(0, 1),
    source="Maratea, Petrosino & Manzo, Adjusted F-measure and kernel scaling for imbalanced data "
    "learning, Information Sciences 257, 2014",
    domain=("P + k > 0", "N + (M - k) > 0"),
    facts="smooth, better_with_tp, worse_with_fp",
)
def adjusted_f(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    wrong = 4 * fn + fp  # of both F scores, once the fractions of the second are cleared
    return np.sqrt((25 * tp * tn) / ((5 * tp + wrong) * (5 * tn + wrong)))
