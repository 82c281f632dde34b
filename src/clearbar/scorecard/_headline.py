"""The verdict on everything, in a sentence or two: the count first, then the exceptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core._typing import BoolArray
from clearbar.core.errors import listed
from clearbar.formatting import TELLS, distinct, number, p_phrase, p_value_text, percent, plural, visible
from clearbar.problems._protocol import Bar
from clearbar.scorecard._rows import known_p, slices, standing
from clearbar.verdict import FLOORED, UNJUDGED, is_bound, sides

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

NAME = 32
"""Columns that a name may take in a sentence."""

MOST_CLAUSES = 3
"""Exceptions that are told one by one; more are counted."""

MOST_NAMES = 4
"""Models or measures that are named; more are counted."""


def samples_line(card: Scorecard) -> str:
    """Say what the data are, such as ``111 samples, 56 positive (50.5 %), 3 models.``"""
    whole = card.groups[0] is None or len(card.groups) == 1
    overlapping = "" if card.problem is None else card.problem.overlapping
    parts = [classes_line(card.population, 0 if whole else slice(None))]
    if overlapping:
        parts = [f"{plural(int(np.asarray(card.population.total)[0]), 'sample')}, {overlapping}"]
    if len(card.models) > 1:
        parts.append(plural(len(card.models), "model"))
    if card.several_runs:
        parts.append(plural(card.runs, "run"))
    if len(card.groups) > 1 and not card.tasked:  # tasks are told above
        parts.append(plural(int(slices(card).sum()), *card.group_words))
    return f"{', '.join(parts)}."


def classes_line(population: Any, at: Any) -> str:
    """Say how many samples there are, and how large the classes: of one group, or of several together."""
    m = int(np.asarray(population.total)[at].sum())
    if population.classes is None:
        return plural(m, "sample")
    if not population.classes:
        leading, parts = population.leading
        p = int(np.asarray(parts)[at].sum())
        return f"{plural(m, 'sample')}, {p:,} {leading} ({percent(p / m)})"
    number_of = len(population.classes)
    counts = population.counts[at].reshape(-1, number_of).sum(axis=0).tolist()
    sizes = (
        f"{size:,} {label}" for size, label in zip(counts, distinct(population.classes, NAME), strict=True)
    )
    named = f" ({', '.join(sizes)})" if number_of <= MOST_NAMES else ""
    return f"{plural(m, 'sample')} {population.parts.format(f'{number_of:,}')}{named}"


def headline(card: Scorecard, alpha: float | None = None) -> str:
    """Return the verdict in a sentence: on the whole, or on the slices where there is no whole.

    Parameters
    ----------
    alpha : float
        The corrected p-value above which a score could be chance; that of the scorecard by default.

    Returns
    -------
    str
    """
    if card.groups[0] is not None and len(card.groups) > 1:
        return slices_sentence(card, alpha)
    return _Verdict(card, alpha).text()


def slices_sentence(card: Scorecard, alpha: float | None) -> str:
    """Say in how many slices a bar is missed, and in how many it is cleared but not surely."""
    chosen = slices(card)
    state = standing(card, alpha)
    missed = np.isin(state, ("fails", "ties")).any(axis=(0, 2)) & chosen
    unsure = (state == "doubt").any(axis=(0, 2)) & chosen & ~missed
    silent = int((np.isin(state, UNJUDGED).all(axis=(0, 2)) & chosen).sum())
    every = int(chosen.sum())
    judged = every - silent
    cannot = f" {silent:,} of {every:,} cannot be judged." if silent else ""
    if not judged:
        return f"None of {plural(every, *card.group_words)} can be judged."
    could = f"; in {int(unsure.sum()):,}{' more' if missed.any() else ''} it could be chance"
    doubt = could if unsure.any() else ""
    if not missed.any():
        return f"No bar is missed in {plural(judged, *card.group_words)}{doubt}.{cannot}"
    names = [visible(group) for group, is_missed in zip(card.groups, missed, strict=True) if is_missed]
    named = f" ({listed(distinct(names, NAME))})" if len(names) <= MOST_NAMES else ""
    return f"A bar is missed in {len(names):,} of {plural(judged, *card.group_words)}{named}{doubt}.{cannot}"


def scores_the_bar(bar: Bar, label: str = "") -> str:
    """Say who scores the bar, such as ``always answering "positive" scores 0.671``."""
    value = number(float(bar.value), int(bar.population.total))
    recipe = bar.attained_by
    if recipe.always:
        return f'always answering "{visible(recipe.always)}" scores {f"{label} " if label else ""}{value}'
    often = "" if recipe.certain else " on average"
    return f"{recipe.clause} and {label or visible(bar.measure.label)} is {value}{often}"


def scores_all(bar: Bar) -> str:
    """Say whose blind answers have the best possible score."""
    recipe = bar.attained_by
    if recipe.always:
        return scores_the_bar(bar)
    return f"whoever {recipe.habit} scores {number(float(bar.value), int(bar.population.total))}"


Say = Callable[[list[int], list[int]], str]
"""A sentence on models and measures, both by position."""


class _Verdict:
    """The sentences on the first group."""

    def __init__(self, card: Scorecard, alpha: float | None) -> None:
        self.card = card
        state = standing(card, alpha)[:, 0, :]
        self.at_bar: BoolArray = state == "ties"
        self.missed: BoolArray = np.isin(state, ("fails", "ties"))
        self.doubt: BoolArray = state == "doubt"
        self.clear: BoolArray = state == "clears"
        self.judged: BoolArray = self.missed | self.doubt | self.clear
        self.can_tell = np.flatnonzero(self.judged.any(axis=0)).tolist()
        self.names = ["the model"] if card.models == ("model",) else distinct(card.models, NAME)
        self.silent: BoolArray = ~self.judged & self.judged.any(axis=0)
        self.labels = [visible(measure.label) for measure in card.measures]
        self.order = np.argsort(-self.clear.sum(axis=1), kind="stable").tolist()

    def text(self) -> str:
        if not self.can_tell:
            return self.no_verdict()
        faulty: BoolArray = np.asarray((self.missed | self.doubt).any(axis=1))
        clean = self.clear & ~faulty[:, None]
        sentences = [
            *self.exceptions(clean, self.clears, "clear bars"),
            *self.exceptions(self.missed & ~self.at_bar, self.misses, "miss a bar"),
            *self.exceptions(self.at_bar, self.ties, "are exactly at a bar"),
            *self.exceptions(self.doubt, self.doubts, "are above a bar, but it could be chance"),
            *self.exceptions(self.silent, self.has_no_score, "have a score without a value"),
        ]
        return " ".join(f"{self.capital(sentence)}." for sentence in sentences)

    def exceptions(self, cells: BoolArray, say: Say, what: str) -> list[str]:
        """Say a sentence for each set of measures that the same models share; `what` where there are many."""
        by_measures: dict[tuple[int, ...], list[int]] = {}
        for model in self.order:
            measures = tuple(np.flatnonzero(cells[model]).tolist())
            if measures:
                by_measures.setdefault(measures, []).append(model)
        if len(by_measures) <= MOST_CLAUSES:
            return [say(models, list(measures)) for measures, models in by_measures.items()]
        models = [model for group in by_measures.values() for model in group]
        often = int(np.argmax(cells.sum(axis=0)))
        count = f"{int(cells[:, often].sum())} of {len(self.names)}"
        witness = f": {self.witness([often])}" if (cells & self.missed).any() else ""
        many = f"{len(models)} of {len(self.names)} models"
        return [f"{many} {what}, most often {self.labels[often]}'s ({count}){witness}"]

    def clears(self, models: list[int], measures: list[int]) -> str:
        bars = self.bars(measures, all_that_can_tell=True)
        if self.card.has_p_values:
            return f"{self.who(models, 'clears', 'clear')} {bars}"
        return f"{self.who(models, 'is', 'are')} {self.better(measures)} {bars}; how surely was not asked"

    def has_no_score(self, models: list[int], measures: list[int]) -> str:
        who, labels = self.who(models, "has", "have"), [self.labels[at] for at in measures]
        if len(measures) == len(self.can_tell):
            return f"{who} no score to judge"
        return f"{who} no value of {listed(labels, most=MOST_NAMES)}"

    def ties(self, models: list[int], measures: list[int]) -> str:
        who = self.who(models, "is", "are")
        return f"{who} exactly at {self.bars(measures)}: {self.witness(measures)}"

    def misses(self, models: list[int], measures: list[int]) -> str:
        return f"{self.who(models, 'misses', 'miss')} {self.bars(measures)}: {self.witness(measures)}"

    def doubts(self, models: list[int], measures: list[int]) -> str:
        above = f"{self.who(models, 'is', 'are')} {self.better(measures)} {self.bars(measures)}"
        rows = np.ix_(models, [0], measures)
        known = known_p(self.card)[rows]
        p = self.card.columns["p_corrected"][rows][known]
        if not p.size:
            return f"{above}, but how surely is not known"
        low, high = (p_value_text(float(x), floor=TELLS) for x in (p.min(), p.max()))
        bound = bool(is_bound(*(self.card.columns[name][rows] for name in FLOORED))[known].all())
        largest = p_phrase(float(p.max()), floor=TELLS, is_bound=bound)
        chance = largest if low == high else f"p from {low} up"
        return f"{above}, but it could be chance ({chance})"

    def better(self, measures: list[int]) -> str:
        return sides([self.card.measures[at] for at in measures])[1]

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
        reason = visible(str(self.card.columns["reason"][0, 0, first]))
        if len(outcome) == 1:
            return f"No verdict: {reason}."
        named = "" if self.labels[first] in reason else f"{self.labels[first]}: "
        return f"No verdict on any of the {len(outcome)} measures. {named}{reason}."

    def who(self, models: list[int], singular: str, plural: str) -> str:
        """Name the models, and add the form of a verb that goes with so many."""
        verb = singular if len(models) == 1 else plural
        if len(models) == len(self.names) > 1:
            return f"{'both' if len(models) == 2 else f'all {len(models)}'} models {verb}"
        if len(models) > MOST_NAMES:
            return f"{len(models)} of {len(self.names)} models {verb}"
        return f"{listed([self.names[at] for at in models])} {verb}"

    def bars(self, measures: list[int], *, all_that_can_tell: bool = False) -> str:
        every = len(measures) == len(self.can_tell)
        if len(measures) > (2 if all_that_can_tell else MOST_NAMES) and every:
            can_tell = "" if len(measures) == len(self.labels) else " that can tell"
            return f"all {len(measures)} bars{can_tell}"
        if len(measures) > MOST_NAMES:
            return f"{len(measures)} of {len(self.can_tell)} bars"
        return f"the {listed([self.labels[at] for at in measures])} bar{'s' * (len(measures) > 1)}"

    def capital(self, sentence: str) -> str:
        """Start with a capital, unless it is a model's name."""
        named = any(
            sentence.startswith((f"{name} ", f"{name},")) for name in self.names if name != "the model"
        )
        return sentence if named else sentence[0].upper() + sentence[1:]
