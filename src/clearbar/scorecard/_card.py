"""The scorecard: every verdict on some models, slices and measures, stored as columns."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, overload

import numpy as np

from clearbar._typing import Undefined
from clearbar._value import Value
from clearbar.baseline import Baseline
from clearbar.counts import Counts
from clearbar.measures import Measure
from clearbar.scorecard import _compare, _frames, _render, _rows
from clearbar.scorecard._explain import explain
from clearbar.scorecard._headline import headline
from clearbar.verdict import Verdict

FLOATS = (
    "score",
    "bar",
    "best_possible",
    "worst_draw",
    "skill",
    "p_value",
    "p_value_matched",
    "score_sd",
    "share_clearing",
)


@dataclass(frozen=True, eq=False)
class Scorecard(Value):
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
        What is judged by.
    counts : Counts
        What happened: arrays of shape (models, groups), or (models, groups, runs).
    baselines : tuple of Baseline
        For each measure the bars on the groups' class sizes.
    columns : mapping of str to ndarray
        Every number, outcome and reason, each of shape (models, groups, measures).
    undefined : "exclude", "worst" or float
        What was done about outcomes without a value.
    agreements : mapping, optional
        For an ordered pair of models: on how many samples only the first, and only the second, is
        right.

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
    measures: tuple[Measure, ...]
    counts: Counts
    baselines: tuple[Baseline, ...]
    columns: Mapping[str, Any]
    undefined: Undefined
    agreements: Mapping[tuple[str, str], tuple[int, int]] | None = None

    def __post_init__(self) -> None:
        for name in ("models", "groups", "measures", "baselines"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        columns = {name: _read_only(self.columns, name) for name in (*FLOATS, "outcome", "reason")}
        object.__setattr__(self, "columns", MappingProxyType(columns))
        if self.agreements is not None:
            object.__setattr__(self, "agreements", MappingProxyType(dict(self.agreements)))
        object.__setattr__(self, "_bars", {})
        self._check()

    def _check(self) -> None:
        shape = len(self.models), len(self.groups), len(self.measures)
        for name, column in self.columns.items():
            if column.shape != shape:
                found = column.shape
                msg = f"columns[{name!r}] must have shape {shape}: models, groups, measures; found {found}."
                raise ValueError(msg)
        if self.counts.shape[:2] != shape[:2] or len(self.counts.shape) not in {2, 3}:
            found = self.counts.shape
            msg = f"counts must have shape {shape[:2]}: models, groups, and maybe runs; found {found}."
            raise ValueError(msg)
        if len(self.baselines) != shape[2] or any(
            bar.population.shape != shape[1:2] for bar in self.baselines
        ):
            msg = f"baselines must hold one per measure ({shape[2]}), each over the {shape[1]} groups."
            raise ValueError(msg)
        if len(set(self.models)) != len(self.models):
            msg = f"models must have different names; found {self.models!r:.200}."
            raise ValueError(msg)
        for cell in (np.asarray(self.counts.total), np.asarray(self.counts.positives)):
            first = cell.reshape(cell.shape[0], cell.shape[1], -1)[:1, :, :1]
            if (cell.reshape(cell.shape[0], cell.shape[1], -1) != first).any():
                msg = "all models must be judged on the same samples; their class sizes differ."
                raise ValueError(msg)

    def _identity(self) -> tuple[Any, ...]:
        agreements = None if self.agreements is None else tuple(sorted(self.agreements.items()))
        fields = self.models, self.groups, self.measures, self.counts, self.baselines, self.undefined
        return (*fields, agreements, *self.columns.values())

    def __reduce__(self) -> Any:
        """Pickle by the fields."""
        agreements = None if self.agreements is None else dict(self.agreements)
        fields = self.models, self.groups, self.measures, self.counts, self.baselines
        return type(self), (*fields, dict(self.columns), self.undefined, agreements)

    @property
    def runs(self) -> int:
        """Number of runs of each model."""
        return int(self.counts.shape[2]) if self.several_runs else 1

    @property
    def several_runs(self) -> bool:
        """Whether the counts have an axis of runs."""
        return len(self.counts.shape) == 3

    def bar(self, measure: int, group: int = 0) -> Baseline:
        """Return the bar of a measure in a group, both by position.

        Parameters
        ----------
        measure, group : int
            Positions in `measures` and `groups`.

        Returns
        -------
        Baseline
        """
        known: dict[tuple[int, int], Baseline] = getattr(self, "_bars")  # noqa: B009 - not a field
        if (measure, group) not in known:
            known[measure, group] = self.baselines[measure][group]
        return known[measure, group]

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
        row = operator.index(index)
        row = row + len(self) if row < 0 else row
        if not 0 <= row < len(self):
            msg = f"row {index} is out of range: this scorecard has {len(self):,} rows."
            raise IndexError(msg)
        group_and_measure = len(self.groups) * len(self.measures)
        return self._verdict(
            row // group_and_measure, row % group_and_measure // len(self.measures), row % len(self.measures)
        )

    def _verdict(self, model: int, group: int, measure: int) -> Verdict:
        at = model, group, measure
        numbers = {name: float(self.columns[name][at]) for name in FLOATS if name != "bar"}
        return Verdict(
            model=self.models[model],
            group=self.groups[group],
            measure=self.measures[measure],
            counts=self.counts[model, group],
            baseline=self.bar(measure, group),
            outcome=str(self.columns["outcome"][at]),  # type: ignore[arg-type]
            reason=str(self.columns["reason"][at]),
            runs=self.runs,
            **numbers,
        )

    @property
    def failing(self) -> _rows.Failing:
        """The verdicts that fail; ``failing(all_models=True)``: those of slices no model clears."""
        return _rows.Failing.of(self)

    def worst(self, n: int, min_support: int = 0) -> tuple[Verdict, ...]:
        """Return the verdicts with the lowest skill.

        Parameters
        ----------
        n : int
            How many at most.
        min_support : int
            Samples that a slice must have.

        Returns
        -------
        tuple of Verdict
            Lowest skill first, those without skill last. Where there are slices, the whole is left
            out.

        Raises
        ------
        ValueError
            If `n` is negative.
        """
        if operator.index(n) < 0:
            msg = f"n must be a whole number from 0 up; found {n!r}."
            raise ValueError(msg)
        support = np.asarray(self.counts.total).reshape(len(self.models), len(self.groups), -1)[:, :, 0]
        rows = (support >= min_support) & _rows.slices(self)
        found = _rows.worst_rows(self, np.repeat(rows[:, :, None], len(self.measures), axis=2))
        return tuple(self[int(row)] for row in found[:n])

    def clears(self, measure: Any = None, model: str | None = None, group: Any = None) -> bool:
        """Whether every verdict that matches clears its bar.

        Parameters
        ----------
        measure : str or Measure, optional
            Any name of a measure; all by default.
        model : str, optional
            A model; all by default.
        group : object, optional
            A slice; by default the whole and every slice.

        Returns
        -------
        bool
            Ties, undefined cases and bars that cannot be beaten do not clear.

        Raises
        ------
        ValueError
            If nothing matches; the message lists what there is.
        """
        rows = _rows.matching(self, measure, model, group)
        return bool((self.columns["outcome"][rows] == "clears").all())

    def explain(self, measure: Any, model: str | None = None, group: Any = None) -> str:
        """Say what a measure asks, what its bar is and who attains it, and how the models stand.

        Parameters
        ----------
        measure : str or Measure
            Any name of a measure in this scorecard.
        model : str, optional
            A model; all by default.
        group : object, optional
            A slice; the whole by default.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If nothing matches; the message lists what there is.
        """
        chosen = range(len(self.models)) if model is None else [_rows.which_model(self, model)]
        at = 0 if group is None else _rows.which_group(self, group)
        return explain(self, _rows.which_measure(self, measure), chosen, at)

    def compare(self, a: str, b: str, measure: Any) -> _compare.Comparison:
        """Compare two models on all samples.

        Parameters
        ----------
        a, b : str
            The models.
        measure : str or Measure
            Any name of a measure in this scorecard.

        Returns
        -------
        Comparison
            Differences in score and skill, and the exact McNemar test of both being right equally
            often.

        Raises
        ------
        ValueError
            If nothing matches, or the scorecard was made from counts: they do not tell on which
            samples the models differ.
        """
        one, other = _rows.which_model(self, a), _rows.which_model(self, b)
        return _compare.compare(self, one, other, _rows.which_measure(self, measure))

    def headline(self, alpha: float = _rows.ALPHA) -> str:
        """Return the verdict in a sentence.

        Parameters
        ----------
        alpha : float
            A score that some feature-blind classifier reaches with a higher probability is called no
            more surely cleared than by a lucky guess.

        Returns
        -------
        str
        """
        return headline(self, alpha)

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return a data frame with a row per verdict.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            The library that makes it.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table

        Raises
        ------
        ValueError
            If the backend is none of these.
        ImportError
            If the library is not installed.
        """
        return _frames.to_frame(self, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON: None where a number is nan or infinite.

        Returns
        -------
        dict
            The version, the policy for undefined cases, and a dictionary per row.
        """
        return _frames.to_dict(self)

    def to_json(self, indent: int | None = None) -> str:
        """Return one strict JSON document: nan and infinity are null, the reason stands beside.

        Parameters
        ----------
        indent : int, optional
            Blanks per level; everything on one line by default.

        Returns
        -------
        str
        """
        return _frames.to_json(self, indent)

    def to_text(
        self,
        *,
        color: bool = False,
        encoding: str | None = None,
        alpha: float = _rows.ALPHA,
        most: int | None = 20,
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

        Returns
        -------
        str
        """
        return _render.text(self, color=color, encoding=encoding, alpha=alpha, most=most)

    def to_markdown(self, *, alpha: float = _rows.ALPHA, most: int | None = None) -> str:
        """Return the scorecard in GitHub-flavoured Markdown; names are escaped.

        Parameters
        ----------
        alpha, most
            As for `to_text`; all rows by default.

        Returns
        -------
        str
        """
        return _render.markdown(self, alpha=alpha, most=most)

    def to_latex(self, *, alpha: float = _rows.ALPHA, most: int | None = None) -> str:
        """Return the scorecard's tables in LaTeX, with booktabs rules; names are escaped.

        Parameters
        ----------
        alpha, most
            As for `to_text`; all rows by default.

        Returns
        -------
        str
        """
        return _render.latex(self, alpha=alpha, most=most)

    def __str__(self) -> str:
        """Return the verdict, the table and the reasons, in characters that standard output can show."""
        return self.to_text(encoding=getattr(sys.stdout, "encoding", None))

    def __repr__(self) -> str:
        """Return how much there is."""
        sizes = len(self.models), len(self.groups), len(self.measures)
        return "<Scorecard: {} models x {} groups x {} measures>".format(*sizes)

    def _repr_html_(self) -> str:
        """Return the scorecard for a notebook."""
        return _render.html(self, alpha=_rows.ALPHA, most=20)


def _read_only(columns: Mapping[str, Any], name: str) -> Any:
    if name not in columns:
        msg = f"columns lacks {name!r}."
        raise ValueError(msg)
    kind: Any = np.float64 if name in FLOATS else None
    found = np.array(columns[name], dtype=kind)
    found.flags.writeable = False
    return found
