"""``clearbar possible`` and ``clearbar claim``: what printed scores alone tell."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

from clearbar.catalogue import get_measure
from clearbar.claims import PossibleTables, claim_pairs, possible_tables
from clearbar.claims import claim as claim_of
from clearbar.cli._bars import class_sizes_typed
from clearbar.cli._commands import SIZES
from clearbar.cli._errors import UsageError
from clearbar.cli._output import Reply, answered, pages
from clearbar.cli._values import size
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import Population
from clearbar.formatting import Screen, Table, number, p_value_text, visible

_ANSWERS = re.compile(r"[2-9]|[1-9]\d+")  # whole numbers that count answers


def possible(options: argparse.Namespace, screen: Screen) -> Reply:
    """Find the tables that have printed scores."""
    scores: dict[str, str] = {}
    for name, text in (_named(word, "--score") for word in options.score):
        if name in scores:
            raise UsageError(f"--score has {visible(name)} twice; give it once.")
        scores[name] = text
    sizes = _sizes(options) if options.class_sizes is None else _class_sizes(options)
    result = possible_tables(sizes, scores, folds=options.folds, truncated=options.truncated)
    lines = result.to_text(cut_off="add --truncated").splitlines()
    content, tables = result.to_dict(), []
    if isinstance(result, PossibleTables):
        measures = dict.fromkeys([*scores, *(options.measure or ())]) if result.count else {}
        ranges = [(get_measure(name, "binary"), result.range(name)) for name in measures]
        content["ranges"], rows = {measure.name: [*ends] for measure, ends in ranges}, content["tables"]
        tables = [_ranges(ranges, _total(result.population))] if ranges else []
    else:
        rows = [{"possible": result.possible, **result.scores}]
    return answered(
        options,
        text=lambda: "\n".join([*map(screen.sentence, lines), *(f"\n{screen.table(of)}" for of in tables)]),
        json=lambda: content,
        csv=lambda: rows,
        **pages(lambda: [*lines, *tables]),
    )


def _ranges(ranges: Sequence[tuple[Any, tuple[float, float]]], total: int) -> Table:
    rows = (
        (visible(measure.label), *(number(end, max(total, 10_001)) for end in ends))
        for measure, ends in ranges
    )
    return Table.of(("left", "decimal", "decimal"), ("", "least", "largest"), rows)


def claim(options: argparse.Namespace, screen: Screen) -> Reply:
    """Tell whether printed scores show that one model is better than another."""
    sizes, (measure,) = _sizes(options), options.measure
    named = [_named(word, "SCORE") if "=" in word else (word, word) for word in options.scores]
    if len(named) < 2:
        raise UsageError("claim takes two scores or more, the better one first.")
    if len({name for name, _ in named}) < len(named):
        raise UsageError("two scores have the same name; write them as NAME=X.")
    scores: dict[str, Any] = {
        name: int(digits) if _ANSWERS.fullmatch(digits := text.replace(",", "")) else text
        for name, text in named
    }
    if len(scores) > 2:
        result: Any = claim_pairs(scores, sizes, measure, alpha=options.alpha)
        rows = result.to_dict()["pairs"]
    else:
        better, worse = scores.values()
        result = claim_of(better, worse, sizes, measure, alpha=options.alpha)
        rows = [result.row()]
    lines = str(result).splitlines()
    return answered(
        options,
        text=lambda: "\n".join(map(screen.sentence, lines)),
        json=result.to_dict,
        csv=lambda: rows,
        **pages(lambda: [*lines, _p_values(rows, options.alpha)]),
    )


def _p_values(rows: Sequence[dict[str, Any]], alpha: float) -> Table:
    """Return a line for each pair; p of several pairs is corrected, as their verdicts are."""
    ends = ("p_min_corrected", "p_max_corrected") if "models" in rows[0] else ("p_min", "p_max")
    cells = (
        (
            *map(visible, row.get("models", (row["better"], row["worse"]))),
            row["verdict"],
            *("–" if row[end] is None else p_value_text(row[end], alpha) for end in ends),
        )
        for row in rows
    )
    heads = ("better", "worse", "verdict", "least p", "largest p")
    return Table.of(("left", "left", "left", "decimal", "decimal"), heads, cells)


def _named(word: str, option: str) -> tuple[str, str]:
    name, equals, text = word.rpartition("=")
    if not equals or not name.strip() or not text.strip():
        raise UsageError(f"{option} must be a name and a score, as in f1=0.55; found {word!r}.")
    return name.strip(), text.strip()


def _sizes(options: argparse.Namespace) -> Population | int:
    if options.total is not None and options.positives is None and options.prevalence is None:
        return int(options.total)
    sizes = class_sizes_typed(options)
    if sizes is None:
        raise UsageError("--total is missing: name the number of samples.")
    return sizes


def _class_sizes(options: argparse.Namespace) -> ClassSizes:
    told = next(
        (name for name in (*SIZES, "--folds", "--measure") if getattr(options, name[2:]) is not None), ""
    )
    if told:
        of_two = "is told by --class-sizes" if told in SIZES else "is for two classes"
        raise UsageError(f"{told} {of_two}; leave it out.")
    sizes: dict[str, int] = {}
    for place, word in enumerate(options.class_sizes, 1):
        name, _, number = word.rpartition("=")
        label = name.strip() or str(place)
        if label in sizes:
            raise UsageError(f"--class-sizes has {visible(label)} twice; give it once.")
        try:
            sizes[label] = size(number)
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"--class-sizes {error}") from None
    if len(sizes) < 2:
        raise UsageError("--class-sizes takes a size for each class, such as 50 30 20.")
    return ClassSizes(sizes)


def _total(sizes: Population | int) -> int:
    return sizes if isinstance(sizes, int) else int(sizes.total)
