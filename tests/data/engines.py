"""The engines that tests run on, each as a function from columns to a table."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa


def to_duckdb(columns):
    table = pa.table({name: pa.array(list(values), from_pandas=True) for name, values in columns.items()})
    return duckdb.from_arrow(table)  # a connection of its own would close too early, before DuckDB 1.5


def to_pandas_nullable(columns):
    return pd.DataFrame(columns).convert_dtypes()


def to_pandas_arrow(columns):
    return pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow")


def to_pyarrow(columns):
    return pa.table({name: pa.array(list(values), from_pandas=True) for name, values in columns.items()})


def to_polars(columns):
    return pl.DataFrame({name: list(values) for name, values in columns.items()}, strict=False)


HERE = {
    "pandas": pd.DataFrame,
    "pandas nullable": to_pandas_nullable,
    "pandas arrow": to_pandas_arrow,
    "polars": to_polars,
    "polars lazy": lambda columns: to_polars(columns).lazy(),
    "pyarrow": to_pyarrow,
    "duckdb": to_duckdb,
}
"""Engines that are part of the test group."""

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
    cells = {"tp": 0, "fp": 0, "fn": 0, "tn": 0}
    weight = [1] * len(truth) if weight is None else weight
    for t, p, w in zip(truth, predicted, weight, strict=True):
        cells[{(1, 1): "tp", (0, 1): "fp", (1, 0): "fn", (0, 0): "tn"}[bool(t), bool(p)]] += w
    return tuple(cells.values())
