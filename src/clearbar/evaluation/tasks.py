"""The bars of task data, before any model is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from clearbar.core.errors import in_given_order
from clearbar.data.task_files import TaskData, positions, read_published, read_tasks
from clearbar.data.tasks import Task, checked_kinds, tasks_of
from clearbar.scorecard import TaskBaselines

NOT_RUN = "another answer may be accepted more often"


def baseline_tasks(
    path: Any,
    *,
    options: str | Sequence[str] = (),
    answer: str | None = None,
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
    data = read_tasks(path, options=columns, answer=answer)
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
