"""Against ``scipy.stats.hypergeom``: pmf, tails and expectations, with the errors of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks._case import Case, Section
from benchmarks._inputs import digits

POINTS = 1_000
DIGITS = 40


def _cases(*, quick: bool) -> Sequence[Case]:
    sizes = (10**4,) if quick else (10**4, 10**6, 10**9)
    return [make(size) for make in (_pmf, _tails, _one_tail, _expectation) for size in sizes]


def _margins(size: int) -> tuple[int, int, int]:
    return size, 3 * size // 10, 2 * size // 5


def _spread(size: int) -> tuple[int, float]:
    """Return mean and standard deviation of TP."""
    m, p, k = _margins(size)
    return round(k * p / m), math.sqrt(k * (p / m) * (1 - p / m) * (m - k) / (m - 1))


def _points(size: int) -> Any:
    """Return points of the middle sixteen standard deviations."""
    middle, deviation = _spread(size)
    return np.unique(np.linspace(middle - 8 * deviation, middle + 8 * deviation, POINTS).astype(np.int64))


def _pmf(size: int) -> Case:
    def ours(x: Any) -> Any:
        from clearbar.null import hypergeometric

        return hypergeometric.pmf(x, *_margins(size))

    def theirs(x: Any) -> Any:
        from scipy.stats import hypergeom

        return hypergeom.pmf(x, *_margins(size))

    def agree(x: Any, a: Any, b: Any) -> str:
        places = np.linspace(0, len(x) - 1, 25).astype(int)
        return _errors([_exact_pmf(size, int(x[i])) for i in places], a[places], b[places])

    return _case("pmf", f"{POINTS:,} points", size, partial(_points, size), ours, theirs, agree)


def _tails(size: int) -> Case:
    title = f"P(TP ≥ x), {POINTS:,} points"
    return _tail_case(title, size, lambda: _points(size), 3)


def _one_tail(size: int) -> Case:
    middle, deviation = _spread(size)
    return _tail_case(
        "P(TP ≥ x), one point, 6 σ out", size, lambda: np.array([round(middle + 6 * deviation)]), 1
    )


def _tail_case(title: str, size: int, inputs: Callable[[], Any], checked: int) -> Case:
    def ours(x: Any) -> Any:
        from clearbar.null import hypergeometric

        return hypergeometric.tail_ge(x, *_margins(size))

    def theirs(x: Any) -> Any:
        from scipy.stats import hypergeom

        return hypergeom.sf(x - 1, *_margins(size))

    def agree(x: Any, a: Any, b: Any) -> str:
        places = np.unique(np.linspace(len(x) // 2, len(x) - 1, checked).astype(int))
        return _errors([_exact_sum(size, int(x[i]), None) for i in places], a[places], b[places])

    return _case(title, "", size, inputs, ours, theirs, agree)


def _expectation(size: int) -> Case:
    """Expect the G-mean; SciPy needs to be told where the mass is, or it stops too early."""
    m, p, k = _margins(size)

    def score(x: Any) -> Any:
        return np.sqrt(x * (m - p - k + x) / (p * (m - p)))

    def ours(_: Any) -> Any:
        import clearbar as cb

        return np.array([cb.Draw(cb.Population(m, p), k).distribution("g_mean").mean()])

    def theirs(_: Any) -> Any:
        from scipy.stats import hypergeom

        middle, deviation = _spread(size)
        first, last = math.floor(middle - 9 * deviation), math.ceil(middle + 9 * deviation)
        bounds = {"lb": max(first, 0), "ub": min(last, p), "maxcount": 10**9, "chunksize": 2**16}
        return np.array([hypergeom.expect(score, args=(m, p, k), **bounds)])

    def agree(_: Any, a: Any, b: Any) -> str:
        from scipy.stats import hypergeom

        exact = _exact_sum(size, None, (m, p, k))
        left = abs(float(hypergeom.expect(score, args=(m, p, k))) / float(exact) - 1)
        said = f"; with its default bounds SciPy is {left:.1g} off" if left > 1e-3 else ""
        return _errors([exact], a, b) + said

    return _case("E[G-mean]", "", size, lambda: None, ours, theirs, agree)


def _case(title: str, number: str, size: int, inputs: Any, ours: Any, theirs: Any, agree: Any) -> Case:
    full = ", ".join(part for part in (title, number) if part)
    return Case(full, f"M = {digits(size)}", inputs, ours, theirs, "SciPy", agree)


def _errors(exact: Sequence[Any], ours: Any, theirs: Any) -> str:
    """Assert that ours is right and theirs is meant to be the same; say how far both are off."""

    def largest(values: Any) -> float:
        return max(abs(float((value - true) / true)) for value, true in zip(values, exact, strict=True))

    a, b = largest(ours), largest(theirs)
    assert a < 1e-6, a
    assert b < 1e-4, b
    return f"largest relative error: clearbar {a:.1g}, SciPy {b:.1g}"


def _exact_pmf(size: int, x: int) -> Any:
    import mpmath

    m, p, k = _margins(size)
    with mpmath.workdps(DIGITS):

        def log_choose(n: int, r: int) -> Any:
            return mpmath.loggamma(n + 1) - mpmath.loggamma(r + 1) - mpmath.loggamma(n - r + 1)

        return mpmath.exp(log_choose(p, x) + log_choose(m - p, k - x) - log_choose(m, k))


def _exact_sum(size: int, first: int | None, scored: tuple[int, int, int] | None) -> Any:
    """Add up P(TP >= first), or the expected G-mean, term by term with 40 digits.

    What lies beyond 15 standard deviations is left out: less than 1e-40.
    """
    import mpmath

    m, p, k = _margins(size)
    middle, deviation = _spread(size)
    reach = 15 * deviation + 60
    low, high = max(math.floor(middle - reach), 0), min(math.ceil(middle + reach), p, k)
    low = low if first is None else first
    with mpmath.workdps(DIGITS):
        term, total = _exact_pmf(size, low), mpmath.mpf(0)
        for x in range(low, high + 1):
            total += term * mpmath.sqrt(x * (m - p - k + x)) if scored else term
            term *= mpmath.mpf((p - x) * (k - x)) / ((x + 1) * (m - p - k + x + 1))
        return total / mpmath.sqrt(p * (m - p)) if scored else total


SECTION = Section(
    "scipy_hypergeom",
    "SciPy's hypergeometric distribution",
    f"P = 0.3 M, k = 0.4 M. True values are sums of {DIGITS} digits with mpmath. SciPy's `expect` is told "
    "where the mass lies (nine standard deviations): left alone it stops after 1,000 terms.",
    _cases,
    packages=("scipy.stats", "mpmath"),
)
