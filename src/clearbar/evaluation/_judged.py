"""From a problem to its scorecard, and from the counts of models to those of a problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar import scorecard
from clearbar.core.counts import Counts, counts_of, refuse_matrix
from clearbar.core.errors import shown
from clearbar.evaluation._options import checked_flag, checked_level
from clearbar.null import checked_seed
from clearbar.problems._protocol import Problem
from clearbar.scorecard import Scorecard


class How(NamedTuple):
    """How surely: the confidence level, whether p-values are asked for at all, and a seed."""

    confidence_level: float
    intervals: bool
    random_state: int

    @classmethod
    def checked(cls, confidence_level: Any, intervals: Any, random_state: Any = 0) -> How:
        """Return what was asked for, or say what can be."""
        return cls(
            checked_level(confidence_level), checked_flag("intervals", intervals), checked_seed(random_state)
        )


def judged(problem: Problem, measures: tuple[Any, ...], how: How, notes: Sequence[str] = ()) -> Scorecard:
    """Judge a problem; `notes` are more to say below the tables."""
    return scorecard.judged(problem, measures, **how._asdict(), notes=notes)


def stacked(counts: Any, what: str, fewest: int) -> tuple[tuple[str, ...], Counts]:
    """Return the names of models, and their counts as arrays of shape (models, slices or folds).

    Of `fewest` 2 each model must have an axis of two or more; of 1, a single matrix will do.
    """
    models = dict(counts) if isinstance(counts, Mapping) else {"model": counts}
    if not models:
        raise ValueError("counts holds no model; give Counts, or a mapping of model names to Counts.")
    first_name, first = next(iter(models.items()))
    for name, own in models.items():
        refuse_matrix(own, "counts" if list(models) == ["model"] else f"counts[{shown(name)}]")
        if not isinstance(own, Counts):
            raise ValueError(
                f"counts must be Counts or a mapping of names to Counts; {name!r} is {type(own).__name__}."
            )
        _refuse_shape(name, own.shape, fewest)
        if not (np.array_equal(own.total, first.total) and np.array_equal(own.positives, first.positives)):
            raise ValueError(
                f"all models must be judged on the same {what}; {name!r} and {first_name!r} differ in their "
                "class sizes. Judge them in separate calls."
            )
    cells = zip(*(own.cells for own in models.values()), strict=True)
    together = counts_of(np.stack([np.atleast_1d(cell) for cell in per_model]) for per_model in cells)
    return tuple(map(str, models)), together


def _refuse_shape(name: Any, shape: tuple[int, ...], fewest: int) -> None:
    if fewest > 1 and (len(shape) != 1 or shape[0] < fewest):
        raise ValueError(
            f"counts of {name!r} must hold a matrix for each of two or more folds; found shape {shape}. For "
            "one table use evaluate_counts."
        )
    if len(shape) > 1:
        raise ValueError(f"counts of {name!r} have shape {shape}; give one matrix, or one axis of slices.")
    if shape == (0,):
        raise ValueError(f"counts of {name!r} hold no slice; give at least one confusion matrix.")
