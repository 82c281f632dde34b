"""How often does the interval of two models' difference in loss hold the true one, and is one called better?

Models give posterior probabilities of normal features (calibrated), powers of these (overconfident), or are
nearly sure of an answer that is seldom wrong. Those of a pair have the same true loss, but where "power" is
in the name; those "rarely apart" differ in few inputs. The bootstrap-t, beside it, knows no bounds. At most
2.5 % of the intervals may lie below the true difference, and as many above.

    python -m benchmarks.compared_losses
    python -m benchmarks.compared_losses --only sure --measures log_loss --sets 800 --seed 2 --bootstrap
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.coverage_probabilities import class_sizes
from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.differences import BootstrapT, Differences, PairedUnits
from clearbar.problems.multiclass.columns import ColumnUnits

LEVEL = 0.95
DRAWS, RESAMPLES = 40_000, 999
SHARES = {
    "2 equal": (1 / 2, 1 / 2),
    "95, 5 %": (0.95, 0.05),
    "3 equal": (1 / 3,) * 3,
    "90, 5, 5 %": (0.9, 0.05, 0.05),
    "30 equal": (1 / 30,) * 30,
}

Generator = np.random.Generator
Model = Callable[[Generator, IntArray, FloatArray], FloatArray]
Pair = Callable[[Generator, IntArray, FloatArray], tuple[FloatArray, FloatArray]]


def normalised(logits: FloatArray) -> FloatArray:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def posterior(
    rng: Generator, truth: IntArray, prior: FloatArray, distance: float, power: float
) -> FloatArray:
    """Return a power of the posterior probabilities of features that are so far apart."""
    features = rng.normal(size=(len(truth), len(prior)))
    features[np.arange(len(truth)), truth] += distance
    return normalised(power * (distance * features + np.log(prior)))


def sure(rng: Generator, truth: IntArray, prior: FloatArray, wrong: float, rest: float) -> FloatArray:
    """Return nearly 1 for an answer that is seldom wrong, the rest, more or less, for the other classes."""
    classes = len(prior)
    rests = np.clip(rest * np.exp(0.3 * rng.normal(size=len(truth))), 1e-15, 0.95)[:, None]
    other = (truth + rng.integers(1, classes, len(truth))) % classes
    answers = np.where(rng.random(len(truth)) < wrong, other, truth)
    return np.where(answers[:, None] == np.arange(classes), 1 - rests, rests / (classes - 1))


def apart(first: Model, second: Model) -> Pair:
    return lambda rng, truth, prior: (first(rng, truth, prior), second(rng, truth, prior))


def alike(distances: tuple[float, float], powers: tuple[float, float], correlation: float) -> Pair:
    """Return two models whose features correlate."""

    def draw(rng: Generator, truth: IntArray, prior: FloatArray) -> tuple[FloatArray, FloatArray]:
        features = rng.normal(size=(2, len(truth), len(prior)))
        features[1] = correlation * features[0] + math.sqrt(1 - correlation**2) * features[1]
        features[:, np.arange(len(truth)), truth] += np.array(distances)[:, None]
        models = zip(features, distances, powers, strict=True)
        first, second = (normalised(w * (d * x + np.log(prior))) for x, d, w in models)
        return first, second

    return draw


def rarely_apart(rng: Generator, truth: IntArray, prior: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two models that both know nearly all; one is wrong in 2 % of inputs, and else a bit better."""
    # By Brier score the first gains on the 98 % what it loses on the 2 %; neither is ever surer than 0.9.
    wrong = rng.random(len(truth)) < 0.02
    first = np.where(wrong, 0.1, 0.9 - 0.02 * rng.random(len(truth)))
    second = np.where(wrong, 0.9, 0.84) - 0.02 * rng.random(len(truth))
    hit = truth[:, None] == np.arange(len(prior))
    return tuple(  # type: ignore[return-value]
        np.where(hit, of[:, None], (1 - of[:, None]) / (len(prior) - 1)) for of in (first, second)
    )


def settings(prior: tuple[float, ...], measure: Any) -> dict[str, Pair]:
    """Return the pairs of models by name."""
    lost = partial(true_loss, measure=measure, prior=prior)
    calibrated = partial(posterior, distance=1.5, power=1.0)
    found: dict[str, Pair] = {
        "calibrated, twice": apart(calibrated, calibrated),
        "near-perfect, twice": apart(*[partial(posterior, distance=4.0, power=1.0)] * 2),
        "weak, twice": apart(*[partial(posterior, distance=0.5, power=1.0)] * 2),
        "rarely apart": rarely_apart,
        "power: 1.5 and 1.0": alike((1.5, 1.0), (1, 1), 0.9),
        "power: 2.5 and 1.5": alike((2.5, 1.5), (1, 1), 0.7),
        "power: 1.5 and 1.3": alike((1.5, 1.3), (1, 1), 0.98),
        "power: a third of the logits": alike((1.5, 1.5), (1, 3), 1.0),
    }
    power = root(lambda power: lost(partial(posterior, distance=2.0, power=power)) - lost(calibrated), 1, 60)
    if power > 1.01:
        found["calibrated and overconfident"] = apart(
            calibrated, partial(posterior, distance=2.0, power=power)
        )
    for wrong, rest in ((0.05, 1e-3), (0.02, 1e-4), (0.01, 1e-3), (0.01, 1e-8), (0.02, 0.02)):
        one = partial(sure, wrong=wrong, rest=rest)
        rests = root(lambda rest, one=one: lost(partial(sure, wrong=0.0, rest=rest)) - lost(one), 1e-4, 0.6)
        found[f"sure, {wrong:.0%} wrong, {rest:g}"] = apart(one, partial(sure, wrong=0.0, rest=rests))
    return found


def root(function: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(20):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return math.sqrt(low * high)


def true_loss(model: Model, prior: tuple[float, ...], measure: Any) -> float:
    rng, shares = np.random.default_rng(1), np.array(prior)
    draws = DRAWS // len(prior)
    truth = np.repeat(np.arange(len(prior)), draws)
    return float(
        measure.function(model(rng, truth, shares), truth).reshape(len(prior), -1).mean(axis=1) @ shares
    )


@cache
def true_difference(pair: Pair, prior: tuple[float, ...], measure: Any) -> float:
    rng, shares = np.random.default_rng(2), np.array(prior)
    sums = np.zeros(len(prior))
    truth = np.repeat(np.arange(len(prior)), DRAWS // len(prior))
    for _ in range(10):
        first, second = (measure.function(columns, truth) for columns in pair(rng, truth, shares))
        sums += (first - second).reshape(len(prior), -1).mean(axis=1) / 10
    return float(sums @ shares)


def shares_of(
    pair: Pair, sizes: IntArray, measure: Any, sets: int, seed: int, *, bootstrap: bool
) -> dict[str, FloatArray]:
    """Return how often intervals lie below and above the true difference, and how often a model is better."""
    prior = tuple((sizes / sizes.sum()).tolist())
    true, truth = true_difference(pair, prior, measure), np.repeat(np.arange(len(sizes)), sizes)
    rng, found = np.random.default_rng([seed, *sizes.tolist()]), {"bounded": np.zeros(3)}
    for draw in range(sets):
        units = ColumnUnits(truth, list(pair(rng, truth, np.array(prior))), seed=draw, joint=True)
        tests: dict[str, Any] = {"bounded": PairedUnits(units, measure)._drawn}  # noqa: SLF001
        if bootstrap:
            tests["bootstrap-t"] = BootstrapT.of(Differences(units, measure), RESAMPLES, draw)
        for name, test in tests.items():
            seen = test.score if name == "bounded" else test.difference
            refuted = abs(seen - true) > 1e-9 and _p_value(test, true) <= 1 - LEVEL
            shares = found.setdefault(name, np.zeros(3))
            shares += refuted and seen < true, refuted and seen > true, _p_value(test, 0.0) <= 1 - LEVEL
    return {name: shares / sets for name, shares in found.items()}


def _p_value(test: Any, difference: float) -> float:
    if getattr(test, "error", 1.0) == 0:
        return 1.0
    return float(test.p_value(difference))


def rows(options: argparse.Namespace) -> Iterator[str]:
    yield f"{'classes':12}{'models':34}{'n':>5} {'measure':12} below, above the truth; one is better"
    for classes in options.classes:
        for name in options.measures:
            measure = get_measure(name, "probabilities")
            for size in options.sizes:
                sizes = class_sizes(SHARES[classes], size)
                for pair, drawn in settings(tuple((sizes / sizes.sum()).tolist()), measure).items():
                    if not any(part in pair for part in options.only):
                        continue
                    found = shares_of(
                        drawn, sizes, measure, options.sets, options.seed, bootstrap=options.bootstrap
                    )
                    cells = (f"{test} {a:.1%}, {b:.1%}; {c:.0%}" for test, (a, b, c) in found.items())
                    yield f"{classes:12}{pair:34}{size:5} {name:12} " + "   ".join(cells)


def main() -> None:
    """Print a row for each pair of models."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[""])
    parser.add_argument("--classes", nargs="+", default=list(SHARES), choices=list(SHARES))
    parser.add_argument("--measures", nargs="+", default=["log_loss", "brier_score", "rps"])
    parser.add_argument("--sizes", nargs="+", type=int, default=[20, 50, 200])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bootstrap", action="store_true", help="the bootstrap-t of each, which takes long")
    for row in rows(parser.parse_args()):
        print(row, flush=True)


if __name__ == "__main__":
    main()
