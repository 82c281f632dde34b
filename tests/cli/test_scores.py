"""``--y-score``: columns of scores and probabilities, on the command line and in tables."""

import json

import numpy as np
import polars as pl
import pytest

import clearbar as cb

MEASURES = ["roc_auc", "average_precision", "log_loss", "max_f1"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(6)
    y = (rng.random(160) < 0.4).astype(int)
    old, new = (np.clip(rng.normal(0.4 + gap * y, 0.2), 0, 1).round(3) for gap in (0.1, 0.35))
    day, who = rng.integers(1, 4, 160), rng.integers(0, 40, 160)
    return pl.DataFrame({"y": y, "old": old, "new": new, "day": day, "who": who, "text": ["a", "b"] * 80})


@pytest.fixture(scope="module")
def path(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    frame.write_csv(path)
    return str(path)


@pytest.fixture(scope="module")
def columns(frame):
    return {name: frame[name].to_numpy() for name in frame.columns}


def rows(card):
    return json.dumps(card.to_dict()["rows"])


def two(columns):
    return {name: columns[name] for name in ("old", "new")}


@pytest.mark.slow
def test_a_table_of_scores_is_judged_as_its_columns_are(path, frame, columns):
    wanted = cb.evaluate_scores(columns["y"], two(columns), MEASURES, by=columns["day"])
    for source in (path, frame.to_arrow()):
        found = cb.evaluate_frame(source, "y", y_score=["old", "new"], by="day", measures=MEASURES)
        assert rows(found) == rows(wanted)


def test_clusters_folds_and_missing_values_of_scores(path, frame, columns):
    truth, new = columns["y"], {"new": columns["new"]}
    for given, wanted in (
        ({"clusters": "who"}, {"clusters": columns["who"]}),
        ({"fold": "day", "aggregate": "pooled"}, {"folds": columns["day"], "aggregate": "mean"}),
        ({"fold": "day", "aggregate": "mean"}, {"folds": columns["day"], "aggregate": "mean"}),
        ({"fold": "day", "aggregate": "merged"}, {"folds": columns["day"], "aggregate": "merged"}),
    ):
        found = cb.evaluate_frame(path, "y", y_score="new", measures="roc_auc", **given)
        assert rows(found) == rows(cb.evaluate_scores(truth, new, "roc_auc", **wanted))
    holes = frame.with_columns(pl.when(pl.int_range(pl.len()) % 8 != 0).then("new").alias("new"))
    with pytest.raises(ValueError, match=r"y_score .* has 20 missing values"):
        cb.evaluate_frame(holes, "y", y_score="new")
    kept = holes.drop_nulls()
    found = cb.evaluate_frame(holes, "y", y_score="new", measures="roc_auc", nulls="drop")
    assert found.notes[-1] == "20 rows with a missing value left out."
    model = {"new": kept["new"].to_numpy()}
    assert rows(found) == rows(cb.evaluate_scores(kept["y"].to_numpy(), model, "roc_auc"))
    small = cb.evaluate_frame(path, "y", y_score="new", by="day", min_support=60, intervals=False)
    assert len(small.groups) == 1 + (np.bincount(columns["day"]) >= 60).sum()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"y_pred": "old"},
            "y_score is given beside predicted labels: name measures of labels and of scores",
        ),
        ({"y_pred": "new"}, "column 'new' is named by y_pred and by y_score; name it once"),
        ({"threshold": 0.5}, "y_score and threshold cannot be combined"),
        ({"weight": "day"}, "y_score and weight cannot be combined; repeat the rows"),
        ({"y_score": "text"}, r"\(column 'text'\) must hold numbers, a score per sample; found String"),
        ({"measures": "f1"}, "measure 'f1' judges labels, not scores"),
    ],
)
def test_what_goes_with_labels_alone_is_refused(frame, options, says):
    with pytest.raises(ValueError, match=says):
        cb.evaluate_frame(frame, "y", **{"y_score": "new", **options})


def test_the_command_line_judges_gates_and_compares_scores(path, columns, run):
    words = (path, "--y-true", "y", "--y-score", "old", "new", "--measure")
    code, out, err = run("evaluate", *words, "roc_auc", "log_loss", "--json")
    assert (code, err) == (0, "")
    wanted = cb.evaluate_scores(columns["y"], two(columns), ["roc_auc", "log_loss"])
    assert json.loads(out)["rows"] == wanted.to_dict()["rows"]
    assert run("compare", *words, "roc_auc")[1] == f"{wanted.compare('old', 'new', 'roc_auc')}\n"
    code, out, _ = run("check", path, "--y-true", "y", "--y-score", "new")
    assert (code, out.startswith("✓ new  ROC AUC 0.")) == (0, True)
    assert "is worse than the bar" in run("check", *words, "log_loss")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--y-score new --measure f1", "'f1' judges labels, not scores; name columns of labels with "),
        ("--y-pred new --measure roc_auc", "name columns of scores with --y-score."),
        ("--y-score new --y-pred old", "name measures of labels and of scores, as in --measure f1 roc_auc."),
    ],
)
def test_the_command_line_says_what_goes_with_which_columns(path, refused, words, said):
    assert said in refused("evaluate", path, "--y-true", "y", *words.split())


@pytest.mark.parametrize(("command", "names"), [("evaluate", ["all"]), ("compare", ["roc_auc", "ALL"])])
def test_all_leaves_out_measures_of_probabilities_where_scores_are_none(command, names, run, tmp_path):
    (tmp_path / "wide.csv").write_text("y,old,new\n" + "1,-3,5\n0,2,-4\n1,7,6\n0,1,3\n" * 5)
    words = (tmp_path / "wide.csv", "--y-true", "y", "--y-score", "old", "new", "--json", "--measure")
    code, out, err = run(command, *words, *names)
    assert (code, err) == (0, "")
    assert "average_precision" in out
    assert "log_loss" not in out
