"""``clearbar leaderboard``: answers of language models in the logs of harnesses."""

from __future__ import annotations

import argparse

from clearbar.cli._formats import written
from clearbar.cli._outputs import report_sentence, write_report
from clearbar.cli._parser import UsageError
from clearbar.cli._screen import Answer
from clearbar.core.errors import listed, shown
from clearbar.data.query import TableQuery
from clearbar.evaluation import evaluate_logs
from clearbar.evaluation.answers import table_of_answers
from clearbar.evaluation.options import InferenceOptions, judged
from clearbar.formatting import Screen
from clearbar.scorecard import Scorecard

_OF_TABLES = ("model", "by", "item", "options", "clusters")
_OF_LOGS = ("metric", "filter", "kind", "allow_partial")


def leaderboard(options: argparse.Namespace, screen: Screen) -> Answer:
    """Put models below each other."""
    if not options.files:
        raise UsageError("name the logs to read: clearbar leaderboard FILE ...")
    card = _of_table(options) if options.y_true or options.y_pred else _of_logs(options)
    write_report(card, options)
    return Answer(_written(card, options, screen))


def _of_logs(options: argparse.Namespace) -> Scorecard:
    named = next((name for name in _OF_TABLES if getattr(options, name)), None)
    if named is not None:
        raise UsageError(f"--{named} is a column of a table; name also those of --y-true and --y-pred.")
    return evaluate_logs(
        options.files,
        metric=options.metric or (),
        filter=options.filter,
        kind=_kinds(options.kind),
        tries=options.tries,
        allow_partial=options.allow_partial,
        nulls=options.nulls,
        confidence_level=options.confidence_level,
    )


def _kinds(named: list[str] | None) -> dict[str, str]:
    """Return the kinds of tasks from TASK=KIND."""
    pairs = [text.rpartition("=") for text in named or ()]
    wrong = next((kind for task, _, kind in pairs if not task), None)
    if wrong is not None:
        raise UsageError(f"--kind takes TASK=KIND, such as gsm8k=free; found {shown(wrong)}.")
    return {task: kind for task, _, kind in pairs}


def _of_table(options: argparse.Namespace) -> Scorecard:
    """Judge answers in a table, one row each."""
    needed = {"--y-true": options.y_true, "--y-pred": options.y_pred, "--by": options.by}
    lacking = [name for name, column in needed.items() if not column]
    if lacking:
        raise UsageError(
            f"a table of answers needs {listed(lacking)}: the columns of right answers, answers and tasks."
        )
    named = next((name for name in _OF_LOGS if getattr(options, name)), None)
    if named is not None:
        raise UsageError(f"--{named.replace('_', '-')} is for logs; leave it out for a table.")
    if options.tries != 1:
        raise UsageError("--tries is for logs; leave it out for a table.")
    columns = {name: getattr(options, name) for name in _OF_TABLES}
    ask = TableQuery.checked(
        options.y_true, options.y_pred, nulls=options.nulls, spelt=True, of_tasks=True, **columns
    )
    return judged(table_of_answers(options.files, ask), InferenceOptions(options.confidence_level))


def _written(card: Scorecard, options: argparse.Namespace, screen: Screen) -> str:
    board = card.leaderboard()
    return written(
        options,
        text=lambda: board.to_text(**screen.options) + report_sentence(options, screen),
        json=lambda: {**card.to_dict(), "leaderboard": board.to_dict()},
        csv=board.to_csv,
        markdown=board.to_markdown,
        latex=board.to_latex,
        tasks=board.to_task_markdown,
    )
