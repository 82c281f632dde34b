"""Table 4 of van de Bijl et al., The Dutch Draw (arXiv 2203.13084), and the bars at 10 positives of 100.

Tables 1 to 5 as printed stand in examples/papers; test_pages.py holds what the scripts there find.
"""

import json
import math
from pathlib import Path

import pytest
from tests.oracle.bars import as_set

import clearbar as cb

pytestmark = pytest.mark.slow


def test_the_shares_of_an_optimum_round_to_it():
    """Table 4 states them as intervals: half a sample to either side, half-open but for 1."""
    bar = cb.baseline(cb.Population(10, 3), "f1")
    assert bar.max.theta_star == ((1.0, 1.0),)
    assert bar.max.theta == ((0.95, 1.0),)
    assert bar.min.theta_star == ((0.1, 0.1),)
    assert bar.min.theta == ((0.05, 0.15),)
    kappa = cb.baseline(cb.Population(10, 10), "kappa")
    assert kappa.max.theta == ((0.0, 0.95),)
    assert kappa.max.theta_star == ((0.0, 0.9),)


BARS = json.loads((Path(__file__).parents[1] / "reference" / "bars_100_10.json").read_text("utf-8"))


@pytest.mark.parametrize("name", BARS)
def test_every_bar_at_10_positives_of_100_is_the_brute_force_one(name):
    """Two programs tried every k: the design's prototype, and tests/reference/make_bars.py."""
    value, draws = BARS[name]
    bar = cb.baseline(cb.Population(100, 10), name)
    side = bar.min if bar.measure.greater_is_better is False else bar.max
    if value is None:
        assert math.isnan(side.value)
        assert "undefined" in bar.reason
        return
    assert float(f"{side.value:.4g}") == float(value)
    assert as_set(side.predicted_positives) == [k for first, last in draws for k in range(first, last + 1)]
