"""P-values of best thresholds and KS: paths counted in whole numbers, SciPy's test, and random rankings."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb
from clearbar.problems.scores import Ranking, _lattice, best_threshold, get_score_measure
from clearbar.problems.scores._blind import of_any, of_own


def share_that_reaches(total, positives, reaches, stops):
    """Count the paths that reach a region at a stop, one sample after the other, in whole numbers."""
    never, reached = {0: 1}, 0
    for passed in range(total + 1):
        if passed in stops:
            for tp in [tp for tp in never if reaches(tp, passed - tp)]:
                reached += never.pop(tp) * math.comb(total - passed, positives - tp)
        after = {}
        for tp, ways in never.items():
            if tp < positives:
                after[tp + 1] = after.get(tp + 1, 0) + ways
            if passed - tp < total - positives:
                after[tp] = after.get(tp, 0) + ways
        never = after
    return Fraction(reached, math.comb(total, positives))


FORMULAS = {
    "ks": lambda tp, fp, p, n: abs(Fraction(tp, p) - Fraction(fp, n)),
    "ks_one_sided": lambda tp, fp, p, n: Fraction(tp, p) - Fraction(fp, n),
    "max_f1": lambda tp, fp, p, _n: Fraction(2 * tp, p + tp + fp),
    "max_accuracy": lambda tp, fp, p, n: Fraction(tp + n - fp, p + n),
}


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize(("total", "positives"), [(24, 7), (41, 30)])
def test_every_path_is_counted_in_whole_numbers(name, total, positives, tied):
    rng = np.random.default_rng(total)
    truth = rng.permutation(np.arange(total) < positives)
    scores = np.round(rng.normal(size=total) + truth, 0 if tied else 9)
    measure, ranking = get_score_measure(name), Ranking.of(truth, scores)
    score = float(measure.value(ranking))
    level = Fraction(score).limit_denominator(10**6)

    def reaches(tp, fp):
        return FORMULAS[name](tp, fp, positives, total - positives) >= level

    counted = share_that_reaches(total, positives, reaches, {0, *ranking.ends.tolist()})
    assert of_own(measure, ranking, score).upper == pytest.approx(float(counted), rel=1e-10)
    everywhere = share_that_reaches(total, positives, reaches, set(range(total + 1)))
    assert of_any(measure, total, positives, score).upper == pytest.approx(float(everywhere), rel=1e-10)


OWN = cb.Measure("own", lambda tp, fp, _fn, tn: tp * tn / (tp + fp + 1) ** 2, greater_is_better=True)


@pytest.mark.slow
@pytest.mark.parametrize("groups", [400, 60])
@pytest.mark.parametrize("name", [*FORMULAS, "max_mcc", "max_precision", "own"])
def test_random_rankings_have_the_distribution_of_the_lattice(name, groups, monkeypatch):
    """Only blocks that could hold the best value are put in order; all of a measure without directions."""
    rng = np.random.default_rng(groups)
    sizes = np.bincount(np.append(np.arange(groups), rng.integers(groups, size=400 - groups)))
    measure = best_threshold(OWN) if name == "own" else get_score_measure(name)
    labels = np.bincount(np.repeat(np.arange(groups), sizes), rng.permutation(np.arange(400) < 90))
    ranking = Ranking(np.arange(groups, 0.0, -1.0), sizes, labels.astype(np.int64))
    score = float(measure.value(ranking))
    exact = of_own(measure, ranking, score).upper
    monkeypatch.setattr(_lattice, "MOST_FOLLOWED", 0)
    simulated = of_own(measure, ranking, score)
    assert simulated.method == "permutation"
    error = math.sqrt(exact * (1 - exact) / simulated.draws)
    assert abs(simulated.upper - exact) <= 4 * error + 1 / simulated.draws
