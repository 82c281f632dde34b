"""F scores and overlap: how well the true and the predicted positives coincide."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant
from clearbar.catalogue._declare import EVERYTHING_POSITIVE, RIJSBERGEN, SOKOLOVA, family, measure
from clearbar.catalogue._entry import Range


@measure(
    question="How well do precision and recall balance?",
    label="F1",
    aliases="f1_score, Dice, Sørensen, Sørensen-Dice, Sorensen, Czekanowski, F1 measure",
    symbol=r"F_1",
    formula=r"\frac{2\,TP}{2\,TP + FP + FN}",
    bounds=(0, 1),
    source=RIJSBERGEN,
    domain=("P + k > 0",),
    requires=("P > 0", "k > 0"),
    shape="monotone",
    in_empty_fold=0.0,
    facts="affine, better_with_tp, worse_with_fp, concave_in_precision",
)
def f1(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return 2 * tp / (2 * tp + fp + fn)


@family(
    question="How well do precision and recall balance when recall weighs beta times as much?",
    listed={"beta": 2},
    default={"beta": 1},
    allowed={"beta": Range(above=True)},
    short=r"f(?P<beta>\d+(?:\.\d+)?|\.\d+)(?:score|measure)?",
    named=lambda beta: f"f{beta:.12g}",
    label=lambda beta: f"F{beta:.12g}",
    aliases="F, FSCORE, F BETA SCORE, FBETA SCORE, F measure, f_meas",
    symbol=lambda beta: rf"F_{{{float(beta):g}}}",
    formula=r"\frac{(1+\beta^2)\,TP}{(1+\beta^2)\,TP + \beta^2\,FN + FP}",
    bounds=(0, 1),
    source=RIJSBERGEN,
    domain=("P + k > 0",),
    requires=("P > 0", "k > 0"),
    shape="monotone",
    in_empty_fold=0.0,
    facts="affine, better_with_tp, worse_with_fp, concave_in_precision",
)
def fbeta(tp: Any, fp: Any, fn: Any, tn: Any, *, beta: Any) -> Any:
    square = beta * beta
    return (1 + square) * tp / ((1 + square) * tp + square * fn + fp)


@measure(
    question="How well do precision and recall of the negative class balance?",
    label="F1 (negative class)",
    aliases="F1 of the negative class, negative F1, specific F1",
    symbol=r"F_1^{-}",
    formula=r"\frac{2\,TN}{2\,TN + FP + FN}",
    bounds=(0, 1),
    source=SOKOLOVA,
    domain=("N + (M - k) > 0",),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp",
)
def f1_negative(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return 2 * tn / (2 * tn + fp + fn)


# E of both F1 is concave in k, 2kP/(M(P + k)) strictly so where P > 0, that of the negative class
# where N > 0; so are the sums with weights that do not depend on k.
@measure(
    question="How well do precision and recall balance, averaged over both classes?",
    label="F1 macro",
    aliases="macro F1, f1_score_macro",
    symbol=r"F_1^{\mathrm{macro}}",
    formula=r"\frac{1}{2}\left(\frac{2\,TP}{2\,TP + FP + FN} + \frac{2\,TN}{2\,TN + FP + FN}\right)",
    bounds=(0, 1),
    source=SOKOLOVA,
    domain=("P + k > 0", "N + (M - k) > 0"),
    shape="peak",
    facts="affine, better_with_tp, worse_with_fp",
)
def f1_macro(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    wrong = fp + fn
    return tp / (2 * tp + wrong) + tn / (2 * tn + wrong)


@measure(
    question="How well do precision and recall balance, averaged over both classes by their sizes?",
    label="F1 weighted",
    aliases="weighted F1, f1_score_weighted",
    symbol=r"F_1^{\mathrm{weighted}}",
    formula=r"\frac{P}{M}\,\frac{2\,TP}{2\,TP + FP + FN} + \frac{N}{M}\,\frac{2\,TN}{2\,TN + FP + FN}",
    bounds=(0, 1),
    source=SOKOLOVA,
    domain=("P + k > 0", "N + (M - k) > 0"),
    shape="peak",
    facts="affine, better_with_tp, worse_with_fp",
)
def f1_weighted(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    wrong = fp + fn
    positive = (tp + fn) * (2 * tp / (2 * tp + wrong))
    negative = (fp + tn) * (2 * tn / (2 * tn + wrong))
    return (positive + negative) / (tp + wrong + tn)


@measure(
    question="How well do precision, recall, specificity and NPV balance?",
    label="P4",
    aliases="P4 metric, FS, symmetric F",
    symbol=r"P_4",
    formula=r"\frac{4\,TP\,TN}{4\,TP\,TN + (TP + TN)(FP + FN)}",
    bounds=(0, 1),
    source="Sitarz, Extending F1 metric, probabilistic approach, Advances in Artificial "
    "Intelligence and Machine Learning 3(2), 2023",
    domain=("P + k > 0", "N + (M - k) > 0", "TP + TN > 0"),
    facts="smooth, better_with_tp, worse_with_fp",
)
def p4(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    right = 4 * tp * tn
    return right / (right + (tp + tn) * (fp + fn))


@measure(
    question="What is the geometric mean of precision and recall?",
    label="Fowlkes–Mallows",
    aliases="FM, G1, GMEAN1, G mean 1, Fowlkes, Mallows, Fowlkes-Mallows index, Otsuka-Ochiai, "
    "Ochiai, cosine",
    formula=r"\frac{TP}{\sqrt{P\,k}}",
    bounds=(0, 1),
    source="Fowlkes & Mallows, A method for comparing two hierarchical clusterings, Journal of "
    "the American Statistical Association 78(383), 1983",
    domain=("P > 0", "k > 0"),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp, concave_in_precision",
)
def fowlkes_mallows(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / np.sqrt((tp + fn) * (tp + fp))


# E is strictly concave in k: with g(t, u) at t = TP and u = FP all three second differences of
# sqrt(t (N - u)) are at most 0, the mixed one less than 0.
@measure(
    question="What is the geometric mean of recall and specificity?",
    label="G-mean",
    aliases="G2, GMEAN2, G mean 2, geometric_mean, geometric_mean_score, GM",
    symbol=r"G_2",
    formula=r"\sqrt{\frac{TP}{P}\,\frac{TN}{N}}",
    bounds=(0, 1),
    source="Kubat, Holte & Matwin, Machine learning for the detection of oil spills in satellite "
    "radar images, Machine Learning 30(2-3), 1998",
    domain=("P > 0", "N > 0"),
    shape="peak",
    facts="smooth, better_with_tp, worse_with_fp",
)
def g_mean(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return np.sqrt((tp * tn) / ((tp + fn) * (fp + tn)))


# E never falls: the gain is (fn (U + 1) - tn tp)/(U (U + 1)) with U = TP + FP + FN, and its mean
# is never negative (E is concave in k and its last step, from k = M - 1, is P(P - 1)/(M^2(M - 1))).
@measure(
    question="Which share of what is positive or was called so was found?",
    aliases="TS, CSI, critical success index, critical succes index, jaccard, jaccard_score, "
    "jaccard index, IoU, intersection over union, Tanimoto",
    formula=r"\frac{TP}{TP + FP + FN}",
    bounds=(0, 1),
    source="Gilbert, Finley's tornado predictions, American Meteorological Journal 1, 1884",
    domain=("P + k > 0",),
    requires=("P > 0",),
    shape="monotone",
    facts="smooth, better_with_tp, worse_with_fp, concave_in_precision",
)
def threat_score(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / (tp + fp + fn)


# The threat score of the negative class; its gain is never positive.
@measure(
    question="Which share of what is negative or was called so was left alone?",
    label="Jaccard (negative class)",
    aliases="background IoU, jaccard of the negative class",
    symbol=r"J^{-}",
    formula=r"\frac{TN}{TN + FP + FN}",
    bounds=(0, 1),
    source="Everingham et al., The Pascal Visual Object Classes challenge: a retrospective, "
    "International Journal of Computer Vision 111(1), 2015",
    domain=("N + (M - k) > 0",),
    shape="monotone",
    facts="smooth, better_with_tp, worse_with_fp",
)
def jaccard_negative(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tn / (tn + fp + fn)


# Both parts have a concave expectation, strictly so for class sizes from 2 up; with one positive the
# part of the negatives, with one of each the first step of either, makes the sum strict.
@measure(
    question="How much do labels and predictions of a class overlap, averaged over both classes?",
    label="Jaccard macro",
    aliases="mIoU, mean IoU, macro jaccard, jaccard_score_macro",
    symbol=r"\mathrm{mIoU}",
    formula=r"\frac{1}{2}\left(\frac{TP}{TP + FP + FN} + \frac{TN}{TN + FP + FN}\right)",
    bounds=(0, 1),
    source="Everingham et al., The Pascal Visual Object Classes challenge: a retrospective, "
    "International Journal of Computer Vision 111(1), 2015",
    domain=("P + k > 0", "N + (M - k) > 0"),
    shape="peak",
    facts="smooth, better_with_tp, worse_with_fp",
)
def jaccard_macro(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    wrong = fp + fn
    return (tp / (tp + wrong) + tn / (tn + wrong)) / 2


def _tversky_domain(alpha: Any, beta: Any) -> tuple[str]:
    if alpha and beta:
        return ("P + k > 0",)
    if alpha or beta:
        return ("P > 0" if alpha else "k > 0",)
    return ("TP > 0",)


def _tversky_shape(alpha: Any, beta: Any) -> str | None:
    if alpha + beta == 1:  # kP/(M (alpha P + beta k))
        return "monotone" if alpha else "constant"
    return "monotone" if alpha == beta == 1 else None


@family(
    question="How similar are the two sets when a miss costs alpha and a false alarm beta?",
    label="Tversky",
    listed={"alpha": 0.3, "beta": 0.7},
    aliases="Tversky index, TI",
    symbol=lambda alpha, beta: rf"T_{{{float(alpha):g},{float(beta):g}}}",
    formula=r"\frac{TP}{TP + \alpha\,FN + \beta\,FP}",
    bounds=(0, 1),
    source="Tversky, Features of similarity, Psychological Review 84(4), 1977",
    affine=lambda alpha, beta: alpha + beta == 1,
    domain=_tversky_domain,
    shape=_tversky_shape,
    constant=lambda total, positives: positives / total,
    concave_in_precision=lambda alpha, beta: alpha <= 1,  # x / (c + d x) with c, d >= 0
    facts="smooth, better_with_tp, worse_with_fp",
)
def tversky(tp: Any, fp: Any, fn: Any, tn: Any, *, alpha: Any, beta: Any) -> Any:
    # With weights that add up to 1, tp + common is the smaller margin: outside the support, where the
    # slope is read off, tp and both errors are large and of different sign.
    common = np.minimum(fn, fp)
    weighted = (tp + (alpha + beta) * common) + (alpha * (fn - common) + beta * (fp - common))
    return tp / weighted


@measure(
    question="Which share of the larger of the two sets do they have in common?",
    label="Braun-Blanquet",
    aliases="BB, Braun-Blanquet similarity",
    formula=r"\frac{TP}{\max(P, k)}",
    bounds=(0, 1),
    source="Braun-Blanquet, Plant Sociology: the study of plant communities, 1932",
    domain=("P + k > 0",),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp, concave_in_precision",
)
def braun_blanquet(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / np.maximum(tp + fn, tp + fp)


@measure(
    question="Which share of the smaller of the two sets do they have in common?",
    aliases="OC, overlap coefficient, Szymkiewicz-Simpson",
    formula=r"\frac{TP}{\min(P, k)}",
    bounds=(0, 1),
    source="Simpson, Notes on the measurement of faunal resemblance, American Journal of Science 258-A, 1960",
    domain=("P > 0", "k > 0"),
    shape="monotone",
    caution=EVERYTHING_POSITIVE,
    facts="affine, better_with_tp, worse_with_fp",
)
def overlap(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / np.minimum(tp + fn, tp + fp)


@measure(
    question="What is the mean of precision and recall?",
    label="Kulczyński 2",
    aliases="Kulczynski II, mean of precision and recall",
    symbol=r"K_2",
    formula=r"\frac{1}{2}\left(\frac{TP}{k} + \frac{TP}{P}\right)",
    bounds=(0, 1),
    source="Kulczyński, Die Pflanzenassoziationen der Pieninen, Bulletin International de "
    "l'Académie Polonaise des Sciences et des Lettres, 1927",
    domain=("P > 0", "k > 0"),
    shape="monotone",
    caution="Predicting everything positive already reaches (1 + P/M) / 2.",
    facts="affine, better_with_tp, worse_with_fp, concave_in_precision",
)
def kulczynski2(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp / (tp + fp) + tp / (tp + fn)) / 2


@measure(
    question="By how much do precision and recall together exceed 1?",
    label="ICSI",
    aliases="individual classification success index",
    formula=r"\frac{TP}{k} + \frac{TP}{P} - 1",
    bounds=(-1, 1),
    source="Koukoulas & Blackburn, Introducing new indices for accuracy evaluation of classified "
    "images representing semi-natural woodland environments, Photogrammetric Engineering & Remote "
    "Sensing 67(4), 2001",
    domain=("P > 0", "k > 0"),
    shape="monotone",
    caution="Predicting everything positive already reaches P/M.",
    facts="affine, better_with_tp, worse_with_fp, concave_in_precision",
)
def icsi(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return determinant(tp, fp, fn, tp) / ((tp + fp) * (tp + fn))


@measure(
    question="How much do the two sets overlap when every error counts twice?",
    label="Sokal–Sneath 1",
    aliases="Sokal-Sneath",
    symbol=r"\mathrm{SS}_1",
    formula=r"\frac{TP}{TP + 2\,FP + 2\,FN}",
    bounds=(0, 1),
    source="Sokal & Sneath, Principles of Numerical Taxonomy, 1963",
    domain=("P + k > 0",),
    facts="smooth, better_with_tp, worse_with_fp",
)
def sokal_sneath1(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / (tp + 2 * (fp + fn))


@measure(
    question="Which share of the predictions is right when every error counts twice?",
    label="Rogers–Tanimoto",
    aliases="Rogers-Tanimoto similarity",
    symbol=r"\mathrm{RT}",
    formula=r"\frac{TP + TN}{TP + TN + 2\,FP + 2\,FN}",
    bounds=(0, 1),
    source="Rogers & Tanimoto, A computer program for classifying plants, Science 132, 1960",
    domain=("always",),
    facts="smooth, better_with_tp, worse_with_fp",
)
def rogers_tanimoto(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    right = tp + tn
    return right / (right + 2 * (fp + fn))
