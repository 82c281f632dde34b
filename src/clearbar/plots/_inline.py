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

_OURS = (
    "axes.", "figure.", "font.", "grid.", "hatch.", "legend.", "lines.", "markers.", "mathtext.", "patch.",
    "path.", "savefig.", "scatter.", "svg.", "text.", "xaxis.", "xtick.", "yaxis.", "ytick.",
)  # fmt: skip
"""Settings that a user may have changed, and that a picture of the report has of its own."""

_WIDE = 5.0
"""Inches: as a page shows it, and still to be read on a telephone."""

_MOST_WORDS = 6_000
"""Letters of a description: names may be long, and the tables have them too."""

_NOTHING: dict[str, Any] = dict.fromkeys(("Date", "Creator", "Format", "Type"))
"""What is not written into a file."""

_PAGE = {
    "#000000": "currentColor",
    "#ffffff": "none",
    "#525252": "var(--jp-content-font-color2,var(--vscode-descriptionForeground,GrayText))",
}
"""The ink of a notebook's page instead of matplotlib's black on white."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_REFERENCE = re.compile(r"#([\w.-]+)")
_SHAPED = {"d", "points", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "transform", "viewBox"}


def inline_svg(
    draw: Callable[[], Display], name: str, inks: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """Draw a Display and return it as markup."""
    plt = pyplot("The report's pictures")
    import matplotlib as mpl

    plain = {key: value for key, value in mpl.rcParamsDefault.items() if key.startswith(_OURS)}
    plain |= dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none")
    file = io.StringIO()
    plain["figure.figsize"] = [_WIDE, _WIDE]
    settings = {**plain, "svg.fonttype": "none", "svg.hashsalt": "clearbar", "interactive": False}
    with mpl.rc_context(settings), warnings.catch_warnings():
        # The reader's fonts write the text, not matplotlib's.
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        display = draw()
        try:
            display.figure_.savefig(file, format="svg", metadata=_NOTHING)
        finally:
            plt.close(display.figure_)
    return _written(file.getvalue(), display, name, {"#000000": "currentColor", **(inks or {})})


def notebook_html(display: Display) -> str:
    """Return a picture that was drawn as markup for a notebook, in the colours of its page.

    What a user's style colours stays as it is. A figure that is shown thus is closed where the notebook would
    show it once more.
    """
    plt = pyplot("A picture in a notebook")
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    file = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "clearbar"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        display.figure_.savefig(file, format="svg", metadata=_NOTHING)
    if "inline" in mpl.get_backend():
        plt.close(display.figure_)
    ours = to_hex(display.figure_.get_facecolor()) == "#ffffff"
    text = file.getvalue()
    return _written(text, display, f"cb{zlib.crc32(text.encode()):08x}", _PAGE if ours else {})[0]


def _written(text: str, display: Display, name: str, inks: Mapping[str, str]) -> tuple[str, str]:
    """Write matplotlib's SVG again, and the picture in words."""
    description = shorten(visible(display.description), _MOST_WORDS)
    root = ET.fromstring(text)  # noqa: S314 - our own
    inside = _Markup(root, name, inks).inside(root)
    wide, tall = (float(size) for size in root.attrib["viewBox"].split()[2:])
    box = f'viewBox="0 0 {wide:.0f} {tall:.0f}" width="{wide * 4 / 3:.0f}" height="{tall * 4 / 3:.0f}"'
    ink = inks.get("#000000", "#000000")
    style = f'font-family="DejaVu Sans, Verdana, sans-serif" fill="{ink}" stroke-linejoin="round"'
    return f'<svg role="img" aria-label="{escape(description)}" {box} {style}>{inside}</svg>', description


class _Markup:
    """Writes matplotlib's SVG again, shorter and for a page."""

    def __init__(self, root: ET.Element, name: str, inks: Mapping[str, str]) -> None:
        self.name, self.inks = name, inks
        values = (value for node in root.iter() for value in node.attrib.values())
        self.used = {name for value in values for name in _REFERENCE.findall(value)}

    def inside(self, node: ET.Element) -> str:
        return "".join(map(self.element, node))

    def element(self, node: ET.Element) -> str:
        tag = node.tag.rpartition("}")[2]
        if tag in {"style", "metadata"}:
            return ""
        inside = self.inside(node)
        if tag in {"g", "defs"} and not inside:
            return ""
        given = self.attributes(node)
        if tag == "g" and not given:
            return inside
        text = escape(node.text) if tag in {"text", "tspan"} and node.text else ""
        words = "".join(f' {key}="{escape(value)}"' for key, value in given.items())
        return f"<{tag}{words}>{text}{inside}</{tag}>"

    def attributes(self, node: ET.Element) -> dict[str, str]:
        """Return a node's attributes, its style among them."""
        pairs: dict[str, str] = {}
        for key, value in node.attrib.items():
            plain = key.rpartition("}")[2]
            if plain == "style":
                pairs |= _style(value)
            elif plain != "id" or value in self.used:
                pairs[plain] = value
        pairs = {key: self.value(key, value) for key, value in pairs.items()}
        if re.fullmatch(r"rotate\(-?0 [^)]*\)", pairs.get("transform", "")):
            del pairs["transform"]
        return pairs

    def value(self, key: str, value: str) -> str:
        if key in _SHAPED:
            return " ".join(_NUMBER.sub(_rounded, value).split())
        if key == "id":
            return f"{self.name}-{value}"
        if key == "href" or "url(#" in value:
            return value.replace("#", f"#{self.name}-")
        return self.inks.get(value, value)


def _style(text: str) -> dict[str, str]:
    parts = (part.partition(":") for part in text.split(";") if part.strip())
    styles = {key.strip(): value.strip() for key, _, value in parts}
    styles.pop("font-family", None)
    if styles.get("stroke-linejoin") == "round":
        del styles["stroke-linejoin"]
    if styles.get("stroke-linecap") == "butt":
        del styles["stroke-linecap"]
    return styles


def _rounded(match: re.Match[str]) -> str:
    text = f"{float(match[0]):.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
