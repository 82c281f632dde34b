"""What a loss of probabilities is made of: how well they are calibrated, and how much they tell."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clearbar.catalogue import get_measure
from clearbar.core._value import Value
from clearbar.core.errors import shown
from clearbar.formatting import Align, Table, number, visible
from clearbar.scorecard._frames import as_python, frame_of
from clearbar.scorecard._page import Block, Page, Printed
from clearbar.scorecard._rows import which_group, which_model

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
        For each model, slice and measure `model`, `group` (None for all samples), `measure`, `samples`,
        `score`, `miscalibration`, `discrimination`, `uncertainty` and whether it `clears`.
    """

    rows: tuple[dict[str, Any], ...]

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return one row."""
        return self.rows[index]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each model and measure on all samples, and one on the slices."""
        of_all = [row for row in self.rows if row["group"] is None]
        several: dict[Any, list[dict[str, Any]]] = {}
        for row in self.rows:
            if row["group"] is not None:
                several.setdefault((row["model"], row["measure"]), []).append(row)
        slices = (_on_slices(rows) if len(rows) > 1 else _sentence(rows[0]) for rows in several.values())
        return (*map(_sentence, of_all), *slices)

    def _page(self, wide: int | None) -> Page:  # noqa: ARG002 - the table is narrow
        sliced = any(row["group"] is not None for row in self.rows)
        heads = ("model", *(("slice",) * sliced), "measure", *PARTS)
        texts: list[Align] = ["left"] * (2 + sliced)
        aligns: tuple[Align, ...] = (*texts, "decimal", "decimal", "decimal", "decimal")
        cells = (
            (
                visible(row["model"]),
                *((_called(row["group"]),) * sliced),
                get_measure(row["measure"], "scores").label,
                *(number(row[name], row["samples"]) for name in PARTS),
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


def _called(group: Any) -> str:
    return "all" if group is None else visible(str(group))


def _sentence(row: dict[str, Any]) -> str:
    """Say how the parts of one loss stand to each other."""
    label = get_measure(row["measure"], "scores").label
    off, told, score, bar = (
        number(row[name], row["samples"])
        for name in ("miscalibration", "discrimination", "score", "uncertainty")
    )
    verb = "exceeds" if row["discrimination"] > row["miscalibration"] else "does not exceed"
    better = "better than" if row["clears"] else "no better than"
    where = "" if row["group"] is None else f" in {_called(row['group'])}"
    return (
        f"{visible(row['model'])}: {label} {score}{where} is {better} the bar {bar}: discrimination {told} "
        f"{verb} miscalibration {off}."
    )


def _on_slices(rows: list[dict[str, Any]]) -> str:
    """Say in how many slices a loss clears, and where miscalibration is largest."""
    worst = max(rows, key=lambda row: row["miscalibration"])
    label = get_measure(worst["measure"], "scores").label
    off = number(worst["miscalibration"], worst["samples"])
    return (
        f"{visible(worst['model'])}: {label} clears the bar in {sum(row['clears'] for row in rows):,} of "
        f"{len(rows):,} slices; miscalibration is largest in {_called(worst['group'])} ({off})."
    )


def calibration(self: Scorecard, model: str | None = None, group: Any = None) -> Calibration:
    """Return what log loss and Brier score are made of.

    Isotonic regression (pool adjacent violators) recalibrates the probabilities. What that gains is the
    miscalibration; how much better than the bar the recalibrated ones are is the discrimination; the bar, the
    best constant's loss, is the uncertainty: score = miscalibration - discrimination + uncertainty.

    Parameters
    ----------
    model : str, optional
        A model of the scorecard; all of them by default.
    group : object, or list of them, optional
        Slices of the scorecard; by default all samples, and where `by` was given each slice as well.

    Returns
    -------
    Calibration
        A row for each model, slice and loss.

    Raises
    ------
    ValueError
        If the scorecard is not one of probabilities of two classes, or has no such model or slice.

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
    groups = range(len(self.groups)) if group is None else which_groups(self, group)
    losses = [name for name in LOSSES if name in names] or list(LOSSES)
    rows = []
    for place, slice_place, name in itertools.product(models, groups, losses):
        ranking = problem.rankings[place][slice_place]
        parts = parts_of(name, ranking)
        clears = parts.score < parts.uncertainty and not math.isclose(parts.score, parts.uncertainty)
        facts = {"model": self.models[place], "group": as_python(self.groups[slice_place]), "measure": name}
        rows.append({**facts, "samples": int(ranking.total), **parts._asdict(), "clears": clears})
    return Calibration(tuple(rows))


def which_groups(card: Scorecard, group: Any) -> list[int]:
    """Return the positions of one slice, or of several in a list."""
    return [which_group(card, name) for name in (group if isinstance(group, list) else [group])]


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
