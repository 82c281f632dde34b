"""The scorecard's picture: rows, bars, bands and marks, read off its artists."""

from __future__ import annotations

import functools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

import clearbar as cb
from clearbar.plots import ScorecardDisplay, SkillMapDisplay

COUNTS = {"careless": cb.Counts(tp=13, fp=5, fn=5, tn=8), "careful": cb.Counts(tp=14, fp=3, fn=4, tn=10)}


MEASURES = ("f1", "mcc", "fdr")
BANDS = ("f1", "accuracy", "fdr", "fpr", "kappa")


@functools.cache
def judged(*measures, intervals=True):
    """A card once for all tests: it keeps its intervals."""
    return cb.evaluate_counts(COUNTS, list(measures), intervals=intervals)


@functools.cache
def everything():
    """A picture with all that a picture may have."""
    return ScorecardDisplay.from_scorecard(judged(*MEASURES))


@functools.cache
def without_whiskers(*measures):
    return ScorecardDisplay.from_scorecard(judged(*measures, intervals=False))


def drawn(measure, **options):
    return ScorecardDisplay.from_scorecard(judged(measure), **options)


def test_a_score_lies_between_worst_and_best_in_the_measures_own_units():
    display = everything()
    # F1 from 0 to 1; MCC from -1 to 1; the loss FDR from 1 down to 0.
    f1, fdr = 2 * 14 / (28 + 3 + 4), 3 / 17
    mcc = (14 * 10 - 3 * 4) / (17 * 18 * 13 * 14) ** 0.5
    found = {
        label: float(line.get_xdata()[0])
        for (name, label), line in display.points_.items()
        if name == "careful"
    }
    assert found["F1"] == pytest.approx(f1)
    assert found["MCC"] == pytest.approx((mcc + 1) / 2)
    assert found["FDR"] == pytest.approx(1 - fdr)


def test_bars_are_ticks_at_the_bar_and_written():
    display = everything()
    assert display.bars_["F1"].get_xdata() == pytest.approx([36 / 49] * 2)
    assert display.bars_["MCC"].get_xdata() == pytest.approx([0.5] * 2)
    written = {text.get_text() for text in display.ax_.texts}
    assert {"bar 0.735", "bar 0", "0", "−1", "1"} <= written


def test_a_score_that_could_be_chance_is_hollow_and_its_whisker_holds_the_bar():
    """Fisher's exact test says 0.065 of careless and 0.0035 of careful, one-sided."""
    display = everything()
    doubtful, sure = (display.points_[name, "MCC"] for name in COUNTS)
    ends = {name: display.whiskers_[name, "MCC"].get_xdata() for name in COUNTS}
    bar = display.bars_["MCC"].get_xdata()[0]
    assert ends["careless"][0] < bar < doubtful.get_xdata()[0] < ends["careless"][1]
    assert bar < ends["careful"][0] < sure.get_xdata()[0] < ends["careful"][1]
    assert to_hex(doubtful.get_markerfacecolor()) == to_hex(display.ax_.get_facecolor())
    assert to_hex(sure.get_markerfacecolor()) == "#0072b2"


@pytest.mark.parametrize("measure", BANDS)
def test_the_band_ends_where_no_guess_reaches_with_five_percent(measure):
    """By enumeration: of all k, the largest chance of the band's end is below 5 %, just before it is not."""
    population = cb.Population(31, 18)
    row = without_whiskers(*BANDS).rows[BANDS.index(measure)]
    law = [cb.Draw(population, k).distribution(measure) for k in range(32)]
    chance = lambda score: max(one.tail(score) for one in law)  # noqa: E731
    scores = np.unique(np.concatenate([one.atoms()[0] for one in law]))
    sure = [score for score in scores if chance(score) < 0.05]
    better = cb.get_measure(measure).greater_is_better
    expected = (min if better else max)(sure) if sure else row.best
    assert row.limit == pytest.approx(expected)


def test_an_axis_without_an_end_leaves_room_for_what_is_shown_not_for_the_worst_guess():
    """Log loss has no worst value: the worst guess, at 36 here, would press all models into a corner."""
    rng = np.random.default_rng(0)
    y_true = rng.random(200) < 0.35
    scores = {name: 1 / (1 + np.exp(-far * (y_true - 0.5))) for name, far in (("a", 0.4), ("b", 3.0))}
    (row,) = ScorecardDisplay.from_scorecard(cb.evaluate_scores(y_true, scores, "log_loss")).rows
    assert row.worst_open
    places = [float(row.share(value)) for value in (*row.scores, row.bar)]
    assert max(places) - min(places) > 0.2
    assert min(places) > 0


def test_whiskers_are_the_intervals_of_the_scorecard_in_the_measures_own_units():
    display = everything()
    units = {"F1": lambda x: x, "MCC": lambda x: (x + 1) / 2, "FDR": lambda x: 1 - x}
    assert len(display.whiskers_) == 6
    for row in judged(*MEASURES):
        ends = display.whiskers_[row.model, row.measure.label].get_xdata()
        assert ends == pytest.approx([units[row.measure.label](end) for end in (row.low, row.high)])
    assert "Whiskers: 95 % intervals." in " ".join(display.note_.get_text().split())


def test_there_are_no_whiskers_where_none_were_asked_for_or_too_many_to_wait_for():
    plain = ScorecardDisplay.from_scorecard(cb.evaluate_counts(COUNTS, "mcc", intervals=False))
    many = {f"model {at}": COUNTS["careful"] for at in range(7)}
    crowded = ScorecardDisplay.from_scorecard(
        cb.evaluate_counts(many, ["f1", "mcc", "kappa", "g_mean", "accuracy", "recall"])
    )
    for display in (plain, crowded):
        assert not display.whiskers_
        assert "Whiskers" not in display.note_.get_text()


def test_several_runs_have_a_line_of_one_standard_deviation():
    y_true = [1] * 18 + [0] * 13
    runs = np.tile(y_true, (3, 1))
    for row, wrong in enumerate(([0, 1, 18], [0, 1, 2, 3, 18, 19], [0, 18, 19])):
        runs[row, wrong] ^= 1
    display = ScorecardDisplay.from_predictions(y_true, runs, "accuracy")
    scores = 1 - np.array([3, 6, 3]) / 31
    (line,) = display.spreads_.values()
    mean, sd = scores.mean(), scores.std(ddof=1)
    assert line.get_xdata() == pytest.approx([mean - sd, mean + sd])
    assert "3 runs" in display.note_.get_text()


def test_large_populations_have_a_band_too():
    counts = cb.Counts(tp=600_000, fp=100_000, fn=100_000, tn=200_000)
    (row,) = ScorecardDisplay.from_counts(counts, "mcc").rows
    assert row.bar == 0
    sizes = (*range(1, 60), *range(10_000, 10**6, 90_000), *range(10**6 - 60, 10**6))
    law = [cb.Draw(counts.population, k).distribution("mcc") for k in sizes]
    assert max(one.sf(row.limit) for one in law) <= 0.05
    assert max(one.tail(row.limit) for one in law) >= 0.05


def test_dark_axes_get_light_ink():
    with plt.style.context("dark_background"):
        display = drawn("mcc")
    assert to_hex(display.bars_["MCC"].get_color()) == "#ffffff"
    assert to_hex(display.points_["careful", "MCC"].get_markerfacecolor()) == "#56b4e9"


def test_what_is_no_scorecard_is_refused():
    with pytest.raises(ValueError, match="card must be a Scorecard, as evaluate returns; found dict"):
        ScorecardDisplay.from_scorecard({})
    with pytest.raises(ValueError, match="most must be a whole number from 1 up; found '3'"):
        ScorecardDisplay.from_scorecard(judged("f1"), most="3")
    with pytest.raises(ValueError, match='order must be "best", "worst" or "given"; found'):
        ScorecardDisplay.from_scorecard(judged("f1"), order="worse")
    with pytest.raises(ValueError, match="at least one model and one measure"):
        ScorecardDisplay([], [])
    with pytest.raises(ValueError, match="ax must be a matplotlib Axes; found int"):
        drawn("f1", ax=3)
    with pytest.raises(ValueError, match="ax must be one Axes; found 2"):
        drawn("f1", ax=plt.subplots(1, 2)[1])


@pytest.mark.parametrize("kind", [ScorecardDisplay, SkillMapDisplay])
def test_what_is_drawn_of_a_scorecard_can_be_said_where_it_is_made(kind):
    wards, y = ["a", "b"] * 10, [1, 0, 0, 1] * 5
    models = {"right": y, "wrong": [1 - label for label in y]}
    kept = {"most": 1, "group": "b", "order": "worst", "alpha": 0.2}
    display = kind.from_predictions(y, models, "f1", by=wards, intervals=False, **kept)
    assert (display.models, display.left_out, display.title) == (("wrong",), 1, "b")
    counts = {
        "right": cb.Counts(tp=[5, 4], fp=0, fn=0, tn=5),
        "wrong": cb.Counts(tp=0, fp=5, fn=[5, 4], tn=0),
    }
    display = kind.from_counts(counts, "f1", groups=["a", "b"], intervals=False, **kept)
    assert (display.models, display.left_out, display.title) == (("wrong",), 1, "b")


def test_the_title_is_the_finding_and_scores_are_printed_on_the_right():
    display = everything()
    assert display.title_.get_text() == "1 of 2 models misses the F1 bar"
    assert display.texts_["careful", "F1"].get_text() == "0.800"
    assert display.texts_["careless", "FDR"].get_text() == "0.278"
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == [
        *("F1", "careful", "careless"),
        *("MCC", "careful", "careless"),
        *("FDR", "careful", "careless"),
    ]
    keys = [text.get_text() for text in display.legend_.get_texts()]
    assert keys == ["clears the bar", "better than it, but it could be chance", "worse than the bar"], (
        "of a loss too"
    )
    assert display.band_label_.get_text() == "what chance can reach"


def test_what_fails_is_crossed_and_hangs_on_a_line_from_the_bar():
    display = everything()
    assert set(display.shortfalls_) == {("careless", "F1")}
    line = display.shortfalls_["careless", "F1"]
    assert line.get_xdata() == pytest.approx([36 / 49, 26 / 36])
    point = display.points_["careless", "F1"]
    assert (to_hex(point.get_markerfacecolor()), point.get_marker()) == ("#d55e00", "X")
    assert to_hex(display.points_["careful", "MCC"].get_markerfacecolor()) == "#0072b2"


def test_a_bar_that_cannot_be_beaten_and_one_that_does_not_exist_are_said():
    display = without_whiskers("recall", "diagnostic_odds_ratio")
    assert [row.remark for row in display.rows] == ["cannot be beaten", "no bar"]
    assert set(display.bars_) == {"recall"}
    odds = display.rows[1]
    assert odds.best_open
    assert odds.best > max(odds.scores)
    texts = {text.get_text() for text in display.ax_.texts}
    assert {"cannot be beaten", "no bar"} <= texts
    assert [text for text in texts if text.endswith(" …")] == [odds.ends[1]]
    assert len(display.points_) == 4, "scores without a bar are shown all the same"
    assert display.finding.startswith("No verdict on recall and diagnostic odds ratio")


@pytest.mark.parametrize(("order", "first"), [("best", 8), ("worst", 0), ("given", 0)])
def test_of_nine_models_eight_are_drawn_in_the_order_asked_for(order, first):
    counts = {f"model {i}": cb.Counts(tp=9 + i, fp=5, fn=9 - i, tn=8) for i in range(9)}
    card = cb.evaluate_counts(counts, "mcc", intervals=False)
    display = ScorecardDisplay.from_scorecard(card, order=order)
    assert len(display.models) == 8
    assert display.models[0] == f"model {first}"
    note = " ".join(display.note_.get_text().split())
    assert note.endswith("1 more model not drawn here.")
    _, ax = plt.subplots(figsize=(3.3, 1.7), layout="constrained")
    small = display.plot(ax)
    drawn = len(small.points_)
    assert drawn < 8
    said = " ".join(small.note_.get_text().split())
    assert said.endswith(f". {9 - drawn} more models not drawn here."), "those left out are counted once"
    assert said.count("more model") == 1
    assert "Models by mean skill" not in note, "of one measure that is the order of the scores"
    assert "of 9 models" in display.finding or "All 9 models" in display.finding, "of all, not of those drawn"


def test_with_several_measures_models_are_in_the_order_of_their_mean_skill_and_the_note_says_so():
    """By hand: F1 36/43 and 26/32, precision 18/25 and 13/14; the better in F1 has less skill in all."""
    counts = {"b": cb.Counts(tp=18, fp=7, fn=0, tn=6), "a": cb.Counts(tp=13, fp=1, fn=5, tn=12)}
    card = cb.evaluate_counts(counts, ["f1", "mcc", "precision"], intervals=False)
    skill = np.array([row.skill for row in card]).reshape(2, 3)
    assert skill[0, 0] > skill[1, 0]
    assert skill[0].mean() < skill[1].mean()
    for order, names in (("best", ("a", "b")), ("worst", ("b", "a"))):
        display = ScorecardDisplay.from_scorecard(card, order=order)
        assert display.models == names
        assert f"Models by mean skill, the {order} first." in " ".join(display.note_.get_text().split())


@pytest.mark.parametrize(
    ("measure", "said"), [("fnr", "above it"), ("false_omission_rate", "better than it")]
)
@pytest.mark.parametrize("kind", [ScorecardDisplay, SkillMapDisplay])
def test_a_legend_speaks_of_losses_only_where_one_is_judged(kind, measure, said):
    """Whoever calls all positive misses none: the bar of the false negative rate cannot be beaten."""
    display = kind.from_counts(cb.Counts(tp=6, fp=3, fn=4, tn=7), ["mcc", measure])
    keys = [text.get_text() for text in display.legend_.get_texts()]
    assert keys == [f"{said}, but it could be chance"]


@pytest.mark.parametrize(("measure", "differs"), [("precision", True), ("accuracy", False)])
def test_a_note_says_why_a_mark_says_something_else_than_the_grey(measure, differs):
    """Whoever calls one sample positive is right with precision 1 by chance; of 23 in 24 nobody is."""
    card = cb.evaluate_counts(cb.Counts(tp=23, fp=1, fn=5, tn=25), measure, intervals=False)
    display = ScorecardDisplay.from_scorecard(card)
    row = display.rows[0]
    assert row.outcomes == ("clears",)
    assert (row.scores[0] <= row.limit) == differs
    said = (
        "A mark says whether this model's true score is above the bar; the grey, how far guessing gets. "
        "The two may disagree."
    )
    assert (said in " ".join(display.note_.get_text().split())) == differs


def test_on_a_small_picture_fewer_marks_are_drawn_not_smaller_ones():
    counts = {f"model {i}": cb.Counts(tp=9 + i, fp=5, fn=9 - i, tn=8) for i in range(6)}
    card = cb.evaluate_counts(counts, ["recall", "f1", "mcc", "accuracy", "kappa", "g_mean"], intervals=False)
    _, ax = plt.subplots(figsize=(3.3, 3.0), layout="constrained")
    small = ScorecardDisplay.from_scorecard(card, ax=ax)
    large = ScorecardDisplay.from_scorecard(card)
    assert len(large.points_) == 36
    assert {key for key, _ in small.points_}, "some model is drawn"
    assert len(small.points_) < 20
    assert ("model 0", "F1") in small.points_, "where it fails is not left out"
    assert "not drawn here." in small.note_.get_text()
    sizes = {point.get_markersize() / canvas.get_fontsize() for point, canvas in (
        (next(iter(one.points_.values())), one.ax_.texts[0]) for one in (small, large)
    )}  # fmt: skip
    assert max(sizes) < 1.1 * min(sizes), "marks are as large beside the text"


def test_names_are_shown_and_not_obeyed_and_differ_where_they_end():
    names = ["$\\frac{1}{2}$", "_hidden", "a" * 200, *(f"{'run' * 9}/seed_{i}/{'model' * 5}" for i in (1, 2))]
    counts = dict.fromkeys(names, COUNTS["careful"])
    card = cb.evaluate_counts(counts, "f1", intervals=False)
    display = ScorecardDisplay.from_scorecard(card, order="given")
    display.figure_.draw_without_rendering()
    texts = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert texts[1] == "\\$\\frac{1}{2}\\$"
    assert texts[2] == "_hidden"
    assert len(set(texts)) == 6
    assert all("#" not in text and len(text) <= 24 for text in texts)


def test_the_description_tells_what_the_picture_shows():
    assert drawn("f1").description == (
        "1 of 2 models misses the F1 bar. Scores of 2 models against their bars. F1: bar 0.735; careful "
        "0.800 (above it, but it could be chance), careless 0.722 (below the bar)"
    )


def test_a_loss_is_better_than_its_bar_not_above_it():
    display = ScorecardDisplay.from_scorecard(judged("fdr", intervals=True))
    assert display.finding == "1 of 2 models is better than the FDR bar, but it could be chance"
    assert "careless 0.278 (better than it, but it could be chance)" in display.description
