"""p-values of predictions that know nothing, against every order of the labels."""

from itertools import permutations

import numpy as np

import clearbar as cb
from clearbar.problems.multiclass import ClassLabels, tables, units
from clearbar.problems.multiclass.tables import Tables

TRUTH = np.array([0, 0, 0, 1, 1, 2, 2])
ORDERS = np.array(sorted(set(permutations(TRUTH.tolist()))))


def blind(measure, truth, predicted):
    """Return how likely labels in random order score as well."""
    matrix = cb.ConfusionMatrix.from_labels(truth, predicted)
    problem = ClassLabels(("model",), (None,), ((matrix,),))
    tail = problem.blind([measure], problem.scores([measure]))
    return type(tail)(*(side[0, 0, 0] for side in tail))


def test_the_proved_bound_is_above_the_share_of_orders():
    own = Tables.of(cb.ConfusionMatrix.from_labels(TRUTH, TRUTH))
    values = tables.counted(ORDERS, TRUTH, np.bincount(TRUTH), np.bincount(TRUTH))
    for measure in cb.measures("multiclass"):
        if measure.weights is not None:
            sign = 1 if measure.greater_is_better else -1
            share = np.mean(sign * measure(values) >= sign * float(measure(own)) - 1e-12)
            assert units.bound_of(measure, own) >= share


def test_where_permutations_are_too_few_the_proved_bound_is_given():
    truth = np.repeat(np.arange(4), 500)
    tail = blind(cb.get_measure("f1_macro", "multiclass"), truth, truth)
    assert tail.lower == 0 < tail.upper < 1e-100
    assert tail.note.code == "chatterjee"


def test_each_row_says_how_its_own_p_was_found():
    truth = np.repeat(np.arange(4), 500)
    other = np.random.default_rng(0).permuted(truth)
    good, poor = (str(row.reason) for row in cb.evaluate(truth, {"a": truth, "b": other}, "f1_macro"))
    assert "p_value_blind is an upper bound" in good
    assert "permutations" not in good
    assert "permutations of the labels" in poor
    assert "bound" not in poor


def test_permutations_of_many_samples_estimate_a_share():
    rng = np.random.default_rng(1)
    truth, predicted = rng.integers(0, 4, (2, 300))
    measure = cb.get_measure("f1_macro", "multiclass")
    tail = blind(measure, truth, predicted)
    assert tail.method == "permutation"
    orders = rng.permuted(np.tile(truth, (4_000, 1)), axis=1)
    order = np.argsort(predicted, kind="stable")
    drawn = tables.counted(orders[:, order], predicted[order], *(np.bincount(s) for s in (truth, predicted)))
    score = float(measure(Tables.of(cb.ConfusionMatrix.from_labels(truth, predicted))))
    share = np.mean(measure(drawn) >= score - 1e-12)
    assert abs(tail.upper - share) < 4 * np.sqrt(share * (1 - share) * (1 / 4_000 + 1 / tail.draws))
