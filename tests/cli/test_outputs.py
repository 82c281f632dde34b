"""What is written is never what is read; and no exit code is lost to a stream or a disk without room."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import clearbar

COLUMNS = ("--y-true", "y", "--y-pred", "tree")
CHECK = ("check", "preds.csv", *COLUMNS, "--measure", "f1")
WRITING = {"--summary": ("check",), "--html": ("evaluate",), "--html with --force": ("evaluate", "--force")}


def shell(line, *, code=None):
    """Run the command line, or code, as a shell does; return its exit code and standard error."""
    if os.name == "nt":
        pytest.skip("no shell of POSIX")
    env = {**os.environ, "PYTHONPATH": str(Path(clearbar.__file__).parent.parent), "PYTHONUTF8": "1"}
    program = ["-c", code] if code else ["-m", "clearbar"]
    words = ["/bin/sh", "-c", f'"$@" {line}', "sh", sys.executable, *program]
    found = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    return found.returncode, found.stderr


@pytest.fixture
def needs_full():
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")


def linked(how):
    place = Path("other.csv")
    if how == "symlink":
        place.symlink_to("preds.csv")
    elif how == "link to a link":
        Path("between").symlink_to("preds.csv")
        place.symlink_to("between")
    else:
        place.hardlink_to("preds.csv")
    return place.name


@pytest.mark.parametrize("option", WRITING)
def test_the_file_that_is_read_is_not_written(folder, refused, option):
    before = (folder / "preds.csv").read_bytes()
    command, *rest = WRITING[option]
    for path in ("preds.csv", "./preds.csv", str(folder / "preds.csv")):
        sentence = refused(command, "preds.csv", *COLUMNS, option.split()[0], path, *rest)
        assert sentence.startswith(f"{option.split()[0]} {path} is ")
        assert sentence.endswith(" a file that is read; write to another one.")
        assert (folder / "preds.csv").read_bytes() == before


@pytest.mark.parametrize("option", WRITING)
@pytest.mark.parametrize("how", ["symlink", "link to a link", "hard link"])
@pytest.mark.parametrize("read", ["the file", "the link"])
def test_nor_is_it_through_links(folder, refused, option, how, read):
    before = (folder / "preds.csv").read_bytes()
    link = linked(how)
    source, target = ("preds.csv", link) if read == "the file" else (link, "preds.csv")
    command, *rest = WRITING[option]
    sentence = refused(command, source, *COLUMNS, option.split()[0], target, *rest)
    assert sentence == f"{option.split()[0]} {target} is {source}, a file that is read; write to another one."
    assert (folder / "preds.csv").read_bytes() == before
    assert (folder / link).is_symlink() == (how != "hard link")


def test_nor_is_one_of_several_or_of_a_pattern(folder, refused):
    (folder / "more.csv").write_bytes((folder / "preds.csv").read_bytes())
    for files in (("preds.csv", "more.csv"), ("*.csv",)):
        sentence = refused("check", *files, *COLUMNS, "--summary", "more.csv", "--by", "country")
        assert sentence.startswith("--summary more.csv is a file that is read")


def test_nor_does_a_shell_add_the_output_to_it(folder):
    before = (folder / "preds.csv").read_bytes()
    said = "clearbar: standard output is preds.csv, a file that is read; write to another one.\n"
    assert shell(f"{' '.join(CHECK)} >> preds.csv") == (2, said)
    assert (folder / "preds.csv").read_bytes() == before


@pytest.mark.parametrize(("words", "code"), [(f"{' '.join(CHECK)} --y-pred coin", 1), ("nope", 2)])
@pytest.mark.parametrize("stream", ["2>/dev/full", pytest.param("2>&-", marks=pytest.mark.slow)])
def test_exit_codes_survive_a_standard_error_without_room(folder, needs_full, words, code, stream):
    assert shell(f"{words} {stream}")[0] == code


@pytest.mark.parametrize("words", ["--help", " ".join(CHECK)])
def test_what_cannot_be_printed_is_2_and_never_the_1_of_a_model_that_fails(folder, needs_full, words):
    if words.startswith("check preds"):
        assert shell(f"{words} >/dev/full 2>/dev/full")[0] == 2
    code, said = shell(f"{words} >/dev/full")
    assert (code, said) == (2, "clearbar: the output cannot be written: no space left on device.\n")


def test_warnings_and_tracebacks_without_room_change_no_exit_code(folder, needs_full, monkeypatch):
    warned = "import sys, warnings; from clearbar.cli import main; warnings.warn('careful'); "
    assert shell("2>/dev/full", code=f"{warned}sys.exit(main({list(CHECK)!r}))")[0] == 0
    monkeypatch.setenv("CLEARBAR_DEBUG", "1")
    assert shell("nope 2>/dev/full")[0] == 2
    code, said = shell("nope")
    assert (code, said.startswith("Traceback")) == (2, True)
    assert said.splitlines()[-1].startswith("clearbar: there is no command")


def test_a_panic_of_an_engine_is_no_model_that_fails(run, monkeypatch):
    class Panic(BaseException):
        """As Rust's panics arrive: not an Exception."""

    def panics(options, screen):
        raise Panic("index out of bounds")

    monkeypatch.setattr("clearbar.cli._gate.check", panics)
    code, out, err = run("check", "preds.csv")
    assert (code, out) == (2, "")
    assert err.startswith("clearbar: unexpected Panic: index out of bounds.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("demo --csv demo.csv", "demo.csv"),
        ("check preds.csv --y-true y --y-pred tree --measure f1 --summary page.md", "page.md"),
        ("evaluate preds.csv --y-true y --y-pred tree --measure f1 --html page.html", "page.html"),
    ],
)
def test_where_there_is_no_room_no_part_of_a_file_is_left_and_its_name_is_told(folder, line, path):
    pytest.importorskip("resource", reason="there are no limits on files here")
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20)); import sys; "
    before = sorted(os.listdir())  # noqa: PTH208
    code, said = shell("", code=f"{limited}from clearbar.cli import main; sys.exit(main({line.split()!r}))")
    assert (code, said.splitlines()[-1]) == (2, f"clearbar: {path} cannot be written: file too large.")
    assert sorted(os.listdir()) == before  # noqa: PTH208
