"""Blind predictions of several folds, which are independent given the labels: TP in all, or in each.

Given how many samples of each fold are predicted positive, the pooled TP is a sum of independent
hypergeometric numbers, and its tail is the exact conditional Cochran-Mantel-Haenszel test (Mantel and
Haenszel, J. Nat. Cancer Inst. 22, 1959; Gart, Biometrika 57, 1970).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core._value import whole_numbers
from clearbar.data.counting import population_from_labels
from clearbar.inference.binomial import log_pmf
from clearbar.inference.units import CELLS
from clearbar.null import hypergeometric as hg

# Products up to which distributions are convolved directly, which keeps the digits of small tails.
MOST_PRODUCTS = 2**24

# Probability of each fold that is left out of large distributions; no tail of these is said to be less.
LEFT_OUT = 2e-18

FEW_OUTCOMES = 2**14  # numbers of TP of a fold up to which none is left out
MOST_OUTCOMES = 2**16  # outcomes of all folds together up to which each is looked at; of more, some are drawn


def convolved(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the distribution of a sum of two numbers: from Fourier transforms where they are long."""
    # These lose 1e-16 of the largest probability, which the tails of long distributions can bear.
    if len(first) * len(second) <= MOST_PRODUCTS:
        return np.convolve(first, second)
    length = len(first) + len(second) - 1
    size = 1 << length.bit_length()
    product = np.fft.irfft(np.fft.rfft(first, size) * np.fft.rfft(second, size), size)
    return np.maximum(product[:length], 0.0)


def repeated(fold: FloatArray, times: int) -> FloatArray:
    """Return the distribution of a sum of so many numbers that are distributed alike."""
    sums, power = np.ones(1), fold
    while times:
        sums = convolved(sums, power) if times % 2 else sums
        times //= 2
        power = convolved(power, power) if times else power
    return sums


def distribution_of_sum(total: Any, positives: Any, draws: Any) -> tuple[FloatArray, int]:
    """Return the probabilities of the least sum of TP and those that follow, and that least sum."""
    margins = np.stack(
        [np.asarray(margin, dtype=np.int64).reshape(-1) for margin in (total, positives, draws)]
    )
    kinds, times = np.unique(margins, axis=1, return_counts=True)
    sums, least = np.ones(1), 0
    for (m, p, k), number in zip(kinds.T.tolist(), times.tolist(), strict=True):
        first, last = (int(end) for end in hg.support(m, p, k))
        if last - first >= FEW_OUTCOMES:
            first, last = (int(end) for end in hg.window(m, p, k))
        fold = hg.pmf(np.arange(first, last + 1), m, p, k)
        sums, least = convolved(sums, repeated(fold, number)), least + number * first
    return sums, least


def distributions_of_sums(total: IntArray, positives: IntArray, draws: IntArray) -> FloatArray:
    """Return P(sum of TP = 0, 1, ...) for each row of draws per fold."""
    sums = np.ones((len(draws), 1))
    for m, p, k in zip(total.tolist(), positives.tolist(), draws.T, strict=True):
        fold = hg.pmf(np.arange(p + 1), m, p, np.arange(m + 1)[:, None])[k]
        short, long = sorted((sums, fold), key=lambda side: side.shape[1])
        sums = np.zeros((len(draws), short.shape[1] + long.shape[1] - 1))
        for column in range(short.shape[1]):
            sums[:, column : column + long.shape[1]] += short[:, column, None] * long
    return sums


# TP of folds, (outcomes, folds), and how likely each outcome is, or how often it was drawn.
Outcomes = Iterable[tuple[IntArray, FloatArray]]


def every_outcome(
    total: IntArray, positives: IntArray, draws: IntArray, *, pooled: bool = False
) -> Outcomes | None:
    """Return every TP of all folds, or of their sum; None where there are too many of them."""
    if pooled:
        chances, least = distribution_of_sum(total, positives, draws)
        return [(least + np.arange(len(chances))[:, None], chances)]
    low, high = hg.support(total, positives, draws)
    sizes = (high - low + 1).tolist()
    if math.prod(sizes) > MOST_OUTCOMES:
        return None
    tp = low + np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), axis=-1)
    return [(tp, hg.pmf(tp, total, positives, draws).prod(axis=1))]


def drawn_outcomes(
    total: IntArray, positives: IntArray, draws: IntArray, number: int, *, seed: int
) -> Outcomes:
    """Draw so many TP of all folds, in portions."""
    generator, rows = np.random.default_rng(seed), max(1, CELLS // len(total))
    for first in range(0, number, rows):
        size = min(rows, number - first), len(total)
        yield generator.hypergeometric(positives, total - positives, draws, size=size), np.ones(size[0])


# -- folds without a positive sample -------------------------------------------------------------------------
# Expected number of empty folds below which none but the first term of inclusion and exclusion counts.
RARE = 1e-9

NOTHING = 1e-40  # probability of so many positives in a fold that is nothing beside `RARE`


def probability_of_empty_fold(population: Any, folds: Any, repeats: int = 1) -> Any:
    """Return the probability that random folds include one without a positive sample.

    There every F score is 0 or undefined, and recall has no value. Stratified folds avoid it as long as
    there are as many positive samples as folds.

    Parameters
    ----------
    population : Population or array_like of shape (M,)
        Class sizes, or true labels within {0, 1}, {-1, 1} or booleans. An array of populations gives an
        array.
    folds : int or sequence of int
        Number of folds, of sizes that differ by one at the most, or the size of each.
    repeats : int
        The number of times that cross-validation is repeated with new random folds.

    Returns
    -------
    float or ndarray
        The probability that this happens in at least one repeat.

    Raises
    ------
    ValueError
        If there are fewer than two folds or more than samples, sizes do not add up to the samples, or
        `repeats` is not a whole number from 1 up.

    References
    ----------
    Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010,
    figure 9.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.probability_of_empty_fold(cb.Population(1000, 20), 10), 4)
    0.7772
    """
    times = whole_numbers("repeats", repeats)
    if times.ndim or int(times) < 1:
        raise ValueError(f"repeats must be one whole number from 1 up; found {repeats!r}.")
    population = population_from_labels(population)
    both = np.stack([population.total, population.positives], axis=-1).reshape(-1, 2)
    chances = {(total, positives): _once(total, positives, _sizes(total, folds))
             for total, positives in dict.fromkeys(map(tuple, both.tolist()))}  # fmt: skip
    once = np.array([chances[pair] for pair in map(tuple, both.tolist())]).reshape(population.shape)
    with np.errstate(divide="ignore"):
        ever = -np.expm1(int(times) * np.log1p(-once))
    return ever if population.shape else float(ever)


def _sizes(total: int, folds: Any) -> list[int]:
    given = whole_numbers("folds", folds)
    sizes = given.tolist()
    if given.ndim == 0:
        number = int(given)
        if not 2 <= number <= total:
            raise ValueError(f"folds must be at least 2 and at most the {total:,} samples; found {number:,}.")
        small, larger = divmod(total, number)
        sizes = [small + 1] * larger + [small] * (number - larger)
    if given.ndim > 1 or len(sizes) < 2 or min(sizes) < 1 or sum(sizes) != total:
        msg = f"folds must be a number, or the sizes of two or more folds that add up to {total:,} samples."
        raise ValueError(msg)
    return [int(size) for size in sizes]


def _once(total: int, positives: int, sizes: list[int]) -> float:
    """Return the probability for one set of random folds."""
    # Fold by fold two distributions of the positives so far are carried on: where no fold is empty, and where
    # one is. Nothing is subtracted, so that small probabilities keep their digits. Labels are taken for
    # independent, each positive with the same chance, and their sum is conditioned on at the end.
    if positives < len(sizes):
        return 1.0
    expected = float(hg.pmf(0, total, positives, np.array(sizes)).sum())
    if expected < RARE:
        return expected
    none_empty, some_empty = np.ones(1), np.zeros(1)
    kinds, times = np.unique(sizes, return_counts=True)
    for size, number in zip(kinds.tolist(), times.tolist(), strict=True):
        hits = np.arange(min(size, positives) + 1.0)
        fold = np.exp(log_pmf(hits, np.full_like(hits, size), np.full_like(hits, positives / total)))
        fold = fold[: np.flatnonzero(fold > NOTHING)[-1] + 1]
        empty = fold * (np.arange(len(fold)) == 0)
        without = fold - empty
        for _ in range(number):
            both = convolved(none_empty + some_empty, empty) + convolved(some_empty, without)
            some_empty = both[: positives + 1]
            none_empty = convolved(none_empty, without)[: positives + 1]
    return float(some_empty[positives] / (some_empty[positives] + none_empty[positives]))
