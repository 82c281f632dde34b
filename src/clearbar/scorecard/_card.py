"""The scorecard: every verdict on some models, slices and measures, and the ways to read it."""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np

from clearbar.core._numbers import whole_number
from clearbar.scorecard import _rows
from clearbar.scorecard._between_models import BetweenModels
from clearbar.scorecard._explain import explain
from clearbar.scorecard._headline import headline
from clearbar.scorecard._judged import per_class, per_label
from clearbar.scorecard._slices import Slices, slices_of
from clearbar.verdict import UNJUDGED, Verdict, checked_alpha, surely


@dataclass(frozen=True, eq=False)
class Scorecard(BetweenModels):
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
    counts : Counts or None
        What happened: arrays of shape (models, groups), or (models, groups, runs). None where
        scores, not labels, are judged.
    baselines : tuple of Baseline
        For each measure the bars on the groups' class sizes.
    columns : mapping of str to ndarray
        Every number, outcome and reason, each of shape (models, groups, measures).
    undefined : "exclude", "worst" or float
        What was done about outcomes without a value.
    confidence_level : float
        That of the intervals; a score is sure at one minus it.
    has_p_values : bool
        Whether p-values were asked for: ``intervals=False`` leaves them out, and nothing is sure.
    tries : int
        Each model is the best of so many, fixed before any score was seen; what is sure is corrected.
    notes : tuple of str
        Sentences about the whole, which are printed below the tables.
    call : str
        What made it, for the report; no part of what is compared.

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

    @property
    def failing(self) -> _rows.Failing:
        """The verdicts that fail."""
        return _rows.Failing(self)

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
            out. Rows that cannot be judged, undefined or with a bar that cannot be beaten, are left
            out unless there are no others.

        Raises
        ------
        ValueError
            If `n` or `min_support` is no whole number from 0 up.
        """
        n, min_support = whole_number("n", n), whole_number("min_support", min_support)
        support = np.asarray(self.population.total)
        rows = (support >= min_support) & _rows.slices(self)
        chosen = np.broadcast_to(rows[None, :, None], self.columns["outcome"].shape)
        judged = chosen & ~np.isin(self.columns["outcome"], UNJUDGED)
        order = _rows.worst_rows(self, judged if judged.any() else chosen)
        return tuple(self[int(row)] for row in order[:n])

    def slices(
        self,
        measure: Any = None,
        model: str | None = None,
        *,
        alpha: float | None = None,
        min_support: int = 0,
    ) -> Slices:
        """Judge all slices on one measure together, corrected for asking about so many.

        p-values are corrected in both directions (Benjamini and Hochberg; where several models share
        the slices, Benjamini and Yekutieli) for all slices and models of the scorecard, whichever are
        shown. No slice is said to fail because its p-value is large.

        Parameters
        ----------
        measure : str or Measure, optional
            Any name of a measure in this scorecard; its first by default.
        model : str, optional
            A model; all by default.
        alpha : float
            The false discovery rate that is accepted among what is sure, above the bar or below.
        min_support : int
            Samples that a slice must have to be shown.

        Returns
        -------
        Slices
            Furthest below the bar first. Each clears surely or is surely below; is above or below, but
            that could be chance; is exactly at the bar; or has no value.

        Raises
        ------
        ValueError
            If nothing matches, there are no slices, or no p-values.

        Examples
        --------
        >>> import clearbar as cb
        >>> counts = cb.Counts(tp=[30, 12, 2], fp=[6, 9, 0], fn=[5, 10, 0], tn=[40, 8, 1])
        >>> card = cb.evaluate_counts(counts, "mcc", groups=["A", "B", "C"])
        >>> card.slices().counts
        {'above, could be chance': 2, 'clears surely': 1}
        """
        smallest = whole_number("min_support", min_support)
        at = 0 if measure is None else _rows.which_measure(self, measure)
        models = range(len(self.models)) if model is None else [_rows.which_model(self, model)]
        return slices_of(self, at, list(models), alpha, smallest)

    def clears(
        self,
        measure: Any = None,
        model: str | None = None,
        group: Any = None,
        alpha: float | EllipsisType | None = ...,
    ) -> bool:
        """Whether every verdict that matches surely clears its bar.

        Parameters
        ----------
        measure : str or Measure, optional
            Any name of a measure; all by default.
        model : str, optional
            A model; all by default.
        group : object, optional
            A slice; by default the whole and every slice.
        alpha : float or None, optional
            The level at which a score is sure, by default the scorecard's own: 0.05 at a confidence level of
            0.95. None for the score alone.

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
        if alpha is None:
            return bool((self.columns["outcome"][rows] == "clears").all())
        if not self.has_p_values:
            raise ValueError(
                "intervals=False left out how surely; pass alpha=None to ask for the score alone."
            )
        level = self.alpha if alpha is ... else checked_alpha(alpha)
        return bool(surely(self.columns, level)[rows].all())

    def explain(self, measure: Any, model: str | None = None, group: Any = None) -> str:
        """Say what a measure asks, what its bar is and who attains it, and how the models stand.

        With several runs, scores are means over them.

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

    def per_class(self, measures: Any = None, *, group: Any = None) -> Scorecard:
        """Judge each class against the rest.

        Parameters
        ----------
        measures : str, Measure, or list of them, optional
            Measures of two classes; the common ones by default.
        group : object, optional
            The slice; all samples by default.

        Returns
        -------
        Scorecard
            Its slices are the classes; ``card.per_class("accuracy").slices()`` judges them together.

        Raises
        ------
        ValueError
            If the labels were not of more than two classes, or nothing matches.

        Examples
        --------
        >>> import clearbar as cb
        >>> matrix = cb.ConfusionMatrix([[50, 6, 4], [10, 25, 5], [5, 5, 15]], labels=["a", "b", "c"])
        >>> card = cb.evaluate_multiclass(matrix).per_class("f1")
        >>> [(verdict.group, verdict.outcome) for verdict in card]
        [('a', 'clears'), ('b', 'clears'), ('c', 'clears')]
        """
        at = 0 if group is None else _rows.which_group(self, group)
        return per_class(self, measures, at)

    def per_label(self, measures: Any = None, *, group: Any = None) -> Scorecard:
        """Judge each label on its own, where samples have sets of labels.

        Parameters
        ----------
        measures : str, Measure, or list of them, optional
            Measures of two classes; the common ones by default.
        group : object, optional
            The slice; all samples by default.

        Returns
        -------
        Scorecard
            Its slices are the labels; ``card.per_label("accuracy").slices()`` judges them together.

        Raises
        ------
        ValueError
            If samples had no sets of labels, or nothing matches.

        Examples
        --------
        >>> import clearbar as cb
        >>> Y_true = [{"a"}, {"a", "b"}, {"c"}, {"b"}, {"a"}, {"a", "c"}]
        >>> Y_pred = [{"a"}, {"a", "b"}, {"c"}, {"c"}, {"a"}, {"a"}]
        >>> card = cb.evaluate_multilabel(Y_true, Y_pred).per_label("f1")
        >>> [(verdict.group, verdict.outcome) for verdict in card]
        [('a', 'clears'), ('b', 'clears'), ('c', 'ties')]
        """
        at = 0 if group is None else _rows.which_group(self, group)
        return per_label(self, measures, at)

    def headline(self, alpha: float | None = None) -> str:
        """Return the verdict in a sentence.

        Parameters
        ----------
        alpha : float
            The corrected p-value above which a score could be chance; that of the scorecard by default.

        Returns
        -------
        str
        """
        return headline(self, alpha)

    def __repr__(self) -> str:
        """Return how much there is."""
        sizes = len(self.models), len(self.groups), len(self.measures)
        return "<Scorecard: {} models x {} groups x {} measures>".format(*sizes)
