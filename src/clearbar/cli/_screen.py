"""Where output goes: what the stream can show, and what happens when nobody reads it."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from typing import Any, TextIO

from clearbar.formatting import encodable, encoding_of


@dataclass(frozen=True)
class Answer:
    """What a command says."""

    text: str  # for standard output
    code: int = 0  # exit code


@dataclass(frozen=True)
class Screen:
    """What standard output can show."""

    color: bool = False  # whether it is a terminal, and colours are wanted
    encoding: str | None = None  # its encoding
    width: int | None = None  # its columns; None where it is no terminal, so that a line is a line

    @classmethod
    def of(cls, stream: TextIO) -> Screen:
        """Return what a stream can show."""
        terminal = _is_terminal(stream)
        color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        width = shutil.get_terminal_size().columns if terminal else None
        return cls(color, encoding_of(stream), width)


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # a closed or made-up stream
        return False


def write(text: str, stream: TextIO | None) -> None:
    """Print a text; a reader who has left, as in ``| head``, is no error."""
    if stream is None:  # a process without a console
        return
    try:
        stream.write(encodable(text, encoding_of(stream)) + "\n")
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
    except OSError as error:
        _silence(stream)
        raise OSError(f"the output cannot be written: {(error.strerror or str(error)).lower()}.") from None


def _silence(stream: Any) -> None:
    """Let nothing more be written: what Python flushes on its way out would complain again."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is stream:
                setattr(sys, name, None)
