"""polars, which reads files: whether it can answer, what it says of a file, and what its text stands for."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from clearbar.data.arrays import plain

_THREADS = Path("/proc/self/task")


def imported() -> Any:
    try:
        import polars as pl
    except ImportError:
        raise ImportError(
            "reading files needs polars, which is not installed: in a checkout, pip install '.[cli]'"
        ) from None
    return pl


def refuse_fork() -> None:
    if not _has_threads(os.getpid()):
        raise RuntimeError(
            "polars ran before this process was forked, and what it is asked here is never answered; start "
            "processes with multiprocessing.get_context('spawn')."
        )


@cache
def _has_threads(process: int) -> bool:  # noqa: ARG001 - a fork must be looked at anew
    """Return whether polars' threads can be in this process; True where nobody can tell."""
    if not _THREADS.exists():
        return True
    imported().thread_pool_size()  # starts them, if nothing has: a fork keeps none but the one that forked
    prefix = f"{os.environ.get('POLARS_THREAD_NAME', 'polars')}-"[:15]
    for _ in range(20):  # a thread names itself, a moment after it was started
        for thread in _THREADS.iterdir():
            try:
                name = (thread / "comm").read_text()
            except OSError:  # it has ended
                continue
            if name.startswith(prefix) and not name.startswith("polars-ooc"):
                return True
        time.sleep(0.005)
    return False


@contextmanager
def sentences_of_polars(finding: str) -> Iterator[None]:
    pl = imported()
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).partition("\n")[0].rstrip(". ")
        raise ValueError(f"{finding} ({reason}).") from None


# Words that stand for a missing value, in any case, where all other words are numbers or truth values.
_NOTHING = ("", "na", "n/a", "nan", "null", "none", "<na>")

_WHOLE = r"^[+-]?(?:0|[1-9][0-9]{0,17})$"  # not 007: a leading zero makes it a name
_NUMBER = (
    r"^[+-]?(?:0|[1-9][0-9]{0,17}|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)$"
)


def typed(text: Any) -> Any:
    """Return a column of text as whole numbers, numbers, truth values or text; null where it is none."""
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
    """Return what each of a column's distinct texts stands for; None where it stands for nothing."""
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
