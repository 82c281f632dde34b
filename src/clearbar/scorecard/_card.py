"""The scorecard: every verdict on some models, slices and measures, as columns that are read as rows."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from clearbar.catalogue import Entry
from clearbar.core import Later
from clearbar.core._typing import FloatArray, Undefined
from clearbar.core._value import Value
from clearbar.core.counts import Counts, Population
from clearbar.formatting import Screen
from clearbar.problems._protocol import Bar
from clearbar.scorecard import _columns, _rows
from clearbar.scorecard._columns import Hints, View
from clearbar.scorecard._headline import headline
from clearbar.scorecard._page import Page, Printed
from clearbar.scorecard._sentences import explain
from clearbar.scorecard._tables import INTERVALS, MOST, page
from clearbar.verdict import level_of

if TYPE_CHECKING:
    from clearbar.scorecard import (
        _calibration,
        _compare,
        _folds,
        _frames,
        _gaps,
        _judged,
        _leaderboard,
        _ranking,
        _slices,
        _statement,
        _svg,
    )
    from clearbar.verdict import Intervals, Verdict

MOST_KEPT = 1_000  # models and groups whose intervals are kept once they are found


@dataclass(frozen=True, eq=False)
class Scorecard(Printed, Value):
    """Which models clear which bars, by how much and how surely.

    Made by `clearbar.evaluate`. Printing it shows the verdict, the table and the reasons; iterating
    or indexing makes a `Verdict` per row, in the order model, group, measure.

    Attributes
    ----------
    models : tuple of str
        Their names.
    groups : tuple
        The slices; None stands for all samples and comes first.
    measures : tuple of Measure
        The measures.
    counts : Counts or None
        What happened: arrays of shape (models, groups), or (models, groups, runs); over folds pooled. None
        where scores or more than two classes are judged.
    baselines : tuple of Baseline
        For each measure the bars on the groups' class sizes.
    columns : mapping of str to ndarray
        Every number, outcome and reason, each of shape (models, groups, measures).
    undefined : "exclude", "worst" or float
        The policy for outcomes without a value.
    notes : tuple of str
        Sentences about the whole, which are printed below the tables.
    confidence_level : float
        That of the intervals; a score is sure at one minus it.
    has_p_values : bool
        Whether p-values were asked for: ``intervals=False`` leaves them out, and `sure` is an error.
    tries : int
        Each model is the best of so many, fixed before any score was seen; what is sure is corrected.
    problem : Problem or None
        What was judged; no part of what is compared.
    call : str
        What made it, for the report; no part of what is compared.
    folds : tuple
        The folds' names where folds of labels were combined; empty elsewhere.
    fold_counts : Counts, tuple of tuples of ConfusionMatrix, or None
        What happened in each fold, of shape (models, folds).
    fold_scores : ndarray of shape (models, folds, measures)
        The measure in each fold, nan where it has no value.
    aggregate : str
        The way in which folds are combined.
    fold_aware : bool
        Whether the bar of pooled counts may treat folds differently.

    Raises
    ------
    ValueError
        If shapes do not fit each other, or models are judged on different class sizes.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), ["f1", "mcc"])
    >>> [verdict.outcome for verdict in card]
    ['clears', 'clears']
    """

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    measures: tuple[Entry, ...]
    counts: Counts | None
    baselines: tuple[Bar, ...]
    columns: Mapping[str, Any]
    undefined: Undefined
    notes: tuple[str, ...] = ()
    confidence_level: float = dataclasses.field(default=0.95, kw_only=True)
    has_p_values: bool = dataclasses.field(default=True, kw_only=True)
    tries: int = dataclasses.field(default=1, kw_only=True)
    problem: Any = dataclasses.field(default=None, compare=False, kw_only=True)
    call: str = dataclasses.field(default="", compare=False, kw_only=True)

    explain = explain
    headline = headline
    worst = _rows.worst
    clears = _rows.clears
    to_html = Later("clearbar.report", "to_html")
    if TYPE_CHECKING:
        best_of = _ranking.best_of
        calibration = _calibration.calibration
        compare = _compare.compare
        leaderboard = _leaderboard.leaderboard
        ranking = _ranking.ranking
        slices = _slices.slices
        all_ways = _folds.all_ways
        fold_table = _folds.fold_table
        gaps = _gaps.gaps
        per_class = _judged.per_class
        per_label = _judged.per_label
        to_csv = _frames.to_csv
        statement = _statement.statement
        to_dict = _frames.to_dict
        to_flat_dict = _frames.to_flat_dict
        to_frame = _frames.to_frame
        to_json = _frames.to_json
        to_model_index = _frames.to_model_index
        to_svg = _svg.to_svg

    def __post_init__(self) -> None:
        for name in ("models", "groups", "measures", "baselines", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        shape = len(self.models), len(self.groups), len(self.measures)
        columns = {
            column.name: _rows.read_only(self.columns, column, shape)
            for column in _columns.COLUMNS
            if column.stored
        }
        object.__setattr__(self, "columns", MappingProxyType(columns))
        if len(self.baselines) != shape[2] or any(
            bar.population.shape != shape[1:2] for bar in self.baselines
        ):
            raise ValueError(
                f"baselines must hold one per measure ({shape[2]}), each over the {shape[1]} groups."
            )
        for what in ("models", "groups", "folds"):
            _rows.refuse_repeated(getattr(self, what), what)
        if self.counts is not None:
            _rows.check_counts(self.counts, shape[:2])

    def _identity(self) -> tuple[Any, ...]:
        compared = (field.name for field in dataclasses.fields(self) if field.compare)
        held = (getattr(self, name) for name in compared if name != "columns")
        folded = (self.folds, self.aggregate, self.fold_aware, self.fold_counts) if self.folds else ()
        return (*held, *self.columns.values(), *folded)

    __eq__ = Value.__eq__

    def __hash__(self) -> int:
        return hash((self.models, self.measures, self.counts, self.undefined))

    def __reduce__(self) -> Any:
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return functools.partial(type(self), **{**fields, "columns": dict(self.columns)}), ()

    def __repr__(self) -> str:
        parts = {"models": self.models, "groups": self.groups, "folds": self.folds, "measures": self.measures}
        parts.pop("groups" if self.folds else "folds")
        return f"<Scorecard: {' x '.join(f'{len(names)} {what}' for what, names in parts.items())}>"

    @functools.cached_property
    def population(self) -> Population:
        """How many samples each group has, and how many of them are positive."""
        if self.counts is None:
            return self.baselines[0].population
        return (self.counts[0, :, 0] if self.several_runs else self.counts[0]).population

    @property
    def several_runs(self) -> bool:
        """Whether models were run several times."""
        if self.counts is None:
            return bool(getattr(self.problem, "has_runs", False))
        return len(self.counts.shape) == 3

    @property
    def runs(self) -> int:
        """Number of runs of each model."""
        if self.counts is None:
            return int(getattr(self.problem, "runs", 1))
        return self.counts.shape[2] if self.several_runs else 1

    @property
    def tasked(self) -> bool:
        """Whether the whole is the mean over the slices, which are tasks."""
        return len(self.groups) > 1 and bool(getattr(self.problem, "whole_is_mean", False))

    @property
    def group_words(self) -> tuple[str, str]:
        """What one of the groups is called, a slice, a class or a label, and several of them."""
        words: tuple[str, str] = getattr(self.problem, "group_words", ("slice", "slices"))
        return words

    @property
    def alpha(self) -> float:
        """The level at which a score is sure, one minus the confidence level."""
        return level_of(self.confidence_level)

    @property
    def fold_counts(self) -> Any:
        """What happened in each fold, of shape (models, folds); None where no folds were combined."""
        return getattr(self.problem, "fold_counts", None)

    @property
    def folds(self) -> tuple[Any, ...]:
        """The names of the folds that were combined."""
        return () if self.fold_counts is None else tuple(self.problem.folds)

    @functools.cached_property
    def fold_scores(self) -> FloatArray:
        """The measures in each fold, of shape (models, folds, measures); nan where there is no value."""
        scores = self.problem.in_each_fold(self.measures) if self.folds else np.zeros((0, 0, 0))
        scores.flags.writeable = False
        return np.asarray(scores)

    @property
    def aggregate(self) -> str:
        """The way in which folds are combined; empty where there are none."""
        return str(self.problem.way.name) if self.folds else ""

    @property
    def fold_aware(self) -> bool:
        """Whether the bar of pooled counts may treat folds differently."""
        return bool(self.folds and self.problem.way.fold_aware)

    @property
    def undefined_folds(self) -> tuple[_folds.UndefinedFold, ...]:
        """Every fold in which a measure has no value for a model, or its `requires` fails, and why."""
        from clearbar.scorecard._folds import undefined_folds

        return undefined_folds(self)

    @functools.cached_property
    def _found(self) -> tuple[dict[Any, Bar], dict[Any, Intervals]]:
        """The bars of rows, and the intervals of models in groups, that were looked at."""
        return {}, {}

    def bar(self, measure: int, group: int = 0) -> Bar:
        """Return the bar of a measure in a group, both by position.

        Parameters
        ----------
        measure, group : int
            Positions in `measures` and `groups`.
        """
        bars, row = self._found[0], (measure, group)
        if row not in bars:
            bars[row] = self.baselines[measure][group]
        return bars[row]

    def interval(self, model: int, group: int, measure: int) -> tuple[float, float]:
        """Return `low` and `high` of a row, all by position; found when they are first read."""
        intervals = self._intervals_of(model, group)
        return (math.nan, math.nan) if intervals is None else intervals[measure]

    def _intervals_of(self, model: int, group: int) -> Intervals | None:
        if self.problem is None:
            return None
        intervals_of, row = self._found[1], (model, group)
        if row not in intervals_of:
            if len(intervals_of) >= MOST_KEPT:
                intervals_of.clear()
            unknown = np.isnan(self.columns["p_value"][row])
            if self.problem.intervals_without_bar and self.has_p_values:
                unknown &= np.isnan(self.columns["score"][row]) | ~np.isnan(self.columns["bar"][row])
            measures = [
                None if no else measure for measure, no in zip(self.measures, unknown.tolist(), strict=True)
            ]
            from clearbar.verdict import Intervals

            intervals_of[row] = Intervals(self.problem.one(*row), measures, self.confidence_level)
        return intervals_of[row]

    def _with_intervals(self) -> int:
        """Return how many groups have intervals in documents: all of a small card, else the whole.

        They take time, and of slices there may be a million.
        """
        whole = int(len(self.groups) == 1 or self.groups[0] is None)
        return len(self.groups) if len(self) <= INTERVALS else whole

    def intervals(self) -> FloatArray:
        """Return `low` and `high` as two columns; nan for the slices of a large card."""
        ends = np.full((2, *self.columns["score"].shape), np.nan)
        for row in np.ndindex(len(self.models), self._with_intervals(), len(self.measures)):
            ends[:, *row] = self.interval(*row)
        return ends

    def interval_methods(self) -> Any:
        """Return how intervals were found, as p-values were; where there is no p-value, how else."""
        methods = np.array(self.columns["p_method"])
        if self.problem is not None and self.problem.intervals_without_bar:
            for model, group, measure in np.argwhere(methods[:, : self._with_intervals()] == "").tolist():
                intervals = self._intervals_of(model, group)
                methods[model, group, measure] = "" if intervals is None else intervals.method(measure)
        return methods

    def __len__(self) -> int:
        return len(self.models) * len(self.groups) * len(self.measures)

    def __iter__(self) -> Iterator[Verdict]:
        return (self[row] for row in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Verdict, ...]: ...
    def __getitem__(self, index: int | slice) -> Verdict | tuple[Verdict, ...]:
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
        model, group, measure = np.unravel_index(row, self.columns["outcome"].shape)
        return self.verdict(int(model), int(group), int(measure))

    def verdict(self, model: int, group: int, measure: int) -> Verdict:
        """Return the verdict on a model in a group by a measure, all by position."""
        from clearbar.verdict import Verdict

        numbers: dict[str, Any] = {
            column.name: column.kind(self.columns[column.name][model, group, measure])
            for column in _columns.COLUMNS
            if column.kind is not None and column.stored and column.name in Verdict.__dataclass_fields__
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
            **numbers,
        )

    @property
    def failing(self) -> _rows.Failing:
        """The verdicts that fail."""
        return _rows.Failing(self)

    def to_text(
        self,
        *,
        color: bool = False,
        encoding: str | None = None,
        alpha: float | None = None,
        most: int | None = MOST,
        columns: Sequence[str] | None = None,
        width: int | None = None,
        hints: Hints | None = None,
    ) -> str:
        """Return the scorecard as it is printed.

        Parameters
        ----------
        color : bool
            Whether the terminal understands ANSI colours.
        encoding : str, optional
            The stream's encoding; plain letters stand in for what it cannot show.
        alpha : float
            The p-value above which a score is marked as doubtful.
        most : int or None
            Rows of a table of the worst; None for all.
        columns : sequence of {"interval", "skill", "p"}, optional
            What stands beside each score; all for one model, nothing for several by default.
        width : int, optional
            Columns of the terminal, 80 by default; models that do not fit side by side are stacked.
        hints : Hints, optional
            What a reader can type for what is left out; methods of the card by default.
        """
        screen = Screen.chosen(color, encoding, width)
        return page(View.of(self, alpha, hints), most, columns, screen.columns).text(screen)

    def to_markdown(
        self, *, alpha: float | None = None, most: int | None = None, hints: Hints | None = None
    ) -> str:
        """Return the scorecard in GitHub-flavoured Markdown; names are escaped.

        Parameters
        ----------
        alpha, most, hints
            As for `to_text`; all rows by default.
        """
        return page(View.of(self, alpha, hints), most).markdown()

    def to_latex(self, *, alpha: float | None = None, most: int | None = None) -> str:
        """Return the scorecard's tables in LaTeX, with booktabs rules; names are escaped.

        Parameters
        ----------
        alpha, most
            As for `to_text`; all rows by default.
        """
        return page(View.of(self, alpha), most).latex()

    def _page(self, wide: int | None) -> Page:
        return page(View.of(self), wide=wide)


for _room, _names in {
    "_calibration": ("calibration",),
    "_compare": ("compare",),
    "_folds": ("all_ways", "fold_table"),
    "_gaps": ("gaps",),
    "_frames": ("to_csv", "to_dict", "to_flat_dict", "to_frame", "to_json", "to_model_index"),
    "_judged": ("per_class", "per_label"),
    "_leaderboard": ("leaderboard",),
    "_ranking": ("best_of", "ranking"),
    "_svg": ("to_svg",),
    "_slices": ("slices",),
    "_statement": ("statement",),
}.items():  # imported when they are first called
    for _name in _names:
        setattr(Scorecard, _name, Later(f"clearbar.scorecard.{_room}", _name))
