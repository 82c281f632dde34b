"""Power against the number of samples."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._value import checked_seed
from clearbar.core.errors import shown
from clearbar.formatting import number, visible, whole_percent
from clearbar.plots._canvas import Canvas
from clearbar.plots._display import Display, Words
from clearbar.verdict import class_sizes, samples_needed
from clearbar.verdict import power as power_of

POINTS = 25
"""Numbers of samples that are drawn if nobody names them."""


@dataclass(repr=False, eq=False)
class PowerDisplay(Display):
    """How likely a model of hypothetical rates clears its bar surely, against the number of samples.

    Parameters
    ----------
    measure : Measure
        The measure.
    samples, powers, errors : array_like
        Numbers of samples, power at each, and its standard error, 0 where it was not simulated.
    needed, wanted : int or None, float
        How many samples reach the power that is wanted, and that.
    rates : (float, float, float)
        Prevalence, sensitivity and specificity.

    Attributes
    ----------
    line_, wanted_, needed_ : matplotlib.lines.Line2D
        Power, the power that is wanted, and how many samples reach it: None where that is not known, or lies
        beyond the axis.

    Examples
    --------
    >>> import clearbar as cb
    >>> display = cb.plots.PowerDisplay.from_rates(
    ...     "mcc", prevalence=0.5, sensitivity=0.8, specificity=0.9, samples=[10, 20, 30]
    ... )
    >>> [round(float(power), 2) for power in display.powers]
    [0.54, 0.94, 0.99]
    """

    measure: Any
    samples: Any
    powers: Any
    errors: Any
    _: KW_ONLY
    needed: int | None
    wanted: float
    rates: tuple[float, float, float]

    _height = 3.5

    def __post_init__(self) -> None:
        self.samples = np.asarray(self.samples)
        self.powers = np.asarray(self.powers, dtype=np.float64)
        self.errors = np.asarray(self.errors, dtype=np.float64)

    @classmethod
    def from_rates(
        cls,
        measure: Any,
        *,
        prevalence: float,
        sensitivity: float,
        specificity: float,
        power: float = 0.8,
        alpha: float = 0.05,
        samples: Any = None,
        random_state: Any = 0,
        ax: Any = None,
        compact: bool = False,
    ) -> PowerDisplay:
        """Find the power of some numbers of samples and draw it; parameters as for `clearbar.samples_needed`.

        Parameters
        ----------
        measure : str or Measure
            The measure.
        prevalence, sensitivity, specificity, power, alpha : float
            As for `clearbar.samples_needed`.
        samples : sequence of int, optional
            Numbers of samples; by default 25 around what is needed.
        random_state : int, Generator, RandomState or None
            Seed of the simulation of more than 500 samples.
        """
        rates: dict[str, Any] = {"sensitivity": sensitivity, "specificity": specificity, "alpha": alpha}
        rates["random_state"] = checked_seed(random_state)
        needed = samples_needed(measure, prevalence=prevalence, power=power, **rates)
        if samples is None:
            ends = max(4, needed // 4), math.ceil(1.5 * needed)
            samples = np.unique(np.linspace(*ends, POINTS).astype(np.int64))
        sizes = np.atleast_1d(np.asarray(samples))
        if not sizes.size or not np.issubdtype(sizes.dtype, np.integer) or sizes.min() < 2:
            raise ValueError(f"samples must be whole numbers from 2 up; found {shown(samples)}.")
        powers = [power_of(class_sizes(size, prevalence), measure, **rates) for size in sizes.tolist()]
        return cls(
            get_measure(measure),
            sizes,
            powers,
            [estimate.standard_error for estimate in powers],
            needed=needed,
            wanted=power,
            rates=(prevalence, sensitivity, specificity),
        ).plot(ax=ax, compact=compact)

    @property
    def finding(self) -> str:
        label = visible(self.measure.label)
        if self.needed is None:
            best = int(np.argmax(self.powers))
            power = number(float(self.powers[best]))
            return f"{int(self.samples[best]):,} samples give a power of {power} in {label}"
        chance = whole_percent(self.wanted)
        return f"{self.needed:,} samples are needed for a chance of {chance} to surely clear the {label} bar"

    @property
    def description(self) -> str:
        share, sensitivity, specificity = self.rates
        ends = [f"{number(float(self.powers[end]))} at {int(self.samples[end]):,}" for end in (0, -1)]
        needed = "" if self.needed is None else f"; {self.needed:,} samples reach {self.wanted:g}"
        return (
            f"{self.finding}. The probability of a sure clear in {self.measure.label} at prevalence "
            f"{share:g}, sensitivity {sensitivity:g}, specificity {specificity:g}: {ends[0]} and {ends[1]} "
            f"samples{needed}."
        )

    def _draw(self, canvas: Canvas) -> Words:
        ax = canvas.ax
        few = len(self.samples) <= (2 * POINTS if canvas.text_room > 200.0 else 8)
        if self.errors.any():
            band = 2 * self.errors
            low, high = np.clip((self.powers - band, self.powers + band), 0.0, 1.0)
            canvas.fill(self.samples, low, high)
        self.line_ = canvas.line(
            self.samples, self.powers, canvas.text, 1.8, marker="o" if few else "none", ms=3 * canvas.unit
        )
        ax.set_ylim(0, 1.02)
        canvas.style_axes("samples", "chance to surely clear")
        if len(self.samples) == 1:
            ax.set_xlim(self.samples[0] - 1, self.samples[0] + 1)
        canvas.fit_ticks()
        canvas.locate_ticks("x", integer=True)
        self.wanted_ = canvas.draw_bar(self.wanted, f"wanted\n{whole_percent(self.wanted)}")
        self.needed_ = None
        low, high = ax.get_xlim()
        if self.needed is not None and low <= self.needed <= high:
            left = self.needed > low + 0.6 * (high - low)
            self.needed_ = ax.axvline(self.needed, color=canvas.clears, lw=1.8 * canvas.unit, ls="--")
            canvas.annotate(
                f"{self.needed:,} samples", (self.needed, 0.04), (-4 if left else 4, 0), color=canvas.text,
                ha="right" if left else "left", va="baseline",
            )  # fmt: skip
        grey = " Grey: two standard errors of the simulation." if self.errors.any() else ""
        share, sensitivity, specificity = self.rates
        facts = f"Prevalence {share:g}, sensitivity {sensitivity:g}, specificity {specificity:g}."
        return Words(notes=[facts + grey])
