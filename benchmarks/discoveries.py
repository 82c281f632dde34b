"""How many of the classes said to clear their bar surely do not: ``python benchmarks/discoveries.py``.

Each class is judged against the rest on the same samples, and p-values are corrected by Benjamini and
Hochberg. Models draw labels at the shares of the classes, blind to the features. Some know a few classes: of
the samples of these that are called one of them most are called the right one, and the other classes stay at
the bar.
"""

from __future__ import annotations

import argparse

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.data.classes import confusion_matrices
from clearbar.inference import false_discovery
from clearbar.problems.multiclass import ClassLabels
from clearbar.verdict import judge

CASES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((34, 33, 33), ()),
    ((20,) * 5, ()),
    ((40, 30, 15, 10, 5), ()),
    ((20,) * 10, ()),
    ((10,) * 20, ()),
    ((20,) * 10, (0, 1, 2, 3, 4)),
    ((60, 30, 20, 15, 10, 8, 8, 6, 5, 5), (0, 2, 4)),
)
"""Class sizes, and the classes that models know."""

MEASURES = ("mcc", "f1", "accuracy")
KNOWN = 0.7
LEVEL = 0.05


def called(rng: np.random.Generator, truth: np.ndarray, shares: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the labels of one model."""
    said = rng.choice(len(shares), size=len(truth), p=shares)
    right = np.isin(truth, known) & np.isin(said, known) & (rng.random(len(truth)) < KNOWN)
    return np.where(right, truth, said)


def rates(sizes: tuple[int, ...], known: tuple[int, ...], models: int) -> list[float]:
    """Return by measure the false discovery rate: the mean share of false ones among the discoveries."""
    rng, classes = np.random.default_rng(1), tuple(range(len(sizes)))
    truth, shares = np.repeat(classes, sizes), np.array(sizes) / sum(sizes)
    drawn = (called(rng, truth, shares, np.array(known)) for _ in range(models))
    matrices = tuple(confusion_matrices(classes, truth, own, None, 0) for own in drawn)
    problem = ClassLabels(tuple(map(str, range(models))), (None,), matrices).per_class(0)
    _, columns = judge(problem, [get_measure(name) for name in MEASURES])
    above = columns["outcome"] == "clears"
    # Blind models truly miss the bars of F1 and accuracy: only what is said to clear can be false.
    either = np.array([name == "mcc" for name in MEASURES])
    raw = np.nan_to_num(np.where(above, columns["p_sure"], columns["p_value"]), nan=1.0)
    blind = ~np.isin(classes, known)
    false_rates = []
    for at in range(len(MEASURES)):
        sure = np.array([false_discovery(own) <= LEVEL for own in raw[:, :, at]])
        sure &= above[:, :, at] | either[at]
        false_rates.append(float(((sure & blind).sum(axis=1) / np.maximum(sure.sum(axis=1), 1)).mean()))
    return false_rates


def main() -> None:
    """Print a table for the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=2_000)
    models = parser.parse_args().models
    print(f"| class sizes | known classes | {' | '.join(MEASURES)} |\n|---|---|{'---|' * len(MEASURES)}")
    for sizes, known in CASES:
        class_sizes = f"{len(sizes)} of {sizes[0]}" if len(set(sizes)) == 1 else ", ".join(map(str, sizes))
        cells = [class_sizes, str(len(known)), *(f"{rate:.1%}" for rate in rates(sizes, known, models))]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
