"""What a claim tells against how alike two models are: p, and how likely it is false."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from clearbar.claims import Claim
from clearbar.core._typing import FloatArray
from clearbar.core.errors import shown
from clearbar.formatting import p_value_text, percent, whole_percent
from clearbar.plots._canvas import Canvas, Key, plain
from clearbar.plots._display import Display, NothingToDrawError, Words

POINTS = 400
"""Numbers of discordant samples that are drawn at most."""

FEW = 120
"""Up to so many numbers are drawn as dots, more as a line."""

AGREEMENTS = 121
"""Agreements that are drawn."""


@dataclass(repr=False, eq=False)
class OneClaimDisplay(Display):
    """A picture of a claim: a curve, the level, and where the curve passes it."""

    claim: Claim

    _height = 3.2

    @classmethod
    def from_claim(cls, claim: Claim, *, ax: Any = None, compact: bool = False) -> Self:
        """Draw a claim.

        Parameters
        ----------
        claim : Claim
            Made by `clearbar.claim`.

        Raises
        ------
        ValueError
            If it is something else, or there is nothing to draw of it: a `ClaimDisplay` takes a measure that
            counts answers, a `FalseClaimDisplay` a claim that is decided.
        """
        if not isinstance(claim, Claim):
            raise ValueError(f"claim must be made by clearbar.claim; found {shown(claim)}.")
        refusal = cls._refusal(claim)
        if refusal:
            raise NothingToDrawError(refusal)
        return cls(claim).plot(ax=ax, compact=compact)

    @staticmethod
    def _refusal(claim: Claim) -> str:
        """Say why there is nothing to draw of a claim; empty where there is."""
        raise NotImplementedError

    @property
    def _pair(self) -> str:
        return " against ".join(self.claim.written)

    @property
    def _printed(self) -> str:
        """What was printed, and of how many samples."""
        scores = f"{self._pair} {plain(self.claim.measure.label)}"
        return f"{plain(scores, 60)} of {self.claim.samples:,} samples"

    def _frame(self, canvas: Canvas, x: Any, highest: float, labels: tuple[str, str], align: str) -> None:
        """Let the axes hold a curve over `x` and the level, which is named at one end of it."""
        alpha, low, high = self.claim.alpha, float(x[0]), float(x[-1])
        canvas.ax.set_ylim(0.0, max(1.5 * alpha, 1.05 * highest))
        margin = 0.02 * (high - low) or 0.5
        canvas.ax.set_xlim(low - margin, high + margin)
        canvas.style_axes(*labels)
        canvas.fit_ticks()
        end = low if align == "left" else high
        canvas.annotate(f"α = {alpha:g}", (end, alpha), (0, 3), color=canvas.text, ha=align, va="bottom")
        self.alpha_ = canvas.ax.axhline(alpha, color=canvas.muted, lw=1.4 * canvas.unit, ls="--")
        self.limit_: Any = None

    def _draw_limit(self, canvas: Canvas, x: float, words: str) -> None:
        """Mark where the curve passes the level."""
        self.limit_ = canvas.draw_limit(x, words, color=canvas.clears, lw=1.6 * canvas.unit, ls=":")

    def _words(self, note: str, keys: Sequence[Key] = ()) -> Words:
        return Words(keys, [note], above=0.0 if self.limit_ is None else 1.2)


@dataclass(repr=False, eq=False)
class ClaimDisplay(OneClaimDisplay):
    """The largest p-value of a claim, for each number of samples that only one of two models judges right.

    Parameters
    ----------
    claim : Claim
        Of a measure that counts answers.

    Attributes
    ----------
    line_, alpha_, limit_ : matplotlib.lines.Line2D
        The p-values, the level, and up to how many samples the claim is shown: None where no number is
        enough, or every one.

    Examples
    --------
    >>> import clearbar as cb
    >>> display = cb.plots.ClaimDisplay.from_claim(cb.claim("0.90", "0.80", 100))
    >>> display.finding
    '0.90 against 0.80: shown if at most 20 of 100 samples are judged differently'
    """

    @staticmethod
    def _refusal(claim: Claim) -> str:
        if claim.answers is not None:
            return ""
        return (
            f"{claim.measure.label} counts no answers, so that p does not follow from how many differ; "
            "draw a claim on accuracy, recall or specificity."
        )

    @property
    def _few(self) -> str:
        return f"{self.claim.most_discordant:,} of {self.claim.samples:,} samples are judged differently"

    @property
    def finding(self) -> str:
        verdict = self.claim.verdict
        said = "shown, whatever the overlap" if verdict == "shown" else "cannot be shown by these numbers"
        if verdict == "depends":
            said = f"shown if at most {self._few}"
            if self.claim.most_discordant is None:
                said = "not shown where as much as can be was rounded away"
        return f"{self._pair}: {said}"

    @property
    def description(self) -> str:
        return f"{self.finding}. {self.claim}"

    def _draw(self, canvas: Canvas) -> Words:
        claim = self.claim
        number = np.arange(claim.samples + 1)
        p_values = claim.p_value(number)
        possible = np.flatnonzero(~np.isnan(p_values))
        if possible.size > POINTS:
            possible = possible[np.unique(np.linspace(0, possible.size - 1, POINTS).astype(np.int64))]
        # Odd and even numbers go with different scores before rounding: a line between them would zigzag.
        dots = {"marker": "o", "ms": (3.0 if possible.size <= FEW else 1.5) * canvas.unit, "ls": "none"}
        self.line_ = canvas.line(possible, p_values[possible], canvas.text, 1.8, **dots)
        labels = "samples judged differently", "largest p"
        self._frame(canvas, possible, float(p_values[possible].max()), labels, "right")
        canvas.locate_ticks("x", integer=True)
        if claim.verdict == "depends" and claim.most_discordant is not None:
            self._draw_limit(canvas, claim.most_discordant, f"at most {claim.most_discordant:,}")
        differently = "Judged differently: one model is right, the other is wrong."
        return self._words(f"{self._printed}; McNemar's exact test. {differently}")


@dataclass(repr=False, eq=False)
class FalseClaimDisplay(OneClaimDisplay):
    """How likely a claim is false, for each share of samples on which both models may agree.

    One curve is how likely a difference as large is if both are equally good; the other the posterior
    probability that the first is no better, as Claims Reloaded defines it.

    Parameters
    ----------
    claim : Claim
        Of any measure; the second curve takes one that counts answers.

    Attributes
    ----------
    line_, posterior_, alpha_, limit_ : matplotlib.lines.Line2D
        Both curves, the level, and from which agreement on chance is at most that likely: None where no
        agreement is enough, or every one. The second is None where the measure counts no answers.

    Examples
    --------
    >>> import clearbar as cb
    >>> display = cb.plots.FalseClaimDisplay.from_claim(cb.claim("0.85", "0.80", 150))
    >>> display.finding
    '0.85 against 0.80: at most 5 % likely by chance if models agree on 86.1 % or more'
    """

    @staticmethod
    def _refusal(claim: Claim) -> str:
        if claim.verdict != "not decided":
            return ""
        return (
            f"{claim.measure.label} of {claim.samples:,} samples is not decided; "
            "draw a claim of fewer samples, or on accuracy, recall or specificity."
        )

    @cached_property
    def agreements(self) -> FloatArray:
        """Shares of samples on which both models agree, as far as the scores allow."""
        ends = (0.0, 1.0)
        if self.claim.answers is not None:
            discordant = np.flatnonzero(~np.isnan(self.claim.p_value(np.arange(self.claim.samples + 1))))
            ends = tuple(1.0 - discordant[[-1, 0]] / self.claim.samples)
        return np.linspace(*ends, AGREEMENTS if ends[0] < ends[1] else 1)

    @cached_property
    def probabilities(self) -> FloatArray:
        """How likely a difference as large is by chance, at each of `agreements`."""
        return np.asarray(self.claim.false_claim_probability(self.agreements))

    @cached_property
    def _least_agreement(self) -> float:
        """The agreement, in thousandths, from which on chance is unlikely: 0 for all, nan for none."""
        likely = np.flatnonzero(self.probabilities > self.claim.alpha)
        if not likely.size:
            return 0.0
        above, *below = (math.ceil(1000 * end) for end in self.agreements[likely[-1] :][:2])
        thousandths = (one / 1000 for one in range(above, *below or [above]))
        enough = (one for one in thousandths if self.claim.false_claim_probability(one) <= self.claim.alpha)
        return next(enough, math.nan)

    @property
    def finding(self) -> str:
        level, pair = whole_percent(self.claim.alpha), self._pair
        if self._least_agreement > 0:
            least = percent(self._least_agreement)
            return f"{pair}: at most {level} likely by chance if models agree on {least} or more"
        amount = "more than" if math.isnan(self._least_agreement) else "at most"
        return f"{pair}: {amount} {level} likely by chance, whatever the agreement"

    @property
    def description(self) -> str:
        claim, (least, most) = self.claim, map(percent, self.agreements[[0, -1]])
        said = f"{self.finding}. {self._printed}: with agreement on {least} to {most} of them, chance "
        said += f"makes a difference as large with probability {_ends(self.probabilities, claim.alpha)}"
        posterior = claim.posterior_not_better(self.agreements)
        posterior = posterior[~np.isnan(posterior)]
        if posterior.size:
            said += f"; that the first is no better has posterior probability {_ends(posterior, claim.alpha)}"
        return f"{said}."

    def _draw(self, canvas: Canvas) -> Words:
        claim, percentages = self.claim, 100 * self.agreements
        dots = {"marker": "o", "ms": 3 * canvas.unit} if len(percentages) == 1 else {}
        self.line_ = canvas.line(percentages, self.probabilities, canvas.text, 1.8, **dots)
        keys: list[Key] = [(self.line_, "of a difference as large, if both are equally good")]
        self.posterior_ = None
        posterior = np.asarray(claim.posterior_not_better(self.agreements))
        if not np.isnan(posterior).all():
            self.posterior_ = canvas.line(
                percentages, posterior, canvas.clears, 1.8, ls=(0, (3, 1, 1, 1)), **dots
            )
            keys.append((self.posterior_, "that the first is no better (Claims Reloaded)"))
        highest = float(np.nanmax([self.probabilities, posterior]))
        labels = "agreement of both models (%)", "probability"
        self._frame(canvas, percentages, highest, labels, "left")
        if self._least_agreement > 0:
            words = f"{percent(self._least_agreement)} or more"
            self._draw_limit(canvas, 100 * self._least_agreement, words)
        return self._words(f"{self._printed}.", keys)


def _ends(values: FloatArray, alpha: float) -> str:
    return " to ".join(p_value_text(float(values[end]), alpha) for end in (0, -1))
