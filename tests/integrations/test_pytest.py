"""The plug-in in runs of pytest of its own: what fails, what is printed, what page is written."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas  # noqa: F401, ICN001 - NumPy loads once per process; runs within it forget what they loaded
import pytest

import clearbar.testing  # noqa: F401

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
PLUGIN = ("-p", "clearbar.integrations.pytest", "-p", "no:cacheprovider")

LABELS = """
Y = [1, 0] * 40
TREE = [1, 0] * 38 + [1, 1] * 2
COIN = [1, 1, 0, 0] * 20
LIAR = [0, 1] * 40
"""


@pytest.fixture
def run(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(tests, *options):
        pytester.makepyfile(test_gate=LABELS + tests)
        return pytester.runpytest_inprocess(*PLUGIN, *options)

    return run


def lines_of(result):
    text = result.stdout.str()
    assert "Traceback" not in text
    return text.splitlines()


def test_what_fails_reads_like_a_verdict(run):
    result = run("def test_liar(clears_bar):\n    clears_bar(Y, LIAR, 'f1')\n")
    result.assert_outcomes(failed=1)
    lines = lines_of(result)
    assert ">       clears_bar" in "\n".join(line[:18] for line in lines)
    wanted = 'AssertionError: model: F1 0 is below the bar 0.667 (always answering "positive")'
    assert [line for line in lines if line.startswith("E  ")] == [f"E       {wanted}"]
    assert not [line for line in lines if "src/clearbar" in line], "no frame of ours is shown"


@pytest.mark.slow
def test_a_test_that_ends_before_a_verdict_is_in_the_table(run, pytester):
    tests = """
import pytest
@pytest.fixture
def model():
    raise OSError("no such model")
def test_absent(clears_bar, model):
    clears_bar(Y, model)
def test_short(clears_bar):
    clears_bar(Y, TREE[:3])
def test_left_out(clears_bar):
    pytest.skip("not today")
def test_good(clears_bar):
    clears_bar(Y, TREE, "f1")
    assert not "judged, and failed by something else"
def test_elsewhere(model):
    pass
"""
    for workers in ((), ("-p", "xdist.plugin", "-n", "2")):
        result = run(tests, "--clearbar-html=gates.html", *workers)
        result.assert_outcomes(skipped=1, failed=2, errors=2)
        lines = lines_of(result)
        start = next(at for at, line in enumerate(lines) if re.match(r"=+ clearbar =+", line))
        said = "1 verdict in 1 test: it clears its bar. 2 tests ended before a verdict."
        assert lines[start + 1] == said
        rows = [re.split(r"  +", line.rstrip()) for line in lines[start + 4 : start + 7]]
        assert sorted(rows[:2]) == [
            ["test_gate.py::test_absent", "not judged: error in set-up"],
            ["test_gate.py::test_short", "not judged: error in the test"],
        ]
        assert rows[2][:3] == ["test_gate.py::test_good", "model", "F1"]
        page = (pytester.path / "gates.html").read_text(encoding="utf-8")
        assert f"<h1>clearbar: {said}</h1>" in page
        assert page.count("not judged: error in") == 2


def test_options_of_the_marker_and_those_of_the_call(run):
    result = run(
        """
import pytest
pytestmark = pytest.mark.clears_bar("f1", alpha=1e-9, pos_label=1)
@pytest.mark.clears_bar(alpha=None)
class TestScores:
    def test_tree(self, clears_bar):
        card = clears_bar(Y, TREE)
        assert card.measures[0].name == "f1" and not card.has_p_values
    @pytest.mark.clears_bar("accuracy")
    def test_closest(self, clears_bar):
        assert clears_bar(Y, TREE).measures[0].name == "accuracy"
def test_module(clears_bar):
    clears_bar(Y, [1, 0] * 32 + [0, 1] * 8)
"""
    )
    result.assert_outcomes(passed=2, failed=1)
    assert "needs p ≤ 1e-09" in result.stdout.str()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("clears_bar(Y, TREE, 'nonsense')", "ValueError: unknown measure 'nonsense'."),
        ("clears_bar(Y, TREE, alpa=0.01)", "ValueError: clears_bar has no option alpa. Did you mean alpha?"),
        ("clears_bar(Y, TREE[:3])", "ValueError: "),
    ],
)
def test_wrong_arguments_get_one_sentence(run, call, says):
    result = run(f"def test_call(clears_bar):\n    {call}\n")
    result.assert_outcomes(failed=1)
    (told,) = (line for line in lines_of(result) if line.startswith("E  "))
    assert says in told
    assert "src/clearbar" not in result.stdout.str()


def test_the_page(run, pytester):
    result = run(
        "def test_models(clears_bar):\n    clears_bar(Y, {'<b>tree': TREE, 'liar': LIAR})\n",
        "--clearbar-html=out/gates.html",
    )
    assert "the page is in out/gates.html" in result.stdout.str()
    page = (pytester.path / "out" / "gates.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<h1>clearbar: 2 verdicts in 1 test: 1 clears its bar, 1 does not.</h1>" in page
    assert "<h2>test_gate.py::test_models</h2>" in page
    assert page.count("&lt;b&gt;tree") >= 2, "in the table and in the scorecard"
    assert "<b>tree" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_run_without_the_fixture_has_no_table_and_loads_no_numpy(run):
    assert " clearbar " not in run("def test_without():\n    pass\n").stdout.str()
    code = "import sys, clearbar.integrations.pytest; print('numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_the_entry_point_is_declared_and_loads_this_plug_in():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (name, value) = next(iter(project["entry-points"]["pytest11"].items()))
    point = importlib.metadata.EntryPoint(name, value, "pytest11")
    assert name == "clearbar"
    assert point.load().clears_bar is not None


def test_the_example_of_the_page(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    code, shown = re.search(
        r"```py\n(# test_models.py\n.*?)```.*?```text\n(.*?)```", page, re.DOTALL
    ).groups()
    pytester.makepyfile(test_models=code)
    lines = lines_of(pytester.runpytest_inprocess(*PLUGIN))
    start = next(at for at, line in enumerate(lines) if re.match(r"=+ clearbar =+", line))
    told = [line for line in lines[:start] if line.startswith("E  ")]
    table = [line for line in lines[start : start + 20] if not re.match(r"(=+ short|FAILED|=+ \d)", line)]
    assert [*told, "...", *table] == shown.rstrip("\n").splitlines()


@pytest.mark.parametrize("path", ["folder", "new\0.html", ""])
def test_a_page_that_cannot_be_written_fails_no_test(run, pytester, path):
    pytester.mkdir("folder")
    (pytester.path / "file").write_text("", encoding="utf-8")
    for who, code in (("TREE", 0), ("LIAR", 1)):
        result = run(f"def test_it(clears_bar):\n    clears_bar(Y, {who})\n", f"--clearbar-html={path}")
        assert result.ret == code
        (said,) = (line for line in lines_of(result) if line.startswith("clearbar: --clearbar-html: "))
        assert said.endswith(".")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("assert_clears(Y, LIAR)", "AssertionError: model: MCC −1 is below the bar 0"),
        ("assert_clears(Y, [0.5] * 80)", "y_pred holds numbers such as 0.5"),
    ],
)
def test_outside_of_the_fixture_no_docstring_is_printed(run, call, says):
    result = run(f"from clearbar.testing import assert_clears\ndef test_bare():\n    {call}\n")
    assert result.ret == 1
    text = result.stdout.str()
    assert says in text
    assert "Parameters" not in text
    assert len(text.splitlines()) < 30
