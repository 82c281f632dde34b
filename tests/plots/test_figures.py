"""The scripts that make the project's figures, and the figures it ships."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def test_the_papers_figures_come_out():
    names = runpy.run_path(str(ROOT / "examples" / "papers" / "dutch_draw_figures.py"))
    (ax,) = names["figure_1"]().axes
    peak = max(line.get_ydata().max() for line in ax.lines if len(line.get_ydata()) == 51)
    assert round(peak, 4) == 0.4877
    panels = names["figure_2"]().axes
    assert [ax.get_title() for ax in panels] == [
        "P = 1, θ* = 0.66",
        "P = 2, θ* = 0.60",
        "P = 5, θ* = 0.54",
        "P = 10, θ* = 0.52",
        "P = 25, θ* = 0.50",
        "P = 40, θ* = 0.48",
        "P = 45, θ* = 0.46",
        "P = 48, θ* = 0.40",
        "P = 49, θ* = 0.34",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "scorecard",
        "skill_map",
        "null",
        "expectation",
        "threshold",
        "slices",
        "confusion",
        "roc",
        "precision_recall",
    ],
)
def test_every_picture_of_the_documents_can_be_made_again(name):
    made = runpy.run_path(str(ROOT / "tools" / "figures.py"))["FIGURES"]
    assert made[name]().description
    assert (ROOT / "docs" / "images" / f"{name}.png").stat().st_size < 150_000
    assert f"images/{name}.png" in (ROOT / "docs" / "plots.md").read_text(encoding="utf-8")
