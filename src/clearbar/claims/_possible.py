"""Which confusion matrices have the scores that a paper prints: none, one, or many, and what all share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.claims._classes import PossibleClassScores, possible_class_scores
from clearbar.claims._folds import checked_folds, possible_means
from clearbar.claims._rows import (
    MOST_CELLS,
    Span,
    TableRanges,
    contradicting,
    is_linear,
    is_monotone,
    possible,
    with_values,
)
from clearbar.claims._sizes import (
    PossibleScores,
    checked_sizes,
    read_scores,
    scores_in_words,
    sizes_in_words,
)
from clearbar.core._typing import FloatArray
from clearbar.core._value import checked_flag, whole_number
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import CELLS, Counts, Population, counts_of
from clearbar.core.documents import document
from clearbar.core.errors import listed
from clearbar.evaluation.labels import evaluate_counts
from clearbar.formatting import capital, plural
from clearbar.problems.binary import baseline
from clearbar.verdict import Verdict

LISTED = 10_000  # tables that are held one by one unless more are asked for
ALL_TESTED = 64  # tables up to which every one is judged
CLOSEST = 48  # of more, those that are closest to the bar in standard errors
SPREAD = 14  # and those from end to end, besides the best and the worst
AT_ONCE = 2**16  # rows of which the closest are looked for

_STANDS = {
    "clears": "above the bar",
    "fails": "below the bar",
    "ties": "on the bar",
    "unbeatable": "judged by a bar that cannot be beaten",
    "undefined": "without a value",
}


@dataclass(frozen=True, eq=False, repr=False)
class PossibleTables(PossibleScores):
    """All confusion matrices that have the scores that were printed.

    Made by `clearbar.possible_tables`. Printing it says how many there are, what they have in common, and
    which of the printed scores clear their bars.

    Attributes
    ----------
    population : Population or int
        The class sizes; the number of samples where the positives are not known.
    scores : mapping of str to str
        The printed scores.
    contradiction : tuple of str
        A smallest set of scores that no table has together; empty where a table is possible.
    truncated : bool
        Whether decimals were cut off.
    folds : int
        The number of folds whose mean scores were printed, and over which tables are added up; 0 for none.
    limit : int
        The largest number of tables that `counts` holds.
    rows : TableRanges
        All tables: class sizes, TP, and from which FP to which.
    fits_truncated : bool
        Whether no table has the scores as rounded, but some has them as cut off.

    Examples
    --------
    >>> import clearbar as cb
    >>> tables = cb.possible_tables(cb.Population(30, 10), {"accuracy": "0.9", "recall": "0.8"})
    >>> tables.count, tables.range("f1"), tables.judge("f1").outcome
    (3, (0.8, 0.8888888888888888), 'clears')
    """

    population: Population | int
    scores: Mapping[str, str]
    contradiction: tuple[str, ...]
    truncated: bool
    folds: int
    limit: int
    rows: TableRanges
    fits_truncated: bool = False

    noun = "table"

    @property
    def count(self) -> int:
        """The number of tables."""
        return int(self.rows.sizes.sum())

    @cached_property
    def counts(self) -> Counts:
        """The tables in the order of positives, TP and FP, at most `limit` of them."""
        return _counts_in(self.rows.listed(self.limit))

    def range(self, measure: str | Measure) -> tuple[float, float]:
        """Return the least and the largest score of the tables on any measure.

        Parameters
        ----------
        measure : str or Measure
            Any measure of two classes.

        Returns
        -------
        low, high : float
            Over the tables on which it has a value; nan where there is none.

        Raises
        ------
        ValueError
            If the measure is not known to be monotone in FP, and the tables are too many to try all.
        """
        _, scores = _extremes(self.rows, get_measure(measure, "binary"))
        if not scores.size:
            return math.nan, math.nan
        return float(scores.min()), float(scores.max())

    def judge(self, measure: str | Measure) -> Verdict:
        """Return the verdict that holds for every table.

        Parameters
        ----------
        measure : str or Measure
            Any measure of two classes.

        Returns
        -------
        Verdict
            Of one table; of many, of the one that clears least surely. Where tables differ in whether they
            clear the bar, the outcome is "undefined", and the reason says so. Of more than 64 tables, those
            closest to the bar in standard errors and some from end to end are tested.

        Raises
        ------
        ValueError
            If no table is possible, or as `range` does.
        """
        if not self.count:
            raise ValueError("no table has these scores, so that there is nothing to judge.")
        return _judged(self.rows, get_measure(measure, "binary"))

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON."""
        cells = {name: np.asarray(cell).tolist() for name, cell in zip(CELLS, self.counts.cells, strict=True)}
        sizes = self.population
        ranges = {name: [*self.range(name)] for name in self.scores} if self.count else {}
        return document(
            {
                "total": sizes if isinstance(sizes, int) else int(sizes.total),
                "positives": None if isinstance(sizes, int) else int(sizes.positives),
                "scores": dict(self.scores),
                "truncated": self.truncated,
                "fits_truncated": self.fits_truncated,
                "folds": self.folds,
                "count": self.count,
                "contradiction": list(self.contradiction),
                "ranges": ranges,
                "tables": [
                    dict(zip(cells, table, strict=True)) for table in zip(*cells.values(), strict=True)
                ],
            }
        )

    def __repr__(self) -> str:
        return f"<PossibleTables: {self.count:,} of {sizes_in_words(self.population)}>"

    def _repr_html_(self) -> str:
        from clearbar.formatting import number
        from clearbar.notebook import sentence_html

        ranges = [(name, " – ".join(dict.fromkeys(map(number, self.range(name))))) for name in self.scores]
        return sentence_html("possible-tables", " ".join(str(self).splitlines()), ranges)

    @property
    def over(self) -> str:  # type: ignore[override]
        return f" as means over {self.folds} folds" if self.folds else ""

    def _found(self) -> str:
        tables = f"{plural(self.count, 'table')} of {sizes_in_words(self.population)}"
        head = f"{tables} {'has' if self.count == 1 else 'have'} {scores_in_words(self.scores)}{self.over}"
        together = "together " if self.folds else ""
        cells = ", ".join(
            f"{name.upper()} {f'{low:,}' if low == high else f'{low:,} to {high:,}'}"
            for name, (low, high) in self._cells()
        )
        verdicts = (f"{capital(str(self.judge(name)))}." for name in self.scores)
        return "\n".join([f"{head}: {together}{cells}.", *verdicts])

    def _cells(self) -> list[tuple[str, tuple[int, int]]]:
        rows = self.rows
        ends = {
            "tp": (rows.tp, rows.tp),
            "fp": (rows.low, rows.high),
            "fn": (rows.positives - rows.tp,) * 2,
            "tn": (rows.negatives - rows.high, rows.negatives - rows.low),
        }
        return [(name, (int(low.min()), int(high.max()))) for name, (low, high) in ends.items()]


def possible_tables(
    population: Population | ClassSizes | int,
    scores: Mapping[str, str],
    *,
    folds: int | Sequence[Population] | None = None,
    truncated: bool = False,
    limit: int = LISTED,
) -> PossibleTables | PossibleClassScores:
    """Find all confusion matrices that have the scores that a paper prints.

    Exact at any number of negatives: for each TP two bisections find the FP that are possible, and what lies
    next to an end of a printed number is decided in fractions.

    Parameters
    ----------
    population : Population, ClassSizes or int
        Class sizes; a number of samples where nobody says how many are positive: then all numbers are tried.
        Of more than two classes accuracy and macro recall are held against each other.
    scores : mapping of str to str
        By any name of a measure what was printed, as text: ``"0.91"`` or ``"91 %"`` stand for all that is
        rounded to them, both ends included, as rules of rounding differ. All digits of a float count as a
        float does: it is off by some units of its last digit.
    folds : int, or sequence of Population, optional
        The scores are means over so many stratified folds, as even as can be, or over folds of these class
        sizes. Then only measures that are linear in TP and FP can be decided, such as accuracy, recall and
        specificity, and tables are sums over folds.
    truncated : bool
        Whether decimals were cut off instead of rounded.
    limit : int
        The largest number of tables that are held one by one.

    Returns
    -------
    PossibleTables or PossibleClassScores
        The number of tables, the range of any measure over them, and the verdict that holds for all; or
        which scores contradict each other. The second where classes are more than two.

    Raises
    ------
    ValueError
        If a score is a number, which does not tell its decimals, or out of range; a measure is no function
        of the table; class sizes are too many to be tried; or a mean over folds is of a measure that is not
        linear; or `truncated` is neither True nor False.

    References
    ----------
    Fazekas & Kovács, Testing the consistency of performance scores reported for binary classification
    problems, Applied Soft Computing 164, 2024 (mlscorecheck).

    Examples
    --------
    >>> import clearbar as cb
    >>> print(cb.possible_tables(cb.Population(303, 139), {"accuracy": "0.91", "f1": "0.55"}))
    No table of 303 samples, 139 positive (45.9 %) has accuracy 0.91 and f1 0.55: they contradict each other.
    """
    sizes, limit = checked_sizes(population), whole_number("limit", limit, 1)
    truncated = checked_flag("truncated", truncated)
    if isinstance(sizes, ClassSizes):
        if folds is not None:
            raise ValueError("folds is for two classes; leave it out.")
        return possible_class_scores(sizes, scores, truncated=truncated)
    read = read_scores(scores, "binary")

    def spans(*, truncated: bool) -> list[Span]:
        return [Span(measure, *text.ends(truncated=truncated)) for measure, text in read.values()]

    of_folds = checked_folds(folds, sizes)

    def solve(spans: Sequence[Span]) -> TableRanges:
        if of_folds:
            return possible_means(of_folds, spans)
        every = range(sizes + 1) if isinstance(sizes, int) else [int(sizes.positives)]
        return possible(TableRanges.all(sizes if isinstance(sizes, int) else int(sizes.total), every), spans)

    rows, names = solve(spans(truncated=truncated)), list(read)
    at_odds: tuple[str, ...] = ()
    fits_truncated = False
    if not rows.tp.size:
        at_odds = tuple(names[place] for place in contradicting(spans(truncated=truncated), solve))
        if not truncated:
            with suppress(ValueError):  # where that is too much to find out
                fits_truncated = bool(solve(spans(truncated=True)).tp.size)
    printed = {name: text.text for name, (_, text) in read.items()}
    number = sum(group.number for group in of_folds)
    return PossibleTables(sizes, printed, at_odds, truncated, number, limit, rows, fits_truncated)


def _extremes(rows: TableRanges, measure: Measure) -> tuple[TableRanges, FloatArray]:
    """Return rows with values, and the scores at both ends of each, between which its others lie."""
    number = int(rows.sizes.sum())
    if is_monotone(measure) or is_linear(measure):
        rows = with_values(rows, measure)
        return rows, np.stack([rows.values(measure, fp) for fp in (rows.low, rows.high)])
    if number > MOST_CELLS:
        raise ValueError(
            f"{measure.name} is not known to be monotone in FP, and {number:,} tables are too many to try "
            f"one by one (at most {MOST_CELLS:,})."
        )
    rows = rows.listed(number)
    scores = rows.values(measure, rows.low)
    finite = np.isfinite(scores)
    return rows.of(finite), np.stack([scores[finite]] * 2)


def _counts_in(tables: TableRanges) -> Counts:
    """Return tables, one in each row, as Counts."""
    return counts_of((tables.tp, tables.low, tables.positives - tables.tp, tables.negatives - tables.low))


def _judged(rows: TableRanges, measure: Measure) -> Verdict:
    """Return the verdict on the table that clears least surely; undefined where they do not agree."""
    number = int(rows.sizes.sum())
    valued, scores = _extremes(rows, measure)
    missing = number > int(valued.sizes.sum())
    tables = rows.listed(number) if number <= ALL_TESTED else _closest(valued, scores, measure)
    columns = evaluate_counts(_counts_in(tables), measure).columns
    p_value, p_blind, outcomes = (columns[name][0, :, 0] for name in ("p_value", "p_value_blind", "outcome"))
    kinds = sorted({*outcomes.tolist(), *(["undefined"] * missing)})
    least_sure = np.fmax(p_value, p_blind) if kinds == ["clears"] else p_value
    weakest = tables.of([int(np.argmax(np.nan_to_num(least_sure, nan=-1.0)))])
    name = "the only possible table" if number == 1 else f"the weakest of {number:,} possible tables"
    (verdict,) = evaluate_counts({name: Counts.sum(_counts_in(weakest))}, measure)
    return verdict if len(kinds) == 1 else _undecided(verdict, number, kinds)


def _undecided(verdict: Verdict, number: int, outcomes: list[str]) -> Verdict:
    first, *others = (_STANDS[outcome] for outcome in outcomes)
    stand = listed([f"some are {first}", *(f"some {other}" for other in others)])
    nothing: Any = dict.fromkeys(("score", "skill", "p_value", "p_value_blind", "p_sure"), math.nan)
    nothing |= {"counts": None, "ends": None, "p_method": "", "p_blind_method": ""}
    return replace(
        verdict,
        model="the possible tables",
        outcome="undefined",
        p_corrected=1.0,
        reason=f"of the {number:,} possible tables {stand}",
        **nothing,
    )


def _closest(rows: TableRanges, scores: FloatArray, measure: Measure) -> TableRanges:
    """Return the best and the worst table, those closest to the bar, and some from end to end."""
    total = int(rows.positives[0] + rows.negatives[0])
    sizes, of_row = np.unique(rows.positives, return_inverse=True)
    bars: Any = baseline(Population(np.full_like(sizes, total), sizes), measure).value
    margins = scores - np.asarray(bars)[of_row]
    ends = np.concatenate((rows.low, rows.high))
    flat = np.nan_to_num(margins.reshape(-1), nan=np.inf)
    spread = np.linspace(0, flat.size - 1, SPREAD).astype(np.int64)
    near = np.argsort(np.abs(flat), kind="stable")[:AT_ONCE]
    errors = _standard_errors(rows, measure, near % len(rows.tp), ends[near])
    with np.errstate(divide="ignore", invalid="ignore"):
        by_error = near[np.argsort(np.abs(flat[near]) / errors, kind="stable")[:CLOSEST]]
    picked = np.unique(np.concatenate(([np.argmin(flat), np.argmax(flat)], by_error, spread)))
    fp = ends[picked]
    return rows.of(picked % len(rows.tp))._replace(low=fp, high=fp)


def _standard_errors(rows: TableRanges, measure: Measure, places: Any, fp: Any) -> FloatArray:
    """Return standard errors of scores by the delta method, rates moved off 0 and 1."""
    tables = rows.of(places)
    sides = ((tables.tp, tables.positives, (1, 0)), (fp, tables.negatives, (0, 1)))
    variance = np.zeros(len(tables.tp))
    for cell, size, (of_tp, of_fp) in sides:
        steps = [np.clip(cell + step, 0, size) - cell for step in (-1, 1)]
        ends = [
            tables._replace(tp=tables.tp + of_tp * step).values(measure, fp + of_fp * step) for step in steps
        ]
        width = np.maximum(steps[1] - steps[0], 1)
        rate = (cell + 1) / (size + 2)
        variance += ((ends[1] - ends[0]) / width) ** 2 * size * rate * (1 - rate)
    return np.asarray(np.sqrt(np.nan_to_num(variance, nan=np.inf)))
