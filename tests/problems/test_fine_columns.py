"""A column that a bar may see must have values with samples enough: else the bar is high by chance alone."""

from __future__ import annotations

import numpy as np
import pytest

import clearbar as cb

RNG = np.random.default_rng(3)
Y = RNG.normal(size=146)


def test_a_continuous_column_is_refused_in_one_sentence():
    """60 numbers in 146 samples that know nothing of the targets took 41 % of the variance."""
    column = RNG.permutation(np.resize(np.arange(60) + 0.5, 146))
    said = (
        r"^given holds 60 different numbers for 146 samples.* 40\.7 % of a variance.*numpy\.digitize[^\n]*$"
    )
    with pytest.raises(ValueError, match=said):
        cb.evaluate_regression(Y, Y + 1, "r2", given=column)
    with pytest.raises(ValueError, match="high by chance alone"):
        cb.baseline_regression(Y, "mae", given=column.astype(int))
    with pytest.raises(ValueError, match="high by chance alone"):
        cb.evaluate(Y > 0, Y > 1, "accuracy", given=column.astype(int).astype(str))
    bins = np.digitize(column, np.quantile(column, [0.25, 0.5, 0.75]))
    assert cb.baseline_regression(Y, "r2", given=bins).value < 0.1


def test_ten_samples_for_each_value_are_enough_and_their_bar_is_what_random_groups_take():
    """The mean bar of R² over random columns of k values is (k - 1)/(n - 1), at most a tenth."""
    column = np.resize(np.arange(14), 146)
    bars = [cb.baseline_regression(Y, "r2", given=RNG.permutation(column)).value for _ in range(300)]
    error = np.std(bars) / np.sqrt(len(bars))
    assert np.mean(bars) == pytest.approx(13 / 145, abs=5 * error)
    assert 13 / 145 < 0.1


def test_a_slice_with_too_few_samples_for_the_column_has_no_bar():
    where = np.where(np.arange(146) < 120, "large", "small")
    card = cb.evaluate_regression(Y, Y + 0.1, "mae", given=np.resize(np.arange(12), 146), by=where)
    assert {v.group: v.outcome for v in card} == {None: "clears", "large": "clears", "small": "undefined"}
    reason = next(v.reason for v in card if v.group == "small")
    assert reason == "MAE has no bar here: the column has 12 values for 26 samples, and needs ten for each"
