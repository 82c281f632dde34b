"""A model of supposed rates on a test set of some size: which outcomes are sure, and how likely they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import counts_of
from clearbar.null import least_true
from clearbar.problems.binary import Labels
from clearbar.problems.binary.rates.binomial import log_pmf
from clearbar.verdict._judge import judge_problem

MOST_EXACT = 500
"""Samples up to which every outcome is decided."""

MOST_ALONE = 200
"""Outcomes up to which each is asked on its own; of more, those beside the boundary of what is sure."""

BESIDE = 2
"""FP on either side of the boundary that are asked on their own."""

REACH = 6.5
"""Standard deviations beyond which outcomes are left out: they have a probability of below 1e-9."""

NEGLIGIBLE = 1e-13
"""Probability below which an outcome counts as the boundary has it."""

ROUNDING = 1e-12
"""How far off a sum of probabilities may be."""

DRAWS = 2_000
"""Outcomes that are drawn of more samples."""

PLACES = 17
"""TP at which the boundary is then looked for."""

TOGETHER = 64
"""Outcomes that are asked together where the answer to the first may do."""


class Power(float):
    """A probability, and its standard error: 0 where it was not simulated."""

    standard_error: float

    def __new__(cls, value: float, standard_error: float = 0.0) -> Self:
        """Keep both."""
        made = super().__new__(cls, value)
        made.standard_error = standard_error
        return made

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        """Pickle by both."""
        return float(self), self.standard_error


class Outcomes(NamedTuple):
    """Numbers of true and false positives, and how likely they are together."""

    tp: IntArray
    fp: IntArray
    weights: FloatArray


class Boundary(NamedTuple):
    """The largest share of false positives that is sure, of some shares of true ones."""

    true: FloatArray
    false: FloatArray

    def at(self, true: FloatArray) -> FloatArray:
        """Return it of other shares, between these by a line."""
        return np.interp(true, self.true, self.false)


@dataclass(frozen=True)
class Trial:
    """A test set of some class sizes, a measure, the true rates of a model, and the level."""

    measure: Measure
    positives: int
    negatives: int
    sensitivity: float
    specificity: float
    alpha: float
    undefined: Undefined = "exclude"

    def p_of_clears(self, tp: IntArray, fp: IntArray) -> FloatArray:
        """Return the larger p-value of outcomes that clear the bar, as `evaluate` has it; nan for others."""
        tables = np.stack((tp, fp, self.positives - tp, self.negatives - fp))[:, None]
        problem = Labels(("model",), tuple(range(len(tp))), counts_of(tables), self.undefined)
        _, columns = judge_problem(problem, [self.measure])
        return np.asarray(np.where(columns["outcome"] == "clears", columns["p_sure"], np.nan)[0, :, 0])

    def sure(self, tp: IntArray, fp: IntArray) -> BoolArray:
        """Whether these outcomes clear the bar surely."""
        return self.p_of_clears(tp, fp) <= self.alpha if len(tp) else np.zeros(0, dtype=bool)

    @property
    def is_exact(self) -> bool:
        """Whether all outcomes are added up."""
        return self.positives + self.negatives <= MOST_EXACT

    @cached_property
    def _tp(self) -> IntArray:
        return _likely(self.positives, self.sensitivity)

    @cached_property
    def _fp(self) -> IntArray:
        return _likely(self.negatives, 1 - self.specificity)

    def boundary(self, near: Boundary | None = None) -> Boundary:
        """Return the most FP that are sure for each TP, or for some of very many, between which it is a line.

        One less than the fewest likely ones stands for none. `near` is the boundary of a test set of about
        this size.
        """
        tp = self._tp
        if not self.is_exact:
            tp = np.unique(np.linspace(tp[0], tp[-1], PLACES).astype(np.int64))
        low, high = (np.full_like(tp, self._fp[end]) for end in (0, -1))
        hint = (low + high) // 2
        if near is not None:
            hint = np.rint(near.at(tp / max(self.positives, 1)) * self.negatives).astype(np.int64) + 1
        unsure = least_true(lambda fp, rows: ~self.sure(tp[rows], fp), low, high, hint)
        return Boundary(tp / max(self.positives, 1), (unsure - 1) / max(self.negatives, 1))

    def _all_outcomes(self) -> Outcomes:
        """Return all likely outcomes and their probabilities."""
        tp, fp = (side.ravel() for side in np.meshgrid(self._tp, self._fp, indexing="ij"))
        weights = np.outer(
            _pmf(self._tp, self.positives, self.sensitivity),
            _pmf(self._fp, self.negatives, 1 - self.specificity),
        )
        return Outcomes(tp, fp, weights.ravel())

    def _drawn(self, seed: int) -> Outcomes:
        """Draw outcomes."""
        generator = np.random.default_rng(seed)
        drawn = np.stack(
            (
                generator.binomial(self.positives, self.sensitivity, DRAWS),
                generator.binomial(self.negatives, 1 - self.specificity, DRAWS),
            )
        )
        (tp, fp), times = np.unique(drawn, axis=1, return_counts=True)
        return Outcomes(tp, fp, times / DRAWS)

    def _share(self, outcomes: Outcomes, boundary: Boundary, wanted: float | None) -> float:
        """Return the share of outcomes that are sure, or at least on which side of `wanted` it is.

        Outcomes beside the boundary are asked, the likeliest first, until there is no doubt.
        """
        tp, fp, weights = outcomes
        edge = boundary.at(tp / max(self.positives, 1)) * self.negatives
        beside = float(BESIDE)
        if not self.is_exact:  # how far off a line between two places may be
            beside += 0.1 * math.sqrt(self.negatives * self.specificity * (1 - self.specificity))
        passes = fp <= edge + 1e-9
        undecided = (np.abs(fp - edge - 0.5) <= beside + 0.5 + 1e-9) & (weights > NEGLIGIBLE)
        doubtful = np.flatnonzero(undecided)
        doubtful = doubtful[np.argsort(-weights[doubtful], kind="stable")]
        step = len(doubtful) if wanted is None else TOGETHER
        for start in range(0, len(doubtful), max(step, 1)):
            if wanted is not None:
                low = float(weights[passes & ~undecided].sum())
                if low >= wanted or low + float(weights[undecided].sum()) < wanted:
                    return low
            part = doubtful[start : start + step]
            passes[part], undecided[part] = self.sure(tp[part], fp[part]), False
        return min(float(weights[passes].sum()), 1.0)

    def exact(self) -> Power:
        """Add up the probabilities of all outcomes that are sure."""
        outcomes = self._all_outcomes()
        if len(outcomes.tp) <= MOST_ALONE:
            return Power(min(float(outcomes.weights @ self.sure(outcomes.tp, outcomes.fp)), 1.0))
        return Power(self._share(outcomes, self.boundary(), None))

    def simulated(self, seed: int) -> Power:
        """Draw outcomes and count those that are sure."""
        hits = round(self._share(self._drawn(seed), self.boundary(), None) * DRAWS)
        share = (hits + 1) / (DRAWS + 2)  # that none, or all, were sure is no certainty
        return Power(hits / DRAWS, math.sqrt(share * (1 - share) / DRAWS))

    def power(self, seed: int) -> Power:
        """Return the probability of a sure clear."""
        return self.exact() if self.is_exact else self.simulated(seed)

    def reaches(self, wanted: float, seed: int, near: Boundary | None) -> tuple[bool, Boundary | None]:
        """Whether the power is as large as wanted; and the boundary, for test sets of about this size."""
        wanted -= ROUNDING
        outcomes = self._all_outcomes() if self.is_exact else self._drawn(seed)
        if self.is_exact and len(outcomes.tp) <= MOST_ALONE:
            return self.exact() >= wanted, near
        boundary = self.boundary(near)
        return self._share(outcomes, boundary, wanted) >= wanted, boundary


def _likely(size: int, rate: float) -> IntArray:
    """Return the counts that are likely enough to matter."""
    half = REACH * math.sqrt(size * rate * (1 - rate)) + (3 if 0 < rate < 1 else 0)
    low, high = math.floor(size * rate - half), math.ceil(size * rate + half)
    return np.arange(max(low, 0), min(high, size) + 1)


def _pmf(counts: IntArray, size: int, rate: float) -> FloatArray:
    if rate in {0.0, 1.0} or not size:
        return np.asarray(counts == round(size * rate), dtype=np.float64)
    k = counts.astype(np.float64)
    return np.asarray(np.exp(log_pmf(k, np.full_like(k, size), np.full_like(k, rate))))
