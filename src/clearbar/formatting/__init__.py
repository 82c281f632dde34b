"""Numbers, names, tables and marks as people read them; knows no measure.

Everything that comes from outside is shown, never obeyed: not by a terminal, not by a browser, not
by a Markdown reader or LaTeX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.core import late
from clearbar.core.errors import visible
from clearbar.formatting._table import Align, Cell, Column, Screen, Style, Table, styled
from clearbar.formatting._text import (
    MISSING,
    TELLS,
    anchored,
    capital,
    decimals,
    distinct,
    encodable,
    encoding_of,
    filled,
    longest_part,
    number,
    p_phrase,
    p_value_parts,
    p_value_text,
    percent,
    plural,
    shorten,
    signed,
    whole_percent,
    width,
    wrapped,
)

if TYPE_CHECKING:
    from clearbar.formatting._markup import comma_separated as comma_separated
    from clearbar.formatting._markup import escape_html as escape_html
    from clearbar.formatting._markup import escape_latex as escape_latex
    from clearbar.formatting._markup import escape_markdown as escape_markdown
    from clearbar.formatting._markup import latex_page as latex_page
    from clearbar.formatting._markup import markdown_page as markdown_page
    from clearbar.formatting._mathml import mathml as mathml
    from clearbar.formatting._mathml import plain_formula as plain_formula

__all__ = ["MISSING", "TELLS", "Align", "Cell", "Column", "Screen", "Style", "Table", "anchored", "capital"]
__all__ += ["decimals", "distinct", "encodable", "encoding_of", "filled", "longest_part", "number"]
__all__ += ["p_phrase", "p_value_parts", "p_value_text", "percent", "plural", "shorten", "signed", "styled"]
__all__ += ["visible", "whole_percent", "width", "wrapped"]

_ESCAPES = "comma_separated", "escape_html", "escape_latex", "escape_markdown", "latex_page", "markdown_page"
__getattr__ = late(__name__, {"._markup": _ESCAPES, "._mathml": ("mathml", "plain_formula")})
