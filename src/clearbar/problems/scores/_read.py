"""From labels and scores to a ranking that a measure can be evaluated on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core.errors import listed
from clearbar.data.counting import read_scores, read_truth
from clearbar.data.labels import refuse_other_rows
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking


def read_ranking(
    y_true: Any, y_score: Any, *, pos_label: Any = None, measures: Iterable[ScoreMeasure] = ()
) -> Ranking:
    """Read labels and scores and group samples with equal scores."""
    truth = read_truth(y_true, pos_label)
    scores = read_scores(y_score, "y_score", len(truth))
    refuse_other_rows(y_true, y_score, "y_score")
    refuse_no_probabilities(scores, "y_score", measures)
    return Ranking.of(truth, scores)


def refuse_no_probabilities(scores: FloatArray, name: str, measures: Iterable[ScoreMeasure]) -> None:
    """Raise if a measure needs probabilities and these are none."""
    wanting = [measure.label for measure in measures if measure.probabilities]
    if not wanting or (scores.min() >= 0 and scores.max() <= 1):
        return
    at = int(np.argmax((scores < 0) | (scores > 1)))
    verb = "needs" if len(wanting) == 1 else "need"
    raise ValueError(
        f"{name} must hold probabilities from 0 to 1, which {listed(wanting)} {verb}; found {scores[at]:g} "
        f"at position {at}. Pass predict_proba(X)[:, 1], or judge by roc_auc and average_precision."
    )
