"""The bar of a measure of scores: what the best scores that ignore the features are worth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.core._value import share_or_nan
from clearbar.core.counts import Population
from clearbar.core.reasons import Reason
from clearbar.data.counting import population_from_labels
from clearbar.data.scores import of_one_class
from clearbar.inference import Tail
from clearbar.problems.bars import Bars, Recipe
from clearbar.problems.scores._blind import of_any
from clearbar.problems.scores._graded import gains_of, graded
from clearbar.problems.scores._measure import ScoreMeasure, get_score_measure


@dataclass(frozen=True, eq=False)
class ScoreBaseline(Bars):
    """The best expected value of scores that ignore the features, and how to attain it.

    Made by `baseline_scores`. ``float(bar)`` is the bar.

    Attributes
    ----------
    measure : ScoreMeasure
        The measure.
    population : Population
        Class sizes; an array of them makes every number here an array.
    value : float or ndarray
        The bar; nan where there is none, with a `reason`.
    worst_value, best_possible : float or ndarray
        The worst expected value of scores that ignore the features; the value of a perfect model.
    error : float or ndarray
        How far `value` may be from the exact expectation: 0, half the width of a certified bracket, or, of
        more than some 22,000 samples, three standard errors of a mean over random rankings.
    reason : str or ndarray of str
        Why there is no bar; empty where there is one.
    train_prevalence : float, optional
        Share of positive samples in training.
    train_value : float, ndarray or None
        What the constant at `train_prevalence` scores on these labels; None where it was not given
        or the measure has no such constant.

    Examples
    --------
    >>> import clearbar as cb
    >>> print(cb.baseline_scores(cb.Population(100, 10), "average_precision"))
    average precision bar 0.138: rank the 100 samples at random
    """

    groups = "populations"

    measure: ScoreMeasure
    population: Population
    value: Any
    worst_value: Any
    best_possible: Any
    error: Any
    reason: Any
    train_prevalence: float | None = None
    train_value: Any = None

    @property
    def certified(self) -> bool:
        """True: each bar is proved to be the optimum."""
        return True

    @property
    def attained_by(self) -> Recipe:
        """The scores that ignore the features and attain the bar."""
        return replace(self.measure.recipe(*self._sizes("recipe")), certain=self.measure.certain)

    @property
    def claim(self) -> str:
        """The sentence that says why nothing does better."""
        return self.measure.claim

    @property
    def rounding(self) -> Any:  # type: ignore[override]
        """What a constant loses that is off by one sample, as the prevalence of a split may be.

        Of the two constants the one that loses less; 0 where the best scores are no constant, or such a
        constant rules out a class that occurs.
        """
        constant, needs = self.measure.constant, self.measure.needs
        if constant is None:
            return 0.0

        def lost(total: int, positives: int) -> float:
            if needs(total, positives):
                return 0.0
            best = constant(total, positives, positives / total)
            near = [positives + step for step in (-1, 1) if 0 < positives + step < total]
            others = near if 0 < positives < total else []
            return min((abs(constant(total, positives, k / total) - best) for k in others), default=0.0)

        return _of_each(self.population, lost)

    def _sizes(self, what: str) -> tuple[int, int]:
        self._one(what)
        return int(self.population.total), int(self.population.positives)

    def __str__(self) -> str:
        """Say the bar in words."""
        words = super().__str__()
        if self.population.shape:
            return words
        if self.train_value is not None:
            words += f"; the constant {self.train_prevalence:.3g} from training has {self.train_value:.3g}"
        return f"{words} (± {self.error:.1g})" if self.error > 0 else words

    __repr__ = __str__

    def __getitem__(self, index: Any) -> ScoreBaseline:
        """Return the baseline of the populations selected, as NumPy would."""
        names = ("value", "worst_value", "best_possible", "error", "reason", "train_value")
        columns = {name: getattr(self, name) for name in names}
        held: dict[str, Any] = {
            name: np.asarray(column)[index] for name, column in columns.items() if column is not None
        }
        picked = {
            name: value.item() if isinstance(value, np.generic) else value for name, value in held.items()
        }
        return replace(self, population=self.population[index], **picked)

    def bare(self, near: float, far: float | None = None) -> Tail:
        """Return what is known of question A without a ranking: nothing."""
        return Tail(math.nan, math.nan)

    def reach(self, score: float) -> Tail:
        """Return how likely scores that ignore the features do at least as well, whatever their ties."""
        total, positives = self._sizes("judge()")
        if math.isnan(float(self.value)):
            return Tail(math.nan, math.nan)
        tail = of_any(self.measure, total, positives, float(score))
        unexplained = math.isnan(tail.upper) and not tail.note
        return tail._replace(note=Reason.of("ties_unknown")) if unexplained else tail


def _of_each(population: Population, function: Callable[[int, int], Any]) -> Any:
    """Evaluate a function of the class sizes for each population."""
    sizes = np.broadcast(population.total, population.positives)
    values = [function(int(total), int(positives)) for total, positives in sizes]
    kind = object if isinstance(values[0], str) else np.float64  # reasons stay what they are
    return np.array(values, dtype=kind).reshape(population.shape) if population.shape else values[0]


def bars_of(
    measure: ScoreMeasure, population: Population, train_prevalence: float | None = None
) -> ScoreBaseline:
    """Return the bar of a measure on class sizes, or on arrays of them."""
    constant = measure.constant

    def column(function: Callable[[int, int], float], missing: float = math.nan) -> Any:
        def cell(total: int, positives: int) -> float:
            return missing if measure.needs(total, positives) else float(function(total, positives))

        return _of_each(population, cell)

    trained = None
    if train_prevalence is not None and constant is not None:
        trained = column(lambda total, positives: constant(total, positives, train_prevalence))
    return ScoreBaseline(
        measure,
        population,
        value=column(measure.expected),
        worst_value=column(measure.worst or measure.expected),
        best_possible=column(measure.best_possible),
        error=column(measure.error or (lambda _total, _positives: 0.0), 0.0),
        reason=_of_each(population, measure.needs),
        train_prevalence=train_prevalence,
        train_value=trained,
    )


def checked_prevalence(train_prevalence: Any, y_train: Any, pos_label: Any) -> float | None:
    """Return the share of positive samples in training, from a number or from labels."""
    if y_train is not None:
        if train_prevalence is not None:
            raise ValueError("y_train and train_prevalence say the same; pass one of them.")
        if isinstance(y_train, Population):
            return float(y_train.prevalence)
        with of_one_class():
            return float(population_from_labels(y_train, pos_label=pos_label).prevalence)
    if train_prevalence is None:
        return None
    share = share_or_nan(train_prevalence)
    if not 0 <= share <= 1:
        raise ValueError(f"train_prevalence must be a share from 0 to 1; found {train_prevalence!r:.60}.")
    return share


def baseline_scores(
    y_true: Any,
    measure: str | ScoreMeasure,
    *,
    pos_label: Any = None,
    y_train: Any = None,
    train_prevalence: float | None = None,
) -> ScoreBaseline:
    """Return the best expected value of scores that ignore the features.

    Of a score vector dealt out at random only the multiset of its values matters. The best multiset is a
    constant for log loss and the Brier score, any at all for ROC AUC, and one without ties for average
    precision and for everything at a threshold chosen on the test labels.

    Parameters
    ----------
    y_true : array_like of shape (M,), or Population
        True labels; only their numbers matter. An array of populations gives arrays. For NDCG also gains,
        0 or more.
    measure : str or ScoreMeasure
        ``roc_auc average_precision log_loss brier_score d2_log_loss d2_brier_score max_f1 max_accuracy
        max_balanced_accuracy max_mcc max_kappa ks ks_one_sided r_precision mrr ndcg``, one of the first k
        samples, such as ``precision@10 recall@10 hit@10 ap@10 ndcg@10``, or ``max_`` and the name of
        any measure of labels. scikit-learn's names reach the same measures, with or without ``neg_``.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    y_train : array_like or Population, optional
        Labels that a model was trained on, or
    train_prevalence : float, optional
        the share of positives among them. The bar of log loss and the Brier score is the best constant
        on the test labels; with one of these `train_value` is what the best constant on the training
        labels has, which is never better.

    Returns
    -------
    ScoreBaseline

    Raises
    ------
    ValueError
        If the labels are not binary, or the measure is unknown or has no bar worth the name.

    References
    ----------
    Pries et al., The optimal input-independent baseline for binary classification, Statistica
    Neerlandica 2023, theorem 1, whose proof holds for scores as for labels.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.baseline_scores(cb.Population(10, 3), "max_f1").value, 3)
    0.576
    """
    entry = get_score_measure(measure)
    gains = gains_of(y_true, [entry])
    if gains is not None:
        return bars_of(*graded(entry, gains))
    with of_one_class():
        population = population_from_labels(y_true, pos_label=pos_label)
    return bars_of(entry, population, checked_prevalence(train_prevalence, y_train, pos_label))
