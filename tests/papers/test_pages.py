"""The list of papers.md: what a line names runs, and differs from print by as much as it says."""

import csv
import importlib
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.metrics import f1_score, roc_auc_score

pytestmark = pytest.mark.slow

mpl.use("Agg")
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text("utf-8")
LINES = re.findall(r"^\| (.+?) \| (?:`([\w.]+)`(?:: (.+?))?|–) \| (.+?) \| (.*?) ?\|$", PAGE, re.MULTILINE)


def script(name):
    return importlib.import_module(f"examples.papers.{name}")


def test_the_list_names_every_script_and_says_why_an_item_is_missing():
    assert len(LINES) == sum(line.startswith("| ") for line in PAGE.splitlines()) - PAGE.count("| item |")
    named = {made_by.partition(".")[0] for _, made_by, *_ in LINES if made_by}
    folder = ROOT / "examples" / "papers"
    assert named == {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    assert all(made_by or remark for _, made_by, _, _, remark in LINES)


@pytest.mark.parametrize(
    ("made_by", "item", "difference"),
    [pytest.param(*line[1:4], id=line[0]) for line in LINES if line[1]],
)
def test_an_item_comes_out_as_its_line_says(made_by, item, difference):
    module, _, part = made_by.partition(".")
    made = getattr(script(module), part or "table")()
    assert made
    if isinstance(made, plt.Figure):
        made.canvas.draw()
        plt.close(made)
    if part or not hasattr(script(module), "difference"):
        assert difference == "–"
    else:
        assert script(module).difference(item) == difference
        assert not re.search(" differs$", made, re.MULTILINE)


@pytest.mark.parametrize(
    ("page", "name"), [("papers.md", "classifiers"), ("open_questions.md", "open_questions")]
)
def test_the_page_shows_what_the_script_prints(page, name):
    text = (ROOT / "docs" / page).read_text("utf-8")
    assert f"```text\n{script(name).table()}\n```\n\n`python -m examples.papers.{name}`" in text


def test_no_claim_fails_but_the_one_that_is_refuted():
    text = (ROOT / "docs" / "open_questions.md").read_text("utf-8")  # compared with the script above
    table = text[text.index("claim  ") : text.index("```\n\n`python")]
    counted = dict(re.findall(r"^(.+?) \([^()]*\d[^()]*\) +[\d,]+ +(\d+)$", table, re.MULTILINE))
    assert counted.pop("three classes, macro F1: one class for all is best") == "16"
    assert list(counted.values()) == ["0"] * 7


def test_the_shipped_heart_predictions_are_the_printed_ones():
    """The printed F1 of 0.710 has one table among 18 positive and 13 negative: TP 11, FP 2, FN 7."""
    columns = script("classifiers").predictions()
    truth = columns.pop("y_true")
    assert (truth.size, truth.sum(), list(columns)) == (31, 18, list(script("classifiers").card().models))
    tables = [(tp, fp) for tp in range(19) for fp in range(14) if round(2 * tp / (18 + tp + fp), 3) == 0.710]
    neighbours = columns["k_nearest_neighbours"]
    assert tables == [(11, 2)] == [(int((neighbours & truth).sum()), int((neighbours & ~truth & 1).sum()))]
    assert round(f1_score(truth, columns["decision_tree"]), 3) == 0.727
    below = [row for row in script("classifiers").card() if row.outcome == "fails"]
    assert {row.measure.name for row in below} == {"f1", "fowlkes_mallows", "threat_score"}
    assert {row.model for row in below} == {"decision_tree", "k_nearest_neighbours"}


def test_the_heart_data_are_read_and_filled_with_the_mean(tmp_path):
    rng = np.random.default_rng(1)
    labels = rng.permutation(np.repeat([0, 3], 40))
    rows = np.column_stack([rng.normal(size=(80, 12)), 100 * labels + rng.normal(size=80), labels]).astype(
        str
    )
    rows[3, 11] = "?"
    path = tmp_path / "processed.cleveland.data"
    path.write_text("\n".join(",".join(row) for row in rows))
    columns = script("classifiers").predict(path)
    assert len(columns) == 6
    assert all((column == columns["y_true"]).all() for column in columns.values())


def test_predictions_of_ones_own_are_read_and_judged(tmp_path):
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 60)
    path = tmp_path / "own.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["smile", "smile_predicted", "y_true", "m"])
        names = "cat", "dog", "cow"
        writer.writerows([y, y, names[row % 3], names[(row + 1) % 3]] for row, y in enumerate(y_true))
    tasks = script("attributes").read(path)
    assert list(tasks) == ["smile"]
    assert "0 of 1 attributes miss the bar of f1" in script("attributes").told(tasks)
    truth, models = script("categories").read(path)
    told = script("categories").told(truth, {"m": models["m"]})
    assert told.endswith("missed by all 1 at once: 3: cat, cow, dog")


def test_forty_attributes_have_the_bars_of_their_counts():
    bars = script("attributes").bars()
    assert len(bars) == 40
    for count, accuracy, f1 in bars.values():
        assert accuracy == pytest.approx(max(count, 19_962 - count) / 19_962, rel=1e-12)
        assert f1 == pytest.approx(2 * count / (count + 19_962), rel=1e-12)


def test_areas_of_folds_and_merged_are_scikit_learns():
    truth, scores, folds = script("forman_scholz_folds").predicted()
    mean, merged = script("forman_scholz_folds").both_areas(truth, scores, folds)
    each = [roc_auc_score(truth[folds == fold], scores[folds == fold]) for fold in range(10)]
    assert (mean, merged) == pytest.approx((np.mean(each), roc_auc_score(truth, scores)), rel=1e-12)
