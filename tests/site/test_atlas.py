"""Every line of the bar atlas: as the schema says, with sizes that add up, and the right bars."""

import csv
import json
import math
import re

import numpy as np
import pytest
from examples.papers.data_sets import DATA_SETS
from sklearn import datasets
from tools import atlas

PACKAGE = json.loads((atlas.ATLAS / "schema.json").read_text("utf-8"))["resources"]
SCHEMA = PACKAGE[0]["schema"]


def lines_of(name):
    with (atlas.ATLAS / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


LINES = lines_of("test_sets.csv")
SETS = atlas.read()


@pytest.mark.parametrize("resource", PACKAGE, ids=lambda resource: resource["name"])
def test_lines_are_as_the_schema_says(resource):
    fields = {field["name"]: field for field in resource["schema"]["fields"]}
    for line in lines_of(resource["path"]):
        assert list(line) == list(fields)
        for name, field in fields.items():
            value, rule = line[name], field.get("constraints", {})
            assert value or not rule.get("required"), name
            assert re.fullmatch(rule.get("pattern", ".*"), value), name
            assert value in rule.get("enum", [value]), name
            if value and field["type"] in {"number", "integer"}:
                assert rule.get("minimum", -math.inf) <= float(value) <= rule.get("maximum", math.inf), name


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['name']} {line['part']}")
def test_sizes_are_of_several_classes(line):
    sizes = atlas.class_sizes(line["sizes"])
    assert len(sizes) > 1
    assert bool(line["positive"]) == (len(sizes) == 2), "two classes, and only they, have a positive one"


def test_no_set_stands_twice_and_they_are_in_order():
    keys = [tuple(line[name] for name in SCHEMA["primaryKey"]) for line in LINES]
    assert len(set(keys)) == len(keys) >= 25
    assert keys == sorted(keys, key=lambda key: tuple(part.casefold() for part in key))


@pytest.mark.parametrize(
    "one", [one for one in SETS if one.source.startswith("scikit-learn")], ids=lambda one: one.name
)
def test_sets_that_scikit_learn_ships_are_counted_again(one):
    loader = getattr(datasets, one.source.partition(": ")[2])
    assert one.sizes == tuple(np.bincount(loader().target).tolist())
    assert one.sure == "counted"


def test_the_papers_sets_have_the_papers_sizes():
    own = {one.name: (sum(one.sizes), one.sizes[0]) for one in SETS}
    theirs = DATA_SETS | {"Breast Cancer Wisconsin (Diagnostic)": DATA_SETS["Wisconsin Breast Cancer"]}
    del theirs["Wisconsin Breast Cancer"]
    assert {name: own[name] for name in theirs} == theirs


def test_sizes_that_follow_from_printed_numbers_do():
    own = {one.name: one.sizes for one in SETS}
    assert own["BoolQ"] == (round(0.6217 * 3270), 3270 - round(0.6217 * 3270))
    assert sum(own["IMDB reviews"]) == 25_000
    assert len(set(own["IMDB reviews"])) == 1
    assert sum(own["R-Judge (first version)"]) == 162
    assert (len(own["ImageNet (ILSVRC 2012)"]), sum(own["ImageNet (ILSVRC 2012)"])) == (1000, 50_000)
    assert sum(own["MNIST"]) == sum(own["CIFAR-10"]) == sum(own["CIFAR-100"]) == 10_000


def test_the_bars_are_those_of_the_formulas():
    for one in SETS:
        total, found = sum(one.sizes), atlas.bars(one)
        assert found[0] == pytest.approx(max(one.sizes) / total, rel=1e-12)
        if len(one.sizes) == 2:
            p, n = one.sizes
            harmonic = (1 / np.arange(1, total + 1)).sum()
            random_ranking = (p - 1) / (total - 1) + n * harmonic / (total * (total - 1))
            assert found[1:3] == pytest.approx([2 * p / (p + total), 2 * n / (n + total)], rel=1e-12)
            assert found[3] == pytest.approx(random_ranking, rel=1e-9)
        else:
            assert found[1] >= 2 * max(one.sizes) ** 2 / (total * (total + max(one.sizes))) * (1 - 1e-12)
            assert found[2] == pytest.approx(sum(sorted(one.sizes)[-5:]) / total, rel=1e-12)


def test_every_set_is_in_the_tables_with_its_source():
    told = atlas.tables()
    assert "| BoolQ, validation | 3,270 | 2,033 yes | 0.622 | 0.767 | 0.549 | 0.623 |" in told
    for one in SETS:
        name = one.name if one.part == "all" else f"{one.name}, {one.part}"
        assert told.count(f"| {name} |") == 2, name
