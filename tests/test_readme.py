"""Every snippet of the README and of the pages in docs runs and prints what stands below it."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from clearbar.cli import main

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]

WHOLE = re.compile(r"\d+\.\d{13,}(?:e[+-]\d+)?")
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(match["kind"], match["text"]) for match in BLOCK.finditer(page.read_text("utf-8"))]


def snippets(page: Path) -> list[tuple[str, str, str]]:
    """Each snippet with the ``text`` block that follows it, if one does."""
    found = blocks(page)
    return [
        (kind, code, out if what == "text" else "")
        for (kind, code), (what, out) in pairwise([*found, ("", "")])
        if kind in {"python", "console"}
    ]


def printed(text: str) -> list[str]:
    """The lines, with twelve digits of numbers that are written whole: the last ones are the processor's."""
    short = WHOLE.sub(lambda match: f"{float(match[0]):.12g}", text.rstrip())
    return [line.rstrip() for line in short.splitlines()]


def run_commands(text: str) -> None:
    """Run the commands that call clearbar; one may go on in the next line."""
    for line in text.replace("\\\n", " ").splitlines():
        program, *arguments = shlex.split(line.removeprefix("$ "), comments=True)
        if program == "clearbar":
            main(arguments)


@pytest.mark.parametrize("page", [page for page in PAGES if snippets(page)], ids=lambda page: page.name)
def test_snippets_run_as_they_stand_and_print_what_the_page_shows(
    page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").symlink_to(ROOT / "tests")  # pages read logs that a checkout holds
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, object] = {}
    for kind, code, out in snippets(page):
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            if kind == "console":
                run_commands(code)
            else:
                exec(compile(code, page.name, "exec"), names)  # noqa: S102 - they are ours
        assert printed(stream.getvalue()) == printed(out), code
    plt.close("all")


def test_the_readme_is_short_and_what_it_shows_fits_a_terminal() -> None:
    text = README.read_text("utf-8")
    assert len(text.splitlines()) <= 120
    shown = [line for kind, out in blocks(README) if kind == "text" for line in out.splitlines()]
    assert len(shown) > 20
    assert max(map(len, shown)) <= 80


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    for target in re.findall(r"\]\(([\w./]+\.(?:md|png|py))\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    written = {page.name for page in PAGES[1:]} - {"README.md", "index.md"}  # the index, and the site's home
    assert written == set(re.findall(r"\]\((\w+\.md)\)", index))


def test_the_commands_of_a_stranger_are_those_of_the_makefile() -> None:
    targets = (ROOT / "Makefile").read_text("utf-8")
    named = {
        page: set(re.findall(r"(?:`|^\$ )make ([\w-]+)", page.read_text("utf-8"), re.MULTILINE))
        for page in PAGES
    }
    assert {"demo", "test"} <= named[README]
    named = set().union(*named.values())
    assert {"bench", "quick", "test-all"} <= named
    for target in named:
        assert f"\n{target}:" in targets, target


def test_no_message_installs_from_an_index_what_none_has() -> None:
    texts = {path: path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")}
    assert not [path for path, text in texts.items() if re.search(r"pip install ['\"]?clearbar", text)]
    assert sum("in a checkout, pip install '.[" in text for text in texts.values()) >= 4


def test_no_page_installs_from_an_index_what_none_has() -> None:
    first = next(code for kind, code in blocks(README) if kind == "console")
    assert "\n$ pip install '.[all]'" in first
    for page in PAGES:
        text = page.read_text("utf-8")
        assert not re.search(r"pip install clearbar|\$ pip install '?clearbar", text), page.name
