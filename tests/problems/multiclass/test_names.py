"""What classes are called decides nothing: no p-value, interval, comparison or ranking."""

import numpy as np
import pytest

import clearbar as cb

MEASURES = ["f1_macro", "mcc"]


def numbers(card):
    return np.ravel([(row.score, row.p_value, row.p_value_blind, row.low, row.high) for row in card])


def compared(card, measure):
    one, ranking = card.compare(*card.models[:2], measure), card.ranking(measure)
    return [one.p_value, one.low, one.high, *np.ravel(ranking.p_values), ranking.unresolved]


@pytest.mark.parametrize("what", ["samples", "clusters", "runs", "a bootstrap"])
def test_renamed_classes_have_the_same_numbers(what):
    """The same resamples are drawn, and sums over classes in another order differ by rounding alone."""
    rng = np.random.default_rng(3 if what == "a bootstrap" else 2)
    if what == "a bootstrap":  # of classes of several sizes, some of them all right
        new = rng.permutation(25)
        truth = np.concatenate([np.arange(25).repeat(7), rng.integers(0, 25, 30)])
        called = np.where(rng.random(205) < 0.7, truth, rng.integers(0, 25, 205))
    else:
        new, size = np.array([3, 0, 1, 2]), (2, 90) if what == "runs" else 90
        truth = rng.choice(4, 90, p=[0.4, 0.3, 0.2, 0.1])
        called = np.where(rng.random(size) < 0.6, truth, rng.choice(4, size))
    more = {"clusters": np.arange(90) // 3} if what == "clusters" else {}
    own = cb.evaluate_multiclass(truth, called, MEASURES, **more)
    other = cb.evaluate_multiclass(new[truth], new[called], MEASURES, **more)
    assert own[0].p_method == "bootstrap" or what != "a bootstrap"
    assert numbers(own) == pytest.approx(numbers(other), rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["samples", "clusters", "runs", "many classes"])
def test_renamed_classes_have_the_same_comparison_and_ranking(what):
    rng = np.random.default_rng(3)
    classes = 14 if what == "many classes" else 3
    new = rng.permutation(classes)
    truth = np.concatenate([np.arange(classes).repeat(3), rng.integers(0, classes, 30)])
    size = (2, len(truth)) if what == "runs" else len(truth)
    models = {
        name: np.where(rng.random(size) < right, truth, rng.integers(0, classes, size))
        for name, right in (("x", 0.7), ("y", 0.55), ("z", 0.6))
    }
    more = {"clusters": np.arange(len(truth)) // 3} if what == "clusters" else {}
    renamed = {name: new[called] for name, called in models.items()}
    own = cb.evaluate_multiclass(truth, models, MEASURES, **more)
    other = cb.evaluate_multiclass(new[truth], renamed, MEASURES, **more)
    for measure in MEASURES[: 1 if classes > 4 else 2]:
        assert compared(own, measure) == pytest.approx(compared(other, measure), rel=1e-9)


RING = np.roll(np.eye(6, dtype=int), 1, axis=1) * 2 + np.diag([8] * 6)


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (np.array([[20, 3, 1, 0], [2, 9, 4, 1], [1, 1, 12, 2], [0, 3, 0, 6]]), [2, 0, 3, 1]),
        pytest.param(RING, [3, 1, 5, 0, 2, 4], marks=pytest.mark.slow),
    ],
    ids=["different classes", "equal classes that can trade places"],
)
def test_classes_in_another_order_of_the_table_have_the_same_numbers(cells, order):
    own, other = (
        cb.evaluate_multiclass(cb.ConfusionMatrix(table), None, "f1_macro")
        for table in (cells, cells[np.ix_(order, order)])
    )
    assert numbers(own) == pytest.approx(numbers(other), rel=1e-12)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_text_that_is_numbers_is_in_their_order(weights):
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 11, 300)
    called = np.clip(truth + rng.integers(-1, 2, 300), 1, 10)
    as_text = (np.char.mod("%d", side) for side in (truth, called))
    (of_text,) = cb.evaluate_multiclass(*as_text, f"kappa_{weights}")
    cohen_kappa_score = pytest.importorskip("sklearn.metrics").cohen_kappa_score
    assert of_text.score == pytest.approx(cohen_kappa_score(truth, called, weights=weights))


def test_the_card_names_the_order_that_a_measure_takes_and_columns_of_scores_are_in_that_of_estimators():
    truth = ["1", "2", "10"] * 8
    (note,) = cb.evaluate_multiclass(truth, ["1", "10", "10"] * 8, ["accuracy", "kappa_quadratic"]).notes
    assert note.startswith("Quadratic kappa takes the classes in the order 1, 2 and 10; labels= of ")
    assert not cb.evaluate_multiclass(truth, truth, "accuracy").notes
    scores = np.tile(np.eye(3)[[0, 2, 1]], (8, 1))  # columns "1", "10", "2"
    assert cb.evaluate_multiclass(truth, scores, "top_1_accuracy")[0].score == 1
