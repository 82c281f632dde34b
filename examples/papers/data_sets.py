"""Table 5 of the arXiv paper: the bars of eight data sets, from their class sizes alone.

    python -m examples.papers.data_sets

The rows of FN and FP are swapped in print, 16 of 176 entries: the largest expected FN is P, the largest
expected FP is N. Banknote Authentication has 762 negative samples, not 672.

E. P. van de Bijl et al., The Dutch Draw, arXiv 2203.13084, Table 5 and section 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from examples.papers._beside import Row, largest_difference, shown

import clearbar as cb

DATA_SETS = {
    "Adult": (48842, 11687),
    "Bank Marketing": (45211, 5289),
    "Banknote Authentication": (1372, 610),
    "Cleveland Heart Disease": (303, 139),
    "Haberman's Survival": (306, 81),
    "LSVT Voice": (126, 42),
    "Occupancy Detection": (20560, 4750),
    "Wisconsin Breast Cancer": (569, 212),
}
SYMBOLS = "TP TN FN FP TPR TNR FNR FPR PPV NPV FDR FOR F1 J MK Acc BAcc MCC κ FM G2 TS"
NAMES = (
    "tp tn fn fp recall specificity fnr fpr precision npv fdr false_omission_rate f1 informedness markedness "
    "accuracy balanced_accuracy mcc kappa fowlkes_mallows g_mean threat_score"
)
MEASURES = dict(zip(SYMBOLS.split(), NAMES.split(), strict=True))
"""The 22 rows, by the papers' symbols."""

TITLE = "Table 5: what is printed wrongly, or rounded"


def bar(name: str, symbol: str) -> cb.Baseline:
    """Return what draws expect of a measure on a data set."""
    return cb.baseline(cb.Population(*DATA_SETS[name]), MEASURES[symbol])


def rows() -> Iterator[Row]:
    """Put what the text and the errata say beside what comes out."""
    total, positives = DATA_SETS["Banknote Authentication"]
    yield Row("Banknote: negative samples", "672", str(total - positives), "erratum")
    for name, what in (
        ("Cleveland Heart Disease", "F1 bar"),
        ("Bank Marketing", 'F1 bar, "approximately 0.629"'),
    ):
        comes_out = f"{bar(name, 'F1').max.value:.3f}"
        note = "" if name.startswith("Cleveland") else "erratum: 0.629 is Cleveland's"
        yield Row(f"{name}: {what}", "0.629", comes_out, note)
    for name in DATA_SETS:
        comes_out = bar(name, "G2").max.value
        yield Row(f"{name}: G-mean", "0.5", f"{comes_out:.8f}", "0.500 to three digits")


def difference(_: str) -> str:
    """Return the largest difference from print, errata apart."""
    return largest_difference(rows())


def written(value: float) -> str:
    """Return a count or a score as it is shown."""
    if value == int(value):
        return f"{value:.0f}"
    return f"{value:.4f}" if value >= 0.001 else f"{value:.0e}"


def all_rows(end: str) -> Iterator[str]:
    """Yield the largest or the smallest expected values of each measure; of the smallest what is not 0."""
    for symbol in MEASURES:
        values = [getattr(bar(name, symbol), end).value for name in DATA_SETS]
        if end == "max" or any(values):
            yield f"{symbol:8}" + "".join(f"{written(value):>10}" for value in values)


def table() -> str:
    """Return the errata, then both ends."""
    short = [name.split()[0].removesuffix("'s") for name in DATA_SETS]
    names = "".join(f"{name:>10}" for name in short)
    sizes = [
        f"{size:8}" + "".join(f"{two[place]:10}" for two in DATA_SETS.values())
        for place, size in enumerate("MP")
    ]
    largest = "\n".join([f"largest {names}", *sizes, *all_rows("max")])
    smallest = "\n".join([f"smallest{names}", *all_rows("min"), "0 in the other rows"])
    return "\n\n".join([shown(TITLE, rows()), largest, smallest])


if __name__ == "__main__":
    print(table())
