"""How names are compared."""

from __future__ import annotations

import re


def name_key(name: str) -> str:
    """Return what two spellings of one name have in common.

    Without case, spaces, hyphens, underscores and apostrophes; a minus sign stays.
    """
    return re.sub(r"(?!(?<=[\s_@(=-])-[\d.])[\s\-_'\u2019`]", "", name).casefold()


def names_in(text: str) -> tuple[str, ...]:
    """Return names that are written one after the other, with commas between."""
    return tuple(text.split(", ")) if text else ()
