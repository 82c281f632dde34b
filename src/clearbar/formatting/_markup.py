"""HTML, Markdown, LaTeX and comma-separated values; whatever a name contains, it stays text."""

from __future__ import annotations

import html
import itertools
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from clearbar.core.errors import visible
from clearbar.formatting._palette import TINTS
from clearbar.formatting._table import Cell, Table, number_parts, on_point, spans
from clearbar.formatting._text import anchored, runs_right_to_left, width

PARAGRAPH, WORDS = 100, 30  # characters from which a cell is a paragraph, and more than a few words
LONG_WORD = 20  # characters of a word that may be broken, since a table in a comment is narrow
_DIGIT, _POINT = "\u2007", "\u2008"  # blanks as wide as a digit and as a decimal point


def escape_html(text: object) -> str:
    """Return text as HTML that shows it, and nothing else."""
    return html.escape(visible(text), quote=True)


def escape_markdown(text: object) -> str:
    r"""Return text as Markdown that shows it, and nothing else."""
    shown = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    shown = re.sub(r"([\\`*\[\]|~$#!])", r"\\\1", shown)
    shown = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", shown)  # within a word it means nothing
    shown = re.sub(r"(?i)\b(https?|ftp|www)([:.])", r"\1\\\2", shown)  # no link of its own accord
    return anchored(shown.replace("@", "&#64;"))


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "^": r"\textasciicircum{}", "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "[": "{[}", "]": "{]}", "−": "$-$", "–": "--", "∞": r"$\infty$", "…": r"\ldots{}", "✗": r"$\times$",
    "±": r"$\pm$", "≥": r"$\geq$", "≤": r"$\leq$", "+": "$+$", "=": "{=}", "-": "{-}", "'": "{'}", "`": "{`}",
    "²": r"\textsuperscript{2}", "χ": r"$\chi$", "κ": r"$\kappa$", "λ": r"$\lambda$", "π": r"$\pi$",
}  # fmt: skip


def escape_latex(text: object) -> str:
    r"""Return text as LaTeX that prints it, and nothing else."""
    return "".join(_LATEX.get(character, character) for character in visible(text))


def _decimals(table: Table) -> list[int]:
    """Return for each column the most characters from a decimal point on."""
    return [
        max((width(number_parts(text)[1]) for text in table.cells(position) if on_point(text)), default=0)
        if column.align == "decimal"
        else 0
        for position, column in enumerate(table.columns)
    ]


def _lacking(text: str, after: int) -> str:
    """Return the decimals, as zeros, that a number lacks to be as long behind its point as others are."""
    if not on_point(text):  # such as <1e-16, which ends where numbers end
        return ""
    point = "" if "." in text else "."
    lacking = after - width(number_parts(text)[1])
    return point + "0" * (lacking - len(point)) if lacking > 0 else ""


def to_html(table: Table) -> str:
    """Return an HTML ``<table>`` that is readable without CSS; everything is escaped."""
    caption = f"<caption>{escape_html(table.caption)}</caption>" if table.caption else ""
    head = "\n".join(_html_line(line, table, None) for line in table.header)
    after = _decimals(table)
    body = "\n".join(_html_line(line, table, after) for line in table.rows)
    return (
        f'<table style="font-variant-numeric:tabular-nums">{caption}\n'
        f"<thead>\n{head}\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )


def _html_line(line: tuple[Cell, ...], table: Table, after: list[int] | None) -> str:
    """Return a row, or without the decimals of its columns a heading."""
    cells = []
    for cell, (first, *_) in spans(line):
        side = "left" if cell.span > 1 or table.columns[first].align == "left" else "right"
        style = ";".join(filter(None, (f"text-align:{side};padding:.1em .4em", TINTS.get(cell.style, ""))))
        text = escape_html(cell.text)
        text = f"<bdi>{text}</bdi>" if runs_right_to_left(cell.text) else text
        span = f' colspan="{cell.span}"' if cell.span > 1 else ""
        scope = ""
        if after is None:
            scope = f' scope="{"colgroup" if span else "col"}"' if cell.text else ""
        else:
            blanks = _lacking(cell.text, after[first]).replace(".", _POINT).replace("0", _DIGIT)
            text += blanks + _html_mark(cell)
            if cell.drawing is not None:
                text, style = f"{cell.drawing()} {text}", f"{style};white-space:nowrap"
            scope = ' scope="row"' if first == 0 < table.named else ""
        tag = "th" if scope else "td"
        cells.append(f'<{tag}{scope}{span} style="{style}">{text}</{tag}>')
    return f"<tr>{''.join(cells)}</tr>"


def _html_mark(cell: Cell) -> str:
    mark, note = escape_html(cell.mark), html.escape(cell.note)
    if not (mark and note):
        return f" {mark}" if mark else ""
    return f' <span role="img" title="{note}" aria-label="{note}">{mark}</span>'


def to_markdown(table: Table) -> str:
    """Return a GitHub-flavoured Markdown table; everything is escaped."""
    headings = [""] * len(table.columns)
    for cell, covered in itertools.chain.from_iterable(map(spans, table.header)):
        for position in covered:
            headings[position] = f"{headings[position]} {_breakable(cell.text)}".strip()
    rule = [":--" if column.align == "left" else "--:" for column in table.columns]
    rows = [[f"{_breakable(cell.text)} {cell.mark}".strip() for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in (headings, rule, *rows))


def _breakable(text: str) -> str:
    """Return Markdown of text whose long words may be broken behind an underscore."""
    return " ".join(
        re.sub(r"_(?=[^\W_])", "_<wbr>", word) if len(word) > LONG_WORD else word
        for word in escape_markdown(text).split(" ")
    )


def to_latex(table: Table) -> str:
    """Return a LaTeX ``tabular`` with booktabs rules; everything is escaped."""
    after = _decimals(table)
    top = [
        f"\\begin{{tabular}}{{@{{}}{_latex_kinds(table)}@{{}}}}",
        r"\toprule",
        *map(_latex_heading, table.header),
    ]
    rows = (" & ".join(map(_latex_cell, row, after)) + r" \\" for row in table.rows)
    return "\n".join([*top, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"])


def _latex_kinds(table: Table) -> str:
    """Return how columns are set; beside a paragraph those of more than a few words share the line."""
    longest = [
        max((width(text) for text in table.cells(place)), default=0) for place in range(len(table.columns))
    ]
    wraps = [max(longest, default=0) > PARAGRAPH and length > WORDS for length in longest]
    parts = [math.sqrt(length) if wrap else 0.0 for length, wrap in zip(longest, wraps, strict=True)]
    return "".join(
        f"p{{{0.9 * part / sum(parts):.2f}\\linewidth}}" if part else "l" if column.align == "left" else "r"
        for column, part in zip(table.columns, parts, strict=True)
    )


def _latex_heading(line: tuple[Cell, ...]) -> str:
    cells, rules = [], []
    for cell, covered in spans(line):
        text = escape_latex(cell.text)
        if cell.span > 1 and text:
            text = f"\\multicolumn{{{cell.span}}}{{c}}{{{text}}}"
            rules.append(f"\\cmidrule(lr){{{covered.start + 1}-{covered.stop}}}")
        cells.append(text or " &" * (cell.span - 1))
    return "\n".join([" & ".join(cells) + r" \\", *([" ".join(rules)] if rules else [])])


def _latex_cell(cell: Cell, after: int) -> str:
    text, decimals = escape_latex(cell.text), _lacking(cell.text, after)
    mark = f" {escape_latex(cell.mark)}" if cell.mark else ""
    text = f"\\textbf{{{text}}}" if cell.style == "bad" and text else text
    return f"{text}\\phantom{{{decimals}}}{mark}" if decimals else f"{text}{mark}"


def markdown_page(parts: Iterable[str | Table]) -> str:
    """Return sentences and tables below each other in Markdown."""
    written = (escape_markdown(part) if isinstance(part, str) else to_markdown(part) for part in parts)
    return "\n\n".join(written) + "\n"


def latex_page(parts: Iterable[str | Table]) -> str:
    """Return sentences and tables below each other in LaTeX."""
    sentence = r"\par\smallskip{\footnotesize %s\par}"
    written = (sentence % escape_latex(part) if isinstance(part, str) else to_latex(part) for part in parts)
    return "\n".join([r"% \usepackage{booktabs}", *written]) + "\n"


_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?", re.IGNORECASE)
_OTHER_SEPARATORS = re.compile("(;)")
"""What parts cells where a spreadsheet takes no comma, whatever quotes stand in the middle of a line."""

_QUOTED = re.compile('[,;"]')


def comma_separated(heads: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a line of headings and a line per row; a number without a value is empty."""
    return "".join(f"{','.join(map(_shown, line))}\n" for line in (list(heads), *rows))


def _shown(value: Any) -> str:
    """Return a value as a spreadsheet shows it and does not obey it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (bool, int, float)):
        return str(value)
    text = "".join(map(_harmless, _OTHER_SEPARATORS.split(visible(value))))
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def _harmless(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
