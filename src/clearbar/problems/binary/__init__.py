"""Two classes: what was predicted, counted as confusion matrices."""

from __future__ import annotations

from clearbar.problems.binary._labels import Labels
from clearbar.problems.binary._sampled import SampledLabels

__all__ = ["Labels", "SampledLabels"]
