"""Both p-values of every measure at every table of up to 12 samples, against exact fractions."""

import numpy as np
import pytest
from tests.oracle.law import LARGEST
from tests.oracle.p_values import every_p_value
from tests.oracle.values import MEASURES, NAMES

from clearbar.distributions.null import reach_probability
from clearbar.problems.binary import fill_value, universal_p_value

ORIENTED = [name for name in NAMES if MEASURES[name].greater_is_better is not None]


@pytest.mark.parametrize("name", ORIENTED)
def test_matched_and_universal_p_values_equal_exact_fractions(name):
    """Beyond "exclude", under which p-values are what they are, policies give undefined outcomes a value."""
    for policy, largest in (("exclude", LARGEST), ("worst", 7), (0, 7), (1, 5)):
        _compare(MEASURES[name], policy, every_p_value(name, policy, largest))


def _compare(measure, policy, rows):
    m, p, k, tp, *exact = rows
    score = measure(tp=tp, fp=k - tp, fn=p - tp, tn=m - p - k + tp)
    fill = fill_value(measure, m, policy, largest=measure.greater_is_better)
    matched = reach_probability(measure, m, p, k, score, fill=fill)
    tail = universal_p_value(measure, m, p, score, fill=fill)
    np.testing.assert_array_equal(tail.upper, tail.lower)
    for got, want in zip((matched, tail.upper), exact, strict=True):
        wrong = np.flatnonzero(np.abs(got - want) > 2 * np.spacing(want))
        found = [(policy, *(int(a[i]) for a in (m, p, k, tp)), got[i], want[i]) for i in wrong[:5]]
        assert not found, (len(wrong), found)
