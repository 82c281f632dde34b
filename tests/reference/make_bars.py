"""Make bars_100_10.json: every bar at 10 positives of 100, by trying every k in exact numbers.

Run from the root as ``python -m tests.reference.make_bars``. The table is the last column of the design's
list of measures, to four digits; an earlier prototype had made it with floats.
"""

import json
from pathlib import Path

from tests.oracle.bars import optimum
from tests.oracle.formulas import MEASURES, NAMES


def runs(draws):
    """Return ascending numbers as [first, last] pairs."""
    found = []
    for k in draws:
        if found and found[-1][1] == k - 1:
            found[-1][1] = k
        else:
            found.append([k, k])
    return found


def row(name):
    largest = MEASURES[name].greater_is_better is not False
    value, draws = optimum(name, 100, 10, "exclude", largest=largest)
    return [None if value is None else f"{float(value):.4g}", runs(draws)]


def main():
    lines = [f" {json.dumps(name)}: {json.dumps(row(name))}" for name in NAMES]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    Path(__file__).with_name("bars_100_10.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
