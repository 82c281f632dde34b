"""What lm-evaluation-harness writes with ``--log_samples``: a line for each document and filter.

Fields as in its ``lm_eval/result_schema.py`` (``SampleResult``), read without its code.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple

from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.data.answers import (
    LETTERS,
    Answer,
    Answers,
    chosen_score,
    cluster_of,
    likeliest,
    refuse_other_fields,
    right_or_wrong,
)

FIELDS = ("doc_id", "target", "arguments", "filtered_resps")  # what every line has
TYPES: dict[str, tuple[type, ...]] = {
    "doc_id": (int, str),
    "arguments": (dict, list),
    "filtered_resps": (list,),
    "filter": (str,),
    "metrics": (list, type(None)),
}
"""What some of the fields hold."""

# What is read if no metric is named, the first that a task has.
METRICS = ("acc", "exact_match", "prompt_level_strict_acc")

LIKELIEST: dict[str, Callable[[str], int]] = {
    "acc": lambda _: 1,
    "acc_norm": len,
    "acc_bytes": lambda text: len(text.encode()),
}
"""By what the logarithm of an option's likelihood is divided, where the likeliest is the answer."""

_OTHERS = {*FIELDS, "doc", "resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"}
_OFFERED = ("options", "choices")  # where documents have the options that stand in a prompt under letters
_LETTERED = re.compile(r"\(?([A-Z])\)?")

MOST_TOTALS = 2**24  # bytes of totals that are looked into
_NUMBER = re.compile(r"-?\d{1,15}")
_NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+))?\.jsonl(?:\.gz)?")


class _Document(NamedTuple):
    """What is read of an item's own data."""

    options: int | None  # that stand in the prompt under letters
    cluster: str | None


def is_sample(line: Any) -> bool:
    return isinstance(line, dict) and "doc_id" in line and "filtered_resps" in line


def partial(path: str) -> str:
    """Say how many samples were asked for, where the totals beside a file say that it was not all of them."""
    folder, name = os.path.split(path)
    named = _NAME.fullmatch(name)
    if not named or not named["date"]:
        return ""
    totals = os.path.join(folder, f"results_{named['date']}.json")  # noqa: PTH118
    try:
        with open(totals, "rb") as file:  # noqa: PTH123
            samples = json.loads(file.read(MOST_TOTALS))["n-samples"][named["task"]]
        original, effective = int(samples["original"]), int(samples["effective"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return ""
    return f"it holds {effective:,} of {original:,} samples" if effective < original else ""


def slim(where: str, path: str, sample: dict[str, Any], clusters: str | None = None) -> dict[str, Any]:
    """Return a line with what is read of it: prompts, of which each option repeats its own, take room."""
    refuse_other_fields(where, sample, TYPES, FIELDS)
    if not all(isinstance(name, str) for name in sample.get("metrics") or ()):
        raise ValueError(
            f"'metrics' of {where} is {shown(sample['metrics'])}; a list of names belongs there."
        )
    kept = {name: value for name, value in sample.items() if name not in {"doc", "resps", "arguments"}}
    requests = _requests(path, sample)
    texts = [str(request[-1]).strip() if request else "" for request in requests]
    if len(texts) > 1 and len(set(texts)) == 1:  # the options stand in the questions, as for Winogrande
        texts = [str(request[0]) for request in requests]
    document = _Document(_options_in_prompt(sample), cluster_of(sample.get("doc"), clusters))
    return {**kept, "arguments": texts, "doc": document}


def _options_in_prompt(sample: dict[str, Any]) -> int | None:
    """Return how many lettered options stand in a prompt, where the target is one of their letters."""
    document, letter = sample.get("doc"), _LETTERED.fullmatch(str(sample["target"]).strip())
    if not isinstance(document, dict) or letter is None:
        return None
    for name in _OFFERED:
        offered = document.get(name)
        offered = offered.get("text") if isinstance(offered, dict) else offered
        if isinstance(offered, list) and ascii_uppercase.index(letter[1]) < len(offered) <= LETTERS:
            return len(offered)
    return None


def answers_of(
    path: str,
    samples: Sequence[dict[str, Any]],
    metrics: Sequence[str],
    wanted: str | None,
    clusters: str | None,
) -> Answers:
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - as typed, without its links
    named = _NAME.fullmatch(name)
    task, model = named["task"] if named else name.split(".")[0], os.path.basename(folder)  # noqa: PTH119
    kept = _of_one_filter(path, samples, wanted)
    score = chosen_score(path, _metrics_of(kept[0]), metrics, METRICS)
    for sample in kept:
        if score not in sample:
            raise ValueError(f"item {sample['doc_id']} of {path} has no {score!r}.")
    by_text = _targets_are_texts(path, kept)
    rows = (
        _choice(path, sample, score, by_text=by_text) if _is_choice(sample) else _free(path, sample, score)
        for sample in kept
    )
    answers = Answers.of(model, task, rows, score)
    return answers.in_clusters(path, clusters, [sample["doc"].cluster for sample in kept])


def metrics_of(samples: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for sample in samples for name in _metrics_of(sample)))


def filters_of(samples: Sequence[dict[str, Any]]) -> list[str]:
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


def _is_choice(sample: dict[str, Any]) -> bool:
    responses = sample["filtered_resps"]
    pairs = bool(responses) and all(isinstance(pair, list) and len(pair) == 2 for pair in responses)
    return pairs and len(sample["arguments"]) > 1


def _free(path: str, sample: dict[str, Any], score: str) -> Answer:
    """Return an answer that is a text: of options in the prompt a letter, else anything."""
    right = right_or_wrong(path, sample["doc_id"], score, sample[score])
    responses, options = sample["filtered_resps"], sample["doc"].options
    first = responses[0] if len(responses) == 1 else None
    said = first.strip() if isinstance(first, str) else None
    # The logarithm of the target's likelihood, and whether nothing is likelier.
    is_likelihood = isinstance(first, list) and len(first) == 2 and str(first[1]) in {"True", "False"}
    if is_likelihood and len(sample["arguments"]) == 1 and right == 1:
        said = str(sample["target"]).strip()
    if options is None:
        return Answer(sample["doc_id"], _open_gold(sample["target"]), said, None, right)
    gold = _letter(sample["target"], options)
    answer = None if said is None else _letter(said, options)
    return Answer(sample["doc_id"], gold, answer, options, right)


def _letter(text: str, options: int) -> str:
    match = _LETTERED.fullmatch(text.strip().upper())
    return match[1] if match and match[1] in ascii_uppercase[:options] else ""


def _choice(path: str, sample: dict[str, Any], score: str, *, by_text: bool) -> Answer:
    """Return which option was the likeliest, and which one is right."""
    right = right_or_wrong(path, sample["doc_id"], score, sample[score])
    # For "acc_mutual_info" each option is asked for once more, without its question.
    half = "acc_mutual_info" in _metrics_of(sample)
    texts = tuple(sample["arguments"][: len(sample["arguments"]) // (1 + half)])
    by_place, by_name = _places(path, sample, texts)
    gold = by_name if by_place is None or (by_text and by_name is not None) else by_place
    answer, tied = None, False
    if score in LIKELIEST:
        place, tied = _likeliest(path, sample, texts, LIKELIEST[score])
        if score == "acc" and gold is not None and (place == gold) == right:
            answer = place
    return Answer(sample["doc_id"], gold, answer, len(texts), right, offered=texts, tied=tied)


def _likeliest(
    path: str, sample: dict[str, Any], texts: Sequence[str], size: Callable[[str], int]
) -> tuple[int, bool]:
    """Return the first of the likeliest options for their size, and whether there are several."""
    pairs = zip(texts, sample["filtered_resps"], strict=False)
    return likeliest([_likelihood(path, sample, pair[0]) / max(size(text), 1) for text, pair in pairs])


def _targets_are_texts(path: str, samples: Sequence[dict[str, Any]]) -> bool:
    """Whether targets that could be positions or texts of options are texts, going by what was right."""
    for sample in samples:
        if not _is_choice(sample) or "acc" not in sample or "acc_mutual_info" in _metrics_of(sample):
            continue
        place, name = _places(path, sample, sample["arguments"])
        if None in {place, name} or place == name:
            continue
        answer, _ = _likeliest(path, sample, sample["arguments"], LIKELIEST["acc"])
        right = sample["acc"] in (1, "1.0", "1")
        if (answer == place) != right and (answer == name) == right:
            return True
    return False


def _likelihood(path: str, sample: dict[str, Any], value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"'filtered_resps' of item {sample['doc_id']} of {path} has the likelihood {shown(value)}, which "
            "is no number."
        ) from None


def _requests(path: str, sample: dict[str, Any]) -> list[list[Any]]:
    """Return the arguments of each request: named since version 0.4.3, lists before."""
    arguments = sample["arguments"]
    requests = list(arguments.values() if isinstance(arguments, dict) else arguments)
    if not all(isinstance(request, (dict, list)) for request in requests):
        raise ValueError(
            f"'arguments' of item {sample['doc_id']} of {path} is {shown(arguments)}; a list for each "
            "request belongs there."
        )
    return [list(request.values() if isinstance(request, dict) else request) for request in requests]


def _places(path: str, sample: dict[str, Any], texts: Sequence[str]) -> tuple[int | None, int | None]:
    """Return which option is right if the target is a position, and if it is a text; None if it is not."""
    target = str(sample["target"]).strip()
    if target.startswith("["):
        raise ValueError(
            f"item {sample['doc_id']} of {path} has the target {shown(target)}; options of which several "
            "are right are not judged."
        )
    number = int(target) if _NUMBER.fullmatch(target) else None
    if number is not None and target not in texts and not 0 <= number < len(texts):
        raise ValueError(
            f"item {sample['doc_id']} of {path} has the target {shown(target)}, outside its {len(texts)} "
            f"options (0 to {len(texts) - 1})."
        )
    place = number if number is not None and 0 <= number < len(texts) else None
    return place, texts.index(target) if list(texts).count(target) == 1 else None


def _open_gold(target: Any) -> Any:
    """Return the right answer to an open question, a tuple of several; None for an empty one."""
    text = str(target).strip()
    if text.startswith("[") and text.endswith("]"):
        try:
            several = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return text
        return tuple(map(str, several)) or None
    return text or None
