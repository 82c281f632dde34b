"""Which confusion matrices have the scores that a paper prints: none, one, or many, and what all share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.claims._classes import PossibleClassScores, possible_class_scores
from clearbar.claims._folds import checked_folds, possible_means
from clearbar.claims._rows import Span, TableRanges, contradicting, possible
from clearbar.claims._sizes import (
    checked_sizes,
    contradiction_in_words,
    read_scores,
    scores_in_words,
    sizes_in_words,
)
from clearbar.claims._weakest import counts_in, extremes, judged
from clearbar.core import Later
from clearbar.core._value import Value, checked_flag, whole_number
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import CELLS, Counts, Population
from clearbar.core.documents import document
from clearbar.formatting import capital, plural
from clearbar.verdict import Verdict

LISTED = 10_000  # tables that are held one by one unless more are asked for


@dataclass(frozen=True, eq=False, repr=False)
class PossibleTables(Value):
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

    _repr_html_ = Later("clearbar.claims._words", "tables_html")

    @property
    def count(self) -> int:
        """The number of tables."""
        return int(self.rows.sizes.sum())

    @cached_property
    def counts(self) -> Counts:
        """The tables in the order of positives, TP and FP, at most `limit` of them."""
        return counts_in(self.rows.listed(self.limit))

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
        _, scores = extremes(self.rows, get_measure(measure, "binary"))
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
        return judged(self.rows, get_measure(measure, "binary"))

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

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, cut_off: str = "pass truncated=True") -> str:
        """Return the sentences that are printed.

        Parameters
        ----------
        cut_off : str
            What a reader does where decimals that were cut off would resolve a contradiction.
        """
        printed, samples = self.scores, sizes_in_words(self.population)
        over = f" as means over {self.folds} folds" if self.folds else ""
        together = "together " if self.folds else ""
        if not self.count:
            cut_off = cut_off if self.fits_truncated else ""
            return contradiction_in_words("table", samples, printed, self.contradiction, over, cut_off)
        has = "has" if self.count == 1 else "have"
        head = f"{plural(self.count, 'table')} of {samples} {has} {scores_in_words(printed)}{over}"
        cells = ", ".join(f"{name.upper()} {_from_to(cell)}" for name, cell in self._cells())
        return "\n".join(
            [f"{head}: {together}{cells}.", *(f"{capital(str(self.judge(name)))}." for name in printed)]
        )

    def _cells(self) -> list[tuple[str, tuple[int, int]]]:
        rows = self.rows
        ends = {
            "tp": (rows.tp, rows.tp),
            "fp": (rows.low, rows.high),
            "fn": (rows.positives - rows.tp,) * 2,
            "tn": (rows.negatives - rows.high, rows.negatives - rows.low),
        }
        return [(name, (int(low.min()), int(high.max()))) for name, (low, high) in ends.items()]


def _from_to(ends: tuple[int, int]) -> str:
    low, high = ends
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


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

    def solve(chosen: Sequence[Span]) -> TableRanges:
        if of_folds:
            return possible_means(of_folds, chosen)
        every = range(sizes + 1) if isinstance(sizes, int) else [int(sizes.positives)]
        return possible(TableRanges.all(sizes if isinstance(sizes, int) else int(sizes.total), every), chosen)

    rows, names = solve(spans(truncated=truncated)), list(read)
    at_odds: tuple[str, ...] = ()
    fits_truncated = False
    if not rows.tp.size:
        at_odds = tuple(names[place] for place in contradicting(spans(truncated=truncated), solve))
        fits_truncated = not truncated and _can_be(solve, spans(truncated=True))
    printed = {name: text.text for name, (_, text) in read.items()}
    number = sum(group.number for group in of_folds)
    return PossibleTables(sizes, printed, at_odds, truncated, number, limit, rows, fits_truncated)


def _can_be(solve: Callable[[Sequence[Span]], TableRanges], spans: Sequence[Span]) -> bool:
    """Tell whether some table has these scores; no where that is too much to find out."""
    try:
        return bool(solve(spans).tp.size)
    except ValueError:
        return False
