"""Columns of every width: weights add up exactly, and a threshold means the same on every engine."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.data.engines import QUICK, matrix

import clearbar as cb

LABELS = np.array([1, 1, 0, 0, 1, 0])
PREDICTED = np.array([1, 0, 1, 0, 1, 0])


def arrow(columns):
    return pa.table({name: pa.array(values) for name, values in columns.items()})


NULLABLE = {
    pa.from_numpy_dtype(name.lower()): pd.api.types.pandas_dtype(name)
    for name in ("Float32", "Float64", *(f"{sign}Int{2**n}" for sign in ("", "U") for n in (3, 4, 5, 6)))
}
"""pandas has no numbers of 16 bits with a point that may be missing; these stay NumPy's."""


def nullable(columns):
    return arrow(columns).to_pandas(types_mapper=NULLABLE.get)


TABLES = {
    "pandas": pd.DataFrame,
    "pandas nullable": nullable,
    "pandas arrow": lambda columns: arrow(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": arrow,
    # A connection of its own would close too early, before DuckDB 1.5.
    "duckdb": lambda columns: duckdb.from_arrow(arrow(columns)),
}
TEXT = ["csv", "jsonl"]
"""Files in which numbers have no type."""


WITH_FLOAT16 = hasattr(pl, "Float16")
"""Whether numbers of 16 bits with a point are known to what reads tables; older releases refuse them."""


def engines_and_types(types, engines, every=1):
    """Pair engines with types, or with one of so many; DuckDB has no numbers of 16 bits with a point."""
    without = set() if WITH_FLOAT16 else {(engine, "float16") for engine in engines}
    without.add(("duckdb", "float16"))
    pairs = [
        (engine, dtype)
        for row, dtype in enumerate(types)
        for column, engine in enumerate(engines)
        if (engine, dtype) not in without and not (row + column) % every
    ]
    return pytest.mark.parametrize(("engine", "dtype"), pairs)


def table(engine, columns, folder):
    """Hand columns to an engine in the types that they have, or write them to a file."""
    if engine in TABLES:
        return TABLES[engine](columns)
    path = folder / f"p.{engine}"
    frame = pl.DataFrame(columns)
    {"parquet": frame.write_parquet, "csv": frame.write_csv, "jsonl": frame.write_ndjson}[engine](path)
    return path


def cells(card, group=0):
    return tuple(int(np.asarray(cell)[0, group]) for cell in card.counts.cells)


def expected(labels, predicted, weights):
    """Add up the cells of a confusion matrix as Python's whole numbers."""
    return matrix(labels.tolist(), predicted.tolist(), weights.tolist())


WEIGHTS = {
    "int8": 120, "int16": 32_000, "int32": 1_500_000_000, "int64": 2**48,
    "uint8": 250, "uint16": 65_000, "uint32": 4_200_000_000, "uint64": 2**48,
    "float16": 2048, "float32": 2**24 - 1, "float64": 2**48 - 1,
}  # fmt: skip


@pytest.mark.slow
@engines_and_types(WEIGHTS, [*TABLES, "parquet", *TEXT], every=3)
def test_weights_add_up_exactly_whatever_their_type(engine, dtype, tmp_path):
    labels, predicted = np.tile(LABELS, 2), np.tile(PREDICTED, 2)
    weights = np.full(12, WEIGHTS[dtype], dtype=dtype)
    weights[[1, 2, 5]] = 1, 2, 3
    part = np.repeat([1, 2], 6)
    columns = {"y": labels, "tree": predicted, "times": weights, "day": part}
    frame = table(engine, columns, tmp_path)
    card = cb.evaluate_frame(frame, "y", "tree", weight="times", **QUICK)
    assert cells(card) == expected(labels, predicted, weights)
    card = cb.evaluate_frame(frame, "y", "tree", weight="times", by="day", **QUICK)
    for group in (1, 2):
        here = part == group
        assert cells(card, group) == expected(labels[here], predicted[here], weights[here])
    folds = cb.evaluate_frame(frame, "y", "tree", weight="times", fold="day", **QUICK)
    assert cells(folds) == expected(labels, predicted, weights)


@engines_and_types(["float16", "float32", "int8"], [*TABLES, "parquet", *TEXT], every=2)
def test_many_small_weights_of_a_narrow_type_are_all_counted(engine, dtype, tmp_path):
    rows = 20_000
    labels, predicted = np.arange(rows) % 2, np.arange(rows) // 2 % 2
    weights = np.ones(rows, dtype=dtype)
    frame = table(engine, {"y": labels, "tree": predicted, "times": weights}, tmp_path)
    card = cb.evaluate_frame(frame, "y", "tree", weight="times", **QUICK)
    assert cells(card) == (5000, 5000, 5000, 5000)


@pytest.mark.slow
@engines_and_types(["float16", "float32", "float64"], [*TABLES, "parquet"], every=2)
@pytest.mark.parametrize("threshold", [0.7, np.nextafter(0.7, 1), 1e300])
def test_a_threshold_is_rounded_to_the_type_of_the_scores(engine, dtype, threshold, tmp_path):
    """As ``scores >= threshold`` does in NumPy, on every engine."""
    scores = np.array([0.1, 0.7, 0.0, 1.0, np.nextafter(0.7, 1), 0.3], dtype=dtype)
    with np.errstate(over="ignore"):
        reached = (scores >= float(threshold)).astype(int)
    wanted = expected(LABELS, reached, np.ones(6))
    frame = table(engine, {"y": LABELS, "p": scores, "day": np.repeat([1, 2], 3)}, tmp_path)
    card = cb.evaluate_frame(frame, "y", "p", threshold=threshold, **QUICK)
    assert cells(card) == wanted
    by_day = cb.evaluate_frame(frame, "y", "p", threshold=threshold, by="day", **QUICK)
    assert cells(by_day) == wanted


def test_files_of_scores_of_several_types_are_each_read_by_their_own(tmp_path):
    labels, scores = [0, 1, 1, 0], [0.1, 0.7, 0.7, 0.1]
    narrow = pl.Float16 if WITH_FLOAT16 else pl.Float32
    for name, dtype in (("a", pl.Float32), ("b", pl.Float64), ("c", narrow)):
        frame = pl.DataFrame({"y": labels, "p": scores}, schema={"y": pl.Int8, "p": dtype})
        frame.write_parquet(tmp_path / f"{name}.parquet")
    pl.DataFrame({"y": labels, "p": scores}).write_csv(tmp_path / "d.csv")
    paths = sorted(tmp_path.iterdir())
    card = cb.evaluate_frame(paths, "y", "p", threshold=0.7, **QUICK)
    assert cells(card) == (8, 0, 0, 8)


@pytest.mark.parametrize("engine", TEXT)
def test_scores_in_text_are_compared_as_they_are_written(engine, tmp_path):
    frame = table(engine, {"y": LABELS, "p": np.array([0.1, 0.7, 0.70001, 1, 0.69999, 0])}, tmp_path)
    card = cb.evaluate_frame(frame, "y", "p", threshold=0.7, **QUICK)
    assert cells(card) == expected(LABELS, np.array([0, 1, 1, 1, 0, 0]), np.ones(6))
