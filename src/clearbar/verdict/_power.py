"""How likely a model of hypothetical rates is a sure clear, and how many samples that takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Population, counts_of
from clearbar.inference.binomial import log_pmf
from clearbar.inference.level_curves import is_ordered, true_score
from clearbar.inference.units import FEWEST
from clearbar.null import least_true
from clearbar.problems.binary import Labels, baseline
from clearbar.verdict._judge import judge

MOST_EXACT = 500
"""Samples up to which the probabilities of all outcomes are added up."""

MOST_ALONE = 200
"""Outcomes up to which each is judged; of more, those beside the boundary of what is significant."""

BESIDE = 2
"""FP on either side of the boundary that are judged: p is not quite monotone in FP."""

DEVIATIONS = 6.5
"""Standard deviations beyond which outcomes are left out: they have a probability of below 1e-9."""

NEGLIGIBLE = 1e-13
"""Probability below which an outcome counts as the boundary has it."""

DRAWS = 2_000
"""Outcomes that are simulated of more samples."""

PLACES = 17
"""TP at which the boundary is then looked for."""

SATURATED = 0.99
"""Share of simulated test sets above which it says little of the expected z."""

CERTAIN = 1 - 1e-6
"""Share of enumerated outcomes above which it says little of the expected z: unlikely ones are left out."""

ENDLESS = 1e3
"""Expected z that is as good as an infinite one."""

TOGETHER = 64
"""Outcomes that are judged together where the answer to the first may do."""

BEYOND, STEP, RESOLUTION = 1.4, 20, 50
"""Up to 1.4 times the guess is tried, then down by a twentieth at a time; simulated power to two per cent."""

TRIES = 30
"""Numbers of samples that are tried, about."""

LARGEST, LIMIT = 10**7, 10**9
"""Samples beyond which nobody asks, and of which a bar is as good as what it tends to."""


class Power(float):
    """A probability, and its standard error: 0 where it was not simulated."""

    standard_error: float

    def __new__(cls, value: float, standard_error: float = 0.0) -> Self:
        made = super().__new__(cls, value)
        made.standard_error = standard_error
        return made

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        return float(self), self.standard_error


def of_clusters(share: float, degrees: float, alpha: float, least_z: float = -math.inf) -> float:
    """Return the power in clusters, of which a test has so many degrees of freedom, where it is this without.

    A t-test stands for the test in clusters: what is a normal z on average has there the noncentral t
    distribution (Lehmann and Romano, Testing Statistical Hypotheses, 2005, section 5.2). Too few: 0.
    """
    from scipy.special import nctdtr, ndtri, stdtrit

    if degrees == math.inf or not share:
        return share
    if degrees < FEWEST - 1:
        return 0.0
    expected_z = max(float(ndtri(min(share, 1 - 1e-12)) - ndtri(alpha / 2)), least_z)
    return 1 - float(nctdtr(degrees, min(expected_z, ENDLESS), stdtrit(degrees, 1 - alpha / 2)))


def without_clusters(wanted: float, degrees: float, alpha: float) -> float:
    """Return the power of independent samples that is this in clusters; above 1 where these are too few."""
    from scipy.special import nctdtrinc, ndtr, ndtri, stdtrit

    if degrees == math.inf:
        return wanted
    if degrees < FEWEST - 1:
        return 2.0
    expected_z = float(nctdtrinc(degrees, 1 - wanted, stdtrit(degrees, 1 - alpha / 2)))
    return float(ndtr(expected_z + ndtri(alpha / 2)))


class Boundary(NamedTuple):
    """The largest share of false positives that is significant, for some shares of true ones."""

    true: FloatArray
    false: FloatArray


@dataclass(frozen=True)
class Trial:
    """A test set of some class sizes, a measure, the true rates of a model, and the level.

    The samples are independent; `degrees` is finite where they stand for those of clusters.
    """

    measure: Measure
    positives: int
    negatives: int
    sensitivity: float
    specificity: float
    alpha: float
    undefined: Undefined = "exclude"
    degrees: float = math.inf

    @property
    def population(self) -> Population:
        return Population(self.positives + self.negatives, self.positives)

    @property
    def is_exact(self) -> bool:
        return self.positives + self.negatives <= MOST_EXACT

    def p_of_clears(self, tp: IntArray, fp: IntArray) -> FloatArray:
        """Return the larger p-value of outcomes that clear the bar, as `evaluate` has it; nan for others."""
        tables = np.stack((tp, fp, self.positives - tp, self.negatives - fp))[:, None]
        problem = Labels(("model",), tuple(range(len(tp))), counts_of(tables), self.undefined)
        _, columns = judge(problem, [self.measure])
        return np.asarray(np.where(columns["outcome"] == "clears", columns["p_sure"], np.nan)[0, :, 0])

    def sure(self, tp: IntArray, fp: IntArray) -> BoolArray:
        return self.p_of_clears(tp, fp) <= self.alpha if len(tp) else np.zeros(0, dtype=bool)

    @property
    def z(self) -> float:
        """By how many standard errors the true score is above the bar, about (delta method)."""
        sizes = np.maximum([float(self.positives), float(self.negatives)], 1.0)
        rates = np.array([self.sensitivity, 1 - self.specificity])
        step = np.where(rates < 0.5, 1e-6, -1e-6) * np.eye(2)
        moved = np.vstack((rates, rates + step))
        observed, *beside = true_score(self.measure, *np.tile(sizes[:, None], 3), *moved.T)
        error = math.hypot(*(np.array(beside) - observed) / 1e-6 * np.sqrt(rates * (1 - rates) / sizes))
        bar = float(baseline(self.population, self.measure, undefined=self.undefined).value)
        sign = -1.0 if self.measure.greater_is_better is False else 1.0  # losses come as their negatives
        return float((observed - sign * bar) / error) if error else math.inf

    @property
    def saturated(self) -> float:
        """The share of sure clears from which on it no longer tells how many standard errors there are."""
        return CERTAIN if self.is_exact else SATURATED

    @cached_property
    def likely(self) -> tuple[IntArray, IntArray]:
        """The TP and the FP that are likely enough to matter."""
        sides = []
        for size, rate in ((self.positives, self.sensitivity), (self.negatives, 1 - self.specificity)):
            half = DEVIATIONS * math.sqrt(size * rate * (1 - rate)) + (3 if 0 < rate < 1 else 0)
            low, high = math.floor(size * rate - half), math.ceil(size * rate + half)
            sides.append(np.arange(max(low, 0), min(high, size) + 1))
        return sides[0], sides[1]

    def boundary(self, near: Boundary | None = None) -> Boundary:
        """Return the most FP that are significant for each TP, or for some of very many, with lines between.

        One less than the fewest likely ones stands for none. `near` is the boundary of a test set of about
        this size.
        """
        tp, fp = self.likely
        if not self.is_exact:
            tp = np.unique(np.linspace(tp[0], tp[-1], PLACES).astype(np.int64))
        low, high = np.full_like(tp, fp[0]), np.full_like(tp, fp[-1])
        hint = (low + high) // 2
        if near is not None:
            edge = np.interp(tp / max(self.positives, 1), *near) * self.negatives
            hint = np.rint(edge).astype(np.int64) + 1
        unsure = least_true(lambda fp, rows: ~self.sure(tp[rows], fp), low, high, hint)
        return Boundary(tp / max(self.positives, 1), (unsure - 1) / max(self.negatives, 1))

    def outcomes(self, seed: int) -> tuple[IntArray, IntArray, FloatArray]:
        """Return TP and FP of all likely outcomes, or of simulated ones, and their probabilities."""
        if self.is_exact:
            tp, fp = self.likely
            weights = np.outer(
                _pmf(tp, self.positives, self.sensitivity), _pmf(fp, self.negatives, 1 - self.specificity)
            )
            return np.repeat(tp, len(fp)), np.tile(fp, len(tp)), weights.ravel()
        generator = np.random.default_rng(seed)
        drawn_tp = generator.binomial(self.positives, self.sensitivity, DRAWS)
        drawn_fp = generator.binomial(self.negatives, 1 - self.specificity, DRAWS)
        (tp, fp), times = np.unique(np.stack((drawn_tp, drawn_fp)), axis=1, return_counts=True)
        return tp, fp, times / DRAWS

    def share(self, seed: int, boundary: Boundary | None, wanted: float | None = None) -> float:
        """Return the probability of a sure clear, or at least on which side of `wanted` it is.

        Outcomes beside the boundary are judged, the likeliest first, until there is no doubt; without a
        boundary all are.
        """
        tp, fp, weights = self.outcomes(seed)
        passes, undecided = np.zeros(len(tp), dtype=bool), np.ones(len(tp), dtype=bool)
        if boundary is not None:
            edge = np.interp(tp / max(self.positives, 1), *boundary) * self.negatives
            beside = float(BESIDE)
            if not self.is_exact:  # how far off a line between two places may be
                beside += 0.1 * math.sqrt(self.negatives * self.specificity * (1 - self.specificity))
            passes = fp <= edge + 1e-9
            undecided = (np.abs(fp - edge - 0.5) <= beside + 0.5 + 1e-9) & (weights > NEGLIGIBLE)
        doubtful = np.flatnonzero(undecided)
        doubtful = doubtful[np.argsort(-weights[doubtful], kind="stable")]
        step = max(len(doubtful) if wanted is None else TOGETHER, 1)
        for start in range(0, len(doubtful), step):
            low = float(weights[passes & ~undecided].sum())
            if wanted is not None and (low >= wanted or low + float(weights[undecided].sum()) < wanted):
                return low
            judged = doubtful[start : start + step]
            passes[judged], undecided[judged] = self.sure(tp[judged], fp[judged]), False
        return min(float(weights[passes].sum()), 1.0)

    @property
    def judges_all(self) -> bool:
        """Whether there are so few outcomes that each is judged."""
        return self.is_exact and len(self.likely[0]) * len(self.likely[1]) <= MOST_ALONE

    def power(self, seed: int) -> Power:
        share = self.share(seed, None if self.judges_all else self.boundary())
        if self.degrees < math.inf and share >= self.saturated:
            return Power(of_clusters(self.saturated, self.degrees, self.alpha, self.z))
        if self.is_exact:
            return Power(of_clusters(share, self.degrees, self.alpha))
        return simulated_power(round(share * DRAWS), DRAWS, self.degrees, self.alpha)

    def reaches(self, wanted: float, seed: int, near: Boundary | None) -> tuple[bool, Boundary | None]:
        """Whether the power is as large as wanted; and the boundary, for test sets of about this size."""
        boundary = None if self.judges_all else self.boundary(near)
        least = without_clusters(wanted, self.degrees, self.alpha) - 1e-12
        if self.degrees < math.inf and least >= self.saturated - 1e-12:
            return self.power(seed) >= wanted - 1e-12, boundary or near
        return self.share(seed, boundary, least) >= least, boundary or near


def simulated_power(shown: int, draws: int, degrees: float, alpha: float) -> Power:
    """Return the power, and its standard error, where so many test sets of all showed it."""
    around = (shown + 1) / (draws + 2)  # that none, or all, were shown is no certainty
    error = math.sqrt(around * (1 - around) / draws)
    if degrees < math.inf:
        low, high = (of_clusters(share, degrees, alpha) for share in (max(around - error, 0), around + error))
        error = (high - low) / 2
    return Power(of_clusters(shown / draws, degrees, alpha), error)


def _pmf(counts: IntArray, size: int, rate: float) -> FloatArray:
    if rate in {0.0, 1.0} or not size:
        return np.asarray(counts == round(size * rate), dtype=np.float64)
    k = counts.astype(np.float64)
    return np.asarray(np.exp(log_pmf(k, np.full_like(k, size), np.full_like(k, rate))))


def refuse_unbeatable(trial: Trial) -> float:
    """Return the bar of a trial, or raise if there is none that can be cleared."""
    bar: Any = baseline(trial.population, trial.measure, undefined=trial.undefined)
    label = trial.measure.label
    if math.isnan(float(bar.value)):
        raise ValueError(f"{label} has no bar: {bar.reason}.")
    if float(bar.value) == float(bar.best_possible):
        raise ValueError(f"the {label} bar already is the best possible score, so nothing can clear it.")
    return float(bar.value)


def ordered(measure: str | Measure) -> Measure:
    entry: Any = get_measure(measure)
    why = "is not of labels of two classes"
    if entry.kind == "binary":
        why = "is not known to rise with true and fall with false positives"
        if is_ordered(entry):
            binary: Measure = entry
            return binary
    raise ValueError(f"{entry.label} {why}, which power needs; ask for another measure, such as mcc or f1.")


class Plannable(Protocol):
    """A test set of some size, and whether what shall be shown is likely enough there."""

    @property
    def is_exact(self) -> bool: ...
    def reaches(self, wanted: float, seed: int, near: Boundary | None) -> tuple[bool, Boundary | None]:
        """Whether the power is as large; and what serves test sets of about this size."""
        ...


def numbers_tried(
    trial_of: Callable[[int], Plannable], guess: int, wanted: float, seed: int
) -> Iterator[int]:
    """Yield the least number so far: down from well above a guess, by steps, then one by one.

    Where power is simulated, the last step is halved instead until it is as good as none.
    """
    near: Boundary | None = None  # of the number that was tried last: the next one's is about the same

    def suffices(samples: int) -> bool:
        nonlocal near
        enough, near = trial_of(samples).reaches(wanted, seed, near)
        return enough

    least = min(math.ceil(BEYOND * refused_above(guess)), LARGEST)
    while not suffices(least):
        least = refused_above(math.ceil(BEYOND * least))
        yield least
    step = max(1, least // STEP)
    while least - step >= 2 and suffices(least - step):
        least -= step
        step = max(1, least // STEP)
        yield least
    short = max(least - step, 1)  # tried, and too few
    while least - short > (1 if trial_of(least).is_exact else max(1, least // RESOLUTION)):
        middle = least - 1 if trial_of(least).is_exact else (least + short) // 2
        if suffices(middle):
            least = middle
        else:
            short = middle
        yield least
    yield least


def guessed(trial_of: Callable[[int], Trial], wanted: float) -> int:
    """Return about how many samples are needed: z grows with the square root of their number."""
    from scipy.special import ndtri

    samples = 16
    while True:
        trial = trial_of(samples)
        expected = trial.positives * trial.sensitivity, trial.negatives * (1 - trial.specificity)
        p_value = float(trial.p_of_clears(*(np.array([round(count)]) for count in expected))[0])
        if p_value < 0.02:
            z_found = -float(ndtri(max(p_value, 1e-12) / 2))
            z_wanted = float(ndtri(wanted) - ndtri(trial.alpha / 2))
            return max(math.ceil(samples * (max(z_wanted, 0.5) / z_found) ** 2), 4)
        samples = refused_above(math.ceil(1.5 * samples))


def refused_above(samples: int) -> int:
    if samples > LARGEST:
        raise ValueError(f"more than {LARGEST:,} samples are needed: the model is too close to its bar.")
    return samples


def refuse_hopeless(limit: Trial) -> None:
    """Raise where the bar of very many samples is the best score, or not below such a model's true one."""
    bar = refuse_unbeatable(limit)
    P, N = np.array([float(limit.positives)]), np.array([float(limit.negatives)])
    rates = np.array([limit.sensitivity]), np.array([1 - limit.specificity])
    sign = 1.0 if limit.measure.greater_is_better else -1.0
    score = sign * float(true_score(limit.measure, P, N, *rates)[0])  # losses come as their negatives
    if math.isnan(score) or sign * score <= sign * bar + 1e-9:
        rates_said = f"sensitivity {limit.sensitivity:g} and specificity {limit.specificity:g}"
        raise ValueError(
            f"a model of {rates_said} is not above the {limit.measure.label} bar, however many samples: its "
            f"true score is {round(score, 9):.3g}, the bar {bar:.3g}."
        )
