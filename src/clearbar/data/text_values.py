"""Values of columns of text: whole numbers, numbers, truth values, or text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clearbar.data.labels import plain
from clearbar.data.polars_engine import imported

_NOTHING = ("", "na", "n/a", "nan", "null", "none", "<na>")
"""Words that stand for a missing value, in any case, where all other words are numbers or truth values."""

_WHOLE = r"^[+-]?(?:0|[1-9][0-9]{0,17})$"
"""Not 007: a leading zero makes it a name."""

_NUMBER = (
    r"^[+-]?(?:0|[1-9][0-9]{0,17}|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)$"
)


def typed(text: Any) -> Any:
    """Return a column of text as what all of its values are.

    Of Int64, Float64, Boolean or String; null where a value is missing.
    """
    pl = imported()
    text = text.str.strip_chars()
    words = text.unique()
    present = words.filter(~is_nothing(words))
    if not present.len():
        return pl.Series(text.name, [None], dtype=pl.Int64).new_from_index(0, text.len())
    if present.str.contains(_WHOLE).all():
        return text.str.strip_prefix("+").cast(pl.Int64, strict=False)
    if present.str.contains(_NUMBER).all():
        return text.str.strip_prefix("+").cast(pl.Float64, strict=False).fill_nan(None)
    if present.str.to_lowercase().is_in(("true", "false")).all():
        truth = text.str.to_lowercase().replace_strict({"true": True, "false": False}, default=None)
        return truth.cast(pl.Boolean)
    return text.set(text == "", None)


def meanings(texts: Sequence[str | None]) -> dict[str | None, Any]:
    """Return what each of a column's distinct texts stands for.

    Whole numbers, numbers, truth values or text; None where a text stands for nothing.
    """
    pl = imported()
    values = typed(pl.Series("text", ["" if text is None else text for text in texts], dtype=pl.String))
    return dict(zip(texts, map(plain, values.to_list()), strict=True))


def is_nothing(words: Any) -> Any:
    """Return where text stands for a missing value, if what is beside it is no other text."""
    return words.str.to_lowercase().is_in(_NOTHING)


def as_number(text: Any, *, strict: bool = True) -> Any:
    """Return an expression of text as one of numbers; strict, the engine stops where it is none."""
    pl, text = imported(), text.str.strip_chars()
    return pl.when(~is_nothing(text)).then(text).cast(pl.Float64, strict=strict)


def no_number(text: Any) -> Any:
    """Return an expression that tells where text is neither a number nor stands for nothing."""
    return ~is_nothing(text.str.strip_chars()) & as_number(text, strict=False).is_null()
