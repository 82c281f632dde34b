"""A Display as SVG that may stand within a page: small, the same each time, and styled by the page.

Text stays text, black is the page's ink and white its paper; nothing is left that a strict content
security policy would refuse, and no date, path or name that another picture uses too.
"""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from clearbar.formatting import shorten, visible
from clearbar.plots._display import Display, pyplot

_PAGE: dict[str, Any] = {"figure.figsize": [5.0, 5.0]}
_TELEPHONE: dict[str, Any] = {"figure.figsize": [3.7, 3.7], "font.size": 13.0}
"""Inches and points, as a page shows them, and as the screen of a telephone does at full size."""

_MOST_LETTERS = 6_000
"""Of a description: names may be long, and the tables have them too."""

_NOTEBOOK_INKS = {
    "#000000": "currentColor",
    "#ffffff": "none",
    "#525252": "var(--jp-content-font-color2,var(--vscode-descriptionForeground,GrayText))",
}
"""The ink of a notebook's page instead of matplotlib's black on white."""

_SHAPES = {"d", "points", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "transform", "viewBox"}
_LENGTHS = {"font-size", "stroke-width"}
_DEFAULTS = {("stroke-linejoin", "round"), ("stroke-linecap", "butt"), ("text-anchor", "start")}


def inline_svg(
    draw: Callable[[], Display], name: str, inks: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """Draw a Display; return it as markup, and in words."""
    display, text = _drawn(draw, _PAGE)
    return _markup(text, display, name, {"#000000": "currentColor", **(inks or {})})


def both_widths(draw: Callable[[], Display], name: str, inks: Mapping[str, str]) -> tuple[str, str]:
    """Draw a Display as `inline_svg` does, and again for a telephone; return both as markup."""
    display, wide = _drawn(draw, _PAGE)
    _, narrow = _drawn(display.plot, _TELEPHONE)
    inks = {"#000000": "currentColor", **inks}
    return _markup(wide, display, name, inks)[0], _markup(narrow, display, f"{name}n", inks)[0]


def _drawn(draw: Callable[[], Display], settings: Mapping[str, Any]) -> tuple[Display, str]:
    """Draw on no ground with these settings alone; return the Display, and matplotlib's SVG of it."""
    plt = pyplot("The report's pictures")
    faces = "figure.facecolor", "axes.facecolor", "savefig.facecolor"
    with plt.style.context(["default", {**settings, **dict.fromkeys(faces, "none")}]), plt.ioff():
        display = draw()
        try:
            return display, _saved(display)
        finally:
            plt.close(display.figure_)


def notebook_html(display: Display) -> str:
    """Return a picture that was drawn as markup for a notebook, in the colours of its page.

    What a user's style colours stays as it is. A figure that is shown thus is closed where the notebook would
    show it once more.
    """
    plt = pyplot("A picture in a notebook")
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    text = _saved(display)
    if "inline" in mpl.get_backend():
        plt.close(display.figure_)
    inks = _NOTEBOOK_INKS if to_hex(display.figure_.get_facecolor()) == "#ffffff" else {}
    return _markup(text, display, f"cb{zlib.crc32(text.encode()):08x}", inks)[0]


def _saved(display: Display) -> str:
    import matplotlib as mpl

    file = io.StringIO()
    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "clearbar"}  # the same each time
    with mpl.rc_context(settings), warnings.catch_warnings():
        # The reader's fonts write the text, not matplotlib's.
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        nothing: dict[str, Any] = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        display.figure_.savefig(file, format="svg", metadata=nothing)
    return file.getvalue()


def _markup(text: str, display: Display, name: str, inks: Mapping[str, str]) -> tuple[str, str]:
    """Write matplotlib's SVG again, shorter and for a page; return the picture in words as well."""
    description = shorten(visible(display.description), _MOST_LETTERS)
    root = ET.fromstring(text)  # noqa: S314 - our own
    referred = dict.fromkeys(re.findall(r"""(?:url\(|href=")#([\w.-]+)""", text))
    ids = {referred_id: f"{name}-{index}" for index, referred_id in enumerate(referred)}

    def element(node: ET.Element) -> str:
        tag = node.tag.rpartition("}")[2]
        inside = "" if tag in {"style", "metadata"} else "".join(map(element, node))
        if tag in {"style", "metadata"} or (tag in {"g", "defs"} and not inside):
            return ""
        attributes = [rewritten(*pair) for pair in _attributes(node) if pair[0] != "id" or pair[1] in ids]
        if tag == "g" and not attributes:
            return inside
        words = escape(node.text) if tag in {"text", "tspan"} and node.text else ""
        content = f"{words}{inside}"
        return f"<{tag}{''.join(attributes)}{f'>{content}</{tag}>' if content else '/>'}"

    def rewritten(key: str, value: str) -> str:
        if key in _SHAPES:
            value = re.sub(r"\s*([A-Za-z]|\s)\s*", r"\1", re.sub(r"-?\d+(?:\.\d+)?", _rounded, value)).strip()
        elif key in _LENGTHS:
            value = re.sub(r"\d+\.\d+", lambda length: f"{float(length[0]):.3g}", value)
        elif key == "id":
            value = ids[value]
        elif key == "href" or "url(#" in value:
            value = re.sub(r"#([\w.-]+)", lambda reference: f"#{ids[reference[1]]}", value)
        return f' {key}="{escape(inks.get(value, value))}"'

    inside = "".join(map(element, root))
    width, height = (float(size) for size in root.attrib["viewBox"].split()[2:])
    box = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width * 4 / 3:.0f}" height="{height * 4 / 3:.0f}"'
    ink = inks.get("#000000", "#000000")
    style = f'font-family="DejaVu Sans, Verdana, sans-serif" fill="{ink}" stroke-linejoin="round"'
    return f'<svg role="img" aria-label="{escape(description)}" {box} {style}>{inside}</svg>', description


def _attributes(node: ET.Element) -> list[tuple[str, str]]:
    """Return a node's attributes, its style among them, without those that say what is so anyway."""
    attributes: dict[str, str] = {}
    for key, value in node.attrib.items():
        name = key.rpartition("}")[2]
        if name == "style":
            styles = (style.partition(":") for style in value.split(";") if style.strip())
            attributes |= {style.strip(): setting.strip() for style, _, setting in styles}
        else:
            attributes[name] = value
    attributes.pop("font-family", None)
    if re.fullmatch(r"rotate\(-?0(?:\.0+)? [^)]*\)", attributes.get("transform", "")):
        del attributes["transform"]
    return [attribute for attribute in attributes.items() if attribute not in _DEFAULTS]


def _rounded(match: re.Match[str]) -> str:
    text = f"{float(match[0]):.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
