"""A terminal for tests: tmux, whose screen is read cell by cell."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import clearbar

SOURCE = str(Path(clearbar.__file__).parent.parent)


@contextlib.contextmanager
def terminal(command, width, height=1500, env=None):
    """Start a command in a terminal of some columns; what is yielded asks tmux."""
    tmux = shutil.which("tmux") or pytest.skip("tmux is not installed")
    name = f"clearbar-{os.getpid()}-{time.monotonic_ns()}"
    # tmux starts the command in the user's shell, which may be one that starts nothing.
    environment = {**os.environ, "SHELL": "/bin/sh", "PYTHONPATH": SOURCE, "LC_ALL": "C.UTF-8", **(env or {})}
    for variable in ("NO_COLOR", "COLUMNS", "LINES"):  # the terminal's own size counts
        environment.pop(variable, None)

    def ask(*words):
        found = subprocess.run(
            [tmux, "-u", "-L", name, "-f", os.devnull, *words],
            env=environment, capture_output=True, text=True, encoding="utf-8", check=True, timeout=60,
        )  # fmt: skip
        return found.stdout

    ask("new-session", "-d", "-x", str(width), "-y", str(height), command)
    try:
        yield ask
    finally:
        ask("kill-server")


def screen(ask, *flags):
    """Return the lines on the screen; with ``-J`` those that a line break of the terminal parts are one."""
    return ask("capture-pane", "-p", *flags).rstrip("\n").split("\n")


def seen(ask, text, seconds=30):
    """Wait until a text stands on the screen, and return its lines."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        lines = screen(ask)
        if any(text in line for line in lines):
            return lines
        time.sleep(0.1)
    raise AssertionError(f"{text!r} is not on the screen:\n" + "\n".join(lines))


def program(folder):
    """Make a folder in which `clearbar` is a program, and return it."""
    folder.mkdir()
    script = folder / "clearbar"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m clearbar "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return folder
