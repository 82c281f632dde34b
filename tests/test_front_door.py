"""What importing the library costs, and that its names are what they say whatever is loaded first."""

from __future__ import annotations

import pathlib
import pickle
import re
import subprocess
import sys

import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

HEAVY = {"duckdb", "jinja2", "matplotlib", "narwhals", "pandas", "polars", "pyarrow", "scipy", "sklearn"}


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def loaded_after(code: str) -> set[str]:
    listing = "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    return set(run(f"import sys\n{code}\n{listing}").split())


def test_neither_importing_nor_a_baseline_loads_a_heavy_library() -> None:
    assert not HEAVY & loaded_after("import clearbar as cb; cb.baseline(cb.Population(303, 139), 'g_mean')")


def test_a_bar_of_numbers_of_samples_loads_neither_readers_of_labels_nor_intervals() -> None:
    code = "import sys, clearbar as cb; cb.baseline(cb.Population(303, 139), 'f1'); print(*sys.modules)"
    modules = set(run(code).split())
    late = ("data.counting", "inference.two_rates", "problems.folds", "evaluation", "scorecard", "verdict")
    assert not modules & {f"clearbar.{name}" for name in late}


CARD = """
import sys
from clearbar import evaluate

called, importing = set(), 0

def note(frame, event, _):
    global importing
    code = frame.f_code
    if code.co_name == "<module>":
        importing += {"call": 1, "return": -1}.get(event, 0)
    elif event == "call" and not importing and "/clearbar/" in code.co_filename.replace("\\\\", "/"):
        called.add(code.co_filename)

sys.setprofile(note)
text = str(evaluate([1, 0, 1, 0], [1, 0, 0, 0], "f1"))
sys.setprofile(None)
print(len(called), *sys.modules)
"""


def test_a_first_card_of_f1_enters_forty_files_loads_55_modules_and_of_scipy_its_functions_alone() -> None:
    entered, *modules = run(CARD).split()
    assert 30 < int(entered) <= 40  # files of which a function is called, not only those that are imported
    assert sum(name.partition(".")[0] == "clearbar" for name in modules) <= 55
    assert not {"scipy.stats", "scipy.optimize"} & set(modules)


ROOMS = sorted(path.parent.name for path in pathlib.Path(cb.__file__).parent.glob("*/__init__.py"))


@pytest.mark.parametrize("asked_first", ["names", pytest.param("rooms", marks=pytest.mark.slow)])
def test_rooms_are_modules_and_names_are_functions_whatever_was_asked_first(asked_first: str) -> None:
    code = f"""
import importlib, types
import clearbar as cb
def names():
    print(cb.baseline([1, 1, 0], "f1").value, cb.evaluate([1, 0], [1, 0], "mcc")[0].outcome)
if {asked_first == "names"}:
    names()
for room in {ROOMS}:
    importlib.import_module("clearbar." + room)
    assert isinstance(getattr(cb, room), types.ModuleType), room
    assert callable(cb.baseline), room
    assert callable(cb.measures), room
if {asked_first == "rooms"}:
    names()
"""
    assert run(code) == "0.8 clears"


def test_methods_from_later_rooms_survive_pickling_into_a_fresh_process() -> None:
    stored = pickle.dumps(cb.baseline(cb.Population(31, 18), "f1")).hex()
    code = f"import pickle; print(pickle.loads(bytes.fromhex('{stored}')).judge(0.72).outcome)"
    assert run(code) == "fails"


def test_every_public_name_is_there() -> None:
    assert set(cb.__all__) == {
        *(name for names in cb._ROOMS.values() for name in names),
        "plots",
        "testing",
        "__version__",
    }
    for name in cb.__all__:
        assert getattr(cb, name) is not None
    assert dir(cb) == sorted(cb.__all__)
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        cb.absent  # noqa: B018


NAMED = re.compile(r"\b(?:evaluate|baseline|assert)_[a-z]+(?:_[a-z]+)*\b")
ROOT = pathlib.Path(__file__).parents[1]


def test_no_sentence_names_a_function_that_does_not_exist() -> None:
    """Every ``evaluate_...`` or ``baseline_...`` in code or documents is a name that is there."""
    sources = [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    texts = {path.name: path.read_text(encoding="utf-8") for path in sources}
    defined = {name for text in texts.values() for name in re.findall(r"\bdef (\w+)\(", text)}
    named = {(name, place) for place, text in texts.items() for name in NAMED.findall(text)}
    assert {pair for pair in named if pair[0] not in {*cb.__all__, *defined}} == set()
