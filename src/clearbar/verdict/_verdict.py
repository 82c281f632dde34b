"""One verdict: a model, a measure, its bar, and a sentence."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from clearbar._value import Value
from clearbar.baseline import Bar, Judged, Problem
from clearbar.counts import Counts
from clearbar.display import TELLS, number, p_phrase, shorten, signed, visible

MOST_WIDE = 60
"""Columns that a name takes up in a sentence."""

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
        What is evaluated.
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
        How surprising the score is if the model's true score is the bar; two-sided.
    p_value_blind : float
        How likely labels in random order score at least as well, given how many samples were predicted
        positive; where that is not known, the largest probability over all numbers. An x/0 outcome on the
        better side counts as reaching the score, which can only make it larger. Of several runs, or with
        clusters, from permutations of the labels, seeded: all runs together, labels of whole groups.
    p_corrected : float
        The larger of the two for a score above its bar, else 1; corrected for the models (Holm) or the
        slices (Benjamini and Hochberg) that were judged together.
    sure : bool
        Whether the score clears its bar and `p_corrected` is at most 1 - `confidence_level`.
    outcome : {"undefined", "unbeatable", "ties", "clears", "fails"}
        Only "clears" clears.
    reason : str
        Why a number is missing or only bounded; empty otherwise.
    runs : int
        Number of runs of the model.
    score_sd, share_clearing : float
        Standard deviation of the score over runs, and the share of runs that clear the bar.
    """

    model: str
    group: Any
    measure: Judged
    counts: Counts | None
    score: float
    baseline: Bar
    best_possible: float
    worst_draw: float
    skill: float
    p_value: float
    p_value_blind: float
    p_corrected: float
    sure: bool
    outcome: Outcome
    reason: str = ""
    runs: int = 1
    score_sd: float = math.nan
    share_clearing: float = math.nan
    confidence_level: float = 0.95
    problem: Problem | None = field(default=None, compare=False, repr=False)

    @property
    def low(self) -> float:
        """Lower end of the confidence interval of the true score, found when it is first read."""
        return self._interval[0]

    @property
    def high(self) -> float:
        """Upper end of the confidence interval of the true score."""
        return self._interval[1]

    @property
    def p_sure(self) -> float:
        """The larger of `p_value` and `p_value_blind`, of those that are known."""
        return float(np.fmax(self.p_value, self.p_value_blind))

    @functools.cached_property
    def _interval(self) -> tuple[float, float]:
        if self.problem is None or math.isnan(self.p_value):
            return math.nan, math.nan
        return self.problem.interval(self.measure, self.confidence_level)

    @property
    def clears(self) -> bool:
        """Whether the score is better than the bar."""
        return self.outcome == "clears"

    def __str__(self) -> str:
        """Say the verdict in one sentence."""
        model = shorten(visible(self.model), MOST_WIDE)
        where = "" if self.group is None else f" in {shorten(visible(self.group), MOST_WIDE)}"
        samples = int(self.baseline.population.total)
        label = self.measure.label
        if self.outcome == "undefined":
            return f"{model}{where}: {label} cannot be judged: {self.reason}"
        score = number(self.score, samples)
        bar = number(float(self.baseline.value), samples)
        how = self.baseline.recipe
        if self.outcome == "unbeatable":
            return (
                f"{model}{where}: {label} {score} tells nothing: {how} and you get {bar}, "
                "the best possible score"
            )
        mean = f" on average over {self.runs:,} runs" if self.runs > 1 else ""
        parts = [f"{model}{where}: {label} {score}{mean} {self._verb()} the bar {bar} ({how})"]
        if not math.isnan(self.skill) and self.outcome != "ties":
            parts.append(f"skill {signed(self.skill)}")
        if self.outcome == "clears" and not math.isnan(self.p_sure):
            doubt = "" if self.sure else "it could be chance: "
            parts.append(f"{doubt}{p_phrase(self.p_corrected, floor=TELLS)}")
        return "; ".join(parts)

    def _verb(self) -> str:
        if self.outcome == "clears":
            asked = not math.isnan(self.p_sure)
            return "is above" if asked and not self.sure else "clears"
        return {"ties": "is exactly at", "fails": "is below"}[self.outcome]
