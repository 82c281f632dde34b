"""How likely is a random fold without a single positive sample?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from clearbar.core._numbers import whole_numbers
from clearbar.data.counting import population_from_labels
from clearbar.null import hypergeometric as hg

MILD = 0.25
"""Expected number of empty folds up to which the alternating sum cancels no digits worth naming."""

MOST_SUBSETS = 2**22
"""Different sizes of unions of folds up to which they are listed."""


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
        How often cross-validation is repeated with new random folds.

    Returns
    -------
    float or ndarray
        The probability that this happens in at least one repeat: exact, by inclusion and exclusion over
        sets of folds.

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
    if not population.shape:
        return _one(int(population.total), int(population.positives), folds, int(times))
    both = np.stack([population.total, population.positives], axis=-1).reshape(-1, 2)
    sizes = [(total, positives) for total, positives in both.tolist()]
    known = {pair: _one(*pair, folds, int(times)) for pair in dict.fromkeys(sizes)}
    return np.array([known[pair] for pair in sizes]).reshape(population.shape)


def _one(total: int, positives: int, folds: Any, repeats: int) -> float:
    sizes = _sizes(total, folds)
    if positives < len(sizes):
        return 1.0
    once = _once(total, positives, sizes)
    return 1.0 if once >= 1.0 else -math.expm1(repeats * math.log1p(-once))


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
    expected = float(hg.pmf(0, total, positives, np.array(sizes)).sum())
    if expected <= MILD:
        return math.fsum(_terms(total, positives, sizes))
    # Then positives are few, a small multiple of folds * log(folds): whole numbers are cheap.
    full = math.comb(total, positives)
    signed = sum(
        sign * ways * math.comb(total - size, positives) for size, (sign, ways) in _unions(total, sizes)
    )
    return float(Fraction(signed, full))


def _terms(total: int, positives: int, sizes: list[int]) -> Iterator[float]:
    for size, (sign, ways) in _unions(total - positives, sizes):
        yield sign * ways * float(hg.pmf(0, total, positives, size))


def _unions(most: int, sizes: list[int]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Generate the sizes of unions of one fold or more, with sign and number of the sets that have it."""
    unions: dict[tuple[int, int], int] = {(0, 0): 1}
    for size, times in Counter(sizes).items():
        grown: Counter[tuple[int, int]] = Counter()
        for (union, count), ways in unions.items():
            for more in range(min(times, (most - union) // size) + 1):
                grown[union + more * size, count + more] += ways * math.comb(times, more)
        unions = dict(grown)
        if len(unions) > MOST_SUBSETS:
            msg = "folds have too many different sizes to go through their unions; give their number instead."
            raise ValueError(msg)
    for (union, count), ways in unions.items():
        if count:
            yield union, (1 if count % 2 else -1, ways)
