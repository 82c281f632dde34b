"""Values of options that look like something else."""

import re

import pytest

from clearbar.cli import main
from clearbar.cli._commands import COMMANDS

COMPLETE = {
    "evaluate": ["p.csv", "--y-true=y", "--y-pred=p"],
    "check": ["p.csv", "--y-true=y", "--y-pred=p"],
    "compare": ["p.csv", "--y-true=y", "--y-pred=p", "--y-pred=q"],
    "leaderboard": ["p.csv", "--y-true=y", "--y-pred=p", "--by=g"],
    "baseline": ["--total=100", "--positives=40"],
    "samples": ["--measure=f1", "--prevalence=0.3", "--sensitivity=0.8", "--specificity=0.9"],
    "explain": ["f1"],
}
CASES = [
    (command, option)
    for command in COMPLETE
    for option, facts in COMMANDS[command].options.items()
    if option.startswith("--")
    and facts.get("action") != "store_true"
    and option not in {"--html", "--summary"}
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{n % 2},{n // 2 % 2},{n % 3 % 2},{n % 3}" for n in range(24)]
    (tmp_path / "p.csv").write_text("\n".join(["y,p,q,g", *rows]), "utf-8")
    return tmp_path


@pytest.mark.parametrize(("command", "option"), CASES)
@pytest.mark.parametrize("value", ["--", "\ud800"])
def test_is_no_mistake_of_ours(folder, capsys, command, option, value):
    code = main([command, *COMPLETE[command], f"{option}={value}"])
    said = capsys.readouterr().err
    assert "mistake in clearbar" not in said
    assert code in {0, 1, 2}
    assert bool(said) == (code == 2)


def test_two_dashes_are_a_value(folder, capsys):
    (folder / "d.csv").write_text("y,p\n" + "--,--\n++,++\n" * 20, "utf-8")
    words = ["evaluate", "d.csv", "--y-true=y", "--y-pred=p", "--measure=f1"]
    assert main([*words, "--pos-label=--"]) == 0
    assert "40 samples, 20 positive" in capsys.readouterr().out
    assert main(["baseline", "--total=--", "--positives=3"]) == 2
    assert re.search(r"--total must be a whole number; found '--'\.", capsys.readouterr().err)
    assert main([*words, "--y-pred=--"]) == 2
    assert "no column '--'" in capsys.readouterr().err
    assert (
        main([*words[:1], "--y-true=y", "--y-pred=p", "--measure=f1", "--pos-label=--", "--", "d.csv"]) == 0
    )
