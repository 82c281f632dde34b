"""Two models on the same samples: by how much one is better, how surely, and what may be concluded."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from clearbar.catalogue import Entry
from clearbar.core import Later
from clearbar.core._value import Value, number_or_nan
from clearbar.core.errors import listed, shown
from clearbar.formatting import number, p_phrase, plural, visible
from clearbar.inference.differences import Means, PairedUnits
from clearbar.inference.exchange import Paired
from clearbar.scorecard._frames import strict
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
        How surprising the difference is if the true one is the margin or more, either way; nan without a
        margin, or where that is not known.
    only_a_right, only_b_right : int or None
        Samples that one predicts right and the other wrong, of single runs of labels.
    p_mcnemar : float
        McNemar's exact p-value that both are right equally often, whatever the measure; nan where right and
        wrong are not known.
    test : str
        ``"equal_scores"`` (the likeliest distributions with equal scores), ``"bounded"`` (losses and partial
        credit between bounds), ``"bootstrap_t"``, ``"delong"`` or ``"resampled_t"``; ``"exchange"`` of
        answers where that was asked for; empty for none.
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
    a is better than b by 0.200 in F1 (0.092 to 0.312, p = 0.00030)
    """

    a: str
    b: str
    measure: Entry
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

    _repr_html_ = Later("clearbar.notebook", "said_html")

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

    def to_dict(self) -> dict[str, Any]:
        """Return every number and what may be concluded, nan and infinity as None."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        fields |= {
            "measure": self.measure.name,
            "scores": [*strict(dict(zip("ab", self.scores, strict=True))).values()],
        }
        fields |= {"score_difference": self.score_difference, "conclusion": self.conclusion}
        return strict({**fields, "said": str(self)})

    def __str__(self) -> str:
        both, label = f"{visible(self.a)} and {visible(self.b)}", self.measure.label
        if self.conclusion == "undefined":
            why = self.note if math.isnan(self.score_difference) else f"{label} has no better end"
            return f"{both} cannot be compared in {label}: {why}"
        alpha, size, alike = level_of(self.confidence_level), number(abs(self.score_difference)), ""
        if self.conclusion == "equivalent":
            p = p_phrase(self.p_equivalent, alpha)
            alike = f"the difference is below the margin of {self.margin:g} ({p})"
        if self.same:
            same = f"{both} differ on no sample, so that {label} cannot tell them apart"
            return f"{same}; {alike}" if alike else same
        if math.isnan(self.p_value):
            return f"{both} differ by {size} in {label}, but how surely is not known: {self.note}"
        p = p_phrase(self.p_value, alpha)
        if self.null == "exchangeable":
            seen = (
                f"{both} differ in something, seen by {label} ({p}); that is not which of them scores better"
            )
            unseen = f"no difference between {both} was found, looked for by {label} ({p})"
            return seen if self.conclusion == "different" else unseen
        return f"{both} are equally good in {label}: {alike}" if alike else self._apart(size, p)

    def _apart(self, size: str, p: str) -> str:
        """Say which model is better by how much, or how far apart they may be."""
        alpha, label = level_of(self.confidence_level), self.measure.label
        if self.better is not None:
            winner, loser = (self.a, self.b) if self.conclusion == "better" else (self.b, self.a)
            ends = (self.low, self.high) if self.score_difference > 0 else (0.0 - self.high, 0.0 - self.low)
            between = "" if math.isnan(self.low) else f"{number(ends[0])} to {number(ends[1])}, "
            small = f"; that is below the margin of {self.margin:g}" if self.p_equivalent <= alpha else ""
            better = f"{visible(winner)} is better than {visible(loser)} by {size} in {label}"
            return f"{better} ({between}{p}){small}"
        but = ", but the interval holds 0:" if self.p_value <= alpha else ";"
        interval = "" if math.isnan(self.low) else f"{but} {number(self.low)} to {number(self.high)}"
        return (
            f"no difference between {visible(self.a)} and {visible(self.b)} shown in {label} ({p}{interval})"
        )


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
    Labels of up to 12 classes are counted per true class: the difference over its standard error is compared
    with its distribution at the likeliest equal true scores. ROC AUC has DeLong's test by Student's t, means
    over folds the corrected resampled t-test. What two models lose on a sample, or get for an item, differs
    by no more than a bound: of log loss, Brier score, RPS and partial credit the mean difference is tested as
    one of bounded values of any distribution, also of such as were not seen. For log loss the bound is the
    largest difference that these probabilities could make. All else has the symmetric bootstrap-t: units
    (samples, items, with `clusters` whole groups) are resampled, and each difference is divided by its own
    standard error. What is drawn follows the seed of the scorecard (`random_state`). The exchange of answers
    is exact for measures ordered in TP and FP, and McNemar's test for accuracy.

    References
    ----------
    Lloyd, Australian & New Zealand J. of Statistics 50, 2008; Gaffke, Mathematical Methods of Statistics 14,
    2005; Hall, J. Royal Statistical Society B 50, 1988; DeLong, DeLong and Clarke-Pearson, Biometrics 44,
    1988; Satterthwaite, Biometrics Bulletin 2, 1946; Nadeau and Bengio, Machine Learning 52, 2003; McNemar,
    Psychometrika 12, 1947; Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 0] * 30
    >>> card = cb.evaluate(y_true, {"a": y_true, "b": [1, 0] * 24 + [0, 1] * 6}, "f1")
    >>> card.compare("a", "b", "f1").better
    'a'
    """
    positions = which_model(card, a), which_model(card, b)
    index, width = which_measure(card, measure), _checked_margin(margin)
    hypothesis: Any = null  # whatever it is said to be
    if not isinstance(hypothesis, str) or hypothesis not in get_args(Null):
        raise ValueError(f"null must be 'equal' (scores) or 'exchangeable' (models); found {shown(null)}.")
    if width is not None and null == "exchangeable":
        raise ValueError("margin is a question about scores: leave it out, or leave null at 'equal'.")
    # The better model comes first, as in rankings, so that what is drawn is the same either way; of equal
    # ones it is the one whose name comes first.
    sign = -1.0 if card.measures[index].greater_is_better is False else 1.0
    lead = sign * float(np.subtract(*card.columns["score"][list(positions), 0, index]))
    swapped = lead < 0 or (not lead > 0 and card.models[positions[1]] < card.models[positions[0]])
    paired, left_out = _paired(card, positions[::-1] if swapped else positions, index, over)
    (low, high), scores = paired.interval(card.confidence_level), paired.scores
    only_right: Any = (None, None) if paired.alone is None else paired.alone
    if swapped:
        low, high, scores, only_right = 0.0 - high, 0.0 - low, scores[::-1], only_right[::-1]
    p_value, test, method, note = paired.p_value, paired.test, paired.method, paired.note
    if null == "exchangeable":
        (p_value, method, note), test = paired.exchangeable(), "exchange"
    skill = card.columns["skill"][list(positions), 0, index]
    return Comparison(
        a=card.models[positions[0]],
        b=card.models[positions[1]],
        measure=card.measures[index],
        scores=scores,
        skill_difference=float(skill[0] - skill[1]),
        low=low,
        high=high,
        confidence_level=card.confidence_level,
        p_value=p_value,
        null=null,  # type: ignore[arg-type]
        margin=width,
        p_equivalent=_p_equivalent(paired, width, scores[0] - scores[1]),
        only_a_right=only_right[0],
        only_b_right=only_right[1],
        p_mcnemar=paired.mcnemar,
        test="" if math.isnan(p_value) else test,
        method=method,
        note="; ".join(str(reason) for reason in (note, left_out) if reason),
        same=paired.same,
    )


def _checked_margin(margin: Any) -> float | None:
    if margin is None:
        return None
    width = number_or_nan(margin)
    if not 0 < width < math.inf:
        raise ValueError(
            f"margin must be a number above 0, the least difference that matters; found {shown(margin)}."
        )
    return width


def _p_equivalent(paired: Paired, margin: float | None, difference: float) -> float:
    """Return p of H0: the true difference is the margin or more, either way (two one-sided tests)."""
    if margin is None or math.isnan(difference):
        return math.nan
    ends = np.array([paired.beyond(end) for end in (-margin, margin)])  # of an unknown one nothing follows
    return float(ends.max() if abs(difference) < margin else np.maximum(0.5, 1 - ends.min()))


def held_problem(card: Scorecard) -> Any:
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
    slices = [position for position, group in enumerate(card.groups) if group is not None]
    scores = card.columns["score"][list(models)][:, slices, measure]
    scored = ~np.isnan(scores).any(axis=0)
    # Tasks without a bar leave the mean over tasks, unless none has one.
    barred = ~np.isnan(card.columns["bar"][models[0], slices, measure])
    counted = scored & barred if card.tasked and barred.any() else scored
    if np.count_nonzero(counted) < 2:
        raise ValueError(
            "over='slices' takes whole slices for units: it needs two or more on which both models have a "
            "score, of tasks such as have a bar; pass by=... to evaluate."
        )
    whys = ("on which one of them has no score", ~scored), ("without a bar", scored & ~counted)
    gone = [f"{plural(int(which.sum()), 'slice')} {why}" for why, which in whys if which.any()]
    low, high = card.measures[measure].bounds
    means = Means(scores[:, counted], high - low, getattr(card.problem, "seed", 0))
    return PairedUnits(means, card.measures[measure]), f"left out: {listed(gone)}" if gone else ""
