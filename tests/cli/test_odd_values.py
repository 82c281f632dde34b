"""Values of options that look like something else, and names that are long."""

import re

import pytest

from clearbar.cli import main
from clearbar.cli._commands import COMMANDS

LONG = "x" * 10_000
TABLE = ["p.csv", "--y-true=y", "--y-pred=p"]
COMPLETE = {
    "evaluate": TABLE,
    "check": TABLE,
    "compare": [*TABLE, "--y-pred=q"],
    "leaderboard": [*TABLE, "--by=g"],
    "baseline": ["--total=100", "--positives=40"],
    "samples": ["--measure=f1", "--prevalence=0.5", "--sensitivity=0.95", "--specificity=0.95"],
    "explain": ["f1"],
}
CASES = [
    (command, option)
    for command in COMPLETE
    for option, facts in COMMANDS[command].options.items()
    if option.startswith("--") and facts.get("action") != "store_true"
    if option not in {"--html", "--summary"}
]
"""Every option of every command; each with one of the two values."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{n % 2},{n // 2 % 2},{n % 3 % 2},{n % 3}" for n in range(24)]
    (tmp_path / "p.csv").write_text("\n".join(["y,p,q,g", *rows]), "utf-8")
    (tmp_path / "d.csv").write_text("y,p\n" + "--,--\n++,++\n" * 20, "utf-8")
    (tmp_path / "long.csv").write_text(f"{LONG},y,p\n1,1,0\n0,1,1\n1,0,0\n0,0,1\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "option", "value"), [(*case, ("--", "\ud800")[at % 2]) for at, case in enumerate(CASES)]
)
def test_is_no_mistake_of_ours(folder, capsys, command, option, value):
    code = main([command, *COMPLETE[command], f"{option}={value}"])
    said = capsys.readouterr().err
    assert "mistake in clearbar" not in said
    assert code in {0, 1, 2}
    assert bool(said) == (code == 2)


def test_two_dashes_are_a_value(folder, run, refused):
    words = ["--y-true=y", "--y-pred=p", "--measure=f1", "--pos-label=--"]
    code, out, _ = run("evaluate", "d.csv", *words)
    assert (code, "40 samples, 20 " in out) == (0, True)
    assert run("evaluate", *words, "--", "d.csv")[0] == 0
    assert refused("baseline", "--total=--", "--positives=3") == "--total must be a whole number; found '--'."
    assert re.search("no column '--'", refused("evaluate", "d.csv", *words, "--y-pred=--"))


@pytest.mark.parametrize(
    "words",
    [
        ("--y-true", "y", "--y-pred", "q"),
        ("--y-true", LONG[:-1], "--y-pred", "p"),
        ("--y-true", "y"),
        ("--y-true", LONG, "--y-pred", LONG),
        ("--y-true", "y", "--y-pred", LONG, "--pos-label", "7"),
        ("--y-true", "y", "--y-pred", "p", "--by", LONG * 2),
    ],
    ids=["pred", "near", "no pred", "same", "label", "by"],
)
def test_messages_shorten_long_names(folder, refused, words):
    assert len(refused("check", "long.csv", *words)) < 500
