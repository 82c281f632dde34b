"""What classes are called decides nothing: neither a p-value nor an interval."""

import numpy as np
import pytest

import clearbar as cb

MEASURES = ("accuracy", "f1_macro", "mcc")
OLD, NEW = ["a", "b", "c", "d"], ["d", "a", "b", "c"]


def numbers(card):
    return [
        (round(one.score, 12), one.p_value, one.p_value_blind, one.low, one.high)
        for one in card
    ]  # fmt: skip


def renamed(labels):
    return np.array(NEW)[np.searchsorted(OLD, labels)]


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(2)
    truth = rng.choice(OLD, 90, p=[0.4, 0.3, 0.2, 0.1])
    return truth, np.where(rng.random(90) < 0.6, truth, rng.choice(OLD, 90))


def test_renamed_classes_have_the_same_numbers(labels):
    truth, called = labels
    own = cb.evaluate_multiclass(truth, called, MEASURES)
    other = cb.evaluate_multiclass(renamed(truth), renamed(called), MEASURES)
    assert numbers(own) == numbers(other)


@pytest.mark.slow
def test_classes_in_another_order_of_the_table_have_the_same_numbers():
    cells = np.array([[20, 3, 1, 0], [2, 9, 4, 1], [1, 1, 12, 2], [0, 3, 0, 6]])
    order = [2, 0, 3, 1]
    own = cb.evaluate_multiclass(cb.ConfusionMatrix(cells), None, MEASURES)
    other = cb.evaluate_multiclass(cb.ConfusionMatrix(cells[np.ix_(order, order)]), None, MEASURES)
    assert numbers(own) == numbers(other)


def same(one, other):
    """The same resamples are drawn, and sums over classes in another order differ by rounding alone."""
    for ours, theirs in zip(one, other, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-11)


@pytest.mark.parametrize("what", ["clusters", "runs"])
def test_renamed_classes_of_clusters_and_runs_have_the_same_numbers(labels, what):
    truth, called = labels
    rng = np.random.default_rng(4)
    again = np.where(rng.random(90) < 0.6, truth, rng.choice(OLD, 90))
    called = np.stack([called, again]) if what == "runs" else called
    more = {"clusters": np.arange(90) // 3} if what == "clusters" else {}
    measures = ["f1_macro", "mcc"]
    own = cb.evaluate_multiclass(truth, called, measures, **more)
    other = cb.evaluate_multiclass(renamed(truth), renamed(called), measures, **more)
    same(numbers(own), numbers(other))


def test_renamed_classes_of_a_bootstrap_have_the_same_numbers():
    rng = np.random.default_rng(8)
    truth = np.repeat(np.arange(25), 8)
    called = np.where(rng.random(200) < 0.5, truth, rng.integers(25, size=200))
    other = rng.permutation(25)
    measures = ["f1_macro", "mcc"]
    own = cb.evaluate_multiclass(truth, called, measures)
    renamed_card = cb.evaluate_multiclass(other[truth], other[called], measures)
    assert own[0].p_method == "bootstrap"
    same(numbers(own), numbers(renamed_card))


def test_equal_classes_that_can_trade_places_do_not_stop_it():
    ring = np.roll(np.eye(6, dtype=int), 1, axis=1) * 2 + np.diag([8] * 6)
    order = [3, 1, 5, 0, 2, 4]
    own = cb.evaluate_multiclass(cb.ConfusionMatrix(ring), None, "f1_macro")
    other = cb.evaluate_multiclass(cb.ConfusionMatrix(ring[np.ix_(order, order)]), None, "f1_macro")
    assert numbers(own) == numbers(other)


@pytest.mark.parametrize("measure", ["kappa_linear", "kappa_quadratic"])
def test_text_that_is_numbers_is_in_their_order(measure):
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 11, 300)
    called = np.clip(truth + rng.integers(-1, 2, 300), 1, 10)
    as_text = [np.char.mod("%d", side) for side in (truth, called)]
    (of_numbers,), (of_text,) = (
        cb.evaluate_multiclass(*sides, measure) for sides in ((truth, called), as_text)
    )
    assert of_text.score == of_numbers.score
    cohen_kappa_score = pytest.importorskip("sklearn.metrics").cohen_kappa_score
    weights = measure.removeprefix("kappa_")
    assert of_text.score == pytest.approx(cohen_kappa_score(truth, called, weights=weights))


def test_the_card_names_the_order_that_a_measure_takes():
    truth = ["1", "2", "10"] * 8
    card = cb.evaluate_multiclass(truth, ["1", "10", "10"] * 8, ["accuracy", "kappa_quadratic"])
    (note,) = card.notes
    assert note == (
        "Quadratic kappa takes the classes in the order 1, 2 and 10; labels= of evaluate_multiclass gives "
        "another."
    )
    assert not cb.evaluate_multiclass(truth, truth, "accuracy").notes


def test_top_k_scores_stay_in_the_order_of_estimators():
    truth = ["1", "2", "10"] * 8
    scores = np.tile(np.eye(3)[[0, 2, 1]], (8, 1))  # columns "1", "10", "2"
    assert cb.evaluate_multiclass(truth, scores, "top_1_accuracy")[0].score == 1
