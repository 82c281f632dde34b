"""LaTeX formulas as trees: what is a fraction, a root, an index. Others write them, as MathML or as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|.", re.DOTALL)
_DEEPEST = 30
"""Groups within groups; what is deeper is nobody's formula."""

UPRIGHT = {"mathrm", "text", "textrm", "operatorname", "mathbf"}
ACCENTS = {"hat", "bar", "tilde", "dot"}
_GROUPED = {"mathbin", "mathrel", "mathord"}
"""Commands that change no more than the blanks around their argument."""

_SIZES = {"big", "Big", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr"}
"""Commands for the size of the bracket that follows."""

Kind = Literal[
    "blank", "number", "letter", "sign", "symbol", "word",
    "row", "frac", "sqrt", "accent", "scripts", "brackets",
]  # fmt: skip


@dataclass(frozen=True)
class Node:
    """A part of a formula."""

    kind: Kind
    text: str = ""  # what a leaf is; of an accent its name, of brackets both ends
    parts: tuple[Node, ...] = ()  # numerator and denominator; a base and its scripts
    scripts: str = ""  # the signs of the scripts, ``_``, ``^`` or both


class UnknownLatexError(ValueError):
    """LaTeX beyond what measures are written in."""


def read_latex(latex: str) -> tuple[Node, ...]:
    r"""Return the parts of a formula in order; raise UnknownLatexError if it is not closed, or too deep."""
    reader = _Reader(latex)
    parts = reader.row(end="")
    if reader.next:
        raise UnknownLatexError(reader.next)
    return parts


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, latex: str) -> None:
        self.tokens = _TOKEN.findall(latex)[::-1]
        self.next = ""
        self.depth = 0
        self.take()

    def take(self) -> str:
        token, self.next = self.next, self.tokens.pop() if self.tokens else ""
        return token

    def row(self, end: str) -> tuple[Node, ...]:
        """Read up to a closing token, which stays."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnknownLatexError(end)
        parts = []
        while self.next != end:
            if self.next in {"", "}", r"\right"}:
                raise UnknownLatexError(self.next)
            parts.append(Node("blank", self.take()) if self.next.isspace() else self.scripted())
        self.depth -= 1
        return tuple(parts)

    def scripted(self) -> Node:
        """Read one thing with what is raised or lowered behind it."""
        base, signs = self.atom(), ""
        parts = [base]
        while self.next in {"^", "_"} and self.next not in signs:
            signs += self.take()
            parts.append(self.argument())
        return Node("scripts", "", tuple(parts), signs) if signs else base

    def argument(self) -> Node:
        """Read one thing, or a group in braces."""
        while self.next.isspace():
            self.take()
        if self.next in {"", "}", "^", "_"}:
            raise UnknownLatexError(self.next)
        if len(self.next) > 1 and self.next[0].isdigit():  # only the first digit, as in TeX
            self.tokens.append(self.next[1:])
            self.next = self.next[0]
        return self.atom()

    def atom(self) -> Node:
        token = self.take()
        if token == "{":  # noqa: S105 - a brace
            parts = self.row(end="}")
            self.take()
            return Node("row", "", parts)
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return Node("number", token)
        return Node("letter" if token.isalpha() else "sign", token)

    def command(self, name: str) -> Node:
        readers: dict[str, Callable[[], Node]] = {
            "frac": lambda: Node("frac", "", (self.argument(), self.argument())),
            "sqrt": lambda: Node("sqrt", "", (self.argument(),)),
            "left": self.brackets,
        }
        if name in readers:
            return readers[name]()
        if name in UPRIGHT:
            return self.upright()
        if name in ACCENTS:
            return Node("accent", name, (self.argument(),))
        if name in _GROUPED:
            return self.argument()
        if name in _SIZES:
            return self.argument() if self.next.isspace() else self.atom()
        return Node("symbol", name)

    def upright(self) -> Node:
        """Read a word that is not slanted."""
        if self.next != "{":
            raise UnknownLatexError(self.next)
        self.take()
        word = ""
        while self.next != "}":
            token = self.take()
            if not token or token == "{" or (token.startswith("\\") and token[1:] not in {"_", " "}):  # noqa: S105
                raise UnknownLatexError(token)
            word += token.removeprefix("\\")
        self.take()
        return Node("word", word)

    def brackets(self) -> Node:
        """Read what stands between brackets that grow with it."""
        opened = self.take()
        parts = self.row(end=r"\right")
        self.take()
        closed = self.take()
        return Node("brackets", f"{opened}\n{closed}", parts)
