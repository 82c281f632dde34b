"""Every snippet of the README runs and prints what stands below it."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from clearbar.cli import main

README = Path(__file__).parent.parent / "README.md"
FOLDS = README.parent / "docs" / "folds.md"
VERDICT = README.parent / "docs" / "verdict.md"
SKLEARN = README.parent / "docs" / "scikit_learn.md"
TABLES = README.parent / "docs" / "tables.md"
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: Path = README) -> list[tuple[str, str]]:
    return [(match["kind"], match["text"]) for match in BLOCK.finditer(page.read_text("utf-8"))]


def with_output(page: Path = README) -> list[tuple[str, str, str]]:
    """Each snippet with the ``text`` block that follows it, if one does."""
    found = blocks(page)
    after = [*found[1:], ("", "")]
    return [
        (kind, code, out if what == "text" else "")
        for (kind, code), (what, out) in zip(found, after, strict=True)
        if kind in {"python", "console"}
    ]


def printed(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


@pytest.mark.parametrize("page", [README, FOLDS, TABLES, VERDICT, SKLEARN], ids=lambda page: page.name)
def test_python_snippets_print_what_the_page_shows(page: Path) -> None:
    names: dict[str, object] = {}
    shown = [(code, out) for kind, code, out in with_output(page) if kind == "python"]
    assert len(shown) >= {TABLES: 2, VERDICT: 1}.get(page, 4)
    for code, out in shown:
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            exec(compile(code, page.name, "exec"), names)  # noqa: S102 - they are ours
        assert printed(stream.getvalue()) == printed(out), code


def test_commands_print_what_the_readme_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "110")
    commands = [(code, out) for kind, code, out in with_output() if kind == "console"]
    assert len(commands) >= 3
    for code, out in commands:
        command = code.strip().removeprefix("$ ").replace("\\\n", " ")
        program, *arguments = shlex.split(command)
        if program != "clearbar":
            continue
        main(arguments)
        assert printed(capsys.readouterr().out) == printed(out), command


def test_the_commands_of_a_stranger_are_those_of_the_makefile() -> None:
    targets = (README.parent / "Makefile").read_text("utf-8")
    for kind, code, _ in with_output():
        if kind == "console" and "make " in code:
            for target in re.findall(r"make (\w+)", code):
                assert f"\n{target}:" in targets, target


def test_no_page_installs_from_an_index_what_none_has():
    first = next(code for kind, code in blocks() if kind == "console")
    assert first.startswith("$ pip install . ")
    for page in (README, *sorted((README.parent / "docs").glob("*.md"))):
        text = page.read_text("utf-8")
        assert not re.search(r"pip install clearbar|\$ pip install '?clearbar", text), page.name
