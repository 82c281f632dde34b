"""How likely a sure clear is, how many samples it takes, and which levels no p-value reaches."""

import copy
import math
import pickle

import numpy as np
import pytest

import clearbar as cb
from clearbar.verdict import _power
from clearbar.verdict._power import Trial

RATES = {"sensitivity": 0.8, "specificity": 0.7}


def binomial(n, k, rate):
    return math.comb(n, k) * rate**k * (1 - rate) ** (n - k)


def enumerated(measure, positives, negatives, sensitivity, specificity, alpha=0.05):
    """The sum over all outcomes that `evaluate_counts` calls sure."""
    tp, fp = (grid.ravel() for grid in np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1)))
    counts = cb.Counts(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)
    card = cb.evaluate_counts(counts, measure)
    sure = (card.columns["outcome"] == "clears") & (card.columns["p_sure"] <= alpha)
    weights = [
        binomial(positives, x, sensitivity) * binomial(negatives, y, 1 - specificity)
        for x, y in zip(tp.tolist(), fp.tolist(), strict=True)
    ]
    return float(np.array(weights) @ sure[0, :, 0])


@pytest.mark.parametrize("measure", ["f1", "mcc", "accuracy", "precision"])
def test_power_is_the_sum_over_all_outcomes_that_are_sure(measure):
    for positives, negatives in ((5, 8), (8, 4)):
        wanted = enumerated(measure, positives, negatives, 0.8, 0.7)
        found = cb.power(cb.Population(positives + negatives, positives), measure, **RATES)
        assert found == pytest.approx(wanted, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["f1", "mcc", "accuracy"])
def test_only_outcomes_beside_the_boundary_need_to_be_asked(monkeypatch, measure):
    """The boundary and its neighbours decide as asking every outcome does."""
    for positives, negatives, rates in ((10, 14, (0.7, 0.8)), (5, 30, (0.9, 0.7))):
        trial = Trial(cb.get_measure(measure), positives, negatives, *rates, 0.05)
        monkeypatch.setattr(_power, "MOST_ALONE", 10**9)
        every = trial.power(0)
        monkeypatch.setattr(_power, "MOST_ALONE", 0)
        assert trial.power(0) == pytest.approx(every, abs=1e-12)


@pytest.mark.slow
def test_beyond_five_hundred_samples_power_is_simulated_with_its_standard_error(monkeypatch):
    trial = Trial(cb.get_measure("accuracy"), 20, 35, 0.7, 0.8, 0.05)
    exact = trial.power(0)
    monkeypatch.setattr(_power, "MOST_EXACT", 4)
    drawn = trial.power(0)
    assert exact.standard_error == 0
    assert drawn.standard_error == pytest.approx(math.sqrt(drawn * (1 - drawn) / _power.DRAWS), rel=0.01)
    assert abs(drawn - exact) < 4 * drawn.standard_error
    certain = Trial(cb.get_measure("accuracy"), 300, 300, 0.99, 0.99, 0.05).power(0)
    assert certain == 1
    assert 0 < certain.standard_error < 0.001
    monkeypatch.setattr(_power, "DRAWS", 200)
    large, other = (
        cb.power(cb.Population(501, 60), "mcc", sensitivity=0.3, specificity=0.82, random_state=seed)
        for seed in (0, 1)
    )
    assert 0 < large.standard_error < 0.06
    assert large != other


def test_power_is_a_number_that_keeps_its_error():
    power = _power.Power(0.25, 0.01)
    for one in (power, pickle.loads(pickle.dumps(power)), copy.deepcopy(power)):  # noqa: S301 - our own
        assert (one, one.standard_error) == (0.25, 0.01)


@pytest.mark.parametrize(
    ("measure", "prevalence", "rates"),
    [
        pytest.param("mcc", 0.5, (0.8, 0.9), marks=pytest.mark.slow),
        ("f1", 0.5, (0.95, 0.95)),
    ],
)
def test_the_number_returned_suffices_and_so_does_every_larger_one_tried(measure, prevalence, rates):
    found = cb.samples_needed(measure, prevalence=prevalence, sensitivity=rates[0], specificity=rates[1])
    assert type(found) is int

    def power(samples):
        positives = min(max(math.floor(samples * prevalence + 0.5), 1), samples - 1)
        population = cb.Population(samples, positives)
        return cb.power(population, measure, sensitivity=rates[0], specificity=rates[1])

    assert power(found - 1) < 0.8
    assert all(power(samples) >= 0.8 for samples in range(found, found + 4))


@pytest.mark.parametrize(
    ("measure", "prevalence", "rates"),
    [
        ("f1", 0.01, (0.08, 0.97)),
        ("accuracy", 0.5, (0.51, 0.5)),
    ],
)
def test_a_model_above_the_bar_of_very_many_samples_is_not_refused_for_what_few_have(
    monkeypatch, measure, prevalence, rates
):
    monkeypatch.setattr(_power, "LARGEST", 2_000)
    with pytest.raises(ValueError, match="more than 2,000 samples are needed: the model is too close"):
        cb.samples_needed(measure, prevalence=prevalence, sensitivity=rates[0], specificity=rates[1])


@pytest.mark.slow
def test_a_rare_class_needs_many_samples(monkeypatch):
    """With 20,000 samples, 200 of them positive, the power is 0.71."""
    monkeypatch.setattr(_power, "DRAWS", 200)
    found = cb.samples_needed("f1", prevalence=0.01, sensitivity=0.08, specificity=0.97)
    assert 20_000 < found < 30_000


def test_a_refusal_states_the_true_score_and_the_bar_at_the_prevalence_asked_for():
    """F1 at prevalence p: 2 p s / (p s + p + (1 - p) f); the bar calls all positive: 2 p / (1 + p)."""
    p, s, f = 0.01, 0.03, 0.04
    score, bar = 2 * p * s / (p * s + p + (1 - p) * f), 2 * p / (1 + p)
    assert score < bar
    with pytest.raises(ValueError, match=f"its true score is {score:.3g}, the bar {bar:.3g}"):
        cb.samples_needed("f1", prevalence=p, sensitivity=s, specificity=1 - f)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"prevalence": 0}, "prevalence must lie between 0 and 1, without either; found 0"),
        ({"prevalence": "x"}, "prevalence must be a share from 0 to 1; found 'x'"),
        ({"sensitivity": 1.2}, "sensitivity must be a share from 0 to 1; found 1.2"),
        ({"power": 1}, "power must be a probability between 0 and 1; found 1"),
        ({"alpha": 0}, "alpha must be a probability greater than 0"),
        ({"sensitivity": 0.2, "specificity": 0.8}, "is not above the MCC bar, however many samples"),
        ({"measure": "fpr"}, "nothing can clear it"),
        ({"measure": "recall"}, "the recall bar already is the best possible score"),
        ({"measure": "roc_auc"}, "labels of two classes, which power needs; ask for another measure"),
    ],
)
def test_bad_input_is_said_in_a_sentence(asked, message):
    how = {"measure": "mcc", "prevalence": 0.3, "sensitivity": 0.8, "specificity": 0.9} | asked
    with pytest.raises(ValueError, match=message):
        cb.samples_needed(**how)


def test_power_takes_labels_and_one_population():
    assert cb.power([1] * 5 + [0] * 9, "mcc", **RATES) == cb.power(cb.Population(14, 5), "mcc", **RATES)
    with pytest.raises(ValueError, match="one population"):
        cb.power(cb.Population(np.array([9, 8]), np.array([3, 3])), "mcc", **RATES)


NINETY = {"sensitivity": 0.9, "specificity": 0.9}
LABELS = cb.Population(60, 30)
SENTENCE = (
    r"alpha must be at least 2e-06, below which no p-value of a true score is resolved, .*; found 1e-06\."
)


def test_power_and_samples_refuse_a_level_that_no_data_show():
    """They were 0, and "too close to its bar", for a model that some samples show at 1e-5."""
    with pytest.raises(ValueError, match=SENTENCE):
        cb.power(LABELS, "mcc", alpha=1e-6, **NINETY)
    with pytest.raises(ValueError, match=SENTENCE):
        cb.samples_needed("mcc", prevalence=0.5, alpha=1e-6, **NINETY)
    with pytest.raises(ValueError, match=SENTENCE):
        cb.baseline(LABELS, "mcc").clearing_score(1e-6)


@pytest.mark.slow
def test_the_least_level_is_one_that_data_show():
    assert 0.2 < cb.power(LABELS, "mcc", alpha=1e-5, **NINETY) < 1
    more, most = (cb.samples_needed("mcc", prevalence=0.5, alpha=alpha, **NINETY) for alpha in (1e-5, 2e-6))
    assert 20 < more < most < 500
    score = cb.baseline(LABELS, "mcc").clearing_score(2e-6)
    assert score > cb.baseline(LABELS, "mcc").clearing_score(1e-5)
    perfect = cb.evaluate_counts(cb.Counts(tp=5000, fp=0, fn=0, tn=5000), ["mcc"])[0]
    assert perfect.p_value == 2e-6


def test_tries_divide_the_level():
    bar = cb.baseline(LABELS, "mcc")
    assert bar.clearing_score(0.05, tries=25_000) == bar.clearing_score(2e-6)
    with pytest.raises(
        ValueError, match=r"tries must be at most 25,000 at alpha=0.05: .* 2e-06; found 30,000"
    ):
        bar.clearing_score(0.05, tries=30_000)


@pytest.mark.parametrize(("tries", "resolved"), [(24_000, True), (30_000, False)])
def test_a_card_says_where_so_many_tries_cannot_be_resolved(tries, resolved):
    card = cb.evaluate_counts(cb.Counts(tp=5000, fp=0, fn=0, tn=5000), ["mcc"], tries=tries)
    assert card[0].sure is resolved
    said = "So many are not resolvable: no p is below 2e-06, which times 30,000 is 0.06."
    assert (said in " ".join(str(card).split())) is not resolved
