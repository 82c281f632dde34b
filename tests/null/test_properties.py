"""What must hold of any law of any score under any draw, large or small."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import draws, large_populations, measures, members, own_measures

import clearbar as cb
from clearbar.null import exceedance_probability

pytestmark = pytest.mark.quick

ANY = st.one_of(measures(), members(), own_measures())
SHAPED = measures(lambda m: m.affine or m.better_with_tp or m.convex_in_tp)


def scores_of(null, shares):
    """Atoms, points between them and beyond both ends."""
    values, _ = null.atoms()
    if not len(values):
        return np.array([-1.0, 0.0, 1.0])
    picked = values[(np.array(shares) * (len(values) - 1)).astype(int)]
    width = max(float(values[-1] - values[0]), 1e-3)
    beyond = [values[0] - width, values[-1] + width]
    return np.sort(np.concatenate((picked, picked + width * 0.37 / len(values), beyond)))


shares = st.lists(st.floats(0, 1), min_size=1, max_size=6)


@settings(max_examples=80)
@given(draws(), ANY, shares)
def test_the_axioms_of_a_distribution(draw, measure, points):
    null = draw.distribution(measure)
    _, mass = null.atoms()
    whole = 1 - null.undefined_mass
    assert math.isclose(mass.sum(), whole, rel_tol=1e-12, abs_tol=1e-15)
    x = scores_of(null, points)
    below, above = null.cdf(x), null.sf(x)
    assert (np.diff(below) >= 0).all()
    np.testing.assert_allclose(below + above, whole, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(np.exp(null.logsf(x)), above, rtol=1e-11, atol=1e-300)
    strictly_below = null.cdf(x) - null.pmf(x)
    np.testing.assert_allclose(strictly_below + null.pmf(x) + above, whole, rtol=1e-12, atol=1e-15)


@settings(max_examples=25)
@given(draws(), ANY, shares)
def test_quantiles_undo_the_distribution_function(draw, measure, points):
    null = draw.distribution(measure)
    values, _ = null.atoms()
    if not len(values):
        return
    whole = 1 - null.undefined_mass
    picked = values[(np.array(points) * (len(values) - 1)).astype(int)]
    np.testing.assert_array_equal(null.ppf(null.cdf(picked) / whole * (1 - 1e-9)), picked)
    for q in points:
        at = null.ppf(q)
        assert null.cdf(at) >= q * whole * (1 - 1e-12) - 1e-15
        before = values[values < at]
        if q > 0 and len(before):
            assert null.cdf(before[-1]) < q * whole * (1 + 1e-12) + 1e-15


@settings(max_examples=25)
@given(large_populations(), SHAPED, st.floats(0, 1), st.lists(st.floats(-9, 9), min_size=1, max_size=5))
def test_the_axioms_hold_at_any_size(population, measure, theta, deviations):
    null = cb.Draw.from_theta(population, theta).distribution(measure)
    mean, sd = null.mean(), null.std()
    if not (math.isfinite(mean) and math.isfinite(sd)):
        return
    x = np.sort(mean + sd * np.array(deviations))
    below, above = null.cdf(x), null.sf(x)
    assert (np.diff(below) >= -1e-13).all()
    np.testing.assert_allclose(below + above, 1 - null.undefined_mass, rtol=1e-11, atol=1e-14)
    together = null.tail(x)
    np.testing.assert_allclose(together, [null.tail(float(one)) for one in x], rtol=1e-12, atol=0)


@settings(max_examples=25)
@given(st.lists(draws(), min_size=1, max_size=12), measures(), st.data())
def test_arrays_of_draws_reach_scores_as_each_does(several, measure, data):
    margins = [(d.population.total, d.population.positives, d.predicted_positives) for d in several]
    asked = data.draw(st.lists(st.floats(-1, 1), min_size=len(several), max_size=len(several)))
    fill = data.draw(st.sampled_from((math.nan, 0.0, 0.5)))
    together = exceedance_probability(measure, *np.array(margins).T, np.array(asked), fill=fill)
    one_by_one = [
        float(exceedance_probability(measure, *margin, score, fill=fill))
        for margin, score in zip(margins, asked, strict=True)
    ]
    np.testing.assert_allclose(together, one_by_one, rtol=1e-13, atol=0)
