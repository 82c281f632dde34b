"""The examples run, and say what they are there to say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from benchmarks.agreement import ASKED, installed, lines

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_scores_of_a_real_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "scores.py"), run_name="__main__")
    text = " ".join(capsys.readouterr().out.split())
    assert text.count("569 samples, 212 positive (37.3 %), 3 models.") == 3
    assert "logistic regression clears all 6 bars" in text
    assert "calibrated alike (Forman and Scholz 2010)" in text
    assert "The best constant on the training labels, 0.5, has a log loss of 0.693 here" in text
    assert "ROC AUC 0.620 is above the bar 0.500, but a bare score does not tell how surely" in text


@pytest.mark.slow
def test_classes_of_real_data_sets(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "classes.py"), run_name="__main__")
    text = " ".join(capsys.readouterr().out.split())
    assert "150 samples of 3 classes (50 setosa, 50 versicolor, 50 virginica), 2 models." in text
    assert "tree clears all 3 bars; dummy is exactly at" in text
    assert "upper half clears the top-1 accuracy and top-3 accuracy bars" in text
    assert "F1: 1 of 3 classes surely clears, 2 unsettled" in text


@pytest.mark.slow
def test_numbers_of_a_real_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "diabetes.py"), run_name="__main__")
    text = " ".join(capsys.readouterr().out.split())
    assert text.count("221 samples, 4 models.") == 2
    assert "linear regression and random forest clear all 4 bars; 2 others miss a bar" in text
    assert "2 groups in all, and MAE is" in text
    assert "pinball loss at 0.9 bar 13.44: predict 270, the 0.9-quantile, for every sample" in text


@pytest.mark.peers
def test_the_page_beside_others_shows_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("pycm", "DutchDraw"):
        pytest.importorskip(package)
    found = runpy.run_path(str(ROOT / "examples" / "compared.py"))
    page = (ROOT / "docs" / "compared.md").read_text("utf-8")
    shown = re.findall(r"^```text\n(.*?)\n```$", page, re.DOTALL | re.MULTILINE)
    for question, block in zip(found["QUESTIONS"], shown, strict=True):
        assert found["table"](question).partition("\n")[2] == block


@pytest.mark.peers
def test_nobody_who_is_asked_comes_to_another_number() -> None:
    for package in ("pycm", "DutchDraw", "imblearn"):
        pytest.importorskip(package)
    found = list(lines(share=0.05))
    asked = [
        (who, what) for who, package, what, *_ in ASKED if installed(package)
    ]  # all but R's, where R is not
    assert [(line.who, line.what) for line in found] == asked
    assert all(line.compared > 4 for line in found)
    assert [line for line in found if line.differ] == []
    page = (ROOT / "docs" / "exactness.md").read_text("utf-8")
    assert all(f"{who:18}{what:42}" in page for who, _, what, *_ in ASKED)
