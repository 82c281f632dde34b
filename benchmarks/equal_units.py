"""How often two models of the same true score are told apart by the bootstrap-t, and how often unlike ones.

python -m benchmarks.equal_units [--only "MAE" ...] [--tables 2000] [--seed 1]

Each setting draws test sets of two models whose true scores are equal, or, with "power" in its name, are not;
beside it stands the exchange of both models' answers, which supposes more.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import clearbar as cb
from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray
from clearbar.core.label_sets import LabelSets
from clearbar.inference import differences
from clearbar.inference.exchange import Paired
from clearbar.problems.multiclass.units import ClassUnits
from clearbar.problems.multilabel.units import Compared, SetUnits
from clearbar.problems.numbers.problem import NumberUnits
from clearbar.problems.scores._delong import paired_delong
from clearbar.problems.scores._units import ScoreUnits

LEVEL = 0.05
ABSOLUTE = math.sqrt(2 / math.pi)  # the mean distance of a standard normal from 0

Data = tuple[Any, dict[str, Any]]
Generator = np.random.Generator


def errors(name: str, n: int, ratio: float, rng: Generator) -> Data:
    """Targets, and two models whose absolute errors have means of this ratio: long-tailed, and normal."""
    long = {
        "normal": lambda: np.abs(rng.normal(0, 1 / ABSOLUTE, n)),
        "exponential": lambda: rng.exponential(1, n),
        "lognormal 1": lambda: rng.lognormal(-0.5, 1, n),
        "lognormal 1.2": lambda: rng.lognormal(-0.72, 1.2, n),
    }[name]()
    y, signs = rng.normal(size=n), rng.choice([-1, 1], n)
    return y, {"a": y + signs * long * ratio, "b": y + rng.normal(0, 1 / ABSOLUTE, n)}


def rare(n: int, rng: Generator) -> Data:
    """Targets, and two models of the same MAE; one of n errors of the first is as large as half of all."""
    y, large, signs = rng.normal(size=n), rng.random(n) < 1 / n, rng.choice([-1, 1], n)
    others = np.abs(rng.normal(0, 0.5 / ABSOLUTE / (1 - 1 / n), n))
    return y, {"a": y + signs * np.where(large, 0.5 * n, others), "b": y + rng.normal(0, 1 / ABSOLUTE, n)}


def squares(n: int, rng: Generator) -> Data:
    """Targets with a long tail, and two models of the same mean square error: Laplace's and normal errors."""
    y = rng.lognormal(0, 0.7, n)
    return y, {"a": y + rng.laplace(0, 0.3 / math.sqrt(2), n), "b": y + rng.normal(0, 0.3, n)}


def ranked(name: str, spread: float, n: int, rng: Generator) -> Data:
    """Labels, 30 % positive, and scores of positives shifted by 1.5, or by another number and spread."""
    y = (np.arange(n) < 0.3 * n).astype(int)
    one, other = rng.normal(size=(2, n))
    shift = equal_shift(name, spread)
    return y, {"a": one + 1.5 * y, "b": np.where(y == 1, shift + spread * other, other)}


def areas(P: int, N: int, z: float, alike: float, rng: Generator) -> Data:
    """Labels, and two rankings of one ROC AUC, Φ(z): the positives of one are three times as far apart."""
    y, (one, other) = np.repeat([1, 0], [P, N]), rng.normal(size=(2, P + N))
    other = alike * one + math.sqrt(1 - alike**2) * other
    return y, {"a": one + math.sqrt(2) * z * y, "b": np.where(y == 1, math.sqrt(10) * z + 3 * other, other)}


def label_sets(n: int, rng: Generator) -> Data:
    """Sets of 6 labels; one model finds 90 % and calls too much, the other finds 60 %: the same micro F1."""
    hard = rng.random(n)[:, None] < 0.3
    y = rng.random((n, 6)) < 0.3
    wide = np.where(y, rng.random(y.shape) < 0.9, rng.random(y.shape) < WIDE)
    narrow = np.where(y, rng.random(y.shape) < np.where(hard, 0.25, 0.75), rng.random(y.shape) < 0.02)
    return y.astype(int), {"a": wide.astype(int), "b": narrow.astype(int)}


# 2 TP / (2 TP + FP + FN) per label, with 0.3 positive: TP of both, then the false calls that make them equal.
_NARROW = 2 * 0.3 * 0.6 / (2 * 0.3 * 0.6 + 0.7 * 0.02 + 0.3 * 0.4)
WIDE = (2 * 0.3 * 0.9 / _NARROW - 2 * 0.3 * 0.9 - 0.3 * 0.1) / 0.7


def classes(n: int, rng: Generator) -> Data:
    """15 classes, 70 % right; errors of one model are anything, those of the other one class up."""
    y = np.arange(n) % 15
    anything = (y + rng.integers(1, 15, n)) % 15
    wrong = rng.random((2, n)) < 0.3
    return y, {"a": np.where(wrong[0], anything, y), "b": np.where(wrong[1], (y + 1) % 15, y)}


@cache
def equal_shift(name: str, spread: float) -> float:
    """Return the shift at which endless scores of this spread have the measure of a shift of 1.5."""
    rng = np.random.default_rng(0)
    y, draw = (np.arange(200_000) < 60_000).astype(int), rng.normal(size=200_000)
    goal = cb.score(y, draw + 1.5 * y, name)
    low, high = 0.0, 4.0
    for _ in range(18):
        middle = (low + high) / 2
        value = cb.score(y, np.where(y == 1, middle + spread * draw, draw), name)
        low, high = (middle, high) if value < goal else (low, middle)
    return (low + high) / 2


def settings() -> dict[str, tuple[str, Callable[[Generator], Data]]]:
    """Return the measure and the data of each setting."""
    chosen: dict[str, tuple[str, Callable[[Generator], Data]]] = {}
    for name in ("normal", "exponential", "lognormal 1", "lognormal 1.2"):
        for n in (20, 30, 100):
            chosen[f"MAE, {name}, n = {n}"] = ("mae", partial(errors, name, n, 1.0))
    for n in (30, 100):
        chosen[f"MAE, one error of n as large as half of all, n = {n}"] = ("mae", partial(rare, n))
        chosen[f"RMSE, n = {n}"] = ("rmse", partial(squares, n))
        chosen[f"R2, n = {n}"] = ("r2", partial(squares, n))
        chosen[f"micro F1 of sets, n = {n}"] = ("f1_micro", partial(label_sets, n))
    for name in ("average_precision", "max_f1"):
        for spread in (0.4, 2.0):
            for n in (50, 200):
                chosen[f"{name}, spread {spread}, n = {n}"] = (name, partial(ranked, name, spread, n))
    chosen["ROC AUC 0.8, 5 + 200"] = ("roc_auc", partial(areas, 5, 200, 0.8416, 0.95))
    chosen["ROC AUC 0.6, 2 + 30"] = ("roc_auc", partial(areas, 2, 30, 0.2533, 0.0))
    for n in (150, 600):
        chosen[f"macro F1 of 15 classes, n = {n}"] = ("f1_macro", partial(classes, n))
    chosen["MAE, power, exponential, n = 50"] = ("mae", partial(errors, "exponential", 50, 1.5))
    chosen["MAE, power, normal, n = 50"] = ("mae", partial(errors, "normal", 50, 1.5))
    return chosen


def paired(name: str, y: Any, models: dict[str, Any], seed: int) -> Paired:
    """Return two models of one measure, without judging them."""
    one, other = models.values()
    kind = "regression" if y.dtype.kind == "f" else "multilabel" if y.ndim == 2 else "multiclass"
    kind = kind if one.dtype.kind != "f" or kind == "regression" else "scores"
    measure: Any = get_measure(name, kind)
    if measure.kind == "regression":
        return differences.paired(NumberUnits(y, [one, other], seed=seed, joint=True), measure)
    if measure.kind == "scores":
        ranked_units = ScoreUnits(y == 1, [one, other], seed=seed, joint=True)
        by_areas = paired_delong(ranked_units, measure) if name == "roc_auc" else None
        return by_areas or differences.paired(ranked_units, measure)
    if measure.kind == "multiclass":
        units = ClassUnits(y, [one[None], other[None]], 15, 0.0, seed=seed, joint=True)
        return differences.paired(units, measure)
    truth, a, b = (label_sets_of(table) for table in (y, one, other))
    models = [Compared(truth, a), Compared(truth, b)]
    never = lambda _: np.zeros(len(truth.labels), dtype=bool)  # noqa: E731 - no bar is asked for
    units = SetUnits(models, never, 0.0, None, seed=seed, finest=1.0, joint=True)
    return differences.paired(units, measure)


def label_sets_of(table: Any) -> LabelSets:
    """Return the sets that a table of 0 and 1 says."""
    return LabelSets.of(tuple(range(table.shape[1])), *np.nonzero(table), len(table))


def told_apart(measure: str, data: Callable[[Generator], Data], tables: int, seed: int) -> FloatArray:
    """Return the shares of test sets in which both tests tell two models apart, and without an answer."""
    rng, found = np.random.default_rng(seed), np.zeros(3)
    for table in range(tables):
        y, models = data(rng)
        pair = paired(measure, y, models, table)
        p_values = pair.p_value, pair.exchangeable()[0]
        found += [p_values[0] <= LEVEL, p_values[1] <= LEVEL, math.isnan(p_values[0])]
    return found / tables


def main() -> None:
    """Print a line per setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[""])
    parser.add_argument("--tables", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'':44} bootstrap-t  exchange  no answer")
    for name, (measure, data) in settings().items():
        if any(part in name for part in options.only):
            t, exchange, missing = told_apart(measure, data, options.tables, options.seed)
            print(f"{name:44} {t:11.3f} {exchange:9.3f} {missing:10.3f}", flush=True)


if __name__ == "__main__":
    main()
