"""Every measure's bar on every population of up to 6 samples and some of 12, by trying every draw exactly."""

import pytest
from tests.oracle.bars import as_set, optimum
from tests.oracle.closeness import agrees
from tests.oracle.law import populations
from tests.oracle.values import NAMES

import clearbar as cb

POLICIES = {"exclude": [*populations(6), (9, 2), (12, 4), (12, 6), (11, 8)]}
POLICIES |= {policy: list(populations(size)) for policy, size in (("worst", 5), (0, 4), (1, 3))}
"""Which populations are tried under each."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_optima_and_their_complete_argmax_sets_equal_exact_numbers(name):
    wrong = []
    for policy, sizes in POLICIES.items():
        for total, positives in sizes:
            bar = cb.baseline(cb.Population(total, positives), name, undefined=policy)
            for side, largest in ((bar.max, True), (bar.min, False)):
                want, draws = optimum(name, total, positives, policy, largest=largest)
                if not agrees(side.value, want, floor=1e-12, relative=1e-9):
                    wrong.append((total, positives, policy, largest, side.value, want))
                elif as_set(side.predicted_positives) != draws:
                    wrong.append((total, positives, policy, largest, side.predicted_positives, draws))
                elif not side.certified:
                    wrong.append((total, positives, policy, largest, "not certified"))
    assert not wrong, (len(wrong), wrong[:6])
