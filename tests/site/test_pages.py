"""The sources of the site: every page in its place, every measure, name and option on one."""

import inspect
import math
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tools.site import chart, command_line, links, measures, pages, reference

import clearbar as cb
from clearbar.cli._commands import COMMANDS

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))


def hung(text):
    """Return the pages of all trees of a page."""
    trees = re.findall(r"```\{toctree\}\n:hidden:\n(?::caption: \S+\n)?\n(.*?)\n```", text, re.DOTALL)
    return [re.sub(r".*<(\w+)>", r"\1", line) for tree in trees for line in tree.splitlines()]


def test_every_page_of_docs_hangs_in_the_tree_exactly_once():
    found = pages.sources()
    named = [name for text in found.values() for name in hung(text)]
    assert sorted(named) == sorted(set(named))
    generated = {"measures/index", "reference/index"}
    assert set(named) - generated == {name.removesuffix(".md") for name in found} - {"index"}
    assert {path.stem for path in DOCS} - {"README", "index"} <= set(named)
    assert found["index.md"].count(pages.CALCULATOR) == found["atlas.md"].count(pages.ATLAS) == 1


def test_a_new_page_needs_one_line_of_the_index():
    first, how, carry = pages.sections(
        "# All\n\n[a](a.md)\n\n## How to\n\n| b | [b.md](b.md), [b again](b.md#x) |\n\n"
        "## Carry it on\n\n[c](../SECURITY.md)\n"
    )
    assert first.pages == ["a"]
    assert (how.slug, how.pages) == ("how_to", ["b"])
    assert carry.pages == ["security"]
    assert pages.landing(how).startswith("# How to\n\n| b | [](b.md), [b again]")
    assert hung(pages.landing(how)) == ["b"]
    assert hung(pages.front("# Home\n", (first, how, carry))) == [
        *("a", "how_to", "carry_it_on", "measures/index", "reference/index")
    ]


def test_links_into_the_repository_lead_to_the_sites_pages_or_become_names():
    changed = "[c.md](../CHANGELOG.md) [s](../examples/papers/x.py) [h](README.md#how-to)"
    kept = " [v](verdict.md#folds) ![p](images/a.png)"
    assert pages.for_site(changed + kept) == "[c](changelog.md) `s` [h](how_to.md)" + kept


def test_no_paragraph_stands_twice():
    seen = {}
    for path in [ROOT / "README.md", *DOCS, *(ROOT / name for name in pages.HOUSE)]:
        text = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for part in text.split("\n\n"):
            words = " ".join(part.split())
            if len(words) > 80:
                assert words not in seen, (path.name, seen.get(words))
                seen[words] = path.name
    assert len(seen) > 200


@pytest.mark.slow
def test_every_measure_of_every_kind_has_a_page_of_its_own():
    entries = [one for kind in measures.kinds() for one in measures.of(kind)]
    assert {"binary", "scores", "multiclass"} <= {one.kind for one in entries}
    places = [measures.slug(one) for one in entries]
    assert len(set(places)) == len(places) > 120
    listed = [f"{kind}/{name}" for kind in measures.kinds() for name in hung(measures.index(kind))]
    assert listed == places


def test_a_gallery_draws_the_bar_of_each_measure_and_writes_it_at_three_shares():
    drawn = measures.gallery("probabilities", "probabilities/")
    assert re.findall(r'href="([^"]+)\.html"', drawn) == [
        measures.slug(one) for one in measures.of("probabilities")
    ]
    assert drawn.count("<svg") == drawn.count("<p>") == len(measures.of("probabilities"))
    sizes = np.array([[10, 45, 45], [50, 25, 25], [90, 5, 5]]) / 100
    entropies = -(sizes * np.log(sizes)).sum(axis=1)  # the bar of log loss
    for entropy, share in zip(entropies, measures.SMALL, strict=True):
        assert f"{entropy:.3f} at {share} %" in drawn
    assert "<span>bar 2.200</span>" in measures.gallery("regression"), "MAE of 1, 2, 3, 5, 9 around 3"
    assert "No bar" in measures.small_bar(cb.get_measure("prevalence"))


def test_the_shaded_side_of_a_small_bar_is_the_one_that_blind_predictions_reach():
    corner = {True: "2.0,32 ", False: "2.0,0 "}
    for below, place in corner.items():
        assert f'points="{place}' in chart.spark([0, 1], [0.2, 0.4], "bar", below=below)


@pytest.mark.parametrize("name", ["f1", "brier_score", "g_mean", "prevalence"])
def test_a_measures_page_has_what_its_entry_says(name):
    measure = cb.get_measure(name)
    text = measures.page(measure)
    assert text.startswith(f"# {measure.label}\n\n*{measure.question}*\n")
    assert f": `{measure.name}`\n" in text
    assert measures.text(measure.source) in text
    assert "<math" in text
    assert ("<svg" in text) == (measure.greater_is_better is not None)
    assert ("bar</mi>" in text or "bar</mtext>" in text) == (name == "f1")


def test_a_measures_page_has_the_bars_of_the_shares_it_lists():
    text = measures.page(cb.get_measure("f1"))
    assert "| 30 % | 0.462 | predict all 100 positive |" in text
    assert "| 50 % | 0.667 |" in text
    assert "Attained where everything is predicted positive." in text
    many = measures.page(cb.get_measure("accuracy", "multiclass"))
    assert '| 50 % | 0.500 | label all 100 samples "A" |' in many


def test_a_measure_of_sets_of_labels_has_the_bar_of_an_example():
    text = measures.page(cb.get_measure("f1_micro", "multilabel"))  # 5 of 8 answers are right, of 6 labels
    assert f"micro F1 bar {10 / 14:.3f}: predict labels 0 and 1 for every sample." in text


def test_every_command_and_option_is_on_the_reference_page():
    text = command_line.page()
    for name, command in COMMANDS.items():
        part = text.split(f"## clearbar {name}\n")[1].split("\n## ")[0]
        assert f"clearbar {command.usage}\n" in part
        for option, facts in command.options.items():
            assert f"`{command_line.written(option, facts)}`" in part
            assert measures.text(facts["help"][1:]) in part
        for example in command.examples:
            assert f"$ clearbar {example}\n" in part


def test_every_public_name_has_a_page_and_no_two_share_one():
    found = reference.pages()
    described = set(re.findall(r"^\.\. auto\w+:: (\S+)$", "\n".join(found.values()), re.MULTILINE))
    values = {name: getattr(cb, name) for name in cb.__all__ if not name.startswith("_")}
    assert {f"clearbar.{name}" for name, value in values.items() if not inspect.ismodule(value)} <= described
    assert len({place.lower() for place in found}) == len(found)
    tree = {f"reference/{name}.md" for name in hung(found["reference/index.md"])}
    assert tree == set(found) - {"reference/index.md"} | {"reference/command_line.md"}


def test_a_curve_is_drawn_where_it_has_values_and_says_so_in_words():
    drawn = ET.fromstring(chart.curve(  # noqa: S314 - ours
        [0.1, 0.2, 0.5, 0.9], [0.2, 0.4, math.nan, 1.0], across="share", up="bar", description="a < b"
    ))  # fmt: skip
    svg = "{http://www.w3.org/2000/svg}"
    assert drawn.get("aria-label") == "a < b"
    lines = [line.get("points").split() for line in drawn.iter(f"{svg}polyline")]
    assert [len(line) for line in lines] == [2, 1]
    (x1, y1), (x2, y2) = (map(float, point.split(",")) for point in lines[0])
    assert (x1 < x2, y1 > y2) == (True, True)


@pytest.mark.parametrize(
    ("values", "ends"),
    [([0.2, 0.9], (0, 1)), ([-3.0, 41.0], (-10, 50)), ([0.0, 1.3], (0, 1.5))],
)
def test_an_axis_holds_all_values_between_round_numbers(values, ends):
    low, high, ticks = chart.scale(values)
    assert (low, high) == pytest.approx(ends)
    assert 3 <= len(ticks) <= 8
    assert (ticks[0], ticks[-1]) == pytest.approx(ends)


def test_broken_links_and_what_is_fetched_from_elsewhere_are_found(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.html").write_text(
        '<a href="sub/b.html#here">x</a><a href="sub/b.html#nowhere">x</a><a href="gone.html">x</a>'
        '<a href="https://example.org">x</a><a href="#top">x</a><img src="https://example.org/x.png">'
        '<link href="style.css?v=1"><h1 id="top">t</h1>'
    )
    (tmp_path / "style.css").write_text("")
    (tmp_path / "sub" / "b.html").write_text('<p id="here"><a href="../a.html">x</a></p>')
    assert links.broken(tmp_path) == [
        "a.html fetches https://example.org/x.png",
        "a.html links to gone.html, which is not there",
        "a.html links to sub/b.html#nowhere, a place that is not there",
    ]
