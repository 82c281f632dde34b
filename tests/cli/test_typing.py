"""What is typed: help, and one line with the next thing to type where it is no command."""

import pytest

from clearbar import __version__
from clearbar.cli import main

COMMANDS = (
    "measures",
    "explain",
    "baseline",
    "evaluate",
    "check",
    "compare",
    "leaderboard",
    "samples",
    "demo",
    "completion",
)
SIZES = ("--total", 303, "--positives", 139)


def test_version(run):
    assert run("--version") == (0, f"clearbar {__version__}\n", "")


def test_help_lists_every_command_with_examples(run):
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert all(f"    {command}" in out for command in COMMANDS)
    assert "clearbar demo" in out
    assert out.isascii()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_an_example_that_is_a_command(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert out.startswith(f"usage: clearbar {command}")
    assert f"\n  clearbar {command}" in out.partition("examples:")[2]
    assert out.isascii()
    assert max(map(len, out.splitlines()[1:])) <= 110


def test_no_command(refused):
    everything = (
        "measures, explain, baseline, evaluate, "
        "check, compare, leaderboard, samples, demo or completion. See clearbar --help."
    )
    assert refused() == f"name a command: {everything}"
    assert refused("-x") == f"there is no option -x; name a command: {everything}"


def test_unknown_command_or_option_names_the_nearest(refused):
    assert refused("evaluat", "f.csv") == "there is no command 'evaluat'. Did you mean clearbar evaluate?"
    assert refused("zzz").startswith("there is no command 'zzz'. There are measures, explain,")
    assert refused("measures", "--cvs") == "measures has no option --cvs. Did you mean --csv?"
    assert refused("measures", "--jsn") == "measures has no option --jsn. Did you mean --json?"
    assert refused("measures", "--zzzzzz") == "measures has no option --zzzzzz. See clearbar measures --help."
    assert refused("check", "f.csv", "--ytrue=y") == "check has no option --ytrue. Did you mean --y-true?"
    assert refused("demo", "x") == "demo does not know what to do with 'x'; see clearbar demo --help."
    # An abbreviation that works today would break when an option is added.
    assert "no option --tot" in refused("baseline", *SIZES, "--tot", 3)


def test_suggestions_begin_with_what_was_typed_or_look_like_it_or_are_not_made(refused):
    assert refused("eval", "f.csv") == "there is no command 'eval'. Did you mean clearbar evaluate?"
    assert "Did you mean 'precision'" in refused("explain", "prec")
    assert "Did you mean 'kappa'?" in refused("explain", "kapa")
    assert "Did you mean" not in refused("explain", "bogus"), "it is not near logloss"


def test_values_that_are_missing_or_wrong(refused):
    assert refused("explain") == "the following arguments are required: MEASURE"
    assert refused("baseline") == "the following arguments are required: --total, --positives"
    assert refused("check", "f.csv", "--y-true") == "--y-true expected one argument"
    found = refused("evaluate", "f.csv", "--nulls", "keep")
    assert found.startswith("--nulls invalid choice: 'keep' (choose from ")
    assert refused("evaluate", "f.csv", "--p-values", "none").startswith("evaluate has no option --p-values.")


@pytest.mark.parametrize(
    ("option", "value", "rule"),
    [
        ("--total", "x", "a whole number"),
        ("--total", "3.5", "a whole number"),
        ("--score", "nan", "a number"),
        ("--score", "high", "a number"),
        ("--score", "0.7.2", "a number"),
        ("--alpha", "2", "a probability greater than 0 and at most 1"),
        ("--alpha", "0", "a probability greater than 0 and at most 1"),
        ("--undefined", "inf", "exclude, worst or a number"),
        ("--undefined", "best", "exclude, worst or a number"),
    ],
)
def test_numbers_that_are_none(refused, option, value, rule):
    assert refused("baseline", *SIZES, option, value) == f"{option} must be {rule}; found {value!r}."


def test_a_confidence_level_that_is_none(refused):
    found = refused("evaluate", "f.csv", "--confidence-level", "95")
    assert found == "--confidence-level must be a number above 0 and at most 0.9999; found '95'."


def test_an_interrupt_is_quiet(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("clearbar.evaluation.evaluate", interrupted)
    assert main(["demo"]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_mistake_of_ours_says_how_to_see_the_traceback(monkeypatch, run):
    def broken(*_):
        raise ZeroDivisionError("oh\nno")

    monkeypatch.setattr("clearbar.evaluation.evaluate", broken)
    monkeypatch.delenv("CLEARBAR_DEBUG", raising=False)
    code, out, err = run("demo")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("clearbar: unexpected ZeroDivisionError: oh\\nno. This is a mistake in clearbar")
    monkeypatch.setenv("CLEARBAR_DEBUG", "1")
    code, _, err = run("demo")
    assert code == 2
    assert "Traceback" in err


def test_no_memory_is_no_mistake_of_ours(monkeypatch, refused):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr("clearbar.evaluation.evaluate", full)
    assert refused("demo") == "there is not enough memory for this."
