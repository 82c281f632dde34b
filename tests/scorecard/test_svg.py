"""The scorecard as a drawing: a badge for a README, a card for a model card."""

from xml.etree import ElementTree as ET

import pytest

import clearbar as cb

COUNTS = {
    "sure": cb.Counts(tp=50, fp=3, fn=4, tn=40),
    "near": cb.Counts(tp=34, fp=16, fn=20, tn=27),
    "always <yes>": cb.Counts(tp=54, fp=43, fn=0, tn=0),
}


def drawn(text):
    """Return the classes of the marks of a card, and its words."""
    root = ET.fromstring(text)  # noqa: S314 - our own
    marks = [one.get("class") for one in root.iter() if one.get("class") in {"clears", "unsettled", "below"}]
    return marks, [one.text for one in root.iter() if one.tag.endswith("text")]


@pytest.mark.parametrize(
    ("models", "measures", "said"),
    [
        ({"sure": COUNTS["sure"]}, ["f1", "mcc"], "clears both bars"),
        ({"sure": COUNTS["sure"]}, "f1", "clears the bar"),
        ({"near": COUNTS["near"]}, ["f1", "mcc"], "clears 1 of 2 bars"),
        (COUNTS, ["accuracy", "mcc", "f1"], "1 of 3 models clear"),
        ({"sure": COUNTS["sure"]}, "recall", "not judged"),
    ],
)
def test_a_badge_counts_the_bars_that_are_surely_cleared(models, measures, said):
    badge = cb.evaluate_counts(models, measures).to_svg("badge")
    root = ET.fromstring(badge)  # noqa: S314 - our own
    assert root.get("aria-label") == f"clearbar: {said}"
    assert [one.text for one in root.iter() if one.tag.endswith("text")] == ["clearbar", said]


def test_a_badge_and_a_card_claim_no_more_than_was_asked():
    def badge(card):
        return ET.fromstring(card.to_svg("badge")).get("aria-label")  # noqa: S314 - our own

    hurried = cb.evaluate_counts(COUNTS, ["accuracy", "mcc", "f1"], intervals=False)
    assert badge(hurried) == "clearbar: 1 of 3 models above their bars"
    assert "Dot: above the bar." in hurried.to_svg()
    assert badge(cb.evaluate_counts(COUNTS["sure"], "f1", intervals=False)) == "clearbar: above the bar"
    close = [1.1, 2, 2.9, 4]
    assert badge(cb.evaluate([1, 2, 3, 4], close, "mse", intervals=False)) == "clearbar: better than the bar"
    none = cb.Counts(tp=0, fp=0, fn=54, tn=43)  # has no precision, and so clears no bar
    assert (
        badge(cb.evaluate_counts({"a": COUNTS["sure"], "b": none}, "precision"))
        == "clearbar: 1 of 2 models clear"
    )


def test_a_card_has_the_headline_and_a_mark_for_each_score():
    card = cb.evaluate_counts(COUNTS, ["accuracy", "fnr"])
    svg = card.to_svg()
    assert ET.fromstring(svg).get("aria-label") == card.headline()  # noqa: S314 - our own
    marks, words = drawn(svg)
    assert len(marks) == 3  # FNR cannot be judged: grey
    assert marks.count("clears") == 1
    assert words.count("always <yes>") == 2
    assert words.count("Accuracy, bar 0.557") == 1


def test_a_measure_whose_bar_is_its_worst_value_too_has_an_axis():
    """Without positives precision among the first two is 0 for every ranking."""
    card = cb.evaluate_scores([0, 0, 0], [0.1, 0.2, 0.3], "precision@2", pos_label=1)
    assert card[0].outcome == "unbeatable"
    for page in (card.to_svg(), card._repr_html_(), card.to_html(pictures=False)):
        assert 'x1="100%"' in page


def test_many_rows_are_cut_and_one_model_may_be_drawn_alone():
    models = {f"model {number}": COUNTS["sure"] for number in range(40)}
    card = cb.evaluate_counts(models, ["accuracy"])
    assert "4 more scores." in drawn(card.to_svg())[1]
    assert len(drawn(card.to_svg(model="model 3"))[0]) == 1


@pytest.mark.parametrize("kind", ["svg", None])
def test_another_kind_is_refused(kind):
    with pytest.raises(ValueError, match="kind must be 'badge' or 'card'; found"):
        cb.evaluate_counts(COUNTS["sure"], "f1").to_svg(kind)
