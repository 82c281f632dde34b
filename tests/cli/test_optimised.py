"""Under ``python -OO``, which strips docstrings and assertions, everything is said as without."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import clearbar

CATALOGUE = """
import random
import clearbar as cb
from clearbar.cli import main
from clearbar.problems.scores import score_measures

rng = random.Random(3)
y = [int(rng.random() < 0.4) for _ in range(30)]
predicted = [label if rng.random() < 0.8 else 1 - label for label in y]
scores = [round(0.6 * label + 0.4 * rng.random(), 2) for label in y]
of_labels = cb.measures()
print(cb.evaluate(y, predicted, of_labels, intervals=False).to_json())
print(cb.evaluate_scores(y, scores, [measure.name for measure in score_measures()]).to_json())
codes = [main(["explain", measure.name]) for measure in (*of_labels, *score_measures())]
print(len(codes), max(codes))
"""

MODULES = """
import importlib, pkgutil
import clearbar

of_tools = "__main__", "integrations.inspect", "integrations.mlflow", "integrations.skore"
for module in pkgutil.walk_packages(clearbar.__path__, "clearbar."):
    if not module.name.endswith(of_tools):
        importlib.import_module(module.name)
print("all")
"""


def python(*words):
    env = {**os.environ, "PYTHONPATH": str(Path(clearbar.__file__).parent.parent), "PYTHONUTF8": "1"}
    found = subprocess.run(
        [sys.executable, *words], env=env, capture_output=True, text=True, encoding="utf-8", check=False
    )
    return found.returncode, found.stdout, found.stderr


@pytest.mark.slow
def test_the_whole_catalogue_is_judged_and_explained(capsys):
    optimised = python("-OO", "-c", CATALOGUE)
    assert optimised[1].splitlines()[-1].endswith(" 0"), optimised[2]
    exec(CATALOGUE, {})  # noqa: S102 - ours
    assert optimised == (0, *capsys.readouterr())


@pytest.mark.slow
def test_every_module_can_be_imported():
    for needed in ("sklearn", "matplotlib", "jinja2", "polars"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    assert python("-OO", "-c", MODULES)[1:] == ("all\n", "")
