"""Warnings of the library, and the wording that its errors share.

Every message states the rule, what was found, and the next step.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UndefinedMeasureWarning(UserWarning):
    """A score was asked for where the measure has no value; the result is nan."""


def listed(words: Iterable[object], *, last: str = "and", most: int = 12) -> str:
    """Join words as a sentence would: ``a, b and c``; a long list is cut and counted.

    Parameters
    ----------
    words : iterable
        What to list, in order.
    last : str
        The word before the last one.
    most : int
        How many words are shown before the rest is only counted.

    Returns
    -------
    str
    """
    shown = [str(word) for word in words]
    if len(shown) > most:
        return f"{', '.join(shown[:most])} {last} {len(shown) - most:,} more"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def brief(name: str, *, most: int = 60) -> str:
    """Return a name as a message shows it: a long one is cut.

    Parameters
    ----------
    name : str
        Such as that of a column.
    most : int
        How many characters are shown.

    Returns
    -------
    str
    """
    return name if len(name) <= most else f"{name[: most - 3]}..."


def nearest(word: str, choices: Iterable[str], *, most: int = 3) -> list[str]:
    """Return the choices that look most like ``word``, best first, ignoring case.

    Parameters
    ----------
    word : str
        What was typed.
    choices : iterable of str
        What could have been meant.
    most : int
        How many to return at the most.

    Returns
    -------
    list of str
    """
    by_lower: dict[str, str] = {}
    for choice in choices:
        by_lower.setdefault(choice.lower(), choice)
    found = difflib.get_close_matches(word.lower(), list(by_lower), n=most, cutoff=0.5)
    return [by_lower[name] for name in found]
