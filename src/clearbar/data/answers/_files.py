"""Logs of harnesses: what a folder holds, what a file is, and the answers in it."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from clearbar.core.errors import ArgumentError, shown
from clearbar.data.answers import _inspect, _lm_eval
from clearbar.data.answers._values import Answer, refuse_unknown
from clearbar.data.tables import errors_of_reading, files_of

NEITHER = (
    "neither samples of lm-evaluation-harness (JSON lines with doc_id, written with --log_samples) nor a "
    "JSON log of Inspect"
)

ARCHIVE = "{path} is an archive; Inspect writes its log as JSON with: inspect log dump {path} > log.json"

_SAMPLES = re.compile(r"samples_.+\.jsonl(?:\.gz)?")
_INSPECT = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,[^{}]*"eval"\s*:\s*\{')


class _Log(NamedTuple):
    """The answers in a file, and what they were scored by and went through."""

    rows: list[Answer]
    metrics: Sequence[str]
    filters: Sequence[str] = ()


def read_logs(paths: Any, *, metrics: Sequence[str] = (), wanted: str | None = None) -> Iterator[Answer]:
    """Yield the answers in files, or in all logs of a folder.

    Two files with the same task of the same model are refused, and names that no log has.
    """
    known: dict[tuple[str, str], str] = {}
    named: dict[str, list[str]] = {"metric": [], "filter": []}
    for path in itertools.chain.from_iterable(map(_inside, files_of(paths))):
        log = _log(path, metrics, wanted)
        about = log.rows[0].model, log.rows[0].task
        if about in known:
            raise ValueError(
                f"{known[about]} and {path} both hold answers of {about[0]!r} to {about[1]!r}; name one of "
                "them."
            )
        known[about] = path
        named["metric"] += log.metrics
        named["filter"] += log.filters
        yield from log.rows
    refuse_unknown("metric", metrics, list(dict.fromkeys(named["metric"])))
    refuse_unknown("filter", () if wanted is None else (wanted,), list(dict.fromkeys(named["filter"])))


def _log(path: str, metrics: Sequence[str], wanted: str | None) -> _Log:
    text = _text(path)
    first = _parsed(text.split("\n", 1)[0])
    if _lm_eval.is_sample(first):
        samples = _lines(path, text)
        rows = list(_lm_eval.rows_of(path, samples, metrics, wanted))
        return _Log(rows, _lm_eval.metrics_of(samples), _lm_eval.filters_of(samples))
    document = first if _inspect.is_log(first) else _parsed(text)
    if _inspect.is_log(document):
        return _Log(list(_inspect.rows_of(path, document, metrics)), _inspect.scorers_of(document))
    totals = isinstance(document, dict) and "results" in document and "configs" in document
    if totals:
        raise ValueError(
            f"{path} has only totals of lm-evaluation-harness; its answers are in samples_*.jsonl."
        )
    raise ArgumentError(
        "",
        f"{path} is {NEITHER}; ",
        "a table of answers is judged by evaluate_frame, with options.",
        "answers",
    )


def _inside(path: str) -> list[str]:
    """Return a file, or the logs in a folder and in those inside it: totals are passed over."""
    if not os.path.isdir(path):  # noqa: PTH112 - as typed
        return [path]
    inside = sorted(str(file) for file in Path(path).rglob("*") if file.is_file())
    archives = [file for file in inside if file.endswith(".eval")]
    if archives:
        raise ValueError(ARCHIVE.format(path=archives[0]))
    logs = [file for file in inside if _SAMPLES.fullmatch(os.path.basename(file)) or _is_inspect(file)]  # noqa: PTH119
    if not logs:
        raise ValueError(
            f"{path} is a folder without logs: samples_*.jsonl of lm-evaluation-harness (written with "
            "--log_samples), or Inspect's in JSON."
        )
    return logs


def _is_inspect(path: str) -> bool:
    """Whether a file of a folder is a log of Inspect, going by its name and how it starts."""
    if not path.endswith(".json"):
        return False
    with errors_of_reading(path), open(path, "rb") as file:  # noqa: PTH123
        return _INSPECT.match(file.read(4096)) is not None


def _text(path: str) -> str:
    with errors_of_reading(path), open(path, "rb") as file:  # noqa: PTH123
        content = file.read()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
    if content.startswith(b"PK\x03\x04"):
        raise ValueError(ARCHIVE.format(path=path))
    try:
        text = content.decode("utf-8-sig").lstrip()
    except UnicodeDecodeError:
        raise ValueError(f"{path} is {NEITHER}: it is no UTF-8 text.") from None
    if not text:
        raise ValueError(f"{path} is empty.")
    return text


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _lines(path: str, text: str) -> list[dict[str, Any]]:
    samples = []
    for number, line in enumerate(io.StringIO(text), 1):
        if not line.strip():
            continue
        sample = _parsed(line)
        if not isinstance(sample, dict):
            raise ValueError(f"line {number:,} of {path} is no JSON object: {shown(line.strip())}.")
        samples.append(sample)
    return samples
