"""Why a number is missing, bounded or approximate: codes and numbers, of which readers make sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from clearbar.core.errors import listed

# The sentence of each code, in which its numbers are filled in.
SENTENCES = {
    # p_value: H0 is that the true score is the bar
    "bootstrap": "p_value is from bootstrap resamples of {units}, which is approximate",
    "unseen_errors": "p_value supposes larger errors that were not seen, which is approximate",
    "unseen_clusters": "p_value supposes clusters of items that were not seen, all wrong or all right, which "
    "is approximate",
    "bounded": "p_value takes scores from 0 to 1 for independent, of any distribution (Gaffke 2005)",
    "bounded_losses": "p_value supposes that any sample, seen or not, loses at most {most:.3g}, the largest "
    "loss that these probabilities could have; if those of other samples are bolder, p and interval are too "
    "sure (Gaffke 2005)",
    "bounded_losses_known": "p_value takes losses for independent, of any distribution up to {most:g} "
    "(Gaffke 2005)",
    "bounded_differences": "p_value supposes that two losses of any sample, seen or not, differ by at "
    "most {most:.3g}, the most that these probabilities could make; if the models are further apart on other "
    "samples, p and interval are too sure (Gaffke 2005)",
    "bounded_differences_known": "p_value takes differences of losses for independent, of any distribution "
    "up to {most:g} (Gaffke 2005)",
    "bounded_blind": "p_value_blind takes scores from 0 to 1 for independent, of any distribution (Gaffke "
    "2005)",
    "hoeffding": "p_value holds whatever the chances of single {units} to be right (Hoeffding 1956)",
    "p_value_unknown": "p_value is not known: {why}",
    "unseen_failures_of_classes": "p_value supposes failures of either class that were not seen, since "
    "no two resamples differ or a class has a single sample",
    "likeliest_rates": "p_value is estimated, at the likeliest rates of each class whose score is the bar",
    "unseen_in_folds": "p_value supposes failures that were not seen, at the same rates in all folds",
    "one_test_set": "p_value takes the pooled counts for one test set, which is approximate",
    "resampled_t": "p_value is the corrected resampled t-test (Nadeau and Bengio 2003), which is approximate",
    "folds_alike": "p_value is not known where all folds score the same though some sample failed, or fewer "
    "than two have a value",
    "folds_untested": "p_value is not known where folds are combined in this way",
    "merged_untested": "p_value is not known where the scores of folds are merged",
    "delong": "p_value is from DeLong's variance on the logit scale, which is approximate",
    "delong_lone": "p_value is Hoeffding's bound, as a class has a single sample",
    "delong_no_variance": "p_value is Hoeffding's bound for {pairs:,} pairs, as the AUC has no variance here",
    "better_side": "{how}; the interval is of {interval_of}, and p_value tests the better side alone",
    "few_of_class": "{classes:,} of the classes that occur have fewer than {least} samples",
    # p_value_blind: H0 is that labels are in random order
    "permutations": "p_value_blind is from {draws:,} permutations of {what}",
    "saddlepoint": "p_value_blind is a saddlepoint approximation, good to {percent} %",
    "random_rankings": "p_value_blind is from {draws:,} random rankings, with a standard error of at most "
    "{error:.1g}",
    "ties_unknown": "p_value_blind is not known over every pattern of ties",
    "too_many_samples": "p_value_blind is left out above {most:,} samples",
    "traced": "p_value is from level lines that were traced on a grid, which is approximate and misses a "
    "peak between its points",
    "filled": "p_value is not known where the formula has no value and the policy's stands for it",
    "up_to_permutations": "p_value_blind is from up to {draws:,} permutations of {what}",
    "chatterjee": "p_value_blind is an upper bound (Chatterjee 2007)",
    "chatterjee_one_right": "p_value_blind is an upper bound (Chatterjee 2007), if each item has one right "
    "answer",
    "group_t": "p_value_blind is the t-test of what {groups:,} groups add to the agreement, which is "
    "approximate",
    "group_t_unequal": "p_value_blind is the t-test of what {groups:,} groups of unequal sizes add to the "
    "agreement, which is approximate",
    "group_t_few": "p_value_blind is the t-test of what {groups:,} groups of unequal sizes add to the "
    "agreement, which is few: they tell as much as {effective:.1f} of equal size, which is approximate",
    "p_value_blind_unknown": "p_value_blind is not known: {why}",
    "one_class_each": "p_value_blind is not known: no fold holds both classes, so that labels cannot trade "
    "places",
    # why something is not known
    "torn": "{what} is not known where groups lie on both sides of a split",
    "too_few_units": "it takes at least {least} {units}, and there are {found}",
    "too_few_clusters": "task {task!r} has fewer than {least} clusters",
    "no_larger_error": "resamples have no larger error than the largest that was seen",
    "undefined_resamples": "{missing:,} of {draws:,} resamples have no value",
    "undefined_tables": "{missing:,} of {draws:,} tables drawn have no value",
    "tables_alike": "no table that was drawn scores otherwise",
    "group_sizes_differ": "of {groups:,} groups only {together:,} share their size with another",
    "group_labels_alike": "groups of the same size all have the same labels",
    "clusters_in_some_tasks": "clusters of unequal sizes are tested where all tasks have clusters",
    "no_task_bar": "a task has no bar",
    "answers_unknown": "the answers to {task!r} are not known",
    "not_resolvable": "p is not resolvable below {p:.2g} with so many random draws",
    # gaps between groups
    "gap_permuted": "the gap's p is from {draws:,} permutations of groups within each class",
    "gap_permuted_missing": "the gap's p is from {draws:,} permutations of groups within each class, without "
    "{share:.2%} of them, in which a group has no value",
    "gap_missing": "the gap's p leaves out outcomes in which a group has no value; they have a probability "
    "of {share:.2g}",
    "gap_unknown": "how large a gap chance gives is not known: in {share:.0%} of the permutations a group "
    "has no value",
    "gap_too_many": "how large a gap chance gives is not known of a thousand million samples or more",
    # two models
    "difference_unknown": "nothing is known of the difference: {why}",
    "no_score": "a score has no value",
    "too_few_folds": "a p-value needs two folds on which both models have a score, and some spread",
    "means_not_exchangeable": "means over folds do not tell which answers could be exchanged",
    "no_slope": "the difference of the scores does not follow from how often either model is right",
    "equal_scores": "p_value is estimated from {draws:,} tables drawn at equal true scores",
    "equal_scores_none": "p_value is estimated from {draws:,} tables drawn at equal true scores, of which "
    "none has a difference as large",
    "equal_scores_not_found": "no likeliest rates were found at which both models have the same score",
    "equal_scores_sparse": "in {share:.0%} of the tables drawn at equal true scores one model has no score",
    "delong_difference": "p_value is DeLong's test by Student's t, which is approximate",
    "lone_unit": "a class or task has a single unit, which does not tell how much the difference varies",
    "no_spread": "the difference is the same in every unit, which does not tell how much it varies",
    "unseen_failures": "no two resamples differ, so failures are supposed that were not seen",
    "bootstrap_t": "p_value is from {draws:,} bootstrap resamples, which is approximate",
    "random_swaps": "p_value is from {draws:,} random swaps",
    "random_swaps_none": "p_value is from {draws:,} random swaps, of which none has a difference as large",
}  # fmt: skip


@dataclass(frozen=True)
class Reason:
    """A code of `SENTENCES` and its numbers, which may be reasons themselves."""

    code: str
    numbers: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, code: str, **numbers: Any) -> Self:
        return cls(code, tuple(numbers.items()))

    def __str__(self) -> str:
        return SENTENCES[self.code].format(**dict(self.numbers))


class Footnote(str):
    """A note for those who ask for everything: how a number was found, where nothing has to be done."""

    __slots__ = ()


# What is the matter where a condition of a measure fails.
LACKING = {
    "P > 0": "there are no positives",
    "N > 0": "there are no negatives",
    "k > 0": "it predicts no positives",
    "k < M": "it predicts nothing but positives",
    "P + k > 0": "there are no positives and it predicts none",
    "N + (M - k) > 0": "there are no negatives and it predicts none",
    "TP > 0": "it finds no positive",
    "FP > 0": "it has no false positive",
    "FN > 0": "it misses no positive",
    "TN > 0": "it finds no negative",
    "TP + TN > 0": "it is never right",
    "FN < M": "it misses a positive every time",
    "FP < M": "it has nothing but false positives",
}

# The same in brackets behind the name of a fold.
SHORTLY = {
    "P > 0": "no positive samples",
    "N > 0": "no negative samples",
    "k > 0": "nothing predicted positive",
    "k < M": "nothing predicted negative",
    "P + k > 0": "no positive samples, nothing predicted positive",
    "N + (M - k) > 0": "no negative samples, nothing predicted negative",
    "another table": "needs another table",
}

# Likewise of a draw, which may happen at any number of predicted positives.
CHANCE_LEAVES = {
    "TP > 0": "no true positive",
    "FP > 0": "no false positive",
    "FN > 0": "no false negative",
    "TN > 0": "no true negative",
    "TP + TN > 0": "nothing right",
    "FN < M": "nothing but false negatives",
    "FP < M": "nothing but false positives",
}


PLAIN = "negative", "positive"  # what two classes are called that have no other names


def with_names(text: str, classes: tuple[str, str]) -> str:
    """Write the names of the classes where a text says negative and positive."""
    names = {plain: f'"{name}"' for plain, name in zip(PLAIN, classes, strict=True) if name != plain}
    if not names:
        return text
    return re.sub(r"\b(negative|positive)s?\b", lambda match: names.get(match[1], match[0]), text)


def question_and_caution(bar: Any) -> tuple[str, str]:
    """Return question and caution of a measure; those of the catalogue name the classes of the samples."""
    measure, names = bar.measure, getattr(bar.population, "labels", PLAIN)
    named = getattr(measure, "in_catalogue", False) and len(names) == len(PLAIN)
    question, caution = (
        with_names(text, names) if named else text for text in (measure.question, measure.caution)
    )
    return question.strip(), caution


@dataclass(frozen=True)
class NoValue:
    """A measure that has no value: where, and which of its conditions fail there."""

    label: str
    lacking: tuple[str, ...] = ()
    where: str = "here"
    in_folds: bool = False  # the notes below a table of folds say so too
    classes: tuple[str, str] = PLAIN  # what the negative and the positive class are called

    def __str__(self) -> str:
        """Say it in a sentence: ``precision has no value here: it predicts no positives``."""
        return f"{self.label} has {in_a_row([self])}"


def in_a_row(reasons: Sequence[NoValue]) -> str:
    """Say behind "has" why models have no value: ``no value here: there are no positives``."""
    parts = (
        with_names(" and ".join(LACKING.get(text, text) for text in reason.lacking), reason.classes)
        for reason in reasons
    )
    why = "; ".join(part for part in parts if part)
    return f"no value {reasons[0].where}{f': {why}' if why else ''}"


@dataclass(frozen=True)
class Reasons:
    """Several reasons on one row, each of them whole, in the order in which they are said."""

    each: tuple[Any, ...]

    def __str__(self) -> str:
        """Say them behind each other."""
        return "; ".join(map(str, self.each))


def each_reason(reason: Any) -> tuple[Any, ...]:
    """Return the reasons of a row: none, one, or several."""
    if isinstance(reason, Reasons):
        return reason.each
    return (reason,) if reason else ()


def and_also(reason: Any, more: Any) -> Any:
    """Add a reason to those that a row has."""
    each = (*each_reason(reason), *each_reason(more))
    return Reasons(each) if len(each) > 1 else more


class OfAnyMeasure(str):
    """Why no measure has a bar on these samples: other reasons name their measure, this does not."""

    __slots__ = ()


class OfMeasure(str):
    """A sentence about its measure, such as ``F1 has no bar in fold 2``: it stands alone."""

    __slots__ = ()


def no_better_end(label: str) -> OfMeasure:
    return OfMeasure(f"{label} has no better end, so nothing can clear it")


def worded(reason: Any) -> str:
    """Return the words of a reason; whether they stand alone is kept."""
    reasons = each_reason(reason)
    first = reasons[0] if reasons else ""
    why = first.why if isinstance(first, NoBar) else first
    return OfMeasure(reason) if isinstance(why, NoValue | OfMeasure) else str(reason)


# What gives outcomes without a value one, as Python writes it.
OTHER_POLICIES = "undefined='worst' or undefined=0.0"


class NoBar(str):
    """Why a measure has no bar: text in Python's words that knows its parts, for readers with other words."""

    __slots__ = ("label", "why")

    label: str
    why: str

    def __new__(cls, label: str, why: str) -> Self:
        """Word it."""
        made = super().__new__(cls, _remedied(label, why, OTHER_POLICIES))
        made.label, made.why = label, why
        return made

    def __getnewargs__(self) -> Any:
        """Pickle its parts."""
        return self.label, self.why

    def with_policies(self, policies: str) -> str:
        """Say it with the policies that give a bar in the reader's words."""
        return _remedied(self.label, self.why, policies)


def _remedied(label: str, why: str, policies: str) -> str:
    return f"{why}; {policies} gives {label} a bar"


def why_no_bar(
    label: str, conditions: Sequence[str], classes: tuple[str, str], *, positives: bool, negatives: bool
) -> NoBar:
    """Say why no number of predicted positives gives every outcome a value, and what would."""
    missing = [text for text, present in (("P > 0", positives), ("N > 0", negatives)) if not present]
    missing = [LACKING[text] for text in missing if text in conditions]
    cells = [CHANCE_LEAVES[text] for text in conditions if text in CHANCE_LEAVES]
    why: str = OfMeasure(f"{label} has no value for some outcome, whatever is predicted")
    if missing:
        why = " and ".join(missing)
    elif cells:
        why = f"at every number of predicted positives chance may leave {listed(cells, last='or')}"
    return NoBar(label, why if isinstance(why, OfMeasure) else with_names(why, classes))
