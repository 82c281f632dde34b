"""Documents: what JSON begins with, and text in files, written beside and moved into place."""

from __future__ import annotations

import errno
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clearbar._version import __version__
from clearbar.core._value import checked_flag, whole_number

SCHEMA = 2  # grows when a field is renamed or removed, or means something else; what is added leaves it


@contextmanager
def errors_of_writing(given: str) -> Iterator[None]:
    """Tell what the system refuses by the name that was given: not a part's, nor what a link points to."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # a sentence of our own
            raise
        name = f"{given[:60]}..." if error.errno == errno.ENAMETOOLONG else given
        reason = (error.strerror or str(error)).lower()
        raise type(error)(f"{name} cannot be written: {reason}.") from error


def savable(path: str | os.PathLike[str], *, overwrite: bool = False, example: str = "report.html") -> Path:
    """Return where a file will stand, links followed, or say what is in the way."""
    checked_flag("overwrite", overwrite)
    given: Any = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(given, str) or not given or "\0" in given:
        raise ValueError(f"path must be the name of a file; found {given!r:.80}.")
    with errors_of_writing(given):
        place = Path(os.path.realpath(given))
        if place.is_dir():
            raise ValueError(f"{given} is a folder; give the name of a file, such as {place / example}.")
        if place.exists() and not place.is_file():
            raise ValueError(f"{given} is no ordinary file, and writing moves a new one into its place.")
        if place.exists() and not overwrite:
            raise FileExistsError(
                f"{given} is there already; pass overwrite=True to replace it, or another name."
            )
        if not place.parent.is_dir():
            raise FileNotFoundError(
                f"there is no folder {place.parent}; make it first, or give another name."
            )
        return place


def save(text: str, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write a text file whole, or not at all."""
    place = savable(path, overwrite=overwrite)
    unfinished = place.with_name(f".{secrets.token_hex(8)}.part")
    with errors_of_writing(os.fspath(path)):
        try:
            # Half a surrogate pair has no bytes in UTF-8, and is written as its escape.
            with unfinished.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if overwrite:
                unfinished.replace(place)
            else:
                _into(unfinished, place, str(path))
        finally:
            unfinished.unlink(missing_ok=True)


def _into(unfinished: Path, place: Path, given: str) -> None:
    """Move a file to where none may be: also not one that came in the meantime."""
    try:
        place.hardlink_to(unfinished)
    except FileExistsError:
        savable(given)
        raise
    except OSError:  # a file system without links
        savable(given)
        unfinished.replace(place)


def document(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a document behind its versions; docs/json.md says what it holds."""
    return {"clearbar": __version__, "schema": SCHEMA, **content}


def strict_json(content: dict[str, Any], indent: Any) -> str:
    """Return content as JSON that any reader takes, on one line or with so many blanks per level."""
    blanks = None if indent is None else whole_number("indent", indent, instead=", or None")
    return json.dumps(content, indent=blanks, allow_nan=False)
