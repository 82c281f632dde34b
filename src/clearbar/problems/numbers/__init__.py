"""Predicted numbers: what blind ones expect, and how a model stands to it."""

from __future__ import annotations

from clearbar.catalogue import defined_in, register
from clearbar.problems.numbers import measures
from clearbar.problems.numbers.bars import (
    NumberBaseline,
    baseline_regression,
    read_column,
    read_targets,
    refuse_unfit,
)
from clearbar.problems.numbers.entries import NumberMeasure
from clearbar.problems.numbers.problem import Numbers

__all__ = [
    "NumberBaseline",
    "NumberMeasure",
    "Numbers",
    "baseline_regression",
    "read_column",
    "read_targets",
    "refuse_unfit",
]

register("regression", (*defined_in(measures), *measures.REFUSED))
