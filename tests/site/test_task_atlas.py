"""Every task of the atlas: the bar that follows from its counts, CORE as DCLM publishes it, and the page."""

import re
from fractions import Fraction

import pytest
from scipy.stats import chisquare
from tests.site.test_atlas import lines_of
from tools import task_atlas
from tools.site.pages import DOCS

LINES = lines_of("tasks.csv")


def test_there_are_many_and_none_stands_twice():
    keys = [(line["suite"].casefold(), line["task"].casefold()) for line in LINES]
    assert len(set(keys)) == len(LINES) >= 100
    assert keys == sorted(keys)
    assert {line["suite"] for line in LINES} >= {"llm-foundry", "BIG-Bench-Hard", "AGIEval"}
    assert sum(line["suite"] == "BIG-Bench-Hard" for line in LINES) == 27


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['suite']} {line['task']}")
def test_the_bar_follows_from_the_counts(line):
    items = int(line["items"])
    if line["kind"] == "free":
        assert float(line["bar"]) == pytest.approx(int(line["right"]) / items, abs=5e-7)
        assert not line["random_guess"]
        return
    parts = [part.split(":") for part in line["right"].split(";")]
    counted = [(int(size), list(map(int, counts.split()))) for size, counts in parts]
    assert all(len(counts) == size for size, counts in counted)
    assert items - 2 <= sum(sum(counts) for _, counts in counted) <= items
    guess = sum(Fraction(sum(counts), size) for size, counts in counted) / items
    best = Fraction(sum(max(counts) for _, counts in counted), items)
    assert line["kind"] != "classes" or len(counted) == 1
    assert float(line["bar"]) == pytest.approx(
        float(guess if line["kind"] == "unlettered" else best), abs=5e-7
    )
    assert line["random_guess"] == f"{float(guess):.6f}"
    answer = line["answer"]
    if line["kind"] == "lettered" and answer:  # one position, the commonest of each number of options
        place = ord(answer) - ord("A")
        assert all(counts[place] == max(counts) for _, counts in counted)


def test_two_tasks_whose_published_baselines_are_far_off():
    by_name = {line["task"]: line for line in LINES if line["suite"] == "llm-foundry"}
    asked = by_name["commonsense_qa"]
    assert (asked["items"], asked["right"], asked["answer"]) == ("1221", "4: 239 255 492 235", "C")
    assert (asked["bar"], asked["published"], asked["corrected"]) == ("0.402948", "0.2", "0.403")
    medical = by_name["pubmed_qa_labeled"]
    assert (medical["items"], medical["right"], medical["answer"]) == ("1000", "552", "yes")
    assert (medical["published"], medical["corrected"]) == ("0", "0")


def test_core_with_the_printed_baselines_is_what_is_published():
    bars = task_atlas.core_bars()
    assert all(set(of) == set(task_atlas.CORE) for of in bars.values())
    for name, shares, first, corrected in task_atlas.models():
        assert task_atlas.rescaled(shares, bars["published"]) == pytest.approx(first, abs=2e-6), name
        assert task_atlas.rescaled(shares, bars["corrected"]) == pytest.approx(corrected, abs=2e-6), name
        assert task_atlas.rescaled(shares, bars["true"]) < corrected, name


def test_the_page_says_what_the_atlas_holds():
    page = (DOCS / "published_baselines.md").read_text("utf-8")
    for name, table in (("published", task_atlas.published_table(20)), ("core", task_atlas.core_table())):
        shown = re.search(rf"<!-- {name} -->\n\n(.*?)\n\n<!-- end -->", page, re.DOTALL)
        assert shown is not None, name
        assert shown[1] == table.strip(), name
    assert f"right answers of {len(LINES)} public tasks" in page
    core = task_atlas.core_bars()
    blind = [f"{task_atlas.rescaled(core['true'], core[of]):.3f}" for of in ("published", "corrected")]
    assert f"have scored {blind[0]} of CORE, and {blind[1]} after" in page
    changed = sum(line["published"] != line["corrected"] for line in LINES)
    assert f") {['eleven', 'twelve'][changed - 10]} of them" in page  # one is too large to be counted here
    scores = {name: shares for name, shares, *_ in task_atlas.models()}
    for of, ahead in (("published", True), ("corrected", True), ("true", False)):
        two = [task_atlas.rescaled(scores[name], core[of]) for name in ("DeepSeek 7B", "MAP-Neo 7B")]
        assert (two[0] > two[1]) == ahead, of


def test_which_right_answers_are_uneven_beyond_luck():
    page = (DOCS / "published_baselines.md").read_text("utf-8")
    tasks = [
        one for one in task_atlas.read() if one.published is not None and one.kind in {"lettered", "classes"}
    ]
    p = {one.called: chisquare(counts).pvalue for one in tasks for counts in one.right.values()}
    assert f"In {len(p)} tasks the bar" in page
    uneven = {name for name, value in p.items() if value < 0.002}
    assert uneven == {"commonsense_qa", "boolq", "bigbench_strategy_qa"}
    assert round(p.pop("logi_qa"), 2) == 0.02
    assert len(p) - len(uneven) == 12
    assert min(value for name, value in p.items() if name not in uneven) > 0.1


def test_the_tables_name_every_task_and_where_it_was_counted():
    told = task_atlas.tables().replace("<wbr>", "")
    assert all(
        f"| {line['task']} |".replace("_", r"\_") in told or f"| {line['task']} |" in told for line in LINES
    )
    assert all(line["repository"] in told for line in LINES)
