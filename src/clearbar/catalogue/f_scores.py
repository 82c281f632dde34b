"""F scores: precision and recall in one number, for one class or for both."""

from __future__ import annotations

from typing import Any

from clearbar.catalogue._declare import family, measure
from clearbar.catalogue._entry import Range
from clearbar.catalogue._sources import RIJSBERGEN, SOKOLOVA


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
