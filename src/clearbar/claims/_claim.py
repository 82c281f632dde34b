"""Is one model better than another? What two printed scores of the same samples tell, whatever the overlap.

Of n samples n_B are right for B alone and n_A for A alone. Their difference is that of the numbers of right
answers; their sum, the discordant samples, is not printed. McNemar's exact p depends on these two alone and
rises with the sum, so that its ends lie at the fewest and the most discordant samples that can be.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.claims import _overlap
from clearbar.claims._rows import Span, TableRanges, possible
from clearbar.claims._sizes import Sizes, checked_score, checked_sizes, sizes_in_words
from clearbar.core._typing import FloatArray
from clearbar.core._value import Value, numbers, whole_numbers
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import Population
from clearbar.core.documents import document
from clearbar.core.errors import ArgumentError, shown
from clearbar.formatting import p_phrase, p_value_text, visible
from clearbar.inference.binomial import at_least, log_pmf
from clearbar.verdict import checked_alpha

Conclusion = Literal["shown", "not shown", "depends", "not decided"]
Score = str | int
Range = tuple[int, int]  # how many answers may be right, by what was printed

COUNTED = {
    "accuracy": ("total", True),
    "error_rate": ("total", False),
    "recall": ("positives", True),
    "fnr": ("positives", False),
    "specificity": ("negatives", True),
    "fpr": ("negatives", False),
}
"""Measures that count answers among which samples, right ones or wrong ones."""

MOST_SAMPLES = 2_000  # up to which measures that count nothing are decided
DEVIATIONS = 9.0  # standard deviations of the number of discordant samples that are added up


def mcnemar(discordant: Any, difference: Any) -> FloatArray:
    """Return McNemar's exact two-sided p of so many discordant samples with this difference."""
    half, heads = np.full(np.shape(discordant), 0.5), (np.asarray(discordant) + difference) / 2
    tail = at_least(heads.astype(np.float64), np.asarray(discordant, dtype=np.float64), half)
    return np.where(np.asarray(difference) <= 1, 1.0, np.minimum(1.0, 2 * tail))


@dataclass(frozen=True, eq=False, repr=False)
class Claim(Value):
    """Whether two printed scores show that one model is better than the other.

    Made by `clearbar.claim`. Printing it says so in a sentence.

    Attributes
    ----------
    better, worse : str or int
        The printed scores, or numbers of right answers.
    population : Population, ClassSizes or int
        The samples on which both were tested.
    measure : Measure
        The measure of the claim.
    alpha : float
        The level.
    p_min, p_max : float
        The least and the largest p-value, over all that the prints and the overlap of both models leave open;
        nan where that is not decided.
    most_discordant : int or None
        Up to how many samples that only one of both judges right the claim is shown, whatever was rounded:
        of this number and of each smaller one that is possible, the largest p-value is at most `alpha`. None
        where already the smallest is not enough, or the measure does not count answers.
    method : str
        ``"exact"`` (McNemar), ``"normal"``, or ``"unknown"``.
    verdict : {"shown", "not shown", "depends", "not decided"}
        Shown whatever the overlap; not shown by any; or it depends.

    Examples
    --------
    >>> import clearbar as cb
    >>> claim = cb.claim("0.90", "0.80", 100)
    >>> claim.verdict, claim.most_discordant
    ('depends', 20)
    """

    better: Score
    worse: Score
    population: Sizes
    measure: Measure
    alpha: float
    p_min: float
    p_max: float
    most_discordant: int | None
    method: str
    answers: tuple[Range, Range] | None = field(default=None, compare=False)
    spread: float = field(default=math.nan, compare=False)

    @property
    def verdict(self) -> Conclusion:
        """Whether the claim is shown."""
        return conclusion(self.p_min, self.p_max, self.alpha)

    @cached_property
    def samples(self) -> int:
        """The number of samples among which answers are counted; all where none are."""
        return samples_counted(self.measure, self.population)

    @property
    def difference(self) -> float:
        """The printed difference in score, of right answers over samples."""
        return abs(self._gain)

    @property
    def _gain(self) -> float:
        """By how much the better score is better as printed; below 0 where it is worse."""
        first, second = self._shares
        return first - second if self.measure.greater_is_better else second - first

    @property
    def _shares(self) -> list[float]:
        return [share_of(score, "", self.measure, self.samples) for score in (self.better, self.worse)]

    @property
    def written(self) -> tuple[str, str]:
        """Both scores as sentences write them: numbers of answers with their samples."""
        return written(self.better, self.samples), written(self.worse, self.samples)

    def p_value(self, discordant: Any) -> FloatArray:
        """Return the largest p-value of a number of discordant samples, over what was rounded.

        Parameters
        ----------
        discordant : int or array_like of int
            Samples that only one of both models judges right.

        Returns
        -------
        ndarray
            nan where no such number is possible, and of measures that do not count answers.

        Raises
        ------
        ValueError
            If something is no whole number from 0 up.
        """
        array = whole_numbers("discordant", discordant)
        if self.answers is None:
            return np.full(array.shape, math.nan)
        (least_b, most_b), (least_w, most_w), n = *self.answers, self.samples
        # The worse model alone is right on (d - difference) / 2 samples, the better on the rest; the smallest
        # difference has the largest p.
        difference = np.maximum(least_b - most_w, np.maximum(array - 2 * min(most_w, n - least_b), -array))
        difference = difference + (array - difference) % 2
        largest = np.minimum(most_b - least_w, np.minimum(2 * min(most_b, n - least_w) - array, array))
        can_be = (difference <= largest) & (array <= n)
        return np.where(can_be, mcnemar(np.maximum(array, 1), difference), math.nan)

    def false_claim_probability(self, agreement: Any) -> Any:
        """Return how likely a difference at least as large as printed is if both are equally good.

        Parameters
        ----------
        agreement : float or array_like
            Hypothetical share of samples on which both models are right or both are wrong (of the class that
            is counted; of both classes where the measure counts no answers).

        Returns
        -------
        float or ndarray
            Exact for shares of right answers: discordant samples are binomial, each a fair coin. For others
            the normal approximation, at the possible table where the difference varies most; nan where
            that is not decided.

        Raises
        ------
        ValueError
            If a share is not from 0 to 1.

        See Also
        --------
        posterior_not_better : A posterior probability, for the same supposed agreement.
        """
        shares = _checked_agreement(agreement)
        probabilities = np.array([self._likely(1.0 - share) for share in shares.ravel().tolist()]).reshape(
            shares.shape
        )
        return probabilities if probabilities.ndim else float(probabilities)

    def posterior_not_better(self, agreement: Any) -> Any:
        """Return the probability that the better model is no better, given the prints and an agreement.

        So a summary of *Claims Reloaded* defines the probability of a false claim: the shares of samples that
        both, one alone, or neither gets right have a uniform prior, and the prints are taken as they stand.
        It tells about these two models, `false_claim_probability` about two equally good ones.

        Parameters
        ----------
        agreement : float or array_like
            Share of samples on which both models are right or both are wrong. The paper names the share that
            both get right, the congruence: half of the sum of both scores and of the agreement, less a half.

        Returns
        -------
        float or ndarray
            nan where the scores do not allow that agreement, and of measures that count no answers.

        Raises
        ------
        ValueError
            If a share is not from 0 to 1.

        References
        ----------
        Christodoulou et al., False promises in medical imaging AI? Assessing validity of outperformance
        claims, arXiv:2505.04720, 2025. The formula is that of the summary on themoonlight.io/review; it was
        not compared with the paper's own text.

        Examples
        --------
        >>> import clearbar as cb
        >>> round(cb.claim("0.90", "0.80", 100).posterior_not_better(0.9), 4)
        0.0005
        """
        differ = 1.0 - _checked_agreement(agreement)
        if self.answers is None:
            probability = np.full(differ.shape, math.nan)
        else:
            n, gain, right = self.samples, self._gain, sum(self._shares)
            # Given d samples that one alone gets right, its share is Beta(1 + (d + n gain) / 2, ...).
            heads = np.maximum(n * (differ + gain) / 2, 0.0)
            tail = at_least(heads + 1, n * differ + 1, np.full(differ.shape, 0.5))
            can_be = (differ >= abs(gain) - 1e-12) & (differ <= min(right, 2 - right) + 1e-12)
            probability = np.where(can_be, tail, math.nan)
        return probability if probability.ndim else float(probability)

    def _likely(self, differ: float) -> float:
        from scipy.special import ndtr

        if self.answers is None:
            error = self.spread * math.sqrt(differ)
            return float(ndtr(-self._gain / error)) if error else float(self._gain <= 0)
        least = math.ceil(self._gain * self.samples - 1e-9)
        middle, half = self.samples * differ, DEVIATIONS * math.sqrt(self.samples * differ * (1 - differ)) + 1
        number = np.arange(
            max(least, 0, math.floor(middle - half)), min(self.samples, math.ceil(middle + half)) + 1.0
        )
        if not number.size or differ in {0.0, 1.0}:
            number = np.array([self.samples * differ])
            chance = np.ones(1)
        else:
            chance = np.exp(log_pmf(number, np.full_like(number, self.samples), np.full_like(number, differ)))
        heads = np.ceil((number + least) / 2)
        return float(np.minimum(1.0, chance @ at_least(heads, number, np.full_like(number, 0.5))))

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON: None where a p-value is not known."""
        return document({**self.row(), "said": str(self)})

    def row(self) -> dict[str, Any]:
        """Return one line of a table of claims."""
        ends = {
            name: None if math.isnan(p) else p for name, p in (("p_min", self.p_min), ("p_max", self.p_max))
        }
        content: dict[str, Any] = {"measure": self.measure.name, "better": self.better, "worse": self.worse}
        content |= {"samples": self.samples, "alpha": self.alpha, "verdict": self.verdict, **ends}
        return {**content, "most_discordant": self.most_discordant, "method": self.method}

    def __repr__(self) -> str:
        return f"<Claim: {self.verdict}>"

    def _repr_html_(self) -> str:
        from clearbar.notebook import sentence_html

        ends = (("least p", self.p_min), ("largest p", self.p_max))
        return sentence_html("claim", str(self), [(name, p_value_text(p, self.alpha)) for name, p in ends])

    def __str__(self) -> str:
        said = f"{' against '.join(self.written)} {self.measure.label}"
        return f"{said} of {sizes_in_words(self.population)}: {self._finding}."

    @property
    def _finding(self) -> str:
        if self.verdict == "not decided":
            return f"not decided, as {self.measure.label} is for up to {MOST_SAMPLES:,} samples"
        p_min, p_max = (p_value_text(p, self.alpha) for p in (self.p_min, self.p_max))
        if self.verdict == "shown":
            return f"shown, whatever the overlap ({p_phrase(self.p_max, self.alpha, is_bound=True)})"
        if self.verdict == "not shown":
            p = f"p at least {p_min}" if self.p_min < 1 else "p = 1"
            why = f", as {self.written[1]} is the better score" if self._gain < 0 else " by these numbers"
            return f"cannot be shown{why} ({p})"
        span = f"p from {p_min} to {p_max}"
        if self.most_discordant is not None:
            few = f"{self.most_discordant:,} of {self.samples:,} samples are judged differently"
            return f"depends on the overlap: shown if at most {few} ({span})"
        if self.answers is not None:
            (least, _), (_, most) = self.answers
            apart = f"{least - most:,} apart" if least > most else "equal"
            return f"depends on what was rounded, as the counts behind the scores may be {apart} ({span})"
        return f"depends on the overlap ({span})"


def _checked_agreement(agreement: Any) -> FloatArray:
    shares = numbers("agreement", agreement)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError(f"agreement must be a share from 0 to 1; found {shown(agreement)}.")
    return shares


def conclusion(p_min: float, p_max: float, alpha: float) -> Conclusion:
    """Return what p-values between two ends show."""
    if math.isnan(p_max):
        return "not decided"
    return "shown" if p_max <= alpha else "not shown" if p_min > alpha else "depends"


def share_of(score: Any, name: str, measure: Measure, samples: int) -> float:
    """Return a printed score, or the share of so many answers."""
    if isinstance(score, (int, np.integer)):
        return float(score / samples)
    return float(checked_score(measure, name, score).value)


def written(score: Score, samples: int) -> str:
    return f"{score:,}/{samples:,}" if isinstance(score, int) else visible(score)


def claim(
    better: Score,
    worse: Score,
    population: Population | ClassSizes | int,
    measure: str | Measure = "accuracy",
    *,
    alpha: float = 0.05,
) -> Claim:
    """Tell whether two printed scores show that one model is better than the other on the same samples.

    How alike the two models are is not printed. So p is computed for all overlaps, and for all numbers that
    the prints allow.

    Parameters
    ----------
    better, worse : str or int
        The printed scores, as text with its decimals, such as ``"0.91"`` or ``"91 %"``; or whole numbers of
        right answers (of wrong ones, if the measure is a loss) where the measure counts them.
    population : Population, ClassSizes or int
        Class sizes; a number of samples is enough for accuracy.
    measure : str or Measure
        The claim's measure. Accuracy, recall, specificity and their complements are exact at any number of
        samples; other measures of two classes are decided up to 2,000 samples.
    alpha : float
        The level.

    Returns
    -------
    Claim
        Shown, not shown, or depending on the overlap; the least and the largest p-value.

    Raises
    ------
    ValueError
        If a score is a float, which does not tell its decimals, is out of range, or no whole number of
        answers has it; the class sizes are needed and not there; or the measure has no better end.

    References
    ----------
    McNemar, Note on the sampling error of the difference between correlated proportions or percentages,
    Psychometrika 12, 1947.

    Examples
    --------
    >>> import clearbar as cb
    >>> print(cb.claim("0.85", "0.70", 303))
    0.85 against 0.70 accuracy of 303 samples: shown, whatever the overlap (p ≤ 0.00020).
    """
    sizes, alpha = checked_sizes(population), checked_alpha(alpha)
    entry = get_measure(measure, "binary")
    if entry.greater_is_better is None:
        raise ValueError(f"{entry.name} has no better end, so that no model is better in it.")
    scores: tuple[Any, Any] = better, worse
    better, worse = (int(score) if isinstance(score, np.integer) else score for score in scores)
    if entry.name in COUNTED and entry.in_catalogue:
        return _of_answers(better, worse, sizes, entry, alpha)
    if not isinstance(sizes, Population):
        raise _needs_sizes(entry, sizes)
    return _of_tables(better, worse, sizes, entry, alpha)


def _needs_sizes(measure: Measure, sizes: Sizes) -> ValueError:
    if isinstance(sizes, ClassSizes):
        return ValueError(
            f"{measure.name} of many classes is not decided, only accuracy and error_rate are; "
            "for two classes pass a Population of total and positives."
        )
    needs = f"{measure.name} needs the number of positives: "
    return ArgumentError("", needs, "pass a Population of total and positives.", "positives")


def samples_counted(measure: Measure, sizes: Sizes) -> int:
    """Return how many samples a measure counts."""
    which = COUNTED[measure.name][0] if measure.name in COUNTED else "total"
    if which == "total":
        return sizes if isinstance(sizes, int) else int(sizes.total)
    if not isinstance(sizes, Population):
        raise _needs_sizes(measure, sizes)
    return int(getattr(sizes, which))


def _of_answers(better: Score, worse: Score, sizes: Sizes, measure: Measure, alpha: float) -> Claim:
    number = samples_counted(measure, sizes)
    of_better, of_worse = (
        _answers(name, score, number, measure) for name, score in (("better", better), ("worse", worse))
    )
    least, most = of_better[0] - of_worse[1], of_better[1] - of_worse[0]
    p_min = float(mcnemar(max(most, 1), most))
    closest = number - abs(number - of_better[0] - of_worse[1])
    p_max = float(mcnemar(max(closest, 1), least))
    discordant = _most_discordant((of_better, of_worse), number, alpha)
    return Claim(
        better, worse, sizes, measure, alpha, p_min, p_max, discordant, "exact", answers=(of_better, of_worse)
    )


def _answers(name: str, score: Any, number: int, measure: Measure) -> Range:
    """Return the numbers of right answers that a score allows."""
    if not number:
        raise ValueError(f"{measure.name} has no value on this population: it counts none of its samples.")
    if isinstance(score, int) and not isinstance(score, bool):
        low = high = score
        if not 0 <= low <= number:
            raise ValueError(f"{name} must be from 0 to the {number:,} samples; found {low:,}.")
    else:
        ends = checked_score(measure, name, score).ends()
        low, high = max(0, math.ceil(ends[0] * number)), min(number, math.floor(ends[1] * number))
        if low > high:
            raise ValueError(
                f"{name} cannot be {visible(score)}: no number of {number:,} samples is rounded so."
            )
    return (low, high) if COUNTED[measure.name][1] else (number - high, number - low)


def _most_discordant(answers: tuple[Range, Range], samples: int, alpha: float) -> int | None:
    """Return the last possible number of discordant samples before the first whose p is above alpha."""
    (least_b, most_b), (least_w, most_w) = answers
    if least_b <= most_w:
        return None
    # Of one difference p rises with the samples on which the worse model alone is right. A larger difference
    # has a smaller p and allows no more of them: the least even and the least odd one decide.
    pairs = [(least_b, most_w)]
    pairs += [(least_b + 1, most_w)] * (least_b < most_b) + [(least_b, most_w - 1)] * (least_w < most_w)
    end = samples + 1 - max(0, least_b + least_w - samples, samples - most_b - most_w)
    for better, worse in pairs:
        reached = range(better - worse, samples - abs(samples - better - worse) + 1, 2)
        first = bisect_right(reached, alpha, key=partial(_p_value, better - worse))
        end = min([end, *reached[first : first + 1]])
    before = end - (least_b - most_w)  # with one difference alone only every other number is possible
    return end - (2 if before % 2 == 0 and len(pairs) == 1 else 1) if before else None


def _p_value(difference: int, discordant: int) -> float:
    return float(mcnemar(discordant, difference))


def _of_tables(better: Score, worse: Score, sizes: Population, measure: Measure, alpha: float) -> Claim:
    """Look at all pairs of tables that score as printed."""
    from scipy.special import ndtr

    total, positives = int(sizes.total), int(sizes.positives)
    texts = [checked_score(measure, name, score) for name, score in (("better", better), ("worse", worse))]
    if total > MOST_SAMPLES:
        return Claim(better, worse, sizes, measure, alpha, math.nan, math.nan, None, "unknown")
    every, most = TableRanges.all(total, [positives]), math.isqrt(_overlap.MOST_PAIRS)
    models = []
    for name, text in zip(("better", "worse"), texts, strict=True):
        rows = possible(every, [Span(measure, *text.ends())])
        if not rows.tp.size:
            raise ValueError(
                f"{name} cannot be {visible(text.text)}: no table of {sizes_in_words(sizes)} scores so."
            )
        models.append(_overlap.possible_model(measure, rows, most))
    sign = 1.0 if measure.greater_is_better else -1.0
    least, largest = _overlap.differences(models[0], models[1], sign)
    p_min, p_max = (float(min(1.0, 2 * ndtr(-z))) for z in (largest, least))
    spread = max(_spread(model, sizes) for model in models)
    return Claim(better, worse, sizes, measure, alpha, p_min, p_max, None, "normal", spread=spread)


def _spread(model: _overlap.Model, sizes: Population) -> float:
    """Return the largest standard deviation of a difference of models that agree on no sample."""
    ends = zip(model.sides, (sizes.positives, sizes.negatives), strict=True)
    return float(np.sqrt(sum(side.slope**2 / max(int(size), 1) for side, size in ends)).max())
