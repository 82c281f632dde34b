"""How often is a model that knows nothing called a sure clear, where samples come in groups?

Every group has one label and one prediction, both at random, as where patients give several rows each.
Then how often the interval of an informative model holds its true score, where both vary from group to
group; without groups each sample is a group of its own. Last, how often two models of the same true accuracy
are told apart: of both alike, and where one is wrong in whole groups.

    python -m benchmarks.clusters
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

import clearbar as cb

SHAPES = ((60, 5), (60, 20), (20, 5), (8, 5))
COMPARED = ((5, 0.1), (8, 0.1), (15, 0.1), (30, 0.1), (30, 0.03), (60, 0.02), (120, 0.1))


def false_clears(groups: int, size: int, trials: int, *, clusters: bool) -> float:
    """Return the share of data sets in which blind predictions clear the bar of MCC surely."""
    generator = np.random.default_rng(1)
    ids = np.repeat(np.arange(groups), size)
    clears = 0
    for _ in range(trials):
        truth, predicted = (np.repeat(generator.random(groups) < 0.5, size) for _ in range(2))
        if truth.all() or not truth.any():
            continue
        clears += cb.evaluate(truth, predicted, "mcc", clusters=ids if clusters else None)[0].sure
    return clears / trials


def coverage(groups: int, size: int, trials: int, *, clusters: bool) -> float:
    """Return how often the interval of balanced accuracy holds the true one."""
    generator = np.random.default_rng(2)
    ids = np.repeat(np.arange(groups), size)
    held = 0
    for _ in range(trials):
        truth = generator.random(groups * size) < np.repeat(generator.beta(2, 2, groups), size)
        right = generator.random(groups * size) < np.repeat(generator.beta(2.1, 0.9, groups), size)
        row = cb.evaluate(
            truth, truth == right, "balanced_accuracy", clusters=ids if clusters else range(len(ids))
        )[0]
        held += row.low <= 0.7 <= row.high
    return held / trials


def told_apart(groups: int, size: int, share: float, trials: int, *, wholly: bool) -> float:
    """Return how often equal accuracies are refuted; one model may be wholly wrong in some groups."""
    generator, told = np.random.default_rng(3), 0
    ids, truth = np.repeat(np.arange(groups), size), np.arange(groups * size) % 2 == 0
    for seed in range(trials):
        wrong = [generator.random(groups)[ids] < share, generator.random(len(ids)) < share]
        if not wholly:
            spread = share * 2, (1 - share) * 2  # an intra-class correlation of 1/3
            wrong = [generator.random(len(ids)) < generator.beta(*spread, groups)[ids] for _ in range(2)]
        models = {name: truth != errors for name, errors in zip("ab", wrong, strict=True)}
        card = cb.evaluate(truth, models, "accuracy", clusters=ids, intervals=False, random_state=seed)
        told += card.problem.paired(card.measures[0], 0, 1).p_value <= 0.05
    return told / trials


def main() -> None:
    """Print each share as it is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1_000)
    trials = parser.parse_args().trials
    out = sys.stdout
    out.write("groups  of   false: without  with   coverage: without  with\n")
    for groups, size in SHAPES:
        out.write(f"{groups:6}  {size:2} ")
        for measured in (false_clears, coverage):
            for clusters in (False, True):
                out.write(f"  {100 * measured(groups, size, trials, clusters=clusters):8.1f} %")
                out.flush()
        out.write("\n")
    out.write("equal accuracies told apart\ngroups  share wrong   alike  one wrong in whole groups\n")
    for groups, share in COMPARED:
        out.write(f"{groups:6}  {share:11.0%} ")
        for wholly in (False, True):
            out.write(f"  {100 * told_apart(groups, 6, share, trials, wholly=wholly):5.1f} %")
            out.flush()
        out.write("\n")


if __name__ == "__main__":
    main()
