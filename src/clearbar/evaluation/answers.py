"""Answers of models to tasks, from logs or from a long table: judged task by task and on average."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from clearbar.core._value import checked_flag, shares, whole_number
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import in_given_order, listed, shown
from clearbar.data.answers import Answers, Kind, read_answers
from clearbar.data.arrays import factorise
from clearbar.data.classes import read_classes
from clearbar.data.logs import read_logs
from clearbar.data.query import TableQuery, checked_nulls
from clearbar.data.tasks import Task, checked_kinds, tasks_of
from clearbar.evaluation.options import (
    Inference,
    InferenceOptions,
    Question,
    chosen_measures,
    door,
    judged,
    missing_rows_note,
    record_call,
)
from clearbar.formatting import number, plural, visible
from clearbar.problems.multiclass import ClassLabels
from clearbar.problems.tasks import (
    ACCURACY,
    AT_RANDOM,
    FEW_ITEMS,
    PASS_RATE,
    RESCALED,
    Answered,
    PassRate,
    TaskClasses,
    TaskMeasure,
    best_of,
)
from clearbar.scorecard import Scorecard

MEASURES = (ACCURACY, RESCALED)

MOST_NAMED = 6  # tasks that a sentence names; more are counted


@door
def evaluate_logs(
    paths: Any,
    *,
    metric: str | Sequence[str] | None = None,
    filter: str | None = None,  # noqa: A002 - as the harness calls it
    kind: Mapping[str, str] | None = None,
    chance: float | str | Mapping[str, float | str] | None = None,
    clusters: str | None = None,
    allow_partial: bool = False,
    nulls: str = "raise",
    **inference: Unpack[Inference],
) -> Question:
    """Judge the answers of language models in the logs of harnesses.

    Each task has a bar of its own: what answers expect that ignore the questions. The whole is the mean over
    tasks, held against the mean of their bars.

    Parameters
    ----------
    paths : path, pattern, or list of them
        JSON lines of lm-evaluation-harness (``samples_TASK_DATE.jsonl`` in a folder named as the model,
        written with ``--log_samples``), logs of Inspect (``.eval`` or JSON), HELM's ``scenario_state.json``
        (with ``per_instance_stats.json`` beside it) and lighteval's ``details_*.parquet``; one file for each
        model and task.
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
    chance : float, str or dict, optional
        What chance gets of an item on average, from 0 to 1 or as ``"25 %"``: a bar for tasks that have none
        of their own, such as partial credit; ``{"rubric": 0.2}`` names the tasks, whatever their own bar is.
    clusters : str, optional
        The field of an item's own data that says which items belong together, such as a passage: of ``doc``
        in logs of lm-evaluation-harness, ``metadata`` in Inspect's, ``specific`` in lighteval's. Items of a
        task that lacks it are independent. At least five clusters are needed.
    allow_partial : bool
        Whether to judge logs of runs that did not end, were cancelled, failed or were invalidated, and that
        hold fewer samples than their data; they are errors by default.
    nulls : {"raise", "drop"}
        Whether an item that some model did not answer is an error, or left out for all models.

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
    A task's interval is certified (Clopper and Pearson; Hoeffding 1956), and of partial credit Gaffke's, as
    in `evaluate_tasks`; that of the mean is from a bootstrap of the items within tasks, which is approximate.
    Several answers to one item (epochs of Inspect) are drawn together.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_logs("logs/*.json")  # doctest: +SKIP
    >>> print(card.leaderboard())  # doctest: +SKIP
    """
    drop = checked_nulls(nulls) == "drop"
    metrics = metric if isinstance(metric, str) or metric is None else in_given_order("metric", metric)
    wanted = (metrics,) if isinstance(metrics, str) else tuple(metrics or ())
    if not all(isinstance(name, str) for name in wanted):
        raise ValueError(f"metric must be the name of a score, or a list of them; found {shown(metric)}.")
    if not isinstance(clusters, (str, type(None))):
        raise ValueError(
            f"clusters must be the name of a field of the items' own data; found {shown(clusters)}."
        )
    kinds, partial = checked_kinds(kind), checked_flag("allow_partial", allow_partial)
    logs = read_logs(paths, metrics=wanted, wanted=filter, clusters=clusters, allow_partial=partial)
    question = answers(logs.answers, drop=drop, kinds=kinds, chance=chance)
    return question._replace(notes=(*logs.partial, *question.notes))


@record_call
def rate(
    successes: int, total: int, bar: float | str, *, confidence_level: float = 0.95, tries: int = 1
) -> Scorecard:
    """Judge a pass rate beside a known chance level: 83 of 100, where 25 % pass by chance.

    Parameters
    ----------
    successes : int
        The number of trials that passed.
    total : int
        The number of trials: independent ones, all alike.
    bar : float or str
        The share that passes by chance, from 0 to 1, or as it is printed: ``"25 %"``.

    Returns
    -------
    Scorecard
        Of one row. Its interval is Clopper and Pearson's; `p_value` is twice the smaller binomial tail at the
        bar, `p_value_blind` the probability there of as many successes.

    Raises
    ------
    ValueError
        If `successes` or `total` is no whole number, more passed than there were, or `bar` is no share.

    References
    ----------
    Clopper and Pearson, Biometrika 26, 1934.

    Examples
    --------
    >>> import clearbar as cb
    >>> verdict = cb.rate(83, 100, bar=0.25)[0]
    >>> verdict.sure, round(verdict.low, 3), round(verdict.high, 3)
    (True, 0.742, 0.898)
    """
    passed, trials = whole_number("successes", successes), whole_number("total", total, 1)
    if passed > trials:
        raise ValueError(f"successes must not exceed total; found {passed:,} of {trials:,}.")
    return judged(
        Question(PassRate(passed, trials, checked_chance("bar", bar)), (PASS_RATE,)),
        InferenceOptions.checked(confidence_level),
    )


def checked_chance(name: str, value: Any) -> float:
    """Return the share that chance gets, or say what it may be."""
    share = shares(name, value)
    if share.ndim:
        raise ValueError(f"{name} must be one share, such as 0.25 of four options; found {shown(value)}.")
    return float(share)


def answers(
    given: Iterable[Answers],
    measures: Sequence[Any] = MEASURES,
    *,
    drop: bool = False,
    kinds: Mapping[str, Kind] | None = None,
    chance: Any = None,
) -> Question:
    """Judge answers of models to tasks by which are right."""
    models, tasks, left_out = tasks_of(given, drop=drop, kinds=kinds)
    tasks = with_chance(tasks, chance)
    if tuple(measures) == MEASURES and all(best_of(task)[0] is None for task in tasks):
        measures = MEASURES[:1]  # without any bar there is nothing to rescale
    problem = Answered.of(models, tasks)
    notes = *mean_notes(tasks), *_bar_notes(models, tasks), *sample_notes(tasks, left_out)
    return Question(problem, tuple(measures), notes)


def with_chance(tasks: tuple[Task, ...], chance: Any) -> tuple[Task, ...]:
    """Return tasks that know what chance gets: those named, or all that have no bar."""
    if chance is None:
        return tasks
    if not isinstance(chance, Mapping):
        share = checked_chance("chance", chance)
        return tuple(
            replace(task, chance=share, certified=True) if best_of(task)[0] is None else task
            for task in tasks
        )
    names = [task.name for task in tasks]
    for name in chance:
        if names == [""]:
            raise ValueError(
                f"chance names the task {shown(name)}, but no tasks are told apart; pass one share."
            )
        if name not in names:
            raise ValueError(
                f"chance names the task {shown(name)}, which is not there; found {listed(map(shown, names))}."
            )
    shares = {name: checked_chance(f"chance[{name!r}]", value) for name, value in chance.items()}
    return tuple(replace(task, chance=shares.get(task.name), certified=True) if task.name in shares else task
                 for task in tasks)  # fmt: skip


def table_of_answers(frame: Any, ask: TableQuery, measures: Any = None) -> Question:
    """Judge a table of answers, by which are right or by measures of many classes."""
    try:
        of_tasks = task_measures(measures)
    except ValueError:
        if ask.options is not None:
            raise
        of_tasks, of_classes = (), chosen_measures(measures, "multiclass")
    given, left_out = read_answers(frame, ask)
    if of_tasks:
        question = answers(given, of_tasks, drop=ask.nulls == "drop")
    else:
        models, tasks, incomplete = tasks_of(given, drop=ask.nulls == "drop")
        by_name = {(of.model, of.task): of for of in given}
        problems = []
        for task in tasks:
            same_items = [by_name[model, task.name].of_items(task.items) for model in models]
            said = [of_model.said for of_model in same_items]
            problems.append(_classes_of_task(task, models, same_items[0].gold, said))
        notes = *mean_notes(tasks), *sample_notes(tasks, incomplete)
        question = Question(TaskClasses.of(tuple(problems)), of_classes, notes)
    return question._replace(notes=(*question.notes, *missing_rows_note(left_out)))


def _classes_of_task(
    task: Task, models: tuple[str, ...], gold: Sequence[Any], said: Sequence[Sequence[Any]]
) -> ClassLabels:
    """Return the problem of one task, whose classes are all that is right or said in it."""
    labels = factorise([*gold, *itertools.chain(*said)], len(gold) * (1 + len(models)))[0]
    matrices = tuple((ConfusionMatrix.from_labels(gold, answered, labels=labels),) for answered in said)
    if task.clusters is None:
        return ClassLabels(models, (task.name,), matrices)
    _, truth, predicted = read_classes(gold, dict(zip(models, said, strict=True)), labels)
    samples: Any = {"truth": truth, "predicted": tuple(predicted.values()), "clusters": task.clusters}
    return ClassLabels(models, (task.name,), matrices, **samples)


def task_measures(measures: Any) -> tuple[TaskMeasure, ...]:
    """Return the measures of tasks that were asked for."""
    if measures is None or (isinstance(measures, str) and measures == "all"):
        return MEASURES
    single = isinstance(measures, str) or not isinstance(measures, Iterable)
    by_name = {name: measure for measure in MEASURES for name in (measure.name, *measure.aliases)}
    entries = []
    for given in [measures] if single else in_given_order("measures", measures):
        name = str(getattr(given, "name", given)).casefold()
        if name not in by_name:
            raise ValueError(
                f"tasks are judged by {listed(measure.name for measure in MEASURES)}; found {shown(given)}. "
                "Leave out options to judge by measures of many classes."
            )
        entries.append(by_name[name])
    return tuple(dict.fromkeys(entries))


def mean_notes(tasks: Sequence[Task]) -> list[str]:
    """Say over which tasks the mean is, and why others have no bar."""
    without = [task for task in tasks if best_of(task)[0] is None]
    judged_tasks = [task for task in tasks if task not in without]
    if len(without) == len(tasks) and len({task.why for task in tasks}) == 1:
        mean = [f"The whole is the mean over {len(tasks)} tasks, each counted alike."]
        return [*(mean if len(tasks) > 1 else []), f"There is no bar: {visible(tasks[0].why)}."]
    notes = []
    if len(tasks) > 1 and judged_tasks:
        over = plural(len(judged_tasks), "task")
        notes = [f"The whole is the mean over {over}, each counted alike; its bar is the mean of theirs."]
        if len(judged_tasks) == 1:
            notes = [f"The whole is {_named(judged_tasks)}, the only task with a bar."]
        if without:
            are = "is" if len(without) == 1 else "are"
            notes.append(f"{_named(without)} {are} left out of the mean, without a bar.")
    for why in dict.fromkeys(task.why for task in without):
        alike = [task for task in without if task.why == why]
        notes.append(f"No bar of {_named(alike)}: {visible(why)}.")
    return notes


def _bar_notes(models: Sequence[str], tasks: Sequence[Task]) -> list[str]:
    """Say which tasks have which kind of bar, how lucky it may be, and where options are equally likely."""
    kinds: dict[str, list[Task]] = {sentence: [] for sentence in KIND_OF_BAR.values()}
    for task in tasks:
        if best_of(task)[0] is not None and (bar := _kind_of_bar(task)):
            kinds[KIND_OF_BAR[bar]].append(task)
    notes = [f"{_named(alike)}: {sentence}" for sentence, alike in kinds.items() if alike]
    lettered = kinds[KIND_OF_BAR["lettered"]]
    with_positions = [
        (task, task.best) for task in lettered if task.best is not None and len(task.best.labels) > 1
    ]
    one_position = [
        f'"{visible(best.one_label)}" {number(best.one_right / len(task), len(task))} in {visible(task.name)}'
        for task, best in with_positions
    ]
    if one_position:
        notes.append(f"One position for all items scores {listed(one_position, most=MOST_NAMED)}.")
    few = [task for task in lettered if task.best is not None and task.best.fewest < FEW_ITEMS]
    lucky = [task for task in few if best_of(task)[1] is not AT_RANDOM]
    if lucky:
        notes.append(
            f"{_named(lucky)}: of fewer than {FEW_ITEMS} items the best position is partly luck, and so "
            "is the bar."
        )
    ties = []
    for task in kinds[KIND_OF_BAR["unlettered"]]:
        tied = task.tied.sum(axis=1)
        most = int(np.argmax(tied))
        items = plural(len(task), "item")
        if tied[most]:
            ties.append(f"{int(tied[most]):,} of {items} of {visible(task.name)} ({visible(models[most])})")
    if ties:
        in_tasks = listed(ties, most=MOST_NAMED)
        notes.append(f"Several options are equally likely, and the first counts: in {in_tasks}.")
    return notes


KIND_OF_BAR = {
    "chance": "the bar is the chance level that was named.",
    "lettered": "the bar is the position that is right most often among items with as many options.",
    "classes": "the bar is to give one answer to every item, the one that is right most often.",
    "unlettered": "the bar is to choose an option at random (1 / options), by neither text nor order.",
    "targets": "the bar is at least the commonest target; another fixed answer may score more.",
    "scored": "the bar is at least the commonest answer that was scored right, and may be higher.",
    "never": "no answer was scored right, so that nothing is known of a bar above 0.",
}


def _kind_of_bar(task: Task) -> str:
    if task.chance is not None:
        return "chance"
    if task.kind != "free":
        return task.kind if task.kind in KIND_OF_BAR else ""
    if task.certified:
        return "classes"
    if not task.why:
        return "targets"
    return "scored" if task.best is not None and task.best.right else "never"


def sample_notes(tasks: Sequence[Task], left_out: Mapping[str, int]) -> list[str]:
    """Say which tasks have items that belong together, and how many items not all models answered."""
    clustered = [task for task in tasks if task.clusters is not None]
    notes = []
    if clustered:
        where = f": in {_named(clustered)}" if any(task.name for task in clustered) else ""
        notes = [f"Items that belong together are drawn together, whole clusters of them{where}."]
    return notes + [
        f"{plural(items, 'item')} of {visible(task)} left out: not all models answered them."
        for task, items in left_out.items()
    ]


def _named(tasks: Sequence[Task]) -> str:
    return listed((visible(task.name) or "All items" for task in tasks), most=MOST_NAMED)
