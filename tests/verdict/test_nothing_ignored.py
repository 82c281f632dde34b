"""What is given is used, or refused in a sentence."""

from decimal import Decimal

import numpy as np
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

SIZES = cb.Population(100, 40)
LABELS = ["ham"] * 60 + ["spam"] * 40
RATES = {"sensitivity": 0.8, "specificity": 0.9}
CARD = cb.evaluate([0, 1] * 10, [0, 1] * 10, "f1")


@pytest.mark.parametrize(
    "call",
    [
        lambda y, label: cb.power(y, "f1", **RATES, pos_label=label),
        lambda y, label: cb.baseline(y, "f1", pos_label=label).value,
        lambda y, label: cb.baseline(y, "roc_auc", pos_label=label).value,
        lambda y, label: cb.baseline_scores(y, "log_loss", pos_label=label).value,
        lambda y, label: cb.p_value(0.5, y, "f1", pos_label=label),
        lambda y, label: cb.dutch_scaler(0.8, y, "f1", pos_label=label),
        lambda y, label: str(cb.dummies(y, "f1", pos_label=label)).replace("spam", "positive").split(),
    ],
)
def test_a_positive_label_is_for_labels(call):
    assert call(LABELS, "spam") == call(SIZES, None)
    with pytest.raises(
        ValueError, match=r"^pos_label='spam' is for labels; a Population has none, leave it out"
    ):
        call(SIZES, "spam")


@pytest.mark.parametrize("indent", ["abc", -1, 1.5, True])
def test_blanks_of_a_document_are_a_number(indent):
    with pytest.raises(ValueError, match=r"^indent must be a whole number from 0 up, or None; found "):
        CARD.to_json(indent)
    assert CARD.to_json(np.int64(2)).startswith('{\n  "')


@pytest.mark.parametrize("text", [b"5", "5"])
def test_bytes_and_text_are_no_numbers(text):
    mixed = np.empty(3, dtype=object)
    mixed[:] = [1, text, 3]
    for call in (
        lambda: cb.evaluate_regression(mixed, [1, 2, 3], "mae"),
        lambda: cb.evaluate_regression([1, 2, 3], mixed, "mae"),
        lambda: cb.evaluate_scores([0, 1, 1], mixed, "roc_auc"),
        lambda: cb.count([0, 1, 1], [0, 1, 1], sample_weight=mixed),
        lambda: cb.Counts(tp=mixed, fp=1, fn=1, tn=1),
        lambda: cb.evaluate_multiclass([0, 1, 2], np.stack([mixed] * 3), "top_2_accuracy"),
    ):
        with pytest.raises(ValueError, match=r"must (hold (whole )?numbers|be a matrix of scores)"):
            call()


def test_numbers_of_other_types_are_numbers():
    mixed = np.array([1, Decimal("2.5"), np.float32(3)], dtype=object)
    assert cb.score(mixed, [1, 2.5, 3], "mae") == 0
    assert cb.score([0, 1, 1], mixed, "roc_auc") == 1


def test_a_p_value_is_small_on_both_sides_and_says_so(capsys):
    from clearbar.cli import main

    bar = cb.baseline(SIZES, "f1")
    for score, outcome in ((0.9, "clears"), (0.1, "fails")):
        assert cb.p_value(score, SIZES, "f1") < 0.01
        assert bar.judge(score).outcome == outcome
    assert "two-sided" in cb.p_value.__doc__.splitlines()[0]
    assert main(["baseline", "--help"]) == 0
    assert "small far below the bar, too" in " ".join(capsys.readouterr().out.split())
