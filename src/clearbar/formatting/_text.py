"""Text that others wrote, made safe to print, and its width on a screen."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from clearbar.core.errors import JOINERS, shown, visible

_LEFT_TO_RIGHT_MARK = "\u200e"
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_SHORT = 8
_PLAINER = {
    "✗": "x", "✓": "ok", "–": "-", "—": "-", "−": "-", "∞": "inf", "…": "...", "±": "+/-", "≥": ">=",
    "≤": "<=", "·": "|", "×": "x", "κ": "kappa", "χ": "chi", "²": "2", "λ": "lambda", "π": "pi",
}  # fmt: skip
"""What a stream gets that cannot show the character."""


def capital(sentence: str) -> str:
    """Start a sentence with a capital."""
    return sentence[:1].upper() + sentence[1:]


def width(text: str) -> int:
    r"""Return how many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(_columns(text))


def _columns(text: str) -> Iterator[int]:
    """Yield the columns that each character adds."""
    previous, before, flags = 0, "", 0
    for character in text:
        category = unicodedata.category(character)
        flag = 0x1F1E6 <= ord(character) <= 0x1F1FF
        flags = flags + 1 if flag else 0
        wide = unicodedata.east_asian_width(character) in "WF"
        skin_tone = 0x1F3FB <= ord(character) <= 0x1F3FF and previous == 2
        nothing = category in {"Mn", "Me", "Cf"} or 0x1160 <= ord(character) <= 0x11FF
        if nothing or skin_tone or (wide and before == "\u200d"):  # changes what stands before it
            added = 0
        elif flag:  # two of them are one picture of two columns
            added = 2 if flags % 2 else 0
        else:
            added = 2 if wide else 1
        if character == "\ufe0f" and previous == 1:  # asks for the emoji form, which is wide
            added = 1
        yield added
        previous, before = (added or previous), character


def shorten(text: str, most: int) -> str:
    """Cut the middle out of a text that is wider than allowed; names differ at their ends."""
    if width(text) <= most:
        return text
    tail = (most - 1) // 2
    head, end = _take(text, most - 1 - tail), _take(text[::-1], tail)[::-1]
    for number in _NUMBER.finditer(text):  # half of a short one would be read as another
        first, last = number.span()
        if last - first <= _SHORT and 0 < first < len(head) < last:
            head = text[:first]
        if last - first <= _SHORT and first < len(text) - len(end) < last < len(text):
            end = text[last:]
    return f"{head}…{end}"


def _take(text: str, most: int) -> str:
    """Return as much from the start as fits; nothing that joins its neighbour is left hanging."""
    taken, used = 0, 0
    for added in _columns(text):
        if used + added > most:
            break
        used, taken = used + added, taken + 1
    return text[:taken].rstrip(JOINERS)


def distinct(names: Iterable[object], most: int) -> list[str]:
    """Return names made safe and short; where that makes them equal, the last part in which they differ."""
    full = [visible(name) for name in names]
    short = [shorten(name, most) or "''" for name in full]
    often = Counter(short)
    alike = [name for name, brief in zip(full, short, strict=True) if often[brief] > 1]
    telling = _telling(list(dict.fromkeys(alike)), most, set(short)) if alike else {}
    return [telling.get(name, brief) or brief for name, brief in zip(full, short, strict=True)]


def _cuts_a_number(name: str, start: int, end: int) -> bool:
    """Whether a stretch of a name begins or ends within a number, which would be read as another."""
    spans = [number.span() for number in _NUMBER.finditer(name)]
    return any(first < place < last for first, last in spans for place in (start, end))


def _telling(names: Sequence[str], most: int, used: set[str]) -> dict[str, str]:
    """Return for each name the last part that no other has at that place; whole where there is none."""
    chosen = {name: name for name in names}
    left = list(names)
    for whole_numbers, cut in itertools.product((True, False), range(max(map(len, names)))):
        end = "…" if cut else ""
        shown_names = [name for name in left if len(name) > cut]
        parts = [_take(name[: len(name) - cut][::-1], most - 1 - len(end))[::-1] for name in shown_names]
        pieces = [
            f"{'…' if len(part) + cut < len(name) else ''}{part}{end}"
            for name, part in zip(shown_names, parts, strict=True)
        ]
        often = Counter(pieces)
        unique = {
            name: piece
            for name, piece, part in zip(shown_names, pieces, parts, strict=True)
            if often[piece] == 1 and piece not in used
            if not (whole_numbers and _cuts_a_number(name, len(name) - cut - len(part), len(name) - cut))
        }
        chosen |= unique
        used |= set(unique.values())
        left = [name for name in left if name not in unique]
        if not left:
            break
    return chosen


_PART = re.compile(r"[^\s_-]*[\s_-]+|[^\s_-]+")
"""What of a name stays on one line."""


def longest_part(name: object) -> int:
    """Return the columns that the widest part of a name takes, from one space or underscore to the next."""
    return max((width(part.rstrip()) for part in _PART.findall(visible(name))), default=0)


def wrapped(name: str, most: int) -> list[str]:
    """Break a name into lines at its spaces, hyphens and underscores, where it is too wide."""
    if width(name) <= most:
        return [name]
    lines = [""]
    for part in _PART.findall(name):
        if lines[-1] and width(lines[-1] + part.rstrip()) > most:
            lines.append("")
        lines[-1] += part
        while width(lines[-1].rstrip()) > most:
            head = _take(lines[-1], most)
            lines[-1:] = [head, lines[-1][len(head) :]]
    return [line.rstrip() for line in lines]


def wrapped_words(text: str, most: int) -> list[str]:
    """Break words into lines, at spaces where that is enough, else as names are broken."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if width(longer) <= most:
            lines[-1] = longer
        else:
            lines[len(lines) - (not lines[-1]) :] = wrapped(word, max(most, 2))
    return [line.rstrip(" ") for line in lines]


def filled(text: str, most: int, first: str = "") -> list[str]:
    """Break words into lines of so many columns; the others leave as much room as stands before the first."""
    lead = width(first)
    if lead > 2 and most - lead < most // 3:  # then the words stand below it
        start, *more = wrapped(first.rstrip(" "), max(most - 2, 2))
        return [start, *(f"  {line}" for line in more), *filled(text, most, "  ")]
    start, *more = wrapped_words(text, most - lead)
    return [first + start, *(" " * lead + line for line in more)]


def checked_encoding(encoding: Any) -> str | None:
    """Return the name of an encoding, None for any character, or say that it is none."""
    if encoding is None or is_encoding(encoding):
        return encoding  # type: ignore[no-any-return]
    raise ValueError(
        f"encoding must be one that Python knows, such as 'utf-8', or None; found {shown(encoding)}."
    )


def encoding_of(stream: Any) -> str | None:
    """Return the encoding of a stream; plain letters suit one that Python does not know."""
    encoding = getattr(stream, "encoding", None)
    return encoding if encoding is None or is_encoding(encoding) else "ascii"


def is_encoding(name: Any) -> bool:
    """Tell whether Python knows an encoding of text by this name."""
    try:
        "".encode(name)
    except (LookupError, TypeError, ValueError):
        return False
    return True


def encodable(text: str, encoding: str | None) -> str:
    """Return text that a stream of this encoding can show; plain letters stand in for the rest."""
    if encoding is None or _fits(text, encoding):
        return text
    return "".join(
        c if _fits(c, encoding) else _PLAINER.get(c, c.encode("ascii", "backslashreplace").decode())
        for c in text
    )


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    except LookupError:
        return text.isascii()
    return True


def runs_right_to_left(text: str) -> bool:
    """Whether a text has letters of a script that is written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(c) in {"R", "AL"} for c in text)


def anchored(text: str) -> str:
    """Return right-to-left text between invisible marks, so that what stands around it stays where it is."""
    return f"{_LEFT_TO_RIGHT_MARK}{text}{_LEFT_TO_RIGHT_MARK}" if runs_right_to_left(text) else text
