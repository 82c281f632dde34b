"""The columns that were named, read from files and judged."""

from __future__ import annotations

import argparse
from typing import Any

from clearbar.cli._parser import UsageError
from clearbar.cli._suggestions import example, suggested, without_names
from clearbar.core.errors import brief, listed
from clearbar.data import file_tables
from clearbar.data.files import files_of
from clearbar.data.query import MissingColumnError, TableQuery
from clearbar.evaluation.options import InferenceOptions, judged
from clearbar.evaluation.tables import table_question
from clearbar.scorecard import Scorecard


def judged_table(options: argparse.Namespace, measures: Any, *, intervals: bool = True) -> Scorecard:
    """Judge the predictions that the options name."""
    ask = _asked_for(options)
    if isinstance(measures, list) and any(name.strip().casefold() == "all" for name in measures):
        measures = "all"  # the whole catalogue but what does not suit the predictions
    try:
        question = table_question(
            options.files,
            ask,
            measures,
            undefined=options.undefined,
            min_support=options.min_support,
            aggregate=options.aggregate or "pooled",
        )
        return judged(question, InferenceOptions(options.confidence_level, intervals))
    except MissingColumnError as error:
        raise UsageError(f"{error}{suggested(error, options)}") from error


def _asked_for(options: argparse.Namespace) -> TableQuery:
    """Return what the options ask of a table."""
    _refuse_incomplete(options)
    if options.aggregate is not None and options.fold is None:
        raise UsageError("--aggregate says how folds are combined: name their column with --fold.")
    models = list(dict.fromkeys(options.y_pred or options.y_score))
    if options.y_true in models:
        raise UsageError(
            f"column {brief(options.y_true)!r} is named by --y-true and by {_models(options)}: labels that "
            "judge themselves."
        )
    if options.y_score:
        _refuse_beside_scores(options)
    return TableQuery.checked(
        options.y_true,
        models,
        model=options.model,
        by=list(dict.fromkeys(options.by or [])),
        fold=options.fold,
        weight=options.weight,
        threshold=options.threshold,
        pos_label=options.pos_label,
        spelt=True,
        nulls=options.nulls,
        by_file=options.by_file,
        clusters=options.clusters,
        of_scores=bool(options.y_score),
    )


def _models(options: argparse.Namespace) -> str:
    """Return the option that names the columns of models."""
    return "--y-score" if options.y_score else "--y-pred"


def _refuse_beside_scores(options: argparse.Namespace) -> None:
    """Raise if something is asked that goes with predicted labels alone."""
    undefined = None if options.undefined == "exclude" else options.undefined
    given = {"y-pred": options.y_pred, "threshold": options.threshold, "undefined": undefined}
    for name, value in {**given, "model": options.model, "weight": options.weight}.items():
        if value is not None:
            raise UsageError(f"--y-score and --{name} cannot be combined; leave out one of them.")


def _refuse_incomplete(options: argparse.Namespace) -> None:
    command = f"clearbar {options.command}"
    if not options.files:
        raise UsageError(f"name a file to read: {command} FILE --y-true COL --y-pred COL.")
    if options.y_true and (options.y_pred or options.y_score):
        return
    first = files_of(options.files)[0]
    columns = file_tables.column_names(first)
    here = f"{first} has: {listed(map(brief, columns))}."
    command_to_type = example(options, first, columns) or without_names(first, columns)
    if not options.y_true:
        raise UsageError(f"name the column of true labels with --y-true. {here}{command_to_type}")
    raise UsageError(
        f"name the columns of predictions with --y-pred, or of scores with --y-score, one per model. {here}"
        f"{command_to_type}"
    )
