"""Which measures have several, but not all, optimal draws: the enumeration against formulas of its own."""

from collections import defaultdict

import pytest
from examples.papers import optimal_groups

pytestmark = pytest.mark.slow

MOST = 8
SIZES = {(m, p) for m in range(6, MOST + 1) for p in range(1, m)}


@pytest.fixture(scope="module")
def found():
    by_measure = defaultdict(dict)
    for name, total, positives, draws in optimal_groups.enumerated(6, MOST):
        by_measure[name][total, positives] = draws
    return by_measure


def test_what_is_proved_comes_out(found):
    assert found["threat_score"] == {(m, 1): tuple(range(1, m + 1)) for m in range(6, MOST + 1)}
    assert found["jaccard_negative"] == {(m, m - 1): tuple(range(m)) for m in range(6, MOST + 1)}
    assert found["braun_blanquet"] == {(m, p): tuple(range(p, m + 1)) for m, p in SIZES}
    for name in ("gwet_ac1", "bangdiwala_b"):
        assert found[name] == {(6, 3): (0, 6), (8, 4): (0, 8)}
    assert found["p4"][6, 3] == found["optimized_precision"][6, 3] == (2, 4)


def test_measures_that_do_not_name_the_predicted_classes_have_symmetric_optima(found):
    for name in ("mutual_information", "uncertainty_coefficient", "gk_lambda_pred", "gk_lambda_true"):
        assert found[name]
        assert all(sorted(m - k for k in draws) == list(draws) for (m, _), draws in found[name].items())


def test_no_other_measure_has_several_but_not_all(found):
    assert set(found) == {
        *("threat_score", "jaccard_negative", "braun_blanquet", "gwet_ac1", "bangdiwala_b", "p4"),
        *("optimized_precision", "mutual_information", "uncertainty_coefficient"),
        *("gk_lambda_pred", "gk_lambda_true"),
    }
