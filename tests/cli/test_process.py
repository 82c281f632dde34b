"""The command line as a process: streams, encodings, what is loaded, what is missing."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import clearbar

SOURCE = str(Path(clearbar.__file__).parent.parent)
HEAVY = "scipy narwhals pandas polars pyarrow matplotlib sklearn jinja2 rich tqdm"
FILES = ("preds.csv", "--y-true", "y", "--measure", "f1", "--y-pred")


def process(*words, **options):
    env = {**os.environ, "PYTHONPATH": SOURCE, **options.pop("env", {})}
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run([sys.executable, *words], env=env, check=False, **given)


def python(code, encoding="utf-8", **env):
    return process("-c", code, env=env, text=True, encoding=encoding)


def test_without_files_nothing_heavy_is_loaded():
    sizes = ("--total", "303", "--positives", "139")
    commands = [("baseline", *sizes), ("measures",), ("explain", "g_mean", *sizes)]
    judging = [("baseline", *sizes, "--measure", "f1", "--score", "0.72"), ("demo",)]
    found = python(
        "import sys; from clearbar.cli import main\n"
        f"heavy = {HEAVY!r}.split()\n"
        f"for commands, heavy in (({commands!r}, heavy), ({judging!r}, heavy[1:])):\n"
        "    print([main(list(words)) for words in commands], [*filter(sys.modules.get, heavy)])"
    )
    lines = found.stdout.splitlines()
    assert "[0, 0, 0] []" in lines, found.stderr
    assert lines[-1] == "[0, 0] []"  # SciPy alone, for what judges scores


def test_without_polars_core_commands_work_and_files_say_what_to_install(folder):
    found = python(
        "import sys; sys.modules |= dict.fromkeys(('polars', 'rich', 'tqdm', 'sklearn', 'pandas'))\n"
        "from clearbar.cli import main\n"
        "print(main(['measures']), main(['demo']), main(['explain', 'f1']))\n"
        f"print(main(['evaluate', *{FILES!r}, 'tree']), main(['check', *{FILES!r}, 'tree']))"
    )
    lines = found.stdout.splitlines()
    assert (lines[-2], lines[-1]) == ("0 0 0", "2 2")
    how = "in a checkout, pip install '.[cli]'"
    install = f"clearbar: reading files needs polars, which is not installed: {how}"
    assert found.stderr.splitlines() == [install, install]


def test_exit_codes_reach_the_shell(folder):
    for model, code, said in (("coin", 1, b""), ("nope", 2, b"clearbar: no column 'nope'")):
        found = process("-m", "clearbar", "check", *FILES, model)
        assert (found.returncode, found.stderr[: len(said) or None]) == (code, said)
        assert b"Traceback" not in found.stderr
        assert (found.stdout == b"") == (code == 2)


@pytest.mark.parametrize("encoding", ["ascii", pytest.param("cp1252", marks=pytest.mark.slow)])
def test_streams_that_cannot_show_everything_get_plainer_signs(folder, encoding):
    (folder / "e.csv").write_text("y,模型é\n1,1\n0,0\n1,0\n0,0\n1,1\n", encoding="utf-8")
    columns = ("e.csv", "--y-true", "y", "--y-pred", "模型é", "--measure", "f1")
    check = ("check", *columns)
    commands = [("evaluate", *columns), check, (*check, "--json"), ("evaluate", "模型.csv")]
    found = python(
        f"import sys; from clearbar.cli import main\n"
        f"for words in {commands!r}:\n    print('@@@', main(list(words)), flush=True)",
        PYTHONIOENCODING=encoding, PYTHONUTF8="1", encoding=encoding,
    )  # fmt: skip
    shown, codes = re.split(r"@@@ \d\n", found.stdout), re.findall(r"@@@ (\d)\n", found.stdout)
    assert codes == ["0", "1", "1", "2"]
    for text in shown[:2]:
        assert "✓" not in text
        assert "\\u6a21" in text
    assert json.loads(shown[2])["models"] == ["模型é"]
    assert found.stderr.startswith("clearbar: there is no file \\u6a21")


@pytest.mark.slow
def test_colours_only_on_a_terminal(folder):
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    words = ["check", *FILES, "coin"]
    code = (
        "import os; from clearbar.cli import main\n"
        "for env in ({}, {'NO_COLOR': '1'}, {'NO_COLOR': '', 'TERM': 'dumb'}):\n"
        f"    os.environ.update(env); print('@@@', main({words!r}), flush=True)"
    )
    ours, theirs = pty.openpty()
    process("-c", code, env={"TERM": "xterm", "NO_COLOR": ""}, stdout=theirs, stderr=theirs)
    os.close(theirs)
    coloured, *plain = os.read(ours, 100_000).split(b"@@@ 1")
    os.close(ours)
    assert b"\x1b[" in coloured
    assert len(plain) == 3
    assert b"\x1b[" not in b"".join(plain)
    assert b"\x1b[" not in process("-m", "clearbar", *words).stdout


@pytest.mark.skipif(os.name == "nt", reason="pipes of a POSIX shell")
def test_a_reader_who_leaves_is_no_error(folder):
    for words, code in ((("measures", "--json"), 0), (("check", *FILES, "coin"), 1)):
        reader, writer = os.pipe()
        os.close(reader)
        found = process("-m", "clearbar", *words, stdout=writer)
        os.close(writer)
        assert (found.returncode, found.stderr) == (code, b"")


def test_a_process_without_streams_does_not_fail():
    found = python(
        "import sys; sys.stdout = None\nfrom clearbar.cli import main\nsys.exit(main(['explain', 'f1']))"
    )
    assert (found.returncode, found.stderr) == (0, "")
