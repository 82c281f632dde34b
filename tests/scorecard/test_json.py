"""What the commands print as JSON is what docs/schema.json says, field by field."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import clearbar as cb
from clearbar.cli import _commands as cli
from clearbar.cli import main
from clearbar.scorecard._columns import COLUMNS

pytestmark = pytest.mark.quick

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "schema.json").read_text("utf-8"))
KNOWN = SCHEMA["$defs"]
PAGE = (DOCS / "json.md").read_text("utf-8")

KINDS = {"string": str, "object": dict, "array": list, "boolean": bool, "null": type(None)}
WORDS = {"type", "required", "properties", "items", "enum", "const", "$ref", "anyOf", "description",
         "additionalProperties"}  # fmt: skip


def is_a(kind, value):
    if kind in {"number", "integer"}:
        return isinstance(value, (int, float) if kind == "number" else int) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def wrong(schema, value, at="document"):
    """Say where a value is not what a schema asks for, of the words of JSON Schema that ours uses."""
    assert set(schema) <= WORDS, "a word of JSON Schema that this test does not know"
    if "$ref" in schema:
        return wrong(KNOWN[schema["$ref"].removeprefix("#/$defs/")], value, at)
    kinds = schema.get("type", [])
    if kinds and not any(is_a(kind, value) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return [f"{at} is {value!r}, not {kinds}"]
    found = [f"{at} is {value!r}"] * ("enum" in schema and value not in schema["enum"])
    found += [f"{at} is {value!r}"] * ("const" in schema and value != schema["const"])
    if "anyOf" in schema and all(wrong(one, value, at) for one in schema["anyOf"]):
        found.append(f"{at} is none of those that may be")
    if isinstance(value, list) and "items" in schema:
        found += [line for n, one in enumerate(value) for line in wrong(schema["items"], one, f"{at}[{n}]")]
    if isinstance(value, dict):
        found += [f"{at} lacks {name}" for name in schema.get("required", []) if name not in value]
        known = schema.get("properties", {})
        for name, one in value.items():
            other = schema.get("additionalProperties")
            if name in known:
                found += wrong(known[name], one, f"{at}.{name}")
            elif other is not None:
                found += wrong(other, one, f"{at}.{name}")
            elif known and "anyOf" not in schema:
                found.append(f"the schema does not know {at}.{name}")
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("json")
    rng = np.random.default_rng(1)
    labels = (rng.random(120) < 0.4).astype(int)
    tree, coin = labels ^ (rng.random(120) < 0.2), rng.integers(0, 2, 120)
    lands = ["de", "fr"] * 60
    rows = zip(labels.tolist(), tree.tolist(), coin.tolist(), labels.tolist(), lands, strict=True)
    tasks = [(m, t, n, n % 3, n % 3 if n % 5 else 0) for m in "ab" for t in "xy" for n in range(15)]
    for name, head, lines in (
        ("p.csv", ("y", "tree", "coin", "sure", "land"), rows),
        ("t.csv", ("model", "task", "item", "gold", "said"), tasks),
    ):
        with (place / name).open("w", newline="") as file:
            csv.writer(file).writerows([head, *lines])
    items = [{"query": "Which?", "choices": ["a", "b", "c"], "gold": n % 2} for n in range(20)]
    (place / "rooms.jsonl").write_text("\n".join(map(json.dumps, items)), "utf-8")
    return place


MODELS = ("p.csv", "--y-true", "y", "--y-pred", "tree", "coin")
BAR = ("baseline", "--total=30", "--positives=9")
LOGS = ("leaderboard", "t.csv", "--y-true=gold", "--y-pred=said", "--model=model", "--by=task")
RATES = ("--prevalence=0.5", "--sensitivity=0.95", "--specificity=0.95")
COMMANDS = {
    "evaluate": ("scorecard", ("evaluate", *MODELS, "--by", "land", "--measure", "f1", "recall")),
    "slices": ("scorecard", ("evaluate", *MODELS, "--by", "land", "--slices", "--measure", "mcc")),
    "check": ("scorecard", ("check", *MODELS, "--measure", "f1", "mcc")),
    "leaderboard": ("scorecard", LOGS),
    "baseline": ("baseline", (*BAR, "--measure=all")),
    "score": ("baseline", (*BAR, "--measure=f1", "--score=0.7")),
    "compare": ("compare", ("compare", *MODELS, "--measure", "f1")),
    "ranking": ("compare", ("compare", *MODELS, "sure", "--measure", "f1")),
    "judge": ("scorecard", ("judge", "--tp=14", "--fp=3", "--fn=4", "--tn=10")),
    "judge of a score": (
        "baseline",
        ("judge", "--total=30", "--positives=9", "--measure=f1", "--score=0.7"),
    ),
    "rate": ("scorecard", ("rate", "83/100", "--bar=0.25")),
    "tasks": ("tasks", ("tasks", "rooms.jsonl")),
    "samples": ("samples", ("samples", "--measure=mcc", *RATES)),
    "measures": ("measures", ("measures",)),
    "possible": ("possible", ("possible", "--total=30", "--positives=9", "--score", "accuracy=0.9")),
    "possible of classes": (
        "possible_classes",
        ("possible", "--class-sizes", "90", "5", "5", "--score", "accuracy=0.95"),
    ),
    "claim": ("claim", ("claim", "--total=100", "0.90", "0.80")),
    "claims": ("claims", ("claim", "--total=100", "a=0.90", "b=0.80", "c=0.70")),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_documents_of_the_commands(command, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    kind, words = COMMANDS[command]
    assert main([*words, "--json"]) in {0, 1}
    document = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert wrong(KNOWN[kind], document) == []
    assert wrong({"anyOf": SCHEMA["anyOf"]}, document) == []
    if kind != "measures":
        assert (document["clearbar"], document["schema"]) == (cb.__version__, 2)


CARDS = {
    "runs": lambda: cb.evaluate([1, 0] * 10, np.array([[1, 0] * 10, [1, 1] * 10]), ["f1", "dor"]),
    "many classes": lambda: cb.evaluate(["a", "b", "c"] * 5, ["a", "b", "b"] * 5),
    "scores": lambda: cb.evaluate([1, 0] * 8, np.linspace(0, 1, 16), "roc_auc"),
    "numbers": lambda: cb.evaluate(np.linspace(0, 1, 16), np.linspace(0, 1, 16) ** 2, "mse"),
    "no value": lambda: cb.evaluate([0] * 8, [0] * 8, ["f1", "mcc"]),
}


@pytest.mark.parametrize("what", CARDS)
def test_scorecards_of_every_kind(what):
    document = json.loads(CARDS[what]().to_json(), parse_constant=pytest.fail)
    assert wrong(KNOWN["scorecard"], document) == []


def test_every_command_that_prints_json_is_tried():
    assert {words[0] for _, words in COMMANDS.values()} == {
        name for name, command in cli.COMMANDS.items() if "--json" in command.options
    }
    for name in {words[0] for _, words in COMMANDS.values()}:
        assert f"`{name}`" in PAGE, name


def test_what_the_schema_does_not_allow_is_found():
    """The test above can fail: a field of another type, one that is gone, and one that nobody wrote down."""
    document = json.loads(CARDS["runs"]().to_json())
    row = document["rows"][0]
    for change, says in (
        ({"score": "0.9"}, "is '0.9'"),
        ({"outcome": "wins"}, "is 'wins'"),
        ({"new": 1}, "does not know document.rows[0].new"),
    ):
        (line,) = wrong(KNOWN["scorecard"], {**document, "rows": [{**row, **change}]})
        assert says in line
    del row["sure"]
    assert wrong(KNOWN["scorecard"], document) == ["document.rows[0] lacks sure"]
    assert wrong(KNOWN["scorecard"], {**document, "schema": 1, "rows": []}) == ["document.schema is 1"]


def test_the_page_and_the_schema_name_every_column():
    columns = {column.name for column in COLUMNS if column.kind is not None} | {"bar"}
    assert columns <= set(KNOWN["row"]["properties"])
    table = PAGE.partition("| field |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) >= set(KNOWN["row"]["properties"])


def test_the_example_in_r(tmp_path):
    """It runs where R and jsonlite are; elsewhere what it calls and reads is there."""
    code, shown = re.search(r"```r\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL).groups()
    rscript = shutil.which("Rscript")
    load = [rscript, "-e", "library(jsonlite)"]
    if rscript and not subprocess.run(load, capture_output=True, check=False).returncode:
        program = tmp_path / "clearbar"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m clearbar "$@"\n')
        program.chmod(0o755)
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        run = subprocess.run([rscript, "-e", code], cwd=tmp_path, env={**os.environ, "PATH": path},
                             capture_output=True, text=True, check=True)  # fmt: skip
        assert run.stdout == shown
    card = cb.evaluate([1, 0] * 40, [1, 0] * 36 + [0, 1] * 4, "f1")
    row = json.loads(card.to_json())["rows"][0]
    assert "tree: F1 {score:.3f}, bar {bar:.3f}, skill {skill:.2f}, {outcome}\n".format(**row) == shown
    assert set(re.findall(r"row\$(\w+)", code)) <= set(row)
