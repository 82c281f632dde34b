"""Verdicts as columns, and every way to read them: rows, frames, JSON, tables, sentences."""

from __future__ import annotations

from clearbar.scorecard._card import Scorecard
from clearbar.scorecard._compare import Comparison
from clearbar.scorecard._explain import explain_bar
from clearbar.scorecard._rows import Failing

__all__ = ["Comparison", "Failing", "Scorecard", "explain_bar"]
