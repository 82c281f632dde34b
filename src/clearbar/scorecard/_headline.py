"""The verdict on everything, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar._typing import BoolArray
from clearbar.baseline import Bar
from clearbar.display import distinct, number, p_phrase, p_value_text, percent, plural, signed, visible
from clearbar.errors import listed
from clearbar.scorecard._rows import slices, standing

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

NAME = 32
"""Columns that a name may take in a sentence."""


def samples_line(card: Scorecard) -> str:
    """Say what the data are.

    Parameters
    ----------
    card : Scorecard
        The rows.

    Returns
    -------
    str
        Such as ``111 samples, 56 positive (50.5 %), 3 models.``
    """
    whole = card.groups[0] is None or len(card.groups) == 1
    population = card.population
    total, positives = np.asarray(population.total), np.asarray(population.positives)
    m, p = (int(total[0]), int(positives[0])) if whole else (int(total.sum()), int(positives.sum()))
    parts = [plural(m, "sample"), f"{p:,} positive ({percent(p / m)})"]
    models = distinct(card.models, NAME)
    if len(models) > 1:
        parts.append(plural(len(models), "model"))
    elif models != ["model"]:
        parts.append(f"model {models[0]}")
    if card.several_runs:
        parts.append(plural(card.runs, "run"))
    if len(card.groups) > 1:
        parts.append(plural(int(slices(card).sum()), "slice"))
    return f"{', '.join(parts)}."


def headline(card: Scorecard, alpha: float | None) -> str:
    """Say the verdict on the whole in one sentence; on the slices where there is no whole.

    Parameters
    ----------
    card : Scorecard
        The rows.
    alpha : float
        Clearing a bar with a higher p-value is doubtful.

    Returns
    -------
    str
    """
    if card.groups[0] is not None and len(card.groups) > 1:
        return slices_sentence(card, alpha)
    return _Sentence(card, alpha).text()


def slices_sentence(card: Scorecard, alpha: float | None) -> str:
    """Say in which slices a bar is missed.

    Parameters
    ----------
    card : Scorecard
        The rows.
    alpha : float
        Clearing a bar with a higher p-value is doubtful.

    Returns
    -------
    str
    """
    chosen = slices(card)
    state = standing(card, alpha)
    bad = np.isin(state, ("fails", "ties")).any(axis=(0, 2)) & chosen
    unsure = (state == "doubt").any(axis=(0, 2)) & chosen & ~bad
    silent = int((np.isin(state, ("undefined", "unbeatable")).all(axis=(0, 2)) & chosen).sum())
    every, count = int(chosen.sum()), int(chosen.sum()) - silent
    if not count:
        return f"None of {plural(every, 'slice')} can be judged."
    cannot = f"; {silent:,} of {every:,} cannot be judged" if silent else ""
    judged = f"the {plural(count, 'slice')} that can be judged" if silent else plural(count, "slice")
    also = (
        f"; in {int(unsure.sum()):,}{' more' if bad.any() else ''} a bar is cleared no surer than by a guess"
    )
    doubt = also if unsure.any() else ""
    if not bad.any():
        any_of = "" if silent and count == 1 else "any of "
        return f"No bar is missed in {any_of}{judged}{doubt}{cannot}."
    names = [visible(group) for group, one in zip(card.groups, bad, strict=True) if one]
    if bad.sum() == count:
        every_one = "" if silent and count == 1 else "every one of "
        return f"A bar is missed in {every_one}{judged}{cannot}."
    named = f" ({listed(distinct(names, NAME))})" if len(names) <= 4 else ""
    return f"A bar is missed in {len(names):,} of {judged}{named}{doubt}{cannot}."


def gets(bar: Bar) -> str:
    """Say what to do to get the bar, and what one gets.

    Parameters
    ----------
    bar : Bar
        The bar of one group.

    Returns
    -------
    str
        Such as ``predict all 111 positive and you get 0.671``.
    """
    how = bar.recipe
    comma = "," if ", " in how else ""
    value = number(float(bar.value), int(bar.population.total))
    return f"{how}{comma} and you get {value}{'' if bar.certain else ' on average'}"


class _Sentence:
    """The sentence on the first group."""

    def __init__(self, card: Scorecard, alpha: float | None) -> None:
        self.card = card
        self.alpha = card.alpha if alpha is None else alpha
        state = standing(card, alpha)[:, 0, :]
        self.bad: BoolArray = np.isin(state, ("fails", "ties"))
        self.doubt: BoolArray = state == "doubt"
        self.clear: BoolArray = state == "clears"
        self.all_judged = bool(np.isin(state, ("fails", "ties", "doubt", "clears")).all())
        self.judged: BoolArray = (self.bad | self.doubt | self.clear).any(axis=0)
        self.names = distinct(card.models, NAME)
        self.labels = [visible(measure.label) for measure in card.measures]
        if self.names == ["model"]:
            self.names = ["the model"]

    def text(self) -> str:
        """Return the sentence."""
        if not self.judged.any():
            found = self.no_verdict()
        elif self.bad.any():
            found = self.missed()
        elif self.doubt.any():
            found = self.lucky()
        else:
            found = self.all_clear()
        ours = ("the model", "no model", "all ", "both ")
        names = [name for name in self.names if name != "the model"]
        if found.startswith(ours) and not any(found.startswith((f"{name} ", f"{name},")) for name in names):
            found = found[0].upper() + found[1:]
        return f"{found}."

    def no_verdict(self) -> str:
        outcome = self.card.columns["outcome"][0, 0]
        if (outcome == "unbeatable").all():
            one = len(outcome) == 1
            bars = f"the {listed(self.labels, most=4)} {'bar is' if one else 'bars are'}"
            scores, them = ("score", "it") if one else ("scores", "them")
            how = self.witness(0, named=not one)
            return (
                f"No verdict: {bars} already the best possible {scores}, so nothing can clear {them}: {how}"
            )
        first = int(np.flatnonzero(outcome == "undefined")[0])
        reason = visible(self.card.columns["reason"][0, 0, first])
        several = f" on any of the {len(outcome)} measures; the first" if len(outcome) > 1 else ""
        return f"No verdict{several}: {reason}"

    def missed(self) -> str:
        every = len(self.names)
        groups = sorted(self.by_models(self.bad), key=lambda group: len(group[0]) < every)
        clauses = [self.miss(models, measures) for models, measures in groups]
        witness = groups[0][1][0]
        if len(clauses) > 2:
            witness = int(np.argmax(self.bad.sum(axis=0)))
            count, per = int(self.bad.any(axis=1).sum()), int(self.bad[:, witness].sum())
            often = f"most often {self.bars([witness])} ({per} of {len(self.names)})"
            everyone = "both models" if every == 2 else f"all {every} models"
            who = everyone if count == every else f"{count} of {every} models"
            clauses = [f"{who} miss at least one bar, {often}"]
        how = self.witness(witness, named=bool(self.bad.any(axis=0).sum() > 1))
        return f"{'; '.join(clauses)}: {how}{self.rest()}"

    def miss(self, models: list[int], measures: list[int]) -> str:
        if 1 < len(models) == len(self.names):
            return f"no model clears {self.bars(measures, missed=True)}"
        bars = self.bars(measures, missed=True)
        return f"{self.who(models)} {'does' if self.one(models) else 'do'} not clear {bars}"

    def rest(self) -> str:
        """Say how the others stand."""
        if self.doubt.any():
            return f"; {self.unsure()}"
        if not self.clear.any():
            return ""
        if len(self.names) == 1:
            left = int(self.clear.sum())
            return "; the other bar is cleared" if left == 1 else f"; the other {left:,} bars are cleared"
        if not self.all_judged:
            return ""
        missing = self.bad.any(axis=1)
        if not self.clear[missing].any():  # they miss all; the others miss none
            fine = [int(at) for at in np.flatnonzero(~missing)]
            return f"; {self.who(fine)} {'clears' if self.one(fine) else 'clear'} every bar"
        return "; every other bar is cleared"

    def unsure(self) -> str:
        parts = self.by_models(self.doubt)
        guess = f"no more surely than a lucky guess ({self.p(self.doubt)})"
        if len(parts) == 1:
            models, measures = parts[0]
            who = "it" if len(self.names) == 1 else self.who(models)
            return f"{who} {'clears' if self.one(models) else 'clear'} {self.bars(measures)} {guess}"
        return f"{int(self.doubt.sum())} more scores clear their bars {guess}"

    def lucky(self) -> str:
        parts = self.by_models(self.doubt)
        models, measures = parts[0]
        several = len(measures) > 1 or len(parts) > 1
        how = self.witness(measures[0], named=several)
        guess = f"no more surely than a lucky guess ({self.p(self.doubt)}): {how}"
        clear = "clears" if self.one(models) else "clear"
        if len(parts) > 1:
            count, of = int(self.doubt.sum()), int((self.doubt | self.clear).sum())
            return f"No bar is missed, but {count} of {of} scores clear theirs {guess}"
        if several:
            return f"No bar is missed, but {self.who(models)} {clear} {self.bars(measures)} {guess}"
        if len(self.names) == 1:
            return f"{self.names[0]} clears {self.bars(measures)}, but {guess}"
        theirs = "it" if self.one(models) else "theirs"
        return f"No {self.labels[measures[0]]} bar is missed, but {self.who(models)} {clear} {theirs} {guess}"

    def all_clear(self) -> str:
        measures = [int(at) for at in np.flatnonzero(self.judged)]
        skill = np.where(self.clear, self.card.columns["skill"][:, 0, :], np.nan)
        bars = self.bars(measures) if len(measures) <= 2 else f"all {len(measures)} bars"
        if len(measures) < len(self.labels) and len(measures) > 2:
            bars += " that can be cleared"
        count = len(self.names)
        who = self.names[0] if count == 1 else "both models" if count == 2 else f"all {count} models"
        found = f"{who} {'clears' if count == 1 else 'clear'} {bars}"
        if not self.clear[:, measures].all():
            found += " wherever there is a score"
        if np.isnan(skill).all():
            return found
        model, measure = np.unravel_index(int(np.nanargmin(skill)), skill.shape)
        where = [self.labels[measure]] if len(measures) > 1 else []
        where += [self.names[model]] if count > 1 else []
        least = signed(float(skill[model, measure]))
        return (
            f"{found}: the least skill is {least} ({', '.join(where)})"
            if where
            else f"{found}: skill {least}"
        )

    def by_models(self, cells: BoolArray) -> list[tuple[list[int], list[int]]]:
        """Return the measures with the same models marked, together."""
        found: dict[tuple[int, ...], list[int]] = {}
        for measure in range(cells.shape[1]):
            models = tuple(int(at) for at in np.flatnonzero(cells[:, measure]))
            if models:
                found.setdefault(models, []).append(measure)
        return [(list(models), measures) for models, measures in found.items()]

    def who(self, models: list[int]) -> str:
        if len(models) > 4:
            return (
                f"{len(models)} of {len(self.names)} models"
                if len(models) < len(self.names)
                else f"all {len(models)} models"
            )
        return listed([self.names[at] for at in models])

    @staticmethod
    def one(models: list[int]) -> bool:
        return len(models) == 1

    def bars(self, measures: list[int], *, missed: bool = False) -> str:
        if len(measures) == len(self.labels) > 4:
            return f"{'any of the' if missed else 'all'} {len(measures)} bars"
        if len(measures) > 4:
            return f"{len(measures)} of {len(self.labels)} bars"
        return f"the {listed([self.labels[at] for at in measures])} bar{'s' * (len(measures) > 1)}"

    def p(self, cells: BoolArray) -> str:
        found: Any = self.card.columns["p_corrected"][:, 0, :][cells]
        low, high = p_value_text(float(found.min()), self.alpha), p_value_text(float(found.max()), self.alpha)
        return p_phrase(float(found.max()), self.alpha) if low == high else f"p up to {high}"

    def witness(self, measure: int, *, named: bool) -> str:
        found = gets(self.card.bar(measure))
        if not named:
            return found
        label = self.labels[measure]
        return found.replace(" and you get ", f" and {label} is ")
