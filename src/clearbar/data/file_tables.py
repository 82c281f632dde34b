"""Files as one table that polars streams: first read quickly, then with more care if they need it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import narwhals as nw

from clearbar.core._progress import counter, seen
from clearbar.core.errors import brief
from clearbar.data.files import FIRST, TableFile, inspect, refuse_repeated
from clearbar.data.polars_engine import as_number, imported, refuse_fork
from clearbar.data.query import TableQuery
from clearbar.data.tables import Table, computable, kind, positions


def column_names(path: str) -> tuple[str, ...]:
    return _opened(path, ()).names


def first_values(path: str) -> dict[str, set[str]]:
    """Return the values of each column in a file's first rows, as text; none of a damaged file."""
    file = _opened(path, ())
    try:
        with file.sentences():
            rows = file.scan({}).head(FIRST).collect()
    except ValueError:
        return {}
    return {
        name: {str(value).strip() for value in column.drop_nulls()} - {""}
        for name, column in zip(file.names, rows, strict=True)
    }


def rows_of_file(path: str) -> list[dict[str, Any]]:
    """Return the rows of a small file; values of CSV are text, missing ones None."""
    file = _opened(path, ())
    with file.sentences():
        rows = file.scan({}).collect().rows()
    return [dict(zip(file.names, row, strict=True)) for row in rows]


def _opened(path: str, wanted: Iterable[str]) -> TableFile:
    refuse_fork()
    source = inspect(path)
    return source.format(source, wanted)


@dataclass(frozen=True)
class FileTable:
    files: tuple[TableFile, ...]
    query: TableQuery
    quick: bool = False  # whether labels of text are read as 0 and 1
    blank: Mapping[str, list[int]] | None = None  # lines that are no rows, by path; None: nobody has looked

    @classmethod
    def of(cls, paths: Iterable[str], query: TableQuery) -> FileTable:
        """Look at files, without reading them whole."""
        refuse_fork()
        sources = [inspect(path) for path in paths]
        refuse_repeated(source.path for source in sources)
        files = tuple(source.format(source, query.columns.values()) for source in sources)
        table = cls(files, query)
        labels = [name for name in query.labels if name not in table._numeric]
        plain = all(file.is_plain([table._positions(file)[name] for name in labels]) for file in files)
        return replace(table, quick=plain and table._untyped)

    @property
    def paths(self) -> list[str]:
        return [file.source.path for file in self.files]

    def table(self) -> Table:
        pl = imported()
        pieces = [self._piece(file) for file in self.files]
        self._refuse_mixture(pieces)
        lazy = nw.from_native(pieces[0] if len(pieces) == 1 else pl.concat(pieces, how="vertical_relaxed"))
        kinds = {name: kind(dtype) for name, dtype in lazy.collect_schema().items()}
        return Table(lazy, kinds, "polars", frozenset(self._texts), self)

    def checked(self) -> FileTable:
        """Return the files without the blank lines among their rows; raise if rows are ragged."""
        return replace(self, blank={file.source.path: file.blank_rows() for file in self.files})

    def slower(self) -> FileTable:
        return replace(self, quick=False)

    @contextmanager
    def watched(self, frame: Any) -> Iterator[Any]:
        """Yield a frame that shows on a terminal how many of its rows have been read."""
        if not seen():
            yield frame
            return
        pl, total = imported(), None
        if not any(file.source.packing or file.source.remote for file in self.files):
            total = sum(self._columns(file).select(pl.len()).collect().item() for file in self.files)
        with counter(total, "rows") as tell:

            def ticked(rows: Any) -> Any:
                tell(len(rows))
                return rows

            lazy = frame.to_native()
            # Else the schema may be another.
            options: Any = {"projection_pushdown": False, "streamable": True}
            yield nw.from_native(lazy.map_batches(ticked, schema=lazy.collect_schema(), **options))

    def explain(self, error: ValueError) -> NoReturn:
        """Raise a better error than what the engine said, if one file is at fault."""
        for file in () if self.quick else self.files:  # what is read quickly is read again
            places = self._positions(file)
            try:
                file.refuse_damage({places[name]: self.query.called(name) for name in self._numeric})
            except ValueError as damage:
                raise damage from error
        raise error

    def _positions(self, file: TableFile) -> dict[str, int]:
        return positions(self.query, file.names, file.source.path)

    def _piece(self, file: TableFile) -> Any:
        """Return one file's columns as they are counted."""
        pl = imported()
        quick = {**dict.fromkeys(self.query.labels, pl.Int8), **dict.fromkeys(self._numeric, pl.Float64)}
        lazy = self._columns(file, quick if self.quick else {})
        if not file.typed and not self.quick:
            lazy = lazy.with_columns(as_number(pl.col(name)) for name in self._numeric)
        with file.sentences():
            schema = nw.from_native(lazy).collect_schema()
        dtypes = {name: schema[name] for name in self.query.columns}
        lazy = computable(nw.from_native(lazy), self.query, dtypes).to_native()
        if file.typed and self._untyped:  # beside text, as that is read
            truths = [name for name in dtypes if name not in self._texts and dtypes[name] == nw.Boolean]
            lazy = lazy.with_columns(pl.col(self._texts).cast(pl.String), pl.col(truths).cast(pl.Int8))
        return lazy.with_columns(pl.lit(file.source.path).alias("file")) if self.query.by_file else lazy

    def _columns(self, file: TableFile, dtypes: Mapping[str, Any] | None = None) -> Any:
        """Return the columns of one file that are asked for, under our names; of text, with these types.

        Until blank lines are known, a column ``e`` is 1 where the last column of text is empty, as it is in
        blank lines and in rows that are too short.
        """
        pl, places = imported(), self._positions(file)
        lazy = file.scan({places[name]: dtype for name, dtype in (dtypes or {}).items()})
        columns = [pl.col(str(position)).alias(ours) for ours, position in places.items()]
        if self._untyped and self.blank is None:
            last_is_empty = pl.lit(0) if file.typed else pl.col(str(len(file.names) - 1)).is_null()
            columns.append(last_is_empty.cast(pl.Int8).alias("e"))
        blank = (self.blank or {}).get(file.source.path)
        if blank:
            lazy = lazy.with_row_index("row").filter(~pl.col("row").is_in(blank))
        return lazy.select(columns)

    @property
    def _untyped(self) -> bool:
        return not all(file.typed for file in self.files)

    @property
    def _numeric(self) -> list[str]:
        return [*self.query.numbers, *(() if self.query.weight is None else ("w",))]

    @property
    def _texts(self) -> list[str]:
        """The columns that are text whose values stand for something, if any file is text without types."""
        typed = {*self._numeric, *(self.query.labels if self.quick else ())}
        return [name for name in self.query.columns if self._untyped and name not in typed]

    def _refuse_mixture(self, pieces: list[Any]) -> None:
        schemas = [piece.collect_schema() for piece in pieces]
        for name, column in self.query.columns.items():
            families: dict[str, str] = {}
            for file, schema in zip(self.files, schemas, strict=True):
                families.setdefault(_family(schema[name]), file.source.path)
            families.pop("", None)
            if len(families) > 1:
                (first, here), (other, there), *_ = families.items()
                raise ValueError(
                    f"column {brief(column)!r} holds {first} in {here} but {other} in {there}; make it one "
                    "kind in all files."
                )


def _family(dtype: Any) -> str:
    pl = imported()
    if dtype == pl.Null:
        return ""
    if dtype.is_numeric() or dtype == pl.Boolean:
        return "numbers"
    return "text" if isinstance(dtype, (pl.String, pl.Categorical, pl.Enum)) else str(dtype)
