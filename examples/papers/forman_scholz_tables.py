"""Tables 1 and 2 of Forman and Scholz: four folds, and F1 combined in three ways, with the bar of each.

    python -m examples.papers.forman_scholz_tables

George Forman and Martin Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1),
2010.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from examples.papers._beside import Row, largest_difference, shown

import clearbar as cb

TITLE = "Tables 1 and 2: F1 in percent"
FOLDS = {  # negatives, positives, TP, FP of each fold
    "Table 1": ((373, 3, 3, 0), (372, 4, 4, 1), (372, 4, 4, 13), (372, 4, 3, 5)),
    "Table 2": ((372, 4, 2, 0), (372, 4, 0, 0), (372, 4, 4, 0), (372, 4, 4, 0)),
}
PRINTED = {
    ("Table 1", "mean"): ("F_avg", 69),
    ("Table 1", "pooled"): ("F_tp,fp", 58),
    ("Table 1", "precision_recall"): ("F_pr,re", 73),
    ("Table 2", "mean"): ("F_avg", 67),
    ("Table 2", "pooled"): ("F_tp,fp", 77),
    ("Table 2", "precision_recall"): ("F_pr,re", 68),
    ("Table 2", "mean_of_defined"): ("F_avg, skipping", 89),
    ("Table 2", "precision_recall_of_defined"): ("F_pr,re, skipping", 91),
}


def rows() -> Iterator[Row]:
    """Score each table in each way; the bar of the same way stands beside it."""
    for (name, way), (symbol, percent) in PRINTED.items():
        negatives, positives, tp, fp = np.array(FOLDS[name]).T
        counts = cb.Counts(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)
        row = cb.evaluate_fold_counts(counts, "f1", aggregate=way, intervals=False)[0]
        comes_out = f"{100 * row.score:.0f}"
        note = "" if comes_out == str(percent) else "differs: "
        yield Row(f"{name}: {symbol}", str(percent), comes_out, f"{note}bar {100 * row.baseline.value:.1f}")
    skipping, keeping = 10 / 11, 15 / 22
    yield Row(
        "Table 2: F_pr,re skipping / not",
        "1.34",
        f"{skipping / keeping:.4f}",
        "of rounded numbers; exactly 4/3",
    )


def difference(item: str) -> str:
    """Return the largest difference from print, in percent."""
    return largest_difference(rows(), item)


def table() -> str:
    """Return the table as it is shown."""
    return shown(TITLE, rows())


if __name__ == "__main__":
    print(table())
