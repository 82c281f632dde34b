"""The formulas as the textbooks have them, looked up by the catalogue's names."""

import functools
from fractions import Fraction

from tests.catalogue import independent

import clearbar as cb

MEASURES = {
    measure.name: measure
    for measure in cb.measures()
    if (measure.family or measure.name) in independent.FORMULAS
}
NAMES = tuple(MEASURES)


@functools.cache
def _textbook(name):
    measure = MEASURES[name]
    parameters = {key: Fraction(repr(value)) for key, value in measure.parameters.items()}
    return measure.family or name, parameters


@functools.lru_cache(maxsize=150_000)  # all small tables of all measures
def formula(name, tp, fp, fn, tn):
    """Return a Fraction or a number of 60 digits; None where the formula has no value."""
    textbook, parameters = _textbook(name)
    try:
        return independent.value(textbook, tp, fp, fn, tn, **parameters)
    except ZeroDivisionError:
        return None
