"""One verdict: a model, a measure, its bar, and a sentence."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Any, Literal

from clearbar.catalogue import Entry
from clearbar.core import Later
from clearbar.core._value import Value
from clearbar.core.counts import Counts
from clearbar.inference import Method
from clearbar.problems._protocol import Bar
from clearbar.verdict._judge import Intervals, is_bound, level_of

Outcome = Literal["undefined", "unbeatable", "ties", "clears", "fails"]


@dataclass(frozen=True, eq=False)
class Verdict(Value):
    """Whether a score clears its bar, by how much, and how surely.

    Attributes
    ----------
    model : str
        Name of the model.
    group : object
        The slice; None for all samples.
    measure : Measure
        The measure.
    counts : Counts or None
        What happened; None for a bare score and for measures of scores.
    score : float
        The model's score; the mean over runs where there are several.
    baseline : Baseline
        The bar, on this population; of another kind of problem, what stands there for it.
    best_possible, worst_draw : float
        The score of perfect predictions; the worst expected score of any draw.
    skill : float
        0 at the bar, 1 at the best possible score, -1 at the worst draw.
    low, high : float
        The confidence interval of the model's true score.
    p_value : float
        The two-sided p-value of the hypothesis that the model's true score is the bar. Of a measure whose
        expectation depends on the number of samples (average precision, KS, the best of all thresholds) it
        is 1 below the bar.
    p_value_blind : float
        The probability that labels in random order score at least as well, given the number of samples
        that were predicted positive; where that is not known, the largest probability over all numbers.
        An x/0 outcome on the better side counts as reaching the score, which can only make it larger. Of
        several runs, or with clusters, from permutations of the labels, seeded: all runs together, labels
        of whole groups. Where sizes of clusters hardly repeat, a t-test of what they add to the
        agreement, for all measures alike.
    p_sure : float
        The larger of the two; nan where one is not known. Where the interval holds a bar that is refuted
        itself, as p jumps from bar to bar, it is that of the worse bar within it that is refuted least.
    p_corrected : float
        The larger of the two for a score above its bar, else 1; corrected for the models (Holm) or the
        slices (Benjamini and Hochberg) that were judged together.
    sure : bool
        Whether the score clears its bar and `p_corrected` is at most 1 - `confidence_level`. With
        ``intervals=False`` that is not known, and reading it raises `ValueError`.
    outcome : {"undefined", "unbeatable", "ties", "clears", "fails"}
        Only "clears" clears.
    reason : str
        Why a number is missing or only bounded; empty otherwise.
    runs : int
        Number of runs of the model.
    score_sd, share_clearing : float
        Standard deviation of the score over runs, and the share of runs that clear the bar.
    has_p_values : bool
        Whether p-values were asked for (``intervals=False`` leaves them out). Where they were and neither
        is known, nothing is sure; where not, `p_corrected` is 1.
    p_method, interval_method, p_blind_method : str
        How `p_value`, the interval and `p_value_blind` were found: "exact", "estimated", "bootstrap",
        "permutation", "t", "delong", "normal"; "unknown" where that is not known, and empty where a score has
        no value or p-values were not asked for. Where both p are "exact", no feature-blind classifier is a
        sure clear more often than `alpha`; elsewhere that is approximate.
    p_draws, p_blind_draws : int
        The number of random draws behind each, 0 if none: no p-value is below one over one more of them.
    p_is_bound : bool
        Whether that decides `p_sure`, so that the true one is at most it; it is written "≤".
    """

    model: str
    group: Any
    measure: Entry
    counts: Counts | None
    score: float
    baseline: Bar
    best_possible: float
    worst_draw: float
    skill: float
    p_value: float
    p_value_blind: float
    p_sure: float
    p_corrected: float
    outcome: Outcome
    reason: str = ""
    runs: int = 1
    score_sd: float = math.nan
    share_clearing: float = math.nan
    confidence_level: float = 0.95
    has_p_values: bool = True
    p_method: Method | Literal[""] = ""
    p_blind_method: Method | Literal[""] = ""
    p_draws: int = 0
    p_blind_draws: int = 0
    ends: tuple[Intervals, int] | None = field(default=None, compare=False, repr=False)

    @property
    def interval_method(self) -> Method | Literal[""]:
        """The method of the interval: that of `p_value`."""
        return "" if self.ends is None else self.p_method or self.ends[0].method(self.ends[1])

    @property
    def p_is_bound(self) -> bool:
        """Whether `p_sure` is the least that its random draws can tell: the true one is at most that."""
        return bool(is_bound(self.p_value, self.p_value_blind, self.p_draws, self.p_blind_draws))

    @property
    def low(self) -> float:
        """Lower end of the confidence interval of the true score, found when it is first read."""
        return self._interval[0]

    @property
    def high(self) -> float:
        """Upper end of the confidence interval of the true score."""
        return self._interval[1]

    @functools.cached_property
    def _interval(self) -> tuple[float, float]:
        if self.ends is None:
            return math.nan, math.nan
        intervals, number = self.ends
        return intervals[number]

    @property
    def sure(self) -> bool:
        """Whether the score clears its bar, and surely."""
        if not self.has_p_values:
            raise ValueError("intervals=False left out how surely; `clears` tells of the score alone.")
        return bool(self.clears and self.p_corrected <= level_of(self.confidence_level))

    @property
    def clears(self) -> bool:
        """Whether the score is better than the bar."""
        return self.outcome == "clears"

    _in_words = Later("clearbar.scorecard", "sentence")
    _repr_html_ = Later("clearbar.scorecard", "verdict_html")

    def __str__(self) -> str:
        """Say the verdict in one sentence."""
        return str(self._in_words())
