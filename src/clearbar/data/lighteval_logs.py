"""The details that lighteval saves with ``--save-details``: a Parquet file for each task, a row per item.

Fields as in its ``DetailsLogger.Detail``, ``Doc`` and ``ModelResponse``, read without its code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clearbar.core.errors import shown
from clearbar.data.answers import (
    Answer,
    Answers,
    chosen_score,
    cluster_of,
    likeliest,
    refuse_other_fields,
    right_answers,
    right_or_wrong,
)

NAME = re.compile(r"details_.+\.parquet")

METRICS = ("acc", "em", "exact_match")  # what is read if no metric is named

LIKELIEST = "acc"  # where the likeliest option is the answer, as it stands

COLUMNS = ("doc", "metric", "model_response")

_DATE = re.compile(r"\d{4}-\d\d-\d\dT.*")

Record = Mapping[str, Any]


def answers_of(path: str, records: Sequence[Record], metrics: Sequence[str], field: str | None) -> Answers:
    """Return the answers of one file."""
    for number, record in enumerate(records, 1):
        refuse_other_fields(f"row {number:,} of {path}", record, dict.fromkeys(COLUMNS, (dict,)), COLUMNS)
        refuse_other_fields(
            f"row {number:,} of {path}", record["doc"], {"choices": (list,)}, ("choices", "gold_index", "id")
        )
    score = chosen_score(path, metrics_of(records), metrics, METRICS)
    task = records[0]["doc"].get("task_name") or os.path.basename(path)  # noqa: PTH119
    rows = (_answer(path, record, score) for record in records)
    answers = Answers.of(_model(path), str(task).removesuffix("|0"), rows, score)
    return answers.in_clusters(
        path, field, [cluster_of(record["doc"].get("specific"), field) for record in records]
    )


def metrics_of(records: Sequence[Record]) -> list[str]:
    return list(
        dict.fromkeys(
            name for record in records for name, value in record["metric"].items() if value is not None
        )
    )


def _model(path: str) -> str:
    """Return the name of a model: the folders between ``details`` and the date."""
    folders = list(Path(os.path.abspath(path)).parent.parts)  # noqa: PTH100 - as typed
    if _DATE.fullmatch(folders[-1]):
        folders.pop()
    start = len(folders) - folders[::-1].index("details") if "details" in folders else len(folders) - 1
    return "/".join(folders[start:]) or folders[-1]


def _answer(path: str, record: Record, score: str) -> Answer:
    document, response = record["doc"], record["model_response"]
    right = right_or_wrong(path, document["id"], score, record["metric"].get(score))
    choices = tuple(str(choice).strip() for choice in document["choices"])
    gold = document["gold_index"]
    gold = list(gold) if isinstance(gold, (list, tuple)) else [gold]
    if not gold or not all(isinstance(place, int) and 0 <= place < len(choices) for place in gold):
        raise ValueError(
            f"item {document['id']} of {path} has the right options {shown(gold)} of {len(choices)}."
        )
    likelihoods = response.get("logprobs")
    if not likelihoods or len(likelihoods) != len(choices) or len(choices) < 2:
        texts = response.get("text_post_processed") or response.get("text") or ()
        target = right_answers(choices[place] for place in gold)
        return Answer(document["id"], target, str(texts[0]).strip() if texts else None, None, right)
    if len(gold) > 1:
        raise ValueError(
            f"item {document['id']} of {path} has {len(gold)} right options; those with one are judged."
        )
    answer, tied = likeliest(likelihoods)
    is_known = score == LIKELIEST and (answer == gold[0]) == bool(right)
    said = answer if is_known else None
    return Answer(document["id"], gold[0], said, len(choices), right, offered=choices, tied=tied)
