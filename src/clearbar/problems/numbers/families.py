"""Measures of numbers with a parameter: pinball losses, Tweedie deviances, and their shares that are gone."""

from __future__ import annotations

import functools
from typing import Any

from clearbar.catalogue import Family, Range
from clearbar.core.errors import shown
from clearbar.problems.numbers import _constants as best
from clearbar.problems.numbers import _formulas as of
from clearbar.problems.numbers._measure import (
    ANY,
    INVERSE,
    LOGARITHM,
    NOT_NEGATIVE,
    POSITIVE,
    PRODUCTS,
    NumberMeasure,
    Order,
    as_they_are,
    entry,
    share,
)


def _named(name: str, **parameters: float) -> dict[str, Any]:
    written = ", ".join(f"{key}={value:g}" for key, value in parameters.items())
    return {"name": f"{name}({written})", "parameters": parameters, "family": name}


@functools.lru_cache(maxsize=1024)
def _pinball(alpha: float) -> NumberMeasure:
    loss, constant = of.pinball(alpha), best.quantile(alpha)
    return entry(
        **_named("mean_pinball_loss", alpha=alpha),
        function=of.mean_of(loss),
        label=f"pinball loss at {alpha:g}",
        constant=constant,
        word="median" if alpha == 0.5 else f"{alpha:g}-quantile",
        loss=loss,
        question=f"How far are predictions from the {alpha:g}-quantile, both sides weighted?",
        formula=r"\frac1M \sum_i \max(\alpha (y_i - f_i), (\alpha - 1) (y_i - f_i))",
        source="Koenker & Bassett, Econometrica 46, 1978",
    )


@functools.lru_cache(maxsize=1024)
def _d2_pinball(alpha: float) -> NumberMeasure:
    return share(
        loss=of.pinball(alpha),
        constant=best.quantile(alpha),
        word="median" if alpha == 0.5 else f"{alpha:g}-quantile",
        order=None,
        **_named("d2_pinball", alpha=alpha),
        label=f"D² pinball loss at {alpha:g}",
        question=f"Which share of the pinball loss of the {alpha:g}-quantile is gone?",
        formula=r"1 - \frac{\text{pinball}(f)}{\text{pinball}(y_{\alpha})}",
        caution="It compares with the best quantile of these test targets; scikit-learn may take one between "
        "two samples, which loses more, so that its value is a little higher.",
        source="Koenker & Machado, J. Amer. Statist. Assoc. 94, 1999",
    )


def _of_power(power: float) -> dict[str, Any]:
    """Return the facts of deviances of a power."""
    if 0 < power < 1:
        raise ValueError(f"power must be 0, or from 1 to 3; found {shown(power)}.")
    targets = ANY if power == 0 else NOT_NEGATIVE if power < 2 else POSITIVE
    first = 1 - power
    orders: dict[float, Order] = {0: PRODUCTS, 1: LOGARITHM, 2: INVERSE}
    return {
        "loss": of.tweedie(power),
        "constant": best.mean,
        "word": "mean",
        "order": orders[power] if power in orders else Order(as_they_are, lambda f: f**first / first),
        "targets": targets,
        "predictions": ANY if power == 0 else POSITIVE,
    }


@functools.lru_cache(maxsize=1024)
def _tweedie(power: float) -> NumberMeasure:
    facts = _of_power(power)
    return entry(
        **_named("mean_tweedie_deviance", power=power),
        function=of.mean_of(facts["loss"]),
        **facts,
        label=f"Tweedie deviance of power {power:g}",
        question=f"How unlikely are numbers whose variance is their expectation to the power {power:g}?",
        formula=r"\frac2M \sum_i (\frac{y_i^{2-p}}{(1-p)(2-p)} - \frac{y_i f_i^{1-p}}{(1-p)} "
        r"+ \frac{f_i^{2-p}}{(2-p)})",
        source="Tweedie, Statistics: Applications and New Directions, 1984",
    )


@functools.lru_cache(maxsize=1024)
def _d2_tweedie(power: float) -> NumberMeasure:
    return share(
        **_of_power(power),
        **_named("d2_tweedie", power=power),
        label=f"D² Tweedie deviance of power {power:g}",
        question="Which share of the mean's deviance is gone?",
        formula=r"1 - \frac{\text{deviance}(f)}{\text{deviance}(\text{mean}(y))}",
        caution="It compares with the mean of these test targets.",
        source="Cameron & Windmeijer, Journal of Econometrics 77, 1997",
    )


_SHARE = {"alpha": Range(0, 1, above=True)}
_POWER = {"power": Range(0, 3)}
_NUMBER = r"(?P<{}>\d*\.?\d+)"

pinball = Family(
    "mean_pinball_loss",
    _pinball,
    {"alpha": 0.9},
    "regression",
    ("pinball_loss", "pinball", "quantile_loss"),
    {"alpha": 0.5},
    _SHARE,
    rf"(?:meanpinballloss|pinballloss|pinball|quantileloss)@?{_NUMBER.format('alpha')}",
)
d2_pinball = Family(
    "d2_pinball",
    _d2_pinball,
    {"alpha": 0.9},
    "regression",
    ("d2_pinball_score", "d2_pinball_loss"),
    {"alpha": 0.5},
    _SHARE,
)
tweedie = Family(
    "mean_tweedie_deviance",
    _tweedie,
    {"power": 1.5},
    "regression",
    ("tweedie_deviance", "tweedie"),
    {"power": 0},
    _POWER,
)
d2_tweedie = Family(
    "d2_tweedie",
    _d2_tweedie,
    {"power": 1.5},
    "regression",
    ("d2_tweedie_score", "d2_tweedie_deviance"),
    {"power": 0},
    _POWER,
)
