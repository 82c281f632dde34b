"""Theorem 1 of Pries et al., by enumeration: nothing that ignores its input beats the best draw on average.

    python -m examples.papers.theorem

A classifier that ignores its input is a probability of each of the 2^M vectors of labels, drawn here at
random, many times. Its expectation over all orders of the true labels is counted order by order. It must
never exceed the best draw's, and the mixture that the theorem says it is must expect the same.

J. Pries et al., The optimal input-independent baseline for binary classification, Statistica Neerlandica,
2023.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from examples.papers._beside import Row, shown

import clearbar as cb

MEASURES = ("f1", "accuracy", "g_mean", "threat_score", "mcc", "fp")
TITLE = (
    "Theorem 1: of {blind} blind classifiers, over all orders of {total} labels, for each number of positives"
)
CLOSE = 1e-12


def rows(total: int = 7, blind: int = 200, seed: int = 0) -> Iterator[Row]:
    """Count those that expect more than the best draw, and those that are no mixture of draws."""
    random = np.random.default_rng(seed)
    vectors = np.array(list(product([0, 1], repeat=total)))
    mixtures = random.dirichlet(np.full(len(vectors), 0.05), size=blind)
    laws = np.concatenate([mixtures, np.eye(len(vectors))])  # and each vector of labels, always
    predicted = vectors.sum(axis=1)
    for name in MEASURES:
        measure, above, unlike, attained = cb.get_measure(name), 0, 0, 0
        for positives in range(1, total):
            tp = vectors @ vectors[predicted == positives].T
            fn, fp = positives - tp, predicted[:, None] - tp
            values = measure.values(tp, fp, fn, total - tp - fn - fp)
            every = np.nan_to_num(values).mean(axis=1)  # what has no value counts 0, as the bar's policy says
            bar = cb.baseline(cb.Population(total, positives), name, undefined=0.0)
            gain = (laws @ every - bar.value) * (1 if measure.greater_is_better else -1)
            above += int(np.sum(gain > CLOSE))
            attained += bool(np.max(gain) > -CLOSE)
            draws = np.array([every[predicted == k].mean() for k in range(total + 1)])
            shares = np.stack([laws[:, predicted == k].sum(axis=1) for k in range(total + 1)], axis=1)
            unlike += int(np.sum(np.abs(shares @ draws - laws @ every) > CLOSE))
        yield Row(
            measure.label, str(above), str(unlike), f"attained for {attained} of {total - 1} class sizes"
        )


def difference(_: str) -> str:
    """Return how many blind classifiers expect more than the best draw, or are no mixture of draws."""
    return f"{sum(int(row.printed) + int(row.computed) for row in rows())} of {200 + 2**7} classifiers"


def table(total: int = 7, blind: int = 200) -> str:
    """Return the table as it is shown."""
    heads = ("measure", "above the bar", "no mixture of draws")
    title = TITLE.format(total=total, blind=blind + 2**total)
    return shown(title, rows(total, blind), heads)


if __name__ == "__main__":
    print(table(10, 2000))
