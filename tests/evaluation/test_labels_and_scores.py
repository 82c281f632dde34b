"""Measures of labels and of scores on one card: each row is that of a card of its own kind."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clearbar as cb
from clearbar.cli import main

pytestmark = pytest.mark.quick

RNG = np.random.default_rng(0)
Y = (RNG.random(90) < 0.4).astype(int)
SCORES = {"a": Y + RNG.normal(size=90), "b": RNG.normal(size=90)}
THREE = RNG.integers(0, 3, 90)
SHARES = RNG.dirichlet(np.ones(3), 90)
LABELS = {name: scores > 0.5 for name, scores in SCORES.items()}
NAMES = ["f1", "roc_auc", "mcc", "average_precision"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"by": np.arange(90) % 2}, marks=pytest.mark.slow),
        pytest.param({"clusters": np.arange(90) // 3}, marks=pytest.mark.slow),
    ],
)
def test_every_row_is_that_of_its_own_card(options):
    card = cb.evaluate(Y, LABELS, NAMES, y_score=SCORES, **options)
    own = [
        *cb.evaluate(Y, LABELS, ["f1", "mcc"], **options),
        *cb.evaluate(Y, SCORES, ["roc_auc", "average_precision"], **options),
    ]
    rows = {(row.model, row.group, row.measure.name): row for row in own}
    assert len(card) == len(rows)
    for row in card:
        other = rows[row.model, row.group, row.measure.name]
        for name in ("score", "low", "high", "skill", "p_value", "p_value_blind", "outcome"):
            value, wanted = getattr(row, name), getattr(other, name)
            assert value == wanted or (value != value and wanted != wanted), (row, name)  # noqa: PLR0124


def many(measures=("f1_macro", "log_loss"), **options):
    return cb.evaluate(THREE, SHARES.argmax(axis=1), list(measures), **{"y_score": SHARES, **options})


@pytest.mark.parametrize(
    "options", [{}, pytest.param({"by": np.arange(90) % 2, "labels": [0, 1, 2]}, marks=pytest.mark.slow)]
)
def test_three_classes_have_labels_and_probabilities_on_one_card(options):
    names = ["roc_auc_ovr", "f1_macro", "log_loss", "mcc"]
    models = {"a": SHARES, "b": SHARES[:, ::-1]}
    called = {name: shares.argmax(axis=1) for name, shares in models.items()}
    card = cb.evaluate(THREE, called, names, y_score=models, **options)
    assert [measure.name for measure in card.measures] == names
    own = [
        *cb.evaluate_multiclass(THREE, models, ["roc_auc_ovr", "log_loss"], **options),
        *cb.evaluate_multiclass(THREE, called, ["f1_macro", "mcc"], **options),
    ]
    rows = {(row.model, row.group, row.measure.name): row for row in own}
    assert len(card) == len(rows)
    for row in card:
        other = rows[row.model, row.group, row.measure.name]
        for name in ("score", "low", "high", "skill", "p_value", "p_value_blind", "outcome"):
            assert getattr(row, name) == getattr(other, name)
    assert len(card.per_class("f1", group=None)) == 6
    if not options:
        other = cb.evaluate_multiclass(THREE, models, "log_loss")
        assert card.compare("a", "b", "log_loss").p_value == other.compare("a", "b", "log_loss").p_value


def test_models_are_compared_by_either_and_what_does_not_fit_is_a_sentence():
    card = cb.evaluate(Y, LABELS, NAMES, y_score=SCORES, intervals=False)
    for name, data in {"f1": LABELS, "roc_auc": SCORES}.items():
        other = cb.evaluate(Y, data, name, intervals=False)
        assert card.compare("a", "b", name).p_value == other.compare("a", "b", name).p_value
    assert card.to_frame().shape[0] == 8
    for wrong, said in (
        (lambda: cb.evaluate(Y, LABELS, "f1", y_score=SCORES), "name measures of labels and of scores"),
        (lambda: cb.evaluate(Y, LABELS, y_score=SCORES), "name measures of labels and of scores"),
        (lambda: cb.evaluate(Y, LABELS["a"], NAMES, y_score=SCORES), "one run of the same models each"),
        (lambda: cb.evaluate(Y, LABELS, NAMES, y_score=SCORES, given=Y), "given is for labels alone"),
        (
            lambda: cb.evaluate(Y, LABELS, ["f1", "mae"], y_score=SCORES),
            r'"roc_auc"\]; found \[\'f1\', \'mae\'',
        ),
        (lambda: cb.evaluate(THREE, THREE, NAMES, y_score=SHARES), "of more than two classes; found"),
        (lambda: many(["f1_macro", "accuracy"]), "name measures of labels and of scores"),
        (lambda: many(pos_label=1), "pos_label|a binary measure needs two"),
        (lambda: many(y_score=SHARES[:, :2]), "y_score must hold a score of each of 90 samples"),
        (lambda: many(y_score=2 * SHARES), "y_score must hold probabilities whose rows add up to 1"),
        (lambda: many(y_score={"b": SHARES}), "models each; found 'model' in y_pred, 'b' in y_score"),
        (lambda: many(labels=[0, 1]), "labels lacks 2, which y_true holds"),
        (lambda: many(undefined="worst"), "undefined is for two classes"),
    ):
        with pytest.raises(ValueError, match=said):
            wrong()


def test_a_matrix_of_probabilities_needs_no_measure():
    card, named = cb.evaluate(THREE, SHARES), cb.evaluate_multiclass(THREE, SHARES)
    assert [row.measure.name for row in card] == ["log_loss", "brier_score", "roc_auc_ovr"]
    assert [row.score for row in card] == [row.score for row in named]
    assert len(cb.evaluate(THREE, {"a": SHARES, "b": SHARES[::-1]})) == 6


FRAME = {
    "y": Y,
    "c": THREE,
    "said": SHARES.argmax(axis=1),
    "pair": np.arange(90) // 2,
    "half": np.arange(90) % 2,
}
FRAME |= {f"called_{name}": calls for name, calls in LABELS.items()}
FRAME |= {f"p_{name}": scores for name, scores in SCORES.items()}
FRAME |= {f"share_{label}": SHARES[:, label] for label in range(3)}
CALLED, SCORED = ["called_a", "called_b"], ["p_a", "p_b"]
NAMED = {f"called_{name}": scores for name, scores in SCORES.items()}


def own_rows(card):
    names = ("model", "group", "score", "p_value", "p_value_blind", "outcome")
    return [[getattr(row, name) for name in names] for row in card]


@pytest.mark.parametrize("options", [{}, {"by": "half"}, {"clusters": "pair"}])
def test_columns_of_a_frame_are_judged_as_their_arrays_are(options):
    called = {name: FRAME[name] for name in CALLED}
    by_value = {name: FRAME[column] for name, column in options.items()}
    wanted = cb.evaluate(Y, called, NAMES, y_score=NAMED, **by_value)
    for frame in (pd.DataFrame(FRAME), pl.DataFrame(FRAME).lazy()):
        card = cb.evaluate_frame(frame, "y", CALLED, y_score=SCORED, measures=NAMES, **options)
        assert own_rows(card) == own_rows(wanted)


def test_a_frame_of_three_classes_has_a_column_of_probabilities_per_class():
    columns = [f"share_{label}" for label in range(3)]
    card = cb.evaluate_frame(
        pd.DataFrame(FRAME), "c", "said", y_score=columns, measures=["f1_macro", "log_loss"]
    )
    wanted = cb.evaluate(THREE, {"said": FRAME["said"]}, ["f1_macro", "log_loss"], y_score={"said": SHARES})
    assert own_rows(card) == own_rows(wanted)


def test_a_row_that_lacks_a_score_is_left_out_of_the_labels_too():
    frame = pd.DataFrame(FRAME)
    frame.loc[3, "p_a"] = np.nan
    asked = {"y_score": "p_a", "measures": ["f1", "roc_auc"]}
    with pytest.raises(
        ValueError, match=r"y_score \(column 'p_a'\) has 1 missing value|y_score has 1 missing"
    ):
        cb.evaluate_frame(frame, "y", "called_a", **asked)
    card = cb.evaluate_frame(frame, "y", "called_a", nulls="drop", **asked)
    kept = np.arange(90) != 3
    wanted = cb.evaluate(
        Y[kept], {"called_a": LABELS["a"][kept]}, ["f1", "roc_auc"], y_score={"called_a": SCORES["a"][kept]}
    )
    assert own_rows(card) == own_rows(wanted)
    assert card.notes[-1] == "1 row with a missing value left out."


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"y_score": "p_a"}, "y_score must name a column for each of y_pred, .*; found 1 beside 2"),
        (
            {"y_pred": "called_a", "y_score": SCORED},
            "of one model and more than two classes a column per class; found 2 beside 1",
        ),
        ({"y_score": None}, r"\(roc_auc .*\); judge each kind in .*, or give evaluate y_pred and y_score"),
        (
            {"y_score": SCORED, "weight": "half"},
            "labels and scores on one card take no weight; repeat the rows",
        ),
        ({"y_score": SCORED, "fold": "half"}, "take no fold; judge the folds as slices"),
        ({"y_score": ["y", "p_b"]}, "column 'y' is named by y_true and by y_score; name it once"),
    ],
)
def test_columns_that_do_not_fit_are_a_sentence(options, said):
    with pytest.raises(ValueError, match=said):
        cb.evaluate_frame(pd.DataFrame(FRAME), "y", **{"y_pred": CALLED, "measures": NAMES, **options})


def test_a_shell_names_columns_of_both(tmp_path, capsys):
    path = tmp_path / "both.csv"
    words = [str(path), "--y-true", "word", "--y-pred", "called_a", "--y-score", "p_a", "--pos-label", "yes"]
    columns = {**FRAME, "word": np.where(Y == 1, "yes", "no")}
    columns["called_a"] = np.where(LABELS["a"], "yes", "no")
    pl.DataFrame(columns).write_csv(path)
    assert main(["evaluate", *words, "--measure", "f1", "roc_auc", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    wanted = cb.evaluate(Y, LABELS["a"], ["f1", "roc_auc"], y_score=SCORES["a"])
    assert [row["p_value"] for row in rows] == [row.p_value for row in wanted]
    assert main(["check", *words]) == 0
    assert "MCC" in (out := capsys.readouterr().out)
    assert "ROC AUC" in out
    assert main(["evaluate", *words]) == 2
    assert "name measures of labels and of scores, as in --measure f1 roc_auc." in capsys.readouterr().err
    for wrong, said in (
        (words[:5], "in a call of its own, or name columns with both --y-pred and --y-score."),
        ([*words, "--fold", "half"], "take no --fold; judge the folds as slices, with --by."),
        (
            [*words, "--measure", "log_loss"],
            "columns of probabilities, or judge by --measure roc_auc average",
        ),
    ):
        assert main(["evaluate", *wrong, "--measure", "f1", "roc_auc"]) == 2
        assert said in capsys.readouterr().err
