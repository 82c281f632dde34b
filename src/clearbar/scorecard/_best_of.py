"""The best of all models of a scorecard, against the best of as many that know nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core._value import Value
from clearbar.formatting import number, p_phrase, plural, visible
from clearbar.problems._protocol import Judged
from clearbar.problems.bootstrap import at_least_as_good
from clearbar.verdict import level_of

if TYPE_CHECKING:
    from clearbar.scorecard._columns import Columns


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


def best_of(card: Columns, measure: int) -> BestOf:
    """Permute the labels for all models together."""
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
