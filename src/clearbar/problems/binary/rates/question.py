"""A question put: a table with its box, a measure and a bar become a `Side`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.problems.binary.rates.box import limits
from clearbar.problems.binary.rates.curve import Curves
from clearbar.problems.binary.rates.fit import curves_of, true_score
from clearbar.problems.binary.rates.side import Side
from clearbar.problems.binary.rates.signed_root import signed_root


@dataclass(frozen=True)
class Boxes:
    """Tables and the confidence boxes of their rates, one per row."""

    P: FloatArray
    N: FloatArray
    x: FloatArray
    y: FloatArray
    low_a: FloatArray
    high_a: FloatArray
    low_b: FloatArray
    high_b: FloatArray

    @staticmethod
    def of(cells: FloatArray) -> Boxes:
        """Boxes of tables given as rows tp, fp, fn, tn."""
        tp, fp, fn, tn = cells
        return Boxes(tp + fn, fp + tn, tp, fp, *limits(tp, tp + fn), *limits(fp, fp + tn))

    def __getitem__(self, rows: Any) -> Boxes:
        """Select tables by their numbers."""
        return Boxes(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def questions(
    tables: Sequence[tuple[Measure, Boxes, FloatArray, FloatArray]], *, filled: bool = False
) -> Side:
    """Are true scores above their bars? Measures, boxes, bars and scores; of losses as their negatives.

    If `filled`, corners without a value count as what they lie next to, as in `Side.filled`.
    """
    boxes = Boxes(
        *(np.concatenate(part) for part in zip(*(vars(one[1]).values() for one in tables), strict=True))
    )
    curves = Curves.joined([curves_of(measure, at.P, at.N, bar) for measure, at, bar, _ in tables])
    t = signed_root(curves, boxes.P, boxes.N, boxes.x[:, None], boxes.y[:, None])[:, 0]
    tied = np.concatenate([_tied(measure, at.P, at.N, bar, score) for measure, at, bar, score in tables])
    holes = np.zeros((t.size, 4), dtype=bool)
    if not filled:
        holes = np.concatenate([_holes(measure, at.P, at.N) for measure, at, _, _ in tables])
    return Side(curves=curves, t=np.where(tied, 0.0, t), holes=holes, **vars(boxes))


def _tied(measure: Measure, P: FloatArray, N: FloatArray, bar: FloatArray, score: FloatArray) -> BoolArray:
    """Whether a score equals its bar but for rounding."""
    best = true_score(measure, P, N, np.ones_like(P), np.zeros_like(P))
    room = np.where(np.isfinite(best), np.abs(best - bar), 0.0)
    return np.asarray(np.abs(score - bar) <= np.maximum(1e-12 * room, 4 * np.spacing(np.abs(score))))


def _holes(measure: Measure, P: FloatArray, N: FloatArray) -> BoolArray:
    """Which of the corner outcomes (0, 0), (P, N), (0, N), (P, 0) have no value."""
    a, b = np.array((0.0, 1.0, 0.0, 1.0)), np.array((0.0, 1.0, 1.0, 0.0))
    return np.isnan(true_score(measure, P[:, None], N[:, None], a, b))
