"""Table 5 of the arXiv paper: the bars of eight data sets, from their class sizes alone.

    python -m examples.papers.data_sets

The rows of FN and FP are swapped in print, 16 of 176 entries: the largest expected FN is P, the largest
expected FP is N. Banknote Authentication has 762 negative samples, not 672.

E. P. van de Bijl et al., The Dutch Draw, arXiv 2203.13084, Table 5 and section 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from examples.papers._beside import Row, shown

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
MEASURES = {
    "f1": "F1",
    "fowlkes_mallows": "FM",
    "g_mean": "G2",
    "accuracy": "ACC",
    "precision": "PPV",
    "fn": "FN",
    "fp": "FP",
}
TITLE = "Table 5: the largest expected value"


def bars(name: str) -> dict[str, float]:
    """Return the largest expected values of a data set."""
    population = cb.Population(*DATA_SETS[name])
    return {measure: float(cb.baseline(population, measure).max.value) for measure in MEASURES}


def rows() -> Iterator[Row]:
    """Put what the text and the errata say beside what comes out."""
    total, positives = DATA_SETS["Banknote Authentication"]
    yield Row("Banknote: negative samples", "672", str(total - positives), "erratum")
    for name, what in (
        ("Cleveland Heart Disease", "F1 bar"),
        ("Bank Marketing", 'F1 bar, "approximately 0.629"'),
    ):
        found = f"{bars(name)['f1']:.3f}"
        note = "" if name.startswith("Cleveland") else "erratum: 0.629 is Cleveland's"
        yield Row(f"{name}: {what}", "0.629", found, note)
    for name in DATA_SETS:
        found = bars(name)["g_mean"]
        yield Row(f"{name}: G-mean", "0.5", f"{found:.8f}", "0.500 to three digits")


def table() -> str:
    """Return both tables as they are shown."""
    heads = " ".join(f"{head:>7}" for head in MEASURES.values())
    width = max(map(len, DATA_SETS))
    lines = [f"{'':{width}} {'M':>6} {'P':>6} {heads}"]
    for name, (total, positives) in DATA_SETS.items():
        values = " ".join(f"{value:7.4f}" if value < 1 else f"{value:7.0f}" for value in bars(name).values())
        lines.append(f"{name:{width}} {total:6} {positives:6} {values}")
    return shown(TITLE, rows()) + "\n\n" + "\n".join(lines)


if __name__ == "__main__":
    print(table())
