"""Values in a notebook's cell: measures, bars, draws, counts, matrices, class sizes, verdicts, sentences.

Plain HTML that is readable without a style sheet, on a light page and on a dark one; formulas are set
by the browser. These values find their ``_repr_html_`` here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from clearbar.catalogue import Entry
from clearbar.core.classes import ClassSizes, ConfusionMatrix
from clearbar.core.counts import CELLS, Counts, Population
from clearbar.core.errors import listed
from clearbar.core.reasons import question_and_caution
from clearbar.formatting import (
    Align,
    Cell,
    Column,
    Table,
    distinct,
    escape_html,
    mathml,
    number,
    percent,
    plural,
    visible,
)
from clearbar.formatting._palette import CLEARS
from clearbar.null import Draw, NullDistribution
from clearbar.problems.binary import Optimum

SHOWN = 20
"""Of several, those that a cell lists."""


def facts(measure: Entry) -> list[tuple[str, str]]:
    """Return what the catalogue says of a measure, each with its heading."""
    low, high = (number(bound, places=4) for bound in measure.bounds)
    better = {True: "higher is better", False: "lower is better", None: "neither end is better"}
    pairs = [("values", f"{low} to {high}; {better[measure.greater_is_better]}")]
    domain, requires = getattr(measure, "domain", None), getattr(measure, "requires", None)
    if domain is not None:
        draws = requires or domain
        pairs.append(("has a value", "always" if str(domain) == "always" else f"where {domain}"))
        if str(draws) != str(domain):
            pairs.append(("its bar", f"is over the draws with {draws}"))
    pairs += [("caution", measure.caution), ("also called", listed(measure.aliases, most=30))]
    return [fact for fact in [*pairs, ("source", getattr(measure, "source", ""))] if fact[1]]


def definition(measure: Entry) -> str:
    """Return the formula of a measure as MathML, with its parameters."""
    formula, symbol = getattr(measure, "formula", ""), getattr(measure, "symbol", "")
    if not formula:
        return ""
    equation = formula if symbol in {"", formula} else f"{symbol} = {formula}"
    for name, value in getattr(measure, "parameters", {}).items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            equation += rf",\ {_letter(name)} = {value:g}"
    return mathml(equation, block=True)


def _letter(name: str) -> str:
    """Write a parameter as formulas do."""
    if name in {"alpha", "beta"}:
        return f"\\{name}"
    letter, _, index = name.partition("_")
    return rf"{letter}_{{\mathrm{{{index.upper()}}}}}" if index else letter


def measure_html(measure: Entry) -> str:
    """Return a measure for a notebook: its question, its formula, what is to be known of it."""
    name = "" if measure.label.casefold() == measure.name else f" ({escape_html(measure.name)})"
    question = f": {escape_html(measure.question)}" if measure.question else ""
    parts = [f"<p><strong>{escape_html(measure.label)}</strong>{name}{question}</p>"]
    formula = definition(measure)
    if formula:
        parts.append(f"<div>{formula}</div>")
        parts.append("<p><small>M samples, P positive, N negative, k predicted positive</small></p>")
    return _cell("measure", [*parts, _facts_table(facts(measure))])


def baseline_html(bar: Any) -> str:
    """Return a bar of any kind for a notebook: its value and who attains it; of several, the first."""
    parts = [f"<p><strong>{escape_html(bar)}</strong></p>"]
    if bar.population.shape:
        size = int(np.size(bar.value))
        first = [bar[np.unravel_index(index, bar.population.shape)] for index in range(min(SHOWN, size))]
        return _cell("baseline", [*parts, _bars_table(first), *_left_out(size)])
    best = float(bar.best_possible)
    samples = int(bar.population.total)
    rows = [("samples", samples_in_words(bar.population))]
    if not math.isnan(best):
        rows.append(("perfect predictions", number(best, samples)))
    said = zip(("asks", "caution"), question_and_caution(bar), strict=True)
    rows += [(name, visible(text)) for name, text in said if text]
    return _cell("baseline", [*parts, _facts_table(rows)])


def optimum_html(optimum: Optimum) -> str:
    """Return an optimum for a notebook: the expected score, and the draws that attain it."""
    if np.ndim(optimum.value):
        return said_html(optimum)
    ends = ((each.start, each.stop - 1) for each in optimum.predicted_positives)
    draws = [f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in ends]
    rows = [
        ("expected score", number(float(optimum.value), int(optimum.total))),
        ("attained by predicting positive", f"{listed(draws, most=6) or 'none'} of {optimum.total:,}"),
        ("proved to be the optimum", "yes" if optimum.certified else "no"),
    ]
    return _cell("optimum", [_facts_table(rows)])


def draw_html(draw: Draw) -> str:
    """Return a draw for a notebook: how many samples it predicts positive, of which."""
    title = (
        f"{draw.predicted_positives:,} samples, drawn at random, are predicted {draw.population.leading[0]}"
    )
    return _cell(
        "draw",
        [f"<p><strong>{escape_html(title)}</strong></p>", f"<p>{samples_in_words(draw.population)}</p>"],
    )


def null_html(null: NullDistribution) -> str:
    """Return a null distribution for a notebook: what is expected of it, and how far it spreads."""
    population, k = null.draw.population, null.draw.predicted_positives
    samples = int(population.total)
    label = escape_html(null.measure.label)
    positive = visible(population.leading[0])
    words = (
        f"when {k:,} of {plural(samples, 'sample')}, drawn at random, are predicted {escape_html(positive)}"
    )
    share = f"{int(population.positives):,} ({percent(float(population.prevalence))})"
    rows = [(f"truly {positive}", share)]
    if null.undefined_mass >= 1.0:
        rows.append(("score", "never has a value"))
    else:
        low, high = (number(end, samples) for end in null.interval(0.9))
        least, most = (number(end, samples) for end in null.support())
        rows += [
            ("expected score", number(null.mean(), samples)),
            ("standard deviation", number(null.std(), samples)),
            ("central 90 %", f"{low} to {high}"),
            ("least and most", f"{least} to {most}"),
        ]
        if null.undefined_mass > 0:
            rows.append(("without a value", f"in {percent(null.undefined_mass)} of the draws"))
    return _cell("null-distribution", [f"<p><strong>{label}</strong> {words}</p>", _facts_table(rows)])


def population_html(population: Population) -> str:
    """Return class sizes for a notebook; of several, the first of them."""
    if not population.shape:
        return _cell("population", [f"<p>{samples_in_words(population)}</p>"])
    sizes = population.total, population.positives, population.negatives
    margins = dict(zip(("samples", *_names(population)), sizes, strict=True))
    return _cell("population", [_listed(margins, population.shape), *_left_out(np.size(population.total))])


def counts_html(counts: Counts) -> str:
    """Return a confusion matrix for a notebook, with its margins; of several, the first of them."""
    if counts.shape:
        cells = dict(zip(CELLS, counts.cells, strict=True))
        return _cell("counts", [_listed(cells, counts.shape), *_left_out(np.size(counts.tp))])
    (tp, fp, fn, tn), (positive, negative) = counts.cells, _names(counts)
    columns = {
        "": (positive, negative, "all"),
        f"predicted {positive}": (tp, fp, counts.predicted_positives),
        f"predicted {negative}": (fn, tn, counts.predicted_negatives),
        "all": (counts.positives, counts.negatives, counts.total),
    }
    return _cell("counts", [_numbers_table(columns)])


def class_sizes_html(sizes: ClassSizes) -> str:
    """Return how many samples each class has, for a notebook; the first of many."""
    pairs = zip(sizes.labels[:SHOWN], sizes.counts[:SHOWN].tolist(), strict=True)
    rows = (
        (
            visible(label),
            f"{size:,}",
            Cell(percent(size / sizes.total), drawing=functools.partial(share_svg, size / sizes.total)),
        )
        for label, size in pairs
    )
    table = Table.of(("left", "right", "right"), ("class", "samples", "share"), rows)
    title = f"{plural(sizes.total, 'sample')} of {plural(len(sizes), 'class', 'classes')}"
    return _cell("class-sizes", [f"<p><strong>{title}</strong></p>", table.to_html(), *_left_out(len(sizes))])


def confusion_matrix_html(matrix: ConfusionMatrix) -> str:
    """Return a matrix for a notebook, with a bar for each cell's share of its row; of many classes a row."""
    title = f"{matrix.correct:,} of {plural(matrix.total, 'sample')} right"
    shown = min(len(matrix.labels), SHOWN)
    names = distinct([visible(label) for label in matrix.labels[:shown]], 24)
    sizes, called, hits = (
        each.tolist() for each in (matrix.true_counts, matrix.predicted_counts, matrix.hits)
    )
    rows: list[list[str | Cell]]
    if shown < len(matrix.labels):
        heads = ["class", "samples", "predicted", "right"]
        lines = zip(names, sizes, called, hits, strict=False)
        rows = [[name, f"{size:,}", f"{of:,}", _share_cell(hit, size)] for name, size, of, hit in lines]
    else:
        heads = ["", *(f"predicted {name}" for name in names), "all"]
        rows = [
            [name, *(_share_cell(count, size) for count in line), f"{size:,}"]
            for name, line, size in zip(names, matrix.to_array().tolist(), sizes, strict=True)
        ]
        rows.append(["all", *(f"{count:,}" for count in called), f"{matrix.total:,}"])
    table = Table.of(["left", *["right"] * (len(heads) - 1)], heads, rows).to_html()
    return _cell(
        "confusion-matrix", [f"<p><strong>{title}</strong></p>", table, *_left_out(len(matrix.labels))]
    )


def _share_cell(count: int, of: int) -> Cell:
    """Return a count with a bar for its share."""
    return Cell(f"{count:,}", drawing=functools.partial(share_svg, count / of if of else 0.0))


def share_svg(share: float) -> str:
    """Return a bar as long as a share, for a cell whose number says the same."""
    width = f"{100 * min(max(share, 0.0), 1.0):.4g}%"
    return (
        '<svg width="48" height="10" aria-hidden="true" style="vertical-align:middle;margin:0 .5em">'
        '<rect width="100%" height="100%" fill="currentColor" fill-opacity=".1"/>'
        f'<rect width="{width}" height="100%" fill="{CLEARS}"/></svg>'
    )


def said_html(value: Any) -> str:
    """Return what a value prints, line by line, for a notebook."""
    lines = "<br>".join(map(escape_html, str(value).splitlines()))
    return _cell(type(value).__name__.lower(), [f"<p>{lines}</p>"])


def sentence_html(kind: str, sentence: str, numbers: Iterable[tuple[str, str]]) -> str:
    """Return a sentence for a notebook, and below it the numbers that it rests on, each with its heading."""
    heads, texts = zip(*numbers, strict=True)
    table = Table.of(("right" for _ in heads), heads, [texts], named=0)
    return _cell(kind, [f"<p><strong>{escape_html(sentence)}</strong></p>", table.to_html()])


def _names(value: Population | Counts) -> tuple[str, str]:
    """Return what the positive and the negative class are called."""
    return visible(value.labels[1]), visible(value.labels[0])


def _listed(columns: dict[str, Any], shape: tuple[int, ...]) -> str:
    flat = {name: np.broadcast_to(column, shape).ravel()[:SHOWN].tolist() for name, column in columns.items()}
    positions = [np.unravel_index(index, shape) for index in range(min(SHOWN, int(np.prod(shape))))]
    return _numbers_table({"": [", ".join(map(str, position)) for position in positions], **flat})


def _numbers_table(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return a table by its columns, whole numbers behind one of names."""
    rows = (
        (name, *(f"{number:,}" for number in line)) for name, *line in zip(*columns.values(), strict=True)
    )
    aligns: list[Align] = ["right" if index else "left" for index in range(len(columns))]
    return Table.of(aligns, columns, rows).to_html()


def _left_out(number_of: int) -> list[str]:
    return [f"<p><small>… {number_of - SHOWN:,} more</small></p>"] if number_of > SHOWN else []


def samples_in_words(population: Any) -> str:
    total, (name, leading) = int(population.total), population.leading
    if not name:
        return plural(total, "sample")
    return f"{plural(total, 'sample')}, {int(leading):,} {name} ({percent(int(leading) / total)})"


def _bars_table(bars: Sequence[Any]) -> str:
    heads = ("samples", bars[0].population.leading[0], "bar", "who attains it")
    rows = (
        (
            f"{int(bar.population.total):,}",
            f"{int(bar.population.leading[1]):,}",
            number(float(bar.value), int(bar.population.total)),
            bar.reason if math.isnan(float(bar.value)) else bar.recipe,
        )
        for bar in bars
    )
    return Table.of(("right", "right", "decimal", "left"), heads, rows).to_html()


def _facts_table(rows: Iterable[tuple[str, Any]]) -> str:
    cells = tuple((Cell(name.replace(" ", "\xa0")), Cell(visible(text))) for name, text in rows)
    return Table((Column(), Column()), (), cells).to_html()


def _cell(kind: str, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return f'<div class="clearbar-{kind}" dir="ltr" style="overflow-x:auto">\n{body}\n</div>'
