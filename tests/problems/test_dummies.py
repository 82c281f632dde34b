"""Expected scores of dummies and coins: enumeration, closed forms, scikit-learn's own class, the bar."""

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

import clearbar as cb
from clearbar.null import coin_score

POLICIES = ("exclude", "worst", 0.0)
STRATEGIES = {name: {"strategy": name} for name in ("most_frequent", "prior", "stratified", "uniform")} | {
    f"constant ({name})": {"strategy": "constant", "constant": at}
    for at, name in enumerate(("negative", "positive"))
}


@pytest.mark.slow
@pytest.mark.parametrize("measure", cb.measures(), ids=lambda measure: measure.name)
def test_no_dummy_exceeds_the_bar(measure):
    sign = -1.0 if measure.greater_is_better is False else 1.0
    for total, positives in ((2, 1), (6, 5), (7, 0)):
        for policy in POLICIES:
            found = cb.dummies(cb.Population(total, positives), measure, undefined=policy)
            bar = float(found.bar.value)
            scores = [row.expected for row in (*found, *map(found.coin, (0.05, 0.9)))]
            over = [score for score in scores if sign * (score - bar) > 1e-12 * max(1.0, abs(bar))]
            assert not over, (total, positives, policy)


@pytest.mark.parametrize("measure", ["f1", "g_mean", "error_rate"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_dummies_of_scikit_learn_score_what_is_expected(measure, strategy):
    y = np.array([1] * 9 + [0] * 22)
    x, repeats = np.zeros((len(y), 1)), 1500
    tall = np.zeros((len(y) * repeats, 1))
    dummy = DummyClassifier(**STRATEGIES[strategy], random_state=7).fit(x, y)
    predicted = dummy.predict(tall).reshape(repeats, -1)
    scores = cb.get_measure(measure).values(
        predicted[:, y == 1].sum(1), predicted[:, y == 0].sum(1),
        9 - predicted[:, y == 1].sum(1), 22 - predicted[:, y == 0].sum(1),
    )  # fmt: skip
    expected = cb.dummies(y, measure)[strategy].expected
    assert abs(scores.mean() - expected) <= 4 * scores.std() / math.sqrt(repeats) + 1e-12


def test_the_labels_they_were_fitted_on_may_have_another_prevalence():
    test = cb.Population(40, 30)
    found = cb.dummies(test, "accuracy", prevalence=0.2)
    assert (found["most_frequent"].chance, found["most_frequent"].expected) == (0.0, 0.25)
    assert found["stratified"].expected == pytest.approx(0.2 * 0.75 + 0.8 * 0.25)
    assert cb.dummies(test, "accuracy")["prior"].expected == 0.75
    assert cb.dummies([1, 0, 1, 0], "f1")["most_frequent"].chance == 0.0  # of equal classes the first


def test_where_luck_decides_whether_there_is_a_value_the_reason_says_so():
    found = cb.dummies(cb.Population(20, 6), "odds_ratio")
    assert math.isnan(found["uniform"].expected)
    assert "undefined='worst' or undefined=0.0" in found["uniform"].reason
    assert found["prior"].reason == "no prediction has a value"
    assert cb.dummies(cb.Population(20, 6), "odds_ratio", undefined=0.0)["uniform"].reason == ""


def test_text_and_html_show_the_table_and_escape_names():
    text = " ".join(str(cb.dummies(cb.Population(20, 6), "mcc")).split())
    assert text.startswith("20 samples, 6 positive (30.0 %). The MCC bar is 0 on average: predict any number")
    assert "most_frequent, prior, constant (negative), constant (positive): no prediction has a" in text
    odd = cb.Measure("<b>", lambda tp, fp, fn, tn: tp + 0 * (fp + fn + tn), greater_is_better=True)
    html = cb.dummies(cb.Population(20, 6), odd)._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html


def test_rows_are_found_by_name_and_place_and_make_a_frame():
    found = cb.dummies([1, 0, 0, 0], "f1")
    assert found[2] == found[np.int64(2)] == found["stratified"]
    assert float(found[5]) == pytest.approx(0.4)
    assert len(list(found)) == 6
    assert set(found.to_dict()) == {"strategy", "chance", "expected", "bar", "reason"}
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - our own
    with pytest.raises(KeyError, match="no strategy is called 'best'; there are 'most_frequent'"):
        found["best"]


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ((cb.Population([3, 4], [1, 1]), "f1"), {}, "y_true must be one Population"),
        (([1, 0], "f1"), {"prevalence": 30}, "prevalence must be a probability from 0 to 1; found 30"),
        (([1, 0], "roc_auc"), {}, "'roc_auc' judges scores, not two columns of labels"),
        (([0, 1, 2], "f1"), {}, "name f1_micro, f1_macro or f1_weighted"),
    ],
)
def test_bad_input_gets_one_sentence(given, options, said):
    with pytest.raises(ValueError, match=said):
        cb.dummies(*given, **options)
    with pytest.raises(ValueError, match=r"^chance must be a probability from 0 to 1; found"):
        cb.dummies(cb.Population(20, 6), "f1").coin(math.nan)


CHANCES = (Fraction(0), Fraction(1, 8), Fraction(1, 2), Fraction(3, 4), Fraction(1))


def by_flips(measure, positives, total, chance):
    """The mean over all 2**M outcomes of M flips, each with its own probability."""
    labels = [1] * positives + [0] * (total - positives)
    valued = []
    for flips in itertools.product((0, 1), repeat=total):
        weight = chance ** sum(flips) * (1 - chance) ** (total - sum(flips))
        if not weight:
            continue
        tp = sum(a & b for a, b in zip(labels, flips, strict=True))
        cells = tp, sum(flips) - tp, positives - tp, total - positives - sum(flips) + tp
        value = measure(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))
        if not math.isnan(value):
            valued.append((weight, Fraction(value)))
    mass = sum(weight for weight, _ in valued)
    return float(sum(weight * value for weight, value in valued) / mass) if mass else math.nan


@pytest.mark.slow
@pytest.mark.parametrize("measure", cb.measures(), ids=lambda measure: measure.name)
def test_every_measure_has_the_mean_of_all_flips(measure):
    for total, positives in ((1, 1), (3, 0), (5, 2), (4, 4)):
        for chance in CHANCES:
            score = coin_score(measure, total, positives, float(chance))
            mean = by_flips(measure, positives, total, chance)
            assert score.mean == pytest.approx(mean, rel=1e-12, abs=1e-12, nan_ok=True)


def test_large_coins_agree_with_closed_forms():
    total, positives, chance = 10**8, 3 * 10**7, 0.25
    negatives = total - positives
    accuracy = (chance * positives + (1 - chance) * negatives) / total
    measure = cb.get_measure("accuracy")
    assert coin_score(measure, total, positives, chance).mean == pytest.approx(accuracy, rel=1e-13)
    # E[TP/(TP + FN + FP)] by the delta method: TP and FP are independent binomials
    tp, fp = chance * positives, chance * negatives
    ratio = tp / (positives + fp)
    second = tp * fp * (1 - chance) / (positives + fp) ** 3
    measure = cb.get_measure("threat_score")
    assert coin_score(measure, total, positives, chance).mean == pytest.approx(ratio + second, rel=1e-12)
