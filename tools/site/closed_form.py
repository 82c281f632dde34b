"""A bar in closed form, derived from the measure's own function.

The best blind predictions often call everything positive, or everything negative. Then there is only one
table that they can make, and the bar is the measure of that table. Where a measure is affine in TP, its
expectation is the measure of the expected table. So the registered function is called with P, N and k as
letters. What comes out is compared with the bars that clearbar computes, and shown only if they all agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import clearbar as cb

LETTERS = ("P", "N", "k")
Terms = dict[tuple[int, ...], Fraction]
"""A polynomial: the coefficient of each product of powers of the letters."""

POPULATIONS = [(m, p) for m in range(2, 13) for p in range(1, m)]
POPULATIONS += [(m, p) for m in (101, 1000) for p in (1, m // 9, m // 2, m // 2 + 1, m - 1)]
POPULATIONS += [(10**6, 10**5)]
"""Where a closed form must agree with the computed bar."""


class NoFormError(Exception):
    """An expression is beyond quotients of polynomials and one square root."""


def _times(left: Terms, right: Terms) -> Terms:
    product: Terms = {}
    for one, a in left.items():
        for other, b in right.items():
            powers = tuple(x + y for x, y in zip(one, other, strict=True))
            product[powers] = product.get(powers, Fraction(0)) + a * b
    return {powers: value for powers, value in product.items() if value}


def _plus(left: Terms, right: Terms) -> Terms:
    total = dict(left)
    for powers, value in right.items():
        total[powers] = total.get(powers, Fraction(0)) + value
    return {powers: value for powers, value in total.items() if value}


ONE: Terms = {(0, 0, 0): Fraction(1)}


@dataclass(frozen=True, eq=False)
class Expression:
    """A quotient of polynomials in P, N and k, times the square root of another one."""

    above: tuple[tuple[tuple[int, ...], Fraction], ...]
    below: tuple[tuple[tuple[int, ...], Fraction], ...] = tuple(ONE.items())
    root: Expression | None = None

    @classmethod
    def of(cls, above: Terms, below: Terms, root: Expression | None = None) -> Expression:
        """Return a quotient in lowest terms."""
        if not below:
            raise ZeroDivisionError
        above, below = _reduced(above, below)
        return cls(tuple(above.items()), tuple(below.items()), root if above else None)

    @classmethod
    def letter(cls, name: str) -> Expression:
        """Return P, N or k."""
        return cls.of({tuple(int(name == one) for one in LETTERS): Fraction(1)}, ONE)

    def __add__(self, other: Any) -> Expression:
        other = _expression(other)
        if not self.above or not other.above:
            return self if self.above else other
        if not _same(self.root, other.root):
            raise NoFormError
        left, right = dict(self.below), dict(other.below)
        above = _plus(_times(dict(self.above), right), _times(dict(other.above), left))
        return Expression.of(above, _times(left, right), self.root)

    def __mul__(self, other: Any) -> Expression:
        other = _expression(other)
        made = Expression.of(
            _times(dict(self.above), dict(other.above)), _times(dict(self.below), dict(other.below))
        )
        if self.root is None or other.root is None:
            root = self.root or other.root
            return Expression.of(dict(made.above), dict(made.below), root)
        if _same(self.root, other.root):
            return made * self.root
        return made * (self.root * other.root).sqrt()

    def __truediv__(self, other: Any) -> Expression:
        other = _expression(other)
        turned = Expression.of(dict(other.below), dict(other.above))
        if other.root is not None:
            turned = turned * Expression(tuple(ONE.items()), root=other.root) / other.root
        return self * turned

    def __neg__(self) -> Expression:
        return self * -1

    def __sub__(self, other: Any) -> Expression:
        return self + -_expression(other)

    def __pow__(self, power: int) -> Expression:
        if power != 2:
            raise NoFormError
        return self * self

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> Expression:
        return _expression(other) - self

    def __rtruediv__(self, other: Any) -> Expression:
        return _expression(other) / self

    def sqrt(self) -> Expression:
        """What NumPy's sqrt asks an object for."""
        if self.root is not None:
            raise NoFormError
        if not self.above:
            return self
        if _same(self, _expression(1)):
            return self
        return Expression(tuple(ONE.items()), root=self)

    def at(self, total: int, positives: int) -> float:
        """Evaluate where the numbers of samples are known; it must not hold k."""
        values = (positives, total - positives, math.nan)
        ratio = _value(self.above, values) / _value(self.below, values)
        return float(ratio) * (math.sqrt(self.root.at(total, positives)) if self.root else 1.0)

    @property
    def free_of_k(self) -> bool:
        """Whether it is the same for every number of predicted positives."""
        own = all(powers[2] == 0 for powers, _ in (*self.above, *self.below))
        return own and (self.root is None or self.root.free_of_k)

    def latex(self) -> str:
        """Write it, with M for P + N; a factor goes below its root, for every letter stands for a count."""
        if self.root is None:
            return _quotient(self.above, self.below)
        outside = Expression(self.above, self.below)
        below_root = outside * outside * self.root
        return rf"\sqrt{{{_quotient(below_root.above, below_root.below)}}}"


def _expression(value: Any) -> Expression:
    if isinstance(value, Expression):
        return value
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return Expression.of({(0, 0, 0): Fraction(value)} if value else {}, ONE)
    raise NoFormError


def _same(left: Expression | None, right: Expression | None) -> bool:
    if left is None or right is None:
        return left is right
    across = _plus(
        _times(dict(left.above), dict(right.below)),
        {powers: -value for powers, value in _times(dict(right.above), dict(left.below)).items()},
    )
    return not across and left.root is None and right.root is None


def _value(terms: Any, values: tuple[float, ...]) -> Fraction:
    total = Fraction(0)
    for powers, factor in terms:
        for base, power in zip(values, powers, strict=True):
            if power:
                factor *= Fraction(base) ** power  # noqa: PLW2901 - one product
        total += factor
    return total


def _divided(terms: Terms, by: Terms) -> Terms | None:
    """Divide without remainder, or say that one is left."""
    lead = max(by)
    rest, quotient = dict(terms), {}
    while rest:
        top = max(rest)
        powers = tuple(x - y for x, y in zip(top, lead, strict=True))
        if min(powers) < 0:
            return None
        part = {powers: rest[top] / by[lead]}
        quotient |= part
        rest = _plus(rest, {key: -value for key, value in _times(part, by).items()})
    return quotient


FACTORS: tuple[Terms, ...] = (
    *({tuple(int(name == one) for one in LETTERS): Fraction(1)} for name in LETTERS),
    {(1, 0, 0): Fraction(1), (0, 1, 0): Fraction(1)},  # M
    {(1, 0, 0): Fraction(1), (0, 1, 0): Fraction(1), (0, 0, 1): Fraction(-1)},  # M - k
)


def _reduced(above: Terms, below: Terms) -> tuple[Terms, Terms]:
    if not above:
        return {}, ONE
    for factor in (*FACTORS, below, above):
        if factor == ONE or (len(factor) == 1 and not any(*factor)):
            continue
        while (a := _divided(above, factor)) is not None and (b := _divided(below, factor)) is not None:
            above, below = a, b
            if factor in (a, b) and len(factor) > 1:
                break
    scale = Fraction(
        math.lcm(*(value.denominator for value in (*above.values(), *below.values()))),
    )
    whole = math.gcd(*(int(value * scale) for value in (*above.values(), *below.values())))
    scale /= whole
    scale *= -1 if below[max(below)] < 0 else 1
    return {p: v * scale for p, v in above.items()}, {p: v * scale for p, v in below.items()}


def _quotient(above: Any, below: Any) -> str:
    if not above:
        return "0"
    top, bottom = _product(dict(above)), _product(dict(below))
    return top[0] if bottom[0] == "1" else rf"\frac{{{top[0]}}}{{{bottom[0]}}}"


def _product(terms: Terms) -> tuple[str, int]:
    """Write a polynomial, with the factors M taken out."""
    total = FACTORS[3]
    power = 0
    while len(terms) > 1 and (rest := _divided(terms, total)) is not None:
        terms, power = rest, power + 1
    m = "" if not power else "M" if power == 1 else f"M^{power}"
    if not m:
        return _sum(terms), 0
    if len(terms) == 1:
        own = _sum(terms)
        return (m if own == "1" else f"{own}\\,{m}"), power
    return rf"{m}\,({_sum(terms)})", power


def _sum(terms: Terms) -> str:
    first, second = terms.get((1, 0, 0), Fraction(0)), terms.get((0, 1, 0), Fraction(0))
    if set(terms) == {(1, 0, 0), (0, 1, 0)} and first != second and min(first, second) > 0:
        letter = "P" if first > second else "N"
        return f"{_term(abs(first - second), letter)} + {_term(min(first, second), 'M')}"
    text = ""
    for powers in sorted(terms, key=lambda powers: (terms[powers] < 0, [-one for one in powers])):
        value = terms[powers]
        letters = r"\,".join(
            name if power == 1 else f"{name}^{power}"
            for name, power in zip(LETTERS, powers, strict=True)
            if power
        )
        sign = ("-" if value < 0 else "") if not text else (" - " if value < 0 else " + ")
        text += sign + _term(abs(value), letters)
    return text


def _term(value: Fraction, letters: str) -> str:
    number = str(value) if value.denominator == 1 else rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
    if not letters:
        return number
    return letters if value == 1 else rf"{number}\,{letters}"


@dataclass(frozen=True)
class ClosedForm:
    """The bar as a formula, and what has to be done to get it."""

    latex: str
    where: str


def closed_form(measure: Any) -> ClosedForm | None:
    """Return the bar of a measure of two classes as a formula, if there is one."""
    if measure.greater_is_better is None:
        return None
    p, n, k = map(Expression.letter, LETTERS)
    zero = _expression(0)
    tp = k * p / (p + n)
    tables = {
        "it does not depend on what is predicted": (tp, k - tp, p - tp, n - (k - tp)),
        "everything is predicted positive": (p, n, zero, zero),
        "everything is predicted negative": (zero, zero, p, n),
    }
    known = {
        where: expression for where, table in tables.items() if (expression := _measured(measure, table))
    }
    for where, expression in known.items():
        if _agrees(measure, expression.at):
            return ClosedForm(expression.latex(), where)
    ends = [expression for where, expression in known.items() if where.startswith("everything")]
    better = max if measure.greater_is_better else min
    if len(ends) == 2 and _agrees(measure, lambda m, q: better(one.at(m, q) for one in ends)):
        both = rf"\{better.__name__}\left({ends[0].latex()},\ {ends[1].latex()}\right)"
        return ClosedForm(both, "everything is predicted to be of the class that gives the better score")
    return None


def _measured(measure: Any, table: tuple[Expression, ...]) -> Expression | None:
    given = {name: Fraction(repr(float(value))) for name, value in measure.parameters.items()}
    try:
        returned = measure.function(*table, **given)
        value = _expression(returned.item() if hasattr(returned, "item") else returned)
    except Exception:  # noqa: BLE001 - whatever a formula asks of numbers that letters have not
        return None
    return value if value.free_of_k else None


def _agrees(measure: Any, formula: Callable[[int, int], float]) -> bool:
    bars = (float(cb.baseline(cb.Population(m, p), measure).value) for m, p in POPULATIONS)
    return all(
        math.isclose(formula(m, p), bar, rel_tol=1e-12, abs_tol=1e-15)
        for (m, p), bar in zip(POPULATIONS, bars, strict=True)
    )
