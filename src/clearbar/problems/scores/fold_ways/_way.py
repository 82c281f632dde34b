"""What a way of combining scores over folds must bring: a score, its bar, its law, and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._protocol import Tail
from clearbar.problems.scores._fold_bars import FoldScoreBaseline
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking


@dataclass(frozen=True)
class ScoreWay:
    """A way of combining scores over folds; a new one is a file with a subclass, named in `SCORE_WAYS`."""

    name: str  # as the argument `aggregate` calls it
    pools: ClassVar[bool] = False  # no way adds scores up
    untested: ClassVar[str] = "p_value is not known where folds are combined in this way"
    """Why the spread over parts does not tell how surely a score is known; empty if it does."""

    def parts(self, folds: Sequence[IntArray]) -> Sequence[IntArray]:
        """Return the samples that are ranked together; the score is the mean over these that have one."""
        raise NotImplementedError

    def bar(self, measure: ScoreMeasure, total: IntArray, positives: IntArray) -> FoldScoreBaseline:
        """Return the best that scores expect of the same if they ignore the features.

        Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010,
        section 3.1.
        """
        raise NotImplementedError

    def chance(
        self,
        measure: ScoreMeasure,
        truth: BoolArray,
        scores: FloatArray,
        folds: Sequence[IntArray],
        score: float,
        seed: int = 0,
    ) -> Tail:
        """Return how likely labels dealt out within each fold do as well."""
        raise NotImplementedError

    def notes(
        self, measures: Sequence[ScoreMeasure], names: Sequence[Any], total: IntArray, positives: IntArray
    ) -> list[str]:
        """Say below a scorecard how the folds are combined."""
        raise NotImplementedError

    def in_parts(
        self, measure: ScoreMeasure, truth: BoolArray, scores: FloatArray, folds: Sequence[IntArray]
    ) -> FloatArray:
        """Evaluate one model in each part; nan where it has no value."""
        parts = self.parts(folds)
        return np.array([float(measure.value(Ranking.of(truth[part], scores[part]))) for part in parts])

    def refuse(self, measures: Sequence[ScoreMeasure]) -> None:
        """Raise where a measure cannot be combined so."""
