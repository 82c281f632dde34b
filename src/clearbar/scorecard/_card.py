"""The scorecard: every verdict on some models, slices and measures, and the ways to read it."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np

from clearbar.scorecard import _best_of, _compare, _ranking, _rows
from clearbar.scorecard._documents import Documents
from clearbar.scorecard._explain import explain
from clearbar.scorecard._headline import headline
from clearbar.scorecard._leaderboard import Leaderboard, leaderboard_of
from clearbar.scorecard._per_class import per_class, per_label
from clearbar.scorecard._slices import Slices
from clearbar.scorecard._together import slices_of
from clearbar.verdict import Verdict, checked_alpha, surely


@dataclass(frozen=True, eq=False)
class Scorecard(Documents):
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
        """The verdicts that fail; ``failing(all_models=True)``: those of slices no model clears."""
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
            If `n` or `min_support` is negative.
        """
        for name, value in (("n", n), ("min_support", min_support)):
            if operator.index(value) < 0:
                msg = f"{name} must be a whole number from 0 up; found {value!r}."
                raise ValueError(msg)
        support = np.asarray(self.population.total)
        rows = (support >= min_support) & _rows.slices(self)
        chosen = np.broadcast_to(rows[None, :, None], self.columns["outcome"].shape)
        judged = chosen & ~np.isin(self.columns["outcome"], ("undefined", "unbeatable"))
        found = _rows.worst_rows(self, judged if judged.any() else chosen)
        return tuple(self[int(row)] for row in found[:n])

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
        if operator.index(min_support) < 0:
            msg = f"min_support must be a whole number from 0 up; found {min_support!r}."
            raise ValueError(msg)
        at = 0 if measure is None else _rows.which_measure(self, measure)
        models = range(len(self.models)) if model is None else [_rows.which_model(self, model)]
        return slices_of(self, at, list(models), alpha, min_support)

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

    def leaderboard(self, measure: Any = None) -> Leaderboard:
        """Put the models below each other, the best first, with their scores on the whole and on each slice.

        Parameters
        ----------
        measure : str or Measure, optional
            Any name of the measure that orders them; the first by default.

        Returns
        -------
        Leaderboard
            The bars are a row of their own.

        Raises
        ------
        ValueError
            If nothing matches, or there are no slices.
        """
        return leaderboard_of(self, 0 if measure is None else _rows.which_measure(self, measure))

    def compare(
        self, a: str, b: str, measure: Any, *, margin: float | None = None, over: str | None = None
    ) -> _compare.Comparison:
        """Compare two models: by how much is one better, how surely, and what may be concluded?

        Parameters
        ----------
        a, b : str
            The models.
        measure : str or Measure
            Any name of a measure in this scorecard.
        margin : float, optional
            The least difference in score that matters: then it is also tested whether they are equally good
            within it (two one-sided tests).
        over : {"slices"}, optional
            Compare mean scores over the slices, and swap whole slices, where these are tasks of their own.

        Returns
        -------
        Comparison
            Differences in score and skill; a p-value; a confidence interval; a sentence.

        Raises
        ------
        ValueError
            If nothing matches, `margin` is no number above 0, or the scorecard was made from counts: they do
            not tell on which samples the models differ.

        Notes
        -----
        Of labels and most scores the test exchanges both models' answers, sample by sample (with `clusters`
        group by group): the p-value is the share of exchanges with a difference at least as large. It is
        exact for measures ordered in TP and FP, and McNemar's exact test for accuracy. ROC AUC has DeLong's
        test; means over folds have the corrected resampled t-test. What may be exchanged is the null
        hypothesis: that the models are alike, which is more than that their scores are.

        References
        ----------
        McNemar, Psychometrika 12, 1947; DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988; Nadeau and
        Bengio, Machine Learning 52, 2003; Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987.

        Examples
        --------
        >>> import clearbar as cb
        >>> y_true = [1, 0] * 30
        >>> card = cb.evaluate(y_true, {"a": y_true, "b": [1, 0] * 24 + [0, 1] * 6}, "f1")
        >>> card.compare("a", "b", "f1").better
        'a'
        """
        models = _rows.which_model(self, a), _rows.which_model(self, b)
        return _compare.compare(self, models, _rows.which_measure(self, measure), margin, over)

    def ranking(self, measure: Any = None) -> _ranking.Ranking:
        """Compare every two models, corrected for so many pairs, and find which cannot be told apart.

        Parameters
        ----------
        measure : str or Measure, optional
            Any name of a measure in this scorecard; its first by default.

        Returns
        -------
        Ranking
            The best first; printing it shows which models share a letter, that is, cannot be told apart.
            `clearbar.plots.RankingDisplay` draws it.

        Raises
        ------
        ValueError
            As for `compare`, or where fewer than two models have a score.

        References
        ----------
        Holm, Scandinavian J. of Statistics 6, 1979; Demsar, J. of Machine Learning Research 7, 2006.

        Examples
        --------
        >>> import clearbar as cb
        >>> y_true = [1, 0] * 30
        >>> models = {"a": y_true, "b": [1, 0] * 18 + [0, 1] * 12, "c": [1, 0] * 17 + [0, 1] * 13}
        >>> cb.evaluate(y_true, models, "f1").ranking().best
        ('a',)
        """
        return _ranking.ranking(self, 0 if measure is None else _rows.which_measure(self, measure))

    def best_of(self, measure: Any = None) -> _best_of.BestOf:
        """Ask whether the best of all models is better than the best of as many that know nothing.

        The labels are permuted for all models together. That is the question where every submission is at
        hand and the best one is kept; `tries` of `evaluate` is for submissions that are not.

        Parameters
        ----------
        measure : str or Measure, optional
            Any name of a measure in this scorecard; its first by default.

        Returns
        -------
        BestOf
            The best model, what the best of all is with labels in random order, and a p-value.

        Raises
        ------
        ValueError
            If nothing matches, or the scorecard does not hold the labels or scores of its models.

        References
        ----------
        Westfall and Young, Resampling-Based Multiple Testing, 1993, section 2.5.

        Examples
        --------
        >>> import clearbar as cb
        >>> y_true = [1, 0] * 30
        >>> models = {"a": [1, 0] * 24 + [0, 1] * 6, "b": [1, 0] * 18 + [0, 1] * 12}
        >>> best = cb.evaluate(y_true, models, "f1").best_of()
        >>> best.model, best.sure
        ('a', True)
        """
        return _best_of.best_of(self, 0 if measure is None else _rows.which_measure(self, measure))

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
