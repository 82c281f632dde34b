"""The colours of verdicts, the same on every surface: pictures, terminal, notebook, report, site, calculator.

From the palette of Okabe and Ito (Color Universal Design, 2008), which people with any kind of colour vision
tell apart; no green. A shape always says the same: a dot clears, a ring is unsettled, a cross is below.
`THEMES` are the variables of style sheets; a test holds these to it.
"""

from __future__ import annotations

CLEARS, UNSETTLED, BELOW = "#0072b2", "#e69f00", "#d55e00"
CLEARS_ON_DARK = "#56b4e9"

CURVES = ("#332288", "#aa4499", "#b8860b", "#4d9ab8", "#7a3b1e", "#777777")
CURVES_ON_DARK = ("#9a8cf0", "#e08fd8", "#eecc66", "#8fcdea", "#d9956a", "#aaaaaa")
"""Lines of models, which say nothing of verdicts; after Tol's muted scheme, without its greens."""

TERMINAL = {"bad": "1;38;5;166", "doubt": "38;5;136", "muted": "38;5;244", "strong": "1"}
"""The nearest of the 240 colours that no theme changes and that are read on white and on black."""

TINTS = {
    "bad": "background:rgba(213,94,0,.18);font-weight:bold",
    "doubt": "background:rgba(230,159,0,.18)",
    "muted": "opacity:.75",
    "strong": "font-weight:bold",
}
"""Cells of a notebook's tables. Text keeps the page's own colour, readable on light and dark pages."""

THEMES = {
    "light": {
        "page": "#ffffff", "ink": "#1b1d21", "soft": "#565b66", "line": "#c9ccd3", "faint": "#f3f4f7",
        "link": "#0b57b0", "clears": CLEARS, "unsettled": UNSETTLED, "below": BELOW,
        "clears-text": "#005a8e", "unsettled-text": "#6b4400", "below-text": "#943f00",
        "clears-tint": "#dcedf8", "unsettled-tint": "#fdf0d0", "below-tint": "#fce6d8",
        "clears-cell": "#4d9dc9", "below-cell": "#e28e4d",
    },
    "dark": {
        "page": "#15171b", "ink": "#e7e9ed", "soft": "#a9aeb9", "line": "#444a55", "faint": "#20242b",
        "link": "#8ab8ff", "clears": CLEARS_ON_DARK, "unsettled": UNSETTLED, "below": BELOW,
        "clears-text": "#8cccf2", "unsettled-text": "#ffd68a", "below-text": "#ffb48a",
        "clears-tint": "#0f3448", "unsettled-tint": "#443308", "below-tint": "#4a2408",
        "clears-cell": "#1d6390", "below-cell": "#954605",
    },
}  # fmt: skip
"""Style sheets' variables: marks, words on a page or on a tint of the same name, and the strongest cells."""
