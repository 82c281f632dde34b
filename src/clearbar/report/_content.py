"""What the page says, as plain values; the template decides where it stands."""

from __future__ import annotations

import datetime as dt
import hashlib
import math
import numbers
import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import numpy as np

from clearbar._version import __version__
from clearbar.core._value import checked_flag
from clearbar.core.counts import CELLS
from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.core.reasons import question_and_caution
from clearbar.formatting import (
    capital,
    comma_separated,
    decimals,
    number,
    percent,
    plural,
    signed,
    visible,
    whole_percent,
)
from clearbar.notebook import definition, facts
from clearbar.report._pictures import pictures
from clearbar.report._tables import (
    chance_limits,
    charts_legend,
    gaps_table,
    has_whole,
    heat_table,
    model_cards,
    row_id,
    slice_name,
    slices_sheet,
    whole_sheet,
    with_intervals,
)
from clearbar.scorecard import (
    INTERVALS,
    Names,
    Scorecard,
    View,
    about_runs,
    bar_score,
    best_first,
    explain_bar,
    gap_rows,
    samples_line,
    sides,
    slices,
    slices_headline,
)

NAME_WIDTH = 48  # columns that a name may take; the page lists in full what is shortened
FOLDS = 500  # rows of a table of folds
NAMED = 4  # verdicts that are named before the rest is counted
MOST_DIGITS = 6  # decimals to which numbers are written so that what is worked out from them fits
BOARD = 9  # columns of scores in a table of a leaderboard, which fit on paper
DOWNLOAD = 300_000  # characters of slices' counts that a page carries; of more it says where they are

Threshold = float | Mapping[str, float] | None
"""What made labels of probabilities, for all models or for each."""


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What may be said of a page besides its verdicts; wrong ones are refused."""

    title: str = ""
    subtitle: str = ""
    data: str = ""  # the name of the data
    date: str | dt.date = ""  # of the data
    threshold: Threshold = None
    call: str = ""
    pictures: bool = True

    def __post_init__(self) -> None:
        checked_flag("pictures", self.pictures)
        for name in ("title", "subtitle", "data", "call"):
            if not isinstance(getattr(self, name), str):
                raise ArgumentError(name, f" must be text; found {shown(getattr(self, name))}.")
        if not isinstance(self.date, (str, dt.date)):
            raise ArgumentError("date", f" must be text or a datetime.date; found {shown(self.date)}.")
        threshold: Any = self.threshold
        for value in threshold.values() if isinstance(threshold, Mapping) else [threshold]:
            is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
            if threshold is not None and (not is_number or math.isnan(value)):
                rule = f" must be a number, or one for each model by its name; found {shown(value)}."
                raise ArgumentError("threshold", rule)


def content(view: View, options: ReportOptions) -> dict[str, Any]:
    card: Any = view.card
    names = Names.of(card, NAME_WIDTH, range(len(card.groups)))
    names = replace(names, models=["the model"]) if card.models == ("model",) else names
    whole, sliced = has_whole(card), len(card.groups) > 1
    whole_rows = whole_sheet(view, names) if whole else None
    slice_rows = slices_sheet(view, names) if sliced else None
    part, parts = card.group_words
    gaps = gap_rows(card) if sliced else []
    about = samples_line(card), visible(options.data), visible(str(options.date))
    limits = chance_limits(view)
    cards = model_cards(view, names, limits)
    of_slices = capital(slices_headline(card, view.alpha)) if sliced and card.groups[0] is None else ""
    has_folds = card.folds and len(card.models) * len(card.folds) <= FOLDS
    return {
        "title": visible(options.title) or "clearbar report",
        "subtitle": visible(options.subtitle),
        "verdict": card.headline(view.alpha).replace(" = ", "\xa0=\xa0"),  # p stays with its number
        "samples": " · ".join(filter(None, about)),
        "slices_verdict": of_slices,
        "leaderboard": card.leaderboard().tables(BOARD, name=NAME_WIDTH) if card.tasked else [],
        "cards": cards,
        "charts": charts_legend(view, limits) if cards[0]["rows"] else "",
        "map": heat_table(view, names),
        "example": _example(view, names),
        "part": part,
        "parts": parts,
        "legend": view.legend(set(view.state.reshape(-1).tolist())),
        "sides": sides(card.measures),
        "asks": _p_meaning(card),
        "whole": whole_rows,
        "sliced": slice_rows,
        "rows": {row for sheet in (whole_rows, slice_rows) if sheet for row in sheet.rows},
        "download": _slices_download(card) if slice_rows and slice_rows.left_out else "",
        "names": names,
        "shortened": _shortened(card, names),
        "notes": [*_about_numbers(view), *map(visible, card.notes)],
        "pictures": pictures(view, names, gaps) if options.pictures else [],
        "gaps": gaps_table(card, names, gaps) if gaps else None,
        "folds": card.fold_table() if has_folds else None,
        "bars": [_bar(card, names, measure) for measure in range(len(card.measures))],
        "labels": () if card.counts is None else tuple(map(visible, card.counts.labels)),
        "bars_of": "" if whole else names.groups[0],
        "policy_words": _policy(card),
        "undefined": _undefined(card, names),
        "data": _data_facts(card, options),
        "level": whole_percent(card.confidence_level) if whole and with_intervals(view) else "",
        "alpha": f"{view.alpha:.3g}",
        "call": visible(options.call or card.call),
        "versions": f"clearbar {__version__}, Python {platform.python_version()}, NumPy {np.__version__}",
    }


def _p_meaning(card: Any) -> str:
    """Say what p tells; empty where there is none."""
    if not card.has_p_values:
        return ""
    strata = "" if card.population.classes is None else " within each class"
    return (
        "the larger of two probabilities: of a score at least this far from the bar if the model's true "
        "score were the bar, and of a score at least as good if the labels were in random order. Both assume "
        f"that the test samples are independent{strata}, and that the model was fixed before their labels "
        "were seen."
    )


def _shortened(card: Scorecard, names: Names) -> list[tuple[str, str]]:
    pairs = [
        *(zip(names.models, card.models, strict=True) if len(card.models) > 1 else ()),
        *zip(names.measures, (measure.label for measure in card.measures), strict=True),
        *((names.groups[index], group) for index, group in enumerate(card.groups) if group is not None),
    ]
    return [(brief, visible(full)) for brief, full in pairs if brief != visible(full)]


def _about_numbers(view: View) -> list[str]:
    card, notes = view.card, about_runs(view.card)
    if not card.has_p_values:
        return [*notes, "p-values and intervals were not asked for (intervals=False)."]
    if not with_intervals(view):
        notes.append(f"Intervals are shown for up to {INTERVALS} scores; card.to_frame() has them all.")
    if has_whole(card) and len(card.models) > 1:
        notes.append(f"p is corrected for {len(card.models):,} models.")
    if len(card.groups) > 1:
        number = plural(int(slices(card).sum()), *card.group_words)
        notes.append(f"p of {card.group_words[1]} is corrected for {number}.")
    return notes


def _bar(card: Scorecard, names: Names, index: int) -> dict[str, Any]:
    from markupsafe import Markup

    measure: Any = card.measures[index]
    _, *lines = explain_bar(card.bar(index, 0)).splitlines()
    question, caution = map(visible, question_and_caution(card.bar(index, 0)))
    return {
        "label": names.measures[index],
        "question": question,
        "formula": Markup(definition(measure)),  # noqa: S704 - escaped there
        "lines": [line for line in lines if line != caution],
        "facts": [(name, visible(text)) for name, text in facts(measure)],
    }


def _policy(card: Scorecard) -> str:
    policy = card.undefined
    if policy == "exclude":
        return (
            "Bars leave out random answers that may have no value (undefined = exclude). A model whose score "
            "has no value is not judged."
        )
    value, setting = "the worst value that any table of as many samples has", "worst"
    if policy != "worst":
        value, setting = number(float(policy), places=4), f"{policy:g}"
    return f"An outcome without a value counts as {value} (undefined = {setting})."


def _undefined(card: Scorecard, names: Names) -> list[str]:
    """Say of each measure where there is no verdict, and why."""
    outcome, reason = card.columns["outcome"], card.columns["reason"]
    sentences = []
    for measure in range(len(card.measures)):
        undefined = outcome[:, :, measure] == "undefined"
        for why in dict.fromkeys(reason[:, :, measure][undefined].tolist()):
            pairs = np.argwhere(undefined & (reason[:, :, measure] == why))
            where = _verdict_names(card, names, pairs)
            sentences.append(f"{names.measures[measure]}: {where}: {visible(str(why))}.")
    return sentences


def _verdict_names(card: Scorecard, names: Names, pairs: Any) -> str:
    models, groups = len(card.models), len(card.groups)
    if len(pairs) == models * groups:
        return "no verdict anywhere" if models * groups > 1 else "no verdict"
    texts = []
    for model, group in pairs[:NAMED].tolist():
        name = names.models[model] if models > 1 else "", names.groups[group] if groups > 1 else ""
        texts.append(" on ".join(filter(None, name)))
    left = len(pairs) - len(texts)
    named = f"{', '.join(texts)} and {left:,} more" if left else listed(texts, most=NAMED)
    return f"no verdict for {named}"


def _example(view: View, names: Names) -> dict[str, Any] | None:
    """Return a bar, a score and the skill that follows.

    Of the best model, where it can be by a measure that it clears and whose bar one answer always attains.
    """
    card: Any = view.card
    model, columns = best_first(card)[0], card.columns
    judged = [
        measure
        for measure in range(len(card.measures))
        if view.state[model, 0, measure] in {"clears", "doubt", "fails", "ties"}
        and all(math.isfinite(float(columns[name][model, 0, measure])) for name in ("best_possible", "bar"))
    ]
    if not judged:
        return None

    def order(measure: int) -> tuple[bool, bool, int]:
        above = view.state[model, 0, measure] in {"clears", "doubt"}
        return not above, not card.bar(measure, 0).attained_by.always, measure

    measure = min(judged, key=order)
    bar, score, perfect, skill = (
        float(columns[name][model, 0, measure]) for name in ("bar", "score", "best_possible", "skill")
    )
    state, baseline = str(view.state[model, 0, measure]), card.bar(measure, 0)
    has_sum = state in {"clears", "doubt"} and not math.isnan(skill)
    places = decimals(view.samples(0))
    places = _digits(bar, score, perfect, skill, places) if has_sum else places
    bar_text, score_text, perfect_text = (number(value, places=places) for value in (bar, score, perfect))
    worked_out = f"({score_text} − {bar_text}) / ({perfect_text} − {bar_text}) = {signed(skill)}"
    limit = "it is the best of the draws that were tried"
    if baseline.certified:
        limit = "nothing that ignores its input does better on average"
    elif hasattr(baseline, "uncertain"):
        limit = "another answer that ignores its input may score more"
    return {
        "label": names.measures[measure],
        "where": slice_name(card, names, 0),
        "bar": bar_score(baseline),
        "limit": limit,
        "model": "The model" if card.models == ("model",) else names.models[model],
        "score": score_text,
        "state": state,
        "perfect": perfect_text,
        "sum": worked_out if has_sum else "",
        "row": row_id(0, measure),
    }


def _digits(bar: float, score: float, perfect: float, skill: float, first: int) -> int:
    """Return with how many decimals the skill can be worked out from what is written."""
    for places in range(first, MOST_DIGITS):
        low, mid, high = (round(value, places) for value in (bar, score, perfect))
        if high != low and signed((mid - low) / (high - low)) == signed(skill):
            return places
    return MOST_DIGITS


def _data_facts(card: Scorecard, options: ReportOptions) -> list[tuple[str, str]]:
    population = card.population
    leading, members = population.leading
    total, positives = (np.asarray(sizes).reshape(-1) for sizes in (population.total, members))
    m, p = (int(sizes[0] if has_whole(card) else sizes.sum()) for sizes in (total, positives))
    facts = [
        ("name", visible(options.data)),
        ("date", visible(str(options.date))),
        ("samples", f"{m:,}"),
        *([(leading, f"{p:,} ({percent(p / m) if m else '–'})")] if leading else []),
        ("models", f"{len(card.models):,}"),
        ("measures", f"{len(card.measures):,}"),
    ]
    if card.several_runs:
        facts.append(("runs of each model", f"{card.runs:,}"))
    if len(card.groups) > 1:
        sizes = total[slices(card)]
        ends = " to ".join(dict.fromkeys(f"{int(end):,}" for end in (sizes.min(), sizes.max())))
        facts.append((card.group_words[1], f"{len(sizes):,}, of {ends} samples each"))
        if leading:
            shares = positives[slices(card)] / np.maximum(sizes, 1)
            ends = f"{percent(shares.min())} to {percent(shares.max())}"
            facts.append((f"{leading} per {card.group_words[0]}", ends))
    facts += [
        ("verdicts", plural(len(card), "row")),
        ("threshold", _thresholds(options.threshold, card)),
        ("fingerprint", _fingerprint(card)),
    ]
    return [fact for fact in facts if fact[1]]


def _thresholds(threshold: Threshold, card: Scorecard) -> str:
    if threshold is None:
        return ""
    positive = "positive" if card.counts is None else visible(card.counts.labels[1])
    if isinstance(threshold, Mapping):
        models = ", ".join(f"{visible(name)} {value:g}" for name, value in threshold.items())
        return f"{positive} from: {models}"
    return f"{positive} from {threshold:g} on"


def _fingerprint(card: Scorecard) -> str:
    """Return a short digest of what was judged, the same for the same data, however it is shown."""
    digest = hashlib.sha256()
    for names in (card.models, card.groups):
        digest.update("\x1f".join("" if name is None else visible(name) for name in names).encode() + b"\x1e")
    cells = card.counts.cells if card.counts is not None else ()
    for sizes in (card.population.total, card.population.leading[1], *cells):
        digest.update(np.asarray(sizes).astype("<i8").tobytes())
    if card.counts is None:  # to so many digits as all machines agree on
        digest.update(" ".join(f"{score:.9g}" for score in card.columns["score"].reshape(-1)).encode())
    return digest.hexdigest()[:16]


def _slices_download(card: Scorecard) -> str:
    """Return an address that holds every slice as comma-separated values; empty if they are too many."""
    heads, columns = _slice_columns(card)
    rows = np.flatnonzero(slices(card))
    if sum(column.dtype.itemsize for column in columns) * len(rows) > 8 * DOWNLOAD:
        return ""
    cells = zip(*(column[rows].tolist() for column in columns), strict=True)
    texts = (
        [card.groups[row], *(float(f"{value:.6g}") if isinstance(value, float) else value for value in line)]
        for row, line in zip(rows.tolist(), cells, strict=True)
    )
    text = comma_separated(heads, texts)
    if len(text) > DOWNLOAD:
        return ""
    return f"data:text/csv;charset=utf-8,{quote(text, safe=_PLAIN)}"


_PLAIN = ",;:/()!*'~"  # what an address may hold besides letters and digits


def _slice_columns(card: Scorecard) -> tuple[list[str], list[Any]]:
    population = card.population
    leading, parts = population.leading
    heads, columns = [card.group_words[0], "samples"], [population.total]
    if leading:
        heads, columns = [*heads, leading], [*columns, parts]
    for model, name in enumerate(card.models):
        if card.counts is not None:
            heads += [f"{name} {cell}" for cell in CELLS]
            cells = (np.asarray(cell)[model] for cell in card.counts.cells)
            columns += [cell.mean(axis=-1) if card.several_runs else cell for cell in cells]
        else:
            heads += [f"{name} {measure.name}" for measure in card.measures]
            columns += list(card.columns["score"][model].T)
    return heads, [np.asarray(column) for column in columns]
