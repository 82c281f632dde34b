"""The ten rows that stand first on the page, and their picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks._case import Case, Result

TITLE = "Ten that a user waits for"
PICTURE = "benchmarks_first.png"

ROWS = {
    ("start", "import and the first bar", ""): "import it, and find a first bar",
    ("verdicts", "six default measures, both p-values and intervals", "M = 1e4"):
        "a card of six measures: bars, p-values, intervals",
    ("questions", "a card of max_f1: bar, p and interval", "5,000 samples"):
        "a card of the best F1 over thresholds",
    ("dutchdraw", "optimal baselines, all 22", "M = 1,000"): "22 bars from labels",
    ("permutation", "p-value of F1 against 1,000 shuffles", "1e4 samples"):
        "chance of an F1 at least as good",
    ("sklearn_scores", "six scores", "1e6 samples"): "six scores from labels",
    ("questions", "log loss of ten classes", "1e6 samples"): "log loss of ten classes",
    ("questions", "is one model better than another in accuracy?", "1e5 samples"):
        "the more accurate of two models",
    ("questions", "gap in recall between groups", "10 groups, 1e4 samples"):
        "gap in recall between groups",
    ("tables", "count a Parquet file", "1e8 rows"): "count a Parquet file",
}  # fmt: skip
"""Section, title and size of the ten, and what a user would call each."""

TEXT = f"""\
Of the last whole run. Each row stands again in its section below, with spreads, memory and notes.

![The time of each row, here and with the other program]({PICTURE})
"""


def rows_of(section: str, rows: Sequence[tuple[Case, Result]]) -> dict[str, tuple[Case, Result]]:
    """Return those of a section's rows that stand first; of two with one name the first."""
    first: dict[str, tuple[Case, Result]] = {}
    for case, result in rows:
        words = ROWS.get((section, case.title, case.size))
        if words:
            first.setdefault(words, (case, result))
    return first


def table(rows: Mapping[str, tuple[Case, Result]]) -> str:
    """Return the Markdown of the section."""
    from benchmarks._report import digits_text, seconds_text

    lines = ["| what | size | clearbar | the other | it takes |", "|---|---|---|---|---|"]
    for words, (case, result) in rows.items():
        ours, theirs = _seconds(result)
        other = f"{case.peer}: {seconds_text(theirs)}" if theirs else result.gave_up or "–"
        ratio = f"**{digits_text(median(result.ratios))} ×**" if result.ratios else "–"
        lines.append(f"| {words} | {case.size} | **{seconds_text(ours)}** | {other} | {ratio} |")
    return f"## {TITLE}\n\n{TEXT}\n" + "\n".join(lines) + "\n"


def _seconds(result: Result) -> tuple[float, float]:
    """Return the medians of ours and of the other's times; 0 for one that was not timed."""
    return median(result.ours.seconds), median(result.theirs.seconds) if result.theirs else 0.0


def plot(rows: Mapping[str, tuple[Case, Result]], path: Path) -> None:
    """Draw both times of each row on one logarithmic axis."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from benchmarks._report import digits_text
    from clearbar.formatting._palette import BELOW, CLEARS

    figure, axes = plt.subplots(figsize=(8, 0.42 * len(rows) + 1), layout="constrained")
    marks: dict[str, Any] = {}
    for y, (case, result) in enumerate(rows.values()):
        ours, theirs = _seconds(result)
        if theirs:
            axes.plot([ours, theirs], [y, y], color="#999999", lw=1.2, zorder=1)
            marks["the other program"] = axes.scatter(theirs, y, 42, color=BELOW, marker="x", zorder=2)
            text = f"{case.peer}, {digits_text(median(result.ratios))} ×"
            axes.annotate(
                text, (max(ours, theirs), y), (7, 0), textcoords="offset points", va="center", fontsize=8
            )
        marks["clearbar"] = axes.scatter(ours, y, 42, color=CLEARS, zorder=3)
    axes.set_yticks(
        range(len(rows)),
        [", ".join(filter(None, (words, case.size))) for words, (case, _) in rows.items()],
        fontsize=8.5,
    )
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="seconds")
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * (high / low) ** 0.3)  # room for the names of the others
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", alpha=0.3)
    figure.legend(marks.values(), marks, loc="outside upper left", ncols=2, frameon=False, fontsize=9)
    figure.savefig(path, dpi=150)
    plt.close(figure)
