"""What a measure of scores is: a function of a ranking, and the facts that bars and p-values read."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from clearbar.catalogue import Entry, Family, Range, get_measure, measures, name_key
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.errors import ArgumentError, listed
from clearbar.data.arrays import refuse_other_rows
from clearbar.data.scores import read_scores, read_truth, tie_groups
from clearbar.null import pieces
from clearbar.problems.bars import Recipe

Distribution = tuple[FloatArray, FloatArray]
"""Values, and their probabilities."""

PRIES = "Pries et al. 2023, theorem 1, holds for scores as for labels"

ENDLESS = "what endless samples would give"
"""What an interval is of where few samples score higher on average, and by default: nobody said otherwise."""

AS_MANY = "what other samples of this number would give"
"""What it is of where only the first few samples of a ranking count."""

CELLS = 2**15
"""Scores times arrangements that are evaluated at once: so many stay in a processor's cache."""

SAME_SCORE = Recipe("give", "all samples the same score")


@dataclass(frozen=True, eq=False)
class Ranking:
    """Samples grouped by their score, the highest score first.

    Any order-invariant measure of scores and two classes is a function of this. Leading axes of ``positives``
    are different arrangements of the labels over the same scores; those of ``sizes`` are resamples of as many
    samples of each class, in which a score may be missing.
    """

    scores: FloatArray  # the distinct scores, descending
    sizes: IntArray  # samples that have each
    positives: IntArray  # positive samples among them, or the sum of their gains
    epsilon: float = float(np.finfo(np.float64).eps)

    @classmethod
    def of(cls, truth: BoolArray, scores: FloatArray) -> Ranking:
        """Sort samples by score."""
        return cls(*tie_groups(truth, scores), float(np.finfo(scores.dtype).eps))

    @classmethod
    def untied(cls, total: int, positives: int) -> Ranking:
        """Return a perfect ranking without ties."""
        labels = (np.arange(total) < positives).astype(np.int64)
        return cls(np.arange(total, 0.0, -1.0), np.ones(total, dtype=np.int64), labels)

    @property
    def tied(self) -> bool:
        """Whether some samples share a score."""
        return len(self.sizes) < self.total

    @cached_property
    def total(self) -> int:
        """Number of samples, M: the same for every resample."""
        return int(self.sizes.reshape(-1, self.sizes.shape[-1])[0].sum())

    @cached_property
    def hits(self) -> int:
        """Number of positive samples, P: the same for every arrangement."""
        return math.ceil(float(self.positives.reshape(-1, self.positives.shape[-1])[0].sum()))

    @cached_property
    def ends(self) -> IntArray:
        """Samples with at least each score."""
        return np.cumsum(self.sizes, axis=-1)

    @cached_property
    def found(self) -> IntArray:
        """Positive samples with at least each score."""
        return np.cumsum(self.positives, axis=-1)

    @property
    def negatives(self) -> IntArray:
        """Negative samples with each score."""
        return self.sizes - self.positives

    @cached_property
    def probabilities(self) -> FloatArray:
        """The scores, kept their type's epsilon from 0 and 1, as in scikit-learn."""
        return np.clip(self.scores, self.epsilon, 1 - self.epsilon)

    @cached_property
    def midranks(self) -> FloatArray:
        """Mean rank of the samples with each score, 1 for the lowest."""
        return self.total - self.ends + (self.sizes + 1) / 2

    def with_positives(self, positives: Any) -> Ranking:
        """Return the same scores with other labels."""
        return replace(self, positives=np.asarray(positives))

    def rows(self, block: slice) -> Ranking:
        """Return some of the arrangements, or resamples."""
        sizes = self.sizes if self.sizes.ndim == 1 else self.sizes[block]
        return replace(self, sizes=sizes, positives=self.positives[block])

    def merged(self, starts: IntArray) -> Ranking:
        """Return neighbouring groups as one, given the first of each."""
        sizes, positives, sums = (
            np.add.reduceat(part, starts) for part in (self.sizes, self.positives, self.scores * self.sizes)
        )
        return replace(self, scores=sums / sizes, sizes=sizes, positives=positives)

    def with_labels(self, scores: FloatArray, labels: Any) -> Ranking:
        """Return an arrangement for each row of labels, or gains, of the samples, given their scores."""
        order, starts = np.argsort(-scores, kind="stable"), self.ends - self.sizes
        kind = np.int64 if labels.dtype == np.bool_ else labels.dtype
        return self.with_positives(np.add.reduceat(labels[..., order], starts, axis=-1, dtype=kind))


def same_score(_total: int, _positives: int) -> Recipe:
    """Say how to score where any scores do."""
    return SAME_SCORE


def nothing_needed(_total: int, _positives: int) -> str:
    """Say that nothing is missing."""
    return ""


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMeasure(Entry):
    """An evaluation measure of scores and two classes, with the facts of its bar.

    Parameters
    ----------
    name : str
        Canonical name.
    function : callable
        ``function(ranking)``: the value of each arrangement of a `Ranking`, vectorised.
    expected : callable
        ``expected(total, positives)``: the bar, the best expected value that scores can have that
        ignore the features.
    greater_is_better : bool
        True for a score, False for a loss.
    bounds : (float, float)
        Smallest and largest value.
    worst, perfect : callable, optional
        Likewise the worst expected value, by default the bar; and the value of a perfect model, by
        default the better bound.
    recipe : callable
        ``recipe(total, positives)``: what to do to get the bar, a `Recipe`.
    certain : bool
        Whether doing so gives the same value every time: a score at or below the bar then has a
        ``p_value_blind`` of 1.
    claim : str
        Why nothing that ignores its input does better, with the source.
    constant : callable, optional
        ``constant(total, positives, probability)``: the value where every sample has that score, of a
        measure whose bar is the best constant.
    needs : callable, optional
        ``needs(total, positives)``: what is missing for the measure to have a value; empty if nothing.
    probabilities : bool
        Whether scores must be probabilities.
    error : callable, optional
        ``error(total, positives)``: how far the bar may be from the exact expectation.
    distribution : callable, optional
        ``distribution(ranking)``: the values over all orders of the labels and their probabilities, where
        that is quickly computed, else None. `p_value_blind` is then exact.
    estimate : callable, optional
        ``estimate(ranking, score)``: else about how likely labels in random order reach a score, and to how
        many percent; None where permutations are to tell.
    averages_ties : bool
        Whether ties count as if they were broken at random. With `distribution`, or from random rankings,
        `p_value_blind` of a bare score then holds whatever the ties.
    with_best_ties : callable, optional
        ``with_best_ties(ranking)`` of a ranking without ties, where ties are not averaged: what none that
        ties some of its samples exceeds.
    bound : callable, optional
        ``bound(total, positives, score)``: an upper bound of `p_value_blind` of a bare score.
    label, aliases, formula, question, caution, source
        For readers: the name as it is written, other names, LaTeX, what it answers, what to know
        before trusting it, where it is defined.
    parameters : mapping
        Such as ``{"k": 10}``.
    mean_over : {"", "samples", "pairs"}
        What the value is a mean over: samples, or pairs of a positive and a negative sample, ties counting
        half. Then its bar is known where the scores of folds are merged, and for pairs DeLong's interval.
    losses : callable, optional
        ``losses(p)``: what negative and what positive samples of these probabilities lose, (samples, 2), of a
        mean loss. Its interval then takes into account what could have been lost.
    share_of : ScoreMeasure, optional
        The mean loss of which it is the share of the bar's that is gone.
    interval_of : str
        What an interval is of, where the expectation depends on the number of samples; else empty. Such a
        score of few samples may be higher on average than that of many, and so is the bar: then
        `p_value` tests the better side alone, and nothing is surely below its bar.
    takes_gains : bool
        Whether labels may be gains, which are dealt out at random.
    made_by : tuple
        The function that makes it and its arguments, to pickle and compare it by.

    Examples
    --------
    Is the first sample positive? Of those that share the highest score, one is drawn.

    >>> import clearbar as cb
    >>> first = cb.ScoreMeasure(
    ...     "first_is_positive",
    ...     lambda ranking: ranking.positives[..., 0] / ranking.sizes[0],
    ...     expected=lambda total, positives: positives / total,
    ... )
    >>> first([1, 0, 0], [0.9, 0.2, 0.4]), cb.baseline([1, 0, 0, 0], first).value
    (1.0, 0.25)
    """

    kind: ClassVar[str] = "scores"

    greater_is_better: bool = field(default=True, kw_only=True)
    function: Callable[[Ranking], Any]
    expected: Callable[[int, int], float] = field(kw_only=True)
    worst: Callable[[int, int], float] | None = field(default=None, kw_only=True)
    perfect: Callable[[int, int], float] | None = field(default=None, kw_only=True)
    recipe: Callable[[int, int], Recipe] = field(default=same_score, kw_only=True)
    certain: bool = field(default=False, kw_only=True)
    claim: str = field(default=f"{PRIES}.", kw_only=True)
    constant: Callable[[int, int, float], float] | None = field(default=None, kw_only=True)
    needs: Callable[[int, int], str] = field(default=nothing_needed, kw_only=True)
    probabilities: bool = field(default=False, kw_only=True)
    error: Callable[[int, int], float] | None = field(default=None, kw_only=True)
    distribution: Callable[[Ranking], Distribution | None] | None = field(default=None, kw_only=True)
    estimate: Callable[[Ranking, float], tuple[float, int] | None] | None = field(default=None, kw_only=True)
    averages_ties: bool = field(default=False, kw_only=True)
    with_best_ties: Callable[[Ranking], FloatArray] | None = field(default=None, kw_only=True)
    bound: Callable[[int, int, float], float] | None = field(default=None, kw_only=True)
    mean_over: Literal["", "samples", "pairs"] = field(default="", kw_only=True)
    losses: Callable[[FloatArray], FloatArray] | None = field(default=None, kw_only=True)
    share_of: ScoreMeasure | None = field(default=None, kw_only=True)
    interval_of: str = field(default=ENDLESS, kw_only=True)
    takes_gains: bool = field(default=False, kw_only=True)
    made_by: tuple[Any, ...] = field(default=(), kw_only=True)

    def __call__(self, y_true: Any, y_score: Any, *, pos_label: Any = None) -> float:
        """Evaluate the measure."""
        return float(self.value(read_ranking(y_true, y_score, pos_label=pos_label, measures=(self,))))

    def value(self, ranking: Ranking) -> FloatArray:
        """Evaluate every arrangement of a ranking; nan where the measure has no value."""
        if self.needs(ranking.total, ranking.hits):
            return np.full(ranking.positives.shape[:-1], np.nan)
        if ranking.positives.ndim != 2:
            return np.asarray(self.function(ranking), dtype=np.float64)
        blocks = pieces(len(ranking.positives), max(1, CELLS // ranking.positives.shape[-1]))
        parts = [self.function(ranking if len(blocks) == 1 else ranking.rows(block)) for block in blocks]
        return np.concatenate([*parts, np.empty(0)])

    def best_possible(self, total: int, positives: int) -> float:
        """Return the value of a perfect model."""
        if self.perfect is not None:
            return self.perfect(total, positives)
        return self.bounds[1] if self.greater_is_better else self.bounds[0]

    def _identity(self) -> tuple[Any, ...]:
        return (self.name, self.made_by) if self.made_by else super()._identity()

    def __reduce__(self) -> Any:
        """Pickle what was made of another measure by how it was made."""
        return (self.made_by[0], self.made_by[1:]) if self.made_by else super().__reduce__()


def score_measures() -> tuple[ScoreMeasure, ...]:
    """Return the measures of scores, in documentation order; families of ``@k`` with k = 10."""
    return measures("scores")


def get_score_measure(name: Any) -> ScoreMeasure:
    """Look a measure of scores up by any of its names."""
    measure: ScoreMeasure = get_measure(name, "scores")
    return measure


# -- what entries are written with -------------------------------------------------------------------------
def entry(**facts: Any) -> Callable[[Callable[[Ranking], Any]], ScoreMeasure]:
    """Turn a function into an entry of the catalogue."""

    def made(function: Callable[[Ranking], Any]) -> ScoreMeasure:
        return ScoreMeasure(
            **{"name": function.__name__, "function": function, "in_catalogue": True, **facts}
        )

    return made


def first_k(*words: str) -> Callable[[Callable[[int], ScoreMeasure]], Family]:
    """Turn what makes a measure of the first k samples into a family, with what may stand before ``@k``."""

    def made(make: Callable[[int], ScoreMeasure]) -> Family:
        keys = "|".join(map(name_key, words))
        return Family(
            make.__name__,
            functools.lru_cache(maxsize=1024)(make),
            {"k": 10},
            "scores",
            aliases=tuple(f"{word}{joint}k" for word in words for joint in ("@", "_at_")),
            allowed={"k": Range(1, 10**16, whole=True)},
            short=rf"(?:{keys})(?:@|at)(?:k=)?(?P<k>-?\d+(?:\.\d+)?)",
        )

    return made


def at_k(family: str, label: str, k: int) -> dict[str, Any]:
    """Return the facts that tell a measure of the first k samples from others of its family."""
    return {
        "name": f"{family}_at_{k}",
        "label": f"{label}@{k}",
        "family": f"{family}_at_k",
        "parameters": {"k": k},
    }


def at_random(total: int, then: str = "") -> Recipe:
    """Rank without knowing anything."""
    return Recipe("rank", f"the {total:,} sample{'s' * (total != 1)} at random{then}")


def positives_needed(total: int, positives: int) -> str:
    """Say what is missing where there must be a positive sample."""
    return "" if positives else "no sample is positive, and it needs at least one"


def both_needed(total: int, positives: int) -> str:
    """Say what is missing where there must be samples of both classes."""
    if not positives:
        return "no sample is positive, and it needs both classes"
    return "no sample is negative, and it needs both classes" if positives == total else ""


# -- what users pass ---------------------------------------------------------------------------------------
def read_ranking(
    y_true: Any, y_score: Any, *, pos_label: Any = None, measures: Iterable[ScoreMeasure] = ()
) -> Ranking:
    """Read labels and scores and group samples with equal scores."""
    truth = read_truth(y_true, pos_label)
    scores = read_scores(y_score, "y_score", len(truth))
    refuse_other_rows(y_true, y_score, "y_score")
    refuse_no_probabilities(scores, "y_score", measures)
    return Ranking.of(truth, scores)


def refuse_no_probabilities(scores: FloatArray, name: str, measures: Iterable[ScoreMeasure]) -> None:
    """Raise if a measure needs probabilities and these are none."""
    wanting = [measure.label for measure in measures if measure.probabilities]
    if not wanting or (scores.min() >= 0 and scores.max() <= 1):
        return
    first = int(np.argmax((scores < 0) | (scores > 1)))
    verb = "needs" if len(wanting) == 1 else "need"
    raise ArgumentError(
        name,
        f" must hold probabilities from 0 to 1, which {listed(wanting)} {verb}; found {scores[first]:g} at "
        f"position {first}. ",
        "Pass predict_proba(X)[:, 1], or judge by roc_auc and average_precision.",
        "probabilities",
    )
