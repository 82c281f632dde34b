"""What Inspect writes, as JSON or as an archive of JSON: a log of one task and one model."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import IO, Any

from clearbar.core.errors import listed, shown
from clearbar.data.answers import (
    LETTERS,
    Answer,
    Answers,
    chosen_score,
    cluster_of,
    refuse_other_fields,
    right_answers,
    right_or_wrong,
)

NOTHING = type(None)

SPEC: dict[str, tuple[type, ...]] = {"task": (str,), "model": (str,)}
SAMPLE: dict[str, tuple[type, ...]] = {
    "id": (int, str),
    "epoch": (int,),
    "choices": (list, NOTHING),
    "scores": (dict, NOTHING),
    "metadata": (dict, NOTHING),
}
"""What some of the fields hold."""

KEPT = ("id", "epoch", "target", "choices", "error", "invalidation", "metadata")


def is_log(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("eval"), dict)


def slim(where: str, sample: Any) -> dict[str, Any]:
    """Return a sample with what is read of it: messages and events take room."""
    refuse_other_fields(where, sample, SAMPLE, ("id", "target"))
    scores = sample.get("scores") or {}
    refuse_other_fields(where, scores, dict.fromkeys(scores, (dict, NOTHING)))
    kept = {name: sample.get(name) for name in KEPT}
    slim_scores = {
        name: score and {"value": score.get("value"), "answer": score.get("answer")}
        for name, score in scores.items()
    }
    return {**kept, "scores": slim_scores}


def checked(path: str, log: dict[str, Any]) -> dict[str, Any]:
    spec = log["eval"]
    lacking = [field for field in ("task", "model") if not spec.get(field)]
    if lacking:
        raise ValueError(f"{path} lacks {listed(map(repr, lacking))} in its 'eval'.")
    refuse_other_fields(f"'eval' in {path}", spec, SPEC)
    refuse_other_fields(path, log, {"samples": (list, NOTHING)})
    samples = log.get("samples")
    if not samples:
        raise ValueError(f"{path} holds no samples; run the evaluation with its samples logged.")
    kept = [slim(f"sample {number:,} of {path}", sample) for number, sample in enumerate(samples, 1)]
    return {**log, "samples": kept}


def partial(log: dict[str, Any]) -> str:
    """Say why a log is not that of a whole evaluation; empty where it is."""
    reasons = []
    status = log.get("status", "success")
    if status != "success":
        reasons.append(f"its status is {shown(status)}")
    if log.get("invalidated"):
        reasons.append("it was invalidated")
    else:
        invalid = sum(bool(sample["invalidation"]) for sample in log["samples"])
        reasons += [f"{invalid:,} of its samples {'was' if invalid == 1 else 'were'} invalidated"][
            : invalid > 0
        ]
    # The samples of the data set, times the epochs, where a log tells them.
    dataset, config = log["eval"].get("dataset"), log["eval"].get("config")
    samples = dataset.get("samples") if isinstance(dataset, dict) else None
    epochs = (config.get("epochs") if isinstance(config, dict) else None) or 1
    if isinstance(samples, int) and isinstance(epochs, int) and len(log["samples"]) < samples * epochs:
        reasons.append(f"it holds {len(log['samples']):,} of {samples * epochs:,} samples")
    return listed(reasons)


def answers_of(path: str, log: dict[str, Any], scorers: Sequence[str], field: str | None) -> Answers:
    """Return the answers of one log that was checked."""
    spec, samples = log["eval"], log["samples"]
    score = chosen_score(path, scorers_of(log), scorers)
    letters = all(len(sample["choices"] or ()) <= LETTERS for sample in samples)
    repeated = len({sample["id"] for sample in samples}) < len(samples)
    rows = [_answer(path, sample, score, letters=letters) for sample in samples]
    answers = Answers.of(spec["model"], spec["task"], rows, score)
    if repeated:
        epochs = [sample["epoch"] or 1 for sample in samples]
        items = list(zip(answers.items, epochs, strict=True))
        answers = replace(answers, items=items, clusters=answers.items)
    return answers.in_clusters(path, field, [cluster_of(sample["metadata"], field) for sample in samples])


def scorers_of(log: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(name for sample in log["samples"] for name in sample["scores"]))


def _answer(path: str, sample: dict[str, Any], score: str, *, letters: bool) -> Answer:
    scored = sample["scores"].get(score)
    value = scored.get("value") if scored and not sample["invalidation"] else None
    right = right_or_wrong(path, sample["id"], score, value)
    choices, said = sample["choices"], scored.get("answer") if scored else None
    if not choices:
        target = sample["target"]
        gold = right_answers(str(text).strip() for text in (target if isinstance(target, list) else [target]))
        answer = None if said is None else str(said).strip()
        return Answer(sample["id"], gold, answer, None, right)
    gold = _gold(path, sample, choices)
    place = None if said is None else _place(str(said), choices)
    never = said is not None and place is None  # several options, or none
    right_one, given = (_option(position, letters=letters) for position in (gold, place))
    answer = "" if never else given
    return Answer(sample["id"], right_one, answer, len(choices), right)


def _option(place: int | None, *, letters: bool) -> Any:
    """Return what an option is called: its letter, as the model sees it, or a number where there are more."""
    return ascii_uppercase[place] if letters and place is not None else place


def _gold(path: str, sample: dict[str, Any], choices: Sequence[Any]) -> int | None:
    """Return the position of the right option; None where the log does not tell."""
    target = sample["target"]
    text = "".join(map(str, target)) if isinstance(target, list) else str(target)
    place = _place(text, choices)
    letters = [letter for letter in text if letter not in ", "]
    texts = {str(choice).strip() for choice in choices}
    has = f"sample {shown(sample['id'])} of {path} has the target {shown(target)}"
    if place is None and len(letters) > 1 and all(_is_letter(letter, choices) for letter in letters):
        raise ValueError(f"{has}; options of which several are right are not judged.")
    if place is None and text.strip() and text.strip() not in texts:
        last = f" to {_option(len(choices) - 1, letters=True)}" if 1 < len(choices) <= LETTERS else ""
        raise ValueError(
            f"{has}, which is none of its {len(choices)} options (A{last}), nor the text of one."
        )
    return place


def _place(text: str, choices: Sequence[Any]) -> int | None:
    """Return where an option stands that is named by its letter, or by its text."""
    text = text.strip()
    if _is_letter(text, choices):
        return ascii_uppercase.index(text)
    texts = [str(choice).strip() for choice in choices]
    if texts.count(text) == 1:
        return texts.index(text)
    small = text.upper() if text not in texts else ""
    return ascii_uppercase.index(small) if _is_letter(small, choices) else None


def _is_letter(text: str, choices: Sequence[Any]) -> bool:
    return len(text) == 1 and text in ascii_uppercase[: len(choices)]


HEADER, START = "header.json", "_journal/start.json"

MAGIC = b"PK\x03\x04"

_ZSTD = 93
# The end of what stands before a packed file: how long its name is, and an extra field.
_LOCAL = struct.Struct("<26xHH")


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
                    log = parsed(path, _unpacked(path, file, archive, info, most))
                    samples.append(slim(f"{name} in {path}", log))
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error):
        raise ValueError(f"{path} is a damaged or truncated archive.") from None
    samples.sort(key=lambda sample: (sample["epoch"] or 1, str(type(sample["id"])), sample["id"]))
    status = {"status": "started"} if start.filename == START else {}
    return {**status, **header, "samples": samples}


def _unpacked(
    path: str, file: IO[bytes], archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int
) -> bytes:
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
