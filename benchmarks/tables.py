"""Tables and files: counting where the rows are, beside what the same engine does bare."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._case import Case, Section
from benchmarks._inputs import digits, labels

BLOCK = 10**7
"""Rows of a file that are made at once."""

_FOLDER = Path(tempfile.gettempdir()) / "clearbar-benchmarks"


def _cases(*, quick: bool) -> Sequence[Case]:
    file, table, groups = (10**5, 10**5, 10**3) if quick else (10**8, 10**7, 10**6)
    bare = "target: at most 1.2 × the bare group-by, memory below 1 GiB"
    cases = [
        _file("Parquet file", "parquet", file, bare),
        _file("CSV file", "csv", file, "target: at most 1.2 × the engine's own reading"),
        *(
            _table(library, table, peer)
            for library in ("pandas", "polars", "pyarrow")
            for peer in _PEERS[library]
        ),
        _slices(table, groups),
    ]
    cluster = {"Spark": "pyspark", "Dask": "distributed"}
    return [
        *cases,
        *(_cluster(name, table) for name, package in cluster.items() if _can_run(package)),
    ]


def _can_run(package: str) -> bool:
    java = package != "pyspark" or shutil.which("java")
    return bool(java) and importlib.util.find_spec(package) is not None


def _path(rows: int, kind: str) -> Path:
    """Return a file of true and predicted labels, made once."""
    import polars as pl

    path = _FOLDER / f"labels-{rows}.{kind}"
    if path.exists():
        return path
    _FOLDER.mkdir(exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")  # two processes may be at it
    if kind == "csv":
        pl.scan_parquet(_path(rows, "parquet")).sink_csv(part)
        return part.replace(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema({"y": pa.int8(), "model": pa.int8()})
    with pq.ParquetWriter(part, schema) as writer:
        for _ in range(max(rows // BLOCK, 1)):
            truth, guess = labels(min(rows, BLOCK), np.int8)
            writer.write_table(pa.table({"y": truth, "model": guess}), row_group_size=10**6)
    return part.replace(path)


def _counted(frame: Any, **options: Any) -> Any:
    from clearbar.data.query import TableQuery
    from clearbar.data.table_counts import count_frame

    counts = count_frame(frame, TableQuery.checked("y", "model", **options)).counts
    return [int(np.asarray(cell).sum()) for cell in counts.cells]


CHECKED = "ours also looks for missing values and labels of other classes"


def _file(title: str, kind: str, rows: int, target: str) -> Case:
    def theirs(path: Any) -> Any:
        import polars as pl

        lazy = pl.scan_parquet(path) if kind == "parquet" else pl.scan_csv(path)
        return _cells(lazy.group_by("y", "model").len().collect(engine="streaming").iter_rows())

    return Case(
        f"count a {title}", f"{digits(rows)} rows", lambda: _path(rows, kind), _counted, theirs,
        "polars, bare group-by", _same, target, x=rows,
    )  # fmt: skip


def _cells(rows: Any) -> list[int]:
    sizes = {(int(truth), int(guess)): int(size) for truth, guess, size in rows}
    return [sizes.get(cell, 0) for cell in ((1, 1), (0, 1), (1, 0), (0, 0))]


def _same(_: Any, a: Any, b: Any) -> None:
    assert a == b, (a, b)


def _in_memory(library: str, rows: int) -> Any:
    truth, guess = labels(rows, np.int64)
    columns = {"y": truth, "model": guess}
    if library == "pyarrow":
        import pyarrow as pa

        return pa.table(columns)
    module: Any = importlib.import_module(library)
    return module.DataFrame(columns)


def _table(library: str, rows: int, peer: str) -> Case:
    return Case(
        f"count a table of {library}", f"{digits(rows)} rows", functools.partial(_in_memory, library, rows),
        _counted, _PEERS[library][peer], peer, _same, x=rows, remark=CHECKED if "bare" in peer else "",
    )  # fmt: skip


def _crosstab(frame: Any) -> Any:
    import pandas as pd

    return _cells((t, p, n) for (t, p), n in pd.crosstab(frame["y"], frame["model"]).stack().items())


def _confusion(frame: Any) -> Any:
    from sklearn.metrics import confusion_matrix

    (tn, fp), (fn, tp) = confusion_matrix(frame["y"].to_numpy(), frame["model"].to_numpy()).tolist()
    return [tp, fp, fn, tn]


def _polars_group_by(frame: Any) -> Any:
    return _cells(frame.group_by("y", "model").len().iter_rows())


def _pyarrow_group_by(frame: Any) -> Any:
    counted = frame.group_by(["y", "model"]).aggregate([([], "count_all")])
    return _cells(zip(*(counted[name].to_pylist() for name in ("y", "model", "count_all")), strict=True))


_PEERS = {
    "pandas": {"pandas.crosstab": _crosstab, "scikit-learn": _confusion},
    "polars": {"polars, bare group-by": _polars_group_by, "scikit-learn": _confusion},
    "pyarrow": {"pyarrow, bare group-by": _pyarrow_group_by, "scikit-learn": _confusion},
}


def _slices(rows: int, groups: int) -> Case:
    def inputs() -> Any:
        frame = _in_memory("polars", rows)
        import polars as pl

        return frame.with_columns(pl.Series("who", np.random.default_rng(1).integers(0, groups, rows)))

    def ours(frame: Any) -> Any:
        import clearbar as cb

        verdicts = cb.evaluate_frame(frame, "y", "model", by="who", measures="mcc").slices()
        return len(verdicts), str(verdicts)

    return Case(
        "judge slices, end to end", f"{digits(rows)} rows, {digits(groups)} slices", inputs, ours,
        remark="count, bars, scores, p-values, corrected, sorted, printed", x=groups,
    )  # fmt: skip


def _cluster(name: str, rows: int) -> Case:
    inputs, theirs = (_spark, _spark_bare) if name == "Spark" else (_dask, _dask_bare)
    return Case(
        f"count a Parquet file with {name}", f"{digits(rows)} rows", functools.partial(inputs, rows),
        _counted, theirs, f"{name}, bare group-by", _same, "on one machine",
        remark=CHECKED, x=rows, repeats=3,
    )  # fmt: skip


def _spark(rows: int) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.log.level", "ERROR")
    return builder.getOrCreate().read.parquet(str(_path(rows, "parquet")))


def _spark_bare(frame: Any) -> Any:
    return _cells(frame.groupBy("y", "model").count().collect())


def _dask(rows: int) -> Any:
    import dask.dataframe as dd

    return dd.read_parquet(_path(rows, "parquet"))


def _dask_bare(frame: Any) -> Any:
    sizes = frame.groupby(["y", "model"]).size().compute()
    return _cells((t, p, n) for (t, p), n in sizes.items())


SECTION = Section(
    "tables",
    "Tables, files and engines",
    "One column of true labels and one of predictions, 30 % positive, 20 % of the predictions wrong. The "
    "bare group-by is what the engine's user would write; it finds out nothing about labels, missing values "
    "or short rows. Files are read from the system's cache. Spark and Dask run on this machine; their rows "
    "are left out where they are not installed.",
    _cases,
    packages=("polars", "pandas", "pyarrow.parquet", "sklearn.metrics"),
)
