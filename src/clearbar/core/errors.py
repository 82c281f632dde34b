"""Warnings of the library, and the wording that its errors share.

Every message states the rule, what was found, and the next step.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator, MappingView
from collections.abc import Set as AbstractSet
from typing import Any

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
# Invisible characters that scripts and emoji need; every other one is shown by its number.
JOINERS = "\u200c\u200d"

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# How alike a suggestion must be (difflib's ratio), and how much less so than the best one it may be.
_ALIKE, _NEARLY = 0.75, 0.1

_BEGINNING = 3  # letters that are enough to take a word for the beginning of another

# Combining marks kept on one character: enough for any script, too few to climb over other lines.
_MOST_MARKS = 4


class UndefinedMeasureWarning(UserWarning):
    """A score was asked for where the measure has no value; the result is nan."""


class ArgumentError(ValueError):
    """An argument that is not what it should be: its name, what was found there, what would be right.

    The command line says them in its own names: `mends` is the key to what would be right, such as the name
    of an argument, and `values` what that may be.
    """

    def __init__(
        self, argument: str, found: str, right: str = "", mends: str = "", values: Iterable[object] = ()
    ) -> None:
        self.argument, self.found, self.right = argument, found, right
        self.mends, self.values = mends, tuple(values)
        super().__init__(argument, found, right, mends, self.values)

    def __str__(self) -> str:
        """Say it in Python's words."""
        return f"{self.argument}{self.found}{self.right}"


class ManyClassesError(ArgumentError):
    """More than two labels occur where two are judged, and none was named as the positive one."""


def visible(text: object) -> str:
    r"""Return text without anything that a terminal would obey instead of show."""
    # Terminal sequences are removed; control characters, marks that change the direction of writing and lone
    # surrogates are written as their escapes.
    return "".join(_shown(_ANSI.sub("", str(text))))


def _shown(text: str) -> Iterator[str]:
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if category in _HIDDEN and character not in JOINERS:
            yield character.encode("unicode_escape").decode("ascii")
        elif marks <= _MOST_MARKS:
            yield character


def listed(words: Iterable[object], *, last: str = "and", most: int = 12) -> str:
    """Join words as a sentence would: ``a, b and c``; a long list is cut and counted."""
    shown = [str(word) for word in words]
    if len(shown) > most:
        return f"{', '.join(shown[:most])} {last} {len(shown) - most:,} more"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number_in_words(number: int) -> str:
    """Write a small number as a word."""
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"


def brief(name: str, *, most: int = 60) -> str:
    """Return a name as a message shows it: a long one is cut."""
    text = visible(name)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def shown(value: object, *, most: int = 40) -> str:
    """Return a value as a message shows it: on one line, a long one cut."""
    try:
        text = visible(" ".join(repr(value).splitlines()))
    except Exception:  # noqa: BLE001 - a message about a strange object must not fail itself
        text = f"<{type(value).__name__}>"
    return text if len(text) <= most else f"{text[: most - 4]}...{text[-1]}"


def in_given_order(argument: str, names: Any) -> tuple[Any, ...]:
    """Return names in the order in which they stand; a set has none, it changes from one run to the next."""
    if isinstance(names, AbstractSet) and not isinstance(names, MappingView):
        raise ValueError(
            f"{argument} is a {type(names).__name__}, which has no order; pass a list, or sorted({argument})."
        )
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable) or getattr(names, "ndim", 1) != 1:
        raise ValueError(f"{argument} must be a list of names; found {shown(names)}.")
    return tuple(names)


def nearest(word: str, choices: Iterable[str], *, most: int = 3) -> list[str]:
    """Return the choices that begin with ``word``, or else those most like it; case does not matter."""
    by_lower: dict[str, str] = {}
    for choice in choices:
        by_lower.setdefault(choice.lower(), choice)
    begin = [choice for lower, choice in by_lower.items() if lower.startswith(word.lower())]
    if begin and len(word) >= _BEGINNING:
        return begin[:most]
    close = difflib.get_close_matches(word.lower(), list(by_lower), n=most, cutoff=_ALIKE)
    alike = [difflib.SequenceMatcher(None, name, word.lower()).ratio() for name in close]
    return [by_lower[name] for name, ratio in zip(close, alike, strict=True) if ratio >= alike[0] - _NEARLY]
