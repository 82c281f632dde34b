"""P-values of every measure at tables of up to 9 samples against exact fractions, and bars up to 7."""

import itertools
import math

import numpy as np
import pytest
from tests.oracle.p_values import every_p_value
from tests.oracle.values import MEASURES, NAMES

import clearbar as cb
from clearbar.catalogue import fill_value
from clearbar.null import exceedance_probability
from clearbar.problems.binary import universal_p_value

FEW = 25
"""Tables of which the universal p-value is compared, which is found one by one."""

ORIENTED = [name for name in NAMES if MEASURES[name].greater_is_better is not None]


@pytest.mark.slow
@pytest.mark.parametrize("name", ORIENTED)
def test_matched_and_universal_p_values_equal_exact_fractions(name):
    """Beyond "exclude", under which p-values are what they are, policies give undefined outcomes a value."""
    for policy, largest in (("exclude", 9), ("worst", 6), (0, 6), (1, 4)):
        _compare(MEASURES[name], policy, every_p_value(name, policy, largest))


def _compare(measure, policy, rows):
    m, p, k, tp, *exact = rows
    score = measure(tp=tp, fp=k - tp, fn=p - tp, tn=m - p - k + tp)
    fill = fill_value(measure, m, policy, largest=measure.greater_is_better)
    matched = exceedance_probability(measure, m, p, k, score, fill=fill)
    fill = np.broadcast_to(fill, m.shape)
    some = np.random.default_rng(len(m)).permutation(np.flatnonzero(~np.isnan(score)))[:FEW]
    tails = [universal_p_value(measure, int(m[i]), int(p[i]), score[i], fill=fill[i]) for i in some]
    assert all(tail.upper == tail.lower for tail in tails)
    universal = np.array([tail.upper for tail in tails])
    for got, want, compared in ((matched, exact[0], np.arange(len(m))), (universal, exact[1][some], some)):
        wrong = np.flatnonzero(np.abs(got - want) > 1e-12)
        found = [(policy, *(int(a[compared[i]]) for a in (m, p, k, tp)), got[i], want[i]) for i in wrong[:5]]
        assert not found, (len(wrong), found)


@pytest.mark.slow
def test_the_docs_name_the_measures_whose_bar_a_draw_that_is_left_out_could_pass():
    """Passing over outcomes without a value, in all draws of up to 7 samples."""
    passed, without = set(), set()
    for measure in cb.measures():
        if measure.greater_is_better is None:
            continue
        sign = 1 if measure.greater_is_better else -1
        bars = []
        for M, P in itertools.chain.from_iterable(itertools.product([m], range(1, m)) for m in range(4, 8)):
            bar = float(cb.baseline(cb.Population(M, P), measure).value)
            bars.append(bar)
            for k in range(M + 1):
                tp = np.arange(max(0, k - M + P), min(k, P) + 1)
                values = np.asarray(measure.values(tp, k - tp, P - tp, M - P - k + tp), dtype=float)
                ways = np.array([math.comb(P, t) * math.comb(M - P, k - t) for t in tp.tolist()], dtype=float)
                known = np.isfinite(values)
                if known.any() and not known.all() and not np.isnan(bar):
                    mean = float((values[known] * ways[known]).sum() / ways[known].sum())
                    passed |= {measure.name} if sign * (mean - bar) > 1e-9 else set()
        without |= {measure.name} if np.isnan(bars).all() else set()
    assert passed == {
        *("precision_gain", "f1_gain", "positive_likelihood_ratio", "negative_likelihood_ratio"),
        *("information_score", "p4", "seds", "edi", "optimized_precision"),
    }
    assert without == {"diagnostic_odds_ratio", "log_odds_ratio", "discriminant_power", "sedi"}
