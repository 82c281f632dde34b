"""Every command with what it answers, examples and options, as data for argparse."""

from __future__ import annotations

from typing import Any, NamedTuple

from clearbar.cli._values import (
    confidence,
    finite,
    margin,
    passes,
    policy,
    printed,
    probability,
    probability_or_none,
    share,
    size,
    whole,
)

Options = dict[str, dict[str, Any]]  # what argparse takes, by the name of each option


def option(words: str, metavar: str | tuple[str, ...] | None = None, **facts: Any) -> dict[str, Any]:
    """Return an option of one value, by its help and what stands for its value."""
    return {"help": words, "metavar": metavar, **facts}


def several(words: str, metavar: str, **facts: Any) -> dict[str, Any]:
    """Return an option of one value or more, which may be given more than once."""
    return option(words, metavar, nargs="+", action="extend", **facts)


def flag(words: str) -> dict[str, Any]:
    return {"help": words, "action": "store_true"}


def nulls(words: str) -> dict[str, Any]:
    return option(words, choices=("raise", "drop"), default="raise")


def kinds(facts: str) -> dict[str, Any]:
    are = "lettered, classes, unlettered, free or none (no bar)"
    return several(f"what a task is, where its {facts} tell it right: {are}", "TASK=KIND")


def formats(document: str) -> Options:
    """Return the options for formats; `document` says what the JSON holds."""
    return {
        "--json": flag(f"print one JSON document: {document}"),
        "--markdown": flag("print tables in Markdown"),
        "--latex": flag("print tables in LaTeX, with booktabs rules"),
        "--csv": flag("print comma-separated values, a line per row"),
    }


OPTIONS = {
    "--total": option("number of samples", "M", type=whole),
    "--positives": option("how many of them are positive", "P", type=whole),
    "--prevalence": option("instead: their share as printed, such as 0.459 or 45.9%%", "R"),
    "--measure": several("what to judge by; common ones by default; all for the catalogue", "NAME"),
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

SIZES = {name: OPTIONS[name] for name in ("--total", "--positives", "--prevalence")}  # class sizes

SCORE = option(
    "a score that was reached, with the decimals that were printed: does it clear the bar? The p-value is "
    "two-sided, small far below the bar, too",
    "X",
    type=printed,
)

TABLE = {
    "files": option(
        "CSV, JSON-lines (.gz and .zst too), Parquet, or a pattern; several are one table", "FILE", nargs="*"
    ),
    "--y-true": option("column of true labels", "COL"),
    "--y-pred": several("column of predicted labels, one per model", "COL"),
    "--y-score": several("instead, or beside: column of scores or probabilities, one per model", "COL"),
    "--labels": several("of more than two classes, whose probabilities the columns of --y-score are", "X"),
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
    "--given": option("column that the bars may see: what is known beyond it?", "COL"),
    "--threshold": option("predictions are probabilities, and positive from X on", "X", type=finite),
    "--confidence-level": option(
        "of the intervals (default: 0.95); a score that clears surely does so at one minus it",
        "LEVEL",
        type=confidence,
        default=0.95,
    ),
    "--nulls": nulls("rows with missing values: an error (default), or left out and counted"),
    "--pos-label": option(
        "label of the positive class; 1 for labels 0 and 1, -1 and 1, or truth values", "X"
    ),
}
"""What is asked of a table."""

# What of that is not asked of models that are compared.
NOT_COMPARED = {
    "--given",
    "--by",
    "--by-file",
    "--min-support",
    "--fold",
    "--aggregate",
    "--model",
    "--weight",
}

REPORT = {
    "--html": option("also write a report: one page, with tables and pictures", "PATH"),
    "--force": flag("replace the report if it is there already"),
    "--title": option("title of the report", "TEXT"),
    "--subtitle": option("line below its title", "TEXT"),
    "--data": option("name of the data, for the report", "TEXT"),
    "--date": option("date of the data, for the report, as it shall be read", "TEXT"),
}
"""Where a report goes, and what it says besides the verdicts."""

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


LEADERBOARD = {
    "files": option(
        "a folder of logs; samples_TASK_DATE.jsonl in a folder named as the model, logs of Inspect, "
        "or a pattern; or a table",
        "FILE",
        nargs="*",
    ),
    "--y-true": option("of a table, the column of right answers", "COL"),
    "--y-pred": several("its column of answers, or one per model", "COL"),
    "--y-score": several(
        "instead of both: its column of scores from 0 to 1, as graders give, or one per model", "COL"
    ),
    "--model": TABLE["--model"],
    "--by": several("its columns of tasks", "COL"),
    "--item": option(
        "its column that tells items of a task apart, where models have them in other orders", "COL"
    ),
    "--options": option("its column of each item's number of options, empty for open questions", "COL"),
    "--clusters": option(
        "its column that says which items belong together, such as passages; of logs, a field of an "
        "item's own data (doc, metadata or specific)",
        "COL",
    ),
    "--metric": several(
        "the score that says whether an answer is right: the first of these that a task has ("
        "default: acc or exact_match, or the only one)",
        "NAME",
    ),
    "--filter": option("of several filters, whose answers are judged", "NAME"),
    "--kind": kinds("log does not"),
    "--chance": several(
        "what chance gets of an item, 0 to 1, where a task has no bar; or of tasks that are named",
        "SHARE | TASK=SHARE",
    ),
    "--tries": option(
        "how many models, prompts or checkpoints each model is the best of (default: 1)",
        "T",
        type=whole,
        default=1,
    ),
    "--allow-partial": flag("judge unfinished, failed or cut runs, too, and say so"),
    "--nulls": nulls("items that some model did not answer: an error (default), or left out for all models"),
    "--confidence-level": TABLE["--confidence-level"],
    **formats("the leaderboard, and all verdicts"),
    "--tasks": flag(
        "print a line per task and model in Markdown, as lm-evaluation-harness does, with bar and "
        "rescaled accuracy"
    ),
    **REPORT,
}

TASKS = {
    "files": option("files of items, a task each; a folder of them, or a pattern", "FILE", nargs="*"),
    "--published": option(
        "printed baselines to put beside the bars: a table with columns task and baseline, or a JSON "
        "object; shares or percentages",
        "FILE",
    ),
    "--options": several("field of an item's options (a list or their number), or one for each", "COL"),
    "--answer": option("field of its right answer: a position, a letter or a text", "COL"),
    "--metric": several("of logs, the score that says whether an answer is right", "NAME"),
    "--filter": option("of several filters, whose answers are read", "NAME"),
    "--kind": kinds("data do not"),
    **formats("a bar for each task"),
}

POSSIBLE = {
    **SIZES,
    "--class-sizes": several(
        "sizes of many classes, also NAME=N: can accuracy and recall_macro both be?", "N"
    ),
    "--score": {
        **several("a measure and what was printed, with its decimals or in per cent", "NAME=X"),
        "required": True,
    },
    "--folds": option("the scores are means over so many stratified folds", "K", type=whole),
    "--truncated": flag("decimals were cut off, not rounded"),
    "--measure": several("also say between which scores the tables lie on these", "NAME"),
    **formats("how many tables there are, the first of them, what contradicts each other"),
}

SAMPLES = {
    "--measure": {**several("what to judge by", "NAME"), "required": True},
    "--prevalence": option("the share of positive samples", "R", type=share, required=True),
    "--sensitivity": option("the share of positive samples that the model gets right", "A", type=share),
    "--specificity": option("the share of negative samples that the model gets right", "B", type=share),
    "--score": option("its true score, where its rates are not known", "S", type=finite),
    "--versus": option(
        "tell it from another model of this sensitivity and specificity",
        ("A", "B"),
        type=share,
        nargs=2,
    ),
    "--versus-prevalence": option(
        "the other is another group of as many samples, with this share of positive ones",
        "R",
        type=share,
    ),
    "--agreement": option(
        "the share of each class on which both models answer alike (default: all that is possible)",
        "S",
        type=share,
    ),
    "--cluster-size": option("samples that belong together (default: 1)", "M", type=finite, default=1),
    "--icc": option("how alike they are: the intra-class correlation", "R", type=share, default=0.0),
    "--power": option("the chance to surely clear, or differ (default: 0.8)", "P", type=share, default=0.8),
    "--alpha": OPTIONS["--alpha"],
    **formats("samples and power per measure"),
}


class Command(NamedTuple):
    """One command; `options` are what argparse takes, by name."""

    usage: str
    about: str
    examples: tuple[str, ...]
    options: Options


SHELLS = ("bash", "zsh", "fish")

COMMANDS = {
    "measures": Command(
        "measures [--json | --markdown | --latex | --csv]",
        "List the measures that clearbar knows.",
        ("measures", "measures --json"),
        formats("the catalogue, with formulas, domains and sources"),
    ),
    "explain": Command(
        "explain MEASURE [--total M --positives P | --prevalence R]",
        "Explain a measure. What it asks, its formula, where it has no value; with class sizes\n"
        "also its bar and who attains it.",
        ("explain f1", "explain g_mean --total 111 --positives 56"),
        {
            "measure": option("any name, such as f1 or 'threat score'", "MEASURE", nargs="+"),
            **SIZES,
            "--undefined": OPTIONS["--undefined"],
        },
    ),
    "baseline": Command(
        "baseline --total M --positives P | --prevalence R [--measure NAME ...] [--score X] [options]",
        "Show the bars for given class sizes. No data needed: the number of samples and of\n"
        "positive ones is enough. With --score: is that score good?",
        (
            "baseline --total 303 --positives 139",
            "baseline --total 303 --positives 139 --measure f1 --score 0.72",
        ),
        {
            **SIZES,
            "--measure": OPTIONS["--measure"],
            "--score": SCORE,
            **{name: OPTIONS[name] for name in ("--alpha", "--undefined")},
            **formats("bars, and with --score the verdict"),
        },
    ),
    "judge": Command(
        "judge --tp A --fp B --fn C --tn D | --total M --positives P --measure NAME --score X [options]",
        "Judge four cells or one printed score. The cells of a confusion matrix have intervals and\n"
        "p-values; a score has what it tells whatever its matrix is.",
        (
            "judge --tp 15 --fp 6 --fn 3 --tn 7",
            "judge --total 303 --prevalence 45.9% --measure f1 --score 0.72",
        ),
        {
            "--tp": option("number of true positives", "A", type=size),
            "--fp": option("number of false positives", "B", type=size),
            "--fn": option("number of false negatives", "C", type=size),
            "--tn": option("number of true negatives", "D", type=size),
            **SIZES,
            "--measure": OPTIONS["--measure"],
            "--score": SCORE,
            "--confidence-level": TABLE["--confidence-level"],
            "--undefined": OPTIONS["--undefined"],
            **formats("the verdicts"),
        },
    ),
    "rate": Command(
        "rate PASSED/TOTAL --bar CHANCE [options]",
        "Judge a pass rate. Beside the share that passes by chance, with its exact interval and\np-value.",
        ("rate 83/100 --bar 0.25", "rate 83/100 --bar 25%"),
        {
            "passed": option("how many of how many passed, such as 83/100", "PASSED/TOTAL", type=passes),
            "--bar": option(
                "the share that passes by chance, such as 0.25 or 25%%", "CHANCE", type=share, required=True
            ),
            "--confidence-level": TABLE["--confidence-level"],
            **formats("the verdict"),
        },
    ),
    "evaluate": Command(
        "evaluate FILE ... --y-true COL --y-pred COL ... | --y-score COL ... [options]",
        "Judge the predictions in a file. A column holds the true labels, one column per model\n"
        "the predicted ones, scores, or both.",
        (
            "evaluate predictions.csv --y-true y --y-pred tree",
            "evaluate jan.parquet feb.parquet --y-true churned --y-pred old new --by country",
            "evaluate 'runs/*.csv' --y-true y --y-pred p_tree --threshold 0.5 --by country day",
            "evaluate predictions.csv --y-true y --y-score p_tree p_forest --measure roc_auc log_loss max_f1",
            "evaluate pets.csv --y-true y --y-score p_dog p_cat p_cow --labels dog cat cow --measure rps",
            "evaluate mail.csv --y-true label --y-pred filter --pos-label spam --measure f1 mcc",
            "evaluate predictions.csv --y-true y --y-pred tree --html report.html",
        ),
        {
            **TABLE,
            "--measure": OPTIONS["--measure"],
            "--slices": flag("judge the slices together: which clear surely, which could be chance"),
            "--all": flag("show every row, with skill and p of each score; on all samples its interval too"),
            **formats("all verdicts"),
            **REPORT,
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
            **TABLE,
            "--measure": several("what to judge by; mcc by default, roc_auc of scores", "NAME"),
            "--alpha": option(
                "how sure: p must be at most ALPHA (default: 1 - confidence level, 0.05); none asks for "
                "the score alone",
                "ALPHA",
                type=probability_or_none,
                default=...,
            ),
            **formats("whether the build passes, which verdicts fail, and all verdicts"),
            "--summary": option("also add the verdicts to this file, in Markdown", "PATH"),
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
            **{name: facts for name, facts in TABLE.items() if name not in NOT_COMPARED},
            "--measure": OPTIONS["--measure"],
            "--margin": option(
                "the least difference that matters: are two models equally good but for less?",
                "X",
                type=margin,
            ),
            "--null": option(
                "the hypothesis: equal scores, or models that are alike in everything",
                choices=("equal", "exchangeable"),
                default="equal",
            ),
            **formats("every comparison"),
            "--undefined": OPTIONS["--undefined"],
        },
    ),
    "leaderboard": Command(
        "leaderboard FOLDER | FILE ... [--metric NAME ...] [--filter NAME] [--kind TASK=KIND ...] [options]",
        "Put language models below each other. Each task has a bar of its own, and so has the mean over\n"
        "them. Reads samples of lm-evaluation-harness (--log_samples), logs of Inspect (.eval, .json) and\n"
        "runs of HELM and lighteval; with --y-true, --y-pred and --by a table of answers, with --y-score\n"
        "one of scores from 0 to 1.",
        (
            "leaderboard results/",
            "leaderboard logs/*.eval --html leaderboard.html",
            "leaderboard 'results/*/samples_*.jsonl' --metric acc_norm acc --filter strict-match --csv",
            "leaderboard answers.csv --y-true gold --y-pred answer --model model --by task",
            "leaderboard graded.csv --y-score faithfulness --model model --item question --chance 0.25",
        ),
        LEADERBOARD,
    ),
    "tasks": Command(
        "tasks FOLDER | FILE ... [--published FILE] [--kind TASK=KIND ...] [options]",
        "Show the bars of benchmarks before any model is run. Reads task data: JSON lines as of llm-foundry\n"
        "or AGIEval, JSON of BIG-bench and BIG-Bench-Hard, logs of harnesses, CSV and Parquet.",
        (
            "tasks commonsense_qa.jsonl boolq.jsonl",
            "tasks bbh/ --published baselines.csv",
            "tasks questions.parquet --options choices --answer label --kind questions=unlettered",
        ),
        TASKS,
    ),
    "possible": Command(
        "possible --total M [--positives P] | --class-sizes N ... --score NAME=X ... [options]",
        "Find every confusion matrix that has printed scores. None: which scores contradict each other.\n"
        "One: what it is, judged. Many: what all of them have in common.",
        (
            "possible --total 303 --positives 139 --score accuracy=0.8515 --score f1=0.8327",
            "possible --total 303 --positives 139 --score accuracy=0.85 recall=80% --folds 10",
            "possible --class-sizes 90 5 5 --score accuracy=0.95 recall_macro=0.30",
        ),
        POSSIBLE,
    ),
    "claim": Command(
        "claim --total M [--positives P | --prevalence R] [--measure NAME] BETTER WORSE ... [options]",
        "Tell whether printed scores show that one model is better. Whatever the overlap of the two on the\n"
        "same samples. Of three and more all pairs are asked about, corrected by Holm.",
        (
            "claim --total 500 0.91 0.90",
            "claim --total 1319 ours=0.581 theirs=0.567 base=0.402",
            "claim --total 303 --positives 139 --measure f1 0.85 0.80",
        ),
        {
            "scores": option(
                "printed scores, the better one first, or NAME=X; a whole number from 2 up counts answers",
                "SCORE",
                nargs="+",
            ),
            **SIZES,
            "--measure": option("what is claimed (default: accuracy)", "NAME", nargs=1, default=["accuracy"]),
            "--alpha": OPTIONS["--alpha"],
            **formats("the verdicts and p-values"),
        },
    ),
    "samples": Command(
        "samples --measure NAME --prevalence R (--sensitivity A --specificity B | --score S) [options]",
        "Tell how many samples are needed for a model of these true rates to surely clear its bar, or to\n"
        "be told from another model or group.",
        (
            "samples --measure f1 --prevalence 0.3 --sensitivity 0.8 --specificity 0.9",
            "samples --measure f1 --prevalence 0.3 --sensitivity 0.9 --specificity 0.9 --versus 0.8 0.9",
        ),
        SAMPLES,
    ),
    "demo": Command(
        "demo [--csv PATH]",
        "Judge five classifiers on two data sets. Their predictions come with clearbar; nothing\n"
        "else is needed.",
        ("demo", "demo --csv predictions.csv"),
        {"--csv": option("write the predictions on one of them to this new file instead", "PATH")},
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
        {"shell": option("bash, zsh or fish", "SHELL", choices=SHELLS)},
    ),
}
