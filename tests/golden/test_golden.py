"""Numbers and codes of some 400 cards are what they were, within the contract: tests/golden/cards.jsonl.

`python -m tests.golden.make CASE ...` pins some anew, which only a change that means to move them may do. A
"-" is a number that is not pinned: an end of an interval that rests on whether 2.4 or 2.6 % of resamples
lack a class.
"""

import json
import pathlib

import pytest
from tests.golden.cases import every_case, frozen_measures
from tests.golden.close import differences

LINES = (pathlib.Path(__file__).parent / "cards.jsonl").read_text("utf-8").splitlines()
PINNED = {line["case"]: line for line in map(json.loads, LINES[1:])}
LONG = (
    "bars/100000", "best-of/many", "classes/even/by", "classes/even/fill", "classes/even/labels",
    "classes/even/models", "classes/even/one-answer", "classes/even/plain/1", "classes/many",
    "classes/matrix", "classes/rare", "compare/even/classes", "compare/many", "counts/large", "counts/middle",
    "counts/no-errors", "counts/skewed", "counts/small/2", "counts/small/3", "folds/classes/pooled",
    "folds/even/pooled/one/1", "folds/even/pooled/one/2", "labels/even/by", "labels/even/models",
    "labels/even/plain/1", "labels/even/plain/2", "labels/even/plain/3", "labels/even/tries", "labels/many",
    "labels/rare/given", "labels/rare/worst", "numbers/even/models", "numbers/many", "ranking/many",
    "samples-needed", "scores/many", "tables/files/jsonl", "tables/files/parquet", "tables/many",
)  # fmt: skip
"""What takes more than a second or two."""

CASES = {case.name: case for case in every_case(frozen_measures())}


def rows_of(line):
    """Pinned rows, and the spreads over seeds beside each."""
    keys = line["key"]
    whole = {name: held if isinstance(held, list) else [held] * len(keys) for name, held in line.items()}
    rows = [
        {name: held[at] for name, held in whole.items() if name not in {"case", "quick"} and held[at] != "-"}
        for at in range(len(keys))
    ]
    return (
        [{name: value for name, value in row.items() if not name.startswith("±")} for row in rows],
        [{name[1:]: value for name, value in row.items() if name.startswith("±")} for row in rows],
    )


def test_every_case_is_pinned():
    assert list(PINNED) == list(CASES)


def marked(name, line):
    """A case in its layer."""
    marks = [pytest.mark.quick] * line["quick"] + [pytest.mark.slow] * name.startswith(LONG)
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [marked(name, line) for name, line in PINNED.items()])
def test_numbers_and_codes_are_those_pinned(name):
    old, spreads = rows_of(PINNED[name])
    moved = differences(name, old, CASES[name].rows(0), spreads)
    assert not moved, "\n".join([f"{len(moved)} moved:", *moved[:12]])


def test_what_moves_further_than_it_may_is_named():
    old, spreads = rows_of(PINNED["labels/even/plain/0"])
    new = [dict(row) for row in old]
    new[3] |= {"bar": old[3]["bar"] + 1e-7, "outcome": "wins", "p_value": old[3]["p_value"] + 9e-6}
    moved = differences("a card", old, new, spreads)
    assert [sentence.split(" · ")[1] for sentence in moved] == [old[3]["key"]] * 2
    assert ["bar: was" in moved[0], "outcome: was" in moved[1]] == [True, True]
