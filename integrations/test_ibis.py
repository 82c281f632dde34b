"""Tables of databases behind ibis are counted where they live, and say what pandas says."""

import ibis
import numpy as np
import pandas as pd
import pytest

import clearbar as cb

RNG = np.random.default_rng(8)
Y = RNG.random(3000) < 0.4
TREE = np.where(RNG.random(3000) < 0.8, Y, ~Y)
FRAME = pd.DataFrame(
    {
        "y": Y.astype(int),
        "tree": TREE.astype(int),
        "coin": RNG.integers(0, 2, 3000),
        "proba": np.where(TREE, 0.6 + RNG.random(3000) * 0.4, RNG.random(3000) * 0.5),
        "country": RNG.choice(["nl", "de", "fr"], 3000),
        "label": np.where(Y, "spam", "ham"),
        "said": np.where(TREE, "spam", "ham"),
        "times": np.arange(3000) % 4,
        "animal": RNG.choice(["cat", "cow", "dog"], 3000),
        "called": RNG.choice(["cat", "cow", "dog"], 3000),
        "gap": [None if row % 100 == 0 else float(p) for row, p in enumerate(TREE)],
    }
)
QUESTIONS = {
    "wide": {"y_pred": ["tree", "coin"]},
    "slices": {"y_pred": ["tree", "coin"], "by": "country", "min_support": 100},
    "folds": {"y_pred": "tree", "fold": "country"},
    "weights": {"y_pred": "tree", "by": "country", "weight": "times"},
    "probabilities": {"y_pred": "proba", "by": "country", "threshold": 0.5},
    "missing": {"y_pred": "gap", "by": "country", "nulls": "drop"},
    "text": {"y_true": "label", "y_pred": "said", "pos_label": "spam"},
    "classes": {"y_true": "animal", "y_pred": "called", "kind": "multiclass", "measures": "f1_macro"},
    "scores": {"y_score": "proba", "measures": "roc_auc"},
}


@pytest.fixture(scope="module", params=["duckdb", "sqlite"])
def table(request, tmp_path_factory):
    database = getattr(ibis, request.param).connect(tmp_path_factory.mktemp("data") / "predictions.db")
    return database.create_table("predictions", ibis.memtable(FRAME))


def rows(frame, question):
    options = {"y_true": "y", "measures": "mcc", "intervals": False, **question}
    return cb.evaluate_frame(frame, **options).to_dict()["rows"]


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_database_says_what_pandas_says(table, name):
    assert rows(table, QUESTIONS[name]) == rows(FRAME, QUESTIONS[name])


def test_a_column_that_is_not_there_is_named(table):
    with pytest.raises(ValueError, match="nowhere"):
        rows(table, {"y_pred": "nowhere"})
