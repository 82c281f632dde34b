"""Task data before any model is run: their bars. Scores of their items, right, wrong or between: judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core.errors import ArgumentError, in_given_order, shown
from clearbar.data.answers import Answers, read_answers
from clearbar.data.arrays import factorise, read, refuse_other_rows, refuse_unequal
from clearbar.data.counting import by_argument, predictions_as_mapping, read_models
from clearbar.data.query import TableQuery
from clearbar.data.scores import read_numbers
from clearbar.data.task_files import TaskData, positions, read_published, read_tasks
from clearbar.data.tasks import Task, checked_kinds, tasks_of
from clearbar.evaluation.answers import mean_notes, sample_notes, with_chance
from clearbar.evaluation.options import Inference, Question, door, missing_rows_note, read_clusters
from clearbar.problems.tasks import MEAN_SCORE, Answered
from clearbar.scorecard import TaskBaselines

NO_CHANCE = "what chance gets of an item is not known (chance names it)"  # why scores of items have no bar

NOT_RUN = "another answer may be accepted more often"


def baseline_tasks(
    path: Any,
    *,
    options: str | Sequence[str] = (),
    answer: str | None = None,
    metric: str | Sequence[str] = (),
    filter: str | None = None,  # noqa: A002 - as the harness calls it
    kind: Mapping[str, str] | None = None,
    published: Any = None,
) -> TaskBaselines:
    r"""Return what answers expect that ignore the questions, for task data before any run.

    Parameters
    ----------
    path : path, pattern, or list of them
        Files of items, or folders of them: JSON lines as of llm-foundry or AGIEval, JSON of BIG-bench or
        BIG-Bench-Hard, samples and logs of harnesses, CSV or Parquet. Each file is a task.
    options : str or list of str, optional
        The field of a table or of JSON lines that holds the options of an item (a list, or their number), or
        a field for each option. Usual names are found: ``choices``, ``options``, ``A`` to ``D``.
    answer : str, optional
        The field of the right answer: a position, a letter or the text of an option. Usual names are found:
        ``gold``, ``answer``, ``label``, ``target``.
    metric : str or list of str, optional
        Of logs, the score that says whether an answer is right, as in `evaluate_logs`.
    filter : str, optional
        Of several filters of lm-evaluation-harness, whose answers are read.
    kind : dict, optional
        What some tasks are, where their data do not tell it right, as in `evaluate_logs`.
    published : path or dict, optional
        Baselines that somebody printed, by task: a table with columns ``task`` and ``baseline``, or a JSON
        object; shares, or percentages if one is above 1.

    Returns
    -------
    TaskBaselines
        A row for each task; ``bars["boolq"]`` is the bar of one.

    Raises
    ------
    ValueError
        If a file holds no items or names no right answers, or `published` holds no shares.

    Notes
    -----
    Whether options stand under letters is seen in their texts, in the prompt, or from right answers that are
    letters. Then the bar is the position that is right most often among items with as many options; of
    options that are the same texts for all items the one that is right most often; else a random guess. Of
    free answers it is the commonest one, which bounds the bar from below: what a harness accepts is not known
    before a run.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import clearbar as cb
    >>> items = [{"choices": ["no", "yes"], "gold": int(number % 3 > 0)} for number in range(30)]
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sure.jsonl")
    >>> _ = path.write_text("\n".join(map(json.dumps, items)))
    >>> print(cb.baseline_tasks(path)["sure"])
    accuracy bar 0.667: answer "yes" to every item
    """
    columns = (options,) if isinstance(options, str) else in_given_order("options", options)
    kinds: Mapping[str, Any] = checked_kinds(kind)
    metrics = (metric,) if isinstance(metric, str) else in_given_order("metric", metric)
    data = read_tasks(path, options=columns, answer=answer, metrics=metrics, wanted=filter)
    unknown = [name for name in kinds if name not in {of.name for of in data}]
    if unknown:
        raise ValueError(f"kind names the task {unknown[0]!r}, which is not there.")
    return TaskBaselines(
        tuple(_task(of, kinds.get(of.name, of.kind)) for of in data),
        tuple(positions(of.answers[0]) for of in data),
        {} if published is None else read_published(published),
        tuple(of.note for of in data if of.note),
    )


def _task(data: TaskData, kind: Any) -> Task:
    kinds = {} if kind is None else {data.name: kind}
    _, (task,), _ = tasks_of(data.answers, drop=True, kinds=kinds)
    if data.why:
        return replace(task, why=data.why)
    if task.kind == "free" and not data.answers[0].model:
        return replace(task, certified=False, why=NOT_RUN)
    return task


@door
def evaluate_tasks(
    scores: Any,
    *,
    by: Any = None,
    clusters: Any = None,
    chance: float | str | Mapping[str, float | str] | None = None,
    **inference: Unpack[Inference],
) -> Question:
    """Judge scores between 0 and 1 of the items of tasks, such as those of graders: partial credit.

    Parameters
    ----------
    scores : array_like of shape (M,), mapping, or data frame
        What each item scored, from 0 (wrong) to 1 (right): a grader's rubric, faithfulness of an answer, the
        share of several samples that passed. A mapping or data frame holds a column per model.
    by : array_like of shape (M,), optional
        The task of each item; the whole is then the mean over tasks, each counted alike.
    clusters : array_like of shape (M,), optional
        Which items belong together, such as those about one document: at least five groups.
    chance : float, str or dict, optional
        What chance gets of an item on average, from 0 to 1 or as ``"25 %"``: the bar; ``{"law": 0.2}`` names
        tasks. Without it scores have intervals and comparisons, and no bar.

    Returns
    -------
    Scorecard
        Its slices are the tasks.

    Raises
    ------
    ValueError
        If scores are not numbers from 0 to 1, or columns are not equally long.

    Notes
    -----
    The interval and `p_value` of up to 12 tasks take scores for independent, and of any distribution from 0
    to 1; of scores that are all 0 or 1 they are the binomial ones. Beyond, items are resampled within tasks.

    References
    ----------
    Gaffke, Mathematical Methods of Statistics 14, 2005; Learned-Miller and Thomas, arXiv:1905.06208, 2019.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_tasks([1, 0.5, 0.75, 1, 0, 1, 0.25, 1, 1, 0.5], chance=0.25)
    >>> card[0].sure, round(card[0].score, 2), round(card[0].low, 2), round(card[0].high, 2)
    (True, 0.7, 0.4, 0.9)
    """
    first_model, first = next(iter(predictions_as_mapping(scores, "scores").items()))
    columns = read_models(scores, first, _from_0_to_1, "scores")
    length = len(columns[first_model])
    for name, column in by_argument(columns, scores, "scores").items():
        refuse_unequal(name, len(column), f"scores[{first_model!r}]", length)
    for name, option in {"by": by, "clusters": clusters}.items():
        if option is not None:
            refuse_unequal(name, read(option, name).length, "scores", length)
    refuse_other_rows(first, by, "by")
    tasks, codes = (("",), np.zeros(length, dtype=np.int64)) if by is None else factorise(by, length)
    groups, _ = read_clusters(clusters, first, length)
    given = []
    for place, task in enumerate(tasks):
        rows = np.flatnonzero(codes == place)
        belonging = None if groups is None else groups[rows].tolist()
        given += [
            Answers.scored(model, str(task), column[rows].tolist(), belonging)
            for model, column in columns.items()
        ]
    return scored_items(given, chance=chance)


def _from_0_to_1(value: Any, name: str) -> FloatArray:
    values = read_numbers(value, name)
    outside = np.flatnonzero((values < 0) | (values > 1))
    if outside.size:
        message = f" must hold scores from 0 (wrong) to 1 (right); found {values[outside[0]]:g} at position "
        where = f"{outside[0]}. Divide by the largest score there can be, or rescale by (score - least) / "
        raise ArgumentError(name, f"{message}{where}(largest - least).")
    return values


def scored_items(given: Sequence[Answers], *, drop: bool = False, chance: Any = None) -> Question:
    """Judge items that are scored from 0 to 1, whose right answers nobody names."""
    kinds: Any = dict.fromkeys((of.task for of in given), "none")
    models, tasks, left_out = tasks_of(given, drop=drop, kinds=kinds)
    tasks = with_chance(tuple(replace(task, why=NO_CHANCE) for task in tasks), chance)
    notes = *mean_notes(tasks), *sample_notes(tasks, left_out)
    return Question(Answered.of(models, tasks), (MEAN_SCORE,), notes)


def table_of_scores(frame: Any, ask: TableQuery, chance: Any = None) -> Question:
    """Judge a table of scores of items: a column per model, or one column if `model` tells them apart."""
    given, left_out = read_answers(frame, ask)
    for of_model in given:
        outside = [score for score in of_model.right if score is not None and not 0 <= score <= 1]
        if outside:
            name = ask.called(ask.models[ask.y_pred.index(of_model.score)])
            message = f" must hold scores from 0 (wrong) to 1 (right); found {shown(outside[0])}."
            raise ArgumentError(name, f"{message} Divide by the largest score there can be.")
    question = scored_items(given, drop=ask.nulls == "drop", chance=chance)
    return question._replace(notes=(*question.notes, *missing_rows_note(left_out)))
