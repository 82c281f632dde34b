"""What ``--help`` says: for each command what it answers, and an example to type."""

from __future__ import annotations

HELP = {
    "clearbar": (
        "Does your classifier know anything? For each measure, clearbar computes what the\n"
        "best classifier that never looks at a feature would score on your labels (the bar), and\n"
        "tells whether a model clears it, by how much and how surely."
    ),
    "measures": "List the measures that clearbar knows.",
    "explain": (
        "Explain a measure. What it asks, its formula, where it has no value; with class sizes\n"
        "also its bar and who attains it."
    ),
    "baseline": (
        "Show the bars for given class sizes. No data needed: the number of samples and of\n"
        "positive ones is enough. With --score: is that score good?"
    ),
    "evaluate": (
        "Judge the predictions in a file. A column holds the true labels, one column per model\n"
        "the predicted ones."
    ),
    "check": (
        "Fail a build unless every model clears the bar. Exit code 0 if every model clears every\n"
        "measure, 1 if one does not, 2 if something else is wrong."
    ),
    "demo": (
        "Judge five classifiers on two data sets. Their predictions come with clearbar; nothing\n"
        "else is needed."
    ),
}

USAGE = {
    "measures": "measures [--json]",
    "explain": "explain MEASURE [--total M --positives P]",
    "baseline": "baseline --total M --positives P [--measure NAME ...] [--score X] [options]",
    "evaluate": "evaluate FILE ... --y-true COL --y-pred COL ... [options]",
    "check": "check FILE ... --y-true COL --y-pred COL ... [--measure NAME ...] [options]",
    "demo": "demo [--csv PATH]",
}

_HEAD = "examples:"

EPILOG = {
    "clearbar": (
        f"{_HEAD}\n"
        "  clearbar demo\n"
        "  clearbar baseline --total 303 --positives 139 --measure f1 --score 0.72\n"
        "  clearbar evaluate predictions.csv --y-true y --y-pred tree --y-pred forest\n"
        "\nclearbar COMMAND --help tells more about one command."
    ),
    "measures": f"{_HEAD}\n  clearbar measures\n  clearbar measures --json",
    "explain": f"{_HEAD}\n  clearbar explain f1\n  clearbar explain g_mean --total 111 --positives 56",
    "baseline": (
        f"{_HEAD}\n"
        "  clearbar baseline --total 303 --positives 139\n"
        "  clearbar baseline --total 303 --positives 139 --measure f1 --score 0.72"
    ),
    "evaluate": (
        f"{_HEAD}\n"
        "  clearbar evaluate predictions.csv --y-true y --y-pred tree\n"
        "  clearbar evaluate jan.parquet feb.parquet --y-true churned --y-pred old new --by country\n"
        "  clearbar evaluate 'runs/*.csv' --y-true y --y-pred p_tree --threshold 0.5 --by country day\n"
        "  clearbar evaluate mail.csv --y-true label --y-pred filter --pos-label spam --measure f1 mcc\n"
        "  clearbar evaluate predictions.csv --y-true y --y-pred tree --html report.html"
    ),
    "check": (
        f"{_HEAD}\n"
        "  clearbar check predictions.csv --y-true y --y-pred tree\n"
        "  clearbar check predictions.csv --y-true y --y-pred tree --measure f1 --alpha 0.05"
    ),
    "demo": f"{_HEAD}\n  clearbar demo\n  clearbar demo --csv predictions.csv",
}
