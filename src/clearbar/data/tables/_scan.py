"""Files as one table that polars streams: first read quickly, then with more care if they need it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import narwhals as nw

from clearbar.core._progress import counter, seen
from clearbar.core.errors import brief
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._csv import Header, as_number, blank_rows, is_full, no_number, read_header, scan_csv
from clearbar.data.tables._files import Source, inspect, refuse_repeated
from clearbar.data.tables._json import refuse_records
from clearbar.data.tables._polars import damage_told, pl, refuse_fork
from clearbar.data.tables._tables import Table, computable, kind, positions

FIRST = 64
"""Rows from which one sees what a file holds."""


def column_names(path: str) -> tuple[str, ...]:
    """Return the names of a file's columns."""
    refuse_fork()
    source = inspect(path)
    if source.kind == "csv":
        return read_header(source).names
    with damage_told(source):
        return tuple(_typed(source).collect_schema().names())


def first_values(path: str) -> dict[str, set[str]]:
    """Return the different values of each column in a file's first rows, as text, without missing ones.

    A damaged file has none (``{}``): the error is raised when the whole file is read.
    """
    names, source = column_names(path), inspect(path)
    lazy = scan_csv(source, read_header(source), {}) if source.kind == "csv" else _typed(source)
    try:
        with damage_told(source):
            rows = lazy.head(FIRST).collect()
    except ValueError:
        return {}
    return {
        name: {str(value).strip() for value in column.drop_nulls()} - {""}
        for name, column in zip(names, rows, strict=True)
    }


def _typed(source: Source, *, whole: bool = False) -> Any:
    """Return a lazy frame of Parquet, or of JSON-lines, whose types the first or all records tell."""
    if source.kind == "json":
        return pl.scan_ndjson(source.path, infer_schema_length=None if whole else 100)
    return pl.scan_parquet(source.path, glob="://" in source.path)


@dataclass(frozen=True)
class Files:
    """Several files that are one table."""

    sources: tuple[Source, ...]  # the files
    headers: Mapping[str, Header]  # of those of CSV, by their paths
    ask: Ask  # the columns
    quick: bool = False  # whether labels of CSV are read as 0 and 1, types of JSON off its first records
    blank: Mapping[str, list[int]] | None = None  # lines that are no rows; None if nobody has looked

    @classmethod
    def of(cls, paths: Iterable[str], ask: Ask) -> Files:
        """Look at files, without reading them whole."""
        refuse_fork()
        sources = tuple(map(inspect, paths))
        refuse_repeated(source.path for source in sources)
        wanted = ask.columns.values()
        for source in sources:
            if source.kind == "json":
                refuse_records(source, wanted)
        headers = {source.path: read_header(source, wanted) for source in sources if source.kind == "csv"}
        files = cls(sources, headers, ask)
        text = [source for source in sources if source.kind != "parquet"]
        return replace(files, quick=bool(text) and all(map(files._looks_plain, text)))

    def table(self) -> Table:
        """Return the files as a table."""
        pieces = [self._piece(source) for source in self.sources]
        self._refuse_mixture(pieces)
        whole = pieces[0] if len(pieces) == 1 else pl.concat(pieces, how="vertical_relaxed")
        lazy = nw.from_native(whole)
        kinds = {name: kind(dtype) for name, dtype in lazy.collect_schema().items()}
        return Table(lazy, kinds, "polars", frozenset(self._texts()), self)

    def checked(self) -> Files:
        """Return the files without the blank lines among their rows; raise if rows are ragged."""
        blank = {}
        for source in self.sources:
            if source.kind == "csv" and not is_full(source, self.headers[source.path]):
                blank[source.path] = blank_rows(source, self.headers[source.path])
        return replace(self, blank=blank)

    def slower(self) -> Files:
        """Return the files with labels in CSV read as text, and types of JSON off all records."""
        return replace(self, quick=False)

    @contextmanager
    def watched(self, frame: Any) -> Iterator[Any]:
        """Yield a frame that shows on a terminal how many of its rows have been read."""
        if not seen():
            yield frame
            return
        total = None
        if not any(source.packing or "://" in source.path for source in self.sources):
            wholes = [self._columns(source) for source in self.sources]
            total = sum(whole.select(pl.len()).collect().item() for whole in wholes)
        with counter(total, "rows") as tell:

            def ticked(rows: Any) -> Any:
                tell(len(rows))
                return rows

            lazy = frame.to_native()
            yield nw.from_native(lazy.map_batches(ticked, streamable=True, schema=lazy.collect_schema()))

    def explain(self, error: ValueError) -> NoReturn:
        """Raise a better error than what the engine said, if one file is at fault."""
        for source in () if self.quick else self.sources:  # what is read quickly is read again
            try:
                self._refuse_damage(source)
            except ValueError as damage:
                raise damage from error
        raise error

    def _refuse_damage(self, source: Source) -> None:
        """Raise if one file alone cannot be read, line by line if it is CSV."""
        if source.kind == "csv":
            blank_rows(source, self.headers[source.path])
        columns = self._columns(source)
        with damage_told(source):
            columns.select(pl.len(), pl.all().null_count()).collect(engine="streaming")
        for name in self._numeric() if source.kind == "csv" else ():
            text = columns.filter(no_number(pl.col(name))).select(name).head(1).collect(engine="streaming")
            if len(text):
                raise ValueError(
                    f"{self.ask.called(name)} must hold numbers; {source.path} has {text.item()!r}."
                )

    def _looks_plain(self, source: Source) -> bool:
        """Tell from first rows whether labels of CSV are written 0 and 1, or JSON has all columns."""
        if source.kind == "json":
            with damage_told(source):
                return set(self.ask.columns.values()) <= set(_typed(source).collect_schema().names())
        labels = [pl.col(name) for name in self.ask.labels if name not in self._numeric()]
        columns = self._columns(source).select(labels)
        try:
            with damage_told(source):
                rows = columns.head(FIRST).collect()
        except ValueError:  # what is wrong is told when all is read
            return False
        return len(rows) > 0 and all(label.drop_nulls().is_in(["0", "1"]).all() for label in rows)

    def _piece(self, source: Source) -> Any:
        """Return one file's columns as they are counted."""
        is_csv, numeric = source.kind == "csv", self._numeric()
        quick = {**dict.fromkeys(self.ask.labels, pl.Int8), **dict.fromkeys(numeric, pl.Float64)}
        lazy = self._columns(source, quick if self.quick else {})
        if is_csv and not self.quick:
            lazy = lazy.with_columns(as_number(pl.col(name)) for name in numeric)
        with damage_told(source):
            lazy.collect_schema()
        schema = nw.from_native(lazy).collect_schema()
        dtypes = {name: schema[name] for name in self.ask.columns}
        lazy = computable(nw.from_native(lazy), self.ask, dtypes).to_native()
        if self.headers and not is_csv:  # beside CSV, as that is read
            texts = self._texts()
            truths = [name for name in dtypes if name not in texts and dtypes[name] == nw.Boolean]
            lazy = lazy.with_columns(pl.col(texts).cast(pl.String), pl.col(truths).cast(pl.Int8))
        return lazy.with_columns(pl.lit(source.path).alias("file")) if self.ask.by_file else lazy

    def _columns(self, source: Source, dtypes: Mapping[str, Any] | None = None) -> Any:
        """Return the columns of one file that are asked for, under our names.

        Those of CSV are text, but for the types in `dtypes`. Until the blank lines of CSV are known, a column
        ``e`` is 1 where the last column is empty, as it is in blank lines and in rows that are too short.
        """
        if source.kind == "csv":
            header = self.headers[source.path]
            places = positions(self.ask, header.names, source.path)
            lazy = scan_csv(source, header, {places[name]: dtype for name, dtype in (dtypes or {}).items()})
            empty_end = pl.col(str(len(header.names) - 1)).is_null().cast(pl.Int8)
            blank = (self.blank or {}).get(source.path)
            if blank:
                lazy = lazy.with_row_index("row").filter(~pl.col("row").is_in(blank))
            columns = [pl.col(str(place)).alias(ours) for ours, place in places.items()]
        else:
            lazy, empty_end = _typed(source, whole=not self.quick), pl.lit(0, pl.Int8)
            with damage_told(source):
                places = positions(self.ask, lazy.collect_schema().names(), source.path)
            columns = [pl.nth(place).alias(ours) for ours, place in places.items()]
        if self.headers and self.blank is None:
            columns.append(empty_end.alias("e"))
        return lazy.select(columns)

    def _numeric(self) -> list[str]:
        """Return the columns that must be numbers, whatever the file is."""
        return [*self.ask.numbers, *(() if self.ask.weight is None else ("w",))]

    def _texts(self) -> list[str]:
        """Return the columns that are text whose values stand for something, if any file is CSV."""
        typed = {*self._numeric(), *(self.ask.labels if self.quick else ())}
        return [name for name in self.ask.columns if self.headers and name not in typed]

    def _refuse_mixture(self, pieces: list[Any]) -> None:
        schemas = [piece.collect_schema() for piece in pieces]
        for name, column in self.ask.columns.items():
            families: dict[str, str] = {}
            for source, schema in zip(self.sources, schemas, strict=True):
                families.setdefault(_family(schema[name]), source.path)
            families.pop("", None)
            if len(families) > 1:
                (one, here), (other, there), *_ = families.items()
                raise ValueError(
                    f"column {brief(column)!r} holds {one} in {here} but {other} in {there}; make it one "
                    "kind in all files."
                )


def _family(dtype: Any) -> str:
    """Return which kind of label a column holds."""
    if dtype == pl.Null:
        return ""
    if dtype.is_numeric() or dtype == pl.Boolean:
        return "numbers"
    return "text" if isinstance(dtype, (pl.String, pl.Categorical, pl.Enum)) else str(dtype)
