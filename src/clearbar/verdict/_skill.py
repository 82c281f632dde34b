"""By how much is the bar cleared? The papers' rescaled score, and their Dutch Scaler."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clearbar.catalogue import Entry, Measure, get_measure
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core._value import number_or_nan, numbers
from clearbar.core.errors import UndefinedMeasureWarning, shown
from clearbar.data.counting import population_from_labels
from clearbar.null import pieces, score_tolerance
from clearbar.problems._protocol import Bar
from clearbar.problems.binary import baseline

# Share of the way from the bar to the best possible score that is rounding, unless a sample is less.
TOLERANCE = 1e-12

SAMPLE = 1 / 8  # share of a sample that is rounding: one sample of 1e12 is none

# Outcomes: each is overruled by those that stand after it, the first two by the score alone.
FAILS, CLEARS, TIES, UNBEATABLE, UNDEFINED = range(5)

TOGETHER = 2**14  # scores looked at together: few enough to stay in a processor's cache
BISECTIONS = 1_100  # steps after which no two floats are left between two others

# Shares at which a measure is looked at: it must rise with them; closest where it may not do so yet.
SHARES = np.linspace(0.0, 1.0, 257) ** 2


class Standing(NamedTuple):
    """How scores stand to their bars: the skill, and the outcome as a number."""

    skill: FloatArray
    outcome: NDArray[np.int8]


def standing(
    measure: Entry,
    score: Any,
    bar: Any,
    best_possible: Any,
    worst_draw: Any,
    *,
    total: Any = 1,
    rounding: Any = 0.0,
) -> Standing:
    """Return the skill and the outcome of scores."""
    # van de Bijl et al., The Dutch Draw, J. Appl. Prob. 2024, section 5.1; losses are mirrored by sign.
    # 0 at the bar, 1 at the best possible score, -1 at or beyond the worst draw where that differs from the
    # bar, otherwise scaled by the measure's own bound. nan where a number it needs is missing or infinite.
    # Undefined before unbeatable before ties before clears or fails.
    given = np.broadcast_arrays(score, bar, best_possible, worst_draw, total, rounding)
    flat = [array.reshape(-1) for array in given]
    skill, outcome = np.empty(flat[0].size), np.empty(flat[0].size, dtype=np.int8)
    for rows in pieces(skill.size, TOGETHER):
        skill[rows], outcome[rows] = _standing(measure, [array[rows].astype(np.float64) for array in flat])
    return Standing(skill.reshape(given[0].shape), outcome.reshape(given[0].shape))


def _standing(measure: Entry, arrays: list[FloatArray]) -> tuple[FloatArray, Any]:
    bound = measure.bounds[0]
    if measure.greater_is_better is False:
        arrays[:4] = [-array for array in arrays[:4]]
        bound = -measure.bounds[1]
    s, d, b, w, total, rounding = arrays  # score, bar, best possible score, worst draw
    with np.errstate(invalid="ignore", divide="ignore"):
        span = np.where(np.isfinite(b - w), np.abs(b - w), 0.0)
        share = np.minimum(TOLERANCE, SAMPLE / np.maximum(total, 1))

        def level(first: FloatArray, second: FloatArray) -> BoolArray:
            """Return where two numbers of a bar are the same up to rounding; never where one is missing."""
            scale = np.maximum(np.maximum(np.abs(first), np.abs(second)), span)
            return np.asarray(np.abs(first - second) <= share * scale)

        above, room, gap, falls = s > d, b - d, s - d, d - w
        way = np.where(np.isfinite(room), np.abs(room), 0.0)
        same = np.abs(gap) <= np.maximum(share * way, score_tolerance(s, total))
        same |= ~above & (-gap <= rounding)
        below = np.where((falls > 0) & ~level(d, w), falls, d - bound if np.isfinite(bound) else np.nan)
        scale = np.where(above, room, below)
        skill = np.maximum(gap / np.where(scale > 0, scale, np.nan), -1.0)
        skill = np.where(same, 0.0, skill)
        missing = np.isnan(s) | np.isnan(d)
        skill = np.where(missing | ~np.isfinite(b) | ~np.isfinite(s), np.nan, skill)
        outcome = np.where(same, TIES, above)
        outcome = np.where(level(d, b), UNBEATABLE, outcome)
        outcome = np.where(missing | (measure.greater_is_better is None), UNDEFINED, outcome)
    return skill, outcome


def skill(score: Any, baseline: Bar) -> Any:
    """Return how far a score lies above its bar, as a share of what was possible.

    Parameters
    ----------
    score : float or array_like
        Scores of the baseline's measure on the baseline's population.
    baseline : Baseline, or the bar of another problem
        The bar.

    Returns
    -------
    float or ndarray
        0 at the bar, 1 at the best possible score, -1 at the worst draw; nan where there is no bar
        or no best possible score.

    Raises
    ------
    ValueError
        If `baseline` is no bar, or `score` holds something other than numbers.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.skill(0.8, cb.baseline(cb.Population(100, 30), "f1")), 3)
    0.629
    """
    if not all(hasattr(baseline, name) for name in ("measure", "value", "best_possible", "worst_value")):
        raise ValueError(f"baseline must be what cb.baseline(...) returns; found {type(baseline).__name__}.")
    scale = baseline.value, baseline.best_possible, baseline.worst_value
    total, rounding = baseline.population.total, baseline.rounding
    held = standing(baseline.measure, numbers("score", score), *scale, total=total, rounding=rounding).skill
    return float(held) if held.ndim == 0 else held


def dutch_scaler(
    score: Any,
    y_true: Any,
    measure: str | Measure,
    *,
    oracle_error: float = 0.0,
    draw: str = "least",
    pos_label: Any = None,
) -> Any:
    """Return how much of an oracle it takes, mixed with the best blind draw, to reach a score.

    An oracle labels each sample right, but for `oracle_error`; the best feature-blind draw is that of the
    bar. Whoever asks the oracle about a share a of the samples, and draws for the others, expects the table
    TP = a P (1 - e) + (1 - a) P t, FP = a N e + (1 - a) N t, where t is the share that the draw predicts
    positive. The Dutch Scaler is the a whose table has the score: 0 at the bar, 1 for the oracle.

    Parameters
    ----------
    score : float or array_like
        Scores of the measure on these labels.
    y_true : array_like of shape (M,), or Population
        True labels; only their numbers matter.
    measure : str or Measure
        The measure; one of two classes whose bar can be beaten.
    oracle_error : float
        The share of samples that the oracle gets wrong, in either class; small enough for it to beat the bar.
    draw : {"least", "prevalence"}
        Of several draws that attain the bar, the one that needs the smallest share of the oracle, as in the
        authors' package; or the one that predicts as many positives as there are, with which the shares of
        MCC, kappa, markedness and informedness are the scores.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    float or ndarray
        From 0 to 1; nan, with an `UndefinedMeasureWarning`, for scores that no mix reaches: below the bar, or
        above the oracle.

    Raises
    ------
    ValueError
        If there is no bar, or none that this oracle beats; or an argument is not what it should be.

    Notes
    -----
    On given labels it is a monotone function of `skill`: same order, and no p-value changes. They
    agree for measures that rise by as much with each sample (accuracy, balanced accuracy, informedness). The
    mean of shares is not the share of the mean score.

    Of MCC, kappa and markedness all draws expect 0, and which of them is mixed in decides the share: the two
    choices of `draw` may lie far apart. Expected tables are plugged in, so that 0 stands for the
    measure of the draw's expected table; of measures that are not affine, such as G-mean, that is not the bar
    but near it.

    References
    ----------
    E. P. van de Bijl et al., The Dutch Scaler performance indicator: how much did my model actually learn?,
    Journal of Classification 42(3), 2025, 639-659.

    Examples
    --------
    >>> import clearbar as cb
    >>> labels = cb.Population(100, 30)
    >>> round(cb.dutch_scaler(0.8, labels, "f1"), 3), round(cb.skill(0.8, cb.baseline(labels, "f1")), 3)
    (0.786, 0.629)
    """
    entry = get_measure(measure, "binary")
    population = population_from_labels(y_true, pos_label=pos_label)
    if population.shape:
        raise ValueError(f"y_true must be one Population; found an array of shape {population.shape}.")
    error = number_or_nan(oracle_error)
    if not 0 <= error <= 1:
        raise ValueError(f"oracle_error must be a share from 0 to 1; found {shown(oracle_error)}.")
    blind: Any = draw
    if not isinstance(blind, str) or blind not in {"least", "prevalence"}:
        raise ValueError(f"draw must be 'least' or 'prevalence'; found {shown(draw)}.")
    bar: Any = baseline(population, entry)
    if math.isnan(float(bar.value)):
        raise ValueError(f"{entry.label} has no bar here: {bar.reason}.")
    P, N = int(population.positives), int(population.negatives)
    # The share that a score takes is smallest at an end of a range of optimal draws, or at its only one.
    ends = np.unique([end for k in bar.predicted_positives for end in (k.start, k.stop - 1)])
    if draw == "prevalence" and any(P in k for k in bar.predicted_positives):
        ends = np.array([P])
    t = (ends / (P + N))[:, None]
    sign = 1.0 if entry.greater_is_better else -1.0

    def mixed(a: FloatArray) -> FloatArray:
        """Return the scores of shares of the oracle, a row for each draw; higher is better."""
        tp, fp = P * (a * (1 - error) + (1 - a) * t), N * (a * error + (1 - a) * t)
        return np.asarray(sign * entry.values(tp, fp, P - tp, N - fp))

    ladder = mixed(np.broadcast_to(SHARES, (len(t), len(SHARES))))
    _refuse_oracle(ladder, sign, bar, error)
    scores = numbers("score", score)
    shares = _least_shares(mixed, sign * scores.reshape(-1), len(t)).reshape(scores.shape)
    gone = np.isnan(shares) & ~np.isnan(scores)
    if gone.any():
        low, high = sorted((sign * float(ladder[:, 0].min()), sign * float(ladder[0, -1])))
        msg = (
            f"no mix of the best draw and the oracle has {entry.label} {scores[gone].ravel()[0]:g}: they "
            f"have {low:.3g} to {high:.3g}. The share is nan; skill tells how far from the bar it is."
        )
        warnings.warn(msg, UndefinedMeasureWarning, stacklevel=2)
    return float(shares) if shares.ndim == 0 else shares


def _refuse_oracle(ladder: FloatArray, sign: float, bar: Any, error: float) -> None:
    """Raise where the scores of growing shares of the oracle do not rise to above the bar."""
    label = bar.measure.label
    if not (ladder[:, -1] > ladder[:, 0]).all():
        finding = f"has {label} {sign * float(ladder[0, -1]):.3g}, where the bar is {float(bar.value):.3g}"
    elif not (np.diff(ladder, axis=1) >= -TOLERANCE * np.abs(ladder).max()).all():
        finding = f"makes {label} fall before it rises"
    else:
        return
    if error:
        raise ValueError(f"an oracle with oracle_error={error:g} {finding}; take a smaller one.")
    raise ValueError(f"an oracle {finding}; choose a measure that can tell, such as mcc.")


def _least_shares(mixed: Any, scores: FloatArray, draws: int) -> FloatArray:
    """Return the smallest share that has each score, by bisection; nan where none has."""
    goal = np.broadcast_to(scores, (draws, len(scores)))
    low, high = np.zeros(goal.shape), np.ones(goal.shape)
    least, most = mixed(low), mixed(high)
    tolerance = TOLERANCE * (most - least)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if not ((low < middle) & (middle < high)).any():
            break
        short = mixed(middle) < goal
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    share = np.where(goal <= least + tolerance, 0.0, np.where(goal >= most - tolerance, 1.0, high))
    inside = (goal >= least - tolerance) & (goal <= most + tolerance)
    share = np.where(inside, share, np.inf).min(axis=0)
    return np.where(np.isfinite(share), share, np.nan)
