"""The page of published claims, recomputed: bars, whether the scores can be, whether the order is shown.

    python -m tools.published_claims

Writes docs/published_claims.md from published_claims.csv beside this file and the class sizes of the atlas. A
line is two printed accuracies on one test set, and where they stand.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.atlas import read

import clearbar as cb
from clearbar.formatting import Table, markdown_page, number, p_value_text

CLAIMS = Path(__file__).with_suffix(".csv")
PAGE = Path(__file__).parents[1] / "docs" / "published_claims.md"

HEAD = """# Published claims, judged

Pairs of accuracies that repositories print in one table, the larger one first. Of each: whether it can be
on a test set of this size, the bar, and whether it is [shown](reviewing.md#is-b-better-than-a) that the
first model is better, whatever the overlap of both. A line is what `cb.claim(first, second, total)` and
`cb.possible_tables(cb.Population(total, positives), {"accuracy": score})` say; a test recomputes all of
them.

The page cannot tell whether a score is of one run, of the median or the mean of several, or of the best of
many: a mean need not be a number of right answers, and the best of many is better by chance alone. Pairs
are asked about one by one, uncorrected. "Depends" is no doubt about a result: two printed accuracies do not
settle it, predictions would. Nothing is said of anybody's intentions.
"""


def claims() -> list[dict[str, str]]:
    """Return the lines of the file."""
    with CLAIMS.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def populations() -> dict[str, tuple[cb.Population, str]]:
    """Return class sizes of test sets of two classes by name and part, and where they stand."""
    return {
        f"{labels.name}, {labels.part}": (cb.Population(sum(labels.sizes), labels.sizes[0]), labels.source)
        for labels in read()
        if len(labels.sizes) == 2
    }


def judged(line: dict[str, str], population: cb.Population) -> dict[str, Any]:
    """Return what follows from one line."""
    scores = [line["score"], line["other_score"]]
    tables: list[Any] = [cb.possible_tables(population, {"accuracy": score}) for score in scores]
    can_be = [bool(found.count) for found in tables]
    claim = cb.claim(*scores, int(population.total)) if all(can_be) else None
    return {
        "can_be": can_be,
        "verdict": claim.verdict if claim else "not decided",
        "claim": claim,
        "clears": [found.judge("accuracy").sure if found.count else None for found in tables],
    }


def _row(line: dict[str, str], found: dict[str, Any]) -> tuple[str, ...]:
    claim = found["claim"]
    p = f"{p_value_text(claim.p_min)} – {p_value_text(claim.p_max)}" if claim else ""
    marks = ["" if can_be else " (no such number of right answers)" for can_be in found["can_be"]]
    few = claim.most_discordant if claim and claim.verdict == "depends" else None
    limit = f", if at most {few} differ" if few is not None else ""
    pairs = ((line["better"], line["score"], marks[0]), (line["worse"], line["other_score"], marks[1]))
    models = (f"{model} {score}{mark}" for model, score, mark in pairs)
    return (line["test_set"].partition(",")[0], *models, f"{found['verdict']}{limit}", p)


def page() -> str:
    """Return the page in Markdown."""
    return "".join(_parts())


def _parts() -> Iterator[str]:
    lines, sizes = claims(), populations()
    found = [judged(line, sizes[line["test_set"]][0]) for line in lines]
    counted = Counter(one["verdict"] for one in found)
    yield f"{HEAD}\n{len(lines)} claims: "
    yield ", ".join(f"{many} {verdict}" for verdict, many in counted.most_common())
    below = sum(clears is False for one in found for clears in one["clears"])
    yield f". Scores that do not surely clear their bar: {below}.\n"
    yield f"\n{markdown_page([_test_sets(sizes, {line['test_set'] for line in lines})])}"
    for source in dict.fromkeys(line["source"] for line in lines):
        _, repository, _, _, path = source.removeprefix("https://github.com/").split("/", 4)
        rows = [_row(*pair) for pair in zip(lines, found, strict=True) if pair[0]["source"] == source]
        heads = ("test set", "first", "second", "first is better", "p")
        table = markdown_page([Table.of(("left",) * 5, heads, rows)])
        yield f"\n## {repository}: {path}\n\n[The table of {repository}]({source})\n\n{table}"


def _test_sets(sizes: dict[str, tuple[cb.Population, str]], names: set[str]) -> Table:
    rows = []
    for name in sorted(names):
        population, source = sizes[name]
        bar: Any = cb.baseline(population, "accuracy").value
        counts = f"{population.total:,}", f"{population.positives:,}"
        rows.append((name, *counts, number(float(bar), int(population.total)), source))
    heads = ("test set", "samples", "positive", "accuracy bar", "class sizes from")
    return Table.of(("left", "right", "right", "right", "left"), heads, rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
