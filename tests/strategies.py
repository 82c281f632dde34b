"""Random populations, draws, measures and users' own measures for the property tests."""

import hypothesis.strategies as st
import numpy as np
import pytest

import clearbar as cb

MEASURES = cb.measures()

ARCHETYPES = {
    *("accuracy", "f1", "fnr", "mcc", "g_mean", "precision", "markedness", "optimized_precision"),
    *("diagnostic_odds_ratio", "prevalence_threshold", "chi2", "frequency_bias", "kulczynski2"),
}
"""Affine, curved and kinked ones, losses, what is infinite or often has no value, what has no better end."""


def archetypes_first(each):
    """Parameters of a test of every measure: those that are no archetypes are slow."""
    return [
        pytest.param(one, id=str(one), marks=[pytest.mark.slow] * (str(one) not in ARCHETYPES))
        for one in each
    ]


@st.composite
def populations(draw, largest=40):
    """Populations, the one-sided ones included."""
    total = draw(st.integers(1, largest))
    return cb.Population(total, draw(st.integers(0, total)))


@st.composite
def large_populations(draw, largest=10**12):
    """Populations of any size, the rare classes as likely as the balanced ones."""
    total = draw(st.integers(2, largest))
    rare = draw(st.one_of(st.integers(1, min(6, total - 1)), st.integers(1, total - 1)))
    return cb.Population(total, draw(st.sampled_from((rare, total - rare))))


@st.composite
def draws(draw, population=None):
    """A population and a number of predicted positives."""
    found = draw(populations() if population is None else population)
    return cb.Draw(found, draw(st.integers(0, int(found.total))))


def measures(only=lambda measure: True):  # noqa: ARG005 - takes everything
    """Measures of the catalogue."""
    return st.sampled_from([measure for measure in MEASURES if only(measure)])


def members():
    """Measures of the families, with parameters of their own."""
    numbers = st.floats(0.1, 9).map(lambda x: round(x, 2))
    return st.one_of(
        st.builds(lambda beta: cb.get_measure("fbeta", beta=beta), numbers),
        st.builds(lambda a, b: cb.get_measure("tversky", alpha=a, beta=b), numbers, numbers),
        st.builds(lambda w: cb.get_measure("weighted_accuracy", w=w / 10), numbers),
        st.builds(lambda w: cb.get_measure("net_benefit", w=w), numbers),
        st.builds(lambda a, b: cb.get_measure("expected_cost", c_fn=a, c_fp=b), numbers, numbers),
        st.builds(lambda a: cb.get_measure("iba", alpha=a / 10), numbers),
    )


@st.composite
def own_measures(draw):
    """A measure nobody has thought of: a random number for every table, some of them missing."""
    seed = draw(st.integers(0, 2**32 - 1))
    missing = draw(st.sampled_from((0.0, 0.1)))

    def function(tp, fp, fn, tn):
        code = tp * 7919 + fp * 104729 + fn * 1299709 + tn * 15485863 + seed
        noise = np.modf(np.sin(code) * 43758.5453)[0]
        return np.where(np.abs(noise) < missing, np.nan, np.round(noise, 2))

    return cb.Measure(f"own_{seed}", function, greater_is_better=draw(st.booleans()))


policies = st.sampled_from(("exclude", "worst", 0.0, 1.0, -0.5))
