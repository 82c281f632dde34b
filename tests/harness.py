"""Logs as harnesses write them, made from the fields that they document.

lm-evaluation-harness: `SampleResult` in lm_eval/result_schema.py, as `save_results_samples` writes it.
Inspect: `EvalLog`, `EvalSpec`, `EvalSample` and `Score` in inspect_ai/log/_log.py and scorer/_metric.py.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, NamedTuple

from clearbar.data.answers import Answers

DATE = "2026-11-01T10-20-30.123456"


class Row(NamedTuple):
    """What one model answered to one item of one task."""

    model: str
    task: str
    item: Any
    gold: Any
    answer: Any
    options: Any
    right: Any
    cluster: Any = None
    offered: Any = None
    tied: bool = False
    score: str = ""


def in_columns(rows: Iterable[Row]) -> list[Answers]:
    """Return rows as the columns of each model and task."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.model, row.task, row.score), []).append(row)
    return [Answers(*about, *map(list, zip(*(row[2:-1] for row in of), strict=True)))
            for about, of in groups.items()]  # fmt: skip


def in_rows(answers: Iterable[Answers]) -> list[Row]:
    """Return columns as rows."""
    rows = []
    for of in answers:
        model, task, score, *columns = (getattr(of, field.name) for field in fields(of))
        rows += [Row(model, task, *row, score) for row in zip(*columns, strict=True)]
    return rows


def choice_sample(
    doc_id: int, options: int, gold: int, said: int, target: str | None = None, **metrics: Any
) -> dict[str, Any]:
    """A line of a multiple-choice task: a request per option, each with its log-likelihood."""
    likelihoods = [-1.0 if at == said else -2.0 - at for at in range(options)]
    arguments = {
        f"gen_args_{at}": {"arg_0": f"Question {doc_id}?", "arg_1": f" option {at}"} for at in range(options)
    }
    responses = [[str(value), "False"] for value in likelihoods]
    return {
        "doc_id": doc_id,
        "doc": {"question": f"Question {doc_id}?"},
        "target": str(gold) if target is None else target,
        "arguments": arguments,
        "resps": [[response] for response in responses],
        "filtered_resps": responses,
        "filter": "none",
        "metrics": ["acc", *metrics],
        "doc_hash": "0", "prompt_hash": "0", "target_hash": "0",
        "acc": float(said == gold),
        **metrics,
    }  # fmt: skip


def open_sample(doc_id: int, gold: str, said: str, name: str = "none", **metrics: Any) -> dict[str, Any]:
    """A line of a task whose answers are generated."""
    scores = metrics or {"exact_match": float(said == gold)}
    return {
        "doc_id": doc_id,
        "doc": {"question": f"Question {doc_id}?"},
        "target": gold,
        "arguments": {"gen_args_0": {"arg_0": f"Question {doc_id}?", "arg_1": {"until": ["\n"]}}},
        "resps": [[f"I say {said}"]],
        "filtered_resps": [said],
        "filter": name,
        "metrics": list(scores),
        "doc_hash": "0", "prompt_hash": "0", "target_hash": "0",
        **scores,
    }  # fmt: skip


def write_samples(folder: pathlib.Path, model: str, task: str, samples: list[dict[str, Any]]) -> str:
    """Write lines where the harness writes them: in a folder named as the model."""
    place = folder / model
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"samples_{task}_{DATE}.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    return str(path)


def inspect_sample(
    number: int, target: Any, answer: str | None, value: Any, choices: list[str] | None = None, **fields: Any
) -> dict[str, Any]:
    """A sample of a log of Inspect."""
    scorer = "match" if choices is None else "choice"
    return {
        "id": number,
        "epoch": 1,
        "input": f"Question {number}?",
        "choices": choices,
        "target": target,
        "messages": [],
        "output": {"model": "m", "choices": []},
        "scores": {scorer: {"value": value, "answer": answer, "explanation": "as it was said"}},
        "metadata": {},
        **fields,
    }


def inspect_log(model: str, task: str, samples: Any) -> dict[str, Any]:
    """A log of Inspect, of one task and one model."""
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "created": "2026-11-01T10:20:30+00:00",
            "task": task,
            "model": model,
            "dataset": {"name": task},
            "config": {},
        },
        "samples": samples,
    }


def write_log(folder: pathlib.Path, model: str, task: str, samples: Any) -> str:
    """Write a log, printed over several lines as Inspect does."""
    path = folder / f"{model.replace('/', '_')}_{task}.json"
    path.write_text(json.dumps(inspect_log(model, task, samples), indent=2), encoding="utf-8")
    return str(path)
