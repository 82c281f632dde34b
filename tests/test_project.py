"""What the project ships beside its code: data, metadata, set-up files."""

import ast
import csv
import importlib.metadata
import itertools
import re
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

# (tp, fp, fn, tn) and F1 by scikit-learn 1.9.1, when examples/journal_demo.py made the files.
SHIPPED = {
    "diabetes": {
        "decision_tree": ((140, 69, 81, 152), 0.6511627906976745),
        "k_nearest_neighbours": ((146, 60, 75, 161), 0.6838407494145199),
        "logistic_regression": ((164, 56, 57, 165), 0.7437641723356009),
        "random_forest": ((158, 62, 63, 159), 0.7165532879818595),
        "naive_bayes": ((160, 58, 61, 163), 0.7289293849658315),
    },
    "wisconsin": {
        "decision_tree": ((194, 29, 18, 328), 0.8919540229885058),
        "k_nearest_neighbours": ((188, 15, 24, 342), 0.9060240963855422),
        "logistic_regression": ((195, 11, 17, 346), 0.9330143540669856),
        "random_forest": ((196, 9, 16, 348), 0.9400479616306955),
        "naive_bayes": ((188, 11, 24, 346), 0.9148418491484185),
    },
}
SIZES = {"diabetes": (442, 221), "wisconsin": (569, 212)}


TOOLS = ("venv.sh", "integrations.py", "lock.py", "requirements.py")


def shipped_rows(dataset):
    text = (resources.files("clearbar") / "_demo" / f"{dataset}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize("dataset", SHIPPED)
def test_shipped_predictions_have_the_documented_columns_splits_and_sizes(dataset):
    rows = shipped_rows(dataset)
    total, positives = SIZES[dataset]
    assert list(rows[0]) == ["dataset", "split", "y_true", *SHIPPED[dataset]]
    assert {row["dataset"] for row in rows} == {dataset}
    assert len(rows) == total
    assert sum(int(row["y_true"]) for row in rows) == positives
    sizes = [sum(row["split"] == str(split) for row in rows) for split in range(10)]
    assert set(sizes) == {total // 10, total // 10 + 1}  # each sample once


@pytest.mark.parametrize("dataset", SHIPPED)
def test_shipped_predictions_have_the_counts_and_f1_recorded_from_outside(dataset):
    rows = shipped_rows(dataset)
    for model, (counts, f1) in SHIPPED[dataset].items():
        pairs = [(row["y_true"], row[model]) for row in rows]
        tp, fp, fn, tn = (pairs.count(pair) for pair in [("1", "1"), ("0", "1"), ("1", "0"), ("0", "0")])
        assert (tp, fp, fn, tn) == counts
        assert 2 * tp / (2 * tp + fp + fn) == pytest.approx(f1, rel=1e-15)


def test_metadata_of_the_installed_package_is_complete():
    metadata = importlib.metadata.metadata("clearbar")
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Summary"]
    assert metadata["Keywords"]
    assert "Typing :: Typed" in metadata.get_all("Classifier")
    assert len(metadata.get_payload() or metadata["Description"]) > 100, "the README is the description"
    assert set(metadata.get_all("Provides-Extra")) == {
        *("all", "cli", "dask", "plots", "report", "sklearn", "spark"),
    }
    (script,) = importlib.metadata.distribution("clearbar").entry_points.select(group="console_scripts")
    assert (script.name, script.value) == ("clearbar", "clearbar.cli:main")


def test_version_is_the_same_wherever_it_is_written():
    version = importlib.metadata.version("clearbar")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == version
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    integrations = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    assert set(re.findall(r"(?:clearbar@|rev: )v([\d.]+)$", integrations, re.MULTILINE)) == {version}


def test_the_recipe_of_conda_asks_for_what_the_project_asks_for():
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    (version,) = re.findall(r'^  version: "(.+)"$', recipe, re.MULTILINE)
    assert version == importlib.metadata.version("clearbar")
    run = recipe.partition("  run:\n")[2].partition("  run_constraints:")[0]
    asked = dict(re.findall(r"    - ([\w-]+) >=([\d.]+)$", run, re.MULTILINE))
    lines = PROJECT["project"]["dependencies"]
    assert asked == dict(line.split(">=") for line in lines)
    assert f'python_min: "{PROJECT["project"]["requires-python"].removeprefix(">=")}"' in recipe


def test_core_needs_three_packages_and_groups_are_no_extras():
    def names(lines):
        return {re.match(r"[\w.-]+", line)[0].lower() for line in lines if isinstance(line, str)}

    extras = PROJECT["project"]["optional-dependencies"]
    assert names(PROJECT["project"]["dependencies"]) == {"narwhals", "numpy", "scipy"}
    assert not set(PROJECT["dependency-groups"]) & set(extras)
    engines = names(extras["spark"]) | names(extras["dask"])
    script = [sys.executable, ROOT / "tools" / "requirements.py", "all"]
    listed = subprocess.run(script, check=True, capture_output=True, text=True).stdout.split()
    assert names(listed).isdisjoint(engines)
    assert names(listed) >= names(extras["cli"]) | names(extras["plots"]) | names(extras["sklearn"])


def test_every_package_has_one_lower_bound_wherever_it_is_named():
    groups = [*PROJECT["project"]["optional-dependencies"].values(), *PROJECT["dependency-groups"].values()]
    lines = [line for group in groups for line in group if isinstance(line, str)]
    bounds = {}
    for line in [*PROJECT["project"]["dependencies"], *lines]:
        if not line.startswith("clearbar["):
            name, bound = re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)(?:,<\d+)?", line).groups()
            bounds.setdefault(name, set()).add(bound)
    assert {name: found for name, found in bounds.items() if len(found) > 1} == {}


def test_the_paper_cites_what_the_note_on_the_method_lists():
    paper, entries = ((ROOT / "paper" / f"paper.{end}").read_text("utf-8") for end in ("md", "bib"))
    note = (ROOT / "docs" / "method.md").read_text("utf-8").partition("## References")[2]
    listed = [" ".join(line.split()) for line in note.split("\n- ")[1:]]
    keys = re.findall(r"^@article\{(\w+),", entries, re.MULTILINE)
    assert sorted(set(re.findall(r"@([a-z]+\d{4})", paper))) == sorted(keys)
    assert len(listed) == len(keys)
    for entry, line in zip(entries.split("@article")[1:], listed, strict=True):  # both by the first author
        said = dict(
            re.findall(r"^  (author|year|volume|pages) = \{(?:van de )?([^,}]*)", entry, re.MULTILINE)
        )
        assert [text for text in said.values() if text.replace("--", "–") not in line] == []


def test_classifiers_name_the_pythons_that_continuous_integration_looks_for():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    tried = {version for line in re.findall(r"\(python_of ([\d. ]+)\)", script) for version in line.split()}
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    assert set(named) == tried


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


INTEGRATIONS = [plain(path.stem.removeprefix("test_")) for path in (ROOT / "integrations").glob("test_*.py")]
LOCKS = {
    "requirements.lock": ("build", "test", "lint", "peers"),
    **{f"integrations/{group}.lock": ("build", group) for group in sorted(INTEGRATIONS)},
}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_what_its_groups_ask_for_and_names_no_place(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pins = {plain(line.split("==")[0]) for line in lines if not line.startswith("#")}
    assert not [line for line in lines if "//" in line or line.startswith("-")]
    asked = (PROJECT["dependency-groups"][group] for group in LOCKS[name])
    wanted = [*PROJECT["project"]["dependencies"], *itertools.chain(*asked)]
    assert {plain(re.match(r"[\w.-]+", line)[0]) for line in wanted} <= pins, "run `make lock`"


@pytest.mark.parametrize(
    "name",
    ["Makefile", ".ci/run", "pyproject.toml", *(f"tools/{name}" for name in TOOLS)],
)
def test_set_up_files_name_no_place_of_one_machine_and_no_registry(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.findall(r"/(?:home|Users|root|opt|srv|work)/\S*|\.\./shared\S*", text)
    assert not re.findall(r"https?://\S+|index-url|find-links", text)


@pytest.mark.parametrize("room", ["core", "catalogue"])
def test_core_and_catalogue_import_numpy_alone(room):
    """The import contract can only list packages to avoid; this allows one and forbids the rest."""
    package = ROOT / "src" / "clearbar"
    files = [package / f"{room}.py", *package.joinpath(room).rglob("*.py")]
    found = set()
    for file in filter(Path.exists, files):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module.partition(".")[0])
    assert "numpy" in found
    late = {"tqdm", "scipy"} if room == "core" else set()  # a progress bar and sparse sets, loaded when used
    assert found <= {"numpy", "clearbar", *late, *sys.stdlib_module_names}
