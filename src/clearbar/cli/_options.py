"""What options mean and what they take, as argparse has it; commands choose from them."""

from __future__ import annotations

from typing import Any

from clearbar.cli._values import (
    confidence,
    finite,
    policy,
    probability,
    size,
    whole,
)

Options = dict[str, dict[str, Any]]
"""What argparse takes, by the name of each option."""


def option(words: str, metavar: str | None = None, **facts: Any) -> dict[str, Any]:
    """Return an option of one value, by its help and what stands for its value."""
    return {"help": words, "metavar": metavar, **facts}


def several(words: str, metavar: str, **facts: Any) -> dict[str, Any]:
    """Return an option of one value or more, which may be given more than once."""
    return option(words, metavar, nargs="+", action="extend", **facts)


def flag(words: str) -> dict[str, Any]:
    """Return an option without a value."""
    return {"help": words, "action": "store_true"}


def formats(document: str) -> Options:
    """Return the options for formats; `document` says what the JSON holds."""
    return {
        "--json": flag(f"print one JSON document: {document}"),
        "--markdown": flag("print tables in Markdown"),
        "--latex": flag("print tables in LaTeX, with booktabs rules"),
        "--csv": flag("print comma-separated values, a line per row"),
    }


def measures(words: str) -> dict[str, Any]:
    """Return the option that names measures."""
    return several(words, "NAME")


OPTIONS = {
    "--total": option("number of samples", "M", type=whole),
    "--positives": option("how many of them are positive", "P", type=whole),
    "--measure": measures("what to judge by; common ones by default; all for the catalogue"),
    "--alpha": option(
        "how sure: p must be at most ALPHA (default: 0.05)", "ALPHA", type=probability, default=0.05
    ),
    "--undefined": option(
        "outcomes without a value: exclude (default), worst, or the number they count as",
        "HOW",
        type=policy,
        default="exclude",
    ),
}

TABLE = {
    "files": option(
        "CSV, JSON-lines (.gz and .zst too), Parquet, or a pattern; several are one table", "FILE", nargs="*"
    ),
    "--y-true": option("column of true labels", "COL"),
    "--y-pred": several("column of predicted labels, one per model", "COL"),
    "--y-score": several("instead: column of scores or probabilities, one per model", "COL"),
    "--by": several(
        "columns of slices; each combination is judged against its own bar, after the whole", "COL"
    ),
    "--by-file": flag("each file is a slice"),
    "--min-support": option("judge only slices of N samples or more", "N", type=size, default=0),
    "--fold": option("column of folds: judge cross-validated predictions", "COL"),
    "--aggregate": option("how folds are combined, as in evaluate_folds: mean, ... (default: pooled)", "WAY"),
    "--model": option("column that says which model a row is about, in a long table", "COL"),
    "--weight": option("column that says how often a row occurs: whole numbers", "COL"),
    "--clusters": option("column that says which rows belong together, such as patients", "COL"),
    "--threshold": option("predictions are probabilities, and positive from X on", "X", type=finite),
    "--confidence-level": option(
        "of the intervals (default: 0.95); a score that clears surely does so at one minus it",
        "LEVEL",
        type=confidence,
        default=0.95,
    ),
    "--nulls": option(
        "rows with missing values: an error (default), or left out and counted",
        choices=("raise", "drop"),
        default="raise",
    ),
    "--pos-label": option(
        "label of the positive class; 1 for labels 0 and 1, -1 and 1, or truth values", "X"
    ),
}
"""What is asked of a table."""

NOT_COMPARED = ("--by", "--by-file", "--min-support", "--fold", "--aggregate", "--model", "--weight")
"""What of that is not asked of models that are compared."""

REPORT = {
    "--html": option("also write a report: one page, with tables and pictures", "PATH"),
    "--force": flag("replace the report if it is there already"),
    "--title": option("title of the report", "TEXT"),
    "--subtitle": option("line below its title", "TEXT"),
    "--data": option("name of the data, for the report", "TEXT"),
    "--date": option("date of the data, for the report, as it shall be read", "TEXT"),
}
"""Where a report goes, and what it says besides the verdicts."""
