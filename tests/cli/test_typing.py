"""What is typed: help, and one line with the next thing to type where it is no command."""

import re

import pytest

from clearbar import __version__
from clearbar.cli import main
from clearbar.cli._commands import COMMANDS

SIZES = "baseline --total 303 --positives 139"
ALL = f"name a command: {', '.join(list(COMMANDS)[:-1])} or"


def test_version(run):
    assert run("--version") == (0, f"clearbar {__version__}\n", "")


def test_help_lists_every_command(run):
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert all(f"    {command}" in out for command in COMMANDS)
    assert out.isascii()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_an_example_that_is_a_command(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert out.startswith(f"usage: clearbar {command}")
    assert f"\n  clearbar {command}" in out.partition("examples:")[2]
    assert out.isascii()
    assert max(map(len, out.splitlines()[1:])) <= 110


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", f"{ALL} completion. See clearbar --help."),
        ("evaluat f.csv", "there is no command 'evaluat'. Did you mean clearbar evaluate?"),
        ("zzz", "there is no command 'zzz'. There are measures, explain,"),
        ("measures --cvs", "measures has no option --cvs. Did you mean --csv?"),
        ("check f.csv --ytrue=y", "check has no option --ytrue. Did you mean --y-true?"),
        (f"{SIZES} --tot 3", "no option --tot"),  # an abbreviation would break when an option is added
        ("explain kapa", "Did you mean 'kappa'?"),
        ("explain", "the following arguments are required: MEASURE"),
        ("evaluate f.csv --nulls keep", "--nulls invalid choice: 'keep' (choose from "),
        (f"{SIZES} --total x", "--total must be a whole number; found 'x'."),
        (f"{SIZES} --score 0.7.2", "--score must be a number; found '0.7.2'."),
        ("evaluate f.csv --confidence-level 95",
         "--confidence-level must be a number above 0 and at most 0.9999; found '95'."),
    ],
)  # fmt: skip
def test_what_is_no_command_is_met_with_the_next_thing_to_type(refused, words, said):
    assert said in refused(*words.split())


def test_what_is_near_nothing_is_met_with_no_guess(refused):
    assert "Did you mean" not in refused("explain", "bogus"), "it is not near logloss"


@pytest.fixture
def demo_raises(monkeypatch):
    monkeypatch.delenv("CLEARBAR_DEBUG", raising=False)

    def demo_raises(error):
        def raises(*_):
            raise error

        monkeypatch.setattr("clearbar.evaluation.labels.evaluate", raises)

    return demo_raises


def test_an_interrupt_is_quiet(demo_raises, capsys):
    demo_raises(KeyboardInterrupt)
    assert main(["demo"]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_mistake_of_ours_says_how_to_see_the_traceback(demo_raises, monkeypatch, run, refused):
    demo_raises(ZeroDivisionError("oh\nno"))
    said = "unexpected ZeroDivisionError: oh\\nno. This is a mistake in clearbar"
    assert refused("demo").startswith(said)
    monkeypatch.setenv("CLEARBAR_DEBUG", "1")
    code, _, err = run("demo")
    assert (code, bool(re.match("Traceback", err))) == (2, True)


def test_no_memory_is_no_mistake_of_ours(demo_raises, refused):
    demo_raises(MemoryError)
    assert refused("demo") == "there is not enough memory for this."
