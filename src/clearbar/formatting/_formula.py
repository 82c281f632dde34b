"""LaTeX formulas as a line of text: ``2·TP / (2·TP + FP + FN)``."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from clearbar.formatting._latex import Node, UnknownLatexError, read_latex
from clearbar.formatting._text import encodable

_LETTERS = {
    "alpha": "α", "beta": "β", "pi": "π", "sum": "Σ", "cdot": "·", "le": " ≤ ", "ne": " ≠ ", "in": " in ",
    "cap": " and ", "triangle": " xor ", "quad": " ", "prod": "product ", ",": "·",
}  # fmt: skip
_ACCENTS = {"hat": "'", "bar": "_mean"}
_POWERS = {"2": "²", "3": "³"}


class _Fraction(str):
    """Text that needs brackets when something multiplies it."""

    __slots__ = ()


_ASCII = {
    "·": "*", "√": "sqrt", "½": "1/2", "²": "^2", "³": "^3", "Σ": "sum ", "α": "alpha", "β": "beta",
    "≤": "<=", "≠": "!=",
}  # fmt: skip
"""For a stream that has no other letters."""


def plain_formula(latex: str, encoding: str | None = None) -> str:
    r"""Return LaTeX as text; what it does not know is left as it is."""
    try:
        text = re.sub(" {2,}", " ", _joined(list(_items(read_latex(latex)))).strip())
    except UnknownLatexError:
        text = latex
    if encodable(text, encoding) == text:
        return text
    return "".join(_ASCII.get(c, c) for c in re.sub(r"√(\w)", r"√(\1)", text))


def _items(parts: Sequence[Node]) -> Iterator[str]:
    """Yield parts as text; a base, its scripts, and the ends of brackets one by one."""
    for part in parts:
        if part.kind == "scripts":
            base, *scripts = part.parts
            yield from _items([base])
            for sign, script in zip(part.scripts, scripts, strict=True):
                yield _raised(_text(script), up=sign == "^")
        elif part.kind == "brackets":
            left, right = (end.removeprefix("\\").strip(".") for end in part.text.split("\n"))
            yield from (left, *_items(part.parts), right)
        else:
            yield _text(part)


def _text(part: Node) -> str:
    """Return a part as one piece of text."""
    if part.kind == "frac":
        return _fraction(*map(_text, part.parts))
    if part.kind == "sqrt":
        inside = _text(part.parts[0])
        return f"√{inside}" if len(inside) == 1 else f"√({inside})"
    if part.kind == "accent":
        return _text(part.parts[0]) + _ACCENTS.get(part.text, "")
    if part.kind == "symbol":
        return _LETTERS.get(part.text, part.text)
    return _joined(list(_items(part.parts))) if part.kind == "row" else part.text


def _fraction(over: str, under: str) -> str:
    if (over, under) == ("1", "2"):
        return "½"
    over = f"({over})" if re.search(r"[ /]", over) and not _is_bracketed(over) else over
    under = f"({under})" if re.search(r"[ /·-]|\d[A-Z]", under) and not _is_bracketed(under) else under
    return _Fraction(f"{over} / {under}")


def _is_bracketed(text: str) -> bool:
    """Tell whether brackets already hold it together, as in ``√(P·k)`` and ``max(P, k)``."""
    opened = re.match(r"(?:√|max|min|ln)?\(|\|", text)
    if not opened or text[-1] not in ")|":
        return False
    inside = text[opened.end() : -1]
    depths = list(itertools.accumulate((c == "(") - (c == ")") for c in inside))
    return min(depths, default=0) >= 0 and "|" not in inside


def _raised(text: str, *, up: bool) -> str:
    if not up:
        return text if text.replace(".", "").isdigit() else f"_{text.replace(' ', '')}"
    return _POWERS.get(text, text if text in {"+", "-"} else f"^({text})")


def _joined(items: list[str]) -> str:
    line, items = "", [item for item in items if item]
    for item, following in itertools.zip_longest(items, items[1:], fillvalue=""):
        factor = line.endswith("·") or following[:1] in {"·", "(", "√"}
        inside = re.search(r"(ln|log2)$", line) is not None
        if isinstance(item, _Fraction) and (factor or inside):
            line += f"({item})·" if following[:1] == "√" else f"({item})"
        else:
            line += f" {item}" if inside and item[:1].isalpha() else item
            line += "·" if item == "½" and following[:1] == "(" else ""
    return line
