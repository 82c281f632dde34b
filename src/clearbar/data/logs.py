"""Logs of harnesses: what a folder holds, what a file is, and the answers in it."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from clearbar.core.errors import ArgumentError, shown
from clearbar.data import helm_logs, inspect_logs, lighteval_logs, lm_eval_logs
from clearbar.data.answers import Answers, refuse_unknown
from clearbar.data.files import errors_of_reading, files_of

NEITHER = (
    "neither samples of lm-evaluation-harness (JSON lines with doc_id, written with --log_samples) nor a "
    "log of Inspect, nor a scenario_state.json of HELM, nor lighteval's details_*.parquet"
)

# Bytes that what is packed and has to be held as a whole may unpack to: a JSON document, or one sample.
MOST_UNPACKED = 2**27

MOST_LINES = 2**31  # bytes that packed JSON lines may unpack to in all
LONGEST_LINE = 2**25  # bytes of one line of JSON lines, which are read one by one
SAMPLES = re.compile(r"samples_.+\.jsonl(?:\.gz)?")
_INSPECT = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,[^{}]*"eval"\s*:\s*\{')


class Logs(NamedTuple):
    """The answers in some logs, and in what way these are not those of a whole evaluation."""

    answers: list[Answers]
    partial: list[str]


class _Log(NamedTuple):
    """The answers in a file, what they were scored by and went through, and why it is not all of them."""

    answers: Answers
    metrics: Sequence[str]
    filters: Sequence[str]
    fields: Sequence[str]  # of an item's own data
    partial: str


def read_logs(
    paths: Any,
    *,
    metrics: Sequence[str] = (),
    wanted: str | None = None,
    clusters: str | None = None,
    allow_partial: bool = False,
) -> Logs:
    """Return the answers in files, or in all logs of a folder.

    Two files with the same task of the same model are refused, names that no log has, and a log that is not
    that of a whole evaluation, unless such are allowed.
    """
    paths_read: dict[tuple[str, str], str] = {}
    named: dict[str, list[str]] = {"metric": [], "filter": [], "clusters": []}
    logs = Logs([], [])
    for path in itertools.chain.from_iterable(map(_inside, files_of(paths))):
        log = _log(path, metrics, wanted, clusters)
        about = log.answers.model, log.answers.task
        if about in paths_read:
            raise ValueError(
                f"{paths_read[about]} and {path} both hold answers of {about[0]!r} to {about[1]!r}; name "
                "one of them."
            )
        if log.partial and not allow_partial:
            raise ArgumentError(
                "",
                f"{path} is not the log of a whole evaluation: {log.partial}; ",
                "allow_partial=True judges what is there.",
                "allow_partial",
            )
        paths_read[about] = path
        named["metric"] += log.metrics
        named["filter"] += log.filters
        named["clusters"] += log.fields
        logs.answers.append(log.answers)
        if log.partial:
            logs.partial.append(f"{about[1]} of {about[0]} is not a whole evaluation: {log.partial}.")
    for argument, given in (("metric", metrics), ("filter", [wanted]), ("clusters", [clusters])):
        names = [name for name in given if name is not None]
        refuse_unknown(argument, names, list(dict.fromkeys(named[argument])))
    return logs


def answers_in(path: str, metrics: Sequence[str] = (), wanted: str | None = None) -> Answers:
    """Return the answers in one file, of whatever run; names that it lacks are left out."""
    return _log(path, metrics, wanted, None).answers


def _log(path: str, metrics: Sequence[str], wanted: str | None, clusters: str | None) -> _Log:
    if lighteval_logs.NAME.fullmatch(os.path.basename(path)):  # noqa: PTH119
        from clearbar.data.file_tables import rows_of_file

        details = rows_of_file(path)
        answers = lighteval_logs.answers_of(path, details, metrics, clusters)
        fields = _fields(details[0]["doc"].get("specific"))
        return _Log(answers, lighteval_logs.metrics_of(details), (), fields, "")
    with _opened(path) as (file, packed):
        if file.peek(4).startswith(inspect_logs.MAGIC):
            document: Any = inspect_logs.read_archive(path, file, _parsed, inspect_logs.slim, MOST_UNPACKED)
        else:
            lines = _lines(path, file, most=MOST_LINES if packed else None)
            first = next(lines, None)
            if first is None:
                raise ValueError(f"{path} is empty.")
            if lm_eval_logs.is_sample(sample := _parsed(path, first[1])):
                records = itertools.chain([(first[0], sample)], _records(path, lines))
                samples = [
                    lm_eval_logs.slim(f"line {number:,} of {path}", path, line, clusters)
                    for number, line in records
                ]
                answers = lm_eval_logs.answers_of(path, samples, metrics, wanted, clusters)
                named = lm_eval_logs.metrics_of(samples), lm_eval_logs.filters_of(samples)
                return _Log(answers, *named, _fields(sample.get("doc")), lm_eval_logs.partial(path))
            document = sample
            if not inspect_logs.is_log(sample):
                rest = file.read(*([MOST_UNPACKED + 1 - len(first[1])] if packed else []))
                if packed and len(first[1]) + len(rest) > MOST_UNPACKED:
                    raise _too_large(path, MOST_UNPACKED)
                document = _parsed(path, first[1] + rest)
    return _of_document(path, document, metrics, clusters)


def _fields(data: Any) -> list[str]:
    """Return what the fields of an item's own data are called."""
    return list(data) if isinstance(data, dict) else []


def _of_document(path: str, document: Any, metrics: Sequence[str], clusters: str | None) -> _Log:
    """Return the log that one JSON document is."""
    if inspect_logs.is_log(document):
        log = inspect_logs.checked(path, document)
        answers = inspect_logs.answers_of(path, log, metrics, clusters)
        fields = _fields(log["samples"][0]["metadata"])
        return _Log(answers, inspect_logs.scorers_of(log), (), fields, inspect_logs.partial(log))
    if helm_logs.is_state(document):
        stats = read_json(os.path.join(os.path.dirname(path), helm_logs.STATS))  # noqa: PTH118, PTH120
        answers = helm_logs.answers_of(path, document, stats, metrics)
        return _Log(answers, helm_logs.metrics_of(stats), (), (), "")
    if helm_logs.is_stats(document):
        raise ValueError(f"{path} has scores without answers; name {helm_logs.STATE} beside it.")
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


def read_json(path: str) -> Any:
    """Return a JSON document, of JSON lines a list of records; None for the log of a harness."""
    with _opened(path) as (file, packed):
        lines = _lines(path, file, most=MOST_LINES if packed else None)
        first = next(lines, None)
        if first is None:
            raise ValueError(f"{path} is empty.")
        if file.peek(4).startswith(inspect_logs.MAGIC):
            return None
        document = _parsed(path, first[1])
        if isinstance(document, dict) and not _is_log(document):
            others = [record for _, record in _records(path, lines)]
            return [document, *others] if others else document
        if document is None:
            document = _parsed(path, first[1] + file.read(MOST_UNPACKED))
    if document is None:
        raise ValueError(f"{path} is neither JSON nor JSON lines.")
    return None if _is_log(document) else document


def _is_log(document: Any) -> bool:
    recognised = lm_eval_logs.is_sample, inspect_logs.is_log, helm_logs.is_state
    return any(is_one(document) for is_one in recognised)


def _inside(path: str) -> list[str]:
    """Return a file, or the logs in a folder and in those inside it: totals are passed over."""
    if not os.path.isdir(path):  # noqa: PTH112 - as typed
        return [path]
    inside = sorted(str(file) for file in Path(path).rglob("*") if file.is_file())
    logs = []
    for file in inside:
        name = os.path.basename(file)  # noqa: PTH119
        named = SAMPLES.fullmatch(name) or lighteval_logs.NAME.fullmatch(name)
        if named or name.endswith(".eval") or name == helm_logs.STATE:
            logs.append(file)
        elif file.endswith(".json"):
            with errors_of_reading(file), open(file, "rb") as start:  # noqa: PTH123
                logs += [file] if _INSPECT.match(start.read(4096)) else []
    if not logs:
        raise ValueError(
            f"{path} is a folder without logs: samples_*.jsonl of lm-evaluation-harness (written with "
            "--log_samples), Inspect's, HELM's scenario_state.json, or lighteval's details_*.parquet."
        )
    return logs


@contextmanager
def _opened(path: str) -> Iterator[tuple[Any, bool]]:
    with errors_of_reading(path):
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - a pipe would be waited for
            raise ValueError(f"{path} is no ordinary file; save the log as one first.")
        with open(path, "rb") as file:  # noqa: PTH123
            if not file.peek(2).startswith(b"\x1f\x8b"):
                yield file, False
                return
            with io.BufferedReader(gzip.GzipFile(fileobj=file)) as unpacked:
                yield unpacked, True


def _lines(path: str, file: Any, *, most: int | None) -> Iterator[tuple[int, bytes]]:
    read = 0
    for number in itertools.count(1):
        line = file.readline(LONGEST_LINE)
        read += len(line)
        if not line:
            return
        if most is not None and read > most:
            raise _too_large(path, most)
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if line.strip():
            yield number, line


def _records(path: str, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, Any]]:
    for number, line in lines:
        if len(line) >= LONGEST_LINE:
            raise ValueError(
                f"line {number:,} of {path} has more than {LONGEST_LINE // 2**20} MiB; it is not read."
            )
        record = _parsed(path, line)
        if not isinstance(record, dict):
            text = line.decode("utf-8", "replace").strip()
            raise ValueError(f"line {number:,} of {path} is no JSON object: {shown(text)}.")
        yield number, record


def _too_large(path: str, most: int) -> ValueError:
    return ValueError(f"{path} unpacks to more than {most // 2**20:,} MiB; unpack it first if you trust it.")


def _parsed(path: str, text: bytes) -> Any:
    try:
        return json.loads(text)
    except UnicodeDecodeError:
        raise ValueError(f"{path} is neither JSON nor an archive: it is no UTF-8 text.") from None
    except ValueError:
        return None
    except RecursionError:
        raise ValueError(f"{path} is not read: its JSON is nested too deeply.") from None
