"""Numbers of more or fewer bits than NumPy has."""

import array_api_strict as xs
import numpy as np
import polars as pl
import pytest

import clearbar as cb

Y = np.tile([0, 1], 20)
SCORES = np.linspace(0, 1, 40)


def wide(values):
    return pl.Series("p", values, dtype=pl.Int128)


def test_whole_numbers_of_128_bits_are_refused_in_a_sentence():
    for call in (
        lambda: cb.evaluate_scores(Y, wide(list(range(40)))),
        lambda: cb.count(wide(Y.tolist()), Y),
        lambda: cb.evaluate_frame(pl.DataFrame({"y": Y, "p": wide(Y.tolist())}), "y", y_score="p"),
    ):
        with pytest.raises(ValueError, match="could not be read"):
            call()


def test_bytes_are_still_no_scores():
    with pytest.raises(ValueError, match="must hold numbers, a score per sample; found"):
        cb.score(Y, np.zeros(40, dtype="V4"), "roc_auc")


def test_weights_are_added_up_where_whole_numbers_are_wide():
    heavy = np.full(40, 2**40)
    found = cb.count(xs.asarray(Y), xs.asarray(Y), sample_weight=heavy)
    assert found == cb.count(Y, Y, sample_weight=heavy)
    assert found.tp == 20 * 2**40
