"""Slices asked about together: the correction applies to discoveries above the bar and below it."""

import json
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import clearbar as cb
from clearbar.verdict import over_slices, stand_together


def discoveries(p_values, alpha):
    """Benjamini and Hochberg's rule, word by word: the k smallest, k the largest with p(k) <= alpha k / m."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    passing = [k for k, at in enumerate(order, start=1) if p_values[at] <= alpha * k / len(order)]
    return set(order[: max(passing, default=0)])


WORDS = {
    "clears": ("clears surely", "above, could be chance"),
    "fails": ("surely below", "below, could be chance"),
    "ties": ("at the bar", "at the bar"),
    "undefined": ("no value", "no value"),
    "unbeatable": ("no value", "no value"),
}


def by_hand(outcomes, at_bar, blind, alpha):
    """Above the bar the larger p decides, below it that of the true score; no score counts as 1.

    A bar that cannot be beaten, which class sizes alone tell, is no question.
    """
    raw = {"clears": max, "fails": lambda p, _: p, "ties": lambda p, _: p, "undefined": lambda *_: 1}
    asked = [at for at, word in enumerate(outcomes) if word != "unbeatable"]
    found = discoveries([raw[outcomes[at]](at_bar[at], blind[at]) for at in asked], alpha)
    sure = {asked[at] for at in found}
    return [WORDS[word][at not in sure] for at, word in enumerate(outcomes)]


# Powers of two over an odd number: no product alpha k / m is hit exactly, where < and <= differ.
shares = st.integers(0, 14).map(lambda power: Fraction(1, 3 * 2**power))
rows = st.lists(st.tuples(st.sampled_from(sorted(WORDS)), shares, shares), min_size=1, max_size=12)


@given(rows)
def test_slices_stand_as_the_rule_says(drawn):
    outcomes, at_bar, blind = zip(*drawn, strict=True)
    columns = {
        "outcome": np.array(outcomes, dtype=object),
        "bar": np.full(len(outcomes), 0.5),
        "p_value": np.array(at_bar, float),
        "p_sure": np.maximum(np.array(at_bar, float), np.array(blind, float)),
    }
    columns = {name: column.reshape(1, -1, 1) for name, column in columns.items()}
    standing = stand_together(columns["outcome"], over_slices(columns), 0.05)
    assert standing[0, :, 0].tolist() == by_hand(outcomes, at_bar, blind, Fraction(1, 20))


@pytest.fixture
def card():
    """Four slices: sure, near the bar, below the bar, and of three samples."""
    counts = cb.Counts(tp=[30, 12, 4, 2], fp=[6, 9, 9, 0], fn=[5, 10, 9, 0], tn=[40, 8, 4, 1])
    return cb.evaluate_counts(counts, ["mcc", "f1", "precision"], groups=["A", "B", "C", "D"])


def test_the_ways_and_their_order(card):
    found = card.slices("mcc")
    assert found.group == ("C", "B", "A", "D")
    below, above, sure = "below, could be chance", "above, could be chance", "clears surely"
    assert found.standing.tolist() == [below, above, sure, above]
    assert found.skill.tolist() == sorted(found.skill.tolist())
    raw = [found.p_value[0], *np.maximum(found.p_value, found.p_value_blind)[1:]]
    assert found.p_adjusted == pytest.approx(scipy.stats.false_discovery_control(raw), rel=1e-12)
    assert found.p_value_blind[3] == pytest.approx(1 / 3), "two of three samples, in one order of three"
    assert found.counts == {below: 1, above: 2, sure: 1}
    assert card.slices().measure == "MCC"


def test_slices_that_class_sizes_leave_without_a_question_change_no_answer():
    """One-class slices: below a bar that is the best possible score is no discovery, nor is no bar at all."""
    alone = cb.evaluate_counts(cb.Counts(tp=11, fp=3, fn=4, tn=13), "f1")
    assert 0.05 < alone[0].p_corrected < 0.5
    full = cb.Counts(
        tp=[11, *[20] * 10, 0], fp=[3, *[0] * 10, 5], fn=[4, *[20] * 10, 0], tn=[13, *[0] * 10, 5]
    )
    card = cb.evaluate_counts(full, "f1")
    assert card[0].p_corrected == pytest.approx(alone[0].p_corrected, rel=1e-12)
    assert card.columns["p_value"][0, 1, 0] < 1e-5, "or so many sure answers would have helped the first"
    assert card.slices().counts == {"above, could be chance": 1, "no value": 11}


def test_many_models_and_small_slices():
    counts = cb.Counts(tp=[30, 12], fp=[6, 9], fn=[5, 10], tn=[40, 8])
    other = cb.Counts(tp=[35, 2], fp=[0, 17], fn=[0, 20], tn=[46, 0])
    both = cb.evaluate_counts({"old": counts, "new": other}, "mcc", groups=[(1, "x"), (2, "y")])
    found = both.slices(min_support=0)
    assert found.model == ("new", "old", "old", "new")
    assert both.slices(model="old").model == ("old", "old")
    assert both.slices(min_support=50).group == ((1, "x"),) * 2
    assert both.slices(min_support=10**6).counts == {}
    assert str(found).startswith("2 slices of 2 models on MCC: ")
    assert found.standing[0] == "surely below"
    assert found.where("surely below").model == ("new",)
    with pytest.raises(ValueError, match="standing must be one of"):
        found.where("fails")


def test_a_slice_of_one_model_is_sure_where_the_card_says_so():
    """Twelve slices, where correcting one model alone would call more of them sure."""
    rng = np.random.default_rng(3)
    tp, fp = rng.integers(11, 18, (2, 12)), rng.integers(2, 7, (2, 12))
    models = {
        name: cb.Counts(tp=a, fp=b, fn=20 - a, tn=20 - b) for name, a, b in zip("xy", tp, fp, strict=True)
    }
    card = cb.evaluate_counts(models, "mcc")
    alone = cb.evaluate_counts({"x": models["x"]}, "mcc")
    assert alone.slices().counts["clears surely"] > card.columns["sure"][0].sum() > 0
    for options in ({"model": "x"}, {"model": "x", "min_support": 10}, {}):
        found = card.slices(**options)
        for at, (model, group) in enumerate(zip(found.model, found.group, strict=True)):
            (row,) = (v for v in card if (v.model, v.group) == (model, group))
            assert found.p_adjusted[at] == row.p_corrected
            assert (found.standing[at] == "clears surely") == row.sure


def test_slices_of_scores_and_of_runs_are_judged_too():
    rng = np.random.default_rng(0)
    truth, by = np.arange(120) % 2, np.repeat(["a", "b", "c"], 40)
    scores = cb.evaluate_scores(truth, truth + rng.normal(size=120), "roc_auc", by=by)
    runs = cb.evaluate(truth, np.stack([truth ^ (rng.random(120) < 0.1) for _ in range(3)]), "mcc", by=by)
    for card in (scores, runs):
        found = card.slices()
        assert sorted(found.group) == ["a", "b", "c"]
        assert found.samples.tolist() == [40] * 3
        assert (found.standing == "clears surely").sum() == card.columns["sure"][0, 1:].sum() > 0
        assert str(found).startswith("3 slices on ")


def test_slices_print_and_are_data(card):
    found = card.slices("mcc")
    assert str(found).splitlines()[3:5] == [
        "slice  samples  positive  bar   score  skill      p",
        "C           26    50.0 %    0  −0.385  −0.38   0.16  below, could be chance",
    ]
    assert "at most 5.0 % are expected to be wrong" in " ".join(str(found).split())
    evil = cb.evaluate_counts(TWO, "mcc", groups=["<b>", "y"])
    assert "<b>" not in evil.slices()._repr_html_()
    assert found == card.slices("mcc") != card.slices("f1")
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (document["measure"], document["alpha"]) == ("MCC", 0.05)
    for name in ("group", "p_adjusted", "standing"):
        assert [row[name] for row in document["rows"]] == list(getattr(found, name))


TWO = cb.Counts(tp=[5, 5], fp=[1, 1], fn=[1, 1], tn=[5, 5])


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


def test_slices_need_slices_and_p_values():
    with pytest.raises(ValueError, match="no slices"):
        cb.evaluate([1, 0], [1, 0], "mcc").slices()
    with pytest.raises(ValueError, match="leave intervals=False out"):
        cb.evaluate_counts(TWO, "mcc", intervals=False).slices()


def test_a_slice_without_an_answer_was_asked_about_all_the_same():
    """Whether a score has a value is seen in the predictions: it must not thin out the questions."""
    columns = {
        "outcome": np.array(["clears", "clears", "undefined", "undefined"], dtype=object),
        "bar": np.full(4, 0.5),
        "p_value": np.array([0.02, 0.9, np.nan, np.nan]),
        "p_sure": np.array([0.02, 0.9, np.nan, np.nan]),
    }
    corrected = over_slices({name: column.reshape(1, 4, 1) for name, column in columns.items()})[0, :, 0]
    assert corrected == pytest.approx([4 * 0.02, 1, 1, 1]), "of four questions, not of two"


@pytest.mark.parametrize("groups", [[1.5, 2.5], [True, False], ["a", "b"]], ids=["float", "bool", "text"])
def test_slices_keep_their_kind_in_frames(groups):
    found = cb.evaluate_counts(TWO, "mcc", groups=groups).slices()
    for backend in ("pandas", "polars", "pyarrow"):
        frame = found.to_frame(backend)
        frame = frame.to_pydict() if backend == "pyarrow" else frame
        assert list(frame["group"]) == list(found.group)
        assert list(frame["standing"]) == list(found.standing)
        assert sorted(found.group) == sorted(groups)
