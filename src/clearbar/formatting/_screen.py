"""Where text is shown: the colours, letters and columns that a stream has, and what is fitted to them."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, replace
from typing import Any

from clearbar.core._progress import is_terminal
from clearbar.formatting._table import Style, Table, sentence_lines, styled
from clearbar.formatting._text import checked_encoding, encodable, encoding_of

WIDE = 80
"""Columns of a terminal whose width is not known."""

_TOGETHER = re.compile(r"\(?p from [\d.]+ up|\(?\w [=<>≤≥] [\w.]|\(p \w|\d %|--[-\w]+ [A-Z]+\b")
"""What no line break may part."""


@dataclass(frozen=True)
class Screen:
    """What a stream can show."""

    color: bool = False  # whether it is a terminal, and colours are wanted
    encoding: str | None = None  # its encoding; None for one that shows everything
    width: int | None = None  # its columns; None where it is no terminal, so that a line is a line

    @classmethod
    def of(cls, stream: Any) -> Screen:
        terminal = is_terminal(stream)
        color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        width = max(shutil.get_terminal_size().columns, 1) if terminal else None
        return cls(color, encoding_of(stream), width)

    @classmethod
    def plain(cls, stream: Any) -> Screen:
        """Return what a stream can show without colours."""
        return replace(cls.of(stream), color=False)

    @classmethod
    def chosen(cls, color: bool, encoding: Any, width: int | None) -> Screen:  # noqa: FBT001 - by its users
        """Return a screen as its user wants it; a width that is not given is that of many terminals."""
        return cls(color, checked_encoding(encoding), WIDE if width is None else width)

    @property
    def options(self) -> dict[str, Any]:
        """What is passed to whatever has a `to_text`."""
        return {"color": self.color, "encoding": self.encoding, "width": self.width}

    @property
    def columns(self) -> int:
        """Columns that a sentence may take."""
        return WIDE if self.width is None else self.width

    def sentence(self, words: str, style: Style = "", *, first: str = "") -> str:
        """Return words on lines that fit; `first` stands before them, and blanks before the other lines."""
        words = _TOGETHER.sub(lambda part: part[0].replace(" ", "\xa0"), encodable(words, self.encoding))
        first = encodable(first, self.encoding)
        return "\n".join(sentence_lines(words, self.columns, style, first=first, color=self.color))

    def line(self, words: str, style: Style = "", *, first: str = "") -> str:
        """Return words as a sentence on a terminal, and on one line elsewhere: programs read lines."""
        if self.width is not None:
            return self.sentence(words, style, first=first)
        return styled(encodable(first + words, self.encoding), style, color=self.color)

    def table(self, table: Table) -> str:
        return table.to_text(color=self.color, encoding=self.encoding, width=self.width)
