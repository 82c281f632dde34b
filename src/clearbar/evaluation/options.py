"""What the functions that judge have in common: their options, what these mean, and the call on the card."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, ParamSpec, TypedDict, TypeVar

import numpy as np

from clearbar import scorecard
from clearbar.catalogue import KINDS, Entry, common_kind, default_catalogue, get_measure, judges
from clearbar.core._typing import IntArray
from clearbar.core._value import checked_flag, checked_seed
from clearbar.core.errors import in_given_order, listed, visible
from clearbar.data.arrays import factorise, refuse_other_rows, rows_of
from clearbar.formatting import plural, shorten
from clearbar.problems.binary import checked_tries
from clearbar.scorecard import Scorecard, best_of_tries

Given = ParamSpec("Given")
Card = TypeVar("Card", bound=Scorecard)

OPTIONS = """\
pos_label : object, optional
    The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
by : array_like of shape (M,), optional
    Slice labels: one verdict for the whole, then one per slice.
clusters : array_like of shape (M,), optional
    Which samples belong together, such as the patient of each: at least five groups. Then p-values and
    intervals take whole groups, not samples, for independent.
given : array_like of shape (M,), optional
    A column that the bar may see, with ten samples or more for each value; see `baseline`. What is permuted
    for `p_value_blind` is then permuted within its values. Not with `clusters`.
undefined : {"exclude", "worst"} or float
    The policy for outcomes without a value; see `baseline`.
zero_division : {0.0, 1.0, nan}
    The value of 0/0; see `baseline_multiclass`.
fold_aware : bool
    Whether blind predictions that pooled scores are compared with may know each fold's share of positives.
    Other ways of combining always grant them that.
nulls : {"raise", "drop"}
    Whether a missing value (a null or nan) in any of these columns is an error, or its row is left out; the
    notes of the scorecard say how many were.
confidence_level : float
    That of `low` and `high`; a score is sure at one minus it.
intervals : bool
    False leaves out the p-values, for millions of rows in a hurry.
tries : int
    Each model is the best of so many that were fixed before any score was seen: what is sure is corrected for
    them (Bonferroni). Tries that were chosen by their scores on these labels have no such bound.
random_state : int, Generator, RandomState or None
    Seed of what is drawn at random, resamples and permutations: the same seed, the same card. None takes
    another each time.
"""
"""What each option means, for all functions that take it; a docstring says what is different or its own."""

INSTEAD = {
    "p_values": "p_values= is no option: rows have p_value, p_value_blind; intervals=False leaves them out.",
    "clusters": "clusters= is no option here, and counts cannot have them: give labels to evaluate(..., "
    "clusters=...), or a learner to clearbar.sklearn.cross_evaluate(..., clusters=...).",
}
"""What stands for options that are often looked for."""

VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD

MOST_ITEMS, LONGEST_TEXT = 24, 80  # items of a list and letters of a text that are written out in a call


class Inference(TypedDict, total=False):
    """The options that every function takes which judges; `OPTIONS` says what they mean."""

    confidence_level: float
    intervals: bool
    tries: int
    random_state: Any


class InferenceOptions(NamedTuple):
    """The confidence level, whether p-values are asked for at all, and a seed."""

    confidence_level: float = 0.95
    intervals: bool = True
    random_state: int = 0

    @classmethod
    def checked(
        cls,
        confidence_level: Any = 0.95,
        intervals: Any = True,  # noqa: FBT002 - checked here
        random_state: Any = 0,
    ) -> InferenceOptions:
        """Return the options, or say what they can be; beyond 0.9999 no p-value can tell."""
        level = confidence_level
        if not (isinstance(level, (float, np.floating)) and 0 < level <= 0.9999):
            raise ValueError(
                f"confidence_level must be a number above 0 and at most 0.9999; found {level!r:.60}."
            )
        return cls(float(level), checked_flag("intervals", intervals), checked_seed(random_state))


class Question(NamedTuple):
    """A problem, the measures that it is judged by, and what is to be noted on the card."""

    problem: Any
    measures: tuple[Any, ...]
    notes: tuple[str, ...] = ()
    notes_on_card: Callable[[Scorecard], Iterable[str]] = lambda _: ()


def judged(question: Question, inference: InferenceOptions) -> Scorecard:
    problem, measures, notes, notes_on_card = question
    card = scorecard.judged(problem, measures, **inference._asdict(), notes=notes)
    return dataclasses.replace(card, notes=(*card.notes, *notes_on_card(card)))


def door(ask: Callable[Given, Question]) -> Callable[Given, Scorecard]:
    """Make a public function of one that reads data and returns the question.

    Its signature names the options of `Inference` one by one, its docstring describes every option, and its
    scorecard knows the call.
    """
    parameters = [
        option for option in inspect.signature(ask).parameters.values() if option.kind != VAR_KEYWORD
    ]
    inferential = {**InferenceOptions._field_defaults, "tries": 1}
    parameters += [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inferential[name],
            annotation=annotation.__forward_arg__,
        )
        for name, annotation in Inference.__annotations__.items()
    ]
    signature = inspect.signature(ask).replace(parameters=parameters, return_annotation="Scorecard")

    @functools.wraps(ask)
    def judging(*args: Given.args, **kwargs: Given.kwargs) -> Scorecard:
        try:  # else `**inference` would swallow options that do not exist
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{ask.__name__}() {error}") from None
        options = InferenceOptions.checked(
            **{name: kwargs[name] for name in InferenceOptions._fields if name in kwargs}
        )
        question: Any = ask(*args, **kwargs)
        return question if isinstance(question, Scorecard) else judged(question, options)

    judging.__signature__ = signature  # type: ignore[attr-defined]
    return record_call(judging)


def ask_of(function: Callable[..., Scorecard]) -> Callable[..., Question]:
    """Return what a `door` was made of: it reads the data, and judges nothing."""
    ask: Callable[..., Question] = inspect.unwrap(function)
    return ask


def record_call(function: Callable[Given, Card]) -> Callable[Given, Card]:
    """Let scorecards say which call made them, correct them for `tries`, and complete the docstring."""
    signature = inspect.signature(function)
    name = f"{'sklearn.' * function.__module__.startswith('clearbar.sklearn.')}{function.__name__}"

    @functools.wraps(function)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Card:
        for option, instead in INSTEAD.items():
            if option in kwargs and option not in signature.parameters:
                raise TypeError(instead)
        tries = checked_tries(kwargs.get("tries", 1))
        card: Any = best_of_tries(function(*args, **kwargs), tries)
        call = _written_call(name, signature.bind(*args, **kwargs))
        recorded: Card = dataclasses.replace(card, call=call)
        return recorded

    called.__doc__ = documented(function.__doc__, signature.parameters)
    return called


def documented(docstring: str | None, parameters: Iterable[str]) -> str | None:
    """Return a numpydoc docstring that describes all parameters, in their order, and what is returned."""
    if docstring is None:  # under python -OO
        return None
    summary, heading, rest = inspect.cleandoc(docstring).partition("Parameters\n----------\n")
    described_here, gap, sections = rest.partition("\n\n")
    described = _entries(OPTIONS) | _entries(described_here)
    returns = "" if "Returns\n" in sections else "Returns\n-------\nScorecard\n\n"
    return (
        f"{summary}{heading}{''.join(map(described.__getitem__, parameters))}{gap[1:]}{returns}{sections}\n"
    )


def _entries(text: str) -> dict[str, str]:
    """Return the entries of a section of parameters by name."""
    sections = re.finditer(r"^(\w+) : .*\n(?: .*\n)*", f"{text}\n", flags=re.MULTILINE)
    return {entry[1]: entry[0] for entry in sections}


def _written_call(name: str, given: inspect.BoundArguments) -> str:
    words, gap = [], False
    for parameter in given.signature.parameters.values():
        if parameter.name not in given.arguments:
            gap = True
            continue
        text = _literal(given.arguments[parameter.name]) or parameter.name
        named = gap or parameter.kind is parameter.KEYWORD_ONLY
        words.append(f"{parameter.name}={text}" if named else text)
    return f"clearbar.{name}({', '.join(words)})"


def _literal(value: Any) -> str:
    """Write a value as code; empty for data, which has no short name but its variable's."""
    if isinstance(value, (str, os.PathLike)):
        return repr(shorten(str(value), LONGEST_TEXT))
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, Entry):
        return repr(value.name) if value.in_catalogue else repr(value)
    if isinstance(value, Mapping) and 0 < len(value) <= MOST_ITEMS:
        return f"{{{', '.join(f'{_literal(key) or repr(key)}: ...' for key in value)}}}"
    if isinstance(value, (list, tuple)) and 0 < len(value) <= MOST_ITEMS:
        items = [_literal(item) if isinstance(item, (str, Entry)) else "" for item in value]
        return f"[{', '.join(items)}]" if all(items) else ""
    return ""


def chosen_measures(measures: Any, kind: str | None = "binary") -> tuple[Any, ...]:
    """Return the measures that were asked for, all of one kind if it is given."""
    several = [measures] if isinstance(measures, (str, Entry)) else measures
    if several is None:
        several = KINDS[kind or "binary"].default
    if not isinstance(several, Iterable):
        raise ValueError(f"measures must be a name, a Measure or a list of them; found {measures!r:.60}.")
    entries = tuple(
        measure
        for named in in_given_order("measures", several)
        for measure in (default_catalogue(kind or "binary") if is_all(named) else (get_measure(named, kind),))
    )
    if not entries:
        raise ValueError("measures is empty; name at least one, or leave it out for the common ones.")
    names = [measure.name for measure in entries]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice and len(set(entries)) != len(set(names)):
        raise ValueError(f"two different measures are named {twice[0]!r}; give one of them another name.")
    return tuple(dict.fromkeys(entries))


def chosen_class_measures(measures: Any) -> tuple[Any, ...]:
    """Return measures of predicted labels of many classes."""
    entries = chosen_measures(measures, "multiclass")
    for measure in entries:
        if measure.named_classes:
            raise ValueError(
                f"{measure.name} judges a score of each class, which labels do not have: use "
                f"evaluate_multiclass(y_true, y_score, {measure.name!r}) with a matrix of scores."
            )
    return entries


def kind_named(measures: Any) -> str:
    """Return the kind of problem that measures judge, the binary one if none is named."""
    several = measures if isinstance(measures, (list, tuple)) else [measures]
    return common_kind(
        named
        for named in several
        if isinstance(named, Entry) or (isinstance(named, str) and not is_all(named))
    )


def names_of(measures: Any) -> list[Any]:
    """Return what measures are called, so that another kind finds its own of these names."""
    several = measures if isinstance(measures, (list, tuple)) else [measures]
    return [getattr(measure, "name", measure) for measure in several]


def all_judge(measures: Any, kind: str) -> bool:
    """Whether measures are named, and a kind has one of each name."""
    return measures is not None and all(judges(name, kind) for name in names_of(measures))


def is_all(measure: Any) -> bool:
    """Whether this stands for the whole catalogue."""
    return isinstance(measure, str) and measure.strip().casefold() == "all"


def class_order_note(measures: Iterable[Any], labels: tuple[Any, ...]) -> tuple[str, ...]:
    """Name the order of the classes where a measure depends on it."""
    ordinal = [measure.label for measure in measures if measure.ordered]
    if not ordinal or len(labels) < 3:
        return ()
    words, order = listed(ordinal), listed(visible(label) for label in labels)
    verb = "take" if len(ordinal) > 1 else "takes"
    other = "labels= of evaluate_multiclass gives another"
    return (f"{words[0].upper()}{words[1:]} {verb} the classes in the order {order}; {other}.",)


class Slices(NamedTuple):
    """Slices of a table by name, and a note on those that are too small, which share the last code."""

    names: tuple[Any, ...]
    codes: IntArray | None
    notes: tuple[str, ...] = ()


class Partition(NamedTuple):
    """The whole and the slices by name, the slice and the cluster of each sample, and notes on these."""

    groups: tuple[Any, ...]
    codes: IntArray | None
    clusters: IntArray | None
    notes: tuple[str, ...]

    @property
    def coded(self) -> int:
        """How many codes there are: as many as slices, and one for those that are left out."""
        return 0 if self.codes is None else int(self.codes.max()) + 1

    @property
    def rows(self) -> tuple[Any, ...]:
        """The samples of the whole and of each slice."""
        return rows_of(self.codes, self.coded)[: len(self.groups)]

    @classmethod
    def of(cls, y_true: Any, by: Any, clusters: Any, length: int) -> Partition:
        """Read the slice and the cluster of each sample."""
        if isinstance(by, Slices):
            slices = by
        else:
            slices = Slices((), None) if by is None else Slices(*factorise(by, length))
            refuse_other_rows(y_true, by, "by")
        codes, notes = read_clusters(clusters, y_true, length)
        return cls((None, *slices.names), slices.codes, codes, (*notes, *slices.notes))


def read_clusters(clusters: Any, y_true: Any, length: int) -> tuple[IntArray | None, tuple[str, ...]]:
    """Return the cluster of each sample, and a note on them; None where there are none."""
    if clusters is None:
        return None, ()
    from clearbar.inference.units import FEWEST

    names, codes = factorise(clusters, length, "clusters")
    refuse_other_rows(y_true, clusters, "clusters")
    if len(names) < FEWEST:
        only = f"only {len(names)} group{'s' * (len(names) != 1)}"
        raise ValueError(
            f"clusters must hold at least {FEWEST} groups, since whole groups are what is drawn anew; "
            f"found {only}."
        )
    return codes, clusters_note(len(names), length)


def missing_rows_note(left_out: int) -> tuple[str, ...]:
    return (f"{plural(left_out, 'row')} with a missing value left out.",) if left_out else ()


def clusters_note(clusters: int, samples: int) -> tuple[str, ...]:
    return (f"Whole groups are taken for independent: {clusters:,} groups of {samples:,} samples.",)
