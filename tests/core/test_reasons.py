"""Reasons are codes with numbers, and each code has its sentence."""

from string import Formatter

import pytest

from clearbar.core.reasons import SENTENCES, Reason

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("code", SENTENCES)
def test_a_reason_says_its_numbers(code):
    names = {name for _, name, _, _ in Formatter().parse(SENTENCES[code]) if name}
    reason = Reason.of(code, **dict.fromkeys(names, 12345))
    assert reason == Reason.of(code, **dict.fromkeys(names, 12345))
    assert hash(reason) == hash(Reason.of(code, **dict.fromkeys(names, 12345)))
    assert not names or any(number in str(reason) for number in ("12,345", "12345", "1.2e+04", "1.23e+04"))


def test_a_reason_may_hold_another():
    why = Reason.of("too_few_units", least=5, units="groups", found=2)
    whole = Reason.of("p_value_unknown", why=why)
    assert str(whole) == "p_value is not known: it takes at least 5 groups, and there are 2"
