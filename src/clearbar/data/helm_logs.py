"""What HELM writes of a run: the requests of all instances, and beside them what each instance scored.

Fields as in its ``RequestState``, ``Instance`` and ``PerInstanceStats``, read without its code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from clearbar.core.errors import listed, shown
from clearbar.data.answers import (
    LETTERS,
    Answer,
    Answers,
    chosen_score,
    refuse_other_fields,
    right_answers,
    right_or_wrong,
)

STATE, STATS = "scenario_state.json", "per_instance_stats.json"

METRICS = ("exact_match", "quasi_exact_match")  # what is read if no metric is named

JOINT, SEPARATE, GENERATED = "joint", "separate", "generated"
METHODS = {
    "multiple_choice_joint": JOINT,  # the options stand under letters in one prompt
    "multiple_choice_joint_chain_of_thought": JOINT,
    "multiple_choice_joint_multimodal": JOINT,
    "multiple_choice_separate_original": SEPARATE,  # each option's own text is scored
    "multiple_choice_separate_calibrated": SEPARATE,
    "generation": GENERATED,
    "generation_multimodal": GENERATED,
}

_MODEL = re.compile(r"(?:,|(?<=:))model=[^,]*")

Document = Mapping[str, Any]


def is_state(document: Any) -> bool:
    return isinstance(document, dict) and {"adapter_spec", "request_states"} <= document.keys()


def is_stats(document: Any) -> bool:
    """Tell whether a document is the scores of a run, which say nothing without its requests."""
    first = document[0] if isinstance(document, list) and document else None
    return isinstance(first, dict) and {"instance_id", "stats"} <= first.keys()


def answers_of(path: str, state: Document, stats: Any, metrics: Sequence[str]) -> Answers:
    """Return the answers of one run; of instances that were perturbed only the originals."""
    spec = state["adapter_spec"]
    refuse_other_fields(
        f"'adapter_spec' of {path}", spec, {"method": (str,), "model": (str,)}, ("method", "model")
    )
    method = METHODS.get(spec["method"])
    if method is None:
        has = f"{path} has answers by the method {shown(spec['method'])}"
        raise ValueError(f"{has}; those by {listed(map(repr, METHODS), last='or')} are judged.")
    scores = _scores(path, stats)
    score = chosen_score(path, metrics_of(stats), metrics, METRICS)
    several = len({key[1] for key in scores}) > 1
    rows: dict[Any, Answer] = {}
    for state_of_item in state["request_states"]:
        where = f"a request of {path}"
        refuse_other_fields(where, state_of_item, {"instance": (dict,)}, ("instance", "train_trial_index"))
        instance, trial = state_of_item["instance"], state_of_item["train_trial_index"]
        key = instance.get("id"), trial
        if instance.get("perturbation") or key in rows or key not in scores:
            continue
        right = right_or_wrong(path, key[0], score, scores[key].get(score))
        row = _answer(path, state_of_item, method)._replace(right=right)
        rows[key] = row._replace(item=key, cluster=key[0]) if several else row
    if not rows:
        raise ValueError(f"{path} holds no instances that were scored.")
    return Answers.of(spec["model"], _task(path), rows.values(), score)


def metrics_of(stats: Any) -> list[str]:
    return list(dict.fromkeys(stat["name"]["name"] for scored in stats for stat in scored["stats"]))


def _scores(path: str, stats: Any) -> dict[tuple[Any, Any], dict[str, Any]]:
    """Return what each instance scores in each trial, without those that were perturbed."""
    if not is_stats(stats):
        raise ValueError(f"the scores beside {path} are none of HELM: {shown(stats)}.")
    return {
        (scored["instance_id"], scored["train_trial_index"]): {
            stat["name"]["name"]: stat.get("mean")
            for stat in scored["stats"]
            if not stat["name"].get("perturbation")
        }
        for scored in stats
        if not scored.get("perturbation")
    }


def _task(path: str) -> str:
    """Return the name of a run, which is that of its folder, without its model."""
    name = os.path.basename(os.path.dirname(os.path.abspath(path)))  # noqa: PTH100, PTH119, PTH120 - as typed
    return _MODEL.sub("", name).rstrip(":") or name


def _answer(path: str, request: Document, method: str) -> Answer:
    instance = request["instance"]
    references = [
        (str(reference["output"].get("text", "")).strip(), "correct" in reference.get("tags", ()))
        for reference in instance["references"]
    ]
    right = [text for text, is_right in references if is_right]
    if method == GENERATED:
        return Answer(instance["id"], right_answers(right), _said(request), None, None)
    mapping = request.get("output_mapping") or {}
    offered = tuple(text for text, _ in references)
    if method == JOINT:
        offered = tuple(str(mapping[letter]).strip() for letter in sorted(mapping))
    if len(right) != 1 or offered.count(right[0]) != 1:
        raise ValueError(
            f"item {instance['id']} of {path} has {len(right)} right options among {len(offered)}; those "
            "with one are judged."
        )
    place = offered.index(right[0])
    if method == SEPARATE:
        return Answer(instance["id"], place, None, len(offered), None, offered=offered)
    letters = tuple(sorted(mapping)) if len(mapping) <= LETTERS else tuple(map(str, range(len(mapping))))
    said = (_said(request) or "").rstrip(".")
    answer = letters.index(said) if said in letters else ""
    return Answer(instance["id"], place, answer, len(letters), None, offered=letters)


def _said(request: Document) -> str | None:
    completions = (request.get("result") or {}).get("completions") or []
    return str(completions[0].get("text", "")).strip() if completions else None
