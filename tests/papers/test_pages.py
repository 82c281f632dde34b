"""The pages on the papers show what the scripts print, and the scripts agree with what is printed."""

import csv
import importlib
import re
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ON_PAGE = {
    "papers.md": (
        *("domains", "expectations", "data_sets", "classifiers", "categories", "attributes", "theorem"),
        "forman_scholz_tables",
    ),
    "open_questions.md": ("open_questions",),
}


def script(name):
    return importlib.import_module(f"examples.papers.{name}")


@pytest.mark.parametrize(
    ("page", "name"), [(page, name) for page, names in ON_PAGE.items() for name in names]
)
def test_the_page_shows_what_the_script_prints(page, name):
    text = (ROOT / "docs" / page).read_text("utf-8")
    assert f"```text\n{script(name).table()}\n```\n\n`python -m examples.papers.{name}`" in text


def test_what_differs_from_print_is_an_erratum_or_explained():
    for name in ("data_sets", "forman_scholz_tables"):
        for row in script(name).rows():
            assert row.printed == row.found or re.search("erratum|to three digits|exactly", row.mark), row


def test_no_claim_fails_but_the_one_that_is_refuted():
    text = (ROOT / "docs" / "open_questions.md").read_text("utf-8")  # compared with the script above
    table = text[text.index("claim  ") : text.index("```\n\n`python")]
    counted = dict(re.findall(r"^(.+?) \(M ≤ \d+\) +[\d,]+ +(\d+)$", table, re.MULTILINE))
    assert counted.pop("three classes, macro F1: one class for all is best") == "16"
    assert list(counted.values()) == ["0"] * 5


def test_predictions_of_ones_own_are_read(tmp_path):
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 60)
    path = tmp_path / "own.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["smile", "smile_predicted", "y_true", "m"])
        writer.writerows(
            [y, y, "cat" if y else "dog", "cat" if rng.random() < 0.8 else "dog"] for y in y_true
        )
    tasks = script("attributes").read(path)
    assert list(tasks) == ["smile"]
    assert (tasks["smile"][0] == (y_true == 1)).all()
    truth, models = script("categories").read(path)
    assert sorted(set(truth.tolist())) == ["cat", "dog"]
    assert "m" in models


def test_the_heart_data_are_read_filled_and_judged(tmp_path):
    rng = np.random.default_rng(1)
    rows = np.column_stack([rng.normal(size=(80, 13)), rng.integers(0, 5, 80)]).astype(str)
    rows[3, 11] = "?"
    path = tmp_path / "processed.cleveland.data"
    path.write_text("\n".join(",".join(row) for row in rows))
    text = script("classifiers").heart(path, splits=2)
    assert text.startswith("Cleveland Heart Disease\n16 samples")
    assert "naive" in text
