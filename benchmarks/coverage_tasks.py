"""How often the interval of a mean over tasks holds the true mean.

python -m benchmarks.coverage_tasks [--draws 2000]

Items of three tasks of a leaderboard's usual smallest sizes are right with a probability of their task, each
on its own.
"""

from __future__ import annotations

import argparse

import numpy as np
import polars as pl

import clearbar as cb

SIZES = (25, 60, 120)
SHARES = (0.8, 0.35, 0.6)


def drawn(generator: np.random.Generator) -> pl.DataFrame:
    """Return the answers of one model to items of four options."""
    right = np.concatenate(
        [generator.random(size) < share for size, share in zip(SIZES, SHARES, strict=True)]
    )
    gold = generator.integers(0, 4, len(right))
    answers = np.where(right, gold, (gold + 1) % 4)
    tasks = np.repeat(["small", "middle", "large"], SIZES)
    return pl.DataFrame({"task": tasks, "options": 4, "gold": gold, "answer": answers})


def main() -> None:
    """Print the share of intervals that hold the true mean, and how sure that is."""
    parser = argparse.ArgumentParser(description="Coverage of the interval of a mean over tasks.")
    parser.add_argument("--draws", type=int, default=2_000)
    draws = parser.parse_args().draws
    generator, truth, inside = np.random.default_rng(31), float(np.mean(SHARES)), 0
    for _ in range(draws):
        card = cb.evaluate_frame(
            drawn(generator), "gold", "answer", measures="accuracy", by="task", kind="multiclass",
            options="options",
        )  # fmt: skip
        inside += card[0].low <= truth <= card[0].high
    share = inside / draws
    error = (share * (1 - share) / draws) ** 0.5
    print(f"tasks of {SIZES} items, shares {SHARES}: {share:.1%} of {draws:,} intervals, ± {error:.1%}")


if __name__ == "__main__":
    main()
