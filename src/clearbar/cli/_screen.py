"""Where output goes, and what happens when nobody reads it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any, TextIO

from clearbar.formatting import encodable, encoding_of


@dataclass(frozen=True)
class Answer:
    """What a command says."""

    text: str  # for standard output
    code: int = 0  # exit code


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
