"""The action, the job and the hook, run as their steps would be; pre-commit is the real one."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from integrations.page import ROOT, blocks

from clearbar.cli import main

ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--csv", "predictions.csv"]) == 0
    return tmp_path


def snippets():
    return [yaml.safe_load(text) for kind, text in blocks("GitHub") if kind == "yaml"]


@pytest.fixture(scope="module")
def temporary(tmp_path_factory):
    """The folder that a runner has for what is temporary; what is installed there stays for the next test."""
    return tmp_path_factory.mktemp("runner")


def plant(folder):
    """Put modules that note their names and end the process well where Python might find them."""
    ran = folder / "ran.txt"
    code = f"import os\nopen({str(ran)!r}, 'a').write(__name__)\nos._exit(0)\n"
    for name in (
        "clearbar/__init__.py",
        "pip/__init__.py",
        "venv.py",
        "json.py",
        "polars.py",
        "sitecustomize.py",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(code, "utf-8")
    return ran


def run_action(folder, temporary, given):
    """Run the steps of the action with these inputs, as GitHub fills them in; return exit code and page."""
    page = folder / "page.md"
    inputs = {name: given.get(name, about.get("default")) for name, about in ACTION["inputs"].items()}
    assert set(given) <= set(inputs)
    assert not [
        name for name, about in ACTION["inputs"].items() if about.get("required") and name not in given
    ]
    known = {f"inputs.{name}": value for name, value in inputs.items()} | {"github.action_path": str(ROOT)}
    for step in ACTION["runs"]["steps"][any(temporary.iterdir()) :]:
        assert "${{" not in step["run"], "inputs reach a script as variables alone"
        filled = {
            name: re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda it: known[it[1]], value)
            for name, value in step["env"].items()
        }
        environment = {
            **os.environ,
            **filled,
            "RUNNER_TEMP": str(temporary),
            "GITHUB_STEP_SUMMARY": str(page),
        }
        command = [shutil.which("bash"), "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        run = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, check=False
        )
        if run.returncode:
            break
    return run, page.read_text("utf-8") if page.exists() else ""


def test_the_action_as_the_page_calls_it(folder, temporary):
    (step,) = (one for one in snippets()[0]["jobs"]["gate"]["steps"] if "clearbar" in one.get("uses", ""))
    run, page = run_action(folder, temporary, {**step["with"], "python": sys.executable})
    assert run.returncode == 1, run.stderr
    assert "✗ decision_tree  F1 0.651 is below the bar 0.678" in run.stdout
    assert "? naive_bayes" in run.stdout, "at the --alpha of the page"
    assert page.startswith("### ✗ clearbar: 2 of 2 models fail.")


def test_the_action_passes_and_refuses(folder, temporary):
    given = {
        "files": "predictions.csv",
        "y-true": "y_true",
        "y-pred": "naive_bayes\n",
        "python": sys.executable,
    }
    run, page = run_action(folder, temporary, given)
    assert run.returncode == 0, run.stderr
    assert page.startswith("### ✓ clearbar: 1 of 1 model clears.")
    run, _ = run_action(folder, temporary, {**given, "y-pred": "naive bayes; touch pwned"})
    assert run.returncode == 2
    assert "no column" in run.stderr
    assert not Path("pwned").exists()


def test_the_action_in_a_hostile_repository(folder, temporary, monkeypatch):
    ran = plant(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    given = {"files": "predictions.csv", "y-true": "y_true", "python": sys.executable}
    run, _ = run_action(folder, temporary, {**given, "y-pred": "decision_tree", "measure": "f1"})
    assert run.returncode == 1, run.stderr
    assert "✗ decision_tree" in run.stdout
    run, _ = run_action(folder, temporary, {**given, "y-pred": "decision_tree", "arguments": "--help"})
    assert run.returncode == 2
    assert not ran.exists(), ran.read_text("utf-8")


def test_the_job_of_gitlab(folder):
    job = snippets()[1]["gate"]
    place, install, check = job["script"]
    assert place == "python -I -m venv /tmp/gate"
    python, *words = install.split()
    assert python == "/tmp/gate/bin/python"  # noqa: S108 - as the page has it
    assert words[:4] == ["-I", "-m", "pip", "install"]
    step = check.replace(python, sys.executable)
    assert subprocess.run(["bash", "-e", "-c", step], check=False).returncode == 0
    for place in job["artifacts"]["paths"]:
        assert Path(place).stat().st_size > 100


def git(*words, folder):
    options = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *options, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path_factory):
    """What would be published, as a repository of its own."""
    place = tmp_path_factory.mktemp("published")
    for name in ("src", "pyproject.toml", ".pre-commit-hooks.yaml", "README.md", "LICENSE"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, place / name)
    git("init", "-q", folder=place)
    git("add", "-A", folder=place)
    git("commit", "-qm", "all", folder=place)
    return place


def test_the_hook_of_pre_commit(folder, repository):
    config = snippets()[2]
    config["repos"][0] |= {"repo": str(repository), "rev": "HEAD"}
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True
    )
    config["repos"][0]["rev"] = commit.stdout.strip()
    Path(".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git("init", "-q", folder=folder)
    git("add", "-A", folder=folder)
    command = [sys.executable, "-I", "-m", "pre_commit", "run", "--all-files"]
    environment = {**os.environ, "PRE_COMMIT_HOME": str(folder / "home")}

    def hook():
        return subprocess.run(
            command, env=environment, cwd=folder, check=False, capture_output=True, text=True
        )

    passes = hook()
    assert passes.returncode == 0, passes.stdout + passes.stderr
    assert "Passed" in passes.stdout
    ran = plant(folder)
    environment["PYTHONPATH"] = str(folder)
    config["repos"][0]["hooks"][0]["args"] = ["--y-true=y_true", "--y-pred=decision_tree", "--measure=f1"]
    Path(".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git("add", "-A", folder=folder)
    fails = hook()
    assert fails.returncode == 1
    assert "✗ decision_tree  F1 0.651 is below the bar 0.678" in fails.stdout
    assert not ran.exists(), ran.read_text("utf-8")
