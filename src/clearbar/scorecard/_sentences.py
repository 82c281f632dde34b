"""What a scorecard says in words: the verdict on a score and on all, a bar, and what to know of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray
from clearbar.core.errors import listed
from clearbar.formatting import (
    MISSING,
    TELLS,
    capital,
    distinct,
    number,
    p_phrase,
    p_value_parts,
    p_value_text,
    percent,
    plural,
    shorten,
    signed,
    visible,
    whole_percent,
)
from clearbar.problems._protocol import Bar, Judged
from clearbar.problems.reasons import NoValue, OfAnyMeasure, each_reason, in_a_row
from clearbar.scorecard._rows import slices, standing, which_group, which_measure, which_model
from clearbar.verdict import FLOORED, UNJUDGED, Verdict, is_bound

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

NAME, SUBJECT = 32, 60
"""Columns that a name may take in a sentence, and in one that is about it."""

MOST_CLAUSES, MOST_NAMES = 3, 4
"""Exceptions that are told one by one, and models or measures that are named; more are counted."""

ASSUMED = (
    "These probabilities take {} for independent draws, and the model for fixed before their labels were "
    "seen. Where either is not so, they are too small."
)


def sentence(verdict: Verdict) -> str:
    said = f"{subject(verdict)}: {finding(verdict)}"
    return f"{said}; skill {signed(verdict.skill)}" if _has_skill(verdict) else said


def _has_skill(verdict: Verdict) -> bool:
    return verdict.outcome in {"clears", "fails"} and not math.isnan(verdict.skill)


def verdict_html(verdict: Verdict) -> str:
    """Return a verdict for a notebook, and the numbers that it rests on."""
    from clearbar.notebook import sentence_html

    samples, level = int(verdict.baseline.population.total), whole_percent(verdict.confidence_level)
    is_known = verdict.clears and not math.isnan(verdict.p_sure)
    p = p_value_text(verdict.p_corrected, floor=TELLS, is_bound=verdict.p_is_bound) if is_known else MISSING
    ends = " – ".join(number(end, samples) for end in (verdict.low, verdict.high))
    numbers = {
        "bar": number(float(verdict.baseline.value), samples),
        "score": number(verdict.score, samples),
        f"{level} interval": MISSING if math.isnan(verdict.low) else ends,
        "skill": signed(verdict.skill),
        "p": p,
    }
    there_are = [(name, text) for name, text in numbers.items() if text != MISSING]
    return sentence_html("verdict", sentence(verdict), there_are)


def subject(verdict: Verdict) -> str:
    """Say whom a verdict is about, such as ``tree in nl``."""
    where = "" if verdict.group is None else f" in {shorten(visible(verdict.group), SUBJECT)}"
    return f"{shorten(visible(verdict.model), SUBJECT)}{where}"


def sides(measures: Iterable[Judged]) -> tuple[str, str]:
    """Say which side of the bar is worse and which better: below and above, unless there is a loss."""
    loss = any(measure.greater_is_better is False for measure in measures)
    return ("worse than", "better than") if loss else ("below", "above")


def finding(verdict: Verdict, alpha: float | None = None) -> str:
    """Say how a score stands to its bar; `alpha` is the p that is asked for, and then said."""
    label, bar, outcome = verdict.measure.label, verdict.baseline, verdict.outcome
    if outcome == "undefined":
        return f"{label} cannot be judged: {verdict.reason}"
    samples = int(bar.population.total)
    score, value = number(verdict.score, samples), number(float(bar.value), samples)
    recipe = bar.attained_by
    how = f'always answering "{visible(recipe.always)}"' if recipe.always else str(recipe)
    if outcome == "unbeatable":
        return f"{label} {score} tells nothing, since the bar {value} ({how}) is the best possible score"
    runs = f" on average over {verdict.runs:,} runs" if verdict.runs > 1 else ""
    stands, (worse, better) = f"{label} {score}{runs} is", sides([verdict.measure])
    if outcome in {"ties", "fails"}:
        by_chance = outcome == "fails" and verdict.p_value > 1 - verdict.confidence_level
        perhaps, place = ", perhaps by chance" * by_chance, worse if outcome == "fails" else "exactly at"
        return f"{stands} {place} the bar {value} ({how}){perhaps}"
    if math.isnan(verdict.p_sure):
        unknown = "how surely is not known" if verdict.ends else "a bare score does not tell how surely"
        doubt = f", but {unknown}" if verdict.has_p_values else f" ({how}); how surely was not asked"
        return f"{stands} {better} the bar {value}{doubt}"
    level = 1 - verdict.confidence_level if alpha is None else alpha
    p = p_phrase(verdict.p_corrected, level, floor=TELLS, is_bound=verdict.p_is_bound)
    if verdict.p_corrected <= level if alpha is not None else verdict.sure:
        return f"{label} {score}{runs} clears the bar {value} ({p})"
    needed = "" if alpha is None else f"; needs p ≤ {alpha:g}"
    return f"{stands} {better} the bar {value}, but it could be chance ({p}{needed})"


def samples_line(card: Scorecard) -> str:
    """Say what the data are, such as ``111 samples, 56 positive (50.5 %), 3 models.``"""
    with_whole = card.groups[0] is None or len(card.groups) == 1
    overlapping = "" if card.problem is None else card.problem.overlapping
    if overlapping:
        said = [f"{plural(int(np.asarray(card.population.total)[0]), 'sample')}, {overlapping}"]
    else:
        said = [_classes(card.population, 0 if with_whole else slice(None))]
    said += [plural(len(card.models), "model")] if len(card.models) > 1 else []
    said += [plural(card.runs, "run")] if card.several_runs else []
    if len(card.groups) > 1 and not card.tasked:  # tasks are told above
        said.append(plural(int(slices(card).sum()), *card.group_words))
    return f"{', '.join(said)}."


def _classes(population: Any, groups: Any) -> str:
    """Say how many samples there are, and how large the classes: of one group, or of several together."""
    total = int(np.asarray(population.total)[groups].sum())
    samples = plural(total, "sample")
    if population.classes is None:
        return samples
    if not population.classes:
        leading, sizes = population.leading
        positives = int(np.asarray(sizes)[groups].sum())
        return f"{samples}, {positives:,} {leading} ({percent(positives / total)})"
    classes = len(population.classes)
    counts = population.counts[groups].reshape(-1, classes).sum(axis=0).tolist()
    names = distinct(population.classes, NAME)
    sizes = ", ".join(f"{size:,} {name}" for size, name in zip(counts, names, strict=True))
    named = f" ({sizes})" if classes <= MOST_NAMES else ""
    return f"{samples} {population.parts.format(f'{classes:,}')}{named}"


def headline(card: Scorecard, alpha: float | None = None) -> str:
    """Return the verdict in a sentence: on the whole, or on the slices where there is no whole.

    Parameters
    ----------
    alpha : float
        The corrected p-value above which a score could be chance; that of the scorecard by default.
    """
    if card.groups[0] is not None and len(card.groups) > 1:
        return slices_sentence(card, alpha)
    return _Headline(card, alpha).text()


def slices_sentence(card: Scorecard, alpha: float | None) -> str:
    """Say in how many slices a bar is missed, and in how many it is cleared but not surely."""
    sliced, state = slices(card), standing(card, alpha)
    missed = np.isin(state, ("fails", "ties")).any(axis=(0, 2)) & sliced
    unsure = (state == "doubt").any(axis=(0, 2)) & sliced & ~missed
    silent = int((np.isin(state, UNJUDGED).all(axis=(0, 2)) & sliced).sum())
    every = int(sliced.sum())
    if silent == every:
        return f"None of {plural(every, *card.group_words)} can be judged."
    cannot = f" {silent:,} of {every:,} cannot be judged." if silent else ""
    judged = plural(every - silent, *card.group_words)
    could = f"; in {int(unsure.sum()):,}{' more' if missed.any() else ''} it could be chance"
    doubt = could if unsure.any() else ""
    if not missed.any():
        return f"No bar is missed in {judged}{doubt}.{cannot}"
    names = [visible(card.groups[group]) for group in np.flatnonzero(missed).tolist()]
    named = f" ({listed(distinct(names, NAME))})" if len(names) <= MOST_NAMES else ""
    return f"A bar is missed in {len(names):,} of {judged}{named}{doubt}.{cannot}"


def scores_the_bar(bar: Bar, label: str = "") -> str:
    """Say who scores the bar, such as ``always answering "positive" scores 0.671``."""
    value, recipe = number(float(bar.value), int(bar.population.total)), bar.attained_by
    if recipe.always:
        return f'always answering "{visible(recipe.always)}" scores {f"{label} " if label else ""}{value}'
    often = "" if recipe.certain else " on average"
    return f"{recipe.clause} and {label or visible(bar.measure.label)} is {value}{often}"


def scores_all(bar: Bar) -> str:
    """Say whose blind answers have the best possible score."""
    if bar.attained_by.always:
        return scores_the_bar(bar)
    return f"whoever {bar.attained_by.habit} scores {number(float(bar.value), int(bar.population.total))}"


class _Headline:
    """The sentences on the first group, each on the measures that the same models share."""

    def __init__(self, card: Scorecard, alpha: float | None) -> None:
        self.card = card
        self.state = standing(card, alpha)[:, 0, :]
        judged: BoolArray = ~np.isin(self.state, UNJUDGED)
        self.can_tell = np.flatnonzero(judged.any(axis=0)).tolist()
        self.silent: BoolArray = ~judged & judged.any(axis=0)
        self.names = ["The model"] if card.models == ("model",) else distinct(card.models, NAME)
        self.labels = [visible(measure.label) for measure in card.measures]
        self.order = np.argsort(-(self.state == "clears").sum(axis=1), kind="stable").tolist()

    def text(self) -> str:
        if not self.can_tell:
            return self.no_verdict()
        state = self.state
        faulty: BoolArray = np.asarray(np.isin(state, ("fails", "ties", "doubt")).any(axis=1))
        sentences = [
            *self.exceptions((state == "clears") & ~faulty[:, None], self.clears, "clear bars"),
            *self.exceptions(state == "fails", self.misses, "miss a bar", witness=True),
            *self.exceptions(state == "ties", self.ties, "are exactly at a bar", witness=True),
            *self.exceptions(state == "doubt", self.doubts, "are above a bar, but it could be chance"),
            *self.exceptions(self.silent, self.has_no_score, "have a score without a value"),
        ]
        return " ".join(f"{sentence}." for sentence in sentences)

    def exceptions(
        self,
        cells: BoolArray,
        say: Callable[[list[int], list[int]], str],  # of models and measures, both by position
        what: str,
        *,
        witness: bool = False,
    ) -> list[str]:
        """Say a sentence for each set of measures that the same models share; `what` where there are many."""
        by_measures: dict[tuple[int, ...], list[int]] = {}
        for model in self.order:
            measures = tuple(np.flatnonzero(cells[model]).tolist())
            if measures:
                by_measures.setdefault(measures, []).append(model)
        if len(by_measures) <= MOST_CLAUSES:
            return [say(models, list(measures)) for measures, models in by_measures.items()]
        models, every = sum(map(len, by_measures.values())), len(self.names)
        often = int(np.argmax(cells.sum(axis=0)))
        count = f"{int(cells[:, often].sum())} of {every}"
        who = f": {self.witness([often])}" if witness else ""
        return [f"{models} of {every} models {what}, most often {self.labels[often]}'s ({count}){who}"]

    def clears(self, models: list[int], measures: list[int]) -> str:
        bars = self.bars(measures, most=2)
        if self.card.has_p_values:
            return f"{self.who(models, 'clears', 'clear')} {bars}"
        return f"{self.who(models, 'is', 'are')} {self.better(measures)} {bars}; how surely was not asked"

    def has_no_score(self, models: list[int], measures: list[int]) -> str:
        who = self.who(models, "has", "have")
        if len(measures) == len(self.can_tell):
            return f"{who} no score to judge"
        return f"{who} no value of {listed([self.labels[measure] for measure in measures], most=MOST_NAMES)}"

    def ties(self, models: list[int], measures: list[int]) -> str:
        who = self.who(models, "is", "are")
        return f"{who} exactly at {self.bars(measures)}: {self.witness(measures)}"

    def misses(self, models: list[int], measures: list[int]) -> str:
        return f"{self.who(models, 'misses', 'miss')} {self.bars(measures)}: {self.witness(measures)}"

    def doubts(self, models: list[int], measures: list[int]) -> str:
        above = f"{self.who(models, 'is', 'are')} {self.better(measures)} {self.bars(measures)}"
        rows, columns = np.ix_(models, [0], measures), self.card.columns
        is_known = ~np.isnan(columns["p_sure"][rows])
        p = columns["p_corrected"][rows][is_known]
        if not p.size:
            return f"{above}, but how surely is not known"
        low, high = (p_value_text(float(value), floor=TELLS) for value in (p.min(), p.max()))
        bound = bool(is_bound(*(columns[name][rows] for name in FLOORED))[is_known].all())
        largest = p_phrase(float(p.max()), floor=TELLS, is_bound=bound)
        return f"{above}, but it could be chance ({largest if low == high else f'p from {low} up'})"

    def better(self, measures: list[int]) -> str:
        return sides([self.card.measures[measure] for measure in measures])[1]

    def witness(self, measures: list[int]) -> str:
        """Say what scores the first of these bars."""
        label = self.labels[measures[0]] if len(measures) > 1 else ""
        return scores_the_bar(self.card.bar(measures[0]), label)

    def no_verdict(self) -> str:
        outcome = self.card.columns["outcome"][0, 0]
        if (outcome == "unbeatable").all():
            cannot = "cannot tell" if len(outcome) > 1 else "cannot tell a model from random answers"
            labels = listed(self.labels, most=MOST_NAMES)
            return f"No verdict: {labels} {cannot}: {scores_all(self.card.bar(0))}."
        first = int(np.flatnonzero(outcome == "undefined")[0])
        reason = self.card.columns["reason"][0, 0, first]
        if len(outcome) == 1:
            return f"No verdict: {visible(reason)}."
        named = f"{self.labels[first]}: " if isinstance(reason, OfAnyMeasure) else ""
        return f"No verdict on any of the {len(outcome)} measures. {named}{visible(reason)}."

    def who(self, models: list[int], singular: str, plural: str) -> str:
        """Name the models, and add the form of a verb that goes with so many."""
        verb = singular if len(models) == 1 else plural
        if len(models) == len(self.names) > 1:
            return f"{'Both' if len(models) == 2 else f'All {len(models)}'} models {verb}"
        if len(models) > MOST_NAMES:
            return f"{len(models)} of {len(self.names)} models {verb}"
        return f"{listed([self.names[model] for model in models])} {verb}"

    def bars(self, measures: list[int], *, most: int = MOST_NAMES) -> str:
        """Name the bars; `most` are named where these are all that can tell."""
        if len(measures) > most and len(measures) == len(self.can_tell):
            can_tell = "" if len(measures) == len(self.labels) else " that can tell"
            return f"all {len(measures)} bars{can_tell}"
        if len(measures) > MOST_NAMES:
            return f"{len(measures)} of {len(self.can_tell)} bars"
        return f"the {listed([self.labels[measure] for measure in measures])} bar{'s' * (len(measures) > 1)}"


class Remark(NamedTuple):
    """What is said of a row, and what stands before it behind the names of one measure or of several."""

    text: str
    verbs: tuple[str, str] = (":", ":")


def remark(card: Scorecard, models: Sequence[int], group: int, measure: int) -> Remark:
    """Say in a few words why a row cannot tell, or how to read it."""
    models = list(models)
    if "unbeatable" in card.columns["outcome"][models, group, measure]:
        return Remark(f"cannot tell: {scores_all(card.bar(measure, group))}", ("", ""))
    reasons = [reason for reason in dict.fromkeys(card.columns["reason"][models, group, measure]) if reason]
    others = [reason for reason in reasons if not isinstance(reason, NoValue)]
    lacking = [reason for reason in reasons if isinstance(reason, NoValue)]
    lacking = [reason for reason in lacking if not (card.folds and reason.in_folds)]
    if lacking:
        texts = [in_a_row(lacking[:2]), *others[:1]]
        return Remark("; ".join(map(visible, texts)), (" has", " have"))
    if others:
        each = (visible(reason) for both in others[:2] for reason in each_reason(both))
        return Remark("; ".join(dict.fromkeys(each)))
    return Remark("less is better" if card.measures[measure].greater_is_better is False else "")


def remarks(card: Scorecard, measures: Sequence[int]) -> list[str]:
    """Return the remarks on the whole as sentences, one for all measures that share it."""
    by_remark: dict[Remark, list[str]] = {}
    for measure in measures:
        on_whole = remark(card, range(len(card.models)), 0, measure)
        if on_whole.text:
            by_remark.setdefault(on_whole, []).append(visible(card.measures[measure].label))
    return [
        capital(f"{listed(labels)}{shared.verbs[len(labels) > 1]} {shared.text}.")
        for shared, labels in by_remark.items()
    ]


def explain_bar(bar: Bar, reason: str | None = None) -> str:
    """Say what a measure asks, what its bar is, and which draw attains it.

    Parameters
    ----------
    bar : Bar
        The bar of one group.
    reason : str, optional
        Why there is none, for readers with other words; as the bar says it by default.

    Returns
    -------
    str
        A few lines.

    Examples
    --------
    >>> import clearbar as cb
    >>> from clearbar.scorecard import explain_bar
    >>> print(explain_bar(cb.baseline(cb.Population(111, 56), "f1")).splitlines()[-2])
    Nothing that ignores its input does better on average (Pries et al. 2023).
    """
    measure, samples = bar.measure, int(bar.population.total)
    label, question = visible(measure.label), visible(measure.question).strip()
    lines = [f"{label}: {question}" if question else f"{label}."]
    lines += [visible(measure.caution)] if measure.caution else []
    if math.isnan(float(bar.value)):
        why = bar.reason if reason is None else reason
        return "\n".join([*lines, f"There is no bar: {visible(why)}."])
    recipe = bar.attained_by
    often = "every time" if recipe.certain else "on average"
    scores = f"scores {number(float(bar.value), samples)} {often}"
    if bar.certified or not hasattr(bar, "uncertain"):
        lines.append(f"The best feature-blind classifier for {label} {recipe.habit} and {scores}.")
        if not bar.certified:
            lines.append("That is the best of the draws that were tried; there are too many to try them all.")
        lines.append(bar.claim)
    else:
        lines.append(f"A feature-blind classifier that {recipe.habit} {scores}; another one may score more.")
    best = float(bar.best_possible)
    if best == float(bar.value):
        lines.append(
            f"That is the best possible score, so {label} alone cannot tell a model from random answers. "
            "Judge by a measure that can, such as MCC."
        )
    elif not math.isnan(best):
        lines.append(f"Perfect predictions score {number(best, samples)}.")
    return "\n".join(lines)


def explain(card: Scorecard, measure: Any, model: str | None = None, group: Any = None) -> str:
    """Say what a measure asks, what its bar is and who attains it, and how the models stand.

    With several runs, scores are means over them.

    Parameters
    ----------
    measure : str or Measure
        Any name of a measure in this scorecard.
    model : str, optional
        A model; all by default.
    group : object, optional
        A slice; the whole by default.

    Raises
    ------
    ValueError
        If nothing matches; the message lists what there is.
    """
    models = range(len(card.models)) if model is None else [which_model(card, model)]
    in_group = 0 if group is None else which_group(card, group)
    judged = which_measure(card, measure)
    verdicts = [card.verdict(position, in_group, judged) for position in models]
    lines = [explain_bar(card.bar(judged, in_group))]
    for verdict in verdicts:
        why = verdict.reason if verdict.outcome not in UNJUDGED else ""  # str() gives it of those
        lines.append(f"{'; '.join([str(verdict), *_chances(verdict), *([visible(why)] if why else [])])}.")
    if any(map(_has_skill, verdicts)):
        lines.append("Skill is 0 at the bar and 1 at perfect predictions.")
    if any(map(_chances, verdicts)):
        population: Any = card.population
        within = "the samples" if population.classes is None else "the samples within each class"
        grouped = card.problem is not None and card.problem.grouped
        lines.append(ASSUMED.format("whole groups of samples" if grouped else within))
    return "\n".join(lines)


def _chances(verdict: Verdict) -> list[str]:
    """Say how likely such a score is for a model at the bar and, above it, for labels in random order."""
    chances = []
    one_sided = getattr(verdict.measure, "interval_of", "") and verdict.outcome == "fails"
    if verdict.outcome in {"clears", "fails"} and not (one_sided or math.isnan(verdict.p_value)):
        far = _is(verdict.p_value, 2, verdict.p_draws)
        chances.append(f"if its true score were the bar, the chance of a score as far off {far}")
    if verdict.clears and not math.isnan(verdict.p_value_blind):
        well = _is(verdict.p_value_blind, 1, verdict.p_blind_draws)
        chances.append(f"if the labels were in random order, that of doing so well {well}")
    return chances


def _is(p_value: float, tails: int, draws: int) -> str:
    bound = draws > 0 and p_value <= tails / (draws + 1) * (1 + 1e-9)
    sign, text = p_value_parts(p_value, floor=TELLS, is_bound=bound)
    return f"is {({'<': 'below ', '>': 'above ', '≤': 'at most '}).get(sign, '')}{text}"
