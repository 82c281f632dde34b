"""Against shuffling: an exact p-value, and what 1,000 permutations of the labels say."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks._case import Case, Section
from benchmarks._inputs import digits

FOLDS = 1_000


def _cases(*, quick: bool) -> Sequence[Case]:
    sizes = (10**3,) if quick else (10**4, 10**5)
    return [
        _case(size, *peer)
        for size in sizes
        for peer in (("scikit-learn's F1", _scikit), ("bare NumPy's F1", _bare))
    ]


def _inputs(size: int) -> tuple[Any, Any]:
    """Make labels on which F1 is about one standard deviation better than a guess."""
    rng = np.random.default_rng(size)
    truth = np.arange(size) < 3 * size // 10
    k = 2 * size // 5
    hits = round(0.3 * k + math.sqrt(k * 0.3 * 0.7 * 0.6))
    guess = np.zeros(size, dtype=bool)
    guess[:hits] = True
    guess[np.count_nonzero(truth) : np.count_nonzero(truth) + k - hits] = True
    order = rng.permutation(size)
    return truth[order].astype(np.int64), guess[order].astype(np.int64)


def _ours(given: Any) -> float:
    import clearbar as cb

    counts = cb.count(*given)
    null = cb.Draw(counts.population, counts.predicted_positives).distribution("f1")
    return null.tail(cb.get_measure("f1")(counts))


def _shuffled(score: Callable[[Any, Any], float], given: Any) -> float:
    truth, guess = given
    rng = np.random.default_rng(1)
    reached = score(truth, guess)
    above = sum(score(truth, rng.permutation(guess)) >= reached for _ in range(FOLDS))
    return (1 + above) / (1 + FOLDS)


def _scikit(given: Any) -> float:
    from sklearn.metrics import f1_score

    return _shuffled(f1_score, given)


def _bare(given: Any) -> float:
    def f1(truth: Any, guess: Any) -> float:
        return 2 * int(truth @ guess) / (int(truth.sum()) + int(guess.sum()))

    return _shuffled(f1, given)


def _case(size: int, peer: str, theirs: Callable[[Any], float]) -> Case:
    def agree(_: Any, a: float, b: float) -> str:
        error = math.sqrt(a * (1 - a) / FOLDS)
        assert abs(a - b) < 5 * error + 1 / FOLDS, (a, b)
        return f"exact {a:.4f}, shuffled {b:.4f} ± {error:.4f}"

    title = f"p-value of F1 against {FOLDS:,} shuffles"
    return Case(title, f"{digits(size)} samples", lambda: _inputs(size), _ours, theirs, peer, agree)


SECTION = Section(
    "permutation",
    "Shuffling labels",
    "The probability that a random draw with as many predicted positives scores at least as well: exact "
    f"here, estimated by {FOLDS:,} permutations of the predictions there.",
    _cases,
    packages=("sklearn.metrics",),
)
