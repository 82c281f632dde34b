"""Scores of two classes across folds: how they are combined, the bar of the combination, and the problem."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import measures as registered
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core._value import Value
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.formatting import visible
from clearbar.inference.units import portions
from clearbar.problems._faultless import MOST_FAILURES, Faultless
from clearbar.problems._folded import Folded
from clearbar.problems._protocol import Tail
from clearbar.problems._resampled_t import Mean
from clearbar.problems.reasons import NoValue
from clearbar.problems.recipes import NOTHING_TO_DO, Recipe
from clearbar.problems.scores import _blind as deal
from clearbar.problems.scores._bars import bars_of
from clearbar.problems.scores._blind import all_values, reached, share_of
from clearbar.problems.scores._measure import SAME_SCORE, Ranking, ScoreMeasure
from clearbar.problems.scores._units import with_ends
from clearbar.problems.validation import UNKNOWN, Validation

PREVALENCE_OF_FOLD = Recipe("give", "every sample the prevalence of its fold")

CALIBRATED = (
    "The folds' scores are merged into one ranking: models fitted in different folds are compared with each "
    "other, which is fair only if their scores are calibrated alike (Forman and Scholz 2010). "
    "aggregate='mean' needs no such thing."
)

BY_PREVALENCE = (
    "The order within a fold expects one half of its pairs, and no order of whole folds has more of the "
    "others right than that by prevalence."
)

MOST_VALUES = 200_000
"""Distinct values up to which the distribution of a mean over folds is computed exactly."""


@dataclass(frozen=True, eq=False)
class FoldScoreBaseline(Value):
    """The best that scores expect across folds if they ignore the features."""

    measure: ScoreMeasure  # what is evaluated
    population: Population  # all samples, as an array of one group, or that group
    attained_by: Recipe  # what to do to get the bar
    claim: str  # why nothing does better
    value: float = math.nan  # this and what follows as in `ScoreBaseline`, of the same combination of folds
    worst_value: float = math.nan
    best_possible: float = math.nan
    error: float = 0.0
    rounding: float = 0.0
    reason: str = ""

    certified = True
    train_value = None

    @property
    def recipe(self) -> str:
        """What to do to get the bar, as an order."""
        return str(self.attained_by)

    def __float__(self) -> float:
        """Return the bar."""
        return self.value

    def __getitem__(self, index: Any) -> FoldScoreBaseline:
        """Return the bar of the one group there is."""
        return replace(self, population=self.population[index])


def bar_maker(
    measure: ScoreMeasure, total: IntArray, positives: IntArray
) -> Callable[..., FoldScoreBaseline]:
    """Return what makes bars of a measure on these folds."""
    whole = Population(total.sum(keepdims=True), positives.sum(keepdims=True))
    return functools.partial(FoldScoreBaseline, measure, whole)


def averaged_bar(
    measure: ScoreMeasure, total: IntArray, positives: IntArray, weights: FloatArray, claim: str
) -> FoldScoreBaseline:
    """Return the mean of the folds' bars with these weights; folds without a bar have none."""
    make = bar_maker(measure, total, positives)
    bars = bars_of(measure, Population(total, positives))
    weights = np.where(np.isnan(np.asarray(bars.value)), 0.0, weights)
    if not weights.any():
        return make(NOTHING_TO_DO, measure.claim, reason=f"{measure.label} has no value in any fold")
    recipe = PREVALENCE_OF_FOLD
    if not measure.probabilities:
        recipe = replace(measure.recipe(int(total.sum()), int(positives.sum())), aside="fold by fold")
    means = (
        float(np.average(np.where(weights > 0, column, 0.0), weights=weights))
        for column in (bars.value, bars.worst_value, bars.best_possible, bars.error, bars.rounding)
    )
    return make(replace(recipe, certain=measure.certain), claim, *means)


@dataclass(frozen=True)
class ScoreWay:
    """A way of combining scores over folds; a new one is a subclass, and its object in `SCORE_WAYS`."""

    name: str  # as the argument `aggregate` calls it
    pools: ClassVar[bool] = False  # no way adds scores up
    untested: ClassVar[str] = "p_value is not known where folds are combined in this way"
    """Why the spread over parts does not tell how surely a score is known; empty if it does."""

    def parts(self, folds: Sequence[IntArray]) -> Sequence[IntArray]:
        """Return the samples that are ranked together; the score is the mean over these that have one."""
        raise NotImplementedError

    def bar(self, measure: ScoreMeasure, total: IntArray, positives: IntArray) -> FoldScoreBaseline:
        """Return the best that scores expect of the same if they ignore the features.

        Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010,
        section 3.1.
        """
        raise NotImplementedError

    def chance(
        self,
        measure: ScoreMeasure,
        truth: BoolArray,
        scores: FloatArray,
        folds: Sequence[IntArray],
        score: float,
        seed: int = 0,
    ) -> Tail:
        """Return how likely labels dealt out within each fold do as well."""
        raise NotImplementedError

    def notes(
        self, measures: Sequence[ScoreMeasure], names: Sequence[Any], total: IntArray, positives: IntArray
    ) -> list[str]:
        """Say below a scorecard how the folds are combined."""
        raise NotImplementedError

    def in_parts(
        self, measure: ScoreMeasure, truth: BoolArray, scores: FloatArray, folds: Sequence[IntArray]
    ) -> FloatArray:
        """Evaluate one model in each part; nan where it has no value."""
        parts = self.parts(folds)
        return np.array([float(measure.value(Ranking.of(truth[part], scores[part]))) for part in parts])

    def refuse(self, measures: Sequence[ScoreMeasure]) -> None:
        """Raise where a measure cannot be combined so."""


@dataclass(frozen=True)
class MeanOfFolds(ScoreWay):
    """Folds without a value are left out: their class sizes alone decide that."""

    untested = ""

    def parts(self, folds: Sequence[IntArray]) -> Sequence[IntArray]:
        """Return the folds."""
        return folds

    def bar(self, measure: ScoreMeasure, total: IntArray, positives: IntArray) -> FoldScoreBaseline:
        """Return the mean of the folds' bars."""
        claim = f"{measure.claim} Folds are averaged, and so are their bars."
        return averaged_bar(measure, total, positives, np.ones(len(total)), claim)

    def chance(
        self,
        measure: ScoreMeasure,
        truth: BoolArray,
        scores: FloatArray,
        folds: Sequence[IntArray],
        score: float,
        seed: int = 0,
    ) -> Tail:
        """Return the tail of the mean over the folds with a value."""
        ranked = (Ranking.of(truth[fold], scores[fold]) for fold in folds)
        rankings = [ranking for ranking in ranked if not math.isnan(measure.value(ranking))]
        exact = _exact_mean(measure, rankings)
        if exact is not None:
            values, chances = exact
            return Tail.exactly(float(chances[reached(measure, values, score)].sum()))
        parts = [
            np.concatenate(
                [
                    measure.value(one.with_positives(part))
                    for part in deal.shuffles(one.sizes, one.hits, seed=seed + at)
                ]
            )
            for at, one in enumerate(rankings)
        ]
        tried = min(map(len, parts))
        return share_of(measure, score, [np.mean([part[:tried] for part in parts], axis=0)])

    def notes(
        self, measures: Sequence[ScoreMeasure], names: Sequence[Any], total: IntArray, positives: IntArray
    ) -> list[str]:
        """Name the folds without a value."""
        lacking: dict[str, list[str]] = {}
        for measure in measures:
            without = [
                visible(name)
                for name, m, p in zip(names, total.tolist(), positives.tolist(), strict=True)
                if measure.needs(m, p)
            ]
            if without:
                lacking.setdefault(listed(without, most=6), []).append(measure.label)
        return [
            f"Scores and bars are means over {len(names):,} folds.",
            *(
                f"{listed(labels)} {'has' if len(labels) == 1 else 'have'} no value in fold {where} and "
                f"{'is' if len(labels) == 1 else 'are'} averaged over the others."
                for where, labels in lacking.items()
            ),
        ]


def _exact_mean(measure: ScoreMeasure, rankings: Sequence[Ranking]) -> tuple[FloatArray, FloatArray] | None:
    """Return the law of the mean over folds where every fold has few arrangements."""
    sums, chances = np.zeros(1), np.ones(1)
    for one in rankings:
        listed = all_values(measure.value, one)
        if listed is None:
            return None
        values, probabilities = _gathered(*listed)
        if len(sums) * len(values) > 20 * MOST_VALUES:
            return None
        sums, chances = _gathered(
            np.add.outer(sums, values).ravel(), np.outer(chances, probabilities).ravel()
        )
        if len(sums) > MOST_VALUES:
            return None
    return sums / len(rankings), chances


def _gathered(values: FloatArray, probabilities: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Add up the probabilities of values that differ by rounding alone."""
    _, first, back = np.unique(np.round(values, 11), return_index=True, return_inverse=True)
    return values[first], np.bincount(back, probabilities).astype(np.float64)


@dataclass(frozen=True)
class Merged(ScoreWay):
    """Known for measures that are means over samples or over pairs of them."""

    untested = "p_value is not known where the scores of folds are merged"

    def refuse(self, measures: Sequence[ScoreMeasure]) -> None:
        """Raise where a measure is no such mean."""
        unknown = [measure.label for measure in measures if not measure.mean_over]
        if unknown:
            known = listed(measure.name for measure in registered("scores") if measure.mean_over)
            raise ValueError(
                f"aggregate={self.name!r} is known for {known}, not for {listed(unknown, most=4)}; use "
                "aggregate='mean'."
            )

    def parts(self, folds: Sequence[IntArray]) -> Sequence[IntArray]:
        """Return all tests together."""
        return [np.concatenate(folds)]

    def bar(self, measure: ScoreMeasure, total: IntArray, positives: IntArray) -> FoldScoreBaseline:
        """Return the bar of scores that know the folds and nothing else."""
        if measure.mean_over == "samples":
            return averaged_bar(measure, total, positives, total.astype(np.float64), measure.claim)
        make = bar_maker(measure, total, positives)
        lacking = measure.needs(int(total.sum()), int(positives.sum()))
        if lacking:
            return make(NOTHING_TO_DO, measure.claim, reason=lacking)
        value = merged_auc(total, positives)
        aside = "higher where more of them are positive"
        recipe = Recipe("give", "all samples of a fold the same score", aside) if value > 0.5 else SAME_SCORE
        return make(replace(recipe, certain=True), BY_PREVALENCE, value, 1 - value, 1.0)

    def chance(
        self,
        measure: ScoreMeasure,
        truth: BoolArray,
        scores: FloatArray,
        folds: Sequence[IntArray],
        score: float,
        seed: int = 0,
    ) -> Tail:
        """Return how often seeded random deals within each fold do as well."""
        tested = np.concatenate(folds)
        ranking = Ranking.of(truth[tested], scores[tested])
        dealt = (ranking.with_labels(scores[tested], labels) for labels in _within(truth, folds, seed))
        return share_of(measure, score, map(measure.value, dealt))

    def notes(
        self,
        measures: Sequence[ScoreMeasure],  # noqa: ARG002
        names: Sequence[Any],  # noqa: ARG002
        total: IntArray,
        positives: IntArray,
    ) -> list[str]:
        """Say what merging takes for granted."""
        if (positives * total.sum() == total * positives.sum()).all():
            return [CALIBRATED]
        return [CALIBRATED, "The folds differ in their share of positives, and the bars know it."]


def merged_auc(total: IntArray, positives: IntArray) -> float:
    """Return the best expected ROC AUC of merged folds that ignores the features but knows the folds."""
    p, n = positives.astype(np.float64), (total - positives).astype(np.float64)
    order = np.argsort(-(p / (p + n)), kind="stable")
    p, n = p[order], n[order]
    below = n.sum() - np.cumsum(n)
    return float((p * (n / 2 + below)).sum() / (p.sum() * n.sum()))


def _within(truth: BoolArray, folds: Sequence[IntArray], seed: int) -> Iterator[BoolArray]:
    """Yield labels dealt out at random within each fold, the folds one after the other."""
    generator = np.random.default_rng(deal.SEED + seed)
    for rows in portions(sum(map(len, folds))):
        parts = [generator.permuted(np.tile(truth[fold], (rows, 1)), axis=1) for fold in folds]
        yield np.concatenate(parts, axis=1)


SCORE_WAYS: dict[str, ScoreWay] = {way.name: way for way in (MeanOfFolds("mean"), Merged("merged"))}
"""By the names that `aggregate` takes."""


def chosen_score_way(aggregate: Any, measures: Sequence[ScoreMeasure]) -> ScoreWay:
    """Return a way of combining folds, or say what can be asked for."""
    if not (isinstance(aggregate, str) and aggregate in SCORE_WAYS):
        names = " or ".join(map(repr, SCORE_WAYS))
        raise ValueError(f"aggregate must be {names} for scores; found {aggregate!r:.60}.")
    SCORE_WAYS[aggregate].refuse(measures)
    return SCORE_WAYS[aggregate]


@dataclass(frozen=True, eq=False)
class FoldedScores(Folded):
    """Each model's scores, the folds' samples, and how folds are combined."""

    models: tuple[str, ...]
    truth: BoolArray
    own: tuple[FloatArray, ...]
    folds: tuple[IntArray, ...]
    way: ScoreWay
    groups: tuple[Any, ...] = (None,)
    validation: Validation = UNKNOWN
    seed: int = field(default=0, kw_only=True)
    by_model = ("models", "own")

    @property
    def sizes(self) -> tuple[IntArray, IntArray]:
        """Samples and positive samples of each fold."""
        positives = [int(np.count_nonzero(self.truth[fold])) for fold in self.folds]
        return np.array([len(fold) for fold in self.folds]), np.array(positives)

    def bars(self, measures: Sequence[ScoreMeasure]) -> tuple[FoldScoreBaseline, ...]:
        """Return the bar of the same combination, over the one group of all samples."""
        return tuple(self.way.bar(measure, *self.sizes) for measure in measures)

    def scores(self, measures: Sequence[ScoreMeasure]) -> FloatArray:
        """Return the combined scores; nan where no fold has one."""
        scores = np.full((len(self.own), 1, len(measures)), np.nan)
        for model, own in enumerate(self.own):
            for at, measure in enumerate(measures):
                values = self.way.in_parts(measure, self.truth, own, self.folds)
                scores[model, 0, at] = self.combined(measure, values)
        return scores

    def combined(self, measure: ScoreMeasure, values: FloatArray) -> float:  # noqa: ARG002
        """Return the mean over the folds, or parts, that have a value; nan where none has."""
        return math.nan if np.isnan(values).all() else float(np.nanmean(values))

    def in_folds(self, measure: ScoreMeasure) -> FloatArray | None:
        """Return the scores of one model in the folds; None where they are merged."""
        return None if self.way.untested else self.way.in_parts(measure, self.truth, self.own[0], self.folds)

    def without_spread(self, measure: ScoreMeasure, mean: Mean) -> Faultless | None:
        """Return what is known of folds that score the same because nothing failed; None of others."""
        own, truth = self.own[0], self.truth
        perfect = self.way.bar(measure, *self.sizes).best_possible
        spread = any(len(np.unique(own[truth == label])) > 1 for label in (True, False))
        if abs(mean.value - perfect) > 1e-12 * max(1.0, abs(perfect)) and (
            spread or not measure.probabilities
        ):
            return None
        return self._faultless(measure, mean.value)

    def _faultless(self, measure: ScoreMeasure, score: float) -> Faultless | None:
        """Failures are at the wrong end, and probabilities 0 for 1; folds without a value count nothing."""
        rankings = [Ranking.of(self.truth[fold], self.own[0][fold]) for fold in self.folds]
        valued = [ranking for ranking in rankings if not math.isnan(measure.value(ranking))]
        sizes = np.array([[ranking.hits, ranking.total - ranking.hits] for ranking in valued])
        failures = np.arange(min(MOST_FAILURES, int(sizes.max())) + 1)
        values = np.stack([_failing(measure, ranking, failures) for ranking in valued])
        worst = measure.bounds[0 if measure.greater_is_better else 1]
        if not math.isfinite(worst):
            worst = float((np.nanmin if measure.greater_is_better else np.nanmax)(values))
        return Faultless(
            score,
            sizes,
            np.ones(len(sizes)),
            values[None],
            worst,
            lambda parts: parts[0],
            bool(measure.greater_is_better),
            self.validation.seen_once,
        )

    def chance(self, measures: Sequence[ScoreMeasure], scores: FloatArray) -> Tail:
        """Return how likely the model's own scores do as well, labels dealt out within each fold."""

        def cells() -> Iterator[tuple[tuple[int, int, int], Tail]]:
            known = np.argwhere(~np.isnan(scores)).tolist()
            for model, group, at in tracked(known, len(known), lambda _: 1, "scores"):
                score, own = float(scores[model, group, at]), self.own[model]
                tail = self.way.chance(measures[at], self.truth, own, self.folds, score, self.seed)
                yield (model, group, at), tail

        return Tail.gathered(scores.shape, cells())

    def why_undefined(self, measure: ScoreMeasure, missing: BoolArray) -> Any:
        """Say that no fold has a value."""
        return [NoValue(measure.label, where="in any fold")] * int(np.count_nonzero(missing))


def _failing(measure: ScoreMeasure, ranking: Ranking, failures: IntArray) -> FloatArray:
    """Evaluate a fold with so many positives and so many negatives that failed."""
    p, n = np.meshgrid(
        np.minimum(failures, ranking.hits), np.minimum(failures, ranking.total - ranking.hits), indexing="ij"
    )
    moved = np.stack([p.ravel(), n.ravel()], axis=-1)
    return with_ends(measure, ranking, moved, positives_last=True).reshape(p.shape)
