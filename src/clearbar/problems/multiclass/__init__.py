"""Predictions of many classes: what blind ones expect, and how a model stands to it."""

from __future__ import annotations

import clearbar.problems.multiclass.measures  # noqa: F401 - which registers them
from clearbar.problems.multiclass._baseline import baseline_multiclass, checked_zero_division
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._problem import ClassLabels
from clearbar.problems.multiclass._tables import Tables
from clearbar.problems.multiclass.bars import ClassBaseline, Sizes, class_bar
from clearbar.problems.multiclass.top import TopClasses

__all__ = [
    "ClassBaseline",
    "ClassLabels",
    "ClassMeasure",
    "Sizes",
    "Tables",
    "TopClasses",
    "baseline_multiclass",
    "checked_zero_division",
    "class_bar",
]
