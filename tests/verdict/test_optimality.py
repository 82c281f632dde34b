"""Theorem 1 of Stat. Neerl. and T4: no blind classifier expects more, nor is luckier, than the best draw."""

import itertools
import math

import numpy as np
import pytest

import clearbar as cb


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
