"""Answers of models to tasks: read from logs or from a long table, judged task by task and on average."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import listed, shown
from clearbar.data.answers import Answer, Task, read_answers, read_logs, tasks_of
from clearbar.data.counting import factorise, read_classes
from clearbar.data.tables import Ask, checked_nulls
from clearbar.evaluation._call import remembered
from clearbar.evaluation._frame_slices import noted
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._options import chosen_measures
from clearbar.formatting import plural
from clearbar.problems.multiclass import ClassLabels, SampledClasses
from clearbar.problems.tasks import ACCURACY, RESCALED, Answered, TaskClasses, TaskMeasure, best_of
from clearbar.scorecard import Scorecard

MEASURES = (ACCURACY, RESCALED)

NOT_OF_TASKS = {"undefined": "exclude", "min_support": 0, "aggregate": "pooled", "fold_aware": False}
"""Options of tables of labels that say nothing about tasks, and what they are by default."""

OF_THE_MEAN = "The whole is the mean over {tasks}, each counted alike; its bar is the mean of theirs."
GUESSED = "{tasks}: the bar is to choose an option at random (1 / options){why}."
FIXED = "{tasks}: the bar is to give one answer to every item, the one that is right most often."


@remembered
def evaluate_logs(
    paths: Any,
    *,
    metric: str | Sequence[str] = (),
    filter: str | None = None,  # noqa: A002 - as the harness calls it
    nulls: str = "raise",
    confidence_level: float = 0.95,
    intervals: bool = True,
    random_state: Any = 0,
) -> Scorecard:
    """Judge the answers of language models in the logs of harnesses.

    Each task has a bar of its own: what answers expect that ignore the questions. The whole is the mean over
    tasks, held against the mean of their bars.

    Parameters
    ----------
    paths : path, pattern, or list of them
        JSON lines of lm-evaluation-harness (``samples_TASK_DATE.jsonl`` in a folder named as the model,
        written with ``--log_samples``), and JSON logs of Inspect; one file for each model and task.
    metric : str or list of str, optional
        The score that says whether an answer is right: the first of these that a task has; a task that has
        none of them and one score is judged by that one, and a name that no task has is refused. By default
        ``acc``, else ``exact_match``, else the only one; of Inspect's logs the only scorer.
    filter : str, optional
        Of several filters of lm-evaluation-harness, whose answers are judged.
    nulls : {"raise", "drop"}
        Whether an item that some model did not answer is an error, or left out for all models.
    confidence_level : float
        That of `low` and `high`; a score is sure at one minus it.
    intervals : bool
        False leaves out the p-values.
    random_state : int, Generator, RandomState or None
        Seed of what is drawn at random, resamples and permutations.

    Returns
    -------
    Scorecard
        Its slices are the tasks; ``card.leaderboard()`` has the models below each other.

    Raises
    ------
    ValueError
        If a file is neither of these, lacks a field, or the models did not answer the same items.

    Notes
    -----
    Accuracy, and what is left of it above the bar: (accuracy - bar)/(1 - bar) of each task, not cut off at 0.
    A task's interval is certified (Clopper and Pearson; Hoeffding 1956), that of the mean is from a bootstrap
    of the items within tasks, which is approximate. Several answers to one item (epochs of Inspect) are drawn
    together.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_logs("logs/*.json")  # doctest: +SKIP
    >>> print(card.leaderboard())  # doctest: +SKIP
    """
    how = How.checked(confidence_level, intervals, random_state)
    drop = checked_nulls(nulls) == "drop"
    wanted = (metric,) if isinstance(metric, str) else tuple(metric)
    return judged_answers(read_logs(paths, metrics=wanted, wanted=filter), how, drop=drop)


def judged_answers(
    rows: Iterable[Answer], how: How, measures: Sequence[Any] = MEASURES, *, drop: bool = False
) -> Scorecard:
    """Judge the rows of a long table by which are right."""
    models, tasks, left_out = tasks_of(rows, drop=drop)
    return _judged(Answered.of(models, tasks), measures, how, tasks, left_out, _about_bars(tasks))


def _judged_classes(
    rows: Sequence[Answer], how: How, measures: Sequence[Any], *, drop: bool = False
) -> Scorecard:
    """Judge the rows of a long table by measures of many classes: each task has its own."""
    models, tasks, left_out = tasks_of(rows, drop=drop)
    by_item = {(row.model, row.task, row.item): row for row in rows}
    problems = []
    for task in tasks:
        own = [[by_item[model, task.name, item] for item in task.items] for model in models]
        gold, said = [row.gold for row in own[0]], [[row.answer for row in one] for one in own]
        problems.append(_of_task(task, models, gold, said))
    return _judged(TaskClasses.of(tuple(problems)), measures, how, tasks, left_out)


def _judged(
    problem: Any,
    measures: Sequence[Any],
    how: How,
    tasks: Sequence[Task],
    left_out: Mapping[str, int],
    about_bars: Sequence[str] = (),
) -> Scorecard:
    """Judge tasks; say what the whole is, what the bars are, and which items were left out."""
    card = judged(problem, tuple(measures), how)
    whole = [OF_THE_MEAN.format(tasks=plural(len(tasks), "task"))] if len(tasks) > 1 else []
    items = [
        f"{plural(number, 'item')} of {task} left out: not all models answered them."
        for task, number in left_out.items()
    ]
    return replace(card, notes=(*card.notes, *whole, *about_bars, *_about_clusters(tasks), *items))


def judged_tasks(
    frame: Any,
    ask: Ask,
    measures: Any,
    *,
    kind: Any,
    confidence_level: Any,
    intervals: Any,
    random_state: Any,
    **options: Any,
) -> Scorecard:
    """Judge a table of answers; refuse what is for other tables."""
    if kind in {"binary", "regression"}:
        raise ValueError(
            f"kind={kind!r} takes no item or options: answers to tasks are of any number of classes."
        )
    named = {name: getattr(ask, name) for name in ("fold", "weight", "threshold", "pos_label")}
    for name, value in {**named, **options}.items():
        if value is not None and value != NOT_OF_TASKS.get(name):
            raise ValueError(f"answers to tasks take no {name}; leave it out.")
    return judged_table(frame, ask, measures, How.checked(confidence_level, intervals, random_state))


def judged_table(frame: Any, ask: Ask, measures: Any, how: How) -> Scorecard:
    """Judge a table of answers, by which are right or by measures of many classes."""
    by_right = ask.options is not None or _of_accuracy(measures)
    chosen = task_measures(measures) if by_right else chosen_measures(measures, "multiclass")
    rows, left_out = read_answers(frame, ask)
    card = (judged_answers if by_right else _judged_classes)(rows, how, chosen, drop=ask.nulls == "drop")
    return replace(card, notes=(*card.notes, *noted(left_out)))


def _of_task(task: Task, models: tuple[str, ...], gold: list[Any], said: list[list[Any]]) -> ClassLabels:
    """Return the problem of one task, whose classes are all that is right or said in it."""
    labels = factorise([*gold, *itertools.chain(*said)], len(gold) * (1 + len(models)))[0]
    matrices = tuple((ConfusionMatrix.from_labels(gold, one, labels=labels),) for one in said)
    if task.clusters is None:
        return ClassLabels(models, (task.name,), matrices)
    _, truth, own = read_classes(gold, dict(zip(models, said, strict=True)), labels)
    samples: Any = {"truth": truth, "predicted": tuple(own.values()), "clusters": task.clusters}
    return SampledClasses(models, (task.name,), matrices, **samples, rows=(slice(None),))


def _of_accuracy(measures: Any) -> bool:
    """Whether nothing is asked for but the share of items that is right."""
    try:
        task_measures(measures)
    except ValueError:
        return False
    return True


def task_measures(measures: Any) -> tuple[TaskMeasure, ...]:
    """Return the measures of tasks that were asked for."""
    if measures is None or (isinstance(measures, str) and measures == "all"):
        return MEASURES
    several = [measures] if isinstance(measures, str) or not isinstance(measures, Iterable) else [*measures]
    known = {name: measure for measure in MEASURES for name in (measure.name, *measure.aliases)}
    chosen = []
    for given in several:
        name = str(getattr(given, "name", given)).casefold()
        if name not in known:
            raise ValueError(
                f"tasks are judged by {listed(measure.name for measure in MEASURES)}; found {shown(given)}. "
                "Leave out options to judge by measures of many classes."
            )
        chosen.append(known[name])
    return tuple(dict.fromkeys(chosen))


def _about_bars(tasks: Sequence[Task]) -> list[str]:
    """Say which tasks have which kind of bar."""
    notes = []
    verbs = [best_of(task)[1].verb for task in tasks]
    guessed = [task for task, verb in zip(tasks, verbs, strict=True) if verb == "choose"]
    fixed = [task for task, verb in zip(tasks, verbs, strict=True) if verb == "answer"]
    if guessed:
        texts = any(task.gold is None for task in guessed)
        why = "; of options called by their text the positions are not known" if texts else ""
        notes.append(GUESSED.format(tasks=_named(guessed), why=why))
    if fixed:
        notes.append(FIXED.format(tasks=_named(fixed)))
    return notes


def _about_clusters(tasks: Sequence[Task]) -> list[str]:
    grouped = [task for task in tasks if task.clusters is not None]
    if not grouped:
        return []
    return [f"Items that belong together are drawn together, whole clusters of them: in {_named(grouped)}."]


def _named(tasks: Sequence[Task]) -> str:
    return listed((task.name or "All items" for task in tasks), most=6)
