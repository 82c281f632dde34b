"""Whose 95 % interval holds the truth, and how wide it is: ``python -m benchmarks.intervals``.

Half of the samples are positive. Of F1, precision, recall and MCC all tables are enumerated, at
19 × 19 pairs of true rates from 0.05 to 0.95; of 100 samples or more at the 10 × 10 pairs of sensitivities of
0.5 and more with false positive rates of 0.5 and less, which takes the fewer of the 10,201 tables of 200
samples. ROC AUC, macro F1 and RMSE are simulated. Beside ours stand
`confidenceinterval`, statsmodels (Wilson's interval of a proportion) and the percentiles of 1,000 resamples
of the rows. An outcome without a score is left out; an interval that a package cannot give holds nothing.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import NormalDist

import numpy as np
from scipy.stats import binom, rankdata

import clearbar as cb
from clearbar.inference.two_rates import intervals

SIZES = (20, 50, 200)
RATES = np.linspace(0.05, 0.95, 19)
MANY, UNLIKELY = 100, 1e-7
"""Samples from which the rates of models worse than a coin are left out, and tables less likely than this."""
COUNTED = ("f1", "precision", "recall", "mcc")
RESAMPLES = 1_000

Ends = tuple[np.ndarray, np.ndarray]
Test = Callable[[np.ndarray, np.ndarray], tuple[float, float]]
"""The interval of one test set, from its labels and what the model answered."""


def ours(name: str, counts: cb.Counts) -> Ends:
    """Return this package's intervals of tables."""
    parts = [slice(start, start + 500) for start in range(0, len(counts), 500)]
    ends = [intervals([cb.get_measure(name)], counts[part]) for part in parts]
    low, high = np.concatenate(ends, axis=2)[:, 0]
    return low, high


def confidence_interval(name: str, counts: cb.Counts) -> Ends | None:
    """Return the default intervals of the package `confidenceinterval`, one table after the other."""
    import confidenceinterval

    if name not in ("f1", "precision", "recall"):
        return None
    function = getattr(confidenceinterval, f"{name}_score")
    method = "takahashi" if name == "f1" else "wilson"
    answers = [(1, 1), (0, 1), (1, 0), (0, 0)]
    ends = []
    for cells in np.stack([counts.tp, counts.fp, counts.fn, counts.tn], axis=-1):
        y_true, y_pred = np.repeat(answers, cells, axis=0).T
        try:
            ends.append(function(y_true, y_pred, average="binary", method=method)[1])
        except (ValueError, ZeroDivisionError):
            ends.append((np.nan, np.nan))
    low, high = np.array(ends, dtype=float).T
    return low, high


def statsmodels(name: str, counts: cb.Counts) -> Ends | None:
    """Return Wilson's intervals of statsmodels, for the measures that are proportions."""
    from statsmodels.stats.proportion import proportion_confint

    if name not in ("precision", "recall"):
        return None
    total = counts.tp + (counts.fp if name == "precision" else counts.fn)
    low, high = proportion_confint(counts.tp, total, method="wilson")
    return low, high


def bootstrap(name: str, counts: cb.Counts) -> Ends:
    """Return percentiles of the score on resampled rows, of tables: four multinomial counts each."""
    measure = cb.get_measure(name)
    rng = np.random.default_rng(0)
    cells = np.stack([counts.tp, counts.fp, counts.fn, counts.tn], axis=-1)
    total = cells[0].sum()
    ends = [
        np.nanquantile(measure.values(*rng.multinomial(total, row / total, RESAMPLES).T), [0.025, 0.975])
        for row in cells
    ]
    low, high = np.array(ends).T
    return low, high


COUNTERS: dict[str, Callable[[str, cb.Counts], Ends | None]] = {
    "clearbar": ours,
    "confidenceinterval": confidence_interval,
    "statsmodels": statsmodels,
    "bootstrap": bootstrap,
}


def enumerated(name: str, size: int) -> Iterator[tuple[str, float, float, float]]:
    """Yield package, least and mean coverage, and mean width over the pairs of rates."""
    half = size // 2
    tp, fp = (side.ravel() for side in np.indices((half + 1, half + 1)))
    measure = cb.get_measure(name)
    rates = (RATES, RATES) if size < MANY else (RATES[RATES > 0.49], RATES[RATES < 0.51])
    sensitivity, rate = (side.ravel()[:, None] for side in np.meshgrid(*rates))
    true = measure.values(*(half * share for share in (sensitivity, rate, 1 - sensitivity, 1 - rate)))
    chance = binom.pmf(tp, half, sensitivity) * binom.pmf(fp, half, rate)
    chance *= ~np.isnan(measure.values(tp, fp, half - tp, half - fp))
    likely = chance.max(axis=0) > UNLIKELY
    tp, fp, chance = tp[likely], fp[likely], chance[:, likely]
    counts = cb.Counts(tp=tp, fp=fp, fn=half - tp, tn=half - fp)
    chance /= chance.sum(axis=1, keepdims=True)
    for package, of in COUNTERS.items():
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            ends = of(name, counts)
        if ends is None:
            continue
        low, high = ends
        held = (chance * ((low - 1e-9 <= true) & (true <= high + 1e-9))).sum(axis=1)
        width = (chance * np.nan_to_num(high - low)).sum(axis=1)
        yield package, float(held.min()), float(held.mean()), float(width.mean())


def _resampled(score: Callable[[np.ndarray, np.ndarray], float]) -> Test:
    """Return the percentile bootstrap of a score."""

    def interval(y_true: np.ndarray, answers: np.ndarray) -> tuple[float, float]:
        rows = np.random.default_rng(0).integers(len(y_true), size=(RESAMPLES, len(y_true)))
        low, high = np.nanquantile([score(y_true[row], answers[row]) for row in rows], [0.025, 0.975])
        return float(low), float(high)

    return interval


def _ours(measure: str) -> Test:
    """Return this package's interval of one test set."""

    def interval(y_true: np.ndarray, answers: np.ndarray) -> tuple[float, float]:
        row = cb.evaluate(y_true, answers, measure)[0]
        return row.low, row.high

    return interval


def _peer(function: str, **options: str) -> Test:
    """Return an interval of `confidenceinterval`."""

    def interval(y_true: np.ndarray, answers: np.ndarray) -> tuple[float, float]:
        import confidenceinterval

        low, high = getattr(confidenceinterval, function)(y_true, answers, **options)[1]
        return float(low), float(high)

    return interval


def _auc(y_true: np.ndarray, scores: np.ndarray) -> float:
    positives = int(y_true.sum())
    below = rankdata(scores)[y_true == 1].sum() - positives * (positives + 1) / 2
    pairs = positives * (len(y_true) - positives)
    return float(below / pairs) if pairs else np.nan


def _macro_f1(y_true: np.ndarray, y_pred: np.ndarray) -> float:
    hits = np.bincount(y_true[y_true == y_pred], minlength=3)
    sizes = np.bincount(y_true, minlength=3) + np.bincount(y_pred, minlength=3)
    return float(np.mean(2 * hits[sizes > 0] / sizes[sizes > 0]))


def _rmse(y_true: np.ndarray, y_pred: np.ndarray) -> float:
    return float(np.sqrt(np.mean((y_true - y_pred) ** 2)))


RIGHT = (0.5, 0.7, 0.9)
"""How often each of three classes is recognized; errors are shared evenly."""

SHARES = (0.5, 0.3, 0.2)


def _scores(rng: np.random.Generator, size: int, auc: float) -> tuple[np.ndarray, np.ndarray]:
    y_true = np.arange(size) % 2
    return y_true, rng.normal(size=size) + 2**0.5 * NormalDist().inv_cdf(auc) * y_true


def _classes(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    y_true = np.repeat(np.arange(3), [round(size * share) for share in SHARES])
    wrong = (y_true + rng.integers(1, 3, size=size)) % 3
    return y_true, np.where(rng.random(size) < np.take(RIGHT, y_true), y_true, wrong)


def _numbers(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    y_true = rng.normal(size=size)
    return y_true, y_true + rng.normal(size=size)


def true_macro_f1() -> float:
    """Return macro F1 of endless samples."""
    table = np.array(
        [[right if a == b else (1 - right) / 2 for b in range(3)] for a, right in enumerate(RIGHT)]
    )
    table *= np.array(SHARES)[:, None]
    return float(np.mean(2 * np.diag(table) / (table.sum(0) + table.sum(1))))


SIMULATED: dict[str, tuple[Callable[..., tuple[np.ndarray, np.ndarray]], float, dict[str, Test]]] = {
    f"ROC AUC, true {auc}": (
        lambda rng, size, auc=auc: _scores(rng, size, auc),
        auc,
        {
            "clearbar": _ours("roc_auc"),
            "confidenceinterval": _peer("roc_auc_score"),
            "bootstrap": _resampled(_auc),
        },
    )
    for auc in (0.7, 0.95)
} | {
    "macro F1": (
        _classes,
        true_macro_f1(),
        {
            "clearbar": _ours("macro_f1"),
            "confidenceinterval": _peer("f1_score", average="macro"),
            "bootstrap": _resampled(_macro_f1),
        },
    ),
    "RMSE": (_numbers, 1.0, {"clearbar": _ours("rmse"), "bootstrap": _resampled(_rmse)}),
}
"""How a test set is drawn, the true score, and whose intervals are asked for."""


def simulated(name: str, size: int, samples: int) -> Iterator[tuple[str, float, float]]:
    """Yield package, coverage and mean width."""
    draw, true, tests = SIMULATED[name]
    rng = np.random.default_rng(size)
    sets = [draw(rng, size) for _ in range(samples)]
    for package, interval in tests.items():
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            low, high = np.array([interval(*one) for one in sets]).T
        yield package, float(np.mean((low <= true) & (true <= high))), float(np.nanmean(high - low))


HEAD = "| measure | n | clearbar | `confidenceinterval` | statsmodels (Wilson) | bootstrap of rows |"
PACKAGES = ("clearbar", "confidenceinterval", "statsmodels", "bootstrap")
LABELS = {"f1": "F1", "mcc": "MCC"}


def row(name: str, size: int, samples: int) -> str:
    """Return a row of the table: how often each package's intervals hold the truth, and how wide they are."""
    if name in COUNTED:
        found = {
            package: f"{100 * worst:.1f} / {100 * mean:.1f} %, {width:.2f}"
            for package, worst, mean, width in enumerated(name, size)
        }
    else:
        found = {
            package: f"{100 * mean:.1f} %, {width:.2f}"
            for package, mean, width in simulated(name, size, samples)
        }
    return (
        " | ".join((f"| {LABELS.get(name, name)}", str(size), *(found.get(p, "–") for p in PACKAGES))) + " |"
    )


def main() -> None:
    """Print the table, and put it on a page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=300, help="simulated test sets of each size")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--measures", nargs="*", default=[*COUNTED, *SIMULATED])
    parser.add_argument("--page", type=Path, help="the page whose table of these columns is replaced")
    given = parser.parse_args()
    lines = [HEAD, "|" + "---|" * HEAD.count(" | ") + "---|"]
    print(*lines, sep="\n")
    for name in given.measures:
        for size in given.sizes:
            lines.append(row(name, size, given.samples))
            print(lines[-1], flush=True)
    if given.page:
        before, _, after = given.page.read_text(encoding="utf-8").partition(HEAD)
        rest = after.partition("\n\n")[2]
        given.page.write_text(before + "\n".join(lines) + "\n\n" + rest, encoding="utf-8")


if __name__ == "__main__":
    main()
