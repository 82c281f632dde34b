"""Labels as the older interface takes them: zeros and ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clearbar.counting import count, population_from_labels
from clearbar.counts import Counts, Population
from clearbar.labelling import read, settle_columns


def population(y_true: Any) -> Population:
    """Count samples and positives.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        Zeros and ones, or truth values.

    Returns
    -------
    Population

    Raises
    ------
    ValueError
        If there are other labels, missing values or no samples.
    """
    with _without_pos_label():
        _refuse_others(y_true, "y_true")
        return population_from_labels(y_true)


def table(y_true: Any, y_pred: Any) -> Counts:
    """Count true and false positives and negatives.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (M,)
        Zeros and ones, or truth values.

    Returns
    -------
    Counts

    Raises
    ------
    ValueError
        If there are other labels, missing values or no samples, or the lengths differ.
    """
    with _without_pos_label():
        _refuse_others(y_true, "y_true")
        _refuse_others(y_pred, "y_pred")
        return count(y_true, y_pred)


def _refuse_others(labels: Any, name: str) -> None:
    found = settle_columns([read(labels, name)], None)
    if found.neg_label not in {None, 0}:
        msg = f"{name} must hold zeros and ones only; found {found.neg_label!r}."
        raise ValueError(msg)


@contextmanager
def _without_pos_label() -> Iterator[None]:
    """Replace a remedy that the older signatures have no room for."""
    try:
        yield
    except ValueError as error:
        said, remedy, _ = str(error).partition(" Pass pos_label")
        if not remedy:
            raise
        msg = f"{said} Pass zeros and ones, or use clearbar's own functions with pos_label."
        raise ValueError(msg) from None
