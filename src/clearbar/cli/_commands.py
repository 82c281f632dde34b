"""What can be typed: every command with what it answers, examples and options, as data."""

from __future__ import annotations

from typing import Any, NamedTuple

from clearbar.cli._values import (
    confidence,
    finite,
    level_or_none,
    margin,
    policy,
    printed,
    probability,
    share,
    size,
    whole,
)

ABOUT = (
    "Does your classifier know anything? For each measure, clearbar computes what the\n"
    "best classifier that never looks at a feature would score on your labels (the bar), and\n"
    "tells whether a model clears it, by how much and how surely."
)
EXAMPLES = (
    "demo",
    "baseline --total 303 --positives 139 --measure f1 --score 0.72",
    "evaluate predictions.csv --y-true y --y-pred tree --y-pred forest",
)


class Command(NamedTuple):
    """One command; `options` are what argparse takes, by name."""

    usage: str
    about: str
    examples: tuple[str, ...]
    options: dict[str, dict[str, Any]]


def _option(words: str, metavar: str | None = None, **facts: Any) -> dict[str, Any]:
    return {"help": words, **facts, **({} if metavar is None else {"metavar": metavar})}


def _several(words: str, metavar: str) -> dict[str, Any]:
    return _option(words, metavar, nargs="+", action="extend")


def _flag(words: str) -> dict[str, Any]:
    return _option(words, action="store_true")


def _formats(document: str) -> dict[str, dict[str, Any]]:
    return {
        "--json": _flag(f"print one JSON document: {document}"),
        "--markdown": _flag("print tables in Markdown"),
        "--latex": _flag("print tables in LaTeX, with booktabs rules"),
        "--csv": _flag("print comma-separated values, a line per row"),
    }


_JUDGED_BY = "what to judge by; common ones by default; all for the catalogue"
_HOW_SURE = "how sure: p must be at most ALPHA (default: 0.05)"
_POLICY = "outcomes without a value: exclude (default), worst, or the number they count as"

OPTIONS = {
    "--total": _option("number of samples", "M", type=whole),
    "--positives": _option("how many of them are positive", "P", type=whole),
    "--measure": _several(_JUDGED_BY, "NAME"),
    "--alpha": _option(_HOW_SURE, "ALPHA", type=probability, default=0.05),
    "--undefined": _option(_POLICY, "HOW", type=policy, default="exclude"),
}

_TABLE = {
    "files": _option(
        "CSV, JSON-lines (.gz and .zst too), Parquet, or a pattern; several are one table", "FILE", nargs="*"
    ),
    "--y-true": _option("column of true labels", "COL"),
    "--y-pred": _several("column of predicted labels, one per model", "COL"),
    "--y-score": _several("instead: column of scores or probabilities, one per model", "COL"),
    "--by": _several(
        "columns of slices; each combination is judged against its own bar, after the whole", "COL"
    ),
    "--by-file": _flag("each file is a slice"),
    "--min-support": _option("judge only slices of N samples or more", "N", type=size, default=0),
    "--fold": _option("column of folds: judge cross-validated predictions", "COL"),
    "--aggregate": _option(
        "how folds are combined, as in evaluate_folds: mean, ... (default: pooled)", "WAY"
    ),
    "--model": _option("column that says which model a row is about, in a long table", "COL"),
    "--weight": _option("column that says how often a row occurs: whole numbers", "COL"),
    "--clusters": _option("column that says which rows belong together, such as patients", "COL"),
    "--threshold": _option("predictions are probabilities, and positive from X on", "X", type=finite),
    "--confidence-level": _option(
        "of the intervals (default: 0.95); a score that clears surely does so at one minus it",
        "LEVEL",
        type=confidence,
        default=0.95,
    ),
    "--nulls": _option(
        "rows with missing values: an error (default), or left out and counted",
        choices=("raise", "drop"),
        default="raise",
    ),
    "--pos-label": _option(
        "label of the positive class; 1 for labels 0 and 1, -1 and 1, or truth values", "X"
    ),
}
"""What is asked of a table."""

_COMPARED = (
    "files",
    "--y-true",
    "--y-pred",
    "--y-score",
    "--clusters",
    "--threshold",
    "--confidence-level",
    "--nulls",
    "--pos-label",
)
"""What of that is asked of models that are compared."""

_REPORT = {
    "--html": _option("also write a report: one page, with tables and pictures", "PATH"),
    "--force": _flag("replace the report if it is there already"),
    "--title": _option("title of the report", "TEXT"),
    "--subtitle": _option("line below its title", "TEXT"),
    "--data": _option("name of the data, for the report", "TEXT"),
    "--date": _option("date of the data, for the report, as it shall be read", "TEXT"),
}
"""Where a report goes, and what it says besides the verdicts."""

SHELLS = ("bash", "zsh", "fish")

COMMANDS = {
    "measures": Command(
        "measures [--json | --markdown | --latex | --csv]",
        "List the measures that clearbar knows.",
        ("measures", "measures --json"),
        _formats("the catalogue, with formulas, domains and sources"),
    ),
    "explain": Command(
        "explain MEASURE [--total M --positives P]",
        "Explain a measure. What it asks, its formula, where it has no value; with class sizes\n"
        "also its bar and who attains it.",
        ("explain f1", "explain g_mean --total 111 --positives 56"),
        {
            "measure": _option("any name, such as f1 or 'threat score'", "MEASURE", nargs="+"),
            **{name: OPTIONS[name] for name in ("--total", "--positives", "--undefined")},
        },
    ),
    "baseline": Command(
        "baseline --total M --positives P [--measure NAME ...] [--score X] [options]",
        "Show the bars for given class sizes. No data needed: the number of samples and of\n"
        "positive ones is enough. With --score: is that score good?",
        (
            "baseline --total 303 --positives 139",
            "baseline --total 303 --positives 139 --measure f1 --score 0.72",
        ),
        {
            **{name: {**OPTIONS[name], "required": True} for name in ("--total", "--positives")},
            "--measure": OPTIONS["--measure"],
            "--score": _option(
                "a score that was reached, with the decimals that were printed: does it clear the bar?",
                "X",
                type=printed,
            ),
            **{name: OPTIONS[name] for name in ("--alpha", "--undefined")},
            **_formats("bars, and with --score the verdict"),
        },
    ),
    "evaluate": Command(
        "evaluate FILE ... --y-true COL --y-pred COL ... | --y-score COL ... [options]",
        "Judge the predictions in a file. A column holds the true labels, one column per model\n"
        "the predicted ones, or scores.",
        (
            "evaluate predictions.csv --y-true y --y-pred tree",
            "evaluate jan.parquet feb.parquet --y-true churned --y-pred old new --by country",
            "evaluate 'runs/*.csv' --y-true y --y-pred p_tree --threshold 0.5 --by country day",
            "evaluate predictions.csv --y-true y --y-score p_tree p_forest --measure roc_auc log_loss max_f1",
            "evaluate mail.csv --y-true label --y-pred filter --pos-label spam --measure f1 mcc",
            "evaluate predictions.csv --y-true y --y-pred tree --html report.html",
        ),
        {
            **_TABLE,
            "--measure": OPTIONS["--measure"],
            "--slices": _flag("judge the slices together: which clear surely, which could be chance"),
            "--all": _flag("show every row, with skill and p of each score; on all samples its interval too"),
            **_formats("all verdicts"),
            **_REPORT,
            "--undefined": OPTIONS["--undefined"],
        },
    ),
    "check": Command(
        "check FILE ... --y-true COL --y-pred COL ... | --y-score COL ... [--measure NAME ...] [options]",
        "Fail a build unless every model clears the bar. Exit code 0 if every model clears every\n"
        "measure, 1 if one does not, 2 if something else is wrong.",
        (
            "check predictions.csv --y-true y --y-pred tree",
            "check predictions.csv --y-true y --y-pred tree --measure f1 --alpha 0.05",
        ),
        {
            **_TABLE,
            "--measure": _several("what to judge by; mcc by default, roc_auc of scores", "NAME"),
            "--alpha": _option(
                "how sure: p must be at most ALPHA (default: 1 - confidence level, 0.05); none asks for "
                "the score alone",
                "ALPHA",
                type=level_or_none,
                default=...,
            ),
            **_formats("whether the build passes, which verdicts fail, and all verdicts"),
            "--summary": _option("also add the verdicts to this file, in Markdown", "PATH"),
            "--undefined": OPTIONS["--undefined"],
        },
    ),
    "compare": Command(
        "compare FILE ... --y-true COL --y-pred COL COL | --y-score COL COL [--measure NAME ...] [options]",
        "Tell which model is better, and how surely. Two models are compared, more are ranked.",
        (
            "compare predictions.csv --y-true y --y-pred tree forest --measure f1",
            "compare predictions.csv --y-true y --y-pred old new --measure f1 --margin 0.02",
        ),
        {
            **{name: _TABLE[name] for name in _COMPARED},
            "--measure": OPTIONS["--measure"],
            "--margin": _option(
                "the least difference that matters: are two models equally good but for less?",
                "X",
                type=margin,
            ),
            **_formats("every comparison"),
            "--undefined": OPTIONS["--undefined"],
        },
    ),
    "leaderboard": Command(
        "leaderboard FOLDER | FILE ... [--metric NAME ...] [--filter NAME] [options]",
        "Put language models below each other. Each task has a bar of its own, and so has the mean over\n"
        "them. Reads samples of lm-evaluation-harness (--log_samples) and JSON logs of Inspect; with\n"
        "--y-true, --y-pred and --by a table of answers.",
        (
            "leaderboard results/",
            "leaderboard logs/*.json --html leaderboard.html",
            "leaderboard 'results/*/samples_*.jsonl' --metric acc_norm acc --filter strict-match --csv",
            "leaderboard answers.csv --y-true gold --y-pred answer --model model --by task",
        ),
        {
            "files": _option(
                "a folder of logs; samples_TASK_DATE.jsonl in a folder named as the model, logs of Inspect, "
                "or a pattern; or a table",
                "FILE",
                nargs="*",
            ),
            "--y-true": _option("of a table, the column of right answers", "COL"),
            "--y-pred": _several("its column of answers, or one per model", "COL"),
            "--model": _TABLE["--model"],
            "--by": _several("its columns of tasks", "COL"),
            "--item": _option(
                "its column that tells items of a task apart, where models have them in other orders", "COL"
            ),
            "--options": _option(
                "its column of each item's number of options, empty for open questions", "COL"
            ),
            "--clusters": _option(
                "its column that says which items belong together, such as passages", "COL"
            ),
            "--metric": _several(
                "the score that says whether an answer is right: the first of these that a task has ("
                "default: acc or exact_match, or the only one)",
                "NAME",
            ),
            "--filter": _option("of several filters, whose answers are judged", "NAME"),
            "--nulls": _option(
                "items that some model did not answer: an error (default), or left out for all models",
                choices=("raise", "drop"),
                default="raise",
            ),
            "--confidence-level": _TABLE["--confidence-level"],
            **_formats("the leaderboard, and all verdicts"),
            "--tasks": _flag(
                "print a line per task and model in Markdown, as lm-evaluation-harness does, with bar and "
                "rescaled accuracy"
            ),
            **_REPORT,
        },
    ),
    "samples": Command(
        "samples --measure NAME --prevalence R --sensitivity A --specificity B [options]",
        "Tell how many samples are needed. How many a model of these true rates takes to clear its bar\n"
        "surely.",
        ("samples --measure f1 --prevalence 0.3 --sensitivity 0.8 --specificity 0.9",),
        {
            "--measure": {**_several("what to judge by", "NAME"), "required": True},
            **{
                name: _option(words, letter, type=share, required=True)
                for name, words, letter in (
                    ("--prevalence", "the share of positive samples", "R"),
                    ("--sensitivity", "the share of positive samples that the model gets right", "A"),
                    ("--specificity", "the share of negative samples that the model gets right", "B"),
                )
            },
            "--power": _option(
                "how likely it shall clear surely (default: 0.8)", "P", type=share, default=0.8
            ),
            "--alpha": OPTIONS["--alpha"],
            **_formats("samples and power per measure"),
        },
    ),
    "demo": Command(
        "demo [--csv PATH]",
        "Judge five classifiers on two data sets. Their predictions come with clearbar; nothing\n"
        "else is needed.",
        ("demo", "demo --csv predictions.csv"),
        {"--csv": _option("write the predictions on one of them to this new file instead", "PATH")},
    ),
    "completion": Command(
        "completion SHELL",
        "Complete words in a shell. Prints what bash, zsh or fish need so that Tab completes commands,\n"
        "options, measures and the columns of a file.",
        (
            "completion bash >> ~/.bashrc",
            "completion zsh >> ~/.zshrc",
            "completion fish > ~/.config/fish/completions/clearbar.fish",
        ),
        {"shell": _option("bash, zsh or fish", "SHELL", choices=SHELLS)},
    ),
}


def examples(lines: tuple[str, ...]) -> str:
    """Return examples as help shows them."""
    return "\n".join(["examples:", *(f"  clearbar {line}" for line in lines)])
