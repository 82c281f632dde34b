"""Numbers and names as people read them: right to the last digit, safe to print, and as wide as a screen."""

from __future__ import annotations

import codecs
import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from clearbar.core.errors import JOINERS, shown, visible

MINUS = "−"
MISSING = "–"
TELLS = 1e-5  # the least p-value of a verdict that is written: its test gives up 2e-6 for its confidence box

ALPHA = 0.05
_INTEGERS_TO = 1e15
_NEAR = 1e-12  # closer than this, relatively, a number is the whole number that arithmetic just missed
_RARE = 1e-6  # a share below which zeros are no longer counted


def decimals(samples: int) -> int:
    """Return the decimals of a share: 3 up to 10,000 samples; one more for every factor of 100 beyond."""
    return max(3, math.ceil(math.log10(max(samples, 1)) / 2) + 1)


def number(value: float, samples: int = 1000, *, scale: float = 0.0, places: int | None = None) -> str:
    """Write a number with the digits that the sample size supports, or with more if else it looked whole."""
    size = abs(float(value))
    if math.isnan(size):
        return MISSING
    if size <= 1e-14 * scale:
        return "0"
    return (MINUS if value < 0 else "") + _size(size, decimals(samples) if places is None else places)


def _size(size: float, places: int) -> str:
    if math.isinf(size):
        return "∞"
    if size < _INTEGERS_TO and abs(size - round(size)) <= _NEAR * size:
        return f"{round(size):,}"
    places = max(1, places - max(0, math.floor(math.log10(size))))
    if size >= _INTEGERS_TO or size < 10.0 ** -(places + 2):
        return _scientific(size)
    text = f"{size:,.{places}f}"
    while float(text.replace(",", "")) in {0.0, 1.0}:  # the ends of most scores: 0.9997 is not perfect
        places += 1
        text = f"{size:,.{places}f}"
    return text


def _scientific(size: float, digits: int = 1) -> str:
    mantissa, exponent = f"{size:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def signed(value: float, places: int = 2) -> str:
    value = float(value)
    text = number(value, places=places)
    if 0 < abs(value) < 0.5 * 10.0**-places and "e" not in text:  # one digit is enough to see the sign
        first = -math.floor(math.log10(abs(value)))
        text = f"{MINUS if value < 0 else ''}{abs(value):.{first}f}"
    return text if not value > 0 or text == "0" else f"+{text}"


def p_value_parts(
    value: float, alpha: float = ALPHA, *, floor: float = 1e-16, is_bound: bool = False
) -> tuple[str, str]:
    """Return the sign before a probability, such as ``<``, and two significant digits on its side of alpha.

    One that is the least that its number of random draws can tell is a bound: ``≤``, ``0.00020``.
    """
    value = float(value)
    if math.isnan(value):
        return "", MISSING
    if value < floor:
        return "<", _scientific(floor, digits=0)
    if value > 0.99:
        return ("", "1") if value >= 1.0 else (">", "0.99")
    sign = "≤" if is_bound else ""
    if value < 1e-4:
        return sign, _scientific(value)
    places = 1 - math.floor(math.log10(value))
    while value != alpha and (float(f"{value:.{places}f}") - alpha) * (value - alpha) <= 0 and places < 12:
        places += 1
    return sign, f"{value:.{places}f}"


def p_value_text(value: float, alpha: float = ALPHA, *, floor: float = 1e-16, is_bound: bool = False) -> str:
    """Write a probability for a table: ``0.015``, ``<1e-16``, ``≤0.00020``."""
    return "".join(p_value_parts(value, alpha, floor=floor, is_bound=is_bound))


def p_phrase(value: float, alpha: float = ALPHA, *, floor: float = 1e-16, is_bound: bool = False) -> str:
    """Write a probability as a sentence would: ``p = 0.015``, ``p < 1e-16``, ``p ≤ 0.00020``."""
    sign, text = p_value_parts(value, alpha, floor=floor, is_bound=is_bound)
    return f"p {sign or '='} {text}"


def percent(share: float) -> str:
    """Write a share in per cent; what is neither none nor all never looks like it."""
    if math.isnan(share):
        return MISSING
    if share in {0.0, 1.0}:
        return f"{100 * share:.0f} %"
    if share < _RARE:
        return f"{_scientific(100 * share)} %"
    if share > 1.0 - _RARE:
        return f">{100 * (1.0 - _RARE):.4f} %"
    places = 1
    while f"{100 * share:.{places}f}".strip("0") in {".", "100."}:
        places += 1
    return f"{100 * share:.{places}f} %"


def whole_percent(share: float) -> str:
    """Write a level as it is said: 5 %, not 5.0 %."""
    return percent(share).replace(".0 %", " %")


def plural(count: int, one: str, many: str = "") -> str:
    """Write how many there are of something."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def width(text: str) -> int:
    r"""Return how many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(_columns(text))


def _columns(text: str) -> Iterator[int]:
    """Yield the columns that each character adds."""
    previous, before, flags = 0, "", 0
    for character in text:
        flag = 0x1F1E6 <= ord(character) <= 0x1F1FF
        flags = flags + 1 if flag else 0
        wide = unicodedata.east_asian_width(character) in "WF"
        skin_tone = 0x1F3FB <= ord(character) <= 0x1F3FF and previous == 2
        joining = unicodedata.category(character) in {"Mn", "Me", "Cf"} or 0x1160 <= ord(character) <= 0x11FF
        if joining or skin_tone or (wide and before == "\u200d"):  # changes what stands before it
            added = int(character == "\ufe0f" and previous == 1)  # which asks for the emoji form, a wide one
        elif flag:  # two of them are one picture of two columns
            added = 2 if flags % 2 else 0
        else:
            added = 2 if wide else 1
        yield added
        previous, before = (added or previous), character


_DIGITS = re.compile(r"\d+(?:\.\d+)*")
_SHORT = 8  # characters up to which a number in a name is never cut: half of it would be read as another


def shorten(text: str, most: int) -> str:
    """Cut the middle out of a text that is wider than allowed; names differ at their ends."""
    if width(text) <= most:
        return text
    tail = (most - 1) // 2
    head, end = _take(text, most - 1 - tail), _take(text[::-1], tail)[::-1]
    for digits in _DIGITS.finditer(text):
        first, last = digits.span()
        if last - first <= _SHORT and 0 < first < len(head) < last:
            head = text[:first]
        if last - first <= _SHORT and first < len(text) - len(end) < last < len(text):
            end = text[last:]
    return f"{head}…{end}"


def _take(text: str, most: int) -> str:
    """Return as much from the start as fits; nothing that joins its neighbour is left hanging."""
    used = itertools.accumulate(_columns(text))
    return text[: sum(1 for _ in itertools.takewhile(lambda columns: columns <= most, used))].rstrip(JOINERS)


def distinct(names: Iterable[object], most: int) -> list[str]:
    """Return names made safe and short; where that makes them equal, the last part in which they differ."""
    full = [visible(name) for name in names]
    short = [shorten(name, most) or "''" for name in full]
    often = Counter(short)
    alike = dict.fromkeys(name for name, brief in zip(full, short, strict=True) if often[brief] > 1)
    telling = _telling(alike, most, set(short))
    return [telling.get(name, brief) or brief for name, brief in zip(full, short, strict=True)]


def _telling(names: Iterable[str], most: int, used: set[str]) -> dict[str, str]:
    """Return for each name the last part that no other has at that place, numbers whole if that can be."""
    endings, left = {name: name for name in names}, list(names)
    for cuts_numbers, cut in itertools.product((False, True), range(max(map(len, left), default=0))):
        pieces = {}
        for name in left:
            end = len(name) - cut
            if end > 0:
                tail = _take(name[:end][::-1], most - (2 if cut else 1))[::-1]
                start = end - len(tail)
                pieces[name] = f"{'…' * (start > 0)}{tail}{'…' * (cut > 0)}", (start, end)
        often = Counter(piece for piece, _ in pieces.values())
        for name, (piece, ends) in pieces.items():
            numbers = [digits.span() for digits in _DIGITS.finditer(name)]
            torn = any(first < place < last for first, last in numbers for place in ends)
            if often[piece] == 1 and piece not in used and (cuts_numbers or not torn):
                endings[name] = piece
                used.add(piece)
                left.remove(name)
        if not left:
            break
    return endings


_PIECES = re.compile(r"[^\s_-]*[\s_-]+|[^\s_-]+")  # what of a name stays on one line


def longest_part(name: object) -> int:
    """Return the columns that the widest part of a name takes, from one space or underscore to the next."""
    return max((width(piece.rstrip()) for piece in _PIECES.findall(visible(name))), default=0)


def wrapped(name: str, most: int) -> list[str]:
    """Break a name into lines at its spaces, hyphens and underscores, where it is too wide."""
    if width(name) <= most:
        return [name]
    lines = [""]
    for piece in _PIECES.findall(name):
        if lines[-1] and width(lines[-1] + piece.rstrip()) > most:
            lines.append("")
        lines[-1] += piece
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


_PLAINER = {
    "✗": "x", "✓": "ok", "–": "-", "—": "-", "−": "-", "∞": "inf", "…": "...", "±": "+/-", "≥": ">=",
    "≤": "<=", "·": "|", "×": "x", "κ": "kappa", "χ": "chi", "²": "2", "λ": "lambda", "π": "pi",
}  # fmt: skip
"""What a stream gets that cannot show the character."""


def _plainer(error: Any) -> tuple[str, int]:
    """Return what stands in for characters that an encoding lacks, for `codecs`."""
    lacking = error.object[error.start : error.end]
    letters = (_PLAINER.get(c, c.encode("ascii", "backslashreplace").decode()) for c in lacking)
    return "".join(letters), error.end


codecs.register_error("clearbar.plainer", _plainer)


def encodable(text: str, encoding: str | None) -> str:
    """Return text that a stream of this encoding can show; plain letters stand in for the rest."""
    if encoding is None or text.isascii():
        return text
    codec = encoding if is_encoding(encoding) else "ascii"
    return text.encode(codec, "clearbar.plainer").decode(codec)


def is_encoding(name: Any) -> bool:
    """Tell whether Python knows an encoding of text by this name."""
    try:
        "".encode(name)
    except (LookupError, TypeError, ValueError):
        return False
    return True


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


def runs_right_to_left(text: str) -> bool:
    """Whether a text has letters of a script that is written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(c) in {"R", "AL"} for c in text)


def anchored(text: str) -> str:
    """Return right-to-left text between invisible marks, so that what stands around it stays where it is."""
    return f"\u200e{text}\u200e" if runs_right_to_left(text) else text
