"""Bars in closed form: derived from the measures' functions, held against fractions and known formulas."""

import math
import random
from fractions import Fraction

import pytest
from tools.site.closed_form import LETTERS, Expression, NoFormError, closed_form

import clearbar as cb

P, N, K = map(Expression.letter, LETTERS)

KNOWN = {
    "f1": r"\frac{2\,P}{P + M}",
    "f2": r"\frac{5\,P}{4\,P + M}",
    "f1_negative": r"\frac{2\,N}{N + M}",
    "fowlkes_mallows": r"\sqrt{\frac{P}{M}}",
    "accuracy": r"\max\left(\frac{P}{M},\ \frac{N}{M}\right)",
    "error_rate": r"\min\left(\frac{N}{M},\ \frac{P}{M}\right)",
    "precision": r"\frac{P}{M}",
    "fdr": r"\frac{N}{M}",
    "balanced_accuracy": r"\frac{1}{2}",
    "mcc": "0",
    "kappa": "0",
    "threat_score": r"\frac{P}{M}",
    "recall": "1",
    "net_benefit(w=1)": r"\max\left(\frac{P - N}{M},\ 0\right)",
}
"""Table 4 of van de Bijl et al. (arXiv 2203.13084), and what follows from one table alone."""


@pytest.mark.parametrize("name", KNOWN)
def test_the_closed_form_is_that_of_the_paper(name):
    assert closed_form(cb.get_measure(name)).latex == KNOWN[name]


@pytest.mark.parametrize("name", ["g_mean", "f1_macro", "p4", "equitable_threat_score", "prevalence"])
def test_what_is_a_sum_or_has_no_bar_gets_no_closed_form(name):
    assert closed_form(cb.get_measure(name)) is None


def test_a_formula_that_holds_at_the_ends_alone_is_not_taken_for_the_bar():
    hump = cb.Measure("hump", lambda tp, fp, fn, tn: (tp + fp) * (fn + tn), greater_is_better=True)
    assert closed_form(hump) is None


def test_quotients_are_those_of_fractions():
    rng = random.Random(3)  # noqa: S311 - any numbers do
    letters = {"P": P, "N": N}
    for _ in range(60):
        p, q = rng.randint(1, 9), rng.randint(1, 9)
        expression, value = P, Fraction(p)
        for _ in range(rng.randint(1, 5)):
            letter, factor = rng.choice("PN"), rng.randint(1, 4)
            other, number = letters[letter] * factor, Fraction(factor * (p if letter == "P" else q))
            how = rng.choice(["+", "-", "*", "/"])
            expression = {"+": expression + other, "-": expression - other,
                          "*": expression * other, "/": expression / other}[how]  # fmt: skip
            value = {"+": value + number, "-": value - number, "*": value * number, "/": value / number}[how]
        assert expression.at(p + q, p) == float(value)


def test_roots_multiply_cancel_and_are_written_under_one_sign():
    root = (P * (P + N)).sqrt()
    assert (root * root).at(9, 4) == 36
    assert (P / root).at(9, 4) == pytest.approx(math.sqrt(4 / 9), rel=1e-15)
    assert (P / root).latex() == r"\sqrt{\frac{P}{M}}"
    assert (root - root).latex() == "0"
    with pytest.raises(NoFormError):
        _ = root + N
    with pytest.raises(NoFormError):
        root.sqrt()


def test_what_is_divided_by_nothing_has_no_value():
    with pytest.raises(ZeroDivisionError):
        _ = P / (N - N)


def test_a_term_that_still_depends_on_the_draw_is_told():
    assert not (K * P / (P + N)).free_of_k
    assert (K * P / K).free_of_k
