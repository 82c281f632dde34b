"""p of a claim against the number of samples on which two models differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.claims import Claim
from clearbar.core.errors import shown
from clearbar.plots._canvas import Canvas, plain
from clearbar.plots._display import Display, NothingToDrawError, Words

POINTS = 400
"""Numbers of discordant samples that are drawn at most."""


@dataclass(repr=False, eq=False)
class ClaimDisplay(Display):
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
    'Shown if at most 20 of 100 samples are judged differently'
    """

    claim: Claim

    _height = 3.2

    @classmethod
    def from_claim(cls, claim: Claim, *, ax: Any = None, compact: bool = False) -> ClaimDisplay:
        """Draw a claim.

        Parameters
        ----------
        claim : Claim
            Made by `clearbar.claim`.

        Raises
        ------
        ValueError
            If it is something else, or its measure does not count answers.
        """
        if not isinstance(claim, Claim):
            raise ValueError(f"claim must be made by clearbar.claim; found {shown(claim)}.")
        if claim.answers is None:
            raise NothingToDrawError(
                f"{claim.measure.label} counts no answers, so that p does not follow from how many differ; "
                "draw a claim on accuracy, recall or specificity."
            )
        return cls(claim).plot(ax=ax, compact=compact)

    @property
    def _few(self) -> str:
        return f"{self.claim.most_discordant:,} of {self.claim.samples:,} samples are judged differently"

    @property
    def finding(self) -> str:
        verdict = self.claim.verdict
        if verdict == "depends":
            if self.claim.most_discordant is None:
                return "Not shown where as much as can be was rounded away"
            return f"Shown if at most {self._few}"
        return "Shown, whatever the overlap" if verdict == "shown" else "Cannot be shown by these numbers"

    @property
    def description(self) -> str:
        return f"{self.finding}. {self.claim}"

    def _draw(self, canvas: Canvas) -> Words:
        ax, claim = canvas.ax, self.claim
        number = np.arange(claim.samples + 1)
        p_values = claim.p_value(number)
        possible = np.flatnonzero(~np.isnan(p_values))
        if possible.size > POINTS:
            possible = possible[np.unique(np.linspace(0, possible.size - 1, POINTS).astype(np.int64))]
        self.line_ = canvas.line(possible, p_values[possible], canvas.text, 1.8)
        ax.set_ylim(0.0, max(1.5 * claim.alpha, 1.05 * float(p_values[possible].max())))
        low, high = int(possible[0]), int(possible[-1])
        ax.set_xlim(low - 0.02 * (high - low) - 0.5, high + 0.02 * (high - low) + 0.5)
        canvas.style_axes("samples judged differently", "largest p")
        canvas.fit_ticks()
        canvas.locate_ticks("x", integer=True)
        self.alpha_ = ax.axhline(claim.alpha, color=canvas.muted, lw=1.4 * canvas.unit, ls="--")
        canvas.annotate(
            f"α = {claim.alpha:g}", (high, claim.alpha), (0, 3), color=canvas.text, ha="right", va="bottom"
        )
        self.limit_ = None
        if claim.verdict == "depends" and claim.most_discordant is not None:
            most = claim.most_discordant
            self.limit_ = ax.axvline(most, color=canvas.clears, lw=1.8 * canvas.unit, ls=":")
            canvas.annotate_above(f"at most {most:,}", most, color=canvas.text, ha="center")
        printed = f"{' against '.join(claim.written)} {plain(claim.measure.label)}"
        note = f"{plain(printed, 60)} of {claim.samples:,} samples; McNemar's exact test."
        return Words(notes=[note], above=0.0 if self.limit_ is None else 1.2)
