"""Numbers, names, tables and marks as people read them; knows no measure.

Everything that comes from outside is shown, never obeyed: not by a terminal, not by a browser, not
by a Markdown reader or LaTeX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.core._later import late
from clearbar.core.errors import visible
from clearbar.formatting._markup import (
    comma_separated,
    escape_html,
    escape_latex,
    escape_markdown,
    latex_page,
    markdown_page,
)
from clearbar.formatting._numbers import (
    MISSING,
    TELLS,
    decimals,
    number,
    p_phrase,
    p_value_parts,
    p_value_text,
    percent,
    plural,
    signed,
    whole_percent,
)
from clearbar.formatting._screen import Screen
from clearbar.formatting._table import Align, Cell, Column, Style, Table, styled
from clearbar.formatting._text import (
    anchored,
    capital,
    distinct,
    encodable,
    encoding_of,
    filled,
    longest_part,
    shorten,
    width,
    wrapped,
)

if TYPE_CHECKING:
    from clearbar.formatting._mathml import mathml, plain_formula

__all__ = [
    "MISSING",
    "TELLS",
    "Align",
    "Cell",
    "Column",
    "Screen",
    "Style",
    "Table",
    "anchored",
    "capital",
    "comma_separated",
    "decimals",
    "distinct",
    "encodable",
    "encoding_of",
    "escape_html",
    "escape_latex",
    "escape_markdown",
    "filled",
    "latex_page",
    "longest_part",
    "markdown_page",
    "mathml",
    "number",
    "p_phrase",
    "p_value_parts",
    "p_value_text",
    "percent",
    "plain_formula",
    "plural",
    "shorten",
    "signed",
    "styled",
    "visible",
    "whole_percent",
    "width",
    "wrapped",
]

__getattr__ = late(__name__, {"._mathml": ("mathml", "plain_formula")})
