"""Predictions of many classes: what blind ones expect, and how a model stands to it."""

from __future__ import annotations

from clearbar.problems.multiclass.bars import (
    ClassBaseline,
    Sizes,
    baseline_multiclass,
    checked_zero_division,
    class_bar,
)
from clearbar.problems.multiclass.columns import ClassColumns
from clearbar.problems.multiclass.measures import ClassMeasure
from clearbar.problems.multiclass.probability import ProbabilityMeasure
from clearbar.problems.multiclass.problem import ClassLabels
from clearbar.problems.multiclass.samples import TopClasses
from clearbar.problems.multiclass.tables import Tables

__all__ = [
    "ClassBaseline",
    "ClassColumns",
    "ClassLabels",
    "ClassMeasure",
    "ProbabilityMeasure",
    "Sizes",
    "Tables",
    "TopClasses",
    "baseline_multiclass",
    "checked_zero_division",
    "class_bar",
]
