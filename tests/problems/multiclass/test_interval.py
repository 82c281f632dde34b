"""Question A with many classes: is the true score above the bar?"""

import itertools

import numpy as np
import pytest
from tests.problems.rates.slow import SlowTest

import clearbar as cb
from clearbar.inference import resamples
from clearbar.problems.multiclass.exact import Certified, certified_p_value
from clearbar.problems.multiclass.units import ClassUnits


def law_of_sum(chances):
    law = np.array([1.0])
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return law


@pytest.mark.parametrize("sizes", [(3, 5), (4, 3, 5)])
def test_no_mixture_of_accuracies_is_refuted_too_often(sizes):
    total, grid = sum(sizes), np.linspace(0, 1, 11)
    worst = 0.0
    for bar in (0.25, 0.5, 0.75):
        p = np.array([certified_p_value(t, total, bar) for t in range(total + 1)])
        above = np.arange(total + 1) > total * bar
        for accuracies in itertools.product(grid, repeat=len(sizes)):
            if abs(np.dot(sizes, accuracies) / total - bar) < 0.02:
                law = law_of_sum(np.repeat(accuracies, sizes))
                if np.dot(sizes, accuracies) / total <= bar + 1e-12:
                    for alpha in (0.1, 0.05, 0.01):
                        worst = max(worst, law[(p <= alpha) & above].sum() / alpha)
    assert 0 < worst <= 0.5 + 1e-12


def certified_interval(right, total, level):
    return Certified(right, total).interval(level, (0.0, 1.0))


def drawn_units(matrix):
    return ClassUnits(matrix.rows, [matrix.columns[None]], len(matrix.labels), 0.0, times=matrix.values)


def resampled_test(measure, matrix):
    """Return the test of resamples, also where there are so few classes that rates are fitted."""
    return resamples.tests_of(drawn_units(matrix), [cb.get_measure(measure, "multiclass")])[0][0]


def test_the_certified_interval_is_clopper_and_pearsons_but_for_one_right_or_wrong():
    beta = pytest.importorskip("scipy.stats").beta
    for right in (0, 2, 17, 30):
        low, high = certified_interval(right, 30, 0.95)
        assert low == pytest.approx(beta.ppf(0.025, right, 31 - right) if right else 0, abs=1e-12)
        assert high == pytest.approx(beta.ppf(0.975, right + 1, 30 - right) if right < 30 else 1, abs=1e-12)
    assert certified_interval(1, 30, 0.95)[0] == pytest.approx(0.025 / 30)
    assert certified_interval(29, 30, 0.95)[1] == pytest.approx(1 - 0.025 / 30)


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "recalls"), [((30, 5, 5), (0.1, 0.45, 0.45)), ((40, 8, 6), (0.9, 0.8, 0.8)),  # noqa: E501
                                                ((20, 20, 20), (1.0, 0.9, 0.95))])  # fmt: skip
def test_intervals_of_small_classes_hold_the_true_score(sizes, recalls):
    """Balanced accuracy, true value known: at least 90 of 100 intervals of 95 % hold it, all right or not."""
    rng = np.random.default_rng(5)
    truth, held = np.mean(recalls), 0
    for _ in range(100):
        right = [rng.binomial(n, recall) for n, recall in zip(sizes, recalls, strict=True)]
        cells = np.zeros((3, 3), dtype=int)
        for row, (n, hits) in enumerate(zip(sizes, right, strict=True)):
            cells[row, row], cells[row, (row + 1) % 3] = hits, n - hits
        test = resampled_test("balanced_accuracy", cb.ConfusionMatrix(cells))
        low, high = test.interval(0.95, (0.0, 1.0))
        held += low <= truth <= high
    assert held >= 90


def test_a_class_of_few_samples_has_p_and_interval_where_the_classes_are_few():
    few = cb.ConfusionMatrix([[80, 15, 5], [0, 2, 0], [4, 3, 21]])
    (row,) = cb.evaluate_multiclass(few, None, "balanced_accuracy")
    assert row.p_method == "estimated"
    assert 0.58 < row.low < row.score < row.high <= 1  # two of two leave a recall of 0.2 open
    assert row.sure
    (row,) = cb.evaluate_multiclass(cb.ConfusionMatrix(np.diag([9] * 24 + [2])), None, "balanced_accuracy")
    assert np.isnan([row.p_value, row.low, row.high]).all()
    assert not row.sure
    assert "1 of the classes that occur have fewer than 5 samples" in row.reason


@pytest.mark.parametrize("sizes", [(20, 6, 5), (12, 4, 3)])
def test_what_is_all_right_is_as_likely_as_at_the_likeliest_rates(sizes):
    """Recalls whose mean is 1/3 make all of it right with at most prod p^n, p in the shares of the sizes."""
    total = sum(sizes)
    most = np.prod([(n / total) ** n for n in sizes])
    perfect = cb.ConfusionMatrix(np.diag(sizes))
    (verdict,) = cb.evaluate_multiclass(perfect, None, ["balanced_accuracy"])
    assert 0.3 * most < verdict.p_value / 2 <= most * (1 + 1e-9)
    assert verdict.low < 0.97
    assert verdict.high == 1


OF_TWO = {one.name: one.of_two for one in cb.measures("multiclass") if one.of_two}
TABLES = [[[24, 6], [4, 8]], [[9, 0], [3, 5]], [[5, 11], [2, 12]]]


def labels(cells):
    return np.repeat(np.indices((2, 2)).reshape(2, -1), np.ravel(cells), axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("cells", TABLES)
def test_both_doors_say_the_same(cells):
    many = cb.evaluate_multiclass(*labels(cells), list(OF_TWO))
    two = {one.measure.name: one for one in cb.evaluate(*labels(cells), sorted(set(OF_TWO.values())))}
    assert {"accuracy", "kappa", "mcc", "balanced_accuracy", "g_mean", "f1_macro"} <= set(OF_TWO)
    for own in many:
        other = two[OF_TWO[own.measure.name]]
        names = ("score", "p_value", "low", "high", "p_value_blind")
        # The bars of both doors may be rounded apart, by their last bit.
        assert [getattr(own, name) for name in names] == pytest.approx(
            [getattr(other, name) for name in names], rel=1e-9
        ), own.measure
        assert {own.p_method, own.interval_method, own.p_blind_method} == {"exact"}
        assert own.sure == other.sure


def f1_macro(tp, fp, fn, tn):
    return tp / (2 * tp + fp + fn) + tn / (2 * tn + fp + fn)


@pytest.mark.parametrize("cells", TABLES[1:])
def test_macro_f1_agrees_with_every_outcome_at_every_rate(cells):
    (verdict,) = cb.evaluate_multiclass(*labels(cells), ["f1_macro"])
    (_, fp), (fn, tp) = cells
    slow = SlowTest(
        cb.Measure("macro F1", f1_macro, greater_is_better=True),
        tp + fn,
        sum(cells[0]),
        float(verdict.baseline.value),
    )
    p = min(1.0, 2 * min(float(side[0]) for side in slow.p(np.array([tp]), np.array([fp]))))
    assert verdict.p_value == pytest.approx(p, abs=4e-6)
