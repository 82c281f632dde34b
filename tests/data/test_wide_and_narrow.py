"""Numbers of more or fewer bits than NumPy has."""

from types import SimpleNamespace

import array_api_strict as xs
import numpy as np
import polars as pl
import pytest

import clearbar as cb
from clearbar.data.scores import numeric

Y = np.tile([0, 1], 20)
SCORES = np.linspace(0, 1, 40)


class Bfloat16:
    """Stands for an array of ml_dtypes' bfloat16: NumPy calls it void, and can make float32 of it."""

    dtype = SimpleNamespace(kind="V", name="bfloat16")

    def astype(self, kind):
        assert kind is np.float32
        return SCORES.astype(kind)


def wide(values):
    return pl.Series("p", values, dtype=pl.Int128)


def test_whole_numbers_of_128_bits_are_labels_scores_targets_and_slices():
    assert cb.count(wide(Y.tolist()), wide(Y.tolist())) == cb.count(Y, Y)
    ranks = list(range(40))
    assert cb.evaluate_scores(Y, wide(ranks), "roc_auc")[0].score == cb.score(Y, ranks, "roc_auc")
    assert cb.score(wide(ranks), wide(ranks[::-1]), "mae") == cb.score(ranks, ranks[::-1], "mae")
    assert cb.evaluate(Y, Y, "f1", by=wide(Y.tolist())).groups == (None, 0, 1)
    frame = pl.DataFrame({"y": wide(Y.tolist()), "p": wide(ranks)})
    found = cb.evaluate_frame(frame, "y", y_score="p", measures="roc_auc")[0]
    assert found.score == cb.score(Y, ranks, "roc_auc")


def test_what_64_bits_do_not_hold_is_refused_with_what_does():
    large = wide([2**70, *range(39)])
    for call in (
        lambda: cb.evaluate_scores(Y, large),
        lambda: cb.count(large, Y),
        lambda: cb.evaluate_frame(pl.DataFrame({"y": Y, "p": large}), "y", y_score="p"),
    ):
        with pytest.raises(ValueError, match=r"holds whole numbers beyond 64 bits, .*or labels as text"):
            call()


def test_bfloat16_is_read_through_float32():
    np.testing.assert_array_equal(numeric(Bfloat16(), "y_score"), SCORES.astype(np.float32))


def test_bytes_are_still_no_scores():
    with pytest.raises(ValueError, match="must hold numbers, a score per sample; found"):
        cb.score(Y, np.zeros(40, dtype="V4"), "roc_auc")


def test_weights_are_added_up_where_whole_numbers_are_wide():
    heavy = np.full(40, 2**40)
    found = cb.count(xs.asarray(Y), xs.asarray(Y), sample_weight=heavy)
    assert found == cb.count(Y, Y, sample_weight=heavy)
    assert found.tp == 20 * 2**40
