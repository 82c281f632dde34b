"""Whether others come to the same numbers: how many were compared, and how many differ.

    python -m benchmarks.agreement

Random confusion matrices of 2 to 60 samples, both classes there and both predicted, are put to every package
that is installed; `agreement_r` has the questions to R. Numbers differ if they are further apart than 1e-9 of
their size.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

import clearbar as cb
from benchmarks.agreement_r import caret, proc, there
from benchmarks.pycm_table import SAME

Pairs = Iterator[tuple[float, float]]


class Line(NamedTuple):
    """Who was asked for what, how many numbers were compared, and how many differ."""

    who: str
    what: str
    compared: int
    differ: int


def tables(number: int, seed: int = 0, largest: int = 60) -> Iterator[cb.Counts]:
    """Yield confusion matrices with no empty margin."""
    random = np.random.default_rng(seed)
    while number:
        tp, fp, fn, tn = random.multinomial(random.integers(2, largest + 1), random.dirichlet(np.ones(4)))
        if min(tp + fp, tp + fn, tn + fp, tn + fn) > 0:
            number -= 1
            yield cb.Counts(tp=int(tp), fp=int(fp), fn=int(fn), tn=int(tn))


def labels(counts: cb.Counts) -> tuple[list[int], list[int]]:
    """Return labels and predictions that have these counts."""
    cells = [int(cell) for cell in counts.cells]
    return list(np.repeat([1, 0, 1, 0], cells)), list(np.repeat([1, 1, 0, 0], cells))


SKLEARN = {
    "accuracy": "accuracy_score",
    "balanced_accuracy": "balanced_accuracy_score",
    "precision": "precision_score",
    "recall": "recall_score",
    "f1": "f1_score",
    "mcc": "matthews_corrcoef",
    "kappa": "cohen_kappa_score",
    "threat_score": "jaccard_score",
    "error_rate": "zero_one_loss",
}


def sklearn_scores(number: int) -> Pairs:
    """Compare nine scores from labels."""
    from sklearn import metrics

    for counts in tables(number):
        y_true, y_pred = labels(counts)
        for ours, theirs in SKLEARN.items():
            yield cb.score(y_true, y_pred, ours), getattr(metrics, theirs)(y_true, y_pred)


def pycm_scores(number: int) -> Pairs:
    """Compare eighteen scores of a matrix; where pycm has none it says so in words."""
    from pycm import ConfusionMatrix

    for counts in tables(number):
        cells = {name: int(getattr(counts, name)) for name in ("tp", "fp", "fn", "tn")}
        matrix = {"1": {"1": cells["tp"], "0": cells["fn"]}, "0": {"1": cells["fp"], "0": cells["tn"]}}
        table = ConfusionMatrix(matrix=matrix)
        for theirs, ours in SAME.items():
            value = getattr(table, theirs)["1"]
            if isinstance(value, (int, float)):
                yield float(cb.get_measure(ours)(counts)), float(value)


def imblearn_scores(number: int) -> Pairs:
    """Compare G-mean and specificity from labels."""
    from imblearn.metrics import geometric_mean_score, specificity_score

    for counts in tables(number):
        y_true, y_pred = labels(counts)
        yield cb.score(y_true, y_pred, "g_mean"), geometric_mean_score(y_true, y_pred)
        yield cb.score(y_true, y_pred, "specificity"), specificity_score(y_true, y_pred, average="binary")


def fisher(number: int) -> Pairs:
    """Compare the blind p-value of F1 with Fisher's exact test."""
    from scipy.stats import fisher_exact

    for counts in tables(number):
        tp, fp, fn, tn = (int(cell) for cell in counts.cells)
        row = cb.evaluate_counts(counts, "f1")[0]
        yield row.p_value_blind, fisher_exact([[tp, fp], [fn, tn]], alternative="greater")[1]


def scipy_expectations(number: int) -> Pairs:
    """Compare expected G-means and threat scores with sums over SciPy's hypergeometric distribution."""
    from scipy.stats import hypergeom

    for counts in tables(number):
        tp, fp, fn, tn = (int(cell) for cell in counts.cells)
        total, positives, k = tp + fp + fn + tn, tp + fn, tp + fp
        law = hypergeom(total, positives, k)
        hits = np.arange(max(0, k + positives - total), min(k, positives) + 1)
        for name in ("g_mean", "threat_score"):
            measure = cb.get_measure(name)
            values = measure.values(hits, k - hits, positives - hits, total - positives - k + hits)
            draw = cb.Draw(cb.Population(total, positives), k)
            yield draw.distribution(name).mean(), float(np.sum(law.pmf(hits) * values))


def dutchdraw_bars(number: int) -> Pairs:
    """Compare the largest expectations of the older package's closed forms."""
    from DutchDraw import optimized_baseline_statistics

    names = [
        "TP",
        "TN",
        "FP",
        "FN",
        "PPV",
        "NPV",
        "FDR",
        "FOR",
        "ACC",
        "BACC",
        "FBETA",
        "MCC",
        "J",
        "MK",
        "KAPPA",
        "FM",
        "TS",
    ]
    for counts in tables(number):
        y_true, _ = labels(counts)
        for name in names:
            theirs = optimized_baseline_statistics([int(label) for label in y_true], name)
            yield cb.baseline(y_true, name).max.value, theirs["Max Expected Value"]


def brute_force(number: int) -> Pairs:
    """Compare every bar of the catalogue with all draws tried, of up to nine samples."""
    for counts in tables(number, largest=9):
        tp, fp, fn, tn = (int(cell) for cell in counts.cells)
        total, positives = tp + fp + fn + tn, tp + fn
        for measure in cb.measures():
            bar = cb.baseline(cb.Population(total, positives), measure)
            if measure.greater_is_better is not None and math.isfinite(bar.value):
                expectations = (mean(measure, total, positives, k) for k in range(total + 1))
                known = [expected for expected in expectations if expected is not None]
                yield bar.value, (max if measure.greater_is_better else min)(known)


def mean(measure: Any, total: int, positives: int, k: int) -> float | None:
    """Return the mean over all draws of k samples, or None where an outcome has no value."""
    sum_of_scores, ways = 0.0, math.comb(total, k)
    for tp in range(max(0, k + positives - total), min(k, positives) + 1):
        cells = tp, k - tp, positives - tp, total - positives - k + tp
        if not bool(measure.admissible.holds(cells)):
            return None
        share = Fraction(math.comb(positives, tp) * math.comb(total - positives, k - tp), ways)
        sum_of_scores += float(share) * float(measure.values(*cells))
    return sum_of_scores


ASKED: tuple[tuple[str, str, str, Callable[[int], Pairs], int], ...] = (
    ("brute force", "", "every bar, all draws tried", brute_force, 30),
    ("scikit-learn", "sklearn", "nine scores from labels", sklearn_scores, 100),
    ("pycm", "pycm", "eighteen scores of a matrix", pycm_scores, 50),
    ("imbalanced-learn", "imblearn", "G-mean, specificity", imblearn_scores, 100),
    ("SciPy", "scipy", "Fisher's exact test: the blind p of F1", fisher, 200),
    ("SciPy", "scipy", "expectations: hypergeometric sums", scipy_expectations, 200),
    ("caret", "R:caret", "accuracy, interval, no-information rate", caret, 50),
    ("pROC", "R:pROC", "ROC AUC, DeLong's variance and test", proc, 100),
    ("DutchDraw", "DutchDraw", "largest expectations, 17 closed forms", dutchdraw_bars, 50),
)


def installed(package: str) -> bool:
    """Return whether a package is there, of Python, or of R after a colon; none is always there."""
    language, _, name = package.rpartition(":")
    return there(name) if language else not name or find_spec(name) is not None


def lines(share: float = 1.0) -> Iterator[Line]:
    """Ask everyone who is installed, or a share of the questions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for who, package, what, compare, number in ASKED:
            if installed(package):
                pairs = list(compare(max(1, round(number * share))))
                differ = sum(not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in pairs)
                yield Line(who, what, len(pairs), differ)


def main() -> None:
    """Print the table."""
    print(f"{'held against':18}{'what':42}{'compared':>8}  differ")
    for line in lines():
        print(f"{line.who:18}{line.what:42}{line.compared:8,}  {line.differ:6}")


if __name__ == "__main__":
    main()
