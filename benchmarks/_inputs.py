"""Inputs that several sections share. Seeds are fixed: every run asks the same questions."""

from __future__ import annotations

from typing import Any

import numpy as np

POSITIVE = 0.3
WRONG = 0.2


def labels(size: int, dtype: Any = np.int64, positive: float = POSITIVE) -> tuple[Any, Any]:
    """Return true labels, 30 % positive unless said, and predictions of which 20 % are wrong."""
    rng = np.random.default_rng(size)
    truth = rng.random(size, dtype=np.float32) < positive
    guess = truth ^ (rng.random(size, dtype=np.float32) < WRONG)
    if dtype is str:
        return np.where(truth, "yes", "no"), np.where(guess, "yes", "no")
    return truth.astype(dtype), guess.astype(dtype)


def matrices(number: int, largest: int = 10**6) -> dict[str, Any]:
    """Return tp, fp, fn and tn of so many populations, nearly all different, of 100 samples and more.

    Sizes are spread evenly over their logarithm; models are a little better than a guess.
    """
    rng = np.random.default_rng(number)
    total = np.exp(rng.uniform(np.log(100), np.log(largest), number)).astype(np.int64)
    positives = np.maximum((total * rng.uniform(0.02, 0.98, number)).astype(np.int64), 1)
    predicted = np.maximum((total * rng.uniform(0.02, 0.98, number)).astype(np.int64), 1)
    tp = rng.hypergeometric(positives, total - positives, predicted)
    better = rng.poisson(np.sqrt(total) / 4, number)
    tp = np.minimum(tp + better, np.minimum(positives, predicted))
    cells = tp, predicted - tp, positives - tp, total - positives - predicted + tp
    return dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))


def slices(number: int) -> dict[str, Any]:
    """Return tp, fp, fn and tn of so many slices of 60 to 200 samples, 30 to 60 % of them positive.

    Models find 50 to 90 % of the positive samples, and take 10 to 50 % of the others for such.
    """
    rng = np.random.default_rng(number)
    total = rng.integers(60, 201, number)
    positives = rng.binomial(total, rng.uniform(0.3, 0.6, number))
    tp = rng.binomial(positives, rng.uniform(0.5, 0.9, number))
    fp = rng.binomial(total - positives, rng.uniform(0.1, 0.5, number))
    return {"tp": tp, "fp": fp, "fn": positives - tp, "tn": total - positives - fp}


def forget_bars() -> None:
    """Empty the memory of bars, so that each sample finds them anew."""
    from clearbar.problems.binary import _search

    _search._of_one.cache_clear()  # noqa: SLF001 - what users need not know of


def digits(size: float) -> str:
    """Return a size as a reader writes it."""
    power = round(np.log10(size))
    return f"1e{power}" if size == 10**power and power > 3 else f"{size:,.0f}"
