"""Models of a scorecard held against each other: two of them, all pairs, the best of all."""

from __future__ import annotations

from typing import Any

from clearbar.scorecard._best_of import BestOf, best_of
from clearbar.scorecard._compare import Comparison, compare
from clearbar.scorecard._documents import Documents
from clearbar.scorecard._leaderboard import Leaderboard, leaderboard_of
from clearbar.scorecard._ranking import Ranking, ranking
from clearbar.scorecard._rows import which_measure, which_model


class BetweenModels(Documents):
    """What a scorecard says of its models among each other."""

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
        return leaderboard_of(self, 0 if measure is None else which_measure(self, measure))

    def compare(
        self,
        a: str,
        b: str,
        measure: Any,
        *,
        margin: float | None = None,
        over: str | None = None,
        null: str = "equal",
    ) -> Comparison:
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
            Compare mean scores over the slices, and draw whole slices, where these are tasks of their own;
            tasks without a bar are left out, as they are of the whole.
        null : {"equal", "exchangeable"}
            The hypothesis that is tested: both true scores are equal. Or the models are alike in everything,
            so that their answers may be exchanged: then it is said whether they differ in anything, and never
            which is better.

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
        "Better" is said only where p is at most one minus the confidence level and the interval holds no 0.
        Labels of up to 12 classes are counted per true class: the difference over its standard error is
        held against its law where both true scores are equal and all else is as likely as can be. ROC AUC has
        DeLong's test, means over folds the corrected resampled t-test. All else has the symmetric
        bootstrap-t: units (samples, items, with `clusters` whole groups) are drawn anew, and each difference
        is divided by its own standard error. What is drawn follows the seed of the scorecard
        (`random_state`). The exchange of answers is exact for measures ordered in TP and FP, and McNemar's
        test for accuracy.

        References
        ----------
        Lloyd, Australian & New Zealand J. of Statistics 50, 2008; Hall, J. Royal Statistical Society B 50,
        1988; DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988; Nadeau and Bengio, Machine Learning 52,
        2003; McNemar, Psychometrika 12, 1947; Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987.

        Examples
        --------
        >>> import clearbar as cb
        >>> y_true = [1, 0] * 30
        >>> card = cb.evaluate(y_true, {"a": y_true, "b": [1, 0] * 24 + [0, 1] * 6}, "f1")
        >>> card.compare("a", "b", "f1").better
        'a'
        """
        models = which_model(self, a), which_model(self, b)
        return compare(self, models, which_measure(self, measure), margin, over, null)

    def ranking(self, measure: Any = None) -> Ranking:
        """Compare every two models, corrected for so many pairs, and find which cannot be told apart.

        The test is that of `compare`. Pairs whose p-value is far from the level by Student's law are not
        drawn. Of labels of up to 12 classes tables near the observed one are drawn for the others and weighed
        by their likelihood, so that no p-value is too small to be told. Of other kinds the same resamples
        serve all pairs: the more pairs there are, the more are drawn, a million at most. Where they cannot
        decide, the ranking says so.

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
        return ranking(self, 0 if measure is None else which_measure(self, measure))

    def best_of(self, measure: Any = None) -> BestOf:
        """Ask whether the best of all models is better than the best of as many that know nothing.

        The labels are permuted for all models together, after the seed of the scorecard. That is the
        question where every submission is at hand and the best one is kept; `tries` of `evaluate` is for
        submissions that are not.

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
        return best_of(self, 0 if measure is None else which_measure(self, measure))
