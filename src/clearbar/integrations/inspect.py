"""For Inspect: metrics ``bar``, ``skill`` and ``p_value``, and a scorer of choices that tells what they need.

Inspect loads this file by its entry point ``clearbar`` of the group ``inspect_ai``: ``clearbar/bar`` names a
metric from then on.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, accuracy, metric, scorer, stderr
from inspect_ai.scorer import choice as choice_of_inspect
from inspect_ai.solver import TaskState

from clearbar.data.answers import Answer, Answers, right_or_wrong
from clearbar.evaluation.answers import answers
from clearbar.evaluation.options import InferenceOptions, judged
from clearbar.problems.tasks import ACCURACY
from clearbar.verdict import Verdict

_LOG = logging.getLogger(__name__)
_LETTER = re.compile("[A-Za-z]")

# Under what names the metadata of a score or of a sample has the number of options, and the right answer.
OPTIONS, TARGET = "options", "target"


def _metric_of(value: Callable[[Verdict], float], options: Any, target: str, *, intervals: bool) -> Metric:
    def metric(scores: list[SampleScore]) -> float:
        try:
            question = answers(_answers(scores, options, target), (ACCURACY,))
            card = judged(question, InferenceOptions(0.95, intervals, 0))
        except Exception as error:  # noqa: BLE001 - a metric that raises takes the evaluation with it
            _LOG.warning("clearbar: %s", error)
            return math.nan
        return value(card[0])

    return metric


@metric(scores="unreduced")  # type: ignore[untyped-decorator] # where Inspect is not installed
def bar(options: int | str = OPTIONS, target: str = TARGET) -> Metric:
    """Return the accuracy that answers expect that ignore the questions.

    Parameters
    ----------
    options : int or str
        How many options each item has: a number for all, or the name under which the metadata of a score or
        of its sample has the number, or the options themselves. None there is an open question.
    target : str
        The name under which the metadata has the right answer. Of options without it the bar is to choose
        one at random.
    """
    return _metric_of(lambda verdict: float(verdict.baseline.value), options, target, intervals=False)


@metric(scores="unreduced")  # type: ignore[untyped-decorator] # where Inspect is not installed
def skill(options: int | str = OPTIONS, target: str = TARGET) -> Metric:
    """Return where the accuracy stands: 0 at the bar, 1 where all is right; options as for `bar`."""
    return _metric_of(lambda verdict: float(verdict.skill), options, target, intervals=False)


@metric(scores="unreduced")  # type: ignore[untyped-decorator] # where Inspect is not installed
def p_value(options: int | str = OPTIONS, target: str = TARGET) -> Metric:
    """Return the larger of both p-values of an accuracy above its bar, else 1; options as for `bar`."""
    return _metric_of(_p_corrected, options, target, intervals=True)


def _p_corrected(verdict: Verdict) -> float:
    """Return nan where there is no bar: it was not asked."""
    return math.nan if verdict.outcome == "undefined" else float(verdict.p_corrected)


@scorer(metrics=[accuracy(), stderr(), bar(), skill(), p_value()])  # type: ignore[untyped-decorator] # as above
def choice() -> Scorer:
    """Score multiple choice as Inspect's own ``choice`` does, and note options and target for the metrics."""
    of_inspect = choice_of_inspect()

    async def score(state: TaskState, target: Target) -> Score:
        graded = await of_inspect(state, target)
        noted = {OPTIONS: len(state.choices), TARGET: target.text}
        return graded.model_copy(update={"metadata": {**(graded.metadata or {}), **noted}})

    return score


def _answers(scores: list[SampleScore], options: Any, target: str) -> list[Answers]:
    rows = list(_rows(scores, options, target))
    named = (getattr(sample, "scorer", None) for sample in scores)
    score = next((str(name) for name in named if name), "the score")
    return [Answers.of("model", "task", rows, score)] if rows else []


def _rows(scores: list[SampleScore], options: Any, target: str) -> Iterator[Answer]:
    repeated = len({sample.sample_id for sample in scores}) < len(scores)
    for place, sample in enumerate(scores):
        number = options if isinstance(options, int) else _number(_noted(sample, options))
        right = right_or_wrong("the evaluation", sample.sample_id, "the score", sample.score.value)
        if right is not None:
            cluster = sample.sample_id if repeated else None
            gold, answer = _noted(sample, target), _given(sample.score.answer, number)
            yield Answer(place, gold, answer, number, right, cluster)


def _given(answer: str | None, options: Any) -> str | None:
    """Return an answer; an empty one, which is never right, for several options, or none."""
    if answer is None or not isinstance(options, int):
        return answer
    text = answer.strip()
    letter = _LETTER.fullmatch(text) is not None and ord(text.upper()) - ord("A") < options
    return text if letter or text.isdecimal() else ""


def _noted(sample: SampleScore, name: str) -> Any:
    """Return what the metadata of a score, else that of its sample, has under a name."""
    for metadata in (sample.score.metadata, sample.sample_metadata):
        if metadata and name in metadata:
            return metadata[name]
    return None


def _number(options: Any) -> Any:
    """Return how many options there are, by their number, a number as text, or themselves."""
    if isinstance(options, str) and options.strip().isdecimal():
        return int(options)
    return len(options) if isinstance(options, (list, tuple)) else options
