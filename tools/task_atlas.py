"""The atlas of tasks: how often which answer is right in public benchmarks, and the bars that follow.

    python -m tools.task_atlas             prints the site's tables in Markdown
    python -m tools.task_atlas CLONES      counts anew

A task is a line of atlas/tasks.csv, as atlas/schema.json says. To count anew, clones of the repositories
that it names are needed, as CLONES/OWNER/NAME; what a line says besides repository, commit and path follows
from these files. To add a task, add a line with its suite, its name, and these three.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import clearbar as cb
from clearbar.data.task_files import read_published
from clearbar.formatting import Table, number, signed

ATLAS = Path(__file__).parents[1] / "atlas"
TASKS, MODELS = ATLAS / "tasks.csv", ATLAS / "core_models.csv"
COLUMNS = ("suite", "task", "kind", "items", "right", "answer", "bar", "random_guess", "published",
           "corrected", "repository", "commit", "path")  # fmt: skip

DCLM, DCLM_COMMIT = "mlfoundations/dclm", "361714bdd60bb9b7f4b2d8354cebbf0dec0c329e"
PRINTED = {"published": "eval/eval_meta_data_v1.csv", "corrected": "eval/eval_meta_data.csv"}
"""Where DCLM prints its baselines: the first ones, and those of September 2025."""

CALLED = {
    "jeopardy_all": "jeopardy",
    "winograd_wsc": "winograd",
    "gsm8k": "gsm8k_cot",
    "agi_eval_sat_math": "agi_eval_sat_math_cot",
    "aqua": "aqua_cot",
    "svamp": "svamp_cot",
}
"""What DCLM calls the task of a file where it is not called as the file."""

CORE = ("hellaswag_zeroshot", "jeopardy", "bigbench_qa_wikidata", "arc_easy", "arc_challenge", "copa",
        "commonsense_qa", "piqa", "openbook_qa", "lambada_openai", "hellaswag", "winograd", "winogrande",
        "bigbench_dyck_languages", "agi_eval_lsat_ar", "bigbench_cs_algorithms", "bigbench_operators",
        "bigbench_repeat_copy_logic", "squad", "coqa", "boolq",
        "bigbench_language_identification")  # fmt: skip
"""The tasks of CORE: low_variance_datasets in DCLM's eval/additional_aggregation.json."""

NOT_COUNTED = {"hellaswag_zeroshot": 0.25, "hellaswag": 0.25, "squad": 0.0, "coqa": 0.0}
"""Those whose files are too large to be counted here, with what DCLM prints for them.

HellaSwag offers four endings, each called by its own text, so that this is its bar. SQuAD and CoQA are free
answers, whose bars are above 0.
"""

LONGEST = 20  # characters of an answer that is named


@dataclass(frozen=True)
class Counted:
    """A line of the atlas."""

    suite: str
    task: str
    kind: str
    items: int
    right: dict[
        int, list[int]
    ]  # right answers by the number of options and position; {0: [count]} of free ones
    answer: str
    published: float | None
    corrected: float | None
    source: tuple[str, str, str]

    @property
    def bar(self) -> Fraction:
        """What the best answers expect that ignore the questions."""
        if self.kind == "unlettered":
            return self.random_guess or Fraction(0)
        return Fraction(sum(map(max, self.right.values())), self.items)

    @property
    def random_guess(self) -> Fraction | None:
        """The mean of 1 / options; items whose right answer is none of their options count as well."""
        if self.kind == "free":
            return None
        return sum(Fraction(sum(counts), options) for options, counts in self.right.items()) / self.items

    @property
    def called(self) -> str:
        """Its name in DCLM."""
        return CALLED.get(self.task, self.task)


def read(path: Path = TASKS) -> list[Counted]:
    """Read all lines."""
    with path.open(newline="", encoding="utf-8") as file:
        return [_counted(row) for row in csv.DictReader(file)]


def _counted(row: Mapping[str, str]) -> Counted:
    printed = [float(row[name]) if row[name] else None for name in PRINTED]
    source = row["repository"], row["commit"], row["path"]
    right = positions_of(row["right"])
    return Counted(
        row["suite"], row["task"], row["kind"], int(row["items"]), right, row["answer"], *printed, source
    )


def positions_of(text: str) -> dict[int, list[int]]:
    """Read counts by position: ``2: 5 7; 4: 1 0 3 2``; one number is that of the commonest free answer."""
    if ":" not in text:
        return {0: [int(text)]}
    parts = (part.partition(":") for part in text.split(";"))
    return {int(options): [int(count) for count in counts.split()] for options, _, counts in parts}


def count(clones: Path, row: Mapping[str, str], printed: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """Return a line with what its file holds, and what DCLM prints for it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(row["path"]).name.replace(".txt", ".jsonl")
        path.write_bytes(show(clones, row["repository"], row["commit"], row["path"]))
        bars = cb.baseline_tasks(path)
    (facts,), (positions,) = bars.facts, bars.positions
    right = "; ".join(f"{options}: {' '.join(map(str, counts))}" for options, counts in positions.items())
    always = bars[0].attained_by.always
    names_item = len(always) > LONGEST or facts.bar * facts.items < 1.5  # then it would be the text of one
    guess = facts.random_guess
    counted = {
        "kind": facts.kind,
        "items": str(facts.items),
        "right": right or str(round(facts.bar * facts.items)),
        "answer": "" if names_item else always,
        "bar": f"{facts.bar:.6f}",
        "random_guess": f"{guess:.6f}" if positions else "",
    }
    name = CALLED.get(row["task"], row["task"])
    theirs = {
        at: f"{of[name]:g}" if row["suite"] == "llm-foundry" and name in of else ""
        for at, of in printed.items()
    }
    return {**row, **counted, **theirs}


def show(clones: Path, repository: str, commit: str, path: str) -> bytes:
    """Return a file at a commit of a clone."""
    folder = clones / repository
    command = ["git", "-C", str(folder), "show", f"{commit}:{path}"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def count_anew(clones: Path) -> None:
    """Write atlas/tasks.csv and atlas/core_models.csv as the files in clones have it."""
    printed = {}
    for name, path in PRINTED.items():
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            file.write(show(clones, DCLM, DCLM_COMMIT, path))
            file.flush()
            printed[name] = read_published(file.name)
    with TASKS.open(newline="", encoding="utf-8") as file:
        lines = [count(clones, row, printed) for row in csv.DictReader(file)]
    _write(TASKS, COLUMNS, sorted(lines, key=lambda row: (row["suite"].casefold(), row["task"].casefold())))
    with MODELS.open(newline="", encoding="utf-8") as file:
        rows = [_model(clones, row) for row in csv.DictReader(file)]
    _write(MODELS, ("model", "core_v1", "core_v2", *CORE, "path"), rows)


def _model(clones: Path, row: Mapping[str, str]) -> dict[str, str]:
    """Return what DCLM publishes of a model: the accuracy of each task of CORE, and CORE in both versions."""
    results = json.loads(show(clones, DCLM, DCLM_COMMIT, row["path"]))
    shares = {task: f"{results['eval_metrics']['icl'][task]:.6f}" for task in CORE}
    versions = {f"core_{version}": f"{results[f'Core_{version}']:.6f}" for version in ("v1", "v2")}
    return {"model": row["model"], **versions, **shares, "path": row["path"]}


def _write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def rescaled(accuracies: Mapping[str, float], bars: Mapping[str, float]) -> float:
    """Return the mean over the tasks of CORE of (accuracy − bar) / (1 − bar)."""
    return sum((accuracies[task] - bars[task]) / (1 - bars[task]) for task in CORE) / len(CORE)


def core_bars() -> dict[str, dict[str, float]]:
    """Return three sets of bars of the tasks of CORE: both that DCLM printed, and those of the data."""
    tasks = {one.called: one for one in read() if one.suite == "llm-foundry" and one.called in CORE}
    bars: dict[str, dict[str, float]] = {
        name: {task: float(getattr(one, name) or 0.0) for task, one in tasks.items()} for name in PRINTED
    }
    bars["true"] = {task: float(one.bar) for task, one in tasks.items()}
    return {name: {**of, **NOT_COUNTED} for name, of in bars.items()}


def models() -> list[tuple[str, dict[str, float], float, float]]:
    """Return models with the accuracies that DCLM publishes, and its CORE in both versions."""
    with MODELS.open(newline="", encoding="utf-8") as file:
        return [
            (
                row["model"],
                {task: float(row[task]) for task in CORE},
                float(row["core_v1"]),
                float(row["core_v2"]),
            )
            for row in csv.DictReader(file)
        ]


def off_by(one: Counted) -> float:
    return float(one.published or 0.0) - float(one.bar)


def published_table(most: int | None = None) -> str:
    """Return the tasks with a printed baseline, the one that is farthest off first, in Markdown."""
    tasks = sorted((one for one in read() if one.published is not None), key=lambda one: -abs(off_by(one)))
    heads = ("task", "items", "published", "corrected", "guess", "true", "off by", "who scores that")
    aligns = ("left", "right", "decimal", "decimal", "decimal", "decimal", "decimal", "left")
    return Table.of(aligns, heads, (_published_row(one) for one in tasks[:most])).to_markdown()


def _published_row(one: Counted) -> list[str]:
    printed = ["–" if value is None else number(value, 1000) for value in (one.published, one.corrected)]
    least = "at least " if one.kind == "free" else ""
    guess = one.random_guess
    return [
        one.called,
        f"{one.items:,}",
        *printed,
        "–" if guess is None else number(float(guess), 1000),
        f"{least}{number(float(one.bar), one.items)}",
        signed(off_by(one), 3),
        _who(one),
    ]


def _who(one: Counted) -> str:
    if one.kind == "unlettered":
        return "a random guess"
    if one.answer:
        return f'always "{one.answer}"'
    return "always the same answer" if one.kind == "free" else "the best position of each number of options"


def core_table() -> str:
    """Return CORE of each model, and of blind answers, with DCLM's baselines and with true bars."""
    bars = core_bars()
    rows = [(name, *(rescaled(shares, bars[of]) for of in bars)) for name, shares, *_ in models()]
    rows.append(("answers that ignore the questions", *(rescaled(bars["true"], bars[of]) for of in bars)))
    rows.sort(key=lambda row: -row[-1])
    heads = ("model", "CORE, first baselines", "CORE, corrected in 2025", "CORE, true bars")
    cells = ([name, *(number(value, 1000) for value in values)] for name, *values in rows)
    return Table.of(("left", *["decimal"] * 3), heads, cells).to_markdown()


def all_table() -> str:
    """Return all tasks with bar, random guess and source, in Markdown."""
    heads = ("suite", "task", "kind", "items", "options", "random guess", "bar", "who scores that")
    aligns = ("left", "left", "left", "right", "right", "decimal", "decimal", "left")
    return Table.of(aligns, heads, map(_row, read())).to_markdown()


def _row(one: Counted) -> list[str]:
    guess = one.random_guess
    sizes = [str(size) for size in (min(one.right), max(one.right)) if size]
    options = "–".join(dict.fromkeys(sizes)) or "–"
    least = "at least " if one.kind == "free" else ""
    bar = f"{least}{number(float(one.bar), one.items)}"
    told = "–" if guess is None else number(float(guess), one.items)
    return [one.suite, one.task, one.kind, f"{one.items:,}", options, told, bar, _who(one)]


def sources() -> str:
    """Return where the data stand, in Markdown."""
    places = sorted({(one.suite, one.source[0], one.source[1]) for one in read()})
    return "\n".join(f"- {suite}: `{repository}` at `{commit[:12]}`" for suite, repository, commit in places)


def tables() -> str:
    """Return what the site shows."""
    return f"{all_table()}\n\nCounted in:\n\n{sources()}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        count_anew(Path(sys.argv[1]))
    else:
        print(published_table(), core_table(), tables(), sep="\n\n")
