"""One verdict: a model, a measure, its bar, and a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from clearbar._value import Value
from clearbar.baseline import Bar, Judged
from clearbar.counts import Counts
from clearbar.display import number, p_phrase, shorten, signed, visible
from clearbar.measures import Measure

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
    p_value : float
        The largest probability with which any feature-blind classifier does at least this well.
    p_value_matched : float
        The same for the draw with the model's own number of predicted positives. Of several runs
        both are twice the mean of the runs' p-values, which is one however the runs depend on each
        other (Vovk and Wang 2020). An x/0 outcome on the better side counts as reaching the score,
        which can only make them larger.
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
    p_value_matched: float
    outcome: Outcome
    reason: str = ""
    runs: int = 1
    score_sd: float = math.nan
    share_clearing: float = math.nan

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
        verb = {"ties": "ties with", "clears": "clears", "fails": "does not clear"}[self.outcome]
        mean = f" on average over {self.runs:,} runs" if self.runs > 1 else ""
        parts = [f"{model}{where}: {label} {score}{mean} {verb} the bar {bar} ({how})"]
        if not math.isnan(self.skill) and self.outcome != "ties":
            parts.append(f"skill {signed(self.skill)}")
        if not math.isnan(self.p_value):
            parts.append(p_phrase(self.p_value))
        elif not math.isnan(self.p_value_matched) and self.clears:
            guess = "a guess with as many predicted positive"
            if not isinstance(self.measure, Measure):
                guess = "the same scores dealt out at random"
            parts.append(f"{p_phrase(self.p_value_matched)} for {guess}")
        return "; ".join(parts)
