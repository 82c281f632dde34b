"""Two classes: what was predicted, counted as confusion matrices."""

from __future__ import annotations

from clearbar.problems.binary._labels import Labels

__all__ = ["Labels"]
