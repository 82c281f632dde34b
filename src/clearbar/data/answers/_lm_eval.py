"""What lm-evaluation-harness writes with ``--log_samples``: a line for each document and filter.

Fields as in its ``lm_eval/result_schema.py`` (``SampleResult``), read without its code.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.data.answers._values import Answer, chosen_score, refuse_other_fields, right_or_wrong

FIELDS = ("doc_id", "target", "arguments", "filtered_resps")
"""What every line has."""

TYPES: dict[str, tuple[type, ...]] = {
    "doc_id": (int, str),
    "arguments": (dict, list),
    "filtered_resps": (list,),
    "filter": (str,),
    "metrics": (list, type(None)),
}
"""What some of the fields hold."""

METRICS = ("acc", "exact_match")
"""What is read if no metric is named, the first that a task has."""

_OTHERS = {*FIELDS, "doc", "resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"}
_NUMBER = re.compile(r"-?\d{1,15}")
_NAME = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?\.jsonl(?:\.gz)?")


def is_sample(line: Any) -> bool:
    """Whether a line is one of this harness."""
    return isinstance(line, dict) and "doc_id" in line and "filtered_resps" in line


def rows_of(
    path: str, samples: Sequence[dict[str, Any]], metrics: Sequence[str], wanted: str | None
) -> Iterator[Answer]:
    """Yield the answers of one file; its name and its folder tell task and model, as the harness has it."""
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - as typed, without its links
    named = _NAME.fullmatch(name)
    task = named["task"] if named else name.split(".")[0]
    model = os.path.basename(folder)  # noqa: PTH119
    for number, sample in enumerate(samples, 1):
        refuse_other_fields(f"line {number:,} of {path}", sample, TYPES, FIELDS)
    kept = _of_one_filter(path, samples, wanted)
    score = chosen_score(path, _metrics_of(kept[0]), metrics, METRICS)
    for sample in kept:
        if score not in sample:
            raise ValueError(f"item {sample['doc_id']} of {path} has no {score!r}.")
        right = right_or_wrong(path, sample["doc_id"], score, sample[score])
        gold, answer, options = _item(path, sample, score, right=bool(right))
        yield Answer(model, task, sample["doc_id"], gold, answer, options, right)


def metrics_of(samples: Sequence[dict[str, Any]]) -> list[str]:
    """Return what answers are scored by, each name once."""
    return list(dict.fromkeys(name for sample in samples for name in _metrics_of(sample)))


def filters_of(samples: Sequence[dict[str, Any]]) -> list[str]:
    """Return the filters that answers went through, each name once."""
    return list(dict.fromkeys(sample.get("filter", "none") for sample in samples))


def _of_one_filter(
    path: str, samples: Sequence[dict[str, Any]], wanted: str | None
) -> Sequence[dict[str, Any]]:
    filters = filters_of(samples)
    if len(filters) == 1:
        return samples
    if wanted is None or wanted not in filters:
        unknown = "" if wanted is None else f", not {wanted!r}"
        raise ArgumentError(
            "",
            f"{path} holds each answer as {len(filters)} filters made it, {listed(map(repr, filters))}"
            f"{unknown}; ",
            f"name one, such as filter={filters[0]!r}.",
            "filter",
            filters[:1],
        )
    return [sample for sample in samples if sample.get("filter", "none") == wanted]


def _metrics_of(sample: dict[str, Any]) -> list[str]:
    named = sample.get("metrics")
    return list(named) if named else [field for field in sample if field not in _OTHERS]


def _item(path: str, sample: dict[str, Any], score: str, *, right: bool) -> tuple[Any, Any, int | None]:
    """Return the right answer, the model's, and the number of options."""
    responses, requests = sample["filtered_resps"], _requests(path, sample)
    likely = bool(responses) and all(isinstance(pair, list) and len(pair) == 2 for pair in responses)
    if not likely:
        one = responses[0] if isinstance(responses, list) and len(responses) == 1 else None
        return _open_gold(sample["target"]), one if isinstance(one, str) else None, None
    if len(requests) < 2:  # one continuation, and whether it is the likeliest
        return _open_gold(sample["target"]), None, None
    # For "acc_mutual_info" each option is asked for once more, without its question.
    options = len(requests) // 2 if "acc_mutual_info" in _metrics_of(sample) else len(requests)
    gold = _gold(path, sample, [request[-1] if request else "" for request in requests[:options]])
    answer = None
    if score == "acc":
        likelihoods = [_likelihood(path, sample, pair[0]) for pair in responses[:options]]
        answer = int(np.argmax(likelihoods))
        answer = None if gold is None or (answer == gold) != right else answer
    return gold, answer, options


def _likelihood(path: str, sample: dict[str, Any], value: Any) -> float:
    """Return the logarithm of an option's likelihood: a number, or one as text."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"'filtered_resps' of item {sample['doc_id']} of {path} has the likelihood {shown(value)}, which "
            "is no number."
        ) from None


def _requests(path: str, sample: dict[str, Any]) -> list[list[Any]]:
    """Return the arguments of each request: named since version 0.4.3, lists before."""
    arguments = sample["arguments"]
    requests = list(arguments.values() if isinstance(arguments, dict) else arguments)
    if not all(isinstance(one, (dict, list)) for one in requests):
        raise ValueError(
            f"'arguments' of item {sample['doc_id']} of {path} is {shown(arguments)}; a list for each "
            "request belongs there."
        )
    return [list(one.values()) if isinstance(one, dict) else list(one) for one in requests]


def _gold(path: str, sample: dict[str, Any], continuations: Sequence[Any]) -> int | None:
    """Return the position of the right option; None where the file does not tell."""
    target = str(sample["target"]).strip()
    if target.startswith("["):
        raise ValueError(
            f"item {sample['doc_id']} of {path} has the target {target:.40}; options of which several "
            "are right are not judged."
        )
    texts = [str(text).strip() for text in continuations]
    if _NUMBER.fullmatch(target) and target not in texts and not 0 <= int(target) < len(texts):
        raise ValueError(
            f"item {sample['doc_id']} of {path} has the target {target:.40}, outside its {len(texts)} "
            f"options (0 to {len(texts) - 1})."
        )
    if len(set(texts)) < len(texts):  # the options stand in the questions, as for Winogrande
        return None
    places = {int(target)} if _NUMBER.fullmatch(target) and 0 <= int(target) < len(texts) else set()
    if target in texts:
        places.add(texts.index(target))
    return places.pop() if len(places) == 1 else None


def _open_gold(target: Any) -> Any:
    """Return the right answer to an open question, a tuple of several; None for an empty one."""
    text = str(target).strip()
    if text.startswith("[") and text.endswith("]"):
        try:
            several = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return text
        return tuple(map(str, several)) or None
    return text or None
