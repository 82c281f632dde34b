"""``--y-score``: columns of scores and probabilities, on the command line and in tables."""

import json

import numpy as np
import polars as pl
import pytest

import clearbar as cb


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(6)
    y = (rng.random(160) < 0.4).astype(int)
    old, new = (np.clip(rng.normal(0.4 + gap * y, 0.2), 0, 1).round(3) for gap in (0.1, 0.35))
    frame = pl.DataFrame(
        {
            "y": y,
            "old": old,
            "new": new,
            "day": rng.integers(1, 4, 160),
            "who": rng.integers(0, 40, 160),
            "text": ["a", "b"] * 80,
        }
    )
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    frame.write_csv(path)
    return str(path), frame


MEASURES = ["roc_auc", "average_precision", "log_loss", "brier_score"]


def rows(card):
    return json.dumps(card.to_dict()["rows"])


def test_a_table_of_scores_is_judged_as_its_columns_are(table):
    path, frame = table
    truth, models = frame["y"].to_numpy(), {name: frame[name].to_numpy() for name in ("old", "new")}
    wanted = cb.evaluate_scores(truth, models, MEASURES, by=frame["day"].to_numpy())
    for source in (path, frame, frame.to_pandas(), frame.to_arrow()):
        found = cb.evaluate_frame(source, "y", y_score=["old", "new"], by="day", measures=MEASURES)
        assert rows(found) == rows(wanted)
    assert cb.evaluate_frame(path, "y", y_score="new", intervals=False).measures == (
        cb.evaluate_scores(truth, models["new"], intervals=False).measures
    )


def test_clusters_folds_and_missing_values_of_scores(table):
    path, frame = table
    truth, new = frame["y"].to_numpy(), {"new": frame["new"].to_numpy()}
    by_group = cb.evaluate_frame(frame, "y", y_score="new", clusters="who", measures="roc_auc")
    assert rows(by_group) == rows(cb.evaluate_scores(truth, new, "roc_auc", clusters=frame["who"].to_numpy()))
    for way, wanted in (("pooled", "mean"), ("mean", "mean"), ("merged", "merged")):
        found = cb.evaluate_frame(path, "y", y_score="new", fold="day", measures="roc_auc", aggregate=way)
        days = frame["day"].to_numpy()
        assert rows(found) == rows(cb.evaluate_scores(truth, new, "roc_auc", folds=days, aggregate=wanted))
    every_eighth = pl.int_range(pl.len()) % 8 == 0
    holes = frame.with_columns(pl.when(~every_eighth).then("new").alias("new"))
    with pytest.raises(ValueError, match=r"y_score .* has 20 missing values"):
        cb.evaluate_frame(holes, "y", y_score="new")
    kept = holes.drop_nulls()
    found = cb.evaluate_frame(holes, "y", y_score="new", measures="roc_auc", nulls="drop")
    assert found.notes[-1] == "20 rows with a missing value left out."
    model = {"new": kept["new"].to_numpy()}
    assert rows(found) == rows(cb.evaluate_scores(kept["y"].to_numpy(), model, "roc_auc"))
    small = cb.evaluate_frame(path, "y", y_score="new", by="day", min_support=60, intervals=False)
    sizes = frame["day"].value_counts().filter(pl.col("count") >= 60)
    assert len(small.groups) == 1 + len(sizes)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"y_pred": "old"}, "y_score and y_pred cannot be combined"),
        ({"threshold": 0.5}, "y_score and threshold cannot be combined"),
        ({"undefined": "worst"}, "y_score and undefined cannot be combined"),
        ({"weight": "day"}, "y_score and weight cannot be combined; repeat the rows"),
        ({"model": "day"}, "y_score and model cannot be combined; give each model a column of its own"),
        (
            {"y_score": "text"},
            r"y_score \(column 'text'\) must hold numbers, a score per sample; found String",
        ),
        ({"y_score": "y"}, "column 'y' is named by y_true and by y_score"),
        ({"measures": "f1"}, "measure 'f1' judges labels, not scores"),
        ({"aggregate": "merged"}, "aggregate='merged' is about folds"),
    ],
)
def test_what_goes_with_labels_alone_is_refused(table, options, says):
    with pytest.raises(ValueError, match=says):
        cb.evaluate_frame(table[1], "y", **{"y_score": "new", **options})


def test_the_command_line_judges_scores(table, run):
    path, frame = table
    words = ("evaluate", path, "--y-true", "y", "--y-score", "old", "new")
    models = {name: frame[name].to_numpy() for name in ("old", "new")}
    code, out, err = run(*words, "--measure", *MEASURES, "max_f1", "--json")
    assert (code, err) == (0, "")
    wanted = cb.evaluate_scores(frame["y"].to_numpy(), models, [*MEASURES, "max_f1"])
    assert json.loads(out)["rows"] == wanted.to_dict()["rows"]


def test_the_gate_takes_roc_auc_and_says_better_and_worse_of_losses(table, run):
    path, _ = table
    words = ("check", path, "--y-true", "y", "--y-score")
    code, out, _ = run(*words, "new")
    assert code == 0
    assert out.startswith("✓ new  ROC AUC 0.")
    assert "is worse than the bar" in run(*words, "old", "--measure", "log_loss")[1]


def test_models_are_compared_by_scores(table, run):
    path, frame = table
    words = ("compare", path, "--y-true", "y", "--y-score", "old", "new", "--measure", "roc_auc")
    models = {name: frame[name].to_numpy() for name in ("old", "new")}
    card = cb.evaluate_scores(frame["y"].to_numpy(), models, "roc_auc", intervals=False)
    assert run(*words)[1] == f"{card.compare('old', 'new', 'roc_auc')}\n"


def test_the_command_line_says_what_goes_with_which_columns(table, refused):
    path, _ = table
    base = ("evaluate", path, "--y-true", "y")
    assert refused(*base, "--y-score", "new", "--measure", "f1") == (
        "measure 'f1' judges labels, not scores; name columns of labels with --y-pred, or probabilities "
        "there and add --threshold 0.5, or max_f1 for the best threshold."
    )
    assert refused(*base, "--y-pred", "new", "--measure", "roc_auc").endswith(
        "name columns of scores with --y-score."
    )
    assert refused(*base, "--y-score", "new", "--y-pred", "old").startswith(
        "--y-score and --y-pred cannot be"
    )
    assert refused(*base, "--y-score", "ne").endswith("Did you mean --y-score new?")
    assert refused(
        *base, "--y-score", "text"
    ) == "column 'text' must hold numbers; scores.csv has 'a'.".replace("scores.csv", path)


@pytest.mark.parametrize(("command", "names"), [("evaluate", ["all"]), ("compare", ["roc_auc", "ALL"])])
def test_all_leaves_out_measures_of_probabilities_where_scores_are_none(command, names, run, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("y,old,new\n" + "1,-3,5\n0,2,-4\n1,7,6\n0,1,3\n" * 5)
    words = (command, path, "--y-true", "y", "--y-score", "old", "new", "--json", "--measure", *names)
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert "average_precision" in out
    assert "log_loss" not in out
