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
    expectations,
    forman_scholz,
    forman_scholz_tables,
    open_questions,
    theorem,
)
from matplotlib import pyplot as plt


def main() -> None:
    """Print the tables, and write them and the figures into a folder."""
    parser = argparse.ArgumentParser(description="The papers' tables and figures, anew.")
    parser.add_argument("--output", type=Path, default=Path("build/papers"), help="folder for all of it")
    parser.add_argument("--repeats", type=int, default=100_000, help="of the simulated cross-validations")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    tables = [
        domains.table(),
        expectations.table(12),
        data_sets.table(),
        classifiers.table(),
        categories.table(1000, 50),
        attributes.table(),
        theorem.table(10, 2000),
        forman_scholz_tables.table(),
        open_questions.table(full=True),
    ]
    text = "\n\n\n".join(tables)
    print(text)
    (options.output / "tables.txt").write_text(f"{text}\n", encoding="utf-8")
    mpl.use("Agg")
    for name, figure in (
        ("statistica_neerlandica_figure_1", dutch_draw_figures.figure_1()),
        ("journal_figure_2", dutch_draw_figures.figure_2()),
    ):
        figure.savefig(options.output / f"{name}.png", dpi=200)
        plt.close(figure)
    forman_scholz.draw(options.repeats, 0, options.output)
    print(f"\nTables and figures are in {options.output}.")


if __name__ == "__main__":
    main()
