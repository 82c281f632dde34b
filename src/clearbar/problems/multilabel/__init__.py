"""Sets of labels: what blind predictions expect, and how a model stands to it."""

from __future__ import annotations

from clearbar.problems.multilabel.bars import LabelBaseline, baseline_multilabel
from clearbar.problems.multilabel.measures import LabelMeasure
from clearbar.problems.multilabel.problem import LabelledSamples

__all__ = ["LabelBaseline", "LabelMeasure", "LabelledSamples", "baseline_multilabel"]
