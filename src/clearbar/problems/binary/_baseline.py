"""The bar: the best that any classifier can expect without looking at a feature."""

from __future__ import annotations

import functools
import importlib
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar import null
from clearbar.catalogue import Filling, Measure, door, fill_value, get_measure, judges
from clearbar.core import Later
from clearbar.core._typing import FloatArray, Undefined
from clearbar.core._value import checked_policy, numbers
from clearbar.core.counts import Population, already_counted
from clearbar.core.errors import ManyClassesError, shown
from clearbar.core.reasons import no_better_end, why_no_bar
from clearbar.inference import Tail
from clearbar.null import expectations
from clearbar.problems.bars import Bars, Recipe, predict, repeated
from clearbar.problems.binary._search import Optimum, checked_tries, expected_best, extremes

if TYPE_CHECKING:
    from clearbar.null import Draw

EVERY_DRAW = 10_000  # samples up to which a curve has a point for every k
GRID = 2_001  # points of a curve beyond that, the optima not counted


@dataclass(frozen=True, eq=False)
class Baseline(Bars):
    """The extreme expected scores of all feature-blind classifiers, and the draws that attain them.

    Made by `baseline`. ``float(bar)`` is the bar.

    Attributes
    ----------
    measure : Measure
        The measure.
    population : Population
        Class sizes; an array of them makes every number here an array.
    undefined : "exclude", "worst" or float
        The policy for outcomes without a value.
    max, min : Optimum
        The largest and the smallest expected score over the admissible draws.
    tries : int
        Of how many tries of a draw the best counts.

    Examples
    --------
    >>> import clearbar as cb
    >>> bar = cb.baseline(cb.Population(111, 56), "precision")
    >>> print(bar)
    precision bar 0.505: predict any number of positives, at least one
    """

    measure: Measure
    population: Population
    undefined: Undefined
    max: Optimum
    min: Optimum
    tries: int = 1

    clearing_score = Later("clearbar.verdict", "clearing_score")
    groups = "populations"

    @property
    def best(self) -> Optimum | None:
        """The optimum that is the bar: `max` for a score, `min` for a loss, None for neither."""
        if self.measure.greater_is_better is None:
            return None
        return self.max if self.measure.greater_is_better else self.min

    @functools.cached_property
    def worst(self) -> Optimum | None:
        """The optimum at the other end, outcomes without a value counted as in the bar.

        Under "worst" that is not `min` (for a loss: `max`), which counts them as the best there is. None
        where neither end is better.
        """
        greater = self.measure.greater_is_better
        if greater is None:
            return None
        ends = self.max, self.min
        if self.undefined == "worst":
            filling: Filling = "smallest" if greater else "largest"
            ends = extremes(self.measure, self.population, filling, self.tries)
        return ends[1] if greater else ends[0]

    @property
    def value(self) -> float | FloatArray:
        """The bar; nan where there is none, with a `reason`."""
        return self._nothing if self.best is None else self.best.value

    @property
    def worst_value(self) -> float | FloatArray:
        """The worst expected score of any admissible draw; nan where neither end is better."""
        return self._nothing if self.worst is None else self.worst.value

    @property
    def _nothing(self) -> float | FloatArray:
        return np.full(self.population.shape, np.nan) if self.population.shape else math.nan

    @property
    def predicted_positives(self) -> Any:
        """The draws that attain the bar, as in `Optimum`; empty or -1 where there is none."""
        if self.best is None:
            return np.full(self.population.shape, -1) if self.population.shape else ()
        return self.best.predicted_positives

    @property
    def certified(self) -> bool | Any:
        """Whether the bar is proved to be the optimum; False after a search that tried only some k."""
        return True if self.best is None else self.best.certified

    @property
    def reason(self) -> str | Any:
        """Why there is no bar; empty where there is one."""
        missing, population = np.isnan(self.value), self.population
        reasons = np.full(np.shape(missing), "", dtype=object)  # of few texts, not of their length each
        for positives, negatives in itertools.product((False, True), repeat=2):
            where = missing & ((population.positives > 0) == positives)
            where &= (population.negatives > 0) == negatives
            if where.any():
                reasons[where] = self._why(positives=positives, negatives=negatives)
        return reasons if population.shape else reasons[()]

    def _why(self, *, positives: bool, negatives: bool) -> str:
        measure = self.measure
        if measure.greater_is_better is None:
            return no_better_end(measure.label)
        if self.undefined != "exclude":
            return f"no table with this many samples gives {measure.label} a value"
        conditions = [condition.text for condition in measure.admissible.conjuncts]
        classes = self.population.labels
        return why_no_bar(measure.label, conditions, classes, positives=positives, negatives=negatives)

    @property
    def best_possible(self) -> float | FloatArray:
        """The formula at this population's perfect table; nan where it has no value there."""
        population = self.population
        perfect = self.measure.values(population.positives, 0, 0, population.negatives)
        perfect = np.where(np.isfinite(perfect), perfect, np.nan)
        return perfect if population.shape else float(perfect)

    @property
    def attained_by(self) -> Recipe:
        """The draws that attain the bar, as a recipe."""
        self._one("recipe")
        recipe = predict(
            () if self.best is None else self.best.predicted_positives, int(self.population.total)
        )
        recipe = recipe if self.tries == 1 else repeated(recipe, self.tries)
        return recipe.called(self.population.labels)

    @property
    def claim(self) -> str:
        """The sentence that says why nothing does better."""
        if self.tries > 1:
            return f"Of draws of one size, tried {self.tries:,} times, none is better on average at its best."
        return "Nothing that ignores its input does better on average (Pries et al. 2023)."

    def __getitem__(self, index: Any) -> Baseline:
        """Return the baseline of the populations selected, as NumPy would."""
        population = self.population[index]
        if not population.shape:
            ends = extremes(self.measure, population, self.undefined)
        else:
            columns = (
                (end.value, end.predicted_positives, end.total, end.certified) for end in (self.max, self.min)
            )
            ends = tuple(Optimum(*(np.asarray(column)[index] for column in end)) for end in columns)  # type: ignore[assignment]
        return Baseline(self.measure, population, self.undefined, *ends)

    def draw(self) -> Draw:
        """Return an optimal draw: the one with the smallest k.

        Returns
        -------
        Draw

        Raises
        ------
        ValueError
            If there is no bar, or there are several populations.
        """
        self._one("draw()")
        if self.best is None or self.best.smallest < 0:
            msg = f"there is no optimal draw: {self.reason}."
            raise ValueError(msg)
        return null.Draw(self.population, int(self.best.smallest))

    def reach(self, score: float) -> Tail:
        """Return how likely the luckiest draw does at least as well as a score (theorem T4)."""
        from clearbar.problems.binary._bare import universal_p_value

        self._one("judge()")
        if self.measure.greater_is_better is None:
            return Tail(math.nan, math.nan)
        total, positives = int(self.population.total), int(self.population.positives)
        fill = fill_value(self.measure, total, self.undefined)
        return universal_p_value(self.measure, total, positives, score, fill=fill)

    def bare(self, near: float, far: float | None = None, *, tested: int = 32) -> Tail:
        """Return how surprising a score is if the true one is the bar, whatever its confusion matrix.

        It may be any from `near` the bar to `far`.
        """
        from clearbar.problems.binary._bare import bare_p_value

        self._one("judge()")
        total, positives = int(self.population.total), int(self.population.positives)
        return bare_p_value(self.measure, total, positives, near, float(self.value), far=far, tested=tested)

    def expectation(self, theta: Any) -> Any:
        """Return the expected score of the draws that predict these shares positive.

        Parameters
        ----------
        theta : float or array_like
            Shares in [0, 1], halves rounded up.

        Returns
        -------
        float or ndarray
            nan where the score has no value.
        """
        self._one("expectation()")
        total = int(self.population.total)
        shares = numbers("theta", theta)
        k = np.array(
            [null.predicted_from_theta(total, share) for share in shares.ravel().tolist()], dtype=np.int64
        )
        expected = self._expected(k)
        return float(expected[0]) if shares.ndim == 0 else expected.reshape(shares.shape)

    def _expected(self, k: Any) -> FloatArray:
        total, positives = int(self.population.total), int(self.population.positives)
        fill = fill_value(self.measure, total, self.undefined)
        if self.tries > 1:
            return expected_best(self.measure, total, positives, k, self.tries, float(fill))
        return expectations(self.measure, np.full(k.shape, total), np.full(k.shape, positives), k, fill=fill)

    def curve(self) -> tuple[FloatArray, FloatArray]:
        """Return the expected score against the share predicted positive.

        Returns
        -------
        theta, expectation : ndarray of float64
            Every k up to 10,000 samples; beyond that a grid with both ends and every optimum.
        """
        self._one("curve()")
        total = int(self.population.total)
        if total <= EVERY_DRAW:
            k = np.arange(total + 1)
        else:
            grid = np.rint(np.linspace(0, total, GRID)).astype(np.int64)
            ends = [
                end
                for optimum in (self.max, self.min)
                for draws in optimum.predicted_positives
                for end in (draws.start, draws.stop - 1)
            ]
            k = np.union1d(grid, np.array(ends, dtype=np.int64))
        return k / total, self._expected(k)


def baseline(
    y_true: Any,
    measure: str | Measure,
    *,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
    given: Any = None,
    tries: int = 1,
) -> Baseline:
    """Return the best expected score of any classifier that ignores its input.

    Parameters
    ----------
    y_true : array_like of shape (M,), Population or ClassSizes
        True labels; only their numbers matter; of more than two classes, for
        `baseline_multiclass`, and sets of labels (2-D, of 0 and 1) for `baseline_multilabel`. An array of
        populations gives arrays.
    measure : str or Measure
        The measure. A measure of scores, such as ``"roc_auc"``, is handed to `baseline_scores`.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    undefined : {"exclude", "worst"} or float
        The policy for outcomes at which the measure has no value: leave out the draws that can
        lead to one, count them as the worst value that any table of M samples has (Stat. Neerl.
        2.2.1), or give them this number (scikit-learn's ``zero_division``).
    given : array_like of shape (M,), optional
        A column that predictions may see, such as the site of each sample: the bar is then that of the best
        draw for each of its values. For labels of two classes, and for numbers.
    tries : int
        What the best of so many tries can expect, all with the same number of predicted positives and each
        drawn anew, of two classes: the bar for the best of so many models.

    Returns
    -------
    Baseline

    Raises
    ------
    ValueError
        If the labels are not binary, the measure is unknown or the policy is none of the above.

    References
    ----------
    van de Bijl et al., The Dutch Draw, J. Appl. Prob. 2024, section 4; Pries et al., The optimal
    input-independent baseline for binary classification, Statistica Neerlandica 2023, theorem 1.

    Examples
    --------
    >>> import clearbar as cb
    >>> bar = cb.baseline(cb.Population(303, 139), "f1")
    >>> round(bar.value, 3), bar.max.predicted_positives
    (0.629, (range(303, 304),))
    """
    policy, several = checked_policy(undefined), checked_tries(tries)
    kind, entry = _kind_of(y_true, measure)
    if given is None and kind == "binary":
        population = population_of(y_true, pos_label)
        if population is not None:
            if several > 1 and population.shape:
                raise ValueError("tries is for one population; ask for the bars of several one by one.")
            return Baseline(entry, population, policy, *extremes(entry, population, policy, several), several)
        kind = "multiclass"
    if several > 1:
        raise ValueError(f"tries={several} is for labels and measures of two classes; leave it out.")
    if given is not None:
        return _seeing_column(y_true, kind, entry, given, pos_label, policy)  # type: ignore[no-any-return]
    if policy != "exclude":
        raise ValueError(f"undefined={undefined!r} is for measures of two classes; {measure} takes none.")
    answer: Any = door("baseline", kind)
    if kind == "scores":
        return _of_scores(y_true, entry, pos_label)  # type: ignore[no-any-return]
    if pos_label is not None:
        raise ValueError(f"pos_label={shown(pos_label)} is for labels of two classes; leave it out.")
    needed = {"regression": "targets", "multilabel": "sets of labels"}.get(kind)
    if needed and type(y_true).__name__ in {"Population", "ClassSizes"}:
        raise ValueError(f"{entry.name} needs the {needed} themselves; found {type(y_true).__name__}.")
    return answer(y_true, measure)  # type: ignore[no-any-return]


def _of_scores(y_true: Any, entry: Any, pos_label: Any) -> Any:
    """Return the bar of scores of two classes, or of probabilities of more."""
    answer: Any = door("baseline", "scores")
    try:
        return answer(y_true, entry, pos_label=pos_label)
    except ManyClassesError:
        if not judges(entry.name, "probabilities"):
            raise
    answer = door("baseline", "probabilities")
    return answer(y_true, entry.name)


def _kind_of(y_true: Any, measure: str | Measure) -> tuple[str, Measure]:
    """Return the kind of labels and measure, as far as labels of two and of more classes need no look."""
    if not isinstance(y_true, Population):  # of numbers alone, no reader of labels is loaded
        from clearbar.core.classes import ClassSizes
        from clearbar.data.labels import is_label_sets

        if isinstance(y_true, ClassSizes):
            return "multiclass", get_measure(measure)
        if is_label_sets(y_true):
            return "multilabel", get_measure(measure, "multilabel")
    entry = get_measure(measure)
    return entry.kind, entry


def population_of(y_true: Any, pos_label: Any) -> Population | None:
    """Return the class sizes; None of more than two classes."""
    if isinstance(y_true, Population):
        return already_counted(y_true, pos_label)
    from clearbar.data.counting import population_from_labels

    try:
        return population_from_labels(y_true, pos_label=pos_label)
    except ManyClassesError:
        return None


def _seeing_column(
    y_true: Any, kind: str, entry: Measure, given: Any, pos_label: Any, policy: Undefined
) -> Any:
    """Return the bar of predictions that see one column."""
    refuse_column(kind, y_true)
    if kind == "binary":
        folds: Any = importlib.import_module("clearbar.problems.folds")  # which stands above this room
        return folds.column_baseline(y_true, entry, given, pos_label, policy)
    if policy != "exclude" or pos_label is not None:
        raise ValueError(f"undefined and pos_label are for labels; leave them out for {entry.name}.")
    answer: Any = door("baseline", kind)
    return answer(y_true, entry, given=given)


def refuse_column(kind: str, y_true: Any = None) -> None:
    """Raise where no bar may see a column."""
    if kind not in {"binary", "regression"}:
        raise ValueError("given is for measures of two classes and of numbers; leave it out for others.")
    if isinstance(y_true, Population):
        raise ValueError("given needs the labels themselves, sample by sample; found a Population.")
