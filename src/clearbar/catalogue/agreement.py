"""Agreement beyond chance: labels and predictions as two judges."""

from __future__ import annotations

from typing import Any

from clearbar.catalogue._arithmetic import determinant
from clearbar.catalogue._declare import measure


@measure(
    question="How much of the agreement that chance leaves open is reached?",
    label="Cohen's kappa",
    aliases="cohen_kappa, Cohen, cohen_kappa_score, kap, Heidke skill score, HSS",
    symbol=r"\kappa",
    formula=r"\frac{2\,(TP\,TN - FP\,FN)}{k\,N + P\,(M - k)}",
    bounds=(-1, 1),
    source="Cohen, A coefficient of agreement for nominal scales, Educational and Psychological "
    "Measurement 20(1), 1960",
    domain=("P + k > 0", "N + (M - k) > 0"),
    constant=0,
    facts="affine, better_with_tp, worse_with_fp",
)
def kappa(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return 2 * determinant(tp, fp, fn, tn) / chance


# E is minus a convex function of s = (P + k)/M: with c = 2P/M it is
# -(c - s)^2/(s (2 - s)) = -(c - s)^2 (1/s + 1/(2 - s))/2, and a square over a positive linear
# function is convex. It is strictly convex for 0 < P < M and strictly monotone at P = 0, P = M.
@measure(
    question="How much agreement is there beyond that of two judges with one common rate?",
    label="Scott's pi",
    symbol=r"\pi_S",
    formula=r"\frac{4\,TP\,TN - (FP + FN)^2}{(P + k)\,(2M - P - k)}",
    bounds=(-1, 1),
    source="Scott, Reliability of content analysis: the case of nominal scale coding, Public "
    "Opinion Quarterly 19(3), 1955",
    domain=("P + k > 0", "N + (M - k) > 0"),
    shape="peak",
    facts="affine, better_with_tp, worse_with_fp",
)
def scott_pi(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    wrong = fp + fn
    return determinant(2 * tp, wrong, wrong, 2 * tn) / ((2 * tp + wrong) * (2 * tn + wrong))


# E = 1 - L/C with the expected number of errors L >= 0, linear in k, and C > 0 strictly convex in k.
# L/C = c means L - c C = 0, which a strictly concave function solves at most twice: L/C never goes
# down and up again, so E never goes up and down again, and no value is taken three times.
@measure(
    question="How much agreement is there beyond that on the hard cases?",
    label="Gwet's AC1",
    aliases="AC1, Gwet",
    symbol=r"\mathrm{AC}_1",
    formula=r"\frac{p_o - p_e}{1 - p_e},\ p_e = 2q(1 - q),\ q = \frac{P + k}{2M}",
    bounds=(-1, 1),
    source="Gwet, Computing inter-rater reliability and its variance in the presence of high "
    "agreement, British Journal of Mathematical and Statistical Psychology 61(1), 2008",
    domain=("always",),
    shape="valley",
    facts="affine, better_with_tp, worse_with_fp",
)
def gwet_ac1(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    wrong = fp + fn
    right, square = 4 * (tp * tp + tn * tn), 2 * wrong * wrong
    return (right - square) / (right + 4 * wrong * (tp + tn) + square)


@measure(
    question="How much better than a coin is the agreement?",
    label="Bennett's S",
    aliases="PABAK, S, Brennan-Prediger, S score",
    symbol=r"S",
    formula=r"2\,\frac{TP + TN}{M} - 1",
    bounds=(-1, 1),
    source="Bennett, Alpert & Goldstein, Communications through limited-response questioning, "
    "Public Opinion Quarterly 18(3), 1954",
    domain=("always",),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp",
)
def bennett_s(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp + tn - fp - fn) / (tp + fp + fn + tn)
