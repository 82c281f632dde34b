"""Which F-measure does cross-validation estimate? Section 4.2 of Forman and Scholz (2010), drawn anew.

A classifier of known precision and recall is cross-validated again and again, and each way of making one
F1 of ten folds is compared with the true one: its relative bias, its spread, and how sure the simulation
is of both.

    python -m examples.papers.forman_scholz --repeats 1000000 --seed 0 --out figures

That, at the paper's one million repeats, was run on 23 November 2026; forman_scholz.csv beside this script is
what it wrote. The figures are drawn again from that file with --recorded.

George Forman and Martin Scholz, Apples-to-apples in cross-validation studies: pitfalls in classifier
performance measurement, SIGKDD Explorations 12(1), 2010.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import clearbar as cb

Array = NDArray[Any]

CHUNK = 2**15
"""Repeats held in memory at once: about 20 MB with ten folds."""

ESTIMATORS = {
    "pooled": "F_tp,fp: pooled counts",
    "mean": "F_avg: mean of the folds' F1, 0 where undefined",
    "precision_recall": "F_pr,re: from mean precision and mean recall",
    "mean_of_defined": "F_avg, undefined folds left out",
    "precision_recall_of_defined": "F_pr,re, undefined folds left out",
}
"""The ways of combining, under the names that `clearbar.evaluate_folds` has for them."""


SHORT = ("F_tp,fp", "F_avg", "F_pr,re", "F_avg, skipping", "F_pr,re, skipping")


@dataclass(frozen=True)
class Setting:
    """One experiment.

    Attributes
    ----------
    positives : int
        Positive cases.
    cases : int
        All cases.
    folds : int
        Number of folds.
    true_f : float
        The classifier's F1, precision and recall, which are equal.
    stratified : bool
        Whether positives are spread over folds as evenly as can be, or at random.
    """

    positives: int
    cases: int = 1000
    folds: int = 10
    true_f: float = 0.8
    stratified: bool = True

    @property
    def false_positive_rate(self) -> float:
        """The rate at which precision is the true F1 as well."""
        return (1 - self.true_f) * self.positives / (self.cases - self.positives)


class Estimate(NamedTuple):
    """How an estimator does, all relative to the true F1 but the last.

    Attributes
    ----------
    bias, deviation, error : float
        Relative bias, standard deviation, and the Monte Carlo standard error of the bias.
    defined : float
        Share of the repeats in which it has a value; the others are left out.
    """

    bias: float
    deviation: float
    error: float
    defined: float


def simulate(setting: Setting, repeats: int, seed: int = 0) -> dict[str, Estimate]:
    """Repeat cross-validation.

    Parameters
    ----------
    setting : Setting
        The experiment.
    repeats : int
        How often.
    seed : int
        Equal seeds give equal results.

    Returns
    -------
    dict of str to Estimate
        For each name in `ESTIMATORS`.
    """
    random = np.random.default_rng(seed)
    sums = {name: np.zeros(3) for name in ESTIMATORS}
    for size in chunks(repeats):
        for name, values in estimates(*outcomes(setting, size, random)).items():
            off = values[np.isfinite(values)] / setting.true_f - 1  # small numbers keep their digits
            sums[name] += off.size, off.sum(), (off * off).sum()
    return {name: _estimate(*parts, repeats) for name, parts in sums.items()}


def chunks(repeats: int) -> Iterator[int]:
    """Generate how many repeats to do next."""
    for first in range(0, repeats, CHUNK):
        yield min(CHUNK, repeats - first)


def _estimate(count: float, total: float, squares: float, repeats: int) -> Estimate:
    if not count:
        return Estimate(math.nan, math.nan, math.nan, 0.0)
    mean = total / count
    deviation = math.sqrt(max(squares / count - mean * mean, 0.0) * count / max(count - 1, 1))
    return Estimate(mean, deviation, deviation / math.sqrt(count), count / repeats)


def outcomes(setting: Setting, repeats: int, random: np.random.Generator) -> tuple[Array, Array, Array]:
    """Draw positives, TP and FP of every fold.

    Parameters
    ----------
    setting : Setting
        The experiment.
    repeats : int
        How often.
    random : Generator
        Where randomness comes from.

    Returns
    -------
    positives, tp, fp : ndarray of int, shape (repeats, folds)
    """
    small, larger = divmod(setting.cases, setting.folds)
    sizes = np.where(np.arange(setting.folds) < larger, small + 1, small)
    if setting.stratified:
        few, more = divmod(setting.positives, setting.folds)
        even = np.where(np.arange(setting.folds) >= setting.folds - more, few + 1, few)
        positives = np.broadcast_to(even, (repeats, setting.folds))
    else:
        positives = random.multivariate_hypergeometric(
            sizes, setting.positives, size=repeats, method="marginals"
        )
    tp = random.binomial(positives, setting.true_f)
    fp = random.binomial(sizes - positives, setting.false_positive_rate)
    return positives, tp, fp


def estimates(positives: Array, tp: Array, fp: Array) -> dict[str, Array]:
    """Combine folds in each way.

    Parameters
    ----------
    positives, tp, fp : ndarray of int, shape (repeats, folds)
        Counts.

    Returns
    -------
    dict of str to ndarray of shape (repeats,)
        nan where no fold has a value.
    """
    predicted = tp + fp
    f1 = _ratio(2 * tp, positives + predicted)
    precision, recall = _ratio(tp, predicted), _ratio(tp, positives)
    used = (positives > 0) & (predicted > 0)
    count = used.sum(axis=1)
    folds = tp.shape[1]
    return {
        "pooled": _ratio(2 * tp.sum(axis=1), positives.sum(axis=1) + predicted.sum(axis=1)),
        "mean": f1.sum(axis=1) / folds,
        "precision_recall": _harmonic(precision.sum(axis=1) / folds, recall.sum(axis=1) / folds),
        "mean_of_defined": _ratio((f1 * used).sum(axis=1), count, nothing=math.nan),
        "precision_recall_of_defined": _harmonic(
            _ratio((precision * used).sum(axis=1), count, nothing=math.nan),
            _ratio((recall * used).sum(axis=1), count, nothing=math.nan),
        ),
    }


def _ratio(part: Array, whole: Array, nothing: float = 0.0) -> Array:
    return np.divide(part, whole, out=np.full(part.shape, nothing), where=whole > 0)


def _harmonic(first: Array, second: Array) -> Array:
    return np.where(np.isnan(first), np.nan, _ratio(2 * first * second, np.nan_to_num(first + second)))


PERCENT = (1, 2, 3, 4, 5, 7, 10, 15, 20, 25)
"""Shares of positive cases in the figures."""

FIGURES = {
    4: "Bias, stratified folds",
    5: "Bias, random folds",
    6: "Standard deviation, stratified folds",
    7: "Standard deviation, random folds",
    8: "Bias where undefined folds are left out",
    9: "Probability of a fold without positives",
}
"""4 and 5 show bias with and without stratification, 9 the folds without positives; of the spread and of
the bias that skipping leaves, which the paper also draws, the order is ours."""


Estimates = dict[tuple[bool, int], dict[str, Estimate]]
"""For stratified folds or not, and a percentage of positive cases: what each way of combining estimates."""

RECORDED = Path(__file__).with_suffix(".csv")
"""What a million repeats with the seed 0 gave."""


def estimate_all(repeats: int, seed: int) -> Estimates:
    """Simulate all settings of the figures, each with a seed of its own."""
    settings = [(stratified, percent) for stratified in (True, False) for percent in PERCENT]
    return {
        (stratified, percent): simulate(Setting(10 * percent, stratified=stratified), repeats, seed + percent)
        for stratified, percent in progress(settings)
    }


def write(estimates: Estimates, path: Path) -> None:
    """Write estimates as a table, with all digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["folds", "percent", "way", *Estimate._fields])
        for (stratified, percent), ways in estimates.items():
            folds = "stratified" if stratified else "random"
            writer.writerows([folds, percent, way, *map(float, row)] for way, row in ways.items())


def read(path: Path = RECORDED) -> Estimates:
    """Read what `write` wrote."""
    estimates: Estimates = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            ways = estimates.setdefault((row["folds"] == "stratified", int(row["percent"])), {})
            ways[row["way"]] = Estimate(*(float(row[name]) for name in Estimate._fields))
    return estimates


def table(estimates: Estimates | None = None) -> str:
    """Return the relative bias of each way in percent, by default the recorded one."""
    shown = read() if estimates is None else estimates
    lines = ["Relative bias in % (standard deviation in %)"]
    for stratified in (True, False):
        lines.append(f"{'stratified' if stratified else 'random'} folds".ljust(16) + _cells(SHORT))
        for percent in PERCENT:
            cells = (
                f"{100 * e.bias:+.2f} ({100 * e.deviation:.1f})" for e in shown[stratified, percent].values()
            )
            lines.append(f"{percent:3d} % positive".ljust(16) + _cells(cells))
    largest = max(100 * row.error for ways in shown.values() for row in ways.values())
    return "\n".join([*lines, f"Monte Carlo errors of the biases: {largest:.2g} at most"])


def _cells(texts: Iterable[str]) -> str:
    return "".join(f"{text:>19}" for text in texts)


def draw(estimates: Estimates, folder: Path) -> list[Path]:
    """Redraw the figures, and return where the pictures are."""
    import matplotlib as mpl

    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    drawings = {
        4: lambda axes: _lines(axes, estimates, "bias", [(True, name) for name in list(ESTIMATORS)[:3]]),
        5: lambda axes: _lines(axes, estimates, "bias", [(False, name) for name in list(ESTIMATORS)[:3]]),
        6: lambda axes: _lines(axes, estimates, "deviation", [(True, name) for name in ESTIMATORS]),
        7: lambda axes: _lines(axes, estimates, "deviation", [(False, name) for name in ESTIMATORS]),
        8: lambda axes: _lines(
            axes, estimates, "bias", [(s, name) for name in list(ESTIMATORS)[3:] for s in (True, False)]
        ),
        9: _empty_folds,
    }
    return [_save(number, drawing, folder) for number, drawing in drawings.items()]


def progress(items: list[Any]) -> Iterator[Any]:
    """Yield items, with a progress bar on a terminal where tqdm is installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield from items
        return
    yield from tqdm(items, unit=" settings", delay=2, disable=None, leave=False)


STYLES = {
    "pooled": ("#0072B2", "o"),
    "mean": ("#D55E00", "s"),
    "precision_recall": ("#B8860B", "^"),
    "mean_of_defined": ("#CC79A7", "D"),
    "precision_recall_of_defined": ("#56B4E9", "v"),
}


def _lines(axes: Any, estimates: dict[Any, Any], what: str, chosen: list[tuple[bool, str]]) -> None:
    both = len({stratified for stratified, _ in chosen}) > 1
    for stratified, name in chosen:
        estimates_of = [estimates[stratified, percent][name] for percent in PERCENT]
        values = [100 * getattr(estimate, what) for estimate in estimates_of]
        color, marker = STYLES[name]
        label = ESTIMATORS[name] + (f" ({'stratified' if stratified else 'random'} folds)" if both else "")
        line = "-" if stratified else "--"
        axes.plot(PERCENT, values, line, color=color, marker=marker, markersize=4, label=label)
        if what == "bias":
            errors = [200 * estimate.error for estimate in estimates_of]
            axes.errorbar(PERCENT, values, errors, fmt="none", ecolor=color, elinewidth=1, capsize=2)
    if what == "bias":
        axes.axhline(0, color="0.6", linewidth=1, zorder=0)
    axes.set_xscale("log")
    axes.set_xticks(PERCENT, [str(percent) for percent in PERCENT])
    axes.minorticks_off()
    axes.set_xlabel("positive cases (% of 1,000)")
    axes.set_ylabel("relative bias (%)" if what == "bias" else "standard deviation (% of the true F1)")


def _empty_folds(axes: Any) -> None:
    positives = np.unique(np.geomspace(10, 250, 60).astype(int))
    population = cb.Population(np.full(positives.shape, 1000), positives)
    for repeats, color in ((1, "#0072B2"), (10, "#D55E00"), (100, "#B8860B")):
        values = cb.probability_of_empty_fold(population, 10, repeats=repeats)
        label = "one cross-validation" if repeats == 1 else f"{repeats} of them, any"
        axes.plot(positives / 10, values, color=color, label=label)
    axes.set_xscale("log")
    axes.set_xticks(PERCENT, [str(percent) for percent in PERCENT])
    axes.minorticks_off()
    axes.set_xlabel("positive cases (% of 1,000), ten random folds")
    axes.set_ylabel("probability")


def _save(number: int, drawing: Any, folder: Path) -> Path:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    drawing(axes)
    axes.set_title(f"{FIGURES[number]} (after Forman and Scholz, figure {number})", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    path = folder / f"forman_scholz_figure_{number}.png"
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return path


def main(arguments: list[str] | None = None) -> None:
    """Print the estimators' bias at some settings, and redraw the figures where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--repeats", type=int, default=100_000, help="repeats of each setting (default: 100,000)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out", type=Path, help="folder for figures and estimates; without it only a table is printed"
    )
    parser.add_argument("--recorded", action="store_true", help=f"take the estimates of {RECORDED.name}")
    options = parser.parse_args(arguments)
    estimates = read() if options.recorded else estimate_all(options.repeats, options.seed)
    print(table(estimates))
    if options.out:
        print("\n".join(str(path) for path in draw(estimates, options.out)))
        write(estimates, options.out / RECORDED.name)


if __name__ == "__main__":
    main()
