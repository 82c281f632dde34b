"""Expected scores of scikit-learn's dummies and of coin flips, exactly, beside the bar."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, door, fill_value, get_measure
from clearbar.core._typing import Undefined
from clearbar.core._value import Value, number_or_nan
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import Population
from clearbar.core.errors import shown
from clearbar.core.reasons import OTHER_POLICIES
from clearbar.formatting import (
    Cell,
    Column,
    Screen,
    Table,
    escape_html,
    number,
    percent,
    plural,
    signed,
    visible,
)
from clearbar.null import coin_score, one_population
from clearbar.problems.binary import Baseline, baseline
from clearbar.problems.binary._baseline import population_of


@dataclass(frozen=True, eq=False)
class Dummy(Value):
    """One dummy: it looks at no feature and calls every sample positive with the same probability.

    Attributes
    ----------
    strategy : str
        As in scikit-learn's ``DummyClassifier``; ``"coin"`` for a coin of your own.
    chance : float
        Probability of calling a sample positive.
    expected : float
        Its expected score; nan where that has no value.
    reason : str
        Why there is none; empty where there is one.
    """

    strategy: str
    chance: float
    expected: float
    reason: str = ""

    def __float__(self) -> float:
        """Return the expected score."""
        return self.expected


@dataclass(frozen=True, eq=False)
class Dummies(Value):
    """The expected scores of all dummies, beside the bar that none of them exceeds.

    Made by `dummies`. Iterating gives the rows, ``found["stratified"]`` one of them.

    Attributes
    ----------
    bar : Baseline
        The best expected score of any classifier that ignores its input.
    rows : tuple of Dummy
        One per strategy.
    """

    bar: Baseline
    rows: tuple[Dummy, ...]

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.bar.measure

    @property
    def population(self) -> Population:
        """Class sizes of the test set."""
        return self.bar.population

    def __iter__(self) -> Iterator[Dummy]:
        """Iterate over the strategies."""
        return iter(self.rows)

    def __len__(self) -> int:
        """Count the strategies."""
        return len(self.rows)

    def __getitem__(self, strategy: str | int) -> Dummy:
        """Return one strategy, by its name or its place."""
        if isinstance(strategy, (int, np.integer)):
            return self.rows[strategy]
        for row in self.rows:
            if row.strategy == strategy:
                return row
        names = ", ".join(repr(row.strategy) for row in self.rows)
        raise KeyError(f"no strategy is called {strategy!r}; there are {names}.")

    def coin(self, chance: float) -> Dummy:
        """Return a coin that calls a sample positive with this probability.

        Parameters
        ----------
        chance : float
            Probability of heads, from 0 to 1.

        Returns
        -------
        Dummy

        Examples
        --------
        >>> import clearbar as cb
        >>> round(cb.dummies(cb.Population(20, 6), "f1").coin(0.9).expected, 4)
        0.4495
        """
        return _dummy(self.bar, "coin", _probability("chance", chance))

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the rows as columns, from which any library makes a frame.

        Returns
        -------
        dict of str to list
            ``strategy``, ``chance``, ``expected``, ``bar`` and ``reason``.
        """
        bar = float(self.bar.value)
        return {
            "strategy": [row.strategy for row in self.rows],
            "chance": [row.chance for row in self.rows],
            "expected": [row.expected for row in self.rows],
            "bar": [bar for _ in self.rows],
            "reason": [row.reason for row in self.rows],
        }

    def __str__(self) -> str:
        """Return a sentence, the table and the reasons."""
        screen = Screen.plain(sys.stdout)
        head, *notes = map(screen.sentence, self._sentences())
        return "\n".join([head, "", screen.table(self._table()), *notes])

    def _repr_html_(self) -> str:
        head, *notes = (f"<p>{escape_html(text)}</p>" for text in self._sentences())
        return f"<div>{head}{self._table().to_html()}{''.join(notes)}</div>"

    def _sentences(self) -> list[str]:
        """Say the sizes and the bar, and why strategies expect nothing."""
        label, value = visible(self.measure.label), float(self.bar.value)
        if math.isnan(value):
            said = f"There is no bar for {label}: {self.bar.reason}."
        else:
            often = "" if self.bar.attained_by.certain else " on average"
            shown = number(value, int(self.population.total))
            said = f"The {label} bar is {shown}{often}: {self.bar.recipe}."
        by_reason: dict[str, list[str]] = {}
        for row in self.rows:
            by_reason.setdefault(row.reason, []).append(row.strategy)
        notes = [f"{', '.join(names)}: {reason}." for reason, names in by_reason.items() if reason]
        return [f"{self._sizes()} {said}", *notes]

    def _sizes(self) -> str:
        total, positives = int(self.population.total), int(self.population.positives)
        leading = visible(self.population.leading[0])
        return f"{plural(total, 'sample')}, {positives:,} {leading} ({percent(positives / total)})."

    def _table(self) -> Table:
        expected = f"expected {visible(self.measure.label)}"
        predicted = f"predicted {visible(self.population.leading[0])}"
        header = ("DummyClassifier", predicted, expected, "minus the bar")
        columns = (Column(), Column("right"), Column("decimal"), Column("decimal"))
        total, bar, rows = int(self.population.total), float(self.bar.value), []
        for row in self.rows:
            gap = row.expected - bar
            if abs(gap) <= 1e-12 * max(abs(row.expected), abs(bar)):
                gap = 0.0  # they are one number, summed in two ways
            texts = row.strategy, percent(row.chance), number(row.expected, total), signed(gap, 3)
            rows.append(tuple(map(Cell, texts)))
        return Table(columns, (tuple(map(Cell, header)),), tuple(rows))


def dummies(
    y_true: Any,
    measure: str | Measure,
    *,
    prevalence: float | None = None,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
) -> Dummies:
    """Return what every strategy of scikit-learn's ``DummyClassifier`` expects to score, beside the bar.

    Exactly: nothing needs to be fitted, seeded or simulated.

    Parameters
    ----------
    y_true : array_like of shape (M,), Population or ClassSizes
        True labels of the test set; only their numbers matter. Of more than two classes all shares are
        those of `y_true`, and 0/0 counts 0.
    measure : str, Measure or ClassMeasure
        The measure.
    prevalence : float, optional
        Share of positives in the labels the dummies were fitted on; that of `y_true` when not given.
        Of two classes of one size the dummies take the negative one to be the most frequent, as
        scikit-learn does with the first in order.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    undefined : {"exclude", "worst"} or float
        The policy for outcomes without a value; see `baseline`. Under "exclude" a coin's score is
        that of the flips with a value, as long as the number of predicted positives alone decides
        which those are.

    Returns
    -------
    Dummies

    Raises
    ------
    ValueError
        If the labels are not binary, the measure is unknown or an option is none of the above.

    Notes
    -----
    A coin with probability p predicts k samples positive with probability C(M, k) p^k (1-p)^(M-k), and
    all subsets of k samples are then equally likely. Its expected score is therefore a weighted mean
    of those of the draws, and exceeds the best of them never (Pries et al., Statistica Neerlandica
    2023, theorem 1).

    Examples
    --------
    >>> import clearbar as cb
    >>> print(cb.dummies(cb.Population(20, 6), "f1"))
    20 samples, 6 positive (30.0 %). The F1 bar is 0.462: predict all 20 positive.
    <BLANKLINE>
    DummyClassifier      predicted positive  expected F1  minus the bar
    most_frequent                       0 %        0             −0.462
    prior                               0 %        0             −0.462
    stratified                       30.0 %        0.291         −0.171
    uniform                          50.0 %        0.370         −0.091
    constant (negative)                 0 %        0             −0.462
    constant (positive)               100 %        0.462          0
    """
    of_many = get_measure(measure).kind == "multiclass" or isinstance(y_true, ClassSizes)
    population = None if of_many else population_of(y_true, pos_label)
    if population is None:
        if pos_label is not None or undefined != "exclude":
            raise ValueError("pos_label and undefined are for two classes; leave them out for more.")
        answer: Any = door("dummies", "multiclass")
        of_classes: Dummies = answer(y_true, measure, prevalence=prevalence)
        return of_classes
    entry = get_measure(measure, "binary")
    one_population(population, name="y_true")
    bar = baseline(population, entry, undefined=undefined)
    share = float(population.prevalence) if prevalence is None else _probability("prevalence", prevalence)
    usual, (negative, positive) = float(share > 0.5), population.labels
    chances = {
        "most_frequent": usual,
        "prior": usual,
        "stratified": share,
        "uniform": 0.5,
        f"constant ({negative})": 0.0,
        f"constant ({positive})": 1.0,
    }
    by_chance = {chance: _dummy(bar, "", chance) for chance in set(chances.values())}
    rows = (replace(by_chance[chance], strategy=strategy) for strategy, chance in chances.items())
    return Dummies(bar, tuple(rows))


def _probability(name: str, value: Any) -> float:
    number = number_or_nan(value)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be a probability from 0 to 1; found {shown(value)}.")
    return number


def _dummy(bar: Baseline, strategy: str, chance: float) -> Dummy:
    measure = bar.measure
    total, positives = int(bar.population.total), int(bar.population.positives)
    score = coin_score(measure, total, positives, chance, fill=fill_value(measure, total, bar.undefined))
    reason = ""
    if not score.settled:
        reason = (
            "of flips that call equally many samples positive some have a value and some have none; "
            f"{OTHER_POLICIES} gives them one"
        )
    elif math.isnan(score.mean):
        reason = "no prediction has a value"
    return Dummy(strategy, chance, math.nan if reason else score.mean, reason)
