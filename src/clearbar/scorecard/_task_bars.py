"""The bars of tasks before any run, and beside them the baselines that somebody printed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core._value import Value
from clearbar.core.documents import strict_json
from clearbar.core.errors import brief, listed
from clearbar.data.tasks import Task
from clearbar.formatting import Cell, Table, comma_separated, decimals, number, plural, signed, visible
from clearbar.problems.bars import Recipe
from clearbar.problems.tasks import ACCURACY, AT_RANDOM, FEW_ITEMS, TaskBar, bar_over
from clearbar.scorecard._frames import strict
from clearbar.scorecard._page import Block, Page, Printed

AT_LEAST = "≥"


class TaskFacts(NamedTuple):
    """What is known of one task."""

    task: str
    kind: str
    items: int
    options: tuple[int, int] | None  # the least and the most that an item has
    random_guess: float
    bar: float
    certified: bool
    attained_by: str
    one_position: float  # where one position for all items is right most often, though none may be shown
    reason: str  # why there is no bar
    published: float
    difference: float  # what was published, less the bar


@dataclass(frozen=True, eq=False, repr=False)
class TaskBaselines(Printed, Value):
    """The bars of tasks, made by `baseline_tasks`; index it by the name or the position of a task.

    Attributes
    ----------
    tasks : tuple of Task
        The items of each task.
    positions : tuple of dict
        Of each task how often which position is right, by the number of options.
    published : dict
        Baselines that somebody printed, by task.
    notes : tuple of str
        What is odd about the items.
    """

    tasks: tuple[Task, ...]
    positions: tuple[Mapping[int, Sequence[int]], ...]
    published: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tasks."""
        return tuple(task.name for task in self.tasks)

    @property
    def value(self) -> FloatArray:
        """The bar of each task; nan where there is none."""
        return np.array([facts.bar for facts in self.facts])

    @property
    def facts(self) -> tuple[TaskFacts, ...]:
        """What is known of each task."""
        return tuple(map(self._facts, range(len(self.tasks))))

    def __len__(self) -> int:
        return len(self.tasks)

    def __getitem__(self, task: str | int) -> TaskBar:
        """Return the bar of one task."""
        if isinstance(task, str) and task not in self.names:
            raise KeyError(f"there is no task {task!r}; found {listed(map(repr, self.names))}.")
        index = self.names.index(task) if isinstance(task, str) else range(len(self.tasks))[task]
        return bar_over(ACCURACY, self.tasks[index : index + 1], mean=False)[0]

    def __float__(self) -> float:
        if len(self) != 1:
            raise ValueError(f"float() needs one task; these are {len(self)}. Name one, as in bars['boolq'].")
        return float(self.value[0])

    def _facts(self, index: int) -> TaskFacts:
        task, bar, counts = self.tasks[index], self[index], self.positions[index]
        guess = task.random_guess
        most = max((len(row) for row in counts.values()), default=0)
        everywhere = [sum(row[place] for row in counts.values() if place < len(row)) for place in range(most)]
        published = self.published.get(task.name, math.nan)
        value = float(bar.value)
        return TaskFacts(
            task.name,
            task.kind,
            len(task),
            None if task.options is None else (int(task.options.min()), int(task.options.max())),
            math.nan if guess is None else float(guess),
            value,
            bool(bar.certified),
            _brief(bar.attained_by),
            max(everywhere) / len(task) if everywhere else math.nan,
            str(bar.reason),
            published,
            published - value,
        )

    def _page(self, wide: int | None) -> Page:  # noqa: ARG002 - the table is fitted where it is shown
        facts = self.facts
        marks = [f"{AT_LEAST} at least: another fixed answer may score more"]
        legend = marks if any(not of.certified and not math.isnan(of.bar) for of in facts) else []
        return Page("", [Block(self.table(), legend=legend)], self._sentences())

    def table(self) -> Table:
        """Return a row for each task."""
        heads = ["task", "items", "options", "guess", "bar", "attained by"]
        aligns = ["left", "right", "right", "decimal", "decimal", "left"]
        if self.published:
            heads[5:5], aligns[5:5] = ["published", "off by"], ["decimal", "decimal"]
        return Table.of(aligns, heads, map(self._row, self.facts))

    def _row(self, facts: TaskFacts) -> list[str | Cell]:
        def cell(value: float) -> str:
            return "–" if math.isnan(value) else number(value, facts.items)

        options = "–" if facts.options is None else "–".join(map(str, dict.fromkeys(facts.options)))
        searched = not facts.certified and not math.isnan(facts.bar)
        bar = Cell(cell(facts.bar), mark=AT_LEAST if searched else "", note="at least")
        printed = []
        if self.published:
            off = "–" if math.isnan(facts.difference) else signed(facts.difference, decimals(facts.items))
            printed = [cell(facts.published), off]
        numbers = f"{facts.items:,}", options, cell(facts.random_guess), bar
        return [visible(facts.task), *numbers, *printed, facts.attained_by]

    def _sentences(self) -> list[str]:
        facts = self.facts
        sentences = [f"{of.reason}." for of in facts if of.reason]
        sentences += [
            f"{visible(of.name)}: the first option always is right, so that equal likelihoods score 1."
            for of, counts in zip(self.tasks, self.positions, strict=True)
            if of.kind == "unlettered" and sum(row[0] for row in counts.values()) == len(of)
        ]
        few = [
            visible(task.name)
            for task in self.tasks
            if task.kind == "lettered" and task.best is not None and task.best.fewest < FEW_ITEMS
        ]
        if few:
            sentences.append(
                f"{listed(few, most=6)}: of fewer than {FEW_ITEMS} items with as many options the best "
                "position is partly luck."
            )
        kinds = {task.kind for task in self.tasks}
        sentences += [sentence for kind, sentence in ABOUT.items() if kind in kinds]
        unused = [name for name in self.published if name not in self.names]
        if unused:
            sentences.append(f"{plural(len(unused), 'published baseline')} of tasks that are not here.")
        return [*self.notes, *sentences]

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON: None where a number is nan."""
        rows = [{**facts._asdict(), "options": facts.options and list(facts.options)} for facts in self.facts]
        return {"tasks": list(map(strict, rows)), "notes": self._sentences()}

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict` as one strict JSON document."""
        return strict_json(self.to_dict(), indent)

    def to_csv(self) -> str:
        """Return a line for each task as comma-separated values."""
        rows = self.to_dict()["tasks"]
        heads = list(TaskFacts._fields)
        for row in rows:
            row["options"] = row["options"] and "-".join(map(str, dict.fromkeys(row["options"])))
        return comma_separated(heads, [[row[name] for name in heads] for row in rows])

    def __repr__(self) -> str:
        return f"<TaskBaselines: {plural(len(self), 'task')}>"


def _brief(recipe: Recipe) -> str:
    if recipe == AT_RANDOM:
        return "random guess"
    return f'always "{brief(recipe.always)}"' if recipe.always else str(recipe.what) or "no bar"


ABOUT = {
    "lettered": "Options under letters: the bar is the position that is right most often.",
    "unlettered": "Options called by their texts: nobody who sees neither texts nor order does better than a "
    "random guess. If a prompt shows them under letters, a position can do better.",
    "free": "Free answers: the bar is the commonest right answer, a bound from below.",
}
