"""What the page says of the data and of itself: sizes, name and date, fingerprint, versions, the download."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import numpy as np

from clearbar._version import __version__
from clearbar.core.counts import CELLS
from clearbar.formatting import comma_separated, percent, plural, visible
from clearbar.report._sheet import has_whole
from clearbar.report._wishes import Threshold, Wishes
from clearbar.scorecard import Scorecard, slices

DOWNLOAD = 300_000
"""Characters of slices' counts that a page carries; of more it says where they are."""


def data_facts(card: Scorecard, wishes: Wishes) -> list[tuple[str, str]]:
    """Return what the data are, each with its heading."""
    population = card.population
    leading, parts = population.leading
    total, positives = (np.asarray(x).reshape(-1) for x in (population.total, parts))
    if has_whole(card):
        m, p = int(total[0]), int(positives[0])
    else:
        m, p = int(total.sum()), int(positives.sum())
    facts = [
        ("name", visible(wishes.data)),
        ("date", visible(str(wishes.date))),
        ("samples", f"{m:,}"),
        (leading, f"{p:,} ({percent(p / m) if m else '–'})"),
        ("models", f"{len(card.models):,}"),
        ("measures", f"{len(card.measures):,}"),
    ]
    if card.several_runs:
        facts.append(("runs of each model", f"{card.runs:,}"))
    if len(card.groups) > 1:
        sizes = total[slices(card)]
        facts.append((card.group_words[1], f"{len(sizes):,}, of {_range(sizes)} samples each"))
        shares = positives[slices(card)] / np.maximum(sizes, 1)
        facts.append(
            (f"{leading} per {card.group_words[0]}", f"{percent(shares.min())} to {percent(shares.max())}")
        )
    facts += [
        ("verdicts", plural(len(card), "row")),
        ("threshold", _thresholds(wishes.threshold)),
        ("fingerprint", fingerprint(card)),
    ]
    return [fact for fact in facts if fact[1]]


def _thresholds(threshold: Threshold) -> str:
    if threshold is None:
        return ""
    if isinstance(threshold, Mapping):
        parts = (f"{visible(name)} {value:g}" for name, value in threshold.items())
        return f"positive from: {', '.join(parts)}"
    return f"positive from {threshold:g} on"


def _range(sizes: Any) -> str:
    low, high = int(sizes.min()), int(sizes.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def fingerprint(card: Scorecard) -> str:
    """Return a short digest of what was judged: names, sizes, and counts or scores.

    The same data give the same one, whatever the page looks like.
    """
    digest = hashlib.sha256()
    for names in (card.models, card.groups):
        digest.update("\x1f".join("" if name is None else visible(name) for name in names).encode() + b"\x1e")
    population = card.population
    parts = [population.total, population.leading[1]]
    if card.counts is not None:
        parts += card.counts.cells
    for part in parts:
        digest.update(np.asarray(part).astype("<i8").tobytes())
    if card.counts is None:  # to so many digits as all machines agree on
        digest.update(" ".join(f"{score:.9g}" for score in card.columns["score"].reshape(-1)).encode())
    return digest.hexdigest()[:16]


def versions() -> str:
    """Return the versions of what made the page."""
    return f"clearbar {__version__}, Python {platform.python_version()}, NumPy {np.__version__}"


def slices_download(card: Scorecard) -> str:
    """Return an address that holds every slice with its counts, or its scores where labels are not counted.

    Comma-separated values; empty where they are more than a page should carry.
    """
    heads, columns = _slice_columns(card)
    chosen = np.flatnonzero(slices(card))
    if sum(column.dtype.itemsize for column in columns) * len(chosen) > 8 * DOWNLOAD:
        return ""
    groups = (card.groups[at] for at in chosen.tolist())
    cells = zip(*(column[chosen].tolist() for column in columns), strict=True)
    rows = ([group, *map(_short, row)] for group, row in zip(groups, cells, strict=True))
    text = comma_separated(heads, rows)
    return f"data:text/csv;charset=utf-8,{quote(text, safe=_PLAIN)}" if len(text) <= DOWNLOAD else ""


_PLAIN = ",;:/()!*'~"
"""What an address may hold besides letters and digits."""


def _short(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _slice_columns(card: Scorecard) -> tuple[list[str], list[Any]]:
    population = card.population
    leading, parts = population.leading
    heads, columns = [card.group_words[0], "samples", leading], [population.total, parts]
    for model, name in enumerate(card.models):
        if card.counts is not None:
            heads += [f"{name} {cell}" for cell in CELLS]
            cells = (np.asarray(cell)[model] for cell in card.counts.cells)
            columns += [cell.mean(axis=-1) if card.several_runs else cell for cell in cells]
        else:
            heads += [f"{name} {measure.name}" for measure in card.measures]
            columns += list(card.columns["score"][model].T)
    return heads, [np.asarray(column) for column in columns]
