"""Conditions: where a formula has a value, and which draws a bar may use."""

import itertools
import pickle

import pytest
from tests.catalogue.tables import MEMBERS, cells, numbers, support

from clearbar.catalogue import Condition
from clearbar.catalogue._domain import NAMED

pytestmark = pytest.mark.quick

CONDITIONS = {
    condition.text: condition
    for measure in MEMBERS
    for condition in (measure.domain, measure.requires)
    if condition is not None
} | NAMED

some_fn = NAMED["FN > 0"]


def there_and_back(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=str)
def test_spans_are_the_draws_whose_tables_all_pass_and_others_fail_at_an_end_or_everywhere(condition):
    for total in range(1, 9):
        for positives in range(total + 1):
            expected = []
            for k in range(total + 1):
                tables = [cells(total, positives, k, tp) for tp in support(total, positives, k)]
                fails = [not condition.holds(table) for table in tables]
                assert all(fails) or not any(fails[1:-1])
                expected += [] if any(fails) else [k]
                for table, failed in zip(tables if total < 4 else (), fails, strict=False):
                    named = condition.violated(table)
                    assert bool(named) == failed
                    assert all(text in condition.text for text in named)
            spans = condition.spans(total, positives)
            assert numbers(spans) == expected
            assert all(first <= last for first, last in spans)
            assert all(a[1] < b[0] for a, b in itertools.pairwise(spans))


def _many_hits(tp, fp, fn, tn):
    return tp > 5


def _no_draws(total, positives):
    return []


def test_a_condition_of_one_s_own_pickles_when_its_functions_do():
    own = Condition("TP > 5", _many_hits, _no_draws)
    assert there_and_back(own & some_fn).violated((1, 1, 0, 1)) == ("TP > 5", "FN > 0")


@pytest.mark.parametrize("condition", NAMED.values(), ids=str)
def test_what_is_on_margins_is_known_by_all_small_draws(condition):
    """On margins: at each draw it holds for all outcomes or for none."""
    alike = True
    for total, positives in ((m, p) for m in range(1, 8) for p in range(m + 1)):
        for k in range(total + 1):
            tables = (cells(total, positives, k, tp) for tp in support(total, positives, k))
            alike &= len({bool(condition.holds(table)) for table in tables}) == 1
    assert condition.on_margins == alike
