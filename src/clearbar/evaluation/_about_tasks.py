"""What the card says about its tasks: what the mean is, whose bar each task has, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from clearbar.core.errors import listed
from clearbar.data.answers import Task
from clearbar.formatting import number, plural, visible
from clearbar.problems.tasks import AT_RANDOM, best_of

FEW = 100
"""Items with as many options, of fewer of which the best position is noticeably lucky.

With right positions at random it is right in 0.369 of 20 items of 4 options, and in 0.151 of 100 of 10.
"""

MOST = 6
"""Tasks that a sentence names; more are counted."""


def about_whole(tasks: Sequence[Task]) -> list[str]:
    """Say over which tasks the mean is, and which have no bar."""
    without = [task for task in tasks if best_of(task)[0] is None]
    if len(tasks) == 1 or len(without) == len(tasks):
        return _reasons(without)
    judged = [task for task in tasks if task not in without]
    if len(judged) == 1:
        notes = [f"The whole is {_named(judged)}, the only task with a bar."]
    else:
        over = plural(len(judged), "task")
        notes = [f"The whole is the mean over {over}, each counted alike; its bar is the mean of theirs."]
    if without:
        are = "is" if len(without) == 1 else "are"
        notes.append(f"{_named(without)} {are} left out of the mean, without a bar.")
    return [*notes, *_reasons(without)]


def _reasons(tasks: Sequence[Task]) -> list[str]:
    """Say why tasks have no bar, those together of which the same is said."""
    by_reason: dict[str, list[Task]] = {}
    for task in tasks:
        by_reason.setdefault(task.why, []).append(task)
    return [f"No bar of {_named(own)}: {visible(why)}." for why, own in by_reason.items()]


def about_bars(models: Sequence[str], tasks: Sequence[Task]) -> list[str]:
    """Say which tasks have which kind of bar, and what to know of it."""
    known = [task for task in tasks if best_of(task)[0] is not None]
    lettered = [task for task in known if task.kind == "lettered"]
    unlettered = [task for task in known if task.kind == "unlettered"]
    free = [task for task in known if task.kind == "free"]
    classes = [task for task in known if task.kind == "classes" or (task in free and task.certified)]
    targets = [task for task in free if task not in classes and not task.why]
    scored = [task for task in free if task not in classes and task.why and task.best.right]  # type: ignore[union-attr]
    never = [task for task in free if task not in classes and task.why and task not in scored]
    sentences = (
        (lettered, "the bar is the position that is right most often among items with as many options."),
        (classes, "the bar is to give one answer to every item, the one that is right most often."),
        (unlettered, "the bar is to choose an option at random (1 / options), by neither text nor order."),
        (targets, "the bar is at least the commonest target; another fixed answer may score more."),
        (scored, "the bar is at least the commonest answer that was scored right, and may be higher."),
        (never, "no answer was scored right, so that nothing is known of a bar above 0."),
    )
    notes = [f"{_named(own)}: {sentence}" for own, sentence in sentences if own]
    return [*notes, *_one_position(lettered), *_few(lettered), *_ties(models, unlettered)]


def _one_position(tasks: Sequence[Task]) -> list[str]:
    """Say what one position for all items scores, which never is above the bar."""
    scores = [(task, task.best) for task in tasks if task.best is not None and len(task.best.labels) > 1]
    found = [
        f'"{visible(best.one_label)}" {number(best.one_right / len(task), len(task))} in {visible(task.name)}'
        for task, best in scores
    ]
    return [f"One position for all items scores {listed(found, most=MOST)}."] if found else []


def _few(tasks: Sequence[Task]) -> list[str]:
    few = [task for task in tasks if task.best is not None and task.best.fewest < FEW]
    by_luck = [task for task in few if best_of(task)[1] is not AT_RANDOM]
    if not by_luck:
        return []
    return [
        f"{_named(by_luck)}: of fewer than {FEW} items the best position is partly luck, and so is the bar."
    ]


def _ties(models: Sequence[str], tasks: Sequence[Task]) -> list[str]:
    """Say in how many items several options were the likeliest, of models and tasks where some were."""
    found = []
    for task in tasks:
        often = task.tied.sum(axis=1)
        most = int(np.argmax(often))
        if often[most]:
            found.append(
                f"{int(often[most]):,} of {plural(len(task), 'item')} of {visible(task.name)} "
                f"({visible(models[most])})"
            )
    if not found:
        return []
    return [f"Several options are equally likely, and the first counts: in {listed(found, most=MOST)}."]


def about_clusters(tasks: Sequence[Task]) -> list[str]:
    """Say which tasks have items that belong together."""
    grouped = [task for task in tasks if task.clusters is not None]
    if not grouped:
        return []
    return [f"Items that belong together are drawn together, whole clusters of them: in {_named(grouped)}."]


def about_left_out(left_out: Mapping[str, int]) -> list[str]:
    """Say how many items of which tasks not all models answered."""
    return [
        f"{plural(number_of, 'item')} of {visible(task)} left out: not all models answered them."
        for task, number_of in left_out.items()
    ]


def _named(tasks: Sequence[Task]) -> str:
    return listed((visible(task.name) or "All items" for task in tasks), most=MOST)
