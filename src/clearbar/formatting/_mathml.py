"""LaTeX formulas as MathML, which every browser sets itself, and as a line of text.

Only what measures are written in is known. The calculator translates the same subset to JavaScript.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from clearbar.core.errors import visible
from clearbar.formatting._text import encodable

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|.", re.DOTALL)
_ARGUMENTS = {"frac": 2, "sqrt": 1, "hat": 1, "bar": 1, "tilde": 1, "dot": 1}
_UPRIGHT = {"mathrm", "text", "textrm", "operatorname", "mathbf"}
_IGNORED = {
    "mathbin", "mathrel", "mathord",  # change only the space around their argument
    "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr",  # the size of a bracket
}  # fmt: skip
_FUNCTIONS = {"ln", "log", "exp", "max", "min", "arccos", "arcsin", "arctan", "cos", "sin", "tan"}
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon chi "
    "psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
_OPERATORS = {
    "sum": "∑", "prod": "∏", "cdot": "·", "times": "×", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥",
    "geq": "≥", "ne": "≠", "neq": "≠", "in": "∈", "infty": "∞", "to": "→", "ldots": "…", "dots": "…",
    "mid": "|", "cap": "∩", "cup": "∪", "triangle": "△", "{": "{", "}": "}", "%": "%", "_": "_", "#": "#",
    "&": "&", "$": "$", "|": "‖",
}  # fmt: skip
_SPACES = {",": 0.1667, ":": 0.2222, ";": 0.2778, " ": 0.3333, "quad": 1.0, "qquad": 2.0, "!": -0.1667}
_SYMBOLS = (
    {name: f"<mi>{html.unescape(f'&{name};')}</mi>" for name in _GREEK.split()}
    | {name: f"<mi>{name}</mi>" for name in _FUNCTIONS}
    | {"phi": "<mi>ϕ</mi>", "varphi": "<mi>φ</mi>"}  # HTML calls them the other way round
    | {name: f"<mo>{html.escape(sign)}</mo>" for name, sign in _OPERATORS.items()}
    | {name: f'<mspace width="{size}em"></mspace>' for name, size in _SPACES.items()}
)
_ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~", "dot": "˙"}
_SHOWN = {"-": "−", "*": "∗", "\\{": "{", "\\}": "}", "\\|": "‖"}


class Node(NamedTuple):
    kind: str  # blank, number, letter, sign, symbol, word, prefix, postfix; row, brackets, scripts, frac …
    text: str = ""  # of a leaf; of scripts their signs
    parts: tuple[Node, ...] = ()


class _Reader:
    """A recursive-descent parser of tokens, one token ahead."""

    def __init__(self, latex: str) -> None:
        self.tokens, self.next, self.depth = _TOKEN.findall(latex)[::-1], "", 0
        self.take()

    def take(self) -> str:
        token, self.next = self.next, self.tokens.pop() if self.tokens else ""
        return token

    def row(self, end: str) -> tuple[Node, ...]:
        """Read up to a closing token and take that."""
        self.depth += 1
        parts = []
        while self.next != end:
            if self.next in {"", "}", r"\right"} or self.depth > 30:  # recursion has an end
                raise ValueError(self.next)
            parts.append(Node("blank", self.take()) if self.next.isspace() else self.scripted())
        self.depth -= 1
        self.take()
        return tuple(parts)

    def scripted(self) -> Node:
        parts, signs = [self.atom()], ""
        while self.next in {"^", "_"} and self.next not in signs:
            signs += self.take()
            parts.append(self.argument())
        return Node("scripts", signs, tuple(parts)) if signs else parts[0]

    def argument(self) -> Node:
        while self.next.isspace():
            self.take()
        if self.next in {"", "}", "^", "_"}:
            raise ValueError(self.next)
        if len(self.next) > 1 and self.next[0].isdigit():  # TeX takes only the first digit: x^12 is x^1 2
            self.tokens.append(self.next[1:])
            self.next = self.next[0]
        return self.atom()

    def atom(self) -> Node:
        token = self.take()
        name = token[1:] if token[0] == "\\" else ""
        if name in _ARGUMENTS:
            node = Node(name, "", tuple(self.argument() for _ in range(_ARGUMENTS[name])))
        elif name == "left":
            opened, inside = Node("prefix", self.take()), self.row(r"\right")
            node = Node("brackets", "", (opened, *inside, Node("postfix", self.take())))
        elif name in _IGNORED:
            node = self.argument()
        elif name:
            node = self.upright() if name in _UPRIGHT else Node("symbol", name)
        elif token == "{":  # noqa: S105 - a brace
            node = Node("row", "", self.row("}"))
        else:
            node = Node("number" if token[0].isdigit() else "letter" if token.isalpha() else "sign", token)
        return node

    def upright(self) -> Node:
        if self.take() != "{":
            raise ValueError(self.next)
        text = ""
        while self.next != "}":
            token = self.take()
            if token in {"", "{"} or (token[0] == "\\" and token not in {r"\_", r"\ "}):
                raise ValueError(token)
            text += token.removeprefix("\\")
        self.take()
        return Node("word", text)


def mathml(latex: str, *, block: bool = False) -> str:
    """Return a formula as MathML; one with LaTeX that no measure is written in is shown as it is written."""
    try:
        inside = "".join(_elements(_Reader(latex).row("")))
    except ValueError:  # LaTeX that no measure is written in
        return f"<code>{html.escape(visible(latex))}</code>"
    display = ' display="block"' if block else ""
    return f"<math{display}>{inside}</math>"


def _elements(parts: Sequence[Node]) -> list[str]:
    elements = []
    for part, following in itertools.zip_longest(parts, parts[1:]):
        base = part.parts[0] if part.kind == "scripts" else part
        applied = base.kind == "symbol" and base.text in _FUNCTIONS
        # A thin space sets a function off its argument, but not off a bracket: ln x, ln(x), log₂ (x).
        thin = applied and (part is not base or following != Node("sign", "("))
        if part.kind != "blank":
            elements.append(_element(part) + (_SYMBOLS[","] if thin else ""))
    return elements


def _element(part: Node) -> str:
    """Return a part as a single element."""
    if part.kind == "scripts":
        base, *scripts = part.parts
        by_sign = dict(zip(part.text, map(_element, scripts), strict=True))
        limits = base.kind == "symbol" and base.text in {"sum", "prod"}  # stand below and above, not beside
        names = {"_": "under", "^": "over"} if limits else {"_": "sub", "^": "sup"}
        kind = "".join(name for sign, name in names.items() if sign in by_sign)
        return f"<m{kind}>{_element(base)}{by_sign.get('_', '')}{by_sign.get('^', '')}</m{kind}>"
    inside = _elements(part.parts)
    if part.kind in {"frac", "sqrt"}:
        return f"<m{part.kind}>{''.join(inside)}</m{part.kind}>"
    if part.kind in _ACCENTS:
        return f'<mover accent="true">{inside[0]}<mo stretchy="false">{_ACCENTS[part.kind]}</mo></mover>'
    if part.kind in {"row", "brackets"}:
        return inside[0] if len(inside) == 1 else f"<mrow>{''.join(inside)}</mrow>"
    return _leaf(part.kind, part.text)


def _leaf(kind: str, text: str) -> str:
    if kind == "symbol" and text in _SYMBOLS:
        return _SYMBOLS[text]
    if kind == "symbol" or (kind == "sign" and text in {"^", "_", "$", "&", "#", "%", "~"}):
        raise ValueError(text)
    shown = html.escape(visible(_SHOWN.get(text, text)))
    if kind in {"prefix", "postfix"}:
        return "" if text == "." else f'<mo fence="true" stretchy="true" form="{kind}">{shown}</mo>'
    if kind == "word" and not text.replace(".", "").isalnum():
        return f"<mtext>{shown}</mtext>"
    upright = ' mathvariant="normal"' if kind == "word" and len(text) == 1 else ""  # else browsers slant it
    tag = {"number": "mn", "sign": "mo"}.get(kind, "mi")
    return f"<{tag}{upright}>{shown}</{tag}>"


_TEXT = {
    "alpha": "α", "beta": "β", "pi": "π", "sum": "Σ", "cdot": "·", "le": " ≤ ", "ne": " ≠ ", "in": " in ",
    "cap": " and ", "triangle": " xor ", "quad": " ", "prod": "product ", ",": "·",
    "hat": "'", "bar": "_mean", "^2": "²", "^3": "³", "^+": "+", "^-": "-",
}  # fmt: skip
_ASCII = {
    "·": "*", "√": "sqrt", "½": "1/2", "²": "^2", "³": "^3", "Σ": "sum ", "α": "alpha", "β": "beta",
    "≤": "<=", "≠": "!=",
}  # fmt: skip


_JOINS = r"[ /]", r"[ /·-]|\d[A-Z]"  # what needs brackets before a slash, and behind it


def plain_formula(latex: str, encoding: str | None = None) -> str:
    """Return LaTeX as text; what it does not know is left as it is."""
    try:
        text = re.sub(" {2,}", " ", _text(_Reader(latex).row("")).strip())
    except ValueError:  # LaTeX that no measure is written in
        text = latex
    plain = "".join(_ASCII.get(c, c) for c in re.sub(r"√(\w)", r"√(\1)", text))
    return text if encodable(text, encoding) == text else plain


def _text(parts: Sequence[Node]) -> str:
    line, items = "", [item for item in _items(parts) if item]
    for item, following in itertools.zip_longest(items, items[1:], fillvalue=""):
        applied = line.endswith(("ln", "log2"))
        factor = applied or line.endswith("·") or following[:1] in {"·", "(", "√"}
        if factor and " / " in item and not _is_bracketed(item):
            line += f"({item})·" if following[:1] == "√" else f"({item})"
        else:
            line += f" {item}" if applied and item[:1].isalpha() else item
            line += "·" if item == "½" and following[:1] == "(" else ""
    return line


def _items(parts: Sequence[Node]) -> Iterator[str]:
    """Yield what is written side by side: a base and its scripts one by one, the ends of brackets as well."""
    for part in parts:
        match part.kind:
            case "scripts":
                yield from _items(part.parts[:1])
                for sign, text in zip(part.text, (_text([script]) for script in part.parts[1:]), strict=True):
                    lowered = text if text.replace(".", "").isdigit() else f"_{text.replace(' ', '')}"
                    yield lowered if sign == "_" else _TEXT.get(f"^{text}", f"^({text})")
            case "brackets":
                yield from _items(part.parts)
            case "prefix" | "postfix":
                yield part.text.removeprefix("\\").strip(".")
            case "frac":
                over, under = (
                    f"({text})" if re.search(joins, text) and not _is_bracketed(text) else text
                    for text, joins in zip(map(_text, ([each] for each in part.parts)), _JOINS, strict=True)
                )
                yield "½" if (over, under) == ("1", "2") else f"{over} / {under}"
            case "sqrt":
                inside = _text(part.parts)
                yield f"√{inside}" if len(inside) == 1 else f"√({inside})"
            case "symbol":
                yield _TEXT.get(part.text, part.text)
            case kind:  # a row or an accent; a leaf
                yield part.text or _text(part.parts) + _TEXT.get(kind, "")


def _is_bracketed(text: str) -> bool:
    """Tell whether brackets already hold it together, as in ``√(P·k)``, ``max(P, k)`` and ``|x|``."""
    opened = re.match(r"(?:√|max|min|ln)?\(|\|", text)
    inside = text[opened.end() : -1] if opened and text[-1] in ")|" else ")"
    depths = itertools.accumulate((c == "(") - (c == ")") for c in inside)
    return min(depths, default=0) >= 0 and "|" not in inside
