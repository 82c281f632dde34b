"""How often intervals of sets of labels hold the true score: ``python -m benchmarks.coverage_sets``.

Each of some labels is there with the same probability, 80 % of them are found and 5 % of the others called.
A 95 % interval, `low` to `high` of a scorecard, should hold the score of endless samples in 95 %.
"""

from __future__ import annotations

import argparse

import numpy as np

import clearbar as cb

MEASURES = ("f1_micro", "f1_macro", "jaccard_samples", "hamming_loss")
CASES = ((20, 4, 0.3), (20, 4, 0.1), (50, 4, 0.3), (50, 4, 0.03), (200, 4, 0.1), (20, 10, 0.1))
FOUND, CALLED = 0.8, 0.05
ENDLESS = 100_000  # samples whose score stands for the true one


def drawn(samples: int, labels: int, share: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of labels and one of predictions, of 0 and 1."""
    truth = rng.random((samples, labels)) < share
    called = rng.random(truth.shape) < np.where(truth, FOUND, CALLED)
    return truth.astype(int), called.astype(int)


def beside(samples: int, labels: int, share: float, sets: int) -> dict[str, np.ndarray]:
    """Return by measure the shares of intervals that lie above the true score, and below it."""
    rng = np.random.default_rng([samples, labels, round(1000 * share)])
    endless = cb.evaluate_multilabel(*drawn(ENDLESS, labels, share, rng), measures=MEASURES, intervals=False)
    true = {row.measure.name: row.score for row in endless}
    missed = {name: np.zeros(2) for name in MEASURES}
    for seed in range(sets):
        for row in cb.evaluate_multilabel(
            *drawn(samples, labels, share, rng), measures=MEASURES, random_state=seed
        ):
            name = row.measure.name
            missed[name] += [true[name] < row.low, row.high < true[name]]
    return {name: sides / sets for name, sides in missed.items()}


def main() -> None:
    """Print a row for each number of samples and of labels, and each share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sets", type=int, default=200)
    sets = parser.parse_args().sets
    print("| samples | labels | share | " + " | ".join(MEASURES) + " |")
    print("|---" * (3 + len(MEASURES)) + "|")
    for samples, labels, share in CASES:
        missed = beside(samples, labels, share, sets)
        cells = [f"{above:.1%}, {below:.1%}" for above, below in missed.values()]
        print(f"| {samples} | {labels} | {share:.0%} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
