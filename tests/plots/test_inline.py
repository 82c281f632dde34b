"""Pictures within a page: the same each time, styled by the page, and alone with their names."""

import functools
import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

import clearbar as cb
from clearbar.plots import ExpectationDisplay, NullDisplay, ScorecardDisplay, SlicesDisplay
from clearbar.plots._inline import inline_svg

COUNTS = {
    "$x$ & <b>": cb.Counts(tp=[30, 12, 4], fp=[6, 9, 1], fn=[5, 10, 0], tn=[40, 8, 15]),
    "模型 👩": cb.Counts(tp=[20, 12, 4], fp=[9, 9, 6], fn=[15, 10, 0], tn=[37, 8, 10]),
}
CARD = cb.evaluate_counts(COUNTS, ["f1", "mcc"], groups=[None, "north", "south"])
DRAWN = {
    "scorecard": lambda: ScorecardDisplay.from_scorecard(CARD),
    "slices": lambda: SlicesDisplay.from_scorecard(CARD, "f1", model="$x$ & <b>"),
    "null": lambda: NullDisplay.from_verdict(CARD[0]),
    "expectation": lambda: ExpectationDisplay.from_baseline(CARD.bar(0)),
}


@functools.cache
def inline(draw):
    return inline_svg(draw, "p0")


pytestmark = pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)


def test_it_is_one_element_without_style_whose_references_are_its_own(draw):
    svg, description = inline_svg(draw, "p7", {"#ffffff": "var(--page,#fff)"})
    root = ET.fromstring(svg)  # noqa: S314 - our own
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == description
    ids = [node.attrib["id"] for node in root.iter() if "id" in node.attrib]
    assert len(ids) == len(set(ids))
    assert all(name.startswith("p7-") for name in ids)
    assert set(re.findall(r"""(?:url\(|href=")#([\w-]+)""", svg)) == set(ids)
    assert not [node for node in root.iter() if "style" in node.attrib or node.tag in {"style", "metadata"}]
    assert "#ffffff" not in svg
    assert "#000000" not in svg


def test_it_is_the_same_each_time_whatever_the_users_settings(draw):
    once = inline(draw)
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "red", "svg.fonttype": "path"}):
        kept = dict(mpl.rcParams)
        assert inline_svg(draw, "p0") == once
        assert dict(mpl.rcParams) == kept
    assert plt.get_fignums() == []


def test_every_number_is_one_that_a_browser_reads(draw):
    svg, _ = inline(draw)
    places = " ".join(re.findall(r' (?:d|x|y|points)="([^"]*)"', svg))
    numbers = re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", places)
    assert len(numbers) > 20
    assert max(map(len, numbers)) < 10
    assert all(abs(float(number)) < 1e5 for number in numbers)
