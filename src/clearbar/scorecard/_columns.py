"""Verdicts stored as columns, read as rows."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, overload

import numpy as np

from clearbar.core._typing import FloatArray, Undefined
from clearbar.core._value import Value
from clearbar.core.counts import Counts, Population
from clearbar.problems._protocol import Bar, Judged, Problem
from clearbar.scorecard import _declared
from clearbar.scorecard._rows import refuse_repeated
from clearbar.verdict import Intervals, Verdict, level_of

FIELDS = frozenset(field.name for field in dataclasses.fields(Verdict))
MOST_KEPT = 1_000
"""Models and groups whose intervals are kept once they are found."""


@dataclass(frozen=True, eq=False)
class Columns(Value):
    """What a scorecard holds; its fields are described there."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    measures: tuple[Judged, ...]
    counts: Counts | None
    baselines: tuple[Bar, ...]
    columns: Mapping[str, Any]
    undefined: Undefined
    notes: tuple[str, ...] = ()
    confidence_level: float = dataclasses.field(default=0.95, kw_only=True)
    has_p_values: bool = dataclasses.field(default=True, kw_only=True)
    tries: int = dataclasses.field(default=1, kw_only=True)
    problem: Problem | None = dataclasses.field(default=None, compare=False, kw_only=True)
    call: str = dataclasses.field(default="", compare=False, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("models", "groups", "measures", "baselines", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        stored = (column for column in _declared.COLUMNS if column.stored)
        columns = {column.name: _read_only(self.columns, column) for column in stored}
        object.__setattr__(self, "columns", MappingProxyType(columns))
        self._check()

    def _check(self) -> None:
        shape = len(self.models), len(self.groups), len(self.measures)
        for name, column in self.columns.items():
            if column.shape != shape:
                raise ValueError(
                    f"columns[{name!r}] must have shape {shape}: models, groups, measures; "
                    f"found {column.shape}."
                )
        if len(self.baselines) != shape[2] or any(
            bar.population.shape != shape[1:2] for bar in self.baselines
        ):
            raise ValueError(
                f"baselines must hold one per measure ({shape[2]}), each over the {shape[1]} groups."
            )
        refuse_repeated(self.models, "models")
        refuse_repeated(self.groups, "groups")
        if self.counts is not None:
            _check_counts(self.counts, shape[:2])

    def _identity(self) -> tuple[Any, ...]:
        held = [
            getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.compare and field.name != "columns"
        ]
        return (*held, *self.columns.values())

    __eq__ = Value.__eq__

    def __hash__(self) -> int:
        """Hash by what was judged; the verdicts follow from it."""
        return hash((self.models, self.measures, self.counts, self.undefined))

    def __reduce__(self) -> Any:
        """Pickle by the fields, those of a subclass included."""
        held = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        plain: dict[str, Any] = {
            name: dict(one) if isinstance(one, MappingProxyType) else one for name, one in held.items()
        }
        return functools.partial(type(self), **plain), ()

    @functools.cached_property
    def population(self) -> Population:
        """How many samples each group has, and how many of them are positive."""
        if self.counts is None:
            return self.baselines[0].population
        return (self.counts[0, :, 0] if self.several_runs else self.counts[0]).population

    @property
    def runs(self) -> int:
        """Number of runs of each model."""
        if self.counts is None:
            return 1 if self.problem is None else self.problem.runs
        return int(self.counts.shape[2]) if self.several_runs else 1

    @property
    def gaps_in_notes(self) -> bool:
        """Whether the notes say where there is no value; tables then leave it out of remarks."""
        return False

    @property
    def tasked(self) -> bool:
        """Whether the whole is the mean over the slices, which are tasks."""
        return self.problem is not None and self.problem.whole_is_mean

    @property
    def group_words(self) -> tuple[str, str]:
        """What one of the groups is called, a slice, a class or a label, and several of them."""
        return ("slice", "slices") if self.problem is None else self.problem.group_words

    @property
    def alpha(self) -> float:
        """The level at which a score is sure, one minus the confidence level."""
        return level_of(self.confidence_level)

    @property
    def several_runs(self) -> bool:
        """Whether models were run several times."""
        if self.counts is None:
            return self.problem is not None and self.problem.has_runs
        return len(self.counts.shape) == 3

    def bar(self, measure: int, group: int = 0) -> Bar:
        """Return the bar of a measure in a group, both by position.

        Parameters
        ----------
        measure, group : int
            Positions in `measures` and `groups`.

        Returns
        -------
        Bar
        """
        if (measure, group) not in self._bars:
            self._bars[measure, group] = self.baselines[measure][group]
        return self._bars[measure, group]

    @functools.cached_property
    def _bars(self) -> dict[tuple[int, int], Bar]:
        return {}

    @functools.cached_property
    def _intervals(self) -> dict[tuple[int, int], Intervals]:
        return {}

    def interval(self, model: int, group: int, measure: int) -> tuple[float, float]:
        """Return `low` and `high` of a row, all by position; found when they are first read."""
        intervals = self._intervals_of(model, group)
        return (math.nan, math.nan) if intervals is None else intervals[measure]

    def _intervals_of(self, model: int, group: int) -> Intervals | None:
        if self.problem is None:
            return None
        known = self._intervals
        if (model, group) not in known:
            if len(known) >= MOST_KEPT:
                known.clear()
            unknown = np.isnan(self.columns["p_value"][model, group]).tolist()
            measures = [None if no else measure for measure, no in zip(self.measures, unknown, strict=True)]
            problem = self.problem.one(model, group)
            known[model, group] = Intervals(problem, measures, self.confidence_level)
        return known[model, group]

    def intervals(self) -> FloatArray:
        """Return `low` and `high` as two columns; nan for slices, of which there may be a million."""
        ends = np.full((2, *self.columns["score"].shape), np.nan)
        if len(self.groups) == 1 or self.groups[0] is None:
            for model, measure in np.ndindex(len(self.models), len(self.measures)):
                ends[:, model, 0, measure] = self.interval(model, 0, measure)
        return ends

    def __len__(self) -> int:
        """Return the number of verdicts."""
        return len(self.models) * len(self.groups) * len(self.measures)

    def __iter__(self) -> Iterator[Verdict]:
        """Iterate over the verdicts, in the order model, group, measure."""
        return (self[row] for row in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Verdict, ...]: ...
    def __getitem__(self, index: int | slice) -> Verdict | tuple[Verdict, ...]:
        """Return the verdict at a position, or those of a range."""
        if isinstance(index, slice):
            return tuple(self[row] for row in range(len(self))[index])
        try:
            row = operator.index(index)
        except TypeError:
            raise TypeError(
                f"a scorecard is indexed by the number of a row, or a range of them; found {index!r:.80}. "
                "Its rows run by model, group and measure; card.explain(measure) tells about one measure."
            ) from None
        row = row + len(self) if row < 0 else row
        if not 0 <= row < len(self):
            raise IndexError(f"row {index} is out of range: this scorecard has {len(self):,} rows.")
        group_and_measure = len(self.groups) * len(self.measures)
        return self.verdict(
            row // group_and_measure, row % group_and_measure // len(self.measures), row % len(self.measures)
        )

    def verdict(self, model: int, group: int, measure: int) -> Verdict:
        """Return the verdict on a model in a group by a measure, all by position."""
        at = model, group, measure
        judged: dict[str, Any] = {
            column.name: column.kind(self.columns[column.name][at])
            for column in _declared.COLUMNS
            if column.kind is not None and column.stored and column.name in FIELDS
        }
        intervals = self._intervals_of(model, group)
        return Verdict(
            model=self.models[model],
            group=self.groups[group],
            measure=self.measures[measure],
            counts=None if self.counts is None else self.counts[model, group],
            baseline=self.bar(measure, group),
            confidence_level=self.confidence_level,
            has_p_values=self.has_p_values,
            ends=None if intervals is None else (intervals, measure),
            runs=self.runs,
            **judged,
        )


def _check_counts(counts: Counts, shape: tuple[int, int]) -> None:
    if counts.shape[:2] != shape or len(counts.shape) not in {2, 3}:
        raise ValueError(
            f"counts must have shape {shape}: models, groups, and maybe runs; found {counts.shape}."
        )
    for size in (np.asarray(counts.total), np.asarray(counts.positives)):
        per_model = size.reshape(*shape, -1)
        if (per_model != per_model[:1, :, :1]).any():
            raise ValueError("all models must be judged on the same samples; their class sizes differ.")


def _read_only(columns: Mapping[str, Any], column: _declared.Column) -> Any:
    if column.name not in columns:
        raise ValueError(f"columns lacks {column.name!r}.")
    values = np.asarray(columns[column.name], dtype=np.float64 if column.kind is float else None)
    if values.flags.writeable:  # whoever gave it may write to it; what nobody can write to is not copied
        values = np.array(values)
        values.flags.writeable = False
    return values
