"""One registry: a measure of any kind is one entry, and everything finds it."""

import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from tests.catalogue.tables import every_table

import clearbar as cb
from clearbar.catalogue import KINDS, Refused, _registry, common_kind, get_measure, measures, register
from clearbar.catalogue._declare import family, measure
from clearbar.catalogue._registry import Kind
from clearbar.cli import main
from clearbar.problems.scores import ScoreMeasure

pytestmark = pytest.mark.quick

SIZES = cb.Population(total=40, positives=15)
TRUTH = [1] * 15 + [0] * 25
LABELS = [1] * 12 + [0] * 3 + [1] * 5 + [0] * 20
SCORES = [0.9 - 0.01 * i for i in range(15)] + [0.8 - 0.01 * i for i in range(25)]


@measure(
    question="How much louder are hits than alarms?",
    aliases="SHOUT",
    formula=r"\frac{TP - FP}{k}",
    source="Nobody, 2024",
    bounds=(-1, 1),
    domain=("k > 0",),
)
def loudness(tp, fp, fn, tn):
    return (tp - fp) / (tp + fp)


@family(
    question="How dear are the alarms?",
    listed={"price": 2},
    short=r"dear(?P<price>\d+)",
    formula=r"\frac{price\,FP}{N}",
    source="Nobody, 2024",
    greater_is_better=False,
    bounds=lambda price: (0, float(price)),
    shape="monotone",
)
def dearness(tp, fp, fn, tn, *, price):
    return price * fp / (fp + tn)


def first_is_positive(ranking):
    return ranking.positives[..., 0] / np.maximum(ranking.sizes[..., 0], 1)  # a resample may lack it


top_hit = ScoreMeasure(
    "top_hit",
    first_is_positive,
    expected=lambda total, positives: positives / total,
    label="top hit",
    aliases=("TH",),
    question="Is the first sample positive?",
    formula=r"y_{(1)}",
    source="Nobody, 2024",
    in_catalogue=True,
)


@pytest.fixture
def registry(monkeypatch):
    """Give back what is registered during a test."""
    measures(), measures("scores")
    copy = {kind: dict(spelt) for kind, spelt in _registry._SPELT.items()}
    monkeypatch.setattr(_registry, "_SPELT", copy)
    return copy


@pytest.fixture
def with_one_of_each(registry):
    register("binary", [loudness, dearness])
    register("scores", [top_hit])


def printed(capsys, *words):
    assert main(list(map(str, words))) == 0
    return capsys.readouterr().out


NEW = {
    loudness: ("loudness", "Shout", "LOUDNESS"),
    dearness(price=3): ("dearness(price=3)", "dear3"),
    top_hit: ("top_hit", "th", "Top Hit"),
}
BARS = {"loudness": -0.25, "dearness(price=3)": 0, "top_hit": 0.375}


@pytest.mark.usefixtures("with_one_of_each")
@pytest.mark.parametrize(("new", "names"), NEW.items(), ids=str)
class TestOneEntryIsFoundBy:
    def test_its_names(self, new, names):
        for name in names:
            assert get_measure(name) == get_measure(name, new.kind) == new
        assert new.family or new in measures(new.kind)
        assert pickle.loads(pickle.dumps(new)) == new  # noqa: S301 - our own

    def test_evaluate_baseline_and_score(self, new, names):
        said, bar = SCORES if new is top_hit else LABELS, BARS[new.name]
        for name in names:
            assert cb.baseline(SIZES, name).value == pytest.approx(bar)
            card = cb.evaluate(TRUTH, said, name)
            assert card[0].measure == new
            assert card[0].baseline.value == pytest.approx(bar)
            assert card[0].score == cb.score(TRUTH, said, name)
            assert card.explain(names[0])
        assert new.label in card._repr_html_()
        assert new.question in new._repr_html_()

    def test_the_command_line(self, new, names, capsys):
        listed = [row["name"] for row in json.loads(printed(capsys, "measures", "--json"))]
        assert new.name in listed or new.family
        assert new.question in printed(capsys, "measures")
        for name in names:
            assert new.question in printed(capsys, "explain", name)
        table = printed(capsys, "baseline", "--total", 40, "--positives", 15, "--measure", names[1])
        assert new.label in table


@pytest.mark.usefixtures("with_one_of_each")
def test_it_is_in_all():
    assert loudness in [row.measure for row in cb.evaluate(TRUTH, LABELS, "all", intervals=False)]
    assert top_hit in [row.measure for row in cb.evaluate_scores(TRUTH, SCORES, "all", intervals=False)]
    assert get_measure("max_loudness").name == "max_loudness"
    tables = every_table(5)
    assert (loudness.values(*tables) == loudness.values(*tables))[loudness.domain.holds(tuple(tables))].all()


def test_a_name_belongs_to_one_entry_of_a_kind(registry):
    with pytest.raises(ValueError, match="'accuracy' names both accuracy and other"):
        register("binary", [Refused("other", "is none.", ("accuracy",))])


def test_kinds_are_open_and_share_names(registry, monkeypatch):
    monkeypatch.setitem(KINDS, "colours", Kind("colours", "colours", "look at them"))

    class ColourMeasure(ScoreMeasure):
        kind = "colours"

    names = ("accuracy", "f1_macro", "hue")
    ours = [ColourMeasure(name, first_is_positive, expected=float, in_catalogue=True) for name in names]
    register("colours", ours)
    assert get_measure("accuracy").kind == "binary"  # it is meant unless the labels say otherwise
    assert get_measure("accuracy", "colours") is ours[0]
    assert get_measure("hue") is ours[2]
    assert measures("colours") == tuple(ours)
    assert common_kind(["accuracy", "f1_macro"]) == "binary"
    assert common_kind(["accuracy", "hue"]) == "colours"
    with pytest.raises(
        ValueError, match=r"^measures mixes measures of labels \(f1\) and of colours \(hue\); ju"
    ):
        common_kind(["f1", "hue"])
    with pytest.raises(ValueError, match="measure 'hue' judges colours, not scores; look at them"):
        get_measure("hue", "scores")


NAMED = re.compile(r"""--measure ([\w@]+)|measures?=(\[[^]]*\]|"[^"]+")|_scorer\(("[^"]+")""")


def test_pages_name_measures_that_there_are():
    root = Path(__file__).parents[2]
    pages = [page.read_text("utf-8") for page in (root / "README.md", *(root / "docs").glob("*.md"))]
    found = ["".join(groups) for page in pages for groups in NAMED.findall(page)]
    names = {name for text in found for name in re.findall(r"[\w@]+", text)}
    assert len(names) > 5
    for name in names - {"all"}:  # which asks for the whole catalogue
        assert get_measure(name).name
