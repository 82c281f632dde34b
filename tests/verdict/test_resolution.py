"""Levels that no p-value of two classes reaches are refused, or named: the floor is never an answer."""

import pytest

import clearbar as cb

RATES = {"sensitivity": 0.9, "specificity": 0.9}
LABELS = cb.Population(60, 30)
SENTENCE = (
    r"alpha must be at least 2e-06, below which no p-value of a true score is resolved, .*; found 1e-06\."
)


def test_power_and_samples_refuse_a_level_that_no_data_show():
    """They were 0, and "too close to its bar", for a model that some samples show at 1e-5."""
    with pytest.raises(ValueError, match=SENTENCE):
        cb.power(LABELS, "mcc", alpha=1e-6, **RATES)
    with pytest.raises(ValueError, match=SENTENCE):
        cb.samples_needed("mcc", prevalence=0.5, alpha=1e-6, **RATES)
    with pytest.raises(ValueError, match=SENTENCE):
        cb.baseline(LABELS, "mcc").clearing_score(1e-6)


@pytest.mark.slow
def test_the_least_level_is_one_that_data_show():
    assert 0.2 < cb.power(LABELS, "mcc", alpha=1e-5, **RATES) < 1
    more, most = (cb.samples_needed("mcc", prevalence=0.5, alpha=alpha, **RATES) for alpha in (1e-5, 2e-6))
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
