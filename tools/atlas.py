"""The bar atlas: what blind predictions score on public test sets, from their class sizes.

    python -m tools.atlas

Prints the tables of the site's page in Markdown. A set is a line of atlas/test_sets.csv, whose columns
atlas/schema.json describes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import clearbar as cb
from clearbar.formatting import escape_markdown, number

ATLAS = Path(__file__).parents[1] / "atlas"
OF_TWO = ("accuracy", "f1", "f1_negative", "average_precision")
OF_MANY = ("accuracy", "f1_weighted", "top_5_accuracy")
"""The measures whose bars depend on class sizes; those of the others stand in the page's text."""


@dataclass(frozen=True)
class Labels:
    """A line of the atlas."""

    name: str
    part: str
    sizes: tuple[int, ...]
    positive: str
    sure: str
    source: str


def read(path: Path = ATLAS / "test_sets.csv") -> list[Labels]:
    """Read all lines."""
    with path.open(newline="", encoding="utf-8") as file:
        return [Labels(**{**row, "sizes": class_sizes(row["sizes"])}) for row in csv.DictReader(file)]


def class_sizes(text: str) -> tuple[int, ...]:
    """Read class sizes: ``50*3 20`` stands for 50, 50, 50 and 20."""
    parts = (part.partition("*") for part in text.split())
    return tuple(int(size) for size, _, times in parts for _ in range(int(times or 1)))


def bars(one: Labels) -> list[float]:
    """Return the bars of the usual measures."""
    if len(one.sizes) == 2:
        population = cb.Population(sum(one.sizes), one.sizes[0])
        return [float(cb.baseline(population, measure).value) for measure in OF_TWO]
    sizes = cb.ClassSizes(dict(enumerate(one.sizes)))
    return [float(cb.baseline_multiclass(sizes, measure).value) for measure in OF_MANY]


def labels(measures: Iterable[str], kind: str | None) -> list[str]:
    """Return what readers call the measures."""
    return [cb.get_measure(name, kind).label for name in measures]


def tables() -> str:
    """Return the tables of two classes and of more."""
    two = [one for one in read() if len(one.sizes) == 2]
    many = [one for one in read() if len(one.sizes) > 2]
    parts = [
        "## Two classes",
        _table(
            ["set", "samples", "positive", *labels(OF_TWO, None)],
            [[_name(one), f"{sum(one.sizes):,}", _positive(one), *_numbers(one)] for one in two],
        ),
        "## More classes",
        _table(
            ["set", "samples", "classes", *labels(OF_MANY, "multiclass")],
            [[_name(one), f"{sum(one.sizes):,}", f"{len(one.sizes):,}", *_numbers(one)] for one in many],
        ),
        "## Where the sizes come from",
        _table(
            ["set", "sizes are", "source"],
            [[_name(one), one.sure, _source(one.source)] for one in [*two, *many]],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _name(one: Labels) -> str:
    return f"{escape_markdown(one.name)}, {one.part}" if one.part != "all" else escape_markdown(one.name)


def _positive(one: Labels) -> str:
    return f"{one.sizes[0]:,} {escape_markdown(one.positive)}"


def _source(text: str) -> str:
    return f"<{text}>" if text.startswith("https://") else escape_markdown(text)


def _numbers(one: Labels) -> list[str]:
    return [number(value, sum(one.sizes)) for value in bars(one)]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    print(tables(), end="")
