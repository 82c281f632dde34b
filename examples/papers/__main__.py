"""All tables and figures of the papers, in full: `make papers`.

python -m examples.papers [--output FOLDER] [--repeats N]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
from examples.papers import (
    attributes,
    categories,
    classifiers,
    data_sets,
    domains,
    dutch_draw_figures,
    dutchdraw_readme,
    expectations,
    extremes,
    forman_scholz,
    forman_scholz_folds,
    forman_scholz_tables,
    open_questions,
    optimal_groups,
    theorem,
)


def main() -> None:
    """Print the tables, and write them and the figures into a folder."""
    parser = argparse.ArgumentParser(description="The papers' tables and figures, anew.")
    parser.add_argument("--output", type=Path, default=Path("build/papers"), help="folder for all of it")
    parser.add_argument("--repeats", type=int, help="simulate cross-validations anew, so often")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    mpl.use("Agg")
    simulated = forman_scholz.estimate_all(options.repeats, 0) if options.repeats else forman_scholz.read()
    groups = optimal_groups.enumerated()
    tables = [
        domains.table(),
        expectations.table(12),
        extremes.table(),
        data_sets.table(),
        dutch_draw_figures.table(),
        classifiers.table(),
        categories.table(),
        attributes.table(),
        theorem.table(10, 2000),
        optimal_groups.table(groups),
        forman_scholz_tables.table(),
        forman_scholz_folds.table(),
        forman_scholz.table(simulated),
        dutchdraw_readme.table(),
        open_questions.table(full=True),
    ]
    text = "\n\n\n".join(tables)
    print(text)
    (options.output / "tables.txt").write_text(f"{text}\n", encoding="utf-8")
    optimal_groups.write(groups, options.output / "optimal_groups.csv")
    figures = dutch_draw_figures.FIGURES | forman_scholz_folds.FIGURES | {"readme": dutchdraw_readme.figure}
    dutch_draw_figures.save(figures, options.output)
    forman_scholz.draw(simulated, options.output)
    print(f"\nTables and figures are in {options.output}.")


if __name__ == "__main__":
    main()
