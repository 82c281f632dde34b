"""Names of classes that a terminal or a spreadsheet would obey, wherever they are shown."""

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest

import clearbar as cb
from clearbar.formatting import comma_separated

HOSTILE = "\x1b[31mX\x1b]0;t\x07\r\u202e\x9b2J\x08\u2066\x00\x7f\u2028\ud800"
RAW = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
CLASSES = np.array([f"{letter}{HOSTILE}" for letter in "abc"], dtype=object)
rng = np.random.default_rng(0)
TRUTH = CLASSES[rng.integers(0, 3, 30)]
GUESS = np.where(rng.random(30) < 0.5, TRUTH, CLASSES[0])
SETS = [set(CLASSES[rng.random(3) < 0.6]) for _ in range(30)]
SLICES = [f"g{HOSTILE}", "h"] * 15
SAID = [{CLASSES[0]}, *SETS[1:]]


def shown(card, place):
    """Return whatever a card shows as text."""
    card.to_html(place)
    texts = [str(card), repr(card), card.to_text(most=None), card.to_markdown(), card.to_latex()]
    texts += [card.to_csv(), card._repr_html_(), place.read_text("utf-8")]
    texts += [card.explain(measure, model=card.models[0]) for measure in card.measures]
    for verdict in card:
        bar = verdict.baseline
        texts += [str(verdict), repr(verdict), str(bar), repr(bar), bar.recipe]
    return texts


CARDS = {
    "many classes": lambda: cb.evaluate_multiclass(TRUTH, {f"m{HOSTILE}": GUESS}, by=SLICES),
    "class by class": lambda: cb.evaluate_multiclass(TRUTH, GUESS, intervals=False).per_class(),
    "sets of labels": lambda: cb.evaluate_multilabel(SETS, {f"m{HOSTILE}": SAID}, intervals=False),
    "label by label": lambda: cb.evaluate_multilabel(SETS, SAID, intervals=False).per_label(),
    "folds": lambda: cb.evaluate_folds(TRUTH, GUESS, SLICES, "f1_macro"),
    "two classes": lambda: cb.evaluate(CLASSES[0] == TRUTH, {f"m{HOSTILE}": CLASSES[0] == GUESS}, "f1"),
}


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, id=name, marks=[pytest.mark.slow] * name.endswith((" by class", " by label")))
        for name, make in CARDS.items()
    ],
)
def test_no_control_character_leaves_with_a_card(make, tmp_path):
    raw = [match[0] for text in shown(make(), tmp_path / "card.html") for match in RAW.finditer(text)]
    assert not raw, set(map(ascii, raw))


def test_nor_with_bars_sizes_dummies_and_errors():
    texts = [str(cb.ClassSizes.from_labels(TRUTH)), str(cb.ConfusionMatrix.from_labels(TRUTH, GUESS))]
    for bar in (
        *(cb.baseline_multiclass(TRUTH, name) for name in ("accuracy", "f1_macro", "mcc")),
        *(cb.baseline_multilabel(SETS, name) for name in ("subset_accuracy", "f1_micro", "f1_samples")),
    ):
        texts += [str(bar), bar.recipe, str(bar.attained_by), bar.attained_by.habit]
    texts.append(str(cb.dummies(TRUTH, "accuracy")))
    for wrong in (
        lambda: cb.evaluate_multiclass(TRUTH, GUESS, labels=[CLASSES[0]]),
        lambda: cb.evaluate(TRUTH, GUESS, pos_label=HOSTILE),
        lambda: cb.evaluate_frame(pd.DataFrame({HOSTILE[:-1]: [1, 0]}), "y", "p"),
        lambda: cb.ClassSizes.from_labels(TRUTH)[HOSTILE],
    ):
        with pytest.raises((ValueError, KeyError)) as refused:
            wrong()
        texts.append(str(refused.value))
    raw = [match[0] for text in texts for match in RAW.finditer(text)]
    assert not raw, set(map(ascii, raw))


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("x;=1+1;y", '"x;\'=1+1;y"'), (";=1", '";\'=1"'), ("a,b", '"a,b"'), ('say "no"', '"say ""no"""'),
        ("a;b", '"a;b"'), ("1;-5", '"1;-5"'), ("a\t=1", "a\\t=1"), ("-5", "-5"), ("=1", "'=1"),
    ],
)  # fmt: skip
def test_a_spreadsheet_of_another_separator_has_no_formula_to_obey(given, written):
    text = comma_separated(["name", "n"], [[given, 1.5]])
    assert text == f"name,n\n{written},1.5\n"
    harmless = next(csv.reader(io.StringIO(text.splitlines()[1])))[0]
    for separator in ";\t":
        for cell in harmless.split(separator):
            assert not re.match(r"\s*[=+\-@]", cell) or re.fullmatch(r"-\d+", cell)


def test_numbers_stay_numbers():
    values = [0.1, np.float64(1e-17), 3, np.int64(-4), True, float("inf"), float("nan"), None]
    assert comma_separated(["n"], [values]) == "n\n0.1,1e-17,3,-4,True,inf,,\n"
