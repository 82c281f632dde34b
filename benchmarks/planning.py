"""Does planned power in clusters agree with how often simulated test sets are sure?

Errors of a cluster are alike with the intra-class correlation that is planned for: each cluster has
probabilities of a right answer of its own, beta distributed, for both classes; labels are in random order.
The rates are those at which as many independent samples as the clusters tell would have a power of about 0.8.

    python -m benchmarks.planning
    python -m benchmarks.planning --trials 1000 --seed 2   # fresh draws
"""

from __future__ import annotations

import argparse
import math
import sys
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

import clearbar as cb

Z = 3.0  # expected difference of the rates over its standard error


class Case(NamedTuple):
    """Clusters of so many samples, how alike errors are in one, and what is supposed."""

    clusters: int
    size: int
    icc: float
    prevalence: float = 0.5
    rates: tuple[float, float] | None = None  # sensitivity and specificity
    measure: str = "mcc"

    def supposed(self) -> tuple[float, float]:
        """Return sensitivity and specificity: those given, or equal ones with an informedness of Z errors."""
        if self.rates is not None:
            return self.rates
        effective = self.clusters * self.size / (1 + (self.size - 1) * self.icc)
        rate = 0.5 + 0.5 * Z / math.sqrt(effective + Z**2)  # (2r - 1) √M / (2 √(r(1 - r))) = Z
        return rate, rate


CASES = [
    Case(6, 10, 0.1), Case(6, 20, 0.3), Case(8, 5, 0.3), Case(10, 5, 0.1), Case(10, 10, 0.3),
    Case(12, 8, 0.2, 0.4, (0.75, 0.85), "balanced_accuracy"), Case(16, 5, 0.3), Case(16, 10, 0.6),
    Case(16, 6, 0.2, 0.3, (0.8, 0.85), "f1"), Case(24, 5, 0.1), Case(24, 5, 0.3),
    Case(24, 5, 0.3, 0.5, (0.72, 0.72)),
    Case(30, 4, 0.3, 0.3, (0.75, 0.85), "f1"), Case(40, 3, 0.3), Case(40, 10, 0.6), Case(60, 4, 0.3),
]  # fmt: skip


def drawn(rng: np.random.Generator, case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels, predictions and clusters of one test set."""
    number = case.clusters * case.size
    truth = rng.permutation(number) < round(number * case.prevalence)
    cluster = np.repeat(np.arange(case.clusters), case.size)
    spread = (1 - case.icc) / case.icc
    place = rng.random(case.clusters)
    of_class = [betaincinv(rate * spread, (1 - rate) * spread, place)[cluster] for rate in case.supposed()]
    right = rng.random(number) < np.where(truth, *of_class)
    return truth, truth == right, cluster


def main() -> None:
    """Print planned and simulated power, and what independent samples would have."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    write = sys.stdout.write
    write("| clusters | samples of each | correlation | measure | rates ")
    write("| planned | simulated | by Kish's rule alone |\n")
    write("|---" * 8 + "|\n")
    for case in CASES:
        (sensitivity, specificity), number = case.supposed(), case.clusters * case.size
        rates = {"sensitivity": sensitivity, "specificity": specificity}
        population = cb.Population(number, round(number * case.prevalence))
        planned = cb.power(population, case.measure, **rates, cluster_size=case.size, icc=case.icc)
        effect = 1 + (case.size - 1) * case.icc
        effective = math.floor(number / effect + 0.5)
        fewer = cb.Population(effective, math.floor(effective * case.prevalence + 0.5))
        many = cb.power(fewer, case.measure, **rates)
        rng, sure = np.random.default_rng([asked.seed, case.clusters, case.size]), 0
        for _ in range(asked.trials):
            truth, called, cluster = drawn(rng, case)
            sure += cb.evaluate(truth, called, case.measure, clusters=cluster)[0].sure
        write(f"| {case.clusters} | {case.size} | {case.icc} | {cb.get_measure(case.measure).label} ")
        write(f"| {sensitivity:.2f}, {specificity:.2f} ")
        write(f"| {planned:.2f} | {sure / asked.trials:.2f} | {many:.2f} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
