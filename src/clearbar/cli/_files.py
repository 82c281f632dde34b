"""Predictions in files: ``clearbar evaluate``, ``compare`` and ``leaderboard``."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from typing import Any

from clearbar.cli._errors import UsageError, card_in_options, example, suggested, without_names
from clearbar.cli._output import Parts, Reply, answered, pages, report_sentence, write_report
from clearbar.core._value import shares
from clearbar.core.documents import document
from clearbar.core.errors import brief, listed, shown
from clearbar.data.files import files_of
from clearbar.data.query import MOST_COMPARED, MissingColumnError, TableQuery
from clearbar.evaluation.options import InferenceOptions, Question, judged
from clearbar.formatting import MISSING, Align, Screen, Table, number, p_value_text, signed, whole_percent
from clearbar.problems.binary import checked_tries
from clearbar.scorecard import Comparison, Hints, Scorecard, best_of_tries, by_word

_OF_ROWS = ("model", "fold", "weight", "threshold", "pos_label", "nulls", "clusters", "given")
_OF_TASKS = ("model", "by", "item", "options", "clusters")
_OF_LOGS = ("metric", "filter", "kind", "chance", "allow_partial")


def judged_table(options: argparse.Namespace, measures: Any, *, intervals: bool = True) -> Scorecard:
    """Judge the predictions that the options name."""
    from clearbar.evaluation.tables import Wanted, table_question

    ask = _asked_for(options)
    if isinstance(measures, list) and any(name.strip().casefold() == "all" for name in measures):
        measures = "all"  # the whole catalogue but what does not suit the predictions
    try:
        way = options.aggregate or "pooled"
        wanted = Wanted(measures, None, options.undefined, options.min_support, way, labels=options.labels)
        question = table_question(options.files, ask, wanted)
        return judged(question, InferenceOptions(options.confidence_level, intervals))
    except MissingColumnError as error:
        raise UsageError(f"{error}{suggested(error, options)}") from error


def _asked_for(options: argparse.Namespace) -> TableQuery:
    """Return what the options ask of a table."""
    _refuse_incomplete(options)
    if options.aggregate is not None and options.fold is None:
        raise UsageError("--aggregate says how folds are combined: name their column with --fold.")
    if options.labels and not options.y_score:
        raise UsageError("--labels names the classes of the columns of --y-score; leave it out for labels.")
    undefined = None if options.undefined == "exclude" else options.undefined
    if options.y_score and not options.y_pred and undefined is not None:
        raise UsageError("--y-score and --undefined cannot be combined; leave out one of them.")
    beside = list(dict.fromkeys(options.y_score or ())) if options.y_pred else []
    return TableQuery.checked(
        options.y_true,
        list(dict.fromkeys(options.y_pred or options.y_score)),
        by=list(dict.fromkeys(options.by or [])),
        **{name: getattr(options, name) for name in _OF_ROWS},
        by_file=bool(options.by_file),  # None where a command has no such option
        spelt=True,
        of_scores=not options.y_pred,
        y_score=beside,
    )


def _refuse_incomplete(options: argparse.Namespace) -> None:
    command = f"clearbar {options.command}"
    if not options.files:
        raise UsageError(f"name a file to read: {command} FILE --y-true COL --y-pred COL.")
    if options.y_true and (options.y_pred or options.y_score):
        return
    first = files_of(options.files)[0]
    from clearbar.data.file_tables import column_names

    columns = column_names(first)
    here = f"{first} has: {listed(map(brief, columns))}."
    command_to_type = example(options, first, columns) or without_names(first, columns)
    if not options.y_true:
        raise UsageError(f"name the column of true labels with --y-true. {here}{command_to_type}")
    raise UsageError(
        f"name the columns of predictions with --y-pred, or of scores with --y-score, one per model. {here}"
        f"{command_to_type}"
    )


HINTS = Hints(" with --all", ": --json has the reasons")  # what to type for what a table leaves out
_ALL = "--all shows interval, skill and p of each score."
_ALL_OF_SLICES = "--all shows every row, with skill and p of each score; on all samples its interval too."


def evaluate(options: argparse.Namespace, screen: Screen) -> Reply:
    if options.slices and not (options.by or options.by_file):
        raise UsageError("--slices judges slices together; name their columns with --by.")
    card = judged_table(options, options.measure)
    write_report(card, options)
    return (_of_slices if options.slices else answer_of_rows)(card, options, screen)


def answer_of_rows(card: Scorecard, options: argparse.Namespace, screen: Screen) -> Reply:
    worded = card_in_options(card)

    def text() -> str:
        all_rows: dict[str, Any] = {"most": None, "columns": tuple(by_word())} if options.all else {}
        verdicts = worded.to_text(**screen.options, hints=HINTS, **all_rows)
        if len(card.models) > 1 and options.command == "evaluate" and not options.all:
            sliced = options.by or options.by_file
            verdicts += f"\n{screen.sentence(_ALL_OF_SLICES if sliced else _ALL)}"
        return verdicts + report_sentence(options, screen)

    return answered(
        options,
        text=text,
        json=card.to_dict,
        csv=lambda: str(card.to_csv()),
        markdown=lambda: worded.to_markdown(hints=HINTS),
        latex=worded.to_latex,
    )


def rate(options: argparse.Namespace, screen: Screen) -> Reply:
    """Judge a pass rate beside what passes by chance."""
    from clearbar.evaluation.answers import rate as judged_rate

    passed, total = options.passed
    card = judged_rate(passed, total, options.bar, confidence_level=options.confidence_level)
    return answer_of_rows(card, options, screen)


def _of_slices(card: Scorecard, options: argparse.Namespace, screen: Screen) -> Reply:
    """Return the slices of each measure, judged together."""
    all_rows: dict[str, Any] = {"most": None} if options.all else {}
    slices_of_each = [card.slices(measure) for measure in card.measures]
    # Each row names its measure.
    rows = [
        {**row, "measure": measure.name}
        for measure, several in zip(card.measures, slices_of_each, strict=True)
        for row in several.to_dict()["rows"]
    ]
    return answered(
        options,
        text=lambda: (
            "\n\n".join(
                several.to_text(**screen.options, hints=HINTS, **all_rows) for several in slices_of_each
            )
            + report_sentence(options, screen)
        ),
        json=lambda: {**card.to_dict(), "slices": rows},
        csv=lambda: rows,
        **pages(
            lambda: [part for several in slices_of_each for part in (several.sentence, several.table(None))]
        ),
    )


def compare(options: argparse.Namespace, screen: Screen) -> Reply:
    models = list(dict.fromkeys(options.y_pred or options.y_score or []))
    any_number = bool(options.y_score) or options.clusters is not None
    if len(models) == 1 or (len(models) > MOST_COMPARED and not any_number):
        option = "--y-score" if options.y_score else "--y-pred"
        several = "more" if any_number else f"up to {MOST_COMPARED}"
        raise UsageError(f"name two models to compare with {option}, or {several}; found {len(models)}.")
    if options.margin is not None and len(models) != 2:
        raise UsageError(f"--margin is for two models; found {len(models)}.")
    if options.null != "equal" and len(models) != 2:
        raise UsageError(f"--null is for two models; found {len(models)}.")
    card = judged_table(options, options.measure, intervals=False)
    return (_of_two if len(card.models) == 2 else _of_several)(card, options, screen)


def _of_two(card: Scorecard, options: argparse.Namespace, screen: Screen) -> Reply:
    a, b = card.models
    options_of_equivalence = {"margin": options.margin, "null": options.null}
    comparisons = [card.compare(a, b, measure, **options_of_equivalence) for measure in card.measures]
    documents = [comparison.to_dict() for comparison in comparisons]

    def in_cells(document: dict[str, Any]) -> dict[str, Any]:
        place = list(document).index("scores")
        facts = list(document.items())
        scores = zip(("score_a", "score_b"), document["scores"], strict=True)
        return dict([*facts[:place], *scores, *facts[place + 1 :]])

    return answered(
        options,
        text=lambda: "\n".join(screen.line(str(comparison)) for comparison in comparisons),
        json=lambda: document({"comparisons": documents}),
        csv=lambda: list(map(in_cells, documents)),
        **pages(lambda: [_table(comparisons), *map(str, comparisons)]),
    )


def _table(comparisons: list[Comparison]) -> Table:
    first = comparisons[0]
    level = whole_percent(first.confidence_level)
    heads = ("", first.a, first.b, "difference", f"{level} interval", "p")
    aligns: tuple[Align, ...] = ("left", "decimal", "decimal", "decimal", "right", "decimal")
    return Table.of(aligns, heads, map(_row, comparisons))


def _row(comparison: Comparison) -> tuple[str, ...]:
    interval = f"{signed(comparison.low, 3)} – {signed(comparison.high, 3)}"
    return (
        comparison.measure.label,
        *map(number, comparison.scores),
        signed(comparison.score_difference, 3),
        MISSING if math.isnan(comparison.low) else interval,
        p_value_text(comparison.p_value),
    )


def _of_several(card: Scorecard, options: argparse.Namespace, screen: Screen) -> Reply:
    rankings = [card.ranking(measure) for measure in card.measures]
    parts: Parts = []
    for ranking in rankings:
        parts += [ranking.sentence, ranking.table, *ranking.notes]
    return answered(
        options,
        text=lambda: "\n\n".join(ranking.to_text(**screen.options) for ranking in rankings),
        json=lambda: document({"rankings": [ranking.to_dict() for ranking in rankings]}),
        csv=lambda: [row for ranking in rankings for row in ranking.rows],
        **pages(lambda: parts),
    )


def leaderboard(options: argparse.Namespace, screen: Screen) -> Reply:
    if not options.files:
        raise UsageError("name the logs to read: clearbar leaderboard FILE ...")
    if options.y_score:
        card = _of_scores(options)
    else:
        card = _of_table(options) if options.y_true or options.y_pred else _of_logs(options)
    write_report(card, options)
    if len(card.groups) == 1:
        return answer_of_rows(card, options, screen)
    board = card.leaderboard()
    return answered(
        options,
        text=lambda: board.to_text(**screen.options) + report_sentence(options, screen),
        json=lambda: {**card.to_dict(), "leaderboard": board.to_dict()},
        csv=board.to_csv,
        markdown=board.to_markdown,
        latex=board.to_latex,
        tasks=board.to_task_markdown,
    )


def _refuse_given(options: argparse.Namespace, names: Iterable[str], sentence: str) -> None:
    for name in names:
        if getattr(options, name):
            raise UsageError(sentence.format(f"--{name.replace('_', '-')}"))


def _of_logs(options: argparse.Namespace) -> Scorecard:
    of_tables = "{} is a column of a table; name also those of --y-true and --y-pred."
    _refuse_given(options, (name for name in _OF_TASKS if name != "clusters"), of_tables)
    from clearbar.evaluation.answers import evaluate_logs

    return evaluate_logs(
        options.files,
        metric=options.metric or (),
        filter=options.filter,
        kind=kinds_of(options),
        tries=options.tries,
        chance=_chances(options.chance),
        clusters=options.clusters,
        allow_partial=options.allow_partial,
        nulls=options.nulls,
        confidence_level=options.confidence_level,
    )


def kinds_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the kinds of tasks that are named as TASK=KIND."""
    pairs = [text.rpartition("=") for text in options.kind or ()]
    for task, _, kind in pairs:
        if not task:
            raise UsageError(f"--kind takes TASK=KIND, such as gsm8k=free; found {shown(kind)}.")
    return {task: kind for task, _, kind in pairs}


def tasks(options: argparse.Namespace, screen: Screen) -> Reply:
    if not options.files:
        raise UsageError("name the data to read: clearbar tasks FILE ...")
    from clearbar.evaluation.tasks import baseline_tasks

    bars = baseline_tasks(
        options.files,
        options=options.options or (),
        answer=options.answer,
        metric=options.metric or (),
        filter=options.filter,
        kind=kinds_of(options),
        published=options.published,
    )
    return answered(
        options,
        text=lambda: bars.to_text(**screen.options),
        json=lambda: document(bars.to_dict()),
        csv=bars.to_csv,
        markdown=bars.to_markdown,
        latex=bars.to_latex,
    )


def _chances(typed: list[str] | None) -> Any:
    """Return one share for all tasks without a bar, or that of each task named; None where none is typed."""
    if not typed:
        return None
    pairs = [text.rpartition("=") for text in typed]
    if len(typed) > 1 and not all(task for task, _, _ in pairs):
        raise UsageError("--chance takes one share, or TASK=SHARE for each task, such as rubric=0.2.")
    try:
        given = {task: float(shares("chance", text)) for task, _, text in pairs}
    except ValueError:
        raise UsageError(f"--chance takes a share, or TASK=SHARE; found {shown(' '.join(typed))}.") from None
    return given.get("", given)


def _of_scores(options: argparse.Namespace) -> Scorecard:
    """Judge scores from 0 to 1 of the items of tasks, in a table."""
    from clearbar.evaluation.tasks import table_of_scores

    others = ("y_true", "y_pred", "options", *(name for name in _OF_LOGS if name != "chance"))
    _refuse_given(options, others, "{} and --y-score cannot be combined; leave out one of them.")
    if options.tasks and not options.by:
        raise UsageError("--tasks prints a line per task: name their columns with --by.")
    ask = _asked_of_tasks(options, None, options.y_score, of_scores=True)
    return _judged(table_of_scores(options.files, ask, _chances(options.chance)), options)


def _of_table(options: argparse.Namespace) -> Scorecard:
    """Judge answers in a table, one row each."""
    from clearbar.evaluation.answers import table_of_answers

    needed = {"--y-true": options.y_true, "--y-pred": options.y_pred, "--by": options.by}
    lacking = [name for name, column in needed.items() if not column]
    if lacking:
        raise UsageError(
            f"a table of answers needs {listed(lacking)}: the columns of right answers, answers and tasks."
        )
    _refuse_given(options, _OF_LOGS, "{} is for logs; leave it out for a table.")
    ask = _asked_of_tasks(options, options.y_true, options.y_pred)
    return _judged(table_of_answers(options.files, ask), options)


def _asked_of_tasks(options: argparse.Namespace, truth: Any, columns: Any, **facts: Any) -> TableQuery:
    of_tasks = {name: getattr(options, name) for name in (*_OF_TASKS, "nulls")}
    return TableQuery.checked(truth, columns, spelt=True, of_tasks=True, **facts, **of_tasks)


def _judged(question: Question, options: argparse.Namespace) -> Scorecard:
    tries = checked_tries(options.tries)
    return best_of_tries(judged(question, InferenceOptions(options.confidence_level)), tries)
