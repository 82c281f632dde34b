"""A page for each registered measure, of whatever kind: its facts, its bar, a picture of the bar."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from tools.site.chart import curve, spark
from tools.site.closed_form import closed_form

import clearbar as cb
from clearbar.catalogue import KINDS
from clearbar.core.errors import visible
from clearbar.formatting import MISSING, capital, mathml, number
from clearbar.notebook import definition, facts

TOTAL = 100
"""Samples of which the picture draws the bar."""

EXAMPLES = (1, 10, 30, 50, 90)
"""Per cent of the samples for which the bar is written out."""

SMALL = 10, 50, 90
"""Those in a gallery."""


DRAWN = {
    "binary": ("share of positive samples", f"The bar of {TOTAL} samples."),
    "scores": ("share of positive samples", f"The bar of {TOTAL} scored samples."),
    **dict.fromkeys(
        ("multiclass", "probabilities"),
        ("share of class A", f"The bar of {TOTAL} samples; classes B and C share the rest evenly."),
    ),
}
"""The kinds whose bars follow from class sizes: what the picture is drawn over, and what stands below it."""

EXAMPLE = {
    "regression": "targets 1, 2, 3, 5 and 9",
    "multilabel": "four samples with the labels {0, 1}, {0}, {1, 2} and {0}",
}
"""The samples whose bar stands for the other kinds."""


def sizes(kind: str, positives: int) -> Any:
    """Return the class sizes of a point of the picture."""
    if kind in {"multiclass", "probabilities"}:
        rest = TOTAL - positives
        return cb.ClassSizes({"A": positives, "B": rest - rest // 2, "C": rest // 2})
    return cb.Population(TOTAL, positives)


def kinds() -> list[str]:
    """Return the kinds that have measures."""
    return [kind for kind in KINDS if cb.measures(kind)]


def slug(measure: Any) -> str:
    """Return the name of a measure's page."""
    return f"{measure.kind}/{re.sub(r'[^a-z0-9]+', '_', measure.name.lower()).strip('_')}"


def page(measure: Any) -> str:
    """Return the page of a measure, in Markdown."""
    parts = [f"# {text(measure.label)}", f"*{text(measure.question)}*" if measure.question else ""]
    formula = definition(measure)
    if formula:
        parts.append(raw(f'<div class="cb-formula">{formula}</div>'))
    if formula and measure.kind == "binary":
        parts.append("M samples, P positive, N negative, k predicted positive.")
    rows = [("name in code", f"`{measure.name}`"), *((name, text(value)) for name, value in facts(measure))]
    parts.append("\n".join(f"**{name[0].upper()}{name[1:]}**\n: {value}\n" for name, value in rows))
    parts += bar(measure)
    return "\n\n".join(part for part in parts if part) + "\n"


def bar(measure: Any) -> list[str]:
    """Return what there is to say of the bar, as paragraphs."""
    if measure.kind in EXAMPLE:
        about = text(getattr(measure, "claim", "")) or (
            "It follows from all samples' labels together: [many labels at once](../../many_labels.md)."
        )
        return ["## The bar", about, text(f"Of {EXAMPLE[measure.kind]}: {_of_example(measure)}.")]
    if measure.kind not in DRAWN:
        return []
    if measure.greater_is_better is None:
        return ["## The bar", "There is none: neither end of this measure is better."]
    parts = ["## The bar"]
    form = closed_form(measure) if measure.kind == "binary" else None
    if form:
        equation = mathml(rf"\mathrm{{bar}} = {form.latex}", block=True)
        parts += [raw(f'<div class="cb-formula">{equation}</div>'), f"Attained where {form.where}."]
    elif measure.kind == "binary":
        parts.append(
            "It has no closed form here: the bar is the best of sums over the hypergeometric distribution."
        )
    else:
        parts.append(text(getattr(measure, "claim", "")))
    drawn = bars(measure)
    return [*parts, picture(measure, drawn), table(measure, drawn)] if drawn else parts


def _of_example(measure: Any) -> Any:
    """Return the bar of a handful of samples."""
    if measure.kind == "regression":
        return cb.baseline([1, 2, 3, 5, 9], measure)
    return cb.baseline_multilabel([[1, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 0]], measure)


@functools.cache
def bars(measure: Any) -> dict[int, Any]:
    """Return the bar by the number of positive samples, as far as there is one."""
    if measure.kind == "binary":
        shares = np.arange(1, TOTAL)
        several = cb.baseline(cb.Population(np.full(shares.shape, TOTAL), shares), measure)
        return {int(p): several[i] for i, p in enumerate(shares) if np.isfinite(several.value[i])}
    shares = sorted({*range(10, 100, 10), *EXAMPLES, 5, 95, 99})
    pairs = ((p, cb.baseline(sizes(measure.kind, p), measure)) for p in shares)
    return {p: one for p, one in pairs if np.isfinite(one.value)}


def picture(measure: Any, bars_at: dict[int, Any]) -> str:
    """Draw the bar over the share of positive samples."""
    across, below = DRAWN[measure.kind]
    values = {positives: float(one.value) for positives, one in bars_at.items()}
    ends = (min(values), min(values, key=lambda p: abs(p - 50)), max(values))
    ends_told = ", ".join(f"{number(values[p], TOTAL)} at {p} %" for p in dict.fromkeys(ends))
    drawn = curve(
        [p / TOTAL for p in values],
        list(values.values()),
        across=across,
        up="bar",
        description=f"The bar of {visible(measure.label)} against the {across}: {ends_told}.",
    )
    return raw(f'<figure class="cb-figure">{drawn}<figcaption>{below}</figcaption></figure>')


def table(measure: Any, bars_at: dict[int, Any]) -> str:
    """Write the bar and who attains it for some shares."""
    rows = [f"| {DRAWN[measure.kind][0]} | bar | who attains it |", "|---|---|---|"]
    for positives in filter(bars_at.__contains__, EXAMPLES):
        one = bars_at[positives]
        rows.append(f"| {positives} % | {number(float(one.value), TOTAL)} | {text(one.recipe)} |")
    return "\n".join(rows)


def of(kind: str) -> tuple[Any, ...]:
    """Return the measures of a kind, a family once."""
    return cb.measures(kind)


def front(named: list[str]) -> str:
    """Return the page of all measures: a gallery for each kind."""
    parts = [
        f"## {capital(KINDS[kind].judges)}\n\n{_about(kind)}\n\n{gallery(kind, f'{kind}/')}" for kind in named
    ]
    links = ", ".join(
        f"[{KINDS[kind].judges}](#{KINDS[kind].judges.replace(' ', '-')}) ({len(of(kind))})" for kind in named
    )
    return "\n\n".join([
        "# Measures",
        f"A page for each measure of the catalogue, by what is judged: {links}.",
        *parts,
        toctree(f"{kind}/index" for kind in named),
    ]) + "\n"  # fmt: skip


def index(kind: str) -> str:
    """Return the page of the measures of a kind."""
    places = (slug(one).partition("/")[2] for one in of(kind))
    title = f"# Measures of {KINDS[kind].judges}"
    return "\n\n".join([title, _about(kind), gallery(kind), toctree(places)]) + "\n"


def _about(kind: str) -> str:
    """Say what stands in a gallery."""
    if kind in DRAWN:
        shares = f"{', '.join(map(str, SMALL[:-1]))} and {SMALL[-1]} %"
        return (
            f"Each line is the bar over the {DRAWN[kind][0]}, from 0 to 100 %; the figures are the bars at "
            f"{shares}. The grey side of the line takes no knowledge of the samples; a model must leave it."
        )
    return text(f"Each card has the bar of {EXAMPLE[kind]}.")


def gallery(kind: str, folder: str = "") -> str:
    """Return a card for each measure of a kind: its bar in small, its name and its question."""
    items = (
        f'<li><a href="{folder}{slug(one).partition("/")[2]}.html">{breakable(one.label)}</a>'
        f"{small_bar(one)}<p>{html.escape(visible(one.question))}</p></li>"
        for one in of(kind)
    )
    return raw(f'<ul class="cb-gallery">{"".join(items)}</ul>')


def breakable(label: str) -> str:
    """Write a name that a narrow card breaks before its parameters rather than within them."""
    return html.escape(visible(label)).replace("(", "<wbr>(")


def small_bar(measure: Any) -> str:
    """Draw the bar of a measure over the share of positives in small, or say what it is of an example."""
    if measure.kind not in DRAWN:
        return f'<p class="cb-bar-of"><span>bar {number(float(_of_example(measure).value))}</span></p>'
    values = (
        {p: round(float(one.value), 9) for p, one in bars(measure).items()}  # no line of rounding errors
        if measure.greater_is_better is not None
        else {}
    )
    if not values:
        neutral = measure.greater_is_better is None
        why = "neither end is better" if neutral else "by chance it may have no value"
        return f'<p class="cb-no-bar">No bar: {why}</p>'
    told = [number(values[p], TOTAL) if p in values else MISSING for p in SMALL]
    words = ", ".join(f"{value} at {p} %" for p, value in zip(SMALL, told, strict=True))
    drawn = spark(
        [p / TOTAL for p in values], list(values.values()), f"bar {words}", below=measure.greater_is_better
    )
    return f'{drawn}<p class="cb-bar-of">{"".join(f"<span>{value}</span>" for value in told)}</p>'


def toctree(places: Iterable[str]) -> str:
    """Return the directive that hangs pages below this one."""
    return "```{toctree}\n:hidden:\n\n" + "\n".join(places) + "\n```"


def text(words: Any) -> str:
    """Write words so that Markdown takes none of them for its own."""
    return re.sub(r"([\\`*_{}\[\]<>|#$~])", r"\\\1", visible(str(words)))


def raw(markup: str) -> str:
    """Set HTML as it is."""
    return f"```{{raw}} html\n{markup}\n```"
