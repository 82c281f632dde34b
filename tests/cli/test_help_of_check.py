"""Help is no verdict."""

import pytest

from clearbar.cli import main

pytestmark = pytest.mark.quick


def test_help_alone_is_no_mistake(capsys):
    assert main(["check", "--help"]) == 0
    assert "usage: clearbar check" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--y-true=y", "--help"], ["p.csv", "-h"], ["--help", "--nonsense"]])
def test_help_among_arguments_does_not_pass(words, capsys):
    assert main(["check", *words]) == 2
    found = capsys.readouterr()
    assert found.err == "clearbar: --help judges no model, so that this check fails; leave it out.\n"
    assert main(["evaluate", *words]) == 0, "no gate"
