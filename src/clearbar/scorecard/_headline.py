"""The verdict in one line of at most 90 characters: wins first, then what is not settled, then misses."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core.errors import listed
from clearbar.core.reasons import OfAnyMeasure
from clearbar.formatting import (
    TELLS,
    capital,
    distinct,
    number,
    p_phrase,
    p_value_text,
    plural,
    shorten,
    visible,
    width,
)
from clearbar.scorecard._rows import best_first, slices, standing, unbarred, which_measure, which_model
from clearbar.scorecard._sentences import MOST_P, all_alike, bar_score, sides
from clearbar.verdict import FLOORED, UNJUDGED, is_bound

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

LONGEST = 90
"""Characters of a headline."""

NAME, MOST_NAMES, FEW = 32, 4, 2
"""Columns of a name; models and measures that are named, more are counted."""

Pattern = tuple[list[int], list[int]]
"""Models, and the measures on which all of them stand alike; by position."""

RESCALED = "accuracy_rescaled"


def headline(card: Scorecard, alpha: float | None = None, *, model: Any = None, measure: Any = None) -> str:
    """Return the verdict in one line of at most 90 characters, without a full stop.

    Every surface shows this line: the terminal, notebooks, the title of a report or a picture, tests and
    JSON. It says what clears, then what is not settled (above the bar, but it could be chance), then what is
    missed. Where there are slices and no whole, they are counted, for each measure on its own.

    Parameters
    ----------
    alpha : float, optional
        The corrected p-value above which a score could be chance; that of the scorecard by default.
    model : str, optional
        The only model to speak of; all by default.
    measure : str or Measure, optional
        The only measure to speak of; all by default.

    Raises
    ------
    ValueError
        If nothing matches; the message lists what there is.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), ["f1", "mcc", "accuracy"])
    >>> card.headline()
    'Clears the MCC and accuracy bars; F1 is not settled (0.800, bar 0.735, p = 0.67)'
    """
    models = best_first(card) if model is None else [which_model(card, model)]
    names = [judged.name for judged in card.measures]
    rest = [index for index, name in enumerate(names) if name != RESCALED]  # says what accuracy says
    measures = rest or [0] if measure is None else [which_measure(card, measure)]
    if card.groups[0] is not None and len(card.groups) > 1:
        return capital(slices_headline(card, alpha, models, measures))
    return _Whole(card, standing(card, alpha), models, measures).text()


def slices_headline(
    card: Scorecard,
    alpha: float | None = None,
    models: Sequence[int] | None = None,
    measures: Sequence[int] | None = None,
) -> str:
    """Count the slices that clear, are not settled, and are below their bars, for each measure."""
    models = range(len(card.models)) if models is None else models
    measures = range(len(card.measures)) if measures is None else measures
    state = standing(card, alpha)[list(models)][:, slices(card)]
    many, words = state.shape[0] * state.shape[1], card.group_words
    if unbarred(card):
        return ""
    if np.isin(state[:, :, list(measures)], UNJUDGED).all():
        if state.shape[1] == 1:
            return f"The {words[0]} cannot be judged"
        return f"None of {state.shape[1]:,} {words[1]} can be judged"
    tallies: dict[str, list[str]] = {}
    of_models = f" of {len(models)} models" if len(models) > 1 else ""
    sure, clear = ("surely ", ("clears", "clear")) if card.has_p_values else ("", ("is above", "are above"))
    for measure in sorted(measures, key=lambda each: np.isin(state[:, :, each], UNJUDGED).all()):
        here = state[:, :, measure].ravel().tolist()
        loss = card.measures[measure].greater_is_better is False
        clears, unsettled, silent = here.count("clears"), here.count("doubt"), sum(map(here.count, UNJUDGED))
        missed = here.count("fails") + here.count("ties")
        rest = [f"{unsettled:,} unsettled"] if unsettled else []
        rest += [f"{missed:,} {'worse' if loss else 'below'}"] if missed else []
        rest += [f"{silent:,} not judged"] if silent else []
        if silent == many:
            said = "none can be judged"
        elif not clears:
            said = f"no {words[0]}{of_models} {sure}{clear[0]}; {', '.join(rest)}"
        else:
            who = f"{'all ' if clears == many else ''}{clears:,}{'' if clears == many else f' of {many:,}'}"
            verb = clear[clears > 1]
            said = ", ".join([f"{who} {words[many > 1]}{of_models} {sure}{verb}", *rest])
        tallies.setdefault(said, []).append(visible(card.measures[measure].label))
    texts = [f"{listed(labels, most=3)}: {said}" for said, labels in tallies.items()]
    first = f"{next(iter(tallies.values()))[0]}: {next(iter(tallies))}"
    others = len(measures) - 1
    return _fitted([[". ".join(texts), f"{first} ({plural(others, 'more measure')})" * (others > 0), first]])


def _fitted(clauses: Iterable[Sequence[str]], *endings: str) -> str:
    """Join clauses, each in several wordings, the richest first: as rich as there is room for."""
    return _first_that_fits(_ranked(clauses), endings)


def _first_that_fits(lines: Iterable[str], endings: Sequence[str]) -> str:
    ended = [line + ending for line in lines for ending in endings or ("",)]
    return next((line for line in ended if width(line) <= LONGEST), shorten(min(ended, key=width), LONGEST))


def _ranked(clauses: Iterable[Sequence[str]], first: int = 1) -> list[str]:
    """Return all joined clauses, the richest first: a shorter first wording counts as `first` steps."""
    wordings = [list(enumerate(dict.fromkeys(filter(None, clause)))) for clause in clauses if any(clause)]
    lines = (zip(*choice, strict=True) for choice in itertools.product(*wordings))
    ranked = sorted(
        ((sum(places) + (first - 1) * places[0], -places[0]), "; ".join(texts)) for places, texts in lines
    )
    return [line for _, line in ranked]


VERBS = {
    "clears": ("Clears", "clears", "clear"),
    "above": ("Above", "is above", "are above"),
    "better": ("Better than", "is better than", "are better than"),
    "misses": ("Misses", "misses", "miss"),
    "at": ("Exactly at", "is exactly at", "are exactly at"),
    "does not": ("", "does not", "do not"),
    "is not": ("", "is not", "are not"),
    "has": ("", "has", "have"),
}
"""Of one model without a name, of one with a name, of several."""

BETTER = {"above": "above", "better than": "better"}  # the better side as one of `VERBS`


class _Whole:
    """The headline of some models by some measures on the first group."""

    def __init__(self, card: Scorecard, state: Any, models: Sequence[int], measures: Sequence[int]) -> None:
        self.card, self.models, self.measures, self.in_groups = card, list(models), list(measures), state
        shown = np.zeros(state[:, 0].shape, dtype=bool)
        shown[np.ix_(self.models, self.measures)] = True
        self.state = np.where(shown, state[:, 0], "")
        self.can_tell = ~np.isin(self.state, (*UNJUDGED, "")).all(axis=0)
        self.bars = np.flatnonzero(self.can_tell).tolist()
        self.names = distinct(card.models, NAME)
        self.labels = [visible(measure.label) for measure in card.measures]

    def text(self) -> str:
        alike = all_alike(self.card) if not np.isin(self.state, ("clears", "doubt")).any() else ""
        if alike:
            return f"No verdict: {shorten(alike, LONGEST - len('No verdict: '))}"
        if not self.bars:
            return self.no_verdict()
        wins, doubts, misses, silent = (
            self.patterns(states) for states in (("clears",), ("doubt",), ("fails", "ties"), UNJUDGED)
        )
        several = len(self.models) > 1
        if several:  # of a model that misses a bar this is told
            missing = {model for models, _ in misses for model in models}
            told = [([model for model in models if model not in missing], bars) for models, bars in doubts]
            doubts = [pattern for pattern in told if pattern[0]]
            wins = wins[:1] + [pattern for pattern in wins[1:] if not missing & {*pattern[0]}]
            silent = [pattern for pattern in silent if not missing & {*pattern[0]}]
        only = sum(map(bool, (wins, doubts, misses))) == 1
        unjudged = []
        for models, measures in silent[:1]:
            said = f"{self.who(models, 'has')} no value"
            unjudged.append([f"{said} of {self.measures_named(measures)}", said, "some are not judged"])
        not_asked = "" if self.card.has_p_values else "; how surely was not asked"
        in_brackets = self.bar_in_brackets() if several and len(self.bars) == 1 and not only else []
        endings = [f" ({', '.join(parts)}){not_asked}" for parts in in_brackets]
        if not several:
            return _fitted([*self.of_one(wins, doubts, misses, only=only), *unjudged], not_asked)
        lines, shortest = [], []
        for words in (self.who, self.count):  # models that clear are named where there is room
            start, *rest = [*self.of_several(wins, doubts, misses, words, only=only), *unjudged]
            lines += _ranked([start[:-1] or start, *rest], first=6)
            shortest += _ranked([start[-1:], *rest])
        return _first_that_fits([*lines, *shortest], endings or [not_asked])

    def patterns(self, states: tuple[str, ...]) -> list[Pattern]:
        """Return the measures on which the same models stand so, those of most measures first."""
        by_measures: dict[tuple[int, ...], list[int]] = {}
        for model in self.models:
            measures = tuple(np.flatnonzero(np.isin(self.state[model], states) & self.can_tell).tolist())
            if measures:
                by_measures.setdefault(measures, []).append(model)
        patterns = [(models, list(measures)) for measures, models in by_measures.items()]
        return sorted(patterns, key=lambda pattern: -len(pattern[1]))

    def those_in(self, patterns: list[Pattern]) -> list[int]:
        among = {model for models, _ in patterns for model in models}
        return [model for model in self.models if model in among]

    def of_one(
        self, wins: list[Pattern], doubts: list[Pattern], misses: list[Pattern], *, only: bool
    ) -> Iterator[list[str]]:
        """Yield what one model clears, what is not settled, and what it misses, each in several wordings."""
        nameless = self.card.models == ("model",)
        if wins:
            model, measures = self.models[0], wins[0][1]
            clears = f"{self.who(self.models, 'clears')} {self.bars_named(measures)}"
            names = listed([self.labels[measure] for measure in measures], most=MOST_NAMES)
            brackets = f" ({self.numbers(model, measures[0])})" if len(self.bars) == 1 else ""
            brackets = brackets if only or len(measures) <= FEW else f" ({names})"
            in_slices = self.in_slices(wins)
            yield [f"{clears}{brackets}{in_slices}", f"{clears}{in_slices}"]
        if doubts and only:
            yield self.doubted(doubts)
        elif doubts:
            models, measures = doubts[0]
            said = f"{self.measures_named(measures)} {'is' if len(measures) == 1 else 'are'} not settled"
            if not wins:
                said = capital(said) if nameless else f"{self.names[models[0]]}: {said}"
            richer = [f"{said} ({self.numbers(models[0], measures[0])})"] if len(measures) == 1 else []
            yield [*richer, *self.with_p(said, models, measures)]
        if misses and only:
            yield self.missed(misses, first=True)
        elif misses:
            models, measures = misses[0]
            labels = [self.labels[measure] for measure in measures]
            said = f"not {listed(labels, last='or')}" if len(labels) <= FEW else f"not {len(labels)} others"
            said = f"misses {self.bars_named(measures)}" if doubts else said
            yield [f"{said}: {self.witness(measures)}", said]

    def of_several(
        self,
        wins: list[Pattern],
        doubts: list[Pattern],
        misses: list[Pattern],
        words: Callable[..., str],
        *,
        only: bool,
    ) -> Iterator[list[str]]:
        """Yield which models clear, in these words, are not settled, and miss a bar.

        The only bar stands in brackets behind. A number without a noun follows only a number that has one.
        """
        short = len(self.bars) == 1 and not only
        winners = wins[0][0] if wins else []
        if wins:
            yield self.winning(wins, doubts, words, short=short)
            doubts = [] if [group for group, _ in doubts] == [winners] else doubts
        if doubts and only:
            yield self.doubted(doubts)
            return
        said, verb, ending = winners or self.those_in(doubts), "misses", " a bar"
        unsettled, missed = self.unsettled(doubts, winners, short=short) if doubts else [], []
        if misses and short:
            verb = "does not" if self.card.has_p_values else "is not"
            ending = "" if wins and not doubts else " clear"
            told = (tell(misses[0][0], verb, said, first=not said) for tell in (self.who, self.count))
            missed = [f"{who}{ending}" for who in told]
        elif misses:
            missed = self.missed(misses, said, first=only)
        if not (wins and doubts and misses):
            yield from (unsettled, missed)
            return
        doubting, missing = self.those_in(doubts), self.those_in(misses)
        number = f"{len(missing)} {self.forms(verb)[1 + (len(missing) > 1)]}{ending}"
        noun = self.noun(doubting, winners)
        count, verb = plural(len(doubting), noun), "is" if len(doubting) == 1 else "are"
        least = f"{count} might; {number}" if noun == "other" else "some bars are unsettled or missed"
        brief = f"{count} {verb} unsettled; {number}"
        yield [*_ranked([unsettled, missed]), f"{unsettled[-1]}; {number}", brief, least]

    def winning(
        self, wins: list[Pattern], doubts: list[Pattern], words: Callable[..., str], *, short: bool
    ) -> list[str]:
        """Say which models clear most bars, and what else is not settled of them alone."""
        models, measures = wins[0]
        who = words(models, "clears", first=True)
        the_bar = "" if self.card.has_p_values else " the bar"
        named, counted = (
            the_bar if short else f" {bars(measures)}" for bars in (self.bars_named, self.bars_counted)
        )
        others = "".join(f", {self.listed(others)} {len(cleared)} of {len(self.bars)}"
                         for others, cleared in wins[1:FEW])  # fmt: skip
        in_slices, (doubted, briefly) = self.in_slices(wins), self.not_settled(doubts, models)
        ends = [f"{named}{others}{in_slices}{doubted}", f"{named}{in_slices}{doubted}"]
        ends += [f"{counted}{in_slices}{doubted}", f"{counted}{in_slices}{briefly}"]
        return [who + end for end in (*ends, f"{named}{briefly}")]  # the last one rather than a cut line

    def unsettled(self, doubts: list[Pattern], winners: list[int], *, short: bool) -> list[str]:
        """Say of which models some bar is not settled, behind those that clear."""
        models = self.those_in(doubts)
        who, count = (
            f"{words(models, 'is not', winners, first=not winners)} settled"
            for words in (self.who, self.count)
        )
        within = f" in {self.measures_named(doubts[0][1])}" if len(doubts) == 1 and not short else ""
        with_p = self.with_p(f"{who}{within}", models, doubts[0][1], "{}, {}" if short else "{} ({})")
        return [*with_p, who, f"{count}{within}", count] if within else [*with_p[:-1], who, count]

    def in_slices(self, wins: list[Pattern]) -> str:
        """Say whether what clears on the whole clears in every slice, which `Scorecard.clears` asks too."""
        if len(self.card.groups) == 1 or self.card.tasked:
            return ""
        everywhere = all((self.in_groups[models][:, :, bars] == "clears").all() for models, bars in wins)
        return f", {'also' if everywhere else 'not'} in every {self.card.group_words[0]}"

    def not_settled(self, doubts: list[Pattern], models: list[int]) -> tuple[str, str]:
        """Say what else is not settled of the models just named, if of them alone: by name, and counted."""
        if [group for group, _ in doubts] != [models]:
            return "", ""
        measures = doubts[0][1]
        whose, verb = "its" if len(models) == 1 else "their", "is" if len(measures) == 1 else "are"
        briefly = f", {plural(len(measures), 'bar')} {verb} not settled"
        named = f"; {whose} {self.measures_named(measures)} {verb} not settled"
        return named if len(measures) <= FEW else briefly, briefly

    def doubted(self, patterns: list[Pattern]) -> list[str]:
        """Say that nothing is settled: all scores that can be judged are above their bars."""
        models, measures = self.those_in(patterns), patterns[0][1]
        side = BETTER[sides([self.card.measures[measure] for measure in measures])[1]]
        bars = self.bars_named(measures) if len(patterns) == 1 else "some bar"
        said = f"{self.who(models, side, first=True)} {bars}, but "
        if not self.p_values(models, measures).size:
            return [f"{said}how surely is not known"]
        said += "it could be chance"
        single = len(self.models) == len(measures) == 1
        rich = [f"{said} ({self.numbers(models[0], measures[0])})"] if single else []
        count = f"{self.count(models, 'is not', first=True)} settled"
        return [*rich, *self.with_p(said, models, measures), count]

    def missed(self, patterns: list[Pattern], said: Sequence[int] = (), *, first: bool) -> list[str]:
        """Say of which models a bar is missed, behind those of which something else was said."""
        models, measures = self.those_in(patterns), patterns[0][1]
        missed = np.isin(self.state, ("fails", "ties"))
        verb = "at" if (self.state[missed] == "ties").all() else "misses"
        who, count = (words(models, verb, said, first=first) for words in (self.who, self.count))
        if len(patterns) > 1:
            often = self.labels[int(np.argmax(missed.sum(axis=0)))]
            some = f"{who} {'at least one' if verb == 'misses' else 'a'} bar"
            return [f"{some}, most often {often}", some, f"{who} a bar", f"{count} a bar"]
        bars = self.bars_named(measures)
        return [
            f"{who} {bars}: {self.witness(measures)}",
            f"{who} {bars}",
            f"{who} a bar",
            f"{count} {bars}",
            f"{count} a bar",
        ]

    def bar_in_brackets(self) -> list[list[str]]:
        """Return the only bar of several models, which stands behind what they do: richer, and shorter."""
        bar, tasks = self.bars[0], int(slices(self.card).sum())
        label = shorten(self.labels[bar], NAME)
        value = f"bar {number(float(self.card.columns['bar'][0, 0, bar]), self.samples)}"
        over = f" over {plural(tasks, *self.card.group_words)}" if self.card.tasked and tasks > 1 else ""
        return [[f"{label}{over}", value], [label, value]]

    @property
    def samples(self) -> int:
        return int(np.asarray(self.card.population.total)[0])

    def p_values(self, models: Sequence[int], measures: Sequence[int]) -> Any:
        """Return the corrected p-values of cells in doubt that are known."""
        rows = np.ix_(models, [0], measures)
        in_doubt = (self.state[np.ix_(models, measures)] == "doubt")[:, None]
        return self.card.columns["p_corrected"][rows][in_doubt & ~np.isnan(self.card.columns["p_sure"][rows])]

    def with_p(
        self, said: str, models: Sequence[int], measures: Sequence[int], form: str = "{} ({})"
    ) -> list[str]:
        """Add p, unless it is 1."""
        p = self.p_values(models, measures)
        if not p.size:
            return [form.format(said, "p not known"), said]
        if p.min() > MOST_P:
            return [said]
        cells = np.ix_(models, [0], measures)
        bound = is_bound(*(self.card.columns[name][cells] for name in FLOORED))
        unknown = np.isnan(self.card.columns["p_sure"][cells])
        phrase = p_phrase(float(p.min()), floor=TELLS, is_bound=bool((bound | unknown).all()))
        if p.min() < p.max():
            phrase = f"p from {p_value_text(float(p.min()), floor=TELLS)} up"
        return [form.format(said, phrase), said]

    def numbers(self, model: int, measure: int) -> str:
        """Return score, bar and p of one verdict."""
        row = {name: column[model, 0, measure] for name, column in self.card.columns.items()}
        texts = [number(row["score"], self.samples), f"bar {number(row['bar'], self.samples)}"]
        if row["p_corrected"] <= MOST_P and not np.isnan(row["p_sure"]):
            bound = bool(is_bound(*map(row.__getitem__, FLOORED)))
            texts.append(p_phrase(row["p_corrected"], floor=TELLS, is_bound=bound))
        return ", ".join(texts)

    def witness(self, measures: Sequence[int]) -> str:
        """Say what scores one of these bars, if there is one the answer that always attains it."""
        measure = next((m for m in measures if self.card.bar(m).attained_by.always), measures[0])
        return bar_score(self.card.bar(measure), self.labels[measure] if len(measures) > 1 else "")

    def no_verdict(self) -> str:
        """Say why nothing can be judged; the scores, where these have intervals all the same."""
        model, first = self.models[0], self.measures[0]
        if unbarred(self.card):
            return self.without_bar(first)
        outcome = self.card.columns["outcome"][model, 0, self.measures]
        if (outcome == "unbeatable").all():
            names = listed([self.labels[measure] for measure in self.measures], most=FEW)
            said = f"{capital(names)} {'is' if len(outcome) == 1 else 'are'} not judged: "
            bar = self.card.bar(first)
            label = self.labels[first] if len(outcome) > 1 else ""
            return _fitted([[f"{said}{bar_score(bar, label)}", f"{said}no score is better than the bar"]])
        first = self.measures[int(np.flatnonzero(outcome == "undefined")[0])]
        reason = self.card.columns["reason"][model, 0, first]
        named = len(outcome) > 1 and isinstance(reason, OfAnyMeasure)
        return _fitted(
            [[f"No verdict: {self.labels[first]}: {reason}" if named else f"No verdict: {reason}"]]
        )

    def without_bar(self, measure: int) -> str:
        """Return the scores of the best models, and of a single one its interval."""
        label, scores = self.labels[measure], self.card.columns["score"][:, 0, measure]
        if len(self.models) == 1:
            ends = (number(end, self.samples) for end in self.card.interval(self.models[0], 0, measure))
            said = f"{capital(label)} {number(scores[self.models[0]], self.samples)}"
            return _fitted([[f"{said} ({' – '.join(ends)}); no bar is known", said]])
        shown = [f"{self.names[model]} {number(scores[model], self.samples)}" for model in self.models]
        best = [
            f"{capital(label)}: {listed(shown[:most])}" for most in range(min(MOST_NAMES, len(shown)), 0, -1)
        ]
        return _fitted([[*(f"{said}; no bar is known" for said in best), *best]])

    def listed(self, models: Sequence[int]) -> str:
        return listed([self.names[model] for model in models], most=MOST_NAMES)

    def forms(self, verb: str) -> tuple[str, str, str]:
        if verb == "clears" and not self.card.has_p_values:
            verb = BETTER[sides([self.card.measures[bar] for bar in self.bars])[1]]
        return VERBS[verb]

    def who(self, models: Sequence[int], verb: str, said: Sequence[int] = (), *, first: bool = False) -> str:
        """Name the models, of which something else may have been said, with the form of a verb that fits."""
        nameless, single, several = self.forms(verb)
        if self.card.models == ("model",):
            return nameless
        if [*models] == [*said]:
            return f"it {single}" if len(models) == 1 else f"they {several}"
        if len(models) == len(self.models) > 1 or len(models) > MOST_NAMES:
            return self.count(models, verb, said, first=first)
        return f"{self.listed(models)} {single if len(models) == 1 else several}"

    def count(
        self, models: Sequence[int], verb: str, said: Sequence[int] = (), *, first: bool = False
    ) -> str:
        """Return how many of the models, and the form of a verb that goes with so many."""
        form = self.forms(verb)[1 if len(models) == 1 else 2]
        if len(models) == len(self.models) > 1:
            every = "both" if len(models) == 2 else f"all {len(models)}"
            return f"{capital(every) if first else every} models {form}"
        if first:
            return f"{len(models)} of {plural(len(self.models), 'model')} {form}"
        return f"{plural(len(models), self.noun(models, said))} {form}"

    def noun(self, models: Sequence[int], said: Sequence[int]) -> str:
        return "other" if said and not {*models} & {*said} else "model"

    def bars_named(self, measures: Sequence[int]) -> str:
        """Name the bars: ``all 5 bars``, ``the F1 and MCC bars``, ``3 of 5 bars``."""
        count, every = len(measures), len(self.bars)
        if count > FEW:
            return f"all {count} bars" if count == every else f"{count} of {every} bars"
        return f"the {listed([self.labels[measure] for measure in measures])} bar{'s' * (count > 1)}"

    def bars_counted(self, measures: Sequence[int]) -> str:
        """Count the bars where some are missing: ``2 of 3 bars``."""
        few = len(measures) < len(self.bars)
        return f"{len(measures)} of {len(self.bars)} bars" if few else self.bars_named(measures)

    def measures_named(self, measures: Sequence[int]) -> str:
        """Name the measures: ``F1 and MCC``, or ``3 of 5 bars``."""
        if len(measures) > FEW:
            return "any bar" if measures == self.bars else f"{len(measures)} of {len(self.bars)} bars"
        return listed([self.labels[measure] for measure in measures])
