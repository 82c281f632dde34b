"""One palette on every surface: style sheets hold its colours, and words in them are readable."""

import re
from pathlib import Path

import pytest

from clearbar.formatting._palette import BELOW, CLEARS, CURVES, TERMINAL, THEMES, TINTS, UNSETTLED

ROOT = Path(__file__).parents[2]
REPORT = {
    "page": "page", "ink": "ink", "soft": "soft", "bad": "below-text", "bad-tint": "below-tint",
    "doubt": "unsettled-text", "doubt-tint": "unsettled-tint", "blue": "clears", "up": "clears-cell",
    "down": "below-cell", "ring": "unsettled", "cross": "below",
}  # fmt: skip
CALCULATOR = {"cb-good": "clears-text", "cb-bad": "below-text", "cb-doubt": "unsettled-text"}
SHEETS = [("src/clearbar/report/page.css", REPORT), ("tools/calculator/page.css", CALCULATOR)]


def channels(colour):
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def luminance(colour):
    """Relative luminance (WCAG 2.2)."""
    parts = (channel / 255 for channel in channels(colour))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("sheet", "names"), SHEETS)
def test_a_style_sheet_has_the_colours_of_the_palette(sheet, names):
    css = (ROOT / sheet).read_text(encoding="utf-8").partition("@media print")[0]
    for name, role in names.items():
        found = re.findall(rf"--{name}: (#\w+)", css)
        full = {re.sub("^#(.)(.)(.)$", r"#\1\1\2\2\3\3", colour) for colour in found}
        assert full == {THEMES[theme][role] for theme in THEMES}, name


@pytest.mark.parametrize("theme", THEMES)
def test_words_are_read_on_a_page_and_on_their_tints_and_marks_are_seen(theme):
    colours = THEMES[theme]
    for verdict in ("clears", "unsettled", "below"):
        assert contrast(colours[f"{verdict}-text"], colours["page"]) >= 4.5
        assert contrast(colours[f"{verdict}-text"], colours[f"{verdict}-tint"]) >= 4.5
        least = 2 if verdict == "unsettled" else 3  # a ring in orange, told by its shape as well
        assert contrast(colours[verdict], colours["page"]) >= least
    for cell in ("clears-cell", "below-cell"):
        assert contrast(colours["ink"], colours[cell]) >= 4.5


def test_nothing_is_green():
    texts = [*CURVES, *(colour for theme in THEMES.values() for colour in theme.values())]
    for red, green, blue in map(channels, texts):
        assert green <= max(red, blue) + 8
    assert all(code.split(";")[-1] != "2" for code in TERMINAL.values())


def test_tints_of_a_notebook_are_those_colours():
    for style, colour in (("bad", BELOW), ("doubt", UNSETTLED)):
        assert f"rgba({','.join(map(str, channels(colour)))}," in TINTS[style]
    assert THEMES["light"]["clears"] == CLEARS
