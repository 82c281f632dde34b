"""Without scikit-learn everything else works, and clearbar.sklearn says what to install."""

import subprocess
import sys

BLOCKED = 'import sys\nsys.modules["sklearn"] = None\nimport clearbar as cb\n'


def run(code):
    done = subprocess.run([sys.executable, "-c", BLOCKED + code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_rest_of_the_library_works():
    code = """
assert cb.evaluate([1, 0, 1], [1, 0, 0], "f1")[0].outcome == "fails"
assert round(cb.dummies(cb.Population(20, 6), "f1")["uniform"].expected, 6) == 0.370331
import importlib, pkgutil
rooms = [m.name for m in pkgutil.walk_packages(cb.__path__, "clearbar.", onerror=lambda name: None)]
of_tools = ("__main__", "integrations.inspect", "integrations.mlflow", "integrations.skore")
for name in rooms:
    if not name.startswith("clearbar.sklearn") and not name.endswith(of_tools):
        importlib.import_module(name)
print("fine")
"""
    assert run(code) == "fine"


def test_the_extra_is_named():
    code = """
for ask in (lambda: __import__("clearbar.sklearn"), lambda: cb.sklearn):
    try:
        ask()
    except ImportError as error:
        print(error)
"""
    first, second = run(code).splitlines()
    how = "in a checkout, pip install '.[sklearn]'"
    assert first == second == f"clearbar.sklearn needs scikit-learn 1.6 or newer: {how}"
