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


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.quick if line["quick"] else pytest.mark.slow)
        for name, line in PINNED.items()
    ],
)
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
