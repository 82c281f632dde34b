"""Intervals and tests of sets of labels against SciPy's bootstrap of the same samples."""

import numpy as np
import pytest
from scipy import stats

import clearbar as cb
from clearbar.core.label_sets import LabelSets
from clearbar.inference import resamples
from clearbar.problems.multilabel.units import Compared, SetUnits

RNG = np.random.default_rng(2)
TRUTH = RNG.random((120, 4)) < [0.6, 0.4, 0.2, 0.1]
CALLED = np.where(RNG.random(TRUTH.shape) < 0.8, TRUTH, ~TRUTH)


def sets(table):
    return LabelSets.of((0, 1, 2, 3), *np.nonzero(table), len(table))


def resampled_tests(measures, truth, called):
    def chosen(measure):
        return measure.optimum(truth, 0.0).called

    drawn = SetUnits([Compared(truth, called)], chosen, 0.0, None, seed=0, finest=1.0, joint=False)
    return resamples.tests_of(drawn, measures)[0]


def micro(true, called):
    return 2 * (true & called).sum(axis=(-1, -2)) / (true.sum(axis=(-1, -2)) + called.sum(axis=(-1, -2)))


def macro(true, called):
    return (2 * (true & called).sum(axis=-2) / (true.sum(axis=-2) + called.sum(axis=-2))).mean(axis=-1)


def samples(true, called):
    both = true.sum(axis=-1) + called.sum(axis=-1)
    return (2 * (true & called).sum(axis=-1) / np.maximum(both, 1)).mean(axis=-1)


@pytest.mark.parametrize(
    ("name", "score"), [("f1_micro", micro), ("f1_macro", macro), ("f1_samples", samples)]
)
def test_scipy_resamples_the_score_and_its_distance_to_the_blind_answer_alike(name, score):
    """The interval is that of the score, the p-value that of the distance."""
    measure = cb.get_measure(name, "multilabel")
    optimum = measure.optimum(sets(TRUTH), 0.0)
    constant = np.broadcast_to(optimum.called, TRUTH.shape)

    def alone(rows, axis=-1):
        return score(TRUTH[rows], CALLED[rows])

    def ahead(rows, axis=-1):
        return alone(rows) - score(TRUTH[rows], constant[rows])

    (test,) = resampled_tests([measure], sets(TRUTH), sets(CALLED))
    of_distance = test.distance.interval(0.95, (-np.inf, np.inf))
    found = (alone, test.interval(0.95, measure.bounds)), (ahead, np.array(of_distance) - optimum.value)
    for statistic, ends in found:
        expected = stats.bootstrap(
            (np.arange(120),), statistic, n_resamples=9_999, vectorized=True, random_state=7, batch=500
        )
        width = expected.confidence_interval.high - expected.confidence_interval.low
        # Student's t at 119 degrees for the normal widens by 1 to 2 %; resamples vary by as much.
        assert ends == pytest.approx(expected.confidence_interval, abs=0.05 * width)
    at_an_end = test.distance.interval(0.9, (-np.inf, np.inf))[0]
    assert test.tail(at_an_end).upper == pytest.approx(0.1, abs=0.01)


def test_intervals_hold_the_score_of_a_model_that_hardly_differs_from_the_bar():
    """Score and bar vary together there: the distance, shifted to the score, missed it in 46 of 60."""
    generator, held = np.random.default_rng(4), 0
    measure = cb.get_measure("f1_macro", "multilabel")
    shares = np.array([0.45, 0.35, 0.3, 0.25])
    true_score = np.mean(2 * 0.97 * shares / (shares + 0.97))
    for _ in range(60):
        truth, called = generator.random((100, 4)) < shares, generator.random((100, 4)) < 0.97
        (test,) = resampled_tests([measure], sets(truth), sets(called))
        low, high = test.interval(0.95, measure.bounds)
        held += low <= true_score <= high
    assert held >= 50


def test_resamples_lie_about_the_score_also_where_the_bar_is_no_constant_answer():
    truth, called = np.array([[0, 1], [1, 1], [0, 0]] * 4), np.array([[0, 1], [1, 0], [0, 0]] * 4)
    both = [LabelSets.of((0, 1), *np.nonzero(side), 12) for side in (truth, called)]
    measure = cb.get_measure("jaccard_micro", "multilabel")
    assert measure.optimum(both[0], 0.0).for_some
    (test,) = resampled_tests([measure], *both)
    assert test.distance.values.mean() == pytest.approx(test.distance.score, abs=0.02)


def test_perfect_predictions_are_not_sure_of_few_samples():
    few = resampled_tests(cb.measures("multilabel")[3:], sets(TRUTH[:8]), sets(TRUTH[:8]))
    for test in few:
        low, high = test.interval(0.95, (0.0, 1.0))
        assert low < 0.8
        assert high <= 1
