"""Files as one table that polars streams: what is read as numbers, what as text, what is no row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from clearbar.core._progress import counter, seen
from clearbar.core.errors import brief
from clearbar.data.tables import _csv
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._files import Source, inspect, rows_of_text
from clearbar.data.tables._labels import as_number, family, no_number
from clearbar.data.tables._paths import paths_of, refuse_repeated, require_engine
from clearbar.data.tables._tables import Table, computable, kind, picked, position, refuse_kinds, table_of
from clearbar.data.tables._typed import damaged, refuse_repeated_keys, scan_typed, schema_of


def opened(frame: Any, ask: Ask) -> Table:
    """Return what holds a table, in memory, in an engine or in files, as a query that has not run yet."""
    paths = paths_of(frame)
    if paths is not None:
        return Files.of(paths, ask).table()
    if ask.by_file:
        raise ValueError("by_file needs files; found a data frame. Name a column with by.")
    return table_of(frame, ask)


def column_names(path: str) -> tuple[str, ...]:
    """Return the names of a file's columns."""
    require_engine()
    source = inspect(path)
    if source.kind == "csv":
        return _csv.header(source, ()).names
    return tuple(schema_of(source, scan_typed(source)).names())


def first_values(path: str) -> dict[str, set[str]]:
    """Return the different values of each column in a file's first rows, as text; missing ones left out."""
    import polars as pl

    source = inspect(path)
    if source.kind == "csv":
        top = _csv.header(source, ())
        rows = _csv.first_rows(source, top)
        return {
            name: {row[at].strip() for row in rows if at < len(row)} - {""}
            for at, name in enumerate(top.names)
        }
    lazy = scan_typed(source, whole=False)
    schema_of(source, lazy)
    try:
        rows = lazy.head(_csv.FIRST).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise ValueError(damaged(source, error)) from None
    return {column.name: set(map(str, column.drop_nulls())) for column in rows}


@dataclass(frozen=True)
class Files:
    """Several files that are one table."""

    sources: tuple[Source, ...]  # the files
    ask: Ask  # the columns
    quick: bool = False
    blank: Mapping[str, list[int]] | None = None
    tops: dict[str, _csv.Header] = field(default_factory=dict, compare=False)
    listeners: list[Callable[[int], None]] = field(default_factory=list, compare=False)

    @classmethod
    def of(cls, paths: Iterable[str], ask: Ask) -> Files:
        """Look at files, without reading them whole."""
        require_engine()
        scan = cls(tuple(map(inspect, paths)), ask)
        refuse_repeated(scan.paths)
        for source in scan.sources:
            if source.kind == "json":
                refuse_repeated_keys(source, ask.columns.values())
        guessed = [source for source in scan.sources if source.kind != "parquet"]
        return replace(scan, quick=bool(guessed) and all(map(scan._looks_plain, guessed)))

    def table(self) -> Table:
        """Return the files as a table."""
        import narwhals as nw
        import polars as pl

        pieces = [self._piece(source) for source in self.sources]
        schemas = [schema_of(source, piece) for source, piece in zip(self.sources, pieces, strict=True)]
        self._refuse_mixture(schemas)
        whole = pieces[0] if len(pieces) == 1 else pl.concat(pieces, how="vertical_relaxed")
        lazy = nw.from_native(whole)
        dtypes = lazy.collect_schema()
        kinds = {name: kind(dtype) for name, dtype in dtypes.items()}
        return Table(lazy, kinds, "polars", self._texts(), self)

    @property
    def paths(self) -> tuple[str, ...]:
        """Where they are."""
        return tuple(source.path for source in self.sources)

    def checked(self) -> Files:
        """Return the files without the blank lines among their rows; raise if rows are ragged."""
        tops = {source: self._top(source) for source in self.sources if source.kind == "csv"}
        suspects = {source: top for source, top in tops.items() if not _csv.is_full(source, top)}
        blank = {source.path: _csv.blank_rows(source, top) for source, top in suspects.items()}
        return replace(self, blank=blank)

    @property
    def has_blank_lines(self) -> bool:
        """Whether lines that are no rows were found."""
        return any((self.blank or {}).values())

    def slower(self) -> Files:
        """Return the files with labels in CSV read as text, whatever they stand for."""
        return replace(self, quick=False)

    def explain(self, error: ValueError) -> NoReturn:
        """Raise a better error than what the engine said, if one file is at fault."""
        for source in self.sources:
            if source.kind == "csv":
                _csv.blank_rows(source, self._top(source))  # line by line: says which is wrong
            try:
                self._damage(source)
            except ValueError as damage:
                raise damage from error
        raise error

    def _damage(self, source: Source) -> None:
        """Read one file alone."""
        import polars as pl

        numeric = self._numeric() if source.kind == "csv" else ()
        plain = (
            replace(self, ask=replace(self.ask, threshold=None, weight=None, of_scores=False))
            if numeric
            else self
        )
        try:
            plain._piece(source).select(  # noqa: SLF001 - of its own kind
                pl.len(), pl.all().null_count()
            ).collect(engine="streaming")
            wrong: dict[str, str] = {}
            for name in numeric:
                texts = self._text(source, name)
                first_damaged = texts.filter(no_number(pl.col(name))).head(1).collect(engine="streaming")
                wrong |= {name: first_damaged.item()} if len(first_damaged) else {}
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise ValueError(damaged(source, error)) from None
        for name, text in wrong.items():
            raise ValueError(f"{self.ask.called(name)} must hold numbers; {source.path} has {text!r}.")

    def _text(self, source: Source, name: str) -> Any:
        import polars as pl

        at = str(self._at(source)[name])
        return _csv.scan(source, self._top(source)).select(pl.col(at).alias(name))

    def _numeric(self) -> tuple[str, ...]:
        """Return the columns that must be numbers, whatever the file is."""
        return (*self.ask.numbers, *(() if self.ask.weight is None else ("w",)))

    def _top(self, source: Source) -> _csv.Header:
        if source.path not in self.tops:
            self.tops[source.path] = _csv.header(source, tuple(self.ask.columns.values()))
        return self.tops[source.path]

    def _at(self, source: Source) -> dict[str, int]:
        top = self._top(source)
        return {ours: top.position(name, source.path) for ours, name in self.ask.columns.items()}

    def _looks_plain(self, source: Source) -> bool:
        """Tell from its first rows whether a file's labels are written 0 and 1."""
        if source.kind != "csv":
            return True
        at = self._at(source)
        labels = [name for name in self.ask.labels if name not in self._numeric()]
        rows = _csv.first_rows(source, self._top(source))
        return bool(rows) and all(
            row[at[name]] in {"0", "1"} for row in rows for name in labels if at[name] < len(row)
        )

    def _piece(self, source: Source) -> Any:
        """Return one file's columns under our names."""
        import polars as pl

        lazy = self._csv(source) if source.kind == "csv" else self._open(source)
        if self.ask.by_file:
            lazy = lazy.with_columns(pl.lit(source.path).alias("file"))
        if seen():
            lazy = lazy.map_batches(self._tick, streamable=True, schema=schema_of(source, lazy))
        return lazy

    def _tick(self, rows: Any) -> Any:
        for tell in self.listeners:
            tell(len(rows))
        return rows

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Show on a terminal how many rows have been read."""
        if not seen():
            yield
            return
        with counter(self._rows(), "rows") as tell:
            self.listeners.append(tell)
            try:
                yield
            finally:
                self.listeners.clear()

    def _rows(self) -> int | None:
        """Return how many rows there are, more or less; None if nobody knows."""
        import polars as pl

        rows = 0
        for source in self.sources:
            if source.compressed or "://" in source.path:
                return None
            if source.kind == "parquet":
                rows += int(scan_typed(source).select(pl.len()).collect().item())
            else:
                rows += rows_of_text(source)
        return rows

    def _csv(self, source: Source) -> Any:
        import narwhals as nw
        import polars as pl

        at, top = self._at(source), self._top(source)
        numbers = dict.fromkeys(self._numeric(), pl.Float64)
        read = {**dict.fromkeys(self.ask.labels, pl.Int8), **numbers} if self.quick else {}
        lazy = _csv.scan(source, top, {str(at[name]): dtype for name, dtype in read.items()})
        blank = (self.blank or {}).get(source.path)
        if blank:
            lazy = lazy.with_row_index("at").filter(~pl.col("at").is_in(blank))
        columns = [
            as_number(pl.col(str(where))).alias(name) if name in numbers and name not in read
            else pl.col(str(where)).alias(name)
            for name, where in at.items()
        ]  # fmt: skip
        if self.blank is None:  # short rows and blank lines look like this, and nothing else wrong does
            last = str(len(top.names) - 1)
            empty = pl.col(last).is_null() if last in {str(at[name]) for name in read} else pl.col(last) == ""
            columns.append(empty.cast(pl.Int8).alias("e"))
        known = nw.from_native(lazy.select(columns))
        return computable(known, self.ask, dict.fromkeys(self._numeric(), nw.Float64())).to_native()

    def _open(self, source: Source) -> Any:
        wanted = set(self.ask.columns.values())
        lazy = scan_typed(source, whole=not self.quick)
        if source.kind == "json" and self.quick and not wanted <= set(schema_of(source, lazy).names()):
            lazy = scan_typed(source)
        schema_of(source, lazy)
        return self._typed(source, lazy)

    def _typed(self, source: Source, lazy: Any) -> Any:
        """Return the columns of a file that has types of its own; beside CSV, as that is read."""
        import narwhals as nw
        import polars as pl

        known = nw.from_native(lazy)
        schema = known.collect_schema()
        names, dtypes = list(schema.names()), list(schema.dtypes())
        at = {ours: position(name, names, source.path) for ours, name in self.ask.columns.items()}
        held = {ours: dtypes[where] for ours, where in at.items()}
        refuse_kinds(self.ask, held)
        typed = computable(picked(known, at), self.ask, held).to_native()
        if not self._has_csv:
            return typed
        texts = [name for name in self._texts() if name in at]
        truths = [name for name in at if name not in texts and kind(dtypes[at[name]]) == "boolean"]
        typed = typed.with_columns(pl.col(texts).cast(pl.String), pl.col(truths).cast(pl.Int8))
        return typed if self.blank is not None else typed.with_columns(pl.lit(0, pl.Int8).alias("e"))

    @property
    def _has_csv(self) -> bool:
        return any(source.kind == "csv" for source in self.sources)

    def _texts(self) -> frozenset[str]:
        """Return the columns that are text whose values stand for something."""
        if not self._has_csv:
            return frozenset()
        quick = self.ask.labels if self.quick else ()
        return frozenset(self.ask.columns) - set(quick) - set(self._numeric())

    def _refuse_mixture(self, schemas: list[Any]) -> None:
        for name, column in self.ask.columns.items():
            kinds: dict[str, str] = {}
            for source, schema in zip(self.sources, schemas, strict=True):
                kind = family(schema[name])
                if kind:
                    kinds.setdefault(kind, source.path)
            if len(kinds) > 1:
                (one, here), (other, there) = list(kinds.items())[:2]
                raise ValueError(
                    f"column {brief(column)!r} holds {one} in {here} but {other} in {there}; make it one "
                    "kind in all files."
                )
