"""Sums over folds, whose blind predictions are independent given the labels: exact distributions.

Given how many samples of each fold are predicted positive, the pooled TP is a sum of independent
hypergeometric numbers, and its tail is the exact conditional Cochran-Mantel-Haenszel test. Far out such a sum
is found by exponential tilting: the distribution of every fold is multiplied by ``exp(theta * TP)`` with the
theta that moves the mean of the sum to where the tail begins. There all that counts is of ordinary size, so
that nothing underflows, and Fourier transforms keep the digits of the tail.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from clearbar.core._numbers import whole_numbers
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.data.counting import population_from_labels
from clearbar.null import hypergeometric as hg
from clearbar.null import laid_out

LEFT_OUT = 45.0
"""A window leaves out less than two times exp(-45) of a tilted distribution (Bernstein's inequality)."""

MOST_POINTS = 2**22
"""Points in the windows of all folds, and cells of their sum, up to which they are convolved."""

MOST_ATOMS = 2**18
"""Distinct sums of some of the folds up to which they are listed."""

MOST_PAIRS = 2**25
"""Pairs of sums of two halves up to which all are looked at, where they cannot be sorted."""

GRID = 2**15
"""Cells of the grid on which sums that cannot be listed are rounded down and up."""

ROUNDING = 1e-9
"""Share by which bounds on the grid are drawn apart, far more than transforms can be off."""

SAME = 1e-12
"""Relative distance below which two sums are one, and a sum attains a score."""

CHUNK = 2**20
"""Numbers held in memory at once."""


def log_tail_of_sum(least: int, total: Any, positives: Any, draws: Any) -> float:
    """Return log P(sum of TP >= least), also where the probability underflows; nan of too large folds.

    Mantel and Haenszel, J. Nat. Cancer Inst. 22, 1959; Gart, Biometrika 57, 1970 (exact conditional).
    """
    m, p, k = (np.asarray(margin, dtype=np.int64).reshape(-1) for margin in (total, positives, draws))
    if least <= int(hg.support(m, p, k)[0].sum()):
        return 0.0
    if least > float(hg.tp_mean(m, p, k).sum()):
        return _log_upper_tail(least, m, p, k)
    # TP <= least - 1 is FN >= P - least + 1, and FN is what a draw of M - k samples finds.
    return math.log1p(-math.exp(_log_upper_tail(int(p.sum()) - least + 1, m, p, m - k)))


def _log_upper_tail(least: int, m: IntArray, p: IntArray, k: IntArray) -> float:
    """Return the same of a tail that begins at the mean or above."""
    low, high = hg.support(m, p, k)
    if least > int(high.sum()):
        return -math.inf
    if least == int(high.sum()):
        return float(hg.log_pmf(high, m, p, k).sum())
    (m, p, k), times = np.unique(np.stack([m, p, k]), axis=1, return_counts=True)
    low, high = hg.support(m, p, k)
    theta, centre, variance = _tilt_of_tables(least, m, p, k, times)
    width = LEFT_OUT / 3 + np.sqrt(LEFT_OUT**2 / 9 + 2 * LEFT_OUT * (1.25 * variance + 1.0)) + 2
    middle = np.clip(np.rint(centre).astype(np.int64), low, high)
    first = np.maximum(low, middle - width.astype(np.int64))
    last = np.minimum(high, middle + width.astype(np.int64))
    if int((times * (last - first + 1)).sum()) > MOST_POINTS:
        return math.nan
    fold, place, start = laid_out(last - first + 1)
    log_mass = hg.log_pmf(place + first[fold], m[fold], p[fold], k[fold])
    beyond = least - int(times @ first)
    if len(place) <= CHUNK:  # of folds of a few samples the approximation may be twice what it should be
        theta = _tilt(place, log_mass, start, times, beyond, theta)
    return _log_tilted_tail(place, log_mass, start, times, beyond, theta)


def _tilt_of_tables(
    least: int, m: IntArray, p: IntArray, k: IntArray, times: IntArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return theta, and mean and variance of each fold's tilted distribution (Cornfield's approximations).

    They only place the windows: any theta and windows wide enough give the same tail.
    """
    positives, draws, rest = (part.astype(np.float64) for part in (p, k, m - p - k))

    def means(theta: float) -> FloatArray:
        odds = math.exp(theta)
        b = odds * (positives + draws) + rest
        root = np.sqrt(np.maximum(b * b - 4 * (odds - 1) * odds * positives * draws, 0.0))
        return np.asarray(2 * odds * positives * draws / np.maximum(b + root, 1e-300))

    low, high = 0.0, 150.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if times @ means(middle) < least else (low, middle)
    centre = means(high)
    cells = np.stack((centre, positives - centre, draws - centre, rest + centre))
    return high, centre, 1.0 / (1.0 / np.maximum(cells, 1e-9)).sum(axis=0)


def _log_tilted_tail(
    value: IntArray, log_mass: FloatArray, start: IntArray, times: IntArray, least: int, theta: float
) -> float:
    """Return log P(sum >= least) of independent whole numbers from 0 up, laid out one after the other.

    Each distribution, which begins at one of `start`, occurs `times` in the sum.
    """
    fold = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(value))))
    weight = log_mass + theta * value
    top = np.maximum.reduceat(weight, start)
    weight = np.exp(weight - top[fold])
    mass = np.add.reduceat(weight, start)  # with it each adds up to 1, so that no product over- or underflows
    sums = _convolved(value, weight / mass[fold], start, times)[least:]
    tail = float((sums * np.exp(-theta * np.arange(len(sums)))).sum())
    if tail <= 0:
        return -math.inf
    return min(float(times @ (top + np.log(mass))) - theta * least + math.log(tail), 0.0)


def _convolved(value: IntArray, mass: FloatArray, start: IntArray, times: IntArray) -> FloatArray:
    """Return P(sum = 0, 1, ...) of independent whole numbers, by Fourier transforms."""
    most = int(times @ np.maximum.reduceat(value, start))
    size = 1 << (most + 1).bit_length()
    ends = np.append(start, len(value))
    product: Any = 1.0
    rows = max(CHUNK // size, 1)
    for first in range(0, len(start), rows):
        last = min(first + rows, len(start))
        within = slice(ends[first], ends[last])
        row = np.repeat(np.arange(last - first), np.diff(ends[first : last + 1]))
        cell = row * size + value[within]
        dense = np.bincount(cell, weights=mass[within], minlength=(last - first) * size)
        transforms = np.fft.rfft(dense.reshape(last - first, size), axis=1)
        product = product * (transforms ** times[first:last, None]).prod(axis=0)
    return np.maximum(np.fft.irfft(product, size)[: most + 1], 0.0)


def distribution_of_sum(total: Any, positives: Any, draws: Any) -> tuple[FloatArray, int]:
    """Return the probabilities of the least sum of TP and those that follow, and that least sum.

    Less than 2e-18 of each fold's distribution is left out.
    """
    m, p, k = (np.asarray(margin, dtype=np.int64).reshape(-1) for margin in (total, positives, draws))
    (m, p, k), times = np.unique(np.stack([m, p, k]), axis=1, return_counts=True)
    first, last = hg.window(m, p, k)
    fold, place, start = laid_out(last - first + 1)
    mass = hg.pmf(place + first[fold], m[fold], p[fold], k[fold])
    return _convolved(place, mass, start, times), int(times @ first)


def distributions_of_sums(total: IntArray, positives: IntArray, draws: IntArray) -> FloatArray:
    """Return P(sum of TP = 0, 1, ...) for each row of draws per fold, nothing left out."""
    sums = np.ones((len(draws), 1))
    for m, p, k in zip(total.tolist(), positives.tolist(), draws.T, strict=True):
        fold = hg.pmf(np.arange(p + 1), m, p, np.arange(m + 1)[:, None])[k]
        short, long = sorted((sums, fold), key=lambda side: side.shape[1])
        sums = np.zeros((len(draws), short.shape[1] + long.shape[1] - 1))
        for column in range(short.shape[1]):
            sums[:, column : column + long.shape[1]] += short[:, column, None] * long
    return sums


# -- sums of real numbers, or of pairs of them ---------------------------------------------------------------
@dataclass(frozen=True)
class Atoms:
    """What one fold adds, of shape (axes, values), and how likely."""

    values: FloatArray
    probabilities: FloatArray

    @classmethod
    def of_tables(
        cls, total: IntArray, positives: IntArray, draws: IntArray, values: Callable[..., FloatArray]
    ) -> list[Atoms] | None:
        """Return what the tables of each fold add; None where there are too many of them.

        `values` gives (axes, tables) of arrays TP, M, P, k and the number of the fold.
        """
        low, high = hg.support(total, positives, draws)
        if int((high - low + 1).sum()) > 2**21:
            return None
        fold, place, start = laid_out(high - low + 1)
        margins = place + low[fold], total[fold], positives[fold], draws[fold]
        added, probability = values(*margins, fold), hg.pmf(*margins)
        parts = zip(np.split(added, start[1:], axis=1), np.split(probability, start[1:]), strict=True)
        return [cls(*part) for part in parts]


def two_halves(atoms: Sequence[Atoms]) -> tuple[Atoms, Atoms] | None:
    """Add folds together, those with the fewest sums first, until two are left; None where too many."""
    number = itertools.count()
    nothing = Atoms(np.zeros((atoms[0].values.shape[0], 1)), np.ones(1))
    queue = [(len(fold.probabilities), next(number), fold) for fold in (nothing, *atoms)]
    heapq.heapify(queue)
    while len(queue) > 2:
        (size, _, one), (other_size, _, other) = heapq.heappop(queue), heapq.heappop(queue)
        if size * other_size > MOST_ATOMS:
            return None
        both = _added(one, other)
        heapq.heappush(queue, (len(both.probabilities), next(number), both))
    (_, _, one), (_, _, other) = sorted(queue, key=lambda entry: entry[:2])
    return one, other


def _added(one: Atoms, other: Atoms) -> Atoms:
    """Return the sums of two folds, those that differ by rounding alone as one."""
    values = (one.values[:, :, None] + other.values[:, None, :]).reshape(one.values.shape[0], -1)
    probabilities = (one.probabilities[:, None] * other.probabilities).reshape(-1)
    keys = np.rint(values / (SAME * np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-300)))
    order = np.lexsort(keys)
    new = np.append(True, (np.abs(np.diff(keys[:, order], axis=1)) > 1).any(axis=0))
    starts = np.flatnonzero(new)
    return Atoms(values[:, order][:, starts], np.add.reduceat(probabilities[order], starts))


def tail_of_numbers(atoms: Sequence[Atoms], least: float) -> tuple[float, float]:
    """Return bounds of P(sum >= least), equal where the sums of either half of the folds can be listed."""
    halves = two_halves(atoms)
    if halves is None:
        return _on_a_grid(atoms, least)
    one, other = halves
    order = np.argsort(other.values[0], kind="stable")
    tails = np.append(np.cumsum(other.probabilities[order][::-1])[::-1], 0.0)
    place = np.searchsorted(other.values[0][order], least - one.values[0])
    tail = min(float(one.probabilities @ tails[place]), 1.0)
    return tail, tail


def tail_of_pairs(atoms: Sequence[Atoms], reached: Callable[[FloatArray], BoolArray]) -> float | None:
    """Return P(the sum is in a set) of pairs; None where their sums cannot be listed."""
    halves = two_halves(atoms)
    if halves is None or math.prod(len(half.probabilities) for half in halves) > MOST_PAIRS:
        return None
    few, many = sorted(halves, key=lambda half: len(half.probabilities))
    rows, tail = max(CHUNK // len(many.probabilities), 1), 0.0
    for first in range(0, len(few.probabilities), rows):
        block = slice(first, first + rows)
        sums = few.values[:, block, None] + many.values[:, None, :]
        inside = reached(sums.reshape(len(sums), -1)).reshape(sums.shape[1:])
        tail += float(few.probabilities[block] @ (inside @ many.probabilities))
    return min(tail, 1.0)


def _on_a_grid(atoms: Sequence[Atoms], least: float) -> tuple[float, float]:
    """Return bounds of P(sum >= least), of the sums of values that are rounded down and up to a grid."""
    low = np.array([fold.values.min() for fold in atoms])
    step = max(float(sum(fold.values.max() for fold in atoms) - low.sum()) / GRID, 1e-300)
    sizes = np.array([len(fold.probabilities) for fold in atoms])
    start, fold_of = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)
    scaled = (np.concatenate([fold.values[0] for fold in atoms]) - low[fold_of]) / step
    with np.errstate(divide="ignore"):
        log_mass = np.log(np.concatenate([fold.probabilities for fold in atoms]))
    cells = max(math.ceil((least - float(low.sum())) / step - 1e-9), 0)
    bounds = []
    for value in (np.floor(scaled + 1e-9).astype(np.int64), np.ceil(scaled - 1e-9).astype(np.int64)):
        if cells > int(np.maximum.reduceat(value, start).sum()):
            bounds.append(0.0)
            continue
        laid_out = value, log_mass, start, np.ones_like(start), cells
        bounds.append(math.exp(_log_tilted_tail(*laid_out, _tilt(*laid_out))))
    return bounds[0] * (1 - ROUNDING), min(bounds[1] * (1 + ROUNDING), 1.0)


def _tilt(
    value: IntArray, log_mass: FloatArray, start: IntArray, times: IntArray, least: int, guess: float = 1e-6
) -> float:
    """Return about the theta >= 0 at which the tilted sum has its mean where the tail begins."""
    fold = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(value))))

    def mean(theta: float) -> float:
        weight = log_mass + theta * value
        weight = np.exp(weight - np.maximum.reduceat(weight, start)[fold])
        means = np.add.reduceat(weight * value, start) / np.add.reduceat(weight, start)
        return float(times @ means)

    low, high = 0.0, guess
    if mean(low) >= least:
        return 0.0
    while high < 1e3 and mean(high) < least:
        low, high = high, 2 * high
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < least else (low, middle)
    return high


# -- folds without a positive sample -------------------------------------------------------------------------
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
