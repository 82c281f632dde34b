"""The engines that tests run on, each as a function from columns to a table; and counts made by hand."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clearbar as cb


def to_pyarrow(columns):
    return pa.table({name: pa.array(list(values), from_pandas=True) for name, values in columns.items()})


def to_polars(columns):
    return pl.DataFrame({name: list(values) for name, values in columns.items()}, strict=False)


HERE = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "polars": to_polars,
    "polars lazy": lambda columns: to_polars(columns).lazy(),
    "pyarrow": to_pyarrow,
    # A connection of its own would close too early, before DuckDB 1.5.
    "duckdb": lambda columns: duckdb.from_arrow(to_pyarrow(columns)),
}
"""Engines that are part of the test group."""

ENGINES = pytest.mark.parametrize("engine", list(HERE))

QUICK = {"measures": "mcc", "intervals": False}
"""Where what is counted is looked at, and not what is concluded from it."""


def predictions(rows=400, seed=3):
    """Return columns of labels and slices, with enough structure that no two cells are alike."""
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.4
    tree = np.where(rng.random(rows) < 0.8, y, ~y)
    coin = rng.random(rows) < 0.3
    return {
        "y": y.astype(int).tolist(),
        "tree": tree.astype(int).tolist(),
        "coin": coin.astype(int).tolist(),
        "proba": np.where(tree, 0.6 + rng.random(rows) * 0.4, rng.random(rows) * 0.5).tolist(),
        "country": rng.choice(["nl", "de", "fr", "be"], rows, p=[0.5, 0.3, 0.15, 0.05]).tolist(),
        "day": rng.integers(1, 4, rows).tolist(),
    }


def matrix(truth, predicted, weight=None):
    """Count a confusion matrix one row at a time."""
    found = {(True, True): 0, (False, True): 0, (True, False): 0, (False, False): 0}
    weight = [1] * len(truth) if weight is None else weight
    for label, guess, times in zip(truth, predicted, weight, strict=True):
        found[bool(label), bool(guess)] += int(times)
    return tuple(found.values())


def by_hand(columns, model, *, by=(), keep=None, weight=None):
    """Return the confusion matrix of the whole and of each slice, row by row."""
    rows = [at for at in range(len(columns["y"])) if keep is None or keep(at)]
    slices = {None: rows}
    for at in rows:
        key = tuple(columns[name][at] for name in by)
        if by:
            slices.setdefault(key[0] if len(by) == 1 else key, []).append(at)
    return {
        group: matrix(
            [columns["y"][at] for at in members],
            [columns[model][at] for at in members],
            None if weight is None else [weight[at] for at in members],
        )
        for group, members in slices.items()
    }


def cells(card, model=0):
    """Return each group's confusion matrix."""
    return {
        group: tuple(int(np.asarray(cell)[model, at]) for cell in card.counts.cells)
        for at, group in enumerate(card.groups)
    }


def refused(frame, *names, **options):
    """Return the sentence with which a table is refused."""
    with pytest.raises(ValueError) as caught:
        cb.evaluate_frame(frame, *(names or ("y", "tree")), **{**QUICK, **options})
    assert "\n" not in str(caught.value)
    return str(caught.value)
