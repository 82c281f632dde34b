"""Two models by what they lose: what one loses more on a sample, seen or not, lies between bounds."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import clearbar as cb


def surely(truth, wrong, rest, rng):
    """Probabilities of three classes: nearly 1 for an answer that is wrong so often."""
    rests = (rest * np.exp(0.3 * rng.normal(size=len(truth))))[:, None]
    answers = np.where(rng.random(len(truth)) < wrong, (truth + 1) % 3, truth)
    return np.where(answers[:, None] == np.arange(3), 1 - rests, rests / 2)


@pytest.mark.parametrize(("measure", "rest"), [("log_loss", 0.142), ("brier_score", 0.11), ("rps", 0.11)])
def test_large_losses_that_are_rare_leave_it_open_which_model_is_better(measure, rest):
    # One is wrong in 2 % of inputs and then loses much, the other always a bit: more than half of these
    # test sets hold no large loss, and resamples of them took the first for the better.
    truth, rng = np.repeat([0, 1, 2], [20, 10, 5]), np.random.default_rng(3)
    better = []
    for _ in range(20):
        models = {"bold": surely(truth, 0.02, 1e-4, rng), "modest": surely(truth, 0.0, rest, rng)}
        card = cb.evaluate_multiclass(truth, models, measure, intervals=False)
        better.append(card.compare("bold", "modest", measure).better)
    assert better.count(None) == 20


@pytest.mark.parametrize("measure", ["log_loss", "brier_score"])
def test_so_they_do_with_two_classes(measure):
    truth, rng = np.tile([0, 1], 20), np.random.default_rng(4)
    rest = 1e-3 * np.exp(rng.normal(size=40))
    bold = np.where(truth == 1, 1 - rest, rest)
    modest = np.where(truth == 1, 0.85, 0.15) + 0.02 * rng.random(40)
    card = cb.evaluate_scores(truth, {"bold": bold, "modest": modest}, measure, intervals=False)
    found = card.compare("bold", "modest", measure)
    assert found.better is None
    assert found.low < found.score_difference < 0 < found.high
    # A model that really is better is so on more samples of the same kind.
    card = cb.evaluate_scores(
        np.tile(truth, 25),
        {"bold": np.tile(bold, 25), "modest": np.tile(modest, 25)},
        measure,
        intervals=False,
    )
    assert card.compare("bold", "modest", measure).better == "bold"


def test_partial_credit_that_is_seldom_none_leaves_it_open():
    rng = np.random.default_rng(5)
    even, uneven = 0.93 + 0.005 * rng.normal(size=(2, 30))
    graded = {"even": even, "uneven": uneven + 0.02}  # who is wrong in 2 % of items shows none of them here
    found = cb.evaluate_tasks(graded, intervals=False).compare("even", "uneven", "mean_score")
    assert (found.test, found.method, found.better) == ("bounded", "estimated", None)
    assert "from 0 to 1" in found.note


def test_differences_of_two_values_have_the_interval_of_a_share():
    # Sure answers lose 0 or 2, of which their models expect nothing.
    truth, right = np.zeros(40, dtype=int), np.arange(40) < 29
    truth[::2] = 1
    answers = np.where(right, truth, 1 - truth)
    first, second = np.eye(3)[answers], np.eye(3)[1 - answers]
    card = cb.evaluate_multiclass(truth, {"a": first, "b": second}, "brier_score", labels=[0, 1, 2])
    found = card.compare("a", "b", "brier_score")
    shares = beta.ppf([0.025, 0.975], [11, 12], [30, 29])
    assert (found.low, found.high) == pytest.approx(tuple(4 * shares - 2), abs=1e-7)
    mirrored = card.compare("b", "a", "brier_score")
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-12)


def drawn(samples=120, models=4, seed=6):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(samples) % 2)
    logits = {f"m{j}": (0.6 + 0.5 * j) * (2 * truth - 1) + rng.normal(size=samples) for j in range(models)}
    return truth, {name: 1 / (1 + np.exp(-of_model)) for name, of_model in logits.items()}


def test_columns_of_both_classes_say_twice_what_one_says():
    truth, models = drawn()
    one = cb.evaluate_scores(truth, models, ["brier_score", "brier_skill_score", "log_loss"], intervals=False)
    both = {name: np.column_stack([1 - p, p]) for name, p in models.items()}
    two = cb.evaluate_multiclass(truth, both, ["brier_score", "log_loss"], intervals=False)
    found, twice = (card.compare("m0", "m2", "brier_score") for card in (one, two))
    assert twice.p_value == pytest.approx(found.p_value, rel=1e-6)
    assert (twice.low, twice.high) == pytest.approx((2 * found.low, 2 * found.high), abs=1e-8)
    skill = one.compare("m2", "m0", "brier_skill_score")
    assert skill.p_value == pytest.approx(found.p_value, rel=1e-6)
    assert (skill.low, skill.high) == pytest.approx((4 * found.low, 4 * found.high), abs=1e-8)
    logs = [card.compare("m0", "m2", "log_loss") for card in (one, two)]
    assert logs[0].p_value == pytest.approx(logs[1].p_value, rel=1e-6)
    largest = max(abs(np.log(p) - np.log(q)).max() for p, q in [(models["m0"], models["m2"])])
    other = abs(np.log1p(-models["m0"]) - np.log1p(-models["m2"])).max()
    assert f"at most {max(largest, other):.3g}," in logs[0].note


@pytest.mark.parametrize("measure", ["brier_score", "log_loss"])
def test_a_ranking_has_the_same_p_values(measure):
    truth, models = drawn()
    card = cb.evaluate_scores(truth, models, measure, intervals=False)
    ranking = card.ranking(measure)
    assert ranking.least_p == ranking.unresolved == 0
    for row, first in enumerate(ranking.models):
        for column, second in enumerate(ranking.models):
            found = card.compare(first, second, measure).p_value if row != column else 1.0
            assert ranking.p_values[row, column] == pytest.approx(found, rel=1e-9)


def test_clusters_of_single_samples_are_samples_and_larger_ones_are_less_sure():
    truth, models = drawn(200)

    def compared(clusters):
        card = cb.evaluate_scores(truth, models, "brier_score", clusters=clusters, intervals=False)
        return card.compare("m0", "m2", "brier_score")

    alone, single, five = compared(None), compared(np.arange(200)), compared(np.arange(200) // 5)
    assert single.p_value == pytest.approx(alone.p_value, rel=1e-9)
    assert (single.low, single.high) == pytest.approx((alone.low, alone.high), abs=1e-9)
    assert five.high - five.low > alone.high - alone.low


def test_models_that_agree_on_all_samples_may_differ_on_others():
    truth, models = drawn(100)
    models["twin"] = models["m1"]
    found = cb.evaluate_scores(truth, models, "brier_score", intervals=False).compare(
        "m1", "twin", "brier_score", margin=0.05
    )
    assert found.same
    assert found.p_value == 1.0
    unseen = 1 - 0.025 ** (1 / 100)  # the share of samples of which none was seen
    assert (found.low, found.high) == pytest.approx((-unseen, unseen), abs=2e-3)
    assert found.conclusion == "equivalent"
    exchanged = cb.evaluate_scores(truth, models, "brier_score", intervals=False).compare(
        "m0", "m3", "brier_score", null="exchangeable"
    )
    assert exchanged.conclusion == "different"


@pytest.mark.parametrize("items", [2, 5, 8])
def test_a_model_that_is_always_right_beside_one_that_never_is_has_mcnemar_s_p(items):
    """Resamples do not differ: in items that were not seen it may be the other way round."""
    card = cb.evaluate_tasks({"a": np.ones(items), "b": np.zeros(items)}, intervals=False)
    found = card.compare("a", "b", card.measures[0])
    assert found.p_value == pytest.approx(found.p_mcnemar, rel=1e-3)
    assert found.p_mcnemar == pytest.approx(2 * 0.5**items)
    assert found.better == ("a" if items == 8 else None)
    sets = np.tile([[1, 0, 1]], (items, 1))
    card = cb.evaluate_multilabel(sets, {"a": sets, "b": 1 - sets}, "hamming_loss", intervals=False)
    assert card.compare("a", "b", "hamming_loss").p_value == pytest.approx(2 * 0.5**items, rel=1e-3)


@pytest.mark.parametrize("right", [0, 5, 10])
def test_models_that_are_right_in_the_same_items_may_differ_in_others(right):
    answers = (np.arange(10) < right).astype(float)
    card = cb.evaluate_tasks({"a": answers, "b": answers.copy()}, intervals=False)
    found, unseen = card.compare("a", "b", card.measures[0]), 1 - 0.025 ** (1 / 10)
    assert found.same
    assert found.p_value == 1.0
    assert (found.low, found.high) == pytest.approx((-unseen, unseen), abs=1e-3)


def test_two_numbers_do_not_tell_whose_correlation_is_better():
    card = cb.evaluate_regression([1, 2], {"a": [1, 2], "b": [2, 1]}, "spearman", intervals=False)
    assert card.compare("a", "b", "spearman").better is None


def test_items_of_tasks_are_as_large_as_they_count():
    rng = np.random.default_rng(7)
    sizes = {"short": 10, "long": 40}
    table = pd.DataFrame({"task": np.repeat(list(sizes), list(sizes.values()))})
    for name, mean in (("a", 0.7), ("b", 0.45)):
        table[name] = np.clip(np.round(4 * (mean + 0.3 * rng.normal(size=50))) / 4, 0, 1)
    card = cb.evaluate_tasks(table[["a", "b"]], by=table["task"].to_numpy(), intervals=False)
    found = card.compare("a", "b", "mean_score")
    by_task = table.groupby("task")[["a", "b"]].mean()
    assert found.score_difference == pytest.approx(float((by_task["a"] - by_task["b"]).mean()), rel=1e-12)
    # Gaps between uniform numbers weigh items that count 4 to 1, and one more of the largest, all wrong.
    weights = np.repeat([4.0, 1.0], [10, 40])
    scores = (1 + table["a"] - table["b"]).to_numpy() / 2
    gaps = rng.exponential(size=(400_000, 51))
    means = (gaps[:, :50] @ (weights * scores)) / (gaps[:, :50] @ weights + 4.0 * gaps[:, 50])
    low, high = 2 * np.quantile(means, 0.025) - 1, found.high
    assert found.low == pytest.approx(low, abs=0.005)
    assert found.low < found.score_difference < high
