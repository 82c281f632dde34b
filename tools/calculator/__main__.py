"""Build the calculator as one file: `make calculator`.

python -m tools.calculator [--output FILE]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.calculator.page import page

FILE = Path(__file__).parents[2] / "build" / "calculator.html"


def main(words: list[str] | None = None) -> None:
    """Write the page and say where it is."""
    parser = argparse.ArgumentParser(description="Build the calculator as one file.")
    parser.add_argument("--output", type=Path, default=FILE, help="the file")
    output = parser.parse_args(words).output
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(page(), encoding="utf-8")
    print(f"{output}: {output.stat().st_size:,} bytes, works without a network")


if __name__ == "__main__":
    main()
