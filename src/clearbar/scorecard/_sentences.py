"""What a scorecard says in words: the verdict on a score and on all, a bar, and what to know of both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clearbar.catalogue import Entry
from clearbar.core.counts import class_in_words
from clearbar.core.errors import listed
from clearbar.core.reasons import Footnote, NoValue, OfMeasure, each_reason, in_a_row, question_and_caution
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
from clearbar.problems._protocol import Bar
from clearbar.scorecard._rows import slices, which_group, which_measure, which_model
from clearbar.verdict import UNJUDGED

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard
    from clearbar.verdict import Verdict

NAME, SUBJECT = 32, 60  # columns that a name may take in a sentence, and in one that is about it

MOST_NAMES = 4  # classes and scores that are named; more are counted

MOST_P = 0.99  # the largest p that is said

ASSUMED = (
    "These probabilities take {} for independent draws, and the model for fixed before their labels were "
    "seen. Where either is not so, they are too small."
)


def bar_score(bar: Bar, label: str = "") -> str:
    """Say who scores the bar, such as ``always answering "positive" scores 0.671``."""
    value, recipe = number(float(bar.value), int(bar.population.total)), bar.attained_by
    if recipe.always:
        return f'always answering "{visible(recipe.always)}" scores {f"{label} " if label else ""}{value}'
    often = "" if recipe.certain else " on average"
    return f"{recipe.clause} and {label or visible(bar.measure.label)} is {value}{often}"


def sides(measures: Iterable[Entry]) -> tuple[str, str]:
    """Say which side of the bar is worse and which better: below and above, unless there is a loss."""
    loss = any(measure.greater_is_better is False for measure in measures)
    return ("worse than", "better than") if loss else ("below", "above")


def all_alike(card: Scorecard) -> str:
    """Say that all samples are of one class; empty where they are not, or have none."""
    population: Any = card.population
    if getattr(card.measures[0], "kind", "") not in {"binary", "scores", "multiclass"}:
        return ""
    total = int(np.asarray(population.total)[0])
    leading, size = population.leading[0], int(np.asarray(population.leading[1])[0])
    if population.classes is None or 0 < size < total:
        return ""
    every = f"all {total:,} samples are" if total > 1 else "the only sample is"
    if population.classes:
        classes = np.flatnonzero(population.counts[0])
        return f'{every} "{visible(population.classes[classes[0]])}"'
    none = f"none of {total:,} samples is" if total > 1 else "the only sample is not"
    return f"{every if size else none} {leading}"


def details(card: Scorecard, said: str) -> list[str]:
    """Say what the headline had no room for: who scores the bars of the whole that are missed."""
    if card.groups[0] is not None and len(card.groups) > 1:
        return []
    missed = np.isin(card.columns["outcome"][:, 0], ("fails", "ties")).any(axis=0)
    bars = [card.bar(measure) for measure in np.flatnonzero(missed).tolist()]
    by_answer: dict[str, list[str]] = {}
    for bar in bars:
        score = f"{visible(bar.measure.label)} {number(float(bar.value), int(bar.population.total))}"
        by_answer.setdefault(visible(bar.attained_by.always), []).append(score)
    others = by_answer.pop("", [])
    if others and not by_answer:
        text = bar_score(bars[0])
        return [f"{capital(text)}."] if text not in said else []
    return [
        f'Always answering "{answer}" scores {listed(scores, most=MOST_NAMES)}.'
        for answer, scores in by_answer.items()
        if len(scores) > 1 or f'"{answer}" scores' not in said
    ]


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


def finding(verdict: Verdict, alpha: float | None = None, *, recipe: bool = True) -> str:
    """Say how a score stands to its bar, and who attains that if a `recipe` is wanted.

    `alpha` is the p that is asked for, and then said.
    """
    label, bar, outcome = verdict.measure.label, verdict.baseline, verdict.outcome
    samples = int(bar.population.total)
    if outcome == "undefined":
        return _undefined(verdict, samples)
    score, value = number(verdict.score, samples), number(float(bar.value), samples)
    by = bar.attained_by
    how = f' (always answering "{visible(by.always)}")' if by.always else f" ({by})"
    how = how if recipe else ""
    if outcome == "unbeatable":
        return f"{label} {score} tells nothing, since the bar {value}{how} is the best possible score"
    runs = f" on average over {verdict.runs:,} runs" if verdict.runs > 1 else ""
    stands, (worse, better) = f"{label} {score}{runs} is", sides([verdict.measure])
    if outcome in {"ties", "fails"}:
        by_chance = outcome == "fails" and verdict.p_value > 1 - verdict.confidence_level
        perhaps, place = ", perhaps by chance" * by_chance, worse if outcome == "fails" else "exactly at"
        return f"{stands} {place} the bar {value}{how}{perhaps}"
    if math.isnan(verdict.p_sure):
        unknown = "how surely is not known" if verdict.ends else "a bare score does not tell how surely"
        doubt = f", but {unknown}" if verdict.has_p_values else f"{how}; how surely was not asked"
        return f"{stands} {better} the bar {value}{doubt}"
    level = 1 - verdict.confidence_level if alpha is None else alpha
    p = p_phrase(verdict.p_corrected, level, floor=TELLS, is_bound=verdict.p_is_bound)
    if verdict.p_corrected <= level if alpha is not None else verdict.sure:
        return f"{label} {score}{runs} clears the bar {value} ({p})"
    needed = "" if alpha is None else f"; needs p ≤ {alpha:g}"
    how_surely = f" ({p}{needed})" if verdict.p_corrected <= MOST_P else ""
    return f"{stands} {better} the bar {value}, but it could be chance{how_surely}"


def _undefined(verdict: Verdict, samples: int) -> str:
    """Say why a score is not judged; a reason about the measure stands alone."""
    label, reason = verdict.measure.label, verdict.reason
    if not math.isnan(verdict.low):
        score, low, high = (number(value, samples) for value in (verdict.score, verdict.low, verdict.high))
        return f"{label} {score} ({low} – {high}) has no bar: {reason}"
    return reason if isinstance(reason, OfMeasure) else f"{label} cannot be judged: {reason}"


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
        if not leading:
            return samples
        return f"{samples}, {positives:,} {leading} ({percent(positives / total)})"
    classes = len(population.classes)
    counts = population.counts[groups].reshape(-1, classes).sum(axis=0).tolist()
    names = distinct(population.classes, NAME)
    sizes = ", ".join(f"{size:,} {class_in_words(name)}" for size, name in zip(counts, names, strict=True))
    named = f" ({sizes})" if classes <= MOST_NAMES else ""
    return f"{samples} {population.parts.format(f'{classes:,}')}{named}"


class Remark(NamedTuple):
    """What is said of a row, and what stands before it behind the names of one measure or of several."""

    text: str
    verbs: tuple[str, str] = (":", ":")


def remark(
    card: Scorecard, models: Sequence[int], group: int, measure: int, *, footnotes: bool = True
) -> Remark:
    """Say in a few words why a row is not judged, or how to read it; footnotes say how p was found."""
    rows = list(models), group, measure
    if "unbeatable" in card.columns["outcome"][rows]:
        bar = card.bar(measure, group)
        always = bar.attained_by.always
        habit = f"whoever {bar.attained_by.habit} scores {number(float(bar.value))}"
        return Remark(f"not judged: {bar_score(bar) if always else habit}", (" is", " are"))
    reasons = dict.fromkeys(
        reason
        for reasons in card.columns["reason"][rows]
        for reason in each_reason(reasons)
        if footnotes or not isinstance(reason, Footnote)
    )
    lacking = [reason for reason in reasons if isinstance(reason, NoValue)]
    others = list(dict.fromkeys(visible(reason) for reason in reasons if not isinstance(reason, NoValue)))
    lacking = [reason for reason in lacking if not (card.folds and reason.in_folds)]
    if lacking:
        return Remark("; ".join([visible(in_a_row(lacking[:2])), *others[:1]]), (" has", " have"))
    if others:
        return Remark("; ".join(others[:3]))
    return Remark("less is better" if card.measures[measure].greater_is_better is False else "")


def remarks(card: Scorecard, measures: Sequence[int], *, footnotes: bool) -> list[str]:
    """Return the remarks on the whole as sentences, one for all measures that share it."""
    by_remark: dict[Remark, list[str]] = {}
    for measure in measures:
        on_whole = remark(card, range(len(card.models)), 0, measure, footnotes=footnotes)
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
    label, (question, caution) = visible(measure.label), map(visible, question_and_caution(bar))
    lines = [f"{label}: {question}" if question else f"{label}."]
    lines += [caution] if caution else []
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
    lines += [visible(note) for note in card.notes if isinstance(note, Footnote)]
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
