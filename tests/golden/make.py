"""Pin cards anew: python -m tests.golden.make CASE ..., where numbers are meant to move, and argued.

Three seeds tell which numbers are drawn, and how far chance moves them.
"""

import json
import math
import pathlib
import sys

from tests.golden.cases import every_case, frozen_measures

HERE = pathlib.Path(__file__).parent
SEEDS = 3


def shortened(value, spread):
    """A number to the digits that are held, fewer where it is drawn."""
    if isinstance(value, float):
        return None if not math.isfinite(value) else float(f"{value:.{7 if spread else 14}g}")
    return value.item() if hasattr(value, "item") else value


def pinned(case):
    """One line: columns of values, and of spreads over seeds where there are any."""
    runs = [case.rows(0)]
    runs += [case.rows(seed) for seed in range(1, SEEDS)] if repeats(case, runs[0]) else []
    columns = {}
    for name in dict.fromkeys(name for row in runs[0] for name in row):
        spreads = [spread(name, [run[at] for run in runs]) for at in range(len(runs[0]))]
        values = [shortened(row.get(name, "-"), wide) for row, wide in zip(runs[0], spreads, strict=True)]
        columns[name] = values[0] if len(set(map(repr, values))) == 1 and name != "key" else values
        if any(spreads):
            columns[f"±{name}"] = [float(f"{wide:.2g}") for wide in spreads]
    return {"case": case.name, "quick": case.quick, **columns}


def repeats(case, first):
    """Whether another seed may give anything else."""
    drawn = any(row.get("p_draws") or row.get("p_blind_draws") for row in first)
    return drawn or case.name.startswith(("compare/", "ranking/", "best-of/", "power/", "samples-needed"))


def spread(name, rows):
    """Standard deviation over seeds of a number of a row; 0 where it is the same but for rounding."""
    found = [row.get(name) for row in rows]
    if any(isinstance(value, bool) or not isinstance(value, float | int) for value in found):
        return 0.0
    if len(found) == 1 or not all(map(math.isfinite, found)):
        return 0.0
    mean = sum(found) / len(found)
    if max(found) - min(found) <= 1e-12 * max(1.0, abs(mean)):
        return 0.0
    return math.sqrt(sum((value - mean) ** 2 for value in found) / (len(found) - 1))


def main(names):
    held = dict.fromkeys(names)
    for case in every_case(frozen_measures()):
        if case.name in held:
            held[case.name] = json.dumps(pinned(case), ensure_ascii=False, separators=(",", ":"))
    unknown = [name for name, line in held.items() if line is None]
    if unknown:
        sys.exit(f"no such case: {', '.join(unknown)}")
    first, *lines = (HERE / "cards.jsonl").read_text("utf-8").splitlines()
    lines = [held.get(json.loads(line)["case"], line) for line in lines]
    (HERE / "cards.jsonl").write_text("\n".join([first, *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
