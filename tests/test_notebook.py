"""What a notebook's cell shows of a measure, a bar and a null distribution."""

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import clearbar as cb
from clearbar.formatting import visible

pytestmark = pytest.mark.quick

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\u202eabc\u0000", "a" * 10_000]


def parsed(page):
    """Read a cell as XML: stricter than any browser."""
    return ET.fromstring(page)  # noqa: S314 - our own


def text(page):
    return " ".join("".join(parsed(page).itertext()).split())


@pytest.mark.parametrize(
    "measure", [*cb.measures(), *cb.measures("scores")], ids=lambda measure: measure.name
)
def test_every_measure_shows_its_formula_its_facts_and_its_source(measure):
    page = measure._repr_html_()
    shown = text(page)
    assert parsed(page).find(".//math") is not None
    assert measure.question in shown
    assert measure.source in shown
    assert measure.kind == "scores" or str(measure.domain) in shown


@pytest.mark.parametrize("name", HOSTILE, ids=["script", "attribute", "control", "long"])
def test_names_and_words_of_ones_own_measure_stay_text(name):
    measure = cb.Measure(
        visible(name), lambda tp, fp, fn, tn: tp - fp,  # noqa: ARG005 - a measure takes all four
        greater_is_better=True,
        label=visible(name), question=name, formula=name, symbol=name, caution=name, source=name,
    )  # fmt: skip
    for value in (
        measure,
        cb.baseline(cb.Population(9, 4), measure),
        cb.Draw(cb.Population(9, 4), 3).distribution(measure),
    ):
        page = parsed(value._repr_html_())
        assert {node.tag for node in page.iter()} <= {
            "div", "p", "strong", "small", "code", "table", "thead", "tbody", "tr", "th", "td",
            "math", "mi", "mo", "mn", "mrow", "mtext", "msub", "msup", "bdi",
        }  # fmt: skip
        assert {key for node in page.iter() for key in node.attrib} <= {
            "class", "dir", "style", "scope", "display", "title", "mathvariant",
        }  # fmt: skip


def test_a_bar_shows_what_it_is_and_who_attains_it():
    shown = text(cb.baseline(cb.Population(303, 139), "f1")._repr_html_())
    assert shown.startswith("F1 bar 0.629: predict all 303 positive")
    assert "303 samples, 139 positive (45.9 %)" in shown
    assert "perfect predictions" in shown


def test_a_null_distribution_shows_its_moments():
    null = cb.Draw(cb.Population(50, 5), 27).distribution("g_mean")
    shown = text(null._repr_html_())
    for number in (null.mean(), null.std(), *null.interval(0.9), *null.support()):
        assert f"{number:.3f}" in shown or f"{number:g}" in shown
    assert "27 of 50 samples" in shown


def test_a_score_that_may_have_no_value_says_how_often():
    null = cb.Draw(cb.Population(50, 5), 20).distribution("diagnostic_odds_ratio")
    k, m, p = 20, 50, 5
    lost = sum(math.comb(p, tp) * math.comb(m - p, k - tp) for tp in range(6) if (p - tp) * (k - tp) == 0)
    assert f"{100 * lost / math.comb(m, k):.1f} % of the draws" in text(null._repr_html_())
    never = cb.Draw(cb.Population(50, 5), 0).distribution("precision")
    assert "never has a value" in text(never._repr_html_())


def cells_of(page):
    """The rows of the tables of a page, as text."""
    return [["".join(cell.itertext()) for cell in row] for row in parsed(page).iter("tr")]


def test_counts_show_their_table_and_its_margins():
    page = cb.Counts(tp=14, fp=3, fn=4, tn=1000)._repr_html_()
    assert cells_of(page) == [
        ["", "predicted positive", "predicted negative", "all"],
        ["positive", "14", "4", "18"],
        ["negative", "3", "1,000", "1,003"],
        ["all", "17", "1,004", "1,021"],
    ]
    several = cb.Counts(tp=np.arange(60).reshape(2, 30), fp=1, fn=2, tn=3)._repr_html_()
    assert cells_of(several)[:2] == [["", "tp", "fp", "fn", "tn"], ["0, 0", "0", "1", "2", "3"]]
    assert "… 40 more" in several


def test_a_verdict_shows_its_sentence_and_its_numbers():
    verdict = cb.evaluate_counts({"<tree>": cb.Counts(tp=14, fp=3, fn=4, tn=10)}, "f1")[0]
    page = verdict._repr_html_()
    assert text(page).startswith(str(verdict))
    low, high = (f"{end:.3f}" for end in (verdict.low, verdict.high))
    assert cells_of(page) == [
        ["bar", "score", "95 % interval", "skill", "p"],
        ["0.735", "0.800", f"{low} – {high}", "+0.25", "0.67"],
    ]
    assert "text-align:left" not in page, "numbers stand to the right"
    bare = cb.baseline(cb.Population(31, 18), "f1").judge("0.72")._repr_html_()
    assert cells_of(bare)[0] == ["bar", "score", "skill"], "a bare score has no interval"


def views():
    """One value of each public class, and of what scorecards return."""
    y, models = [1, 0] * 30, {"<a>": [1, 0] * 30, "b": [1, 0] * 18 + [0, 1] * 12}
    card = cb.evaluate(y, models, "f1")
    matrix = cb.ConfusionMatrix([[5, 1, 0], [2, 3, 0], [0, 1, 4]], labels=["<a>", "b", "c"])
    sizes, bar = cb.Population(60, 30), cb.baseline(y, "f1")
    yield from (
        card,
        card[0],
        card.failing,
        card.compare("<a>", "b", "f1"),
        card.ranking("f1"),
        card.best_of(),
    )
    yield from (matrix, matrix.sizes, matrix.one_vs_rest(), card.counts, sizes, bar, bar.max)
    yield from (cb.Draw(sizes, 4), cb.Draw(sizes, 4).distribution("f1"), cb.dummies(sizes, "f1"))
    yield from (cb.baseline(y, "roc_auc"), cb.baseline(list("abca"), "f1_macro"))
    yield from (cb.baseline([1.0, 2, 4], "mae"), cb.baseline_multilabel(np.eye(3, dtype=bool), "f1_micro"))
    yield from (cb.get_measure("f1"), cb.get_measure("roc_auc"), cb.possible_tables(sizes, {"recall": "0.8"}))


def test_every_public_value_has_a_view_in_which_names_stay_text():
    classes = {getattr(cb, name) for name in cb.__all__ if isinstance(getattr(cb, name), type)}
    assert [one for one in classes if not hasattr(one, "_repr_html_") and not issubclass(one, Warning)] == []
    for value in views():
        page = value._repr_html_()
        assert text(page.replace("<br>", " ")), type(value)
        assert "<a>" not in page


def test_a_matrix_shows_a_bar_for_the_share_of_its_row_and_of_many_classes_a_row_each():
    page = cb.ConfusionMatrix([[6, 2], [0, 5]], labels=["cat", "dog"])._repr_html_()
    assert text(page).startswith("11 of 13 samples right")
    assert [[cell.strip() for cell in row] for row in cells_of(page)] == [
        ["", "predicted cat", "predicted dog", "all"],
        ["cat", "6", "2", "8"],
        ["dog", "0", "5", "5"],
        ["all", "6", "7", "13"],
    ]
    assert [bars[1].get("width") for bars in parsed(page).iter("svg")] == ["75%", "25%", "0%", "100%"]
    many = cb.ConfusionMatrix(np.diag(np.arange(1, 31)))._repr_html_()
    assert len(cells_of(many)) == 21
    assert "… 10 more" in many
