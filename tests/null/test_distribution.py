"""The verbs of a null distribution mean what SciPy's mean."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import draws, measures, members, own_measures

import clearbar as cb

ANY = st.one_of(measures(), members(), own_measures())


def nulls(what=ANY):
    return st.builds(lambda draw, measure: draw.distribution(measure), draws(), what)


@given(nulls())
def test_the_interval_holds_what_it_promises(null):
    values, probabilities = null.atoms()
    if not len(values):
        return
    low, high = null.interval(0.9)
    inside = probabilities[(values >= low) & (values <= high)].sum()
    assert inside / probabilities.sum() >= 0.9 - 1e-12
    assert null.interval(1.0) == null.support() == (values[0], values[-1])


def test_the_tail_counts_what_is_infinitely_good_and_not_what_is_nothing():
    """Odds ratio with 2 of 4 positive, 2 predicted: 1/6 are x/0, 1/6 are 0, the rest 1."""
    null = cb.Draw(cb.Population(4, 2), 2).distribution("diagnostic_odds_ratio")
    values, probabilities = null.atoms()
    assert values.tolist() == [0.0, 1.0]
    assert probabilities.tolist() == [1 / 6, 4 / 6]
    assert null.undefined_mass == 1 / 6
    assert null.tail(1.0) == pytest.approx(5 / 6, rel=1e-15)
    assert null.tail(100.0) == pytest.approx(1 / 6, rel=1e-15)
    assert null.logtail(100.0) == pytest.approx(math.log(1 / 6), rel=1e-15)
    assert null.sf(1.0) == 0
    loss = cb.Draw(cb.Population(4, 2), 2).distribution("negative_likelihood_ratio")
    assert loss.undefined_mass == 1 / 6
    assert loss.tail(0.0) == pytest.approx(1 / 6, rel=1e-15)
    nothing = cb.Draw(cb.Population(4, 4), 2).distribution("diagnostic_odds_ratio")
    assert nothing.undefined_mass == 1
    assert nothing.tail(0.0) == 0


@pytest.mark.parametrize("name", ["f1", "g_mean", "mcc", "fnr"])
def test_a_number_within_4_ulp_of_an_atom_is_that_atom(name):
    null = cb.Draw(cb.Population(31, 18), 17).distribution(name)
    values, probabilities = null.atoms()
    ulp = np.spacing(np.abs(values))
    for shift in (-4, -1, 1, 4):
        moved = values + shift * ulp
        np.testing.assert_array_equal(null.pmf(moved), probabilities)
        np.testing.assert_array_equal(null.cdf(moved), null.cdf(values))
        np.testing.assert_array_equal(null.sf(moved), null.sf(values))
        np.testing.assert_array_equal(null.tail(moved), null.tail(values))
    inner = values[values != 0]
    assert (null.pmf(inner + 50 * np.spacing(np.abs(inner))) == 0).all()


def test_arrays_keep_their_shape_scalars_stay_scalars_and_nan_is_answered_with_nan():
    null = cb.Draw(cb.Population(20, 6), 6).distribution("f1")
    x = np.linspace(0, 1, 6).reshape(2, 3)
    for verb in ("pmf", "logpmf", "cdf", "sf", "logsf", "tail", "logtail", "ppf"):
        found = getattr(null, verb)(x)
        assert found.shape == (2, 3)
        assert isinstance(getattr(null, verb)(0.5), float)
        assert math.isnan(getattr(null, verb)(math.nan))
        np.testing.assert_array_equal(found.ravel(), [getattr(null, verb)(float(v)) for v in x.ravel()])
    assert all(isinstance(number, float) for number in (null.mean(), null.var(), null.std()))
    assert all(isinstance(number, float) for number in (*null.support(), *null.interval(0.5)))


@pytest.mark.parametrize("name", ["f1", "g_mean", "mcc", "mutual_information", "precision_gain"])
def test_samples_have_the_distributions_moments_and_gaps(name):
    null = cb.Draw(cb.Population(40, 12), 9).distribution(name)
    sample = null.rvs(20_000, random_state=1)
    missing = np.isnan(sample)
    spread = math.sqrt(null.undefined_mass * (1 - null.undefined_mass) / 20_000)
    assert missing.mean() == pytest.approx(null.undefined_mass, abs=5 * spread)
    kept = sample[~missing]
    assert kept.mean() == pytest.approx(null.mean(), abs=5 * null.std() / math.sqrt(len(kept)))
    assert kept.var() == pytest.approx(null.var(), rel=0.1)
    values, _ = null.atoms()
    assert np.isin(np.round(kept, 12), np.round(values, 12)).all()


def test_samples_have_the_shape_asked_for_and_can_be_repeated():
    null = cb.Draw(cb.Population(40, 12), 9).distribution("f1")
    assert null.rvs((2, 3), random_state=0).shape == (2, 3)
    assert isinstance(null.rvs(random_state=np.random.RandomState(0)), float)
    for seed in (lambda: 7, lambda: np.random.default_rng(3)):
        np.testing.assert_array_equal(null.rvs(9, random_state=seed()), null.rvs(9, random_state=seed()))
    with pytest.raises(ValueError, match="random_state must be a seed"):
        null.rvs(3, random_state="zero")


def test_a_distribution_too_wide_to_list_says_so():
    null = cb.Draw(cb.Population(10**12, 5 * 10**11), 5 * 10**11).distribution("f1")
    with pytest.raises(ValueError, match=r"500,000,000,001 atoms, too many to list; ask pmf, cdf, sf"):
        null.atoms()
