"""Inspect's ``.eval``: a zip archive of a header and of a file for each sample, as JSON.

A run that has not ended has no header, but a journal of how it began. Newer versions pack the files with
zstd, which Python reads from version 3.14 on; before, PyArrow does.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any

HEADER, START = "header.json", "_journal/start.json"

MAGIC = b"PK\x03\x04"

_ZSTD = 93
_LOCAL = struct.Struct("<26xHH")
"""The end of what stands before a packed file: how long its name is, and an extra field."""


def read_archive(
    path: str,
    file: IO[bytes],
    parsed: Callable[[str, bytes], Any],
    slim: Callable[[str, Any], dict[str, Any]],
    most: int,
) -> dict[str, Any]:
    """Return the log in an archive as one document, whose samples are slim."""
    try:
        with zipfile.ZipFile(file) as archive:
            named = {info.filename: info for info in archive.infolist()}
            start = named.get(HEADER) or named.get(START)
            if start is None:
                raise ValueError(f"{path} is an archive without {HEADER}, which Inspect's logs have.")
            header = parsed(path, _unpacked(path, file, archive, start, most))
            if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
                raise ValueError(f"{start.filename} in {path} is no header of a log of Inspect.")
            samples = []
            for name, info in named.items():
                if name.startswith("samples/") and name.endswith(".json"):
                    whole = parsed(path, _unpacked(path, file, archive, info, most))
                    samples.append(slim(f"{name} in {path}", whole))
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error):
        raise ValueError(f"{path} is a damaged or truncated archive.") from None
    samples.sort(key=lambda sample: (sample["epoch"] or 1, str(type(sample["id"])), sample["id"]))
    status = {"status": "started"} if start.filename == START else {}
    return {**status, **header, "samples": samples}


def _unpacked(
    path: str, file: IO[bytes], archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int
) -> bytes:
    """Return a file of an archive; one that unpacks to more than `most` bytes is refused."""
    if info.compress_type == _ZSTD and not hasattr(zipfile, "ZIP_ZSTANDARD"):
        file.seek(info.header_offset)
        name, extra = _LOCAL.unpack(file.read(_LOCAL.size))
        file.seek(name + extra, io.SEEK_CUR)
        unpacked = _of_zstd(path, file.read(info.compress_size)).read(most + 1)
    else:
        try:
            with archive.open(info) as packed:
                unpacked = packed.read(most + 1)
        except (NotImplementedError, RuntimeError) as error:  # another method, or a password
            raise ValueError(f"{info.filename} in {path} cannot be unpacked: {error}.") from None
    if len(unpacked) > most:
        raise ValueError(
            f"{info.filename} in {path} unpacks to more than {most // 2**20:,} MiB, which no sample needs; "
            "it is not read."
        )
    return unpacked


def _of_zstd(path: str, packed: bytes) -> IO[bytes]:
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError(
            f"reading {path} (packed with zstd) needs pyarrow, which is not installed: pip install pyarrow; "
            f"or let Inspect write it as JSON: inspect log dump {path} > log.json"
        ) from None
    return pa.CompressedInputStream(pa.BufferReader(packed), "zstd")  # type: ignore[no-any-return]
