"""The columns that were named, read from files; and what to type instead if one is missing."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable

from clearbar.cli._parser import UsageError
from clearbar.core.errors import brief, listed, nearest
from clearbar.data.tables import Ask, MissingColumnError, asked, column_names, files_of

MOST_TYPED = 200
"""Characters of what is proposed to type: nobody types more, and what is cut does not work."""

_TRUTHS = ("y_true", "y", "label", "labels", "target", "truth", "true", "actual", "class", "outcome")
"""What people call the column of true labels."""


def asked_for(options: argparse.Namespace) -> Ask:
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
    return asked(
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
    columns = column_names(first)
    here = f"{first} has: {listed(map(brief, columns))}."
    known = options.y_pred or options.y_score or []
    truth = options.y_true or next(iter(_likely_truths(columns, known)), None)
    at = columns.index(truth) if truth in columns else -1  # predictions mostly stand behind the labels
    model = next(iter([*known, *columns[at + 1 :], *columns[: max(at, 0)]]), None)
    example = ""
    if truth and model:
        words = [first, "--y-true", truth, _models(options), model]
        typed = f"{command} {shlex.join(words)}"
        example = f" For example {typed}" if len(typed) <= MOST_TYPED else ""
    if not options.y_true:
        raise UsageError(f"name the column of true labels with --y-true. {here}{example}")
    raise UsageError(
        f"name the columns of predictions with --y-pred, or of scores with --y-score, one per model. {here}"
        f"{example}"
    )


def _likely_truths(columns: Iterable[str], taken: Iterable[str]) -> list[str]:
    by_name = {name.casefold(): name for name in columns if name not in set(taken)}
    return [by_name[name] for name in _TRUTHS if name in by_name]


def suggested(error: MissingColumnError, options: argparse.Namespace) -> str:
    """Return the option with the column that was probably meant, as a question."""
    singles = {
        "--model": options.model,
        "--fold": options.fold,
        "--weight": options.weight,
        "--clusters": options.clusters,
        "--y-true": options.y_true,
    }
    models = options.y_pred or options.y_score
    used = {*singles.values(), *models, *(options.by or [])} - {error.column}
    free = [name for name in error.columns if name not in used]
    near = nearest(error.column, free, most=1)
    option = _models(options) if error.column in models else "--by"
    for name, column in singles.items():
        option = name if column == error.column else option
    if option == "--y-true":
        near = near or _likely_truths(free, ())
    meant = f"{option} {shlex.quote(near[0])}" if near else ""
    return f" Did you mean {meant}?" if 0 < len(meant) <= MOST_TYPED else ""
