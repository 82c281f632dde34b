"""Many slices at once: how each stands, corrected for having asked so many questions.

The null hypothesis is that a classifier is blind. A small p-value is evidence that the model is not,
so what needs correcting is the claim that a slice *clears*; a large p-value says nothing about
failing. Whether a score is below its bar is a fact about the score, of which there is no doubt.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar._typing import FloatArray

STANDINGS = (
    "does not clear",
    "clears, could be chance",
    "clears surely",
    "too small to tell",
    "no value",
)
"""Every way a slice can stand."""

_NOT, _PERHAPS, _SURELY, _SMALL, _NOTHING = range(5)


def adjusted(p_values: FloatArray) -> FloatArray:
    """Return p-values that hold for all questions together.

    Parameters
    ----------
    p_values : ndarray
        Of questions that are asked together; nan where there is none.

    Returns
    -------
    ndarray
        For each the least false discovery rate at which it would be a discovery (Benjamini and
        Hochberg, J. Roy. Stat. Soc. B 57, 1995); nan where there is no p-value.
    """
    from scipy.stats import false_discovery_control

    found = np.full(p_values.shape, np.nan)
    asked = ~np.isnan(p_values)
    if asked.any():
        found[asked] = false_discovery_control(p_values[asked].clip(0, 1), method="bh")
    return found


def stand_together(
    outcome: Any, p_values: FloatArray, perfect: FloatArray, alpha: float
) -> tuple[Any, FloatArray]:
    """Tell how slices stand that are asked about together.

    Parameters
    ----------
    outcome : ndarray of str
        Each one's outcome.
    p_values : ndarray
        How likely a blind guess does as well.
    perfect : ndarray
        The same for perfect predictions of the same samples. Slices in which that is not below `alpha`
        can prove nothing and are no questions, whatever the predictions are (Gilbert, Appl. Statist.
        54, 2005): this depends on their class sizes alone.
    alpha : float
        The false discovery rate that is accepted among what "clears surely".

    Returns
    -------
    standing : ndarray of str
        ``"clears surely"``; ``"clears, could be chance"``; ``"does not clear"``: the score is at or below
        the bar; ``"too small to tell"``: were all predictions perfect, in all slices, even then this
        one would not be sure; ``"no value"``: the score has none.
    corrected : ndarray
        The p-values after correction; nan where there is no question, or no answer.
    """
    question = (perfect < alpha) & (outcome != "unbeatable")
    # A score without a value is no discovery but was asked for: leaving it out would let the answers
    # choose the questions, and so correct for too few.
    unanswered = np.isnan(p_values)
    corrected = adjusted(np.where(question, np.where(unanswered, 1.0, p_values), np.nan))
    corrected[unanswered] = np.nan
    hoped = adjusted(np.where(question, perfect, np.nan))
    clears = outcome == "clears"
    number = np.select(
        [~question | ~(hoped < alpha), outcome == "undefined", clears & (corrected < alpha), clears],
        [_SMALL, _NOTHING, _SURELY, _PERHAPS],
        _NOT,
    )
    return np.array(STANDINGS, dtype=object)[number], corrected
