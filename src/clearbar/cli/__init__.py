"""The command line: reads arguments, calls the library, prints; no logic of its own.

A command is a function from its options to a `Reply`. Whatever goes wrong becomes one line on
standard error and exit code 2.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from clearbar.cli._errors import UsageError
from clearbar.cli._parser import parse

if TYPE_CHECKING:
    from clearbar.cli._output import Reply

__all__ = ["main"]

_WRONG, _INTERRUPTED = 2, 130
_WHERE = {
    "measures": "_catalogue",
    "explain": "_catalogue",
    "baseline": "_bars",
    "judge": "_bars",
    "possible": "_claims",
    "claim": "_claims",
    "samples": "_bars",
    "rate": "_files",
    "evaluate": "_files",
    "compare": "_files",
    "leaderboard": "_files",
    "tasks": "_files",
    "check": "_gate",
    "demo": "_completion",
    "completion": "_completion",
}
"""The module of each command, loaded when it is called."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; 1 says that in `check` a model does not clear, 2 that something is wrong."""
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except SystemExit as stop:  # argparse has printed help or the version
        return int(stop.code or 0)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BaseException as error:  # noqa: BLE001 - nor a panic of an engine: code 1 is a model that fails
        return _complain(error)
    finally:
        _flush_warnings()


def _flush_warnings() -> None:
    """Write what others left for standard error: without room for it Python ends with exit code 120."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError):
        from clearbar.cli._output import silence

        silence(sys.stderr)


def _run(argv: list[str]) -> int:
    if argv[:1] == ["--complete"]:  # a shell asks, of words that are no command yet
        from clearbar.cli._completion import completed
        from clearbar.cli._output import write

        with suppress(
            Exception
        ):  # whatever is wrong, nothing is completed, and nobody is told while they type
            write(completed(argv[1:]), sys.stdout)
        return 0
    from clearbar.cli._output import chosen_format, write
    from clearbar.formatting import Screen

    options = parse(argv)
    chosen_format(options)  # two of them are refused before anything is read
    if options.files:
        from clearbar.cli._output import check_outputs

        check_outputs(options)
    room = importlib.import_module(f"clearbar.cli.{_WHERE[options.command]}")
    answer: Reply = getattr(room, options.command)(options, Screen.of(sys.stdout))
    write(answer.text, sys.stdout)
    if answer.note:
        write(Screen.plain(sys.stderr).line(f"clearbar: {answer.note}"), sys.stderr)
    return answer.code


def _complain(error: BaseException) -> int:
    from clearbar.cli._output import write
    from clearbar.formatting import Screen

    with suppress(OSError):
        if os.environ.get("CLEARBAR_DEBUG"):
            write("".join(traceback.format_exception(error)), sys.stderr)
        write(Screen.plain(sys.stderr).line(f"clearbar: {_sentence(error)}"), sys.stderr)
    return _WRONG


def _sentence(error: BaseException) -> str:
    from clearbar.cli._errors import in_options
    from clearbar.formatting import visible

    if isinstance(error, (ValueError, OSError, ImportError, UsageError)) and str(error):
        sentence = in_options(error)
    elif isinstance(error, MemoryError):
        sentence = "there is not enough memory for this."
    else:
        sentence = (
            f"unexpected {type(error).__name__}: {error}. This is a mistake in clearbar: set "
            "CLEARBAR_DEBUG=1 and run it again for the traceback."
        )
    return visible(sentence)
