"""A scorecard knows the call that made it, and messages name calls that can be made."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import clearbar as cb
from clearbar.cli import main

pytestmark = pytest.mark.quick

THREE = np.tile([0, 1, 2], 30)
PROBABILITIES = np.random.default_rng(1).dirichlet([1, 1, 1], 90)
PROBABILITIES[np.arange(90), THREE] += 1
PROBABILITIES /= 2


def refusal(function, *args, **options):
    with pytest.raises(ValueError, match=r"\.$") as refused:
        function(*args, **options)
    return str(refused.value)


@pytest.mark.parametrize("measure", ["roc_auc", "average_precision"])
def test_probabilities_of_three_classes_are_sent_to_what_judges_them(measure):
    for function in (cb.evaluate, cb.evaluate_scores):
        said = refusal(function, THREE, PROBABILITIES, measure)
        assert "y_true holds three labels" in said
        assert said.endswith(
            "Scores are judged one class at a time: pass y_true == label and its scores, or judge the label "
            "of the highest score by evaluate_multiclass, or a column of each class by roc_auc_ovr."
        )
    for said in (
        refusal(cb.evaluate_multiclass, THREE, PROBABILITIES, measure),
        refusal(cb.baseline_multiclass, THREE, measure),
    ):
        assert said.endswith(
            f"judge one class at a time: evaluate_scores(y_true == label, its scores, {measure!r})."
        )
    assert "one class at a time" in refusal(cb.baseline, THREE, measure)
    # Both ways out are open.
    assert cb.evaluate_scores(THREE == 0, PROBABILITIES[:, 0], measure)[0].outcome == "clears"
    assert cb.evaluate_multiclass(THREE, PROBABILITIES.argmax(axis=1), "accuracy")[0].outcome == "clears"


def test_the_command_line_says_it_in_options(tmp_path, capsys):
    pd.DataFrame({"y": THREE, "p": PROBABILITIES[:, 0], "q": THREE % 2 + 0.5}).to_csv(tmp_path / "p.csv")
    assert main(["evaluate", str(tmp_path / "p.csv"), "--y-true=y", "--y-score=p", "--measure=log_loss"]) == 2
    assert capsys.readouterr().err.endswith(
        "a column for each of 3 classes (0, 1 and 2), in the order of --labels; found 1.\n"
    )
    assert main(["evaluate", str(tmp_path / "p.csv"), "--y-true=y", "--y-score=p", "--measure=roc_auc"]) == 2
    assert capsys.readouterr().err.endswith(
        "Turn it into one class against the rest first, and name the column of that class's scores.\n"
    )
    assert main(["evaluate", str(tmp_path / "p.csv"), "--y-true=y", "--y-pred=q"]) == 2
    said = capsys.readouterr().err
    assert "evaluate_regression" not in said
    assert "such as --measure mae" in said


def test_numbers_are_sent_to_the_measures_of_numbers():
    counts = np.random.default_rng(2).poisson(12, 200)
    for function in (cb.evaluate, cb.evaluate_multiclass):
        assert "Numbers are judged by evaluate_regression" in refusal(function, counts, counts + 0.5)
    card = cb.evaluate(counts, counts[::-1], "accuracy", intervals=False)
    assert (
        f"The {len(set(counts.tolist()))} different numbers of y_true and y_pred are taken for classes; "
        "counts and other amounts are judged by evaluate_regression."
    ) in card.notes
    digits = np.tile(np.arange(10), 9)
    for few in (
        cb.evaluate(digits, digits, "accuracy"),
        cb.evaluate_multiclass(counts, counts, "accuracy", intervals=False),
        cb.evaluate(list("abcdefghijklm"), list("abcdefghijklm"), "accuracy"),
    ):
        assert "taken for classes" not in "".join(few.notes)


def test_a_third_predicted_label_is_sent_to_many_classes():
    said = refusal(cb.evaluate, [0, 1, 0, 1], [0, 2, 0, 1])
    assert said.endswith("Map 2 in y_pred to 0 or 1, or judge all classes by evaluate_multiclass.")
    assert len(cb.evaluate_multiclass([0, 1, 0, 1], [0, 2, 0, 1])) == 5
    assert "evaluate_multiclass" not in refusal(cb.evaluate, [0, 1, 0, 1], ["0", "1", "1", "1"])


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
