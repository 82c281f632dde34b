"""What importing the library costs, and that its names are what they say whatever is loaded first."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

import clearbar as cb

HEAVY = {
    "array_api_compat",
    "duckdb",
    "jinja2",
    "matplotlib",
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "sklearn",
}


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def loaded_after(code: str) -> set[str]:
    listing = "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    return set(run(f"import sys\n{code}\n{listing}").split())


def test_importing_loads_no_heavy_library() -> None:
    assert not HEAVY & loaded_after("import clearbar")


def test_a_baseline_loads_no_heavy_library() -> None:
    assert not HEAVY & loaded_after(
        "import clearbar as cb; cb.baseline(cb.Population(303, 139), 'g_mean').judge(0.7)"
    )


def test_looking_at_a_display_loads_no_matplotlib() -> None:
    assert "matplotlib" not in loaded_after("import clearbar as cb; cb.plots.ScorecardDisplay.plot")


@pytest.mark.parametrize("first", ["testing", "baseline", "evaluate", "measures", "scorecard", "verdict"])
def test_public_functions_win_over_rooms_of_the_same_name(first: str) -> None:
    code = f"""
import importlib
importlib.import_module("clearbar.{first}")
import clearbar as cb
assert len(cb.measures()) == 81
print(cb.baseline([1, 1, 0], "f1").value, cb.evaluate([1, 0], [1, 0], "mcc")[0].outcome)
"""
    assert run(code) == "0.8 clears"


def test_methods_from_later_rooms_survive_pickling_into_a_fresh_process() -> None:
    stored = pickle.dumps(cb.baseline(cb.Population(31, 18), "f1")).hex()
    code = f"import pickle; print(pickle.loads(bytes.fromhex('{stored}')).judge(0.72).outcome)"
    assert run(code) == "fails"


def test_every_public_name_is_there() -> None:
    assert set(cb.__all__) == {*cb._ROOM_OF, *cb._WHOLE, "__version__"}
    for name in cb.__all__:
        assert getattr(cb, name) is not None
    assert dir(cb) == sorted(cb.__all__)
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        cb.absent  # noqa: B018
