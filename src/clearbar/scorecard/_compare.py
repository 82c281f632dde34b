"""Two models on the same samples: by how much one is better, how surely, and what may be concluded."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from clearbar.core._numbers import number_or_nan
from clearbar.core._value import Value
from clearbar.core.errors import listed, shown
from clearbar.formatting import number, p_phrase, plural, visible
from clearbar.inference.differences import Means, PairedUnits
from clearbar.inference.exchange import Paired
from clearbar.problems._protocol import Judged, Problem
from clearbar.scorecard._rows import which_measure, which_model
from clearbar.verdict import level_of

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

Null = Literal["equal", "exchangeable"]
Conclusion = Literal["better", "worse", "equivalent", "different", "undecided", "undefined"]


@dataclass(frozen=True, eq=False)
class Comparison(Value):
    """How much one model does better than another, how surely, and what may be concluded.

    Made by ``card.compare``. Printing it says the conclusion in one sentence.

    Attributes
    ----------
    a, b : str
        The models.
    measure : Measure
        What they are compared by.
    scores : (float, float)
        Of `a` and of `b`.
    score_difference, skill_difference : float
        Of `a` minus `b`; a positive difference in skill is in favour of `a`.
    low, high : float
        The confidence interval of the true difference of scores.
    confidence_level : float
        That of the interval; a difference is sure at one minus it.
    p_value : float
        How surprising a difference of this size is if the hypothesis `null` holds, two-sided.
    null : str
        ``"equal"``: both true scores are equal. ``"exchangeable"``: the models are alike in everything, so
        that their answers may be exchanged.
    margin : float or None
        Differences below it count as none, if one was given.
    p_equivalent : float
        How surprising the difference is if the true one is the margin or more, either way; nan without one.
    only_a_right, only_b_right : int or None
        Samples that one predicts right and the other wrong, of single runs of labels.
    p_mcnemar : float
        McNemar's exact p-value that both are right equally often, whatever the measure; nan where right and
        wrong are not known.
    test : str
        ``"equal_scores"`` (the likeliest laws of equal scores), ``"bootstrap_t"``, ``"delong"`` or
        ``"resampled_t"``; ``"exchange"`` of answers where that was asked for; empty for none.
    method : str
        What kind of number the p-value is: ``"estimated"``, ``"normal"``, ``"bootstrap"``, ``"delong"``,
        ``"t"``, ``"exact"``, ``"permutation"`` or ``"unknown"``.
    note : str
        How the p-value was found, if not exactly; or why nothing is known.
    same : bool
        Whether both predict the same for every sample.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 0] * 30
    >>> card = cb.evaluate(y_true, {"a": y_true, "b": [1, 0] * 24 + [0, 1] * 6}, "f1")
    >>> print(card.compare("a", "b", "f1"))
    a is better than b by 0.200 in F1 (0.095 to 0.311, p = 0.00030)
    """

    a: str
    b: str
    measure: Judged
    scores: tuple[float, float]
    skill_difference: float
    low: float
    high: float
    confidence_level: float
    p_value: float
    null: Null
    margin: float | None
    p_equivalent: float
    only_a_right: int | None
    only_b_right: int | None
    p_mcnemar: float
    test: str
    method: str
    note: str
    same: bool = False

    @property
    def score_difference(self) -> float:
        """The score of a minus that of b."""
        return self.scores[0] - self.scores[1]

    @property
    def conclusion(self) -> Conclusion:
        """What may be said of `a`: surely better or worse, equivalent within the margin, or undecided.

        Better and worse are said only where p is small and the interval holds no 0. Of exchangeable models
        it is said whether they are different.
        """
        alpha, greater = level_of(self.confidence_level), self.measure.greater_is_better
        if math.isnan(self.score_difference) or greater is None:
            return "undefined"
        if self.null == "exchangeable":
            return "different" if self.p_value <= alpha else "undecided"
        if self.p_value <= alpha and (self.low > 0 or self.high < 0):
            return "better" if (self.score_difference > 0) == greater else "worse"
        return "equivalent" if self.p_equivalent <= alpha else "undecided"

    @property
    def better(self) -> str | None:
        """The model that is surely better; None where p and interval do not both say so."""
        return {"better": self.a, "worse": self.b}.get(self.conclusion)

    def __str__(self) -> str:
        return _sentence(self)

    def to_dict(self) -> dict[str, Any]:
        """Return every number and what may be concluded, nan and infinity as None."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        fields |= {"measure": self.measure.name, "scores": list(self.scores)}
        fields |= {"score_difference": self.score_difference, "conclusion": self.conclusion}
        fields |= {"said": str(self)}
        return {name: None if _is_no_number(value) else value for name, value in fields.items()}


def _is_no_number(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _sentence(found: Comparison) -> str:
    a, b, label = visible(found.a), visible(found.b), found.measure.label
    alpha, conclusion = level_of(found.confidence_level), found.conclusion
    if conclusion == "undefined":
        why = found.note if math.isnan(found.score_difference) else f"{label} has no better end"
        return f"{a} and {b} cannot be compared in {label}: {why}"
    alike = ""
    if conclusion == "equivalent":
        p = p_phrase(found.p_equivalent, alpha)
        alike = f"the difference is below the margin of {found.margin:g} ({p})"
    if found.same:
        same = f"{a} and {b} differ on no sample, so that {label} cannot tell them apart"
        return f"{same}; {alike}" if alike else same
    if math.isnan(found.p_value):
        size = number(abs(found.score_difference))
        return f"{a} and {b} differ by {size} in {label}, but how surely is not known: {found.note}"
    p = p_phrase(found.p_value, alpha)
    if found.null == "equal":
        return _of_scores(found, alike, p)
    if conclusion == "different":
        seen = f"{a} and {b} differ in something, seen by {label} ({p})"
        return f"{seen}; that is not which of them scores better"
    return f"no difference between {a} and {b} was found, looked for by {label} ({p})"


def _of_scores(found: Comparison, alike: str, p: str) -> str:
    """Say which model scores better, or that they are equally good, or that neither is known."""
    both, alpha = f"{visible(found.a)} and {visible(found.b)}", level_of(found.confidence_level)
    if found.better is not None:
        return _better(found, p, alpha)
    if alike:
        return f"{both} are equally good in {found.measure.label}: {alike}"
    apart = f"{both} cannot be told apart in {found.measure.label} ({p})"
    farthest = max(abs(found.low), abs(found.high))
    if not math.isfinite(farthest):
        return apart
    if found.p_value <= alpha:
        return f"{apart}: the interval {number(found.low)} to {number(found.high)} holds 0"
    return f"{apart}: a difference below {number(farthest)} either way is likely"


def _better(found: Comparison, p: str, alpha: float) -> str:
    a, b = visible(found.a), visible(found.b)
    winner, loser = (a, b) if found.conclusion == "better" else (b, a)
    sign = 1.0 if found.score_difference > 0 else -1.0
    ends = sorted((sign * found.low, sign * found.high))
    between = "" if math.isnan(found.low) else f"{number(ends[0])} to {number(ends[1])}, "
    small = f"; that is below the margin of {found.margin:g}" if found.p_equivalent <= alpha else ""
    size = number(abs(found.score_difference))
    return f"{winner} is better than {loser} by {size} in {found.measure.label} ({between}{p}){small}"


def compare(
    card: Scorecard,
    a: str,
    b: str,
    measure: Any,
    *,
    margin: float | None = None,
    over: str | None = None,
    null: str = "equal",
) -> Comparison:
    """Compare two models: by how much is one better, how surely, and what may be concluded?

    Parameters
    ----------
    a, b : str
        The models.
    measure : str or Measure
        Any name of a measure in this scorecard.
    margin : float, optional
        The least difference in score that matters: then it is also tested whether they are equally good
        within it (two one-sided tests).
    over : {"slices"}, optional
        Compare mean scores over the slices, and draw whole slices, where these are tasks of their own;
        tasks without a bar are left out, as they are of the whole.
    null : {"equal", "exchangeable"}
        The hypothesis that is tested: both true scores are equal. Or the models are alike in everything,
        so that their answers may be exchanged: then it is said whether they differ in anything, and never
        which is better.

    Returns
    -------
    Comparison
        Differences in score and skill; a p-value; a confidence interval; a sentence.

    Raises
    ------
    ValueError
        If nothing matches, `margin` is no number above 0, or the scorecard was made from counts: they do
        not tell on which samples the models differ.

    Notes
    -----
    "Better" is said only where p is at most one minus the confidence level and the interval holds no 0.
    Labels of up to 12 classes are counted per true class: the difference over its standard error is
    held against its law where both true scores are equal and all else is as likely as can be. ROC AUC has
    DeLong's test, means over folds the corrected resampled t-test. All else has the symmetric
    bootstrap-t: units (samples, items, with `clusters` whole groups) are drawn anew, and each difference
    is divided by its own standard error. What is drawn follows the seed of the scorecard
    (`random_state`). The exchange of answers is exact for measures ordered in TP and FP, and McNemar's
    test for accuracy.

    References
    ----------
    Lloyd, Australian & New Zealand J. of Statistics 50, 2008; Hall, J. Royal Statistical Society B 50,
    1988; DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988; Nadeau and Bengio, Machine Learning 52,
    2003; McNemar, Psychometrika 12, 1947; Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 0] * 30
    >>> card = cb.evaluate(y_true, {"a": y_true, "b": [1, 0] * 24 + [0, 1] * 6}, "f1")
    >>> card.compare("a", "b", "f1").better
    'a'
    """
    models = which_model(card, a), which_model(card, b)
    return _compared(card, models, which_measure(card, measure), margin, over, null)


def _compared(
    card: Scorecard, models: tuple[int, int], measure: int, margin: Any, over: Any, null: Any
) -> Comparison:
    width, hypothesis = checked_margin(margin), _checked_null(null)
    if width is not None and hypothesis == "exchangeable":
        raise ValueError("margin is a question about scores: leave it out, or leave null at 'equal'.")
    ordered = _in_order(card, models, measure)
    paired, left_out = _paired(card, ordered, measure, over)
    low, high = paired.interval(card.confidence_level)
    scores, alone = paired.scores, paired.alone or (None, None)
    if ordered != models:  # the same two models, asked the other way round
        low, high = 0.0 - high, 0.0 - low
        scores, alone = scores[::-1], alone[::-1]
    difference = scores[0] - scores[1]
    equivalent = math.nan
    if width is not None and not math.isnan(difference):
        # Two one-sided tests (Schuirmann 1987): below the margin, and above its negative.
        ends = [paired.surprise(end) / 2 for end in (-width, width)]
        equivalent = max(ends) if abs(difference) < width else max(0.5, 1 - min(ends))
    skill = card.columns["skill"]
    p_value, test, method, note = _tested(paired, hypothesis)
    return Comparison(
        card.models[models[0]],
        card.models[models[1]],
        card.measures[measure],
        scores,
        float(skill[models[0], 0, measure] - skill[models[1], 0, measure]),
        low,
        high,
        card.confidence_level,
        p_value,
        hypothesis,
        width,
        equivalent,
        alone[0],
        alone[1],
        paired.mcnemar,
        test,
        method,
        "; ".join(str(part) for part in (note, left_out) if part),
        paired.same,
    )


def _tested(paired: Paired, null: Null) -> tuple[float, str, str, str]:
    """Return the p-value of a hypothesis, the test, its method, and a note."""
    if null == "equal":
        p_value, test, method, note = paired.p_value, paired.test, paired.method, paired.note
    else:
        p_value, method, note = paired.exchangeable()
        test = "exchange"
    return p_value, "" if math.isnan(p_value) else test, method, note


def _checked_null(null: Any) -> Null:
    if not isinstance(null, str) or null not in get_args(Null):
        raise ValueError(f"null must be 'equal' (scores) or 'exchangeable' (models); found {shown(null)}.")
    return cast("Null", null)


def _in_order(card: Scorecard, models: tuple[int, int], measure: int) -> tuple[int, int]:
    """Return the better model first, as rankings have it, so that what is drawn is the same either way.

    Of equal ones it is the one whose name comes first.
    """
    a, b = models
    sign = -1.0 if card.measures[measure].greater_is_better is False else 1.0
    lead = sign * float(card.columns["score"][a, 0, measure] - card.columns["score"][b, 0, measure])
    return (b, a) if lead < 0 or (not lead > 0 and card.models[b] < card.models[a]) else (a, b)


def held_problem(card: Scorecard) -> Problem:
    """Return what a scorecard judged, or say that it does not hold that."""
    if card.problem is None:
        raise ValueError("this scorecard does not hold what it judged, so its models cannot be compared.")
    return card.problem


def _paired(card: Scorecard, models: tuple[int, int], measure: int, over: Any) -> tuple[Paired, str]:
    """Return what pairs the models, and what was left out."""
    if over is None:
        return held_problem(card).paired(card.measures[measure], *models), ""
    if over != "slices":
        raise ValueError(f"over must be 'slices', or left out for all samples; found {shown(over)}.")
    slices = [at for at, group in enumerate(card.groups) if group is not None]
    scores = card.columns["score"][list(models)][:, slices, measure]
    known = ~np.isnan(scores).any(axis=0)
    # Tasks without a bar leave the mean over tasks, unless none has one.
    barred = ~np.isnan(card.columns["bar"][models[0], slices, measure])
    counted = known & barred if card.tasked and barred.any() else known
    if np.count_nonzero(counted) < 2:
        raise ValueError(
            "over='slices' takes whole slices for units: it needs two or more on which both models have a "
            "score, of tasks such as have a bar; pass by=... to evaluate."
        )
    whys = ("on which one of them has no score", ~known), ("without a bar", known & ~counted)
    gone = [f"{plural(int(which.sum()), 'slice')} {why}" for why, which in whys if which.any()]
    note = f"left out: {listed(gone)}" if gone else ""
    a, b = scores[:, counted]
    low, high = card.measures[measure].bounds
    means = Means(np.stack([a, b]), high - low, getattr(card.problem, "seed", 0))
    return PairedUnits(means, card.measures[measure]), note


def checked_margin(margin: Any) -> float | None:
    if margin is None:
        return None
    width = number_or_nan(margin)
    if not 0 < width < math.inf:
        raise ValueError(
            f"margin must be a number above 0, the least difference that matters; found {shown(margin)}."
        )
    return width
