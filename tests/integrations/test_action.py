"""The scripts of action.yml, run by bash in a repository that would rather have its model pass."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import clearbar

ROOT = Path(__file__).parents[2]
SOURCE = Path(clearbar.__file__).parent.parent
HOSTILE = ("clearbar/__init__.py", "pip/__init__.py", "venv.py", "json.py", "polars.py", "sitecustomize.py")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the bash of Windows may be that of another system")


def scripts():
    """Return what each step runs."""
    steps = re.split(r"^    - name: ", (ROOT / "action.yml").read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {step.partition("\n")[0]: textwrap.dedent(step.partition("run: |\n")[2]) for step in steps}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A checkout whose modules, if they are imported, note their names and end the process well."""
    folder = tmp_path / "repository"
    code = f"import os\nopen({str(tmp_path / 'ran.txt')!r}, 'a').write(__name__)\nos._exit(0)\n"
    for name in HOSTILE:
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(code, "utf-8")
    rows = ["y,good,bad", *(f"{n % 2},{n % 2 if n % 10 else 1 - n % 2},{n % 3 % 2}" for n in range(90))]
    (folder / "predictions.csv").write_text("\n".join(rows), "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))  # as in many a job
    yield folder
    ran = tmp_path / "ran.txt"
    assert not ran.exists(), f"{ran.read_text('utf-8')} ran"


@pytest.fixture(scope="module")
def temporary(tmp_path_factory):
    """The runner's folder with the environment of the first step, whose packages are those that run this."""
    place = tmp_path_factory.mktemp("runner")
    subprocess.run([sys.executable, "-I", "-m", "venv", "--without-pip", str(place / "clearbar")], check=True)
    (packages,) = (place / "clearbar" / "lib").glob("python3*/site-packages")
    folders = [str(SOURCE), *(folder for folder in sys.path if folder.endswith("-packages"))]
    (packages / "ours.pth").write_text("\n".join(folders), "utf-8")
    return place


def run_step(name, repository, temporary, **inputs):
    given = {f"CLEARBAR_{key.upper()}": value for key, value in inputs.items()}
    page = {"GITHUB_STEP_SUMMARY": str(temporary / "page.md"), "RUNNER_TEMP": str(temporary)}
    command = [shutil.which("bash"), "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", scripts()[name]]
    return subprocess.run(
        command,
        env={**os.environ, **page, **given},
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )


def check(repository, temporary, model, arguments=""):
    columns = {"y_true": "y", "y_pred": model, "measure": "f1\nmcc"}
    return run_step(
        "clearbar check", repository, temporary, files="predictions.csv", arguments=arguments, **columns
    )


def test_the_gate_judges_the_model_and_runs_nothing_of_the_repository(repository, temporary):
    fails = check(repository, temporary, "bad")
    assert fails.returncode == 1, fails.stderr
    assert "✗ bad" in fails.stdout
    passes = check(repository, temporary, "good")
    assert passes.returncode == 0, passes.stderr
    assert (temporary / "page.md").read_text("utf-8").count("### ") == 2


@pytest.mark.parametrize("arguments", ["--version", "--", "--alpha=1\n-h"])
def test_what_is_no_check_does_not_pass(repository, temporary, arguments):
    run = check(repository, temporary, "bad", arguments)
    assert run.returncode == 2, run.stdout
    assert run.stderr.startswith("clearbar: ")


@pytest.mark.slow
def test_installing_runs_nothing_of_the_repository(repository, tmp_path, monkeypatch):
    # Without an index pip fails, but not before it has started the Python that installs what a build needs.
    project = tmp_path / "project"
    project.mkdir()
    needs = '[build-system]\nrequires = ["no-such-builder"]\nbuild-backend = "no_such_builder"\n'
    (project / "pyproject.toml").write_text(needs, "utf-8")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    place = {"source": str(project), "python": sys.executable}
    run = run_step("Install clearbar", repository, tmp_path, **place)
    assert run.returncode == 1
    assert (tmp_path / "clearbar" / "pyvenv.cfg").exists()
    assert "no-such-builder" in run.stderr, "said by the second Python"


def test_scripts_take_inputs_as_variables_alone():
    assert len(scripts()) == 2
    assert not [script for script in scripts().values() if "${{" in script]


def test_no_gate_imports_from_the_folder_that_it_judges():
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    assert "entry: python -I -m clearbar check" in hook
    page = (ROOT / "docs" / "integrations.md").read_text("utf-8")
    job = page.partition("### GitLab")[2].partition("###")[0]
    assert re.findall(r"python (\S+) -m (?:venv|pip|clearbar)", job) == ["-I", "-I", "-I"]
