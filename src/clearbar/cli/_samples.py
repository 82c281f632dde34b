"""``clearbar samples``: how many samples a model of supposed rates needs to clear its bar surely."""

from __future__ import annotations

import argparse
from typing import Any

from clearbar.catalogue import get_measure
from clearbar.cli._formats import pages, written
from clearbar.cli._screen import Answer
from clearbar.core.documents import document
from clearbar.formatting import Screen, Table, number
from clearbar.verdict import class_sizes, power, samples_needed


def samples(options: argparse.Namespace, screen: Screen) -> Answer:
    """Say how many samples are needed for each measure."""
    rows = [_row(options, name) for name in dict.fromkeys(options.measure)]
    rates = f"sensitivity {options.sensitivity:g} and specificity {options.specificity:g}"
    head = f"A model of {rates}, at a prevalence of {options.prevalence:g},"
    surely = (
        f"clears its bar surely (p ≤ {options.alpha:g}) with probability {options.power:g} from so many on:"
    )
    lines = [
        f"{row['label']}: {row['samples']:,} samples, {row['positives']:,} of them positive "
        f"(power {number(row['power'])}{_doubt(row)})"
        for row in rows
    ]
    sentence = f"{head} {surely}"
    return Answer(
        written(
            options,
            text=lambda: "\n".join([screen.sentence(sentence), *map(screen.line, lines)]),
            json=lambda: document({"samples": rows}),
            csv=lambda: rows,
            **pages(lambda: [sentence, _table(rows)]),
        )
    )


def _table(rows: list[dict[str, Any]]) -> Table:
    cells = (
        (
            row["label"],
            f"{row['samples']:,}",
            f"{row['positives']:,}",
            f"{number(row['power'])}{_doubt(row)}",
        )
        for row in rows
    )
    heads = ("", "samples", "positive", "power")
    return Table.of(("left", "right", "right", "decimal"), heads, cells)


def _row(options: argparse.Namespace, name: str) -> dict[str, Any]:
    rates = {"sensitivity": options.sensitivity, "specificity": options.specificity, "alpha": options.alpha}
    needed = samples_needed(name, prevalence=options.prevalence, power=options.power, **rates)
    sizes = class_sizes(needed, options.prevalence)
    reached = power(sizes, name, **rates)
    measure = get_measure(name)
    return {
        "measure": measure.name,
        "label": measure.label,
        "samples": needed,
        "positives": int(sizes.positives),
        "power": float(reached),
        "standard_error": reached.standard_error,
    }


def _doubt(row: dict[str, Any]) -> str:
    return f" ± {row['standard_error']:.3f}, simulated" if row["standard_error"] else ""
