"""Progress is shown on a terminal, for work that takes long, once."""

import io
import sys
from contextlib import redirect_stderr

import pytest

from clearbar.core import _progress
from clearbar.core._progress import tracked

pytestmark = pytest.mark.quick


class Terminal(io.StringIO):
    """A screen that keeps what was written on it."""

    def isatty(self):
        return True


@pytest.fixture
def _impatient(monkeypatch):
    """Let every bar appear after the first part of the work."""
    monkeypatch.setattr(_progress, "DELAY", -1.0)


def shown(work, stream=None):
    """Return what some work writes on a terminal."""
    stream = Terminal() if stream is None else stream
    with redirect_stderr(stream):
        work()
    return stream.getvalue()


@pytest.mark.usefixtures("_impatient")
def test_a_bar_shows_how_far_the_work_has_come():
    found = shown(lambda: list(tracked([3, 4, 5], 12, int, "apples")))
    assert "3/12" in found
    assert "apples" in found
    assert found.endswith("\r")  # it is wiped away in the end


@pytest.mark.usefixtures("_impatient")
def test_work_within_work_shows_no_bar_of_its_own():
    def work():
        for _ in tracked([1, 1], 2, int, "pears"):
            assert list(tracked([1, 1, 1], 3, int, "pips")) == [1, 1, 1]

    found = shown(work)
    assert "pears" in found
    assert "pips" not in found


@pytest.mark.usefixtures("_impatient")
def test_after_a_failure_the_next_bar_is_shown():
    def broken():
        yield 1
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        shown(lambda: list(tracked(broken(), 2, int, "apples")))
    assert "plums" in shown(lambda: list(tracked([1, 1], 2, int, "plums")))


def apples():
    assert list(tracked([1, 1], 2, int, "apples")) == [1, 1]


def test_nothing_is_shown_of_short_work_off_a_terminal_or_without_tqdm(monkeypatch):
    assert shown(apples) == ""
    monkeypatch.setattr(_progress, "DELAY", -1.0)
    assert shown(apples, io.StringIO()) == ""
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert shown(apples) == ""
    monkeypatch.setattr(sys, "stderr", None)
    apples()
