"""Make core_values.json: numbers of 30 digits for populations too large to count subsets.

Run from the root as ``python -m tests.reference.make_core_values``; it takes some minutes. Means and
variances come from the formulas in tests/catalogue/independent.py and the law with 60 digits (exact sums of
fractions where the measure is affine). The optima of g_mean rest on the concavity of its expectation: the
step from k* - 1 is positive, that from k* is not. Every number was compared with the values that the design
of this library was based on, which another program made with other methods.
"""

import json
from fractions import Fraction
from pathlib import Path

import mpmath
from mpmath import mpf
from tests.oracle.closeness import as_mpf
from tests.oracle.formulas import MEASURES, formula
from tests.oracle.law import table, weights
from tests.oracle.wide import log_pmf, log_tail, moments, nodes, reachable

CLASSIC = [
    "tp",
    "fp",
    "tn",
    "fn",
    "recall",
    "specificity",
    "precision",
    "npv",
    "f1",
    "f2",
    "informedness",
    "markedness",
    "accuracy",
]
CLASSIC += ["balanced_accuracy", "mcc", "kappa", "fowlkes_mallows", "threat_score"]

DRAWS = [
    (2, 1, 1), (10, 9, 1), (10, 9, 2), (10, 3, 4), (50, 5, 27), (100, 1, 50), (1000, 300, 500),
    (10**6, 20, 10**5), (10**9, 3 * 10**8, 5 * 10**8), (10**12, 3 * 10**11, 5 * 10**11),
    (10**12, 5, 10**11), (10, 3, 0), (10, 3, 10), (10, 3, 1), (10, 3, 9), (10, 10, 4), (10, 0, 4),
    (10, 10, 10), (10, 0, 0), (1, 1, 1), (1, 0, 0),
]  # fmt: skip

THREAT_SCORE_DRAWS = [
    (7, 3, 2), (13, 7, 5), (100, 99, 50), (100, 50, 50), (1000, 1, 667), (10**4, 50, 5000),
    (10**5, 30000, 50000), (10**6, 300000, 500000), (10**6, 999999, 3), (10**9, 1, 1), (10**9, 2, 3),
    (10**12, 1, 1), (10**12, 10**6, 5 * 10**11), (10**12, 5 * 10**11, 1), (10**12, 10**12 - 5, 10**12 - 2),
    (10**15, 10**14, 5 * 10**14),
]  # fmt: skip

PEAKS = [
    (50, 9), (99, 97), (200, 2), (200, 50), (1000, 1), (1000, 20), (1000, 500), (1000, 999), (10**4, 2),
    (10**4, 8572), (10**5, 1), (10**5, 5), (10**5, 1000), (10**6, 20), (10**6, 50000), (10**6, 857143),
    (10**9, 1), (10**9, 5), (10**9, 10**7), (10**9, 3 * 10**8), (10**9, 5 * 10**8), (10**9, 10**9 - 1),
    (10**12, 2), (10**12, 20), (10**12, 5 * 10**10), (10**12, 499999999999), (10**12, 857142857143),
]  # fmt: skip

TAILS = [
    (10, 9, 2, 2), (1000, 300, 500, 151), (1000, 300, 500, 271), (10**6, 20, 10**5, 12),
    (10**6, 300000, 500000, 158001), (10**9, 3 * 10**8, 5 * 10**8, 150007247), (10**9, 5, 10**8, 4),
    (10**12, 10**6, 10**11, 103001), (10**12, 3 * 10**11, 5 * 10**11, 150006800001), (10**12, 2, 2, 2),
]  # fmt: skip

QUANTILES = [
    (10, 9, 2), (50, 5, 27), (1000, 300, 500), (10**6, 20, 10**5), (10**6, 300000, 500000),
    (10**8, 10**6, 3 * 10**7),
]  # fmt: skip
SHARES = "0.001", "0.025", "0.5", "0.975", "0.999"


def text(number):
    if number is None:
        return None
    return mpmath.nstr(as_mpf(number), 30, strip_zeros=True)


def affine_moments(name, total, positives, draws):
    """Return mean and variance from the values at TP = 0 and TP = M, whatever they stand for there."""
    low, high = reachable(total, positives, draws)
    values = [formula(name, *table(total, positives, draws, tp)) for tp in {low, high}]
    if any(value is None for value in values):
        return None, None
    slope = Fraction(0) if low == high else (values[1] - values[0]) / (high - low)
    mean_tp = Fraction(positives * draws, total)
    spread = Fraction(positives * draws * (total - positives) * (total - draws), total**2 * max(total - 1, 1))
    if not isinstance(values[0], Fraction):
        mean_tp, spread = as_mpf(mean_tp), as_mpf(spread)
        slope = as_mpf(slope)
    return values[0] + slope * (mean_tp - low), slope**2 * spread


def moment(name, total, positives, draws):
    if MEASURES[name].affine:
        mean, variance = affine_moments(name, total, positives, draws)
    elif formula(name, *table(total, positives, draws, reachable(total, positives, draws)[0])) is None:
        mean = variance = None
    else:
        mean, variance = moments(name, total, positives, draws)
    if mean is not None and abs(mean) < mpf(10) ** -50:
        mean = 0 * mean  # what is left of roots that cancel
    row = {"measure": name, "M": total, "P": positives, "k": draws, "mean": text(mean), "var": text(variance)}
    if isinstance(mean, Fraction):
        row |= {"mean_exact": str(mean), "var_exact": str(variance)}
    return row


def peak(total, positives):
    """Find where the expectation of g_mean stops rising."""
    mean = lambda k: moments("g_mean", total, positives, k)[0]  # noqa: E731
    rises = lambda k: mean(k + 1) > mean(k)  # noqa: E731
    low, high = -1, total  # rises at low, does not at high
    guess, reach = _guess(total, positives), 2
    while high - low > 1:
        k = min(max(guess, low + 1), high - 1)
        if rises(k):
            low, guess = k, k + reach
        else:
            high, guess = k, k - reach
        reach *= 2
        if low >= 0 and high < total:
            guess = (low + high) // 2
    ties = [high, high + 1] if mean(high + 1) == mean(high) else [high]
    return {"measure": "g_mean", "M": total, "P": positives, "max": text(mean(high)), "argmax_k": ties}


_RARE = [0, 0.1666666667, 0.1101125395, 0.0763110830, 0.0547390156, 0.0405566094]


def _guess(total, positives):
    def share(size):
        return _RARE[size] if size <= 5 else 1 / (8 * (size - 1 - 1.6 / size))

    return round(total * (0.5 + share(positives) - share(total - positives)))


def tail_row(total, positives, draws, least):
    log = log_tail(least, total, positives, draws)
    scores = {
        name: text(formula(name, *table(total, positives, draws, least)))
        for name in ("g_mean", "threat_score")
    }
    pmf = log_pmf(least, total, positives, draws)
    row = {"M": total, "P": positives, "k": draws, "x": least, "log_tail": text(log), "log_pmf": text(pmf)}
    return row | {"tail": text(mpmath.exp(log)), "pmf": text(mpmath.exp(pmf))} | scores


def quantile_rows(total, positives, draws):
    low, high = reachable(total, positives, draws)
    if high - low > 10**5:
        tps, _ = nodes(total, positives, draws)
        low, high = tps[0], tps[-1]
    term = mpmath.exp(log_pmf(low, total, positives, draws))
    below, shares, found = mpf(0), [mpf(share) for share in SHARES], []
    for tp in range(low, high + 1):
        while len(found) < len(shares) and below + term >= shares[len(found)]:
            found.append((tp, below + term, below))
        below += term
        _, fp, fn, tn = table(total, positives, draws, tp)
        term *= mpf(fp * fn) / ((tp + 1) * (tn + 1))
    return [
        {
            "M": total,
            "P": positives,
            "k": draws,
            "q": share,
            "tp": tp,
            "cdf": text(at),
            "cdf_below": text(under),
        }
        for share, (tp, at, under) in zip(SHARES, found, strict=False)
    ]


def main():
    found = {
        "moments": [moment(name, *draw) for draw in DRAWS for name in CLASSIC]
        + [moment("threat_score", *draw) for draw in THREAT_SCORE_DRAWS]
        + [moment("g_mean", *draw) for draw in THREAT_SCORE_DRAWS if draw[0] <= 10**12],
        "optima": [peak(*population) for population in PEAKS],
        "tails": [tail_row(*row) for row in TAILS],
        "quantiles": [row for draw in QUANTILES for row in quantile_rows(*draw)],
    }
    path = Path(__file__).with_name("core_values.json")
    lines = [
        f' "{key}": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n ]"
        for key, rows in found.items()
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    assert weights(4, 2, 2)  # the law that small cases are counted with
    main()
