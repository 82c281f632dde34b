"""Answers of models to tasks: read from logs or from a long table, judged task by task and on average."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import in_given_order, listed, shown
from clearbar.data.answers import Answer, Kind, Task, checked_kinds, read_answers, read_logs, tasks_of
from clearbar.data.classes import read_classes
from clearbar.data.groups import factorise
from clearbar.data.tables import Ask, checked_nulls
from clearbar.evaluation._about_tasks import about_bars, about_clusters, about_left_out, about_whole
from clearbar.evaluation._call import remembered
from clearbar.evaluation._frame_slices import noted
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._options import checked_flag, chosen_measures
from clearbar.problems.multiclass import ClassLabels, SampledClasses
from clearbar.problems.tasks import ACCURACY, RESCALED, Answered, TaskClasses, TaskMeasure
from clearbar.scorecard import Scorecard

MEASURES = (ACCURACY, RESCALED)

NOT_OF_TASKS = {"undefined": "exclude", "min_support": 0, "aggregate": "pooled", "fold_aware": False}
"""Options of tables of labels that say nothing about tasks, and what they are by default."""


@remembered
def evaluate_logs(
    paths: Any,
    *,
    metric: str | Sequence[str] | None = None,
    filter: str | None = None,  # noqa: A002 - as the harness calls it
    kind: Mapping[str, str] | None = None,
    tries: int = 1,  # noqa: ARG001 - for `remembered`
    allow_partial: bool = False,
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
        written with ``--log_samples``), and logs of Inspect (``.eval`` or JSON); one file for each model and
        task.
    metric : str or list of str, optional
        The score that says whether an answer is right: the first of these that a task has. A task that has
        none of them is judged as by default: by ``acc``, else ``exact_match``, else
        ``prompt_level_strict_acc``, else the only one; of Inspect's logs by the only scorer. A name that no
        task has is refused.
    filter : str, optional
        Of several filters of lm-evaluation-harness, whose answers are judged.
    kind : dict, optional
        What some tasks are, where a log does not tell it right: ``{"gsm8k": "free"}``. A task is
        ``"lettered"`` (options stand in the prompt under letters), ``"classes"`` (the same texts for every
        item), ``"unlettered"`` (the likelihoods of each option's own text are compared), ``"free"`` (answers
        are texts) or ``"none"`` of these, and has no bar.
    tries : int
        How many models, prompts or checkpoints each model is the best of: its p-values are multiplied by it.
    allow_partial : bool
        Whether to judge logs of runs that did not end, were cancelled, failed or were invalidated, and that
        hold fewer samples than their data; they are errors by default.
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
    What kind of task it is decides about its bar: the position that is right most often among items with as
    many options, the class that is right most often, a random option, or the commonest answer that was scored
    right, which is a bound from below. A task without a bar is left out of the mean, and the card says which.
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
    wanted = _names_of(metric)
    kinds, partial = checked_kinds(kind), checked_flag("allow_partial", allow_partial)
    logs = read_logs(paths, metrics=wanted, wanted=filter, allow_partial=partial)
    card = judged_answers(logs.rows, how, drop=drop, kinds=kinds)
    return replace(card, notes=(*logs.partial, *card.notes))


def _names_of(metric: Any) -> tuple[str, ...]:
    """Return the names of scores, one or several."""
    if metric is None or isinstance(metric, str):
        return () if metric is None else (metric,)
    names = in_given_order("metric", metric)
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"metric must be the name of a score, or a list of them; found {shown(metric)}.")
    return names


def judged_answers(
    rows: Iterable[Answer],
    how: How,
    measures: Sequence[Any] = MEASURES,
    *,
    drop: bool = False,
    kinds: Mapping[str, Kind] | None = None,
) -> Scorecard:
    """Judge the rows of a long table by which are right."""
    models, tasks, left_out = tasks_of(rows, drop=drop, kinds=kinds)
    return _judged(Answered.of(models, tasks), measures, how, tasks, left_out, about_bars(models, tasks))


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
    notes = (*card.notes, *about_whole(tasks), *about_bars, *about_clusters(tasks), *about_left_out(left_out))
    return replace(card, notes=notes)


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
    one = isinstance(measures, str) or not isinstance(measures, Iterable)
    several = [measures] if one else in_given_order("measures", measures)
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
