"""A model's place beside the curve of a bar: its share predicted positive, and how it stands."""

from __future__ import annotations

from typing import Any

from clearbar.core._typing import Undefined
from clearbar.core.counts import Counts, refuse_matrix
from clearbar.evaluation import evaluate_counts
from clearbar.problems.binary import Baseline, baseline
from clearbar.scorecard import standing


def bar_of(counts: Any, measure: Any, undefined: Undefined) -> Baseline:
    """Return the bar of one confusion matrix's own class sizes."""
    refuse_matrix(counts)
    if not isinstance(counts, Counts) or counts.shape:
        raise ValueError("counts must be one confusion matrix: Counts of whole numbers, not of arrays.")
    return baseline(counts.population, measure, undefined=undefined)


def placed(bar: Any, counts: Counts | None, confidence_level: float) -> dict[str, Any]:
    """Return a model's place, how it stands to the bar, and its interval; nothing without a model."""
    if not isinstance(bar, Baseline) or bar.population.shape:
        given = f"one of shape {bar.population.shape}" if isinstance(bar, Baseline) else type(bar).__name__
        raise ValueError(f"bar must be what cb.baseline(...) returns for one population; found {given}.")
    if counts is None:
        return {}
    if counts.shape or counts.population != bar.population:
        raise ValueError("counts must be one confusion matrix on the bar's population.")
    card = evaluate_counts(counts, bar.measure, undefined=bar.undefined, confidence_level=confidence_level)
    return {
        "model": (int(counts.predicted_positives) / int(bar.population.total), card[0].score),
        "standing": str(standing(card)[0, 0, 0]),
        "interval": card.interval(0, 0, 0),
        "confidence_level": card.confidence_level,
    }
