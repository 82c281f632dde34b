"""Slices asked about together: the correction applies to the claim that a slice clears."""

import json
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clearbar as cb
from clearbar.verdict import stand_together

ALPHA = 0.05


def discoveries(p_values, alpha):
    """Benjamini and Hochberg's rule, word by word: the k smallest, k the largest with p(k) <= alpha k / m."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    passing = [k for k, at in enumerate(order, start=1) if p_values[at] <= alpha * k / len(order)]
    return set(order[: max(passing, default=0)])


def by_hand(outcomes, p_values, perfect, alpha):
    asked = [at for at, p in enumerate(perfect) if p < alpha]
    found = {asked[k] for k in discoveries([p_values[at] for at in asked], alpha)}
    hoped = {asked[k] for k in discoveries([perfect[at] for at in asked], alpha)}
    words = []
    for at, outcome in enumerate(outcomes):
        if at not in hoped:
            words.append("too small to tell")
        elif outcome != "clears":
            words.append("does not clear")
        else:
            words.append("clears surely" if at in found else "clears, could be chance")
    return words


@st.composite
def rows(draw):
    size = draw(st.integers(1, 12))
    # Powers of two over an odd number: no product alpha k / m is hit exactly, where < and <= differ.
    perfect = [Fraction(1, 3 * 2 ** draw(st.integers(0, 14))) for _ in range(size)]
    p_values = [min(Fraction(1), p * draw(st.sampled_from([1, 2, 8, 64, 512]))) for p in perfect]
    outcomes = [draw(st.sampled_from(["clears", "fails", "ties"])) for _ in range(size)]
    return outcomes, p_values, perfect


@given(rows())
def test_slices_stand_as_the_rule_says(drawn):
    outcomes, p_values, perfect = drawn
    standing, corrected = stand_together(
        np.array(outcomes, dtype=object), np.array(p_values, float), np.array(perfect, float), ALPHA
    )
    assert standing.tolist() == by_hand(outcomes, p_values, perfect, Fraction(1, 20))
    assert ((corrected >= np.array(p_values, float) * (1 - 1e-12)) | np.isnan(corrected)).all()


def test_a_large_p_value_never_makes_a_slice_fail():
    outcome = np.array(["clears"] * 4, dtype=object)
    standing, _ = stand_together(outcome, np.full(4, 0.9), np.full(4, 1e-9), ALPHA)
    assert standing.tolist() == ["clears, could be chance"] * 4


@pytest.fixture
def card():
    """Four slices: sure, lucky, below the bar, and of three samples."""
    counts = cb.Counts(tp=[30, 12, 4, 2], fp=[6, 9, 9, 0], fn=[5, 10, 9, 0], tn=[40, 8, 4, 1])
    return cb.evaluate_counts(counts, ["mcc", "f1", "precision"], groups=["A", "B", "C", "D"])


def test_the_four_ways_and_their_order(card):
    found = card.slices("mcc")
    assert found.group == ("C", "B", "A", "D")
    assert found.standing.tolist() == [
        "does not clear",
        "clears, could be chance",
        "clears surely",
        "too small to tell",
    ]
    assert found.skill.tolist() == sorted(found.skill.tolist())
    assert np.isnan(found.p_adjusted[3]), "three samples are no question"
    three = [card.columns["p_value_blind"][0, at, 0] for at in range(3)]
    assert found.p_adjusted[2] == pytest.approx(3 * three[0], rel=1e-12)
    assert found.counts == {
        "does not clear": 1,
        "clears, could be chance": 1,
        "clears surely": 1,
        "too small to tell": 1,
    }
    assert card.slices().measure == "MCC"
    assert card.slices("f1").group[0] == "C"


@pytest.mark.parametrize(("total", "positives"), [(3, 1), (5, 2), (6, 3), (7, 3), (8, 1), (20, 1), (21, 1)])
def test_a_slice_is_too_small_if_a_perfect_guess_is_likely(total, positives):
    """A guess is perfect with probability 1 / C(M, P), whatever else a scorecard holds."""
    counts = cb.Counts(tp=[positives, 50], fp=[0, 0], fn=[0, 0], tn=[total - positives, 50])
    card = cb.evaluate_counts(counts, "mcc", groups=["small", "large"])
    found = dict(zip(card.slices().group, card.slices().standing, strict=True))
    likely = Fraction(1, comb(total, positives)) >= Fraction(1, 20)
    assert found == {"small": "too small to tell" if likely else "clears surely", "large": "clears surely"}


def test_many_models_and_small_slices(card):
    counts = cb.Counts(tp=[30, 12], fp=[6, 9], fn=[5, 10], tn=[40, 8])
    other = cb.Counts(tp=[35, 2], fp=[0, 17], fn=[0, 20], tn=[46, 0])
    both = cb.evaluate_counts({"old": counts, "new": other}, "mcc", groups=[(1, "x"), (2, "y")])
    found = both.slices(min_support=0)
    assert len(found) == 4
    assert found.model == ("new", "old", "old", "new")
    assert both.slices(model="old").model == ("old", "old")
    assert both.slices(min_support=50).group == ((1, "x"),) * 2
    assert both.slices(min_support=10**6).counts == {}
    assert "(2, 'y')" in str(found)
    assert found.where("does not clear").model == ("new",)
    with pytest.raises(ValueError, match="standing must be one of"):
        found.where("fails")


def test_the_whole_is_no_slice():
    card = cb.evaluate([1, 0] * 50, [1, 0, 1, 1] * 25, "mcc", by=["a", "a", "b", "b"] * 25)
    assert set(card.slices().group) == {"a", "b"}


def test_slices_print_and_are_data(card):
    found = card.slices("mcc")
    assert str(found).splitlines()[:4] == [
        "4 slices on MCC: 1 does not clear; 1 clears, could be chance; 1 clears surely; 1 too small to tell.",
        "",
        "slice  samples  positive  bar   score  skill        p  p corrected",
        "C           26    50.0 %    0  −0.385  −0.38  1            1        does not clear",
    ]
    assert "at most 5.0 % are expected to be luck" in str(found)
    evil = cb.evaluate_counts(
        cb.Counts(tp=[5, 5], fp=[1, 1], fn=[1, 1], tn=[5, 5]), "mcc", groups=["<b>", "y"]
    )
    assert "<b>" not in evil.slices()._repr_html_()
    assert found == card.slices("mcc")
    assert found != card.slices("f1")
    for backend in ("pandas", "polars", "pyarrow"):
        frame = found.to_frame(backend)
        assert len(frame) == 4
        assert list(frame["standing"].to_pylist() if backend == "pyarrow" else frame["standing"]) == list(
            found.standing
        )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"alpha": 2}, "alpha"),
        ({"min_support": -1}, "min_support must be a whole number"),
        ({"model": "other"}, "no row has model"),
        ({"measure": "recall"}, "no row has measure"),
    ],
)
def test_what_cannot_be_meant_is_refused(card, options, says):
    with pytest.raises(ValueError, match=says):
        card.slices(**options)


def test_slices_need_slices_and_p_values(card):
    with pytest.raises(ValueError, match="no slices"):
        cb.evaluate([1, 0], [1, 0], "mcc").slices()
    bare = cb.evaluate_counts(cb.Counts(tp=[5, 5], fp=[1, 1], fn=[1, 1], tn=[5, 5]), "mcc", intervals=False)
    with pytest.raises(ValueError, match="leave intervals=False out"):
        bare.slices()


def test_a_slice_without_an_answer_was_asked_about_all_the_same():
    """Whether a score has a value is seen in the predictions: it must not thin out the questions."""
    outcome = np.array(["clears", "clears", "undefined", "undefined"], dtype=object)
    p_values = np.array([0.02, 0.9, np.nan, np.nan])
    standing, corrected = stand_together(outcome, p_values, np.full(4, 1e-9), ALPHA)
    assert corrected[:2] == pytest.approx([4 * 0.02, 1.0]), "of four questions, not of two"
    assert np.isnan(corrected[2:]).all()
    assert standing.tolist() == ["clears, could be chance"] * 2 + ["no value"] * 2


@pytest.mark.parametrize("groups", [[1.5, 2.5], [True, False], ["a", "b"]], ids=["float", "bool", "text"])
def test_slices_keep_their_kind_in_frames(groups):
    card = cb.evaluate_counts(cb.Counts(tp=[5, 5], fp=[1, 1], fn=[1, 1], tn=[5, 5]), "mcc", groups=groups)
    for backend in ("polars", "pyarrow"):
        found = card.slices().to_frame(backend)["group"]
        assert sorted(found.to_pylist() if backend == "pyarrow" else found) == sorted(groups)


def test_slices_are_strict_json(card):
    document = json.loads(json.dumps(card.slices("mcc").to_dict(), allow_nan=False))
    assert (document["measure"], document["alpha"]) == ("MCC", 0.05)
    assert [row["group"] for row in document["rows"]] == ["C", "B", "A", "D"]
    assert document["rows"][3]["p_adjusted"] is None
    assert document["rows"][0]["standing"] == "does not clear"
