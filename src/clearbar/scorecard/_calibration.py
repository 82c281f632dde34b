"""What a loss of probabilities is made of: how well they are calibrated, and how much they tell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._value import Value
from clearbar.core.errors import shown
from clearbar.formatting import Align, Table, number, visible
from clearbar.scorecard._frames import frame_of
from clearbar.scorecard._page import Block, Page, Printed
from clearbar.scorecard._rows import which_model

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

PARTS = ("score", "miscalibration", "discrimination", "uncertainty")


@dataclass(frozen=True, eq=False)
class Calibration(Printed, Value):
    """Log loss and Brier score as miscalibration - discrimination + uncertainty, which is the bar.

    Made by `Scorecard.calibration`. A model clears the bar exactly where discrimination exceeds
    miscalibration.

    Attributes
    ----------
    rows : tuple of dict
        For each model and measure `model`, `measure`, `score`, `miscalibration`, `discrimination`,
        `uncertainty` and whether it `clears`.
    samples : int
        How many there are.
    """

    rows: tuple[dict[str, Any], ...]
    samples: int

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return one row."""
        return self.rows[index]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each row."""
        return tuple(map(self._sentence, self.rows))

    def _sentence(self, row: dict[str, Any]) -> str:
        label = get_measure(row["measure"], "scores").label
        names = "miscalibration", "discrimination"
        off, told = (number(row[name], self.samples) for name in names)
        verb = "exceeds" if row["discrimination"] > row["miscalibration"] else "does not exceed"
        better = "better than" if row["clears"] else "no better than"
        return (
            f"{visible(row['model'])}: {label} {number(row['score'], self.samples)} is {better} the bar "
            f"{number(row['uncertainty'], self.samples)}: discrimination {told} {verb} miscalibration {off}."
        )

    def _page(self, wide: int | None) -> Page:  # noqa: ARG002 - the table is narrow
        heads = ("model", "measure", "score", "miscalibration", "discrimination", "uncertainty")
        aligns: tuple[Align, ...] = ("left", "left", "decimal", "decimal", "decimal", "decimal")
        cells = (
            (
                visible(row["model"]),
                get_measure(row["measure"], "scores").label,
                *(number(row[name], self.samples) for name in PARTS),
            )
            for row in self.rows
        )
        table = Table.of(aligns, heads, cells)
        said = "score = miscalibration − discrimination + uncertainty, and uncertainty is the bar"
        return Page("", [Block(table, [said])], self.sentences)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            Whose data frame it is.

        Returns
        -------
        data frame
        """
        names = list(self.rows[0])
        return frame_of(lambda: {name: [row[name] for row in self.rows] for name in names}, backend)


def calibration(self: Scorecard, model: str | None = None) -> Calibration:
    """Return what log loss and Brier score are made of.

    Isotonic regression (pool adjacent violators) recalibrates the probabilities. What that gains is the
    miscalibration; how much better than the bar the recalibrated ones are is the discrimination; the bar, the
    best constant's loss, is the uncertainty: score = miscalibration - discrimination + uncertainty.

    Parameters
    ----------
    model : str, optional
        A model of the scorecard; all of them by default.

    Returns
    -------
    Calibration
        A row for each model and loss, on all samples.

    Raises
    ------
    ValueError
        If the scorecard is not one of probabilities of two classes, or has no such model.

    References
    ----------
    Dimitriadis, Gneiting and Jordan, Stable reliability diagrams for probabilistic classifiers, PNAS 118,
    2021.

    Notes
    -----
    A probability of 0 or 1 that was wrong has an infinite log loss here, and so an infinite miscalibration;
    `score` on the scorecard keeps probabilities 2.2e-16 from 0 and 1.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], "brier_score")
    >>> row = card.calibration()[0]
    >>> [round(row[part], 4) for part in ("miscalibration", "discrimination", "uncertainty")]
    [0.0331, 0.125, 0.25]
    """
    from clearbar.problems.scores import LOSSES, parts_of

    problem, names = probabilities_of(self), [measure.name for measure in self.measures]
    models = range(len(self.models)) if model is None else [which_model(self, model)]
    asked = [name for name in LOSSES if name in names] or list(LOSSES)
    rows = []
    for place in models:
        ranking = problem.rankings[place][0]
        for name in asked:
            parts = parts_of(name, ranking)
            clears = parts.score < parts.uncertainty and not math.isclose(parts.score, parts.uncertainty)
            rows.append({"model": self.models[place], "measure": name, **parts._asdict(), "clears": clears})
    return Calibration(tuple(rows), int(np.asarray(self.population.total).reshape(-1)[0]))


def probabilities_of(card: Scorecard) -> Any:
    """Return the problem of a scorecard of probabilities of two classes, or say that it is none."""
    problem: Any = card.problem
    if not hasattr(problem, "rankings") or getattr(problem, "graded", True):
        raise ValueError(
            "calibration is of probabilities of two classes, judged by evaluate_scores without folds; this "
            "scorecard is of something else."
        )
    for name, ranking in zip(card.models, (of_model[0] for of_model in problem.rankings), strict=True):
        low, high = float(ranking.scores.min()), float(ranking.scores.max())
        if low < 0 or high > 1:
            raise ValueError(
                f"calibration is of probabilities from 0 to 1; the scores of {shown(name)} run from {low:g} "
                f"to {high:g}."
            )
    return problem
