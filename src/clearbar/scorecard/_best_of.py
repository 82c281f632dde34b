"""The best of all models of a scorecard, against the best of as many that know nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core._value import Value
from clearbar.formatting import number, p_phrase, plural, visible
from clearbar.problems._protocol import Judged
from clearbar.problems.bootstrap import at_least_as_good
from clearbar.scorecard._rows import which_measure
from clearbar.verdict import level_of

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard


@dataclass(frozen=True, eq=False)
class BestOf(Value):
    """The best score on a scorecard, and what the best of all models is if labels are in random order.

    Made by ``card.best_of``. The labels are permuted for all models together, so that models that predict
    alike count for little more than one.

    Attributes
    ----------
    measure : Measure
        What is judged by.
    model : str
        The best model.
    score : float
        Its score.
    tries : int
        How many models there are.
    expected : float
        The mean of the best score, labels in random order.
    reach : float
        What that stays below with the confidence level.
    p_value_blind : float
        The probability that it is at least as good as `score`.
    permutations : int
        How many were drawn.
    confidence_level : float
        That of `reach`.
    samples : int
        Samples that the models are judged on.
    truths : str
        What was permuted: ``"labels"`` or ``"targets"``.
    """

    measure: Judged
    model: str
    score: float
    tries: int
    expected: float
    reach: float
    p_value_blind: float
    permutations: int
    confidence_level: float
    samples: int
    truths: str = "labels"

    @property
    def sure(self) -> bool:
        """Whether the best of so many that know nothing is that good with at most one minus the level."""
        return self.p_value_blind <= level_of(self.confidence_level)

    def __str__(self) -> str:
        """Say it in one sentence."""
        label, score = self.measure.label, number(self.score, self.samples)
        p = p_phrase(self.p_value_blind, level_of(self.confidence_level))
        expected, reach = number(self.expected, self.samples), number(self.reach, self.samples)
        know = "knows more than luck gives" if self.sure else "could be luck"
        share = f"{100 * level_of(self.confidence_level):g} %"
        beyond = "beyond" if self.measure.greater_is_better else "below"
        luck = f"averages {expected} and is {beyond} {reach} in {share} of cases"
        best = f"{visible(self.model)} is the best of {plural(self.tries, 'model')} with {label} {score}"
        return f"{best}, which {know} ({p}): with {self.truths} in random order the best of them {luck}"


def best_of(card: Scorecard, measure: Any = None) -> BestOf:
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
    measure = 0 if measure is None else which_measure(card, measure)
    judged: Any = card.measures[measure]
    if judged.greater_is_better is None:
        raise ValueError(f"{judged.label} has no better end, so no model is the best by it.")
    if len(card.models) < 2:
        raise ValueError("best_of is about several models; found one, whose p_value_blind says the same.")
    scores = card.columns["score"][:, 0, measure]
    if card.problem is None or np.isnan(scores).all():
        raise ValueError(f"no model of this scorecard has a score of {judged.label}.")
    sign = 1.0 if judged.greater_is_better else -1.0
    best = int(np.nanargmax(sign * scores))
    values = np.fmax.reduce(sign * card.problem.permuted(judged), axis=1)
    known = values[~np.isnan(values)]
    return BestOf(
        judged,
        card.models[best],
        float(scores[best]),
        len(card.models),
        float(sign * known.mean()),
        float(sign * np.quantile(known, card.confidence_level)),
        float(at_least_as_good(values, float(sign * scores[best]), greater_is_better=True)),
        len(values),
        card.confidence_level,
        int(np.asarray(card.population.total)[0]),
        card.problem.truths,
    )
