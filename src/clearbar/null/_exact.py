"""Moments in exact rationals, or with sixty digits where a formula takes roots.

Used wherever it is cheap: affine measures at any size (the formula at the expected table), and any
formula on a draw with few reachable tables. What it returns is rounded once.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

from clearbar.catalogue import DIGITS, Measure, NotExact, affine_coefficients, to_decimal
from clearbar.null._tables import cells_at

MOST_EXACT = 64
"""Reachable tables up to which a sum is done in exact arithmetic."""

NOTHING = Decimal(10) ** (15 - DIGITS)
"""Share of the largest value below which a mean of many-digit roots is zero."""

Exact = Fraction | Decimal


class ExactMoments(NamedTuple):
    """Mean and variance given that the measure has a value, and the mass without one."""

    mean: Exact | None
    variance: Exact | None
    undefined: Fraction


def exact_moments(measure: Measure, total: int, positives: int, draws: int) -> ExactMoments:
    """Return the moments of a measure under one draw, exactly."""
    if measure.affine:
        return _affine(measure, total, positives, draws)
    return _summed(measure, total, positives, draws)


def exact_mean(
    measure: Measure, total: int, positives: int, draws: int, *, fill: Exact | None = None
) -> Exact | None:
    """Return the expected score under one draw, None where the measure has no value."""
    if measure.constant is not None:
        declared = _declared(measure, total, positives, draws)
        return fill if declared is None else declared
    if not measure.affine:
        return _summed(measure, total, positives, draws, fill).mean
    rest, negatives = total - draws, total - positives
    cells = (draws * positives, draws * negatives, rest * positives, rest * negatives)
    try:
        return measure.exactly(*(Fraction(cell, total) for cell in cells))
    except ZeroDivisionError:
        return fill


def _declared(measure: Measure, total: int, positives: int, draws: int) -> Exact | None:
    """Return the constant that the measure declares, where its formula has a value."""
    if measure.constant is None:
        raise NotExact
    ends = max(0, draws + positives - total), min(positives, draws)
    if not all(measure.domain.test(*cells_at(tp, total, positives, draws)) for tp in ends):
        return None
    return Fraction(measure.constant(Fraction(total), Fraction(positives)))


def _affine(measure: Measure, total: int, positives: int, draws: int) -> ExactMoments:
    mean = exact_mean(measure, total, positives, draws)
    if mean is None:
        return ExactMoments(None, None, Fraction(1))
    slope, _ = affine_coefficients(measure, total, positives, draws)
    if isinstance(slope, float):
        raise NotExact
    products = draws * positives * (total - positives) * (total - draws)
    variance = Fraction(products, total * total * (total - 1)) if total > 1 else Fraction(0)
    if isinstance(slope, Fraction):
        return ExactMoments(mean, slope * slope * variance, Fraction(0))
    with localcontext(prec=DIGITS):
        return ExactMoments(mean, slope * slope * to_decimal(variance), Fraction(0))


def _summed(
    measure: Measure, total: int, positives: int, draws: int, fill: Exact | None = None
) -> ExactMoments:
    low, high = max(0, draws + positives - total), min(positives, draws)
    if high - low >= MOST_EXACT:
        raise NotExact
    weight_sum, undefined = Fraction(0), Fraction(0)
    atoms: list[tuple[Fraction, Exact]] = []
    for tp, weight in relative_weights(total, positives, draws):
        weight_sum += weight
        rest = total - positives - draws + tp
        cells = (tp, draws - tp, positives - tp, rest)
        try:
            atoms.append((weight, measure.exactly(*map(Fraction, cells))))
        except ZeroDivisionError:
            undefined += weight
            if fill is not None:
                atoms.append((weight, fill))
    if not atoms:
        return ExactMoments(None, None, Fraction(1))
    mean, variance = _mean_and_variance(atoms)
    if measure.constant is not None and not undefined:
        mean = Fraction(measure.constant(Fraction(total), Fraction(positives)))
    return ExactMoments(mean, variance, undefined / weight_sum)


def _mean_and_variance(atoms: list[tuple[Fraction, Exact]]) -> tuple[Exact, Exact]:
    rational = all(isinstance(value, Fraction) for _, value in atoms)
    number: Any = Fraction if rational else _as_decimal
    with localcontext(prec=DIGITS):
        pairs = [(number(weight), number(value)) for weight, value in atoms]
        nothing, mass = number(Fraction(0)), sum(weight for weight, _ in pairs)
        mean = sum((weight * value for weight, value in pairs), start=nothing) / mass
        if not rational and abs(mean) < NOTHING * max(abs(value) for _, value in pairs):
            mean = nothing  # roots that cancel leave a rounding of the last digit
        squares = (weight * (value - mean) ** 2 for weight, value in pairs)
        return mean, sum(squares, start=nothing) / mass


def _as_decimal(value: Exact) -> Decimal:
    return value if isinstance(value, Decimal) else to_decimal(value)


def relative_weights(total: int, positives: int, draws: int) -> Iterator[tuple[int, Fraction]]:
    """Generate every reachable TP with a weight proportional to its probability."""
    low, high = max(0, draws + positives - total), min(positives, draws)
    weight = Fraction(1)
    for tp in range(low, high + 1):
        yield tp, weight
        rest = total - positives - draws + tp + 1
        weight *= Fraction((positives - tp) * (draws - tp), (tp + 1) * rest) if rest > 0 else 0
