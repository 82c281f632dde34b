"""A formula's LaTeX as a line of text: ``2·TP / (2·TP + FP + FN)``."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from clearbar.formatting import encodable

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
_LETTERS = {
    "alpha": "α", "beta": "β", "pi": "π", "sum": "Σ", "cdot": "·", "max": "max", "min": "min",
    "left": "", "right": "", "le": " ≤ ", "ne": " ≠ ", "in": " in ", "cap": " and ", "triangle": " xor ",
    "quad": " ", "Bigl": "", "Bigr": "", "prod": "product ",
}  # fmt: skip
_AROUND = {"mathrm": "", "text": "", "mathbin": "", "hat": "'", "bar": "_mean"}
"""What is added to an argument that these stand before."""
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
    text = _joined(_items(iter(_TOKEN.findall(latex)))).strip()
    if encodable(text, encoding) == text:
        return text
    return "".join(_ASCII.get(c, c) for c in re.sub(r"√(\w)", r"√(\1)", text))


def _items(tokens: Iterator[str]) -> list[str]:
    """Read up to the closing brace."""
    items: list[str] = []
    for token in tokens:
        if token == "}":  # noqa: S105 - a brace
            break
        if token == "{":  # noqa: S105
            items.append(_group(tokens))
        elif token in {"^", "_"}:
            items.append(_raised(_argument(tokens), up=token == "^"))  # noqa: S105
        elif token.startswith("\\"):
            items.append(_command(token[1:], tokens))
        else:
            items.append(token)
    return items


def _command(name: str, tokens: Iterator[str]) -> str:
    if name == "frac":
        over, under = _argument(tokens), _argument(tokens)
        if (over, under) == ("1", "2"):
            return "½"
        over = f"({over})" if re.search(r"[ /]", over) and not _is_one(over) else over
        under = f"({under})" if re.search(r"[ /·-]|\d[A-Z]", under) and not _is_one(under) else under
        return _Fraction(f"{over} / {under}")
    if name == "sqrt":
        inside = _argument(tokens)
        return f"√{inside}" if len(inside) == 1 else f"√({inside})"
    if name in _AROUND:
        return _argument(tokens) + _AROUND[name]
    if name == ",":
        return "·"
    return _LETTERS.get(name, name)


def _is_one(text: str) -> bool:
    """Tell whether brackets already hold it together, as in ``√(P·k)`` and ``max(P, k)``."""
    opened = re.match(r"(?:√|max|min|ln)?\(|\|", text)
    if not opened or text[-1] not in ")|":
        return False
    inside = text[opened.end() : -1]
    depths = list(itertools.accumulate((c == "(") - (c == ")") for c in inside))
    return min(depths, default=0) >= 0 and "|" not in inside


def _argument(tokens: Iterator[str]) -> str:
    token = next((token for token in tokens if not token.isspace()), "")
    if token == "{":  # noqa: S105
        return _group(tokens)
    return _command(token[1:], tokens) if token.startswith("\\") else token


def _group(tokens: Iterator[str]) -> str:
    return _joined(_items(tokens))


def _raised(text: str, *, up: bool) -> str:
    if not up:
        return text if text.replace(".", "").isdigit() else f"_{text.replace(' ', '')}"
    return _POWERS.get(text, text if text in {"+", "-"} else f"^({text})")


def _joined(items: list[str]) -> str:
    line, items = "", [item for item in items if item]
    for item, following in zip(items, [*items[1:], ""], strict=True):
        factor = line.endswith("·") or following[:1] in {"·", "(", "√"}
        inside = re.search(r"(ln|log2)$", line) is not None
        if isinstance(item, _Fraction) and (factor or inside):
            line += f"({item})·" if following[:1] == "√" else f"({item})"
        else:
            line += f" {item}" if inside and item[:1].isalpha() else item
            line += "·" if item == "½" and following[:1] == "(" else ""
    return line
