"""A scorecard remembers the call that made it."""

import copy
import pickle

import numpy as np
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

Y, GUESS = [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1]
MODELS = {"a": GUESS, "b": GUESS}
COST = cb.Measure("cost", lambda tp, fp, fn, tn: fp + fn, greater_is_better=False)  # noqa: ARG005


def test_options_are_written_out_and_data_by_name():
    own = cb.evaluate(np.array(Y), MODELS, ["f1", cb.get_measure("mcc")], by=Y, intervals=False)
    mine = cb.evaluate_counts(cb.Counts(tp=3, fp=1, fn=1, tn=3), COST, undefined=0.0)
    for card, call in (
        (cb.evaluate(Y, y_pred=GUESS, measures="f1"), "evaluate(y_true, y_pred, 'f1')"),
        (own, "evaluate(y_true, {'a': ..., 'b': ...}, ['f1', 'mcc'], by=by, intervals=False)"),
        (mine, "evaluate_counts(counts, <Measure cost>, undefined=0.0)"),
        (cb.evaluate(Y, {"x" * 500: GUESS}), f"evaluate(y_true, {{'{'x' * 40}…{'x' * 39}': ...}})"),
    ):
        assert card.call == f"clearbar.{call}"


def test_it_is_no_part_of_what_is_compared_and_survives_a_pickle():
    one, other = cb.evaluate(Y, GUESS, "f1"), cb.evaluate(Y, GUESS, ["f1"])
    assert one.call != other.call
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)).call == copy.deepcopy(one).call == one.call  # noqa: S301


def test_what_cannot_be_called_fails_as_it_did():
    with pytest.raises(TypeError, match=r"^evaluate\(\) got an unexpected keyword argument 'positive'$"):
        cb.evaluate(Y, GUESS, positive=1)
