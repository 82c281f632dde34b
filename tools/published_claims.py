"""The page of published claims, recomputed: bars, whether the scores can be, whether the order is shown.

    python -m tools.published_claims

Writes docs/published_claims.md from two files beside this one. A line of published_claims.csv is two printed
accuracies on a test set of the atlas, and where they stand; one of published_scores.csv several scores of one
model, with the class sizes that are printed there.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.atlas import read

import clearbar as cb
from clearbar.formatting import Table, markdown_page, number, p_value_text, plural

CLAIMS = Path(__file__).with_suffix(".csv")
SCORES = Path(__file__).with_name("published_scores.csv")
PAGE = Path(__file__).parents[1] / "docs" / "published_claims.md"

HEAD = """# Published claims, judged

First pairs of accuracies, then [several scores of one model](#several-scores-of-one-model): can they be, do
they clear their bars, is the order shown? Nothing is said of anybody's intentions.

## Pairs of accuracies

Pairs that repositories print in one table, the larger one first. Of each: whether it can be
on a test set of this size, the bar, and whether it is [shown](reviewing.md#is-b-better-than-a) that the
first model is better, whatever the overlap of both. A line is what `cb.claim(first, second, total)` and
`cb.possible_tables(cb.Population(total, positives), {"accuracy": score})` say; a test recomputes all of
them.

The page cannot tell whether a score is of one run, of the median or the mean of several, or of the best of
many: a mean need not be a number of right answers, and the best of many is better by chance alone. Pairs
are asked about one by one, uncorrected. "Depends" is no doubt about a result: two printed accuracies do not
settle it, predictions would.
"""

ORDERS_HEAD = """Pairs on the same test set, the larger accuracy first, by `cb.claim_pairs`; three
models and more are corrected by Holm."""

SCORES_HEAD = """
## Several scores of one model

Class sizes and scores as they are printed, and [all tables](reviewing.md#several-scores-can-they-be) that
have them, by `cb.possible_tables(cb.Population(total, positives), {"accuracy": "0.95", ...})`. Where no table
has them with rounded decimals, it is asked whether one has them with decimals that were cut off
(`truncated=True`). The last column names the printed scores that do not surely clear their bar. Recall and
specificity never stand there: a constant answer has the best possible one.

No table: scores or class sizes are of something else than is printed beside them, or a digit differs. Which
of these it is cannot be told from the numbers.
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


def printed_scores() -> list[dict[str, str]]:
    """Return the lines of several scores of one model."""
    with SCORES.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def several() -> list[dict[str, Any]]:
    """Return the lines of several scores, with what follows from each."""
    return [{**line, **(found := possible(line)), "doubtful": _doubtful(found)} for line in printed_scores()]


def possible(line: dict[str, str]) -> dict[str, Any]:
    """Return the tables that have the scores of a line, and those that have them if they were cut off."""
    population = cb.Population(int(line["total"]), int(line["positives"]))
    scores = dict(word.split("=") for word in line["scores"].split())
    folds = int(line["folds"]) if line["folds"] else None
    tables, cut = (
        cb.possible_tables(population, scores, folds=folds, truncated=truncated)
        for truncated in (False, True)
    )
    return {"population": population, "printed": scores, "tables": tables, "cut": cut}


def _doubtful(found: dict[str, Any]) -> list[Any]:
    tables = found["tables"]
    judged = tables.count and not tables.folds
    verdicts: list[Any] = [tables.judge(name) for name in found["printed"]] if judged else []
    return [one for one in verdicts if not one.sure and one.outcome != "unbeatable"]


def _scores_row(line: dict[str, Any]) -> tuple[str, ...]:
    tables, cut, population = line["tables"], line["cut"], line["population"]
    printed = ", ".join(f"{name} {score}" for name, score in line["printed"].items())
    over = f", mean over {line['folds']} folds" if line["folds"] else ""
    said = f"{tables.count:,}" if tables.count else "none"
    if not tables.count:
        said += f": {' and '.join(tables.contradiction)}"
        said += f"; {plural(cut.count, 'table')} if cut off" if cut.count else ""
    sizes = f"{population.total:,}, {population.positives:,} positive{over}"
    marks = {"clears": "may be chance", "doubt": "may be chance", "ties": "exactly at it", "fails": "below"}
    doubtful = ", ".join(f"{one.measure.label} ({marks[one.outcome]})" for one in line["doubtful"])
    return f"{line['test_set']}: {line['model']}", sizes, printed, said, doubtful


def _several() -> Iterator[str]:
    lines = several()
    yield SCORES_HEAD
    counts = [line["tables"].count for line in lines]
    yield f"\n{len(lines)} models: {sum(n == 1 for n in counts)} have one possible table, "
    yield f"{sum(n > 1 for n in counts)} several, {sum(n == 0 for n in counts)} none.\n"
    heads = ("model", "samples", "printed", "tables", "not surely above its bar")
    for source in dict.fromkeys(line["source"] for line in lines):
        rows = [_scores_row(line) for line in lines if line["source"] == source]
        yield f"\n{_link(source)}\n\n{markdown_page([Table.of(('left',) * 5, heads, rows)])}"
    yield f"\n### Which of them is better?\n\n{ORDERS_HEAD}\n\n"
    heads = ("test set", "first", "second", "first is better in accuracy")
    rows = [row for name in dict.fromkeys(line["test_set"] for line in lines) for row in _orders(name, lines)]
    yield markdown_page([Table.of(("left",) * 4, heads, rows)])


def orders(lines: list[dict[str, Any]]) -> Any:
    """Return all pairs of models on one test set by their printed accuracy; None of one model."""
    scores = {line["model"]: line["printed"]["accuracy"] for line in lines}
    return cb.claim_pairs(scores, lines[0]["population"]) if len(scores) > 1 else None


def _orders(name: str, lines: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    claims = orders([line for line in lines if line["test_set"] == name])
    for (first, second), verdict in claims.verdicts.items() if claims else ():
        yield name, *(f"{model} {claims.scores[model]}" for model in (first, second)), verdict


def _link(source: str) -> str:
    _, repository, _, _, path = source.removeprefix("https://github.com/").split("/", 4)
    return f"[{repository}: {path}]({source})"


def page() -> str:
    """Return the page in Markdown."""
    return "".join([*_parts(), *_several()])


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
        yield f"\n### {repository}: {path}\n\n[The table of {repository}]({source})\n\n{table}"


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
