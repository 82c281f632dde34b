"""``python -m benchmarks [section ...] [--quick] [--output FOLDER]``, or ``make bench ARGS=...``."""

from __future__ import annotations

import argparse
import importlib
import time
from pathlib import Path

from benchmarks import _first, _report
from benchmarks._case import Section
from benchmarks._run import ROOT, measured

SECTIONS = (
    "start",
    "targets",
    "verdicts",
    "questions",
    "dutchdraw",
    "scipy_hypergeom",
    "sklearn_scores",
    "multiclass",
    "permutation",
    "pycm_table",
    "tables",
    "growth",
)
"""In the order of the page, one module each."""


def main() -> None:
    """Measure what was asked for; sections that were named take their place on a page that is there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "sections", nargs="*", metavar="section", help=", ".join(SECTIONS) + "; all by default"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that all of it works")
    parser.add_argument("--output", type=Path, help="folder to write benchmarks.md and benchmarks.png to")
    given = parser.parse_args()
    unknown = sorted(set(given.sections) - set(SECTIONS))
    if unknown:
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    folder = given.output or (None if given.sections or given.quick else ROOT / "docs")
    began = time.perf_counter()
    tables, results, first = [], [], {}
    for name in SECTIONS:
        if given.sections and name not in given.sections:
            continue
        module = importlib.import_module(f"benchmarks.{name}")
        section: Section = module.SECTION
        rows = measured(section, quick=given.quick)
        tables.append(_report.table(section, rows))
        results += [result for _, result in rows]
        first |= _first.rows_of(name, rows)
        if folder and hasattr(module, "plot"):
            folder.mkdir(parents=True, exist_ok=True)
            module.plot(rows, folder / "benchmarks.png")
    if first and not given.sections:
        tables.insert(0, _first.table(first))
        if folder:
            _first.plot(first, folder / _first.PICTURE)
    page = _report.page(tables, results)
    written = folder / "benchmarks.md" if folder else None
    if given.sections and written and written.exists():
        page = _report.renewed(written.read_text(encoding="utf-8"), tables)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "benchmarks.md").write_text(page, encoding="utf-8")
    else:
        print("\n" + page)
    print(f"Measured in {time.perf_counter() - began:.0f} s.")


if __name__ == "__main__":
    main()
