"""The scorecard's picture, read off its artists, and the table of its skill."""

import dataclasses
import functools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from tests.plots.exact import said_of

import clearbar as cb
from clearbar.plots import ScorecardDisplay, SkillMapDisplay

COUNTS = {"careless": cb.Counts(tp=13, fp=5, fn=5, tn=8), "careful": cb.Counts(tp=14, fp=3, fn=4, tn=10)}
NINE = {f"model {i}": cb.Counts(tp=9 + i, fp=5, fn=9 - i, tn=8) for i in range(9)}
BANDS = ("f1", "accuracy", "fdr", "fpr", "kappa")
KINDS = pytest.mark.parametrize("kind", [ScorecardDisplay, SkillMapDisplay])


@functools.cache
def judged(*measures, intervals=True):
    """A card once for all tests: it keeps its intervals."""
    return cb.evaluate_counts(COUNTS, list(measures), intervals=intervals)


@functools.cache
def drawn(*measures, intervals=True):
    return ScorecardDisplay.from_scorecard(judged(*measures, intervals=intervals))


@pytest.fixture
def everything():
    """A picture with all that a picture may have."""
    return drawn("f1", "mcc", "fdr")


def keys_of(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_scores_bars_and_intervals_lie_between_worst_and_best_in_the_measures_own_units(everything):
    # F1 from 0 to 1; MCC from -1 to 1; the loss FDR from 1 down to 0.
    units = {"F1": lambda x: x, "MCC": lambda x: (x + 1) / 2, "FDR": lambda x: 1 - x}
    scores = {"F1": 28 / 35, "MCC": (14 * 10 - 3 * 4) / (17 * 18 * 13 * 14) ** 0.5, "FDR": 3 / 17}
    for label, score in scores.items():
        assert everything.points_["careful", label].get_xdata() == pytest.approx([units[label](score)])
    assert everything.bars_["F1"].get_xdata() == pytest.approx([36 / 49] * 2)
    assert everything.bars_["MCC"].get_xdata() == pytest.approx([0.5] * 2)
    assert {"bar 0.735", "bar 0", "0", "−1", "1"} <= {text.get_text() for text in everything.ax_.texts}
    assert len(everything.whiskers_) == 6
    for row in judged("f1", "mcc", "fdr"):
        ends = everything.whiskers_[row.model, row.measure.label].get_xdata()
        assert ends == pytest.approx([units[row.measure.label](end) for end in (row.low, row.high)])
    assert "Whiskers: 95 % intervals." in said_of(everything)


def test_a_score_that_clears_where_chance_can_reach_is_explained():
    """One positive prediction is right with probability 0.5, so chance can reach every precision."""
    counts = cb.Counts(tp=27, fp=3, fn=3, tn=27)
    words = "A dot on it clears, since chance with as many positive predictions falls short"
    for measure, within in (("precision", True), ("accuracy", False)):
        display = ScorecardDisplay.from_counts(counts, measure)
        (row,) = display.rows
        assert row.outcomes == ("clears",)
        assert (row.scores[0] < row.limit) == within
        assert (words in said_of(display)) == within


def test_a_score_that_could_be_chance_is_hollow_and_its_whisker_holds_the_bar(everything):
    """Fisher's exact test says 0.065 of careless and 0.0035 of careful, one-sided."""
    doubtful, sure = (everything.points_[name, "MCC"] for name in COUNTS)
    ends = {name: everything.whiskers_[name, "MCC"].get_xdata() for name in COUNTS}
    bar = everything.bars_["MCC"].get_xdata()[0]
    assert ends["careless"][0] < bar < doubtful.get_xdata()[0] < ends["careless"][1]
    assert bar < ends["careful"][0] < sure.get_xdata()[0] < ends["careful"][1]
    assert to_hex(doubtful.get_markerfacecolor()) == to_hex(everything.ax_.get_facecolor())
    assert to_hex(sure.get_markerfacecolor()) == "#0072b2"


def test_what_fails_is_crossed_and_hangs_on_a_line_from_the_bar(everything):
    assert set(everything.shortfalls_) == {("careless", "F1")}
    assert everything.shortfalls_["careless", "F1"].get_xdata() == pytest.approx([36 / 49, 26 / 36])
    point = everything.points_["careless", "F1"]
    assert (to_hex(point.get_markerfacecolor()), point.get_marker()) == ("#d55e00", "X")


@KINDS
def test_where_no_p_is_known_the_legend_says_so_and_speaks_of_no_chance(kind):
    card = judged("mcc")
    unknown = {name: np.full_like(card.columns["p_sure"], np.nan) for name in ("p_value", "p_sure")}
    unsure = {"sure": card.columns["sure"] & False, "p_corrected": np.ones_like(card.columns["p_value"])}
    display = kind.from_scorecard(dataclasses.replace(card, columns={**card.columns, **unknown, **unsure}))
    words = {"above it; how surely is not known", "what chance can reach"}
    assert "above it; how surely is not known" in keys_of(display)
    assert set(keys_of(display)) <= words
    edge = to_hex(display.points_["careful", "MCC"].get_markeredgecolor())
    assert edge == "#e69f00"


def test_the_first_slice_of_a_card_without_a_whole_has_a_title_of_its_own():
    names = "tp", "fp", "fn", "tn"
    counts = {
        model: cb.Counts(**{name: np.array([1, 2]) * getattr(table, name) for name in names})
        for model, table in COUNTS.items()
    }
    display = ScorecardDisplay.from_scorecard(cb.evaluate_counts(counts, "f1", groups=["north", "south"]))
    assert display.finding.startswith("north: 0 bars are cleared, ")


def test_the_title_is_the_headline_and_scores_are_printed_on_the_right(everything):
    card = judged("f1", "mcc", "fdr")
    assert everything.finding == card.headline()
    assert everything.texts_["careful", "F1"].get_text() == "0.800"
    assert everything.texts_["careless", "FDR"].get_text() == "0.278"
    labels = [label.get_text() for label in everything.ax_.get_yticklabels()]
    assert labels == [text for label in ("F1", "MCC", "FDR") for text in (label, "careful", "careless")]
    assert keys_of(everything) == [
        "clears the bar", "better than it, but it could be chance", "worse than the bar",
        "what chance can reach",
    ], "of a loss too"  # fmt: skip


def test_the_description_tells_what_the_picture_shows_and_of_a_loss_says_better_not_above():
    assert drawn("f1").description == (
        f"{drawn('f1').finding}. Scores of 2 models against their bars. F1: bar 0.735; careful "
        "0.800 (above it, but it could be chance), careless 0.722 (below the bar)"
    )
    assert "careless 0.278 (better than it, but it could be chance)" in drawn("fdr").description


@pytest.mark.parametrize("measure", BANDS)
def test_the_band_ends_where_no_guess_reaches_with_five_percent(measure):
    """By enumeration: of all k, the largest chance of the band's end is below 5 %, just before it is not."""
    population = cb.Population(31, 18)
    row = drawn(*BANDS, intervals=False).rows[BANDS.index(measure)]
    law = [cb.Draw(population, k).distribution(measure) for k in range(32)]
    scores = np.unique(np.concatenate([one.atoms()[0] for one in law]))
    sure = [score for score in scores if max(one.tail(score) for one in law) < 0.05]
    better = cb.get_measure(measure).greater_is_better
    expected = (min if better else max)(sure) if sure else row.best
    assert row.limit == pytest.approx(expected)


def test_large_populations_have_a_band_too():
    counts = cb.Counts(tp=600_000, fp=100_000, fn=100_000, tn=200_000)
    (row,) = ScorecardDisplay.from_counts(counts, "mcc").rows
    assert row.bar == 0
    sizes = (*range(1, 60), *range(10_000, 10**6, 90_000), *range(10**6 - 60, 10**6))
    law = [cb.Draw(counts.population, k).distribution("mcc") for k in sizes]
    assert max(one.sf(row.limit) for one in law) <= 0.05
    assert max(one.tail(row.limit) for one in law) >= 0.05


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


SIX = ["recall", "f1", "mcc", "accuracy", "kappa", "g_mean"]


def test_from_four_models_on_measures_stand_side_by_side_and_each_model_is_named_once():
    card = cb.evaluate_counts({name: NINE[name] for name in list(NINE)[:4]}, ["f1", "mcc", "g_mean", "fdr"])
    display = ScorecardDisplay.from_scorecard(card)
    display.figure_.draw_without_rendering()
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == list(display.models)
    assert display.figure_.get_figheight() < 4.2
    assert len(display.whiskers_) == len(display.points_) == 4 * 4, "whiskers always"
    rows, before = {(row.model, row.measure.label): row for row in card}, 0.0
    for row in display.rows:
        places = [float(display.points_[name, row.label].get_xdata()[0]) for name in display.models]
        assert min(places) > before
        before = max(places)
        signs = -1 if row.loss else 1
        scores = [signs * rows[name, row.label].score for name in display.models]
        assert np.argsort(places, kind="stable").tolist() == np.argsort(scores, kind="stable").tolist()
        bar = display.bars_[row.label].get_xdata()[0]
        for name, place in zip(display.models, places, strict=True):
            assert (place > bar) == (signs * (rows[name, row.label].score - row.bar) > 0)
        points = display.ax_.get_window_extent().width / np.ptp(display.ax_.get_xlim()) * 72 / 100
        whiskers = [
            np.ptp(display.whiskers_[name, row.label].get_xdata()) * points for name in display.models
        ]
        marks = [display.points_[name, row.label].get_markersize() for name in display.models]
        assert np.median(whiskers) > 1.25 * np.median(marks), "marks hide no whiskers"
    few = ScorecardDisplay.from_counts({name: NINE[name] for name in list(NINE)[:3]}, ["f1", "mcc"])
    assert len(few.ax_.get_yticklabels()) == 2 * 4, "below, a list"


def test_without_intervals_there_are_no_whiskers():
    display = drawn("mcc", intervals=False)
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


def test_dark_axes_get_light_ink():
    with plt.style.context("dark_background"):
        display = ScorecardDisplay.from_scorecard(judged("mcc"))
    assert to_hex(display.bars_["MCC"].get_color()) == "#ffffff"
    assert to_hex(display.points_["careful", "MCC"].get_markerfacecolor()) == "#56b4e9"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda _: ScorecardDisplay.from_scorecard({}),
            "must be a Scorecard, as evaluate returns; found dict",
        ),
        (
            lambda card: ScorecardDisplay.from_scorecard(card, most="3"),
            "most must be a whole number from 1 up; found '3'",
        ),
        (
            lambda card: ScorecardDisplay.from_scorecard(card, order="worse"),
            'order must be "best", "worst" or "given"; found',
        ),
        (lambda _: ScorecardDisplay([], []), "at least one model and one measure"),
        (lambda _: SkillMapDisplay([], [], np.empty((0, 0)), []), "at least one model and one measure"),
        (lambda card: ScorecardDisplay.from_scorecard(card, ax=3), "ax must be a matplotlib Axes; found int"),
        (
            lambda card: ScorecardDisplay.from_scorecard(card, ax=plt.subplots(1, 2)[1]),
            "ax must be one Axes; found 2",
        ),
    ],
)
def test_what_is_no_scorecard_is_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make(judged("f1"))


@KINDS
def test_what_is_drawn_of_a_scorecard_can_be_said_where_it_is_made(kind):
    wards, y = ["a", "b"] * 10, [1, 0, 0, 1] * 5
    models = {"right": y, "wrong": [1 - label for label in y]}
    kept = {"most": 1, "group": "b", "order": "worst", "alpha": 0.2, "intervals": False}
    counts = {
        "right": cb.Counts(tp=[5, 4], fp=0, fn=0, tn=5),
        "wrong": cb.Counts(tp=0, fp=5, fn=[5, 4], tn=0),
    }
    for display in (
        kind.from_predictions(y, models, "f1", by=wards, **kept),
        kind.from_counts(counts, "f1", groups=["a", "b"], **kept),
    ):
        assert (display.models, display.left_out, display.title) == (("wrong",), 1, "b")


def test_a_bar_that_cannot_be_beaten_and_one_that_does_not_exist_are_said():
    display = drawn("recall", "diagnostic_odds_ratio", intervals=False)
    assert [row.remark for row in display.rows] == ["cannot be beaten", "no bar"]
    assert set(display.bars_) == {"recall"}
    odds = display.rows[1]
    assert odds.best_open
    assert odds.best > max(odds.scores)
    texts = {text.get_text() for text in display.ax_.texts}
    assert {"cannot be beaten", "no bar"} <= texts
    assert [text for text in texts if text.endswith(" …")] == [odds.ends[1]]
    assert len(display.points_) == 4, "scores without a bar are shown all the same"
    assert display.finding.startswith("No verdict")


@pytest.mark.parametrize(("order", "first"), [("best", 8), ("worst", 0), ("given", 0)])
def test_of_nine_models_eight_are_drawn_in_the_order_asked_for(order, first):
    card = cb.evaluate_counts(NINE, "mcc", intervals=False)
    display = ScorecardDisplay.from_scorecard(card, order=order)
    assert len(display.models) == 8
    assert display.models[0] == f"model {first}"
    assert said_of(display).endswith("1 more model not drawn here.")
    _, ax = plt.subplots(figsize=(3.3, 1.7), layout="constrained")
    small = display.plot(ax)
    assert len(small.points_) < 8
    assert said_of(small).endswith(f"{9 - len(small.points_)} more models not drawn here.")
    assert said_of(small).count("more model") == 1, "those left out are counted once"


def test_models_are_in_the_order_of_the_first_measure_then_of_bars_cleared():
    """By hand: F1 36/43 and 26/32, precision 18/25 and 13/14: nothing is averaged over measures."""
    counts = {"b": cb.Counts(tp=18, fp=7, fn=0, tn=6), "a": cb.Counts(tp=13, fp=1, fn=5, tn=12)}
    for measures, best in ((["f1", "mcc", "precision"], "b"), (["precision", "f1"], "a"), (["fdr"], "a")):
        card = cb.evaluate_counts(counts, measures, intervals=False)
        assert ScorecardDisplay.from_scorecard(card).models[0] == best
        assert ScorecardDisplay.from_scorecard(card, order="worst").models[1] == best


@pytest.mark.parametrize(
    ("measure", "said"), [("fnr", "above it"), ("false_omission_rate", "better than it")]
)
@KINDS
def test_a_legend_speaks_of_losses_only_where_one_is_judged(kind, measure, said):
    """Whoever calls all positive misses none: the bar of the false negative rate cannot be beaten."""
    display = kind.from_counts(cb.Counts(tp=6, fp=3, fn=4, tn=7), ["mcc", measure])
    assert keys_of(display)[0] == f"{said}, but it could be chance"


def test_on_a_small_picture_fewer_marks_are_drawn_not_smaller_ones():
    six = {name: NINE[name] for name in list(NINE)[:6]}
    card = cb.evaluate_counts(six, SIX, intervals=False)
    _, ax = plt.subplots(figsize=(3.3, 3.0))
    small, large = ScorecardDisplay.from_scorecard(card, ax=ax), ScorecardDisplay.from_scorecard(card)
    assert len(large.points_) == 36
    assert len(small.points_) < 36
    assert "not drawn here." in small.note_.get_text()
    sizes = [
        next(iter(one.points_.values())).get_markersize() / one.ax_.texts[0].get_fontsize()
        for one in (small, large)
    ]
    assert max(sizes) < 1.1 * min(sizes), "marks are as large beside the text"


def test_names_are_shown_and_not_obeyed_and_differ_where_they_end():
    names = ["$\\frac{1}{2}$", "_hidden", "a" * 200, *(f"{'run' * 9}/seed_{i}/{'model' * 5}" for i in (1, 2))]
    card = cb.evaluate_counts(dict.fromkeys(names, COUNTS["careful"]), "f1", intervals=False)
    display = ScorecardDisplay.from_scorecard(card, order="given")
    display.figure_.draw_without_rendering()
    texts = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert texts[1:3] == ["\\$\\frac{1}{2}\\$", "_hidden"]
    assert len(set(texts)) == len(texts)
    assert all("#" not in text and len(text) <= 26 for text in texts)


def test_cells_hold_the_skill_of_the_scorecard_and_tell_its_side_by_colour_and_mark():
    card = judged("f1", "mcc", "recall")
    display = SkillMapDisplay.from_scorecard(card)
    assert display.models == ("careful", "careless")
    for row in card:
        shown = display.texts_[row.model, row.measure.label].get_text()
        if row.measure.label == "recall":
            assert shown == "–"
        else:
            assert float(shown.replace("−", "-")) == pytest.approx(row.skill, abs=0.006)
    marks = {key: point.get_marker() for key, point in display.points_.items()}
    assert marks == {
        ("careful", "F1"): "o",
        ("careful", "MCC"): "o",
        ("careless", "F1"): "X",
        ("careless", "MCC"): "o",
    }
    assert {"1/2", "0/2"} <= {text.get_text() for text in display.ax_.texts}
    said = f"{display.finding}. Skill of 2 models. careful: F1 +0.25"
    assert display.description.startswith(said)
    assert keys_of(display) == ["clears the bar", "above it, but it could be chance", "below the bar"]


def test_the_legend_of_a_table_has_the_colours_of_its_cells():
    display = SkillMapDisplay.from_scorecard(judged("f1", "mcc", "recall"))
    cells = {to_hex(color) for color in display.image_.get_facecolors()}
    patches = [
        patch for patch in display.legend_.findobj(Rectangle) if patch is not display.legend_.get_frame()
    ]
    assert {to_hex(patch.get_facecolor()) for patch in patches} <= cells
    assert len(patches) == 3


def test_a_small_table_of_skill_has_fewer_cells_and_says_so():
    card = cb.evaluate_counts(NINE, "all", intervals=False)
    _, ax = plt.subplots(figsize=(3.3, 3.0), layout="constrained")
    display = SkillMapDisplay.from_scorecard(card, ax=ax)
    assert len({label for _, label in display.texts_}) < 8
    assert "not drawn here." in said_of(display)
    assert next(iter(display.texts_.values())).get_fontsize() >= 6.3


@pytest.mark.parametrize(
    ("y_true", "predicted", "measures"),
    [
        (list("aabbcc"), list("aabbca"), ["accuracy", "f1_macro"]),
        ([1.0, 2, 3, 4], [1.5, 2, 2.5, 4], ["mae", "r2"]),
        ([{0}, {1}, {2}, {3}, {0}], [{0}, {1}, {2}, {0}, {0}], ["f1_micro"]),
        ([0, 1, 0, 1], [0.1, 0.4, 0.3, 0.9], ["roc_auc", "brier_score"]),
    ],
    ids=["classes", "numbers", "sets of labels", "scores"],
)
def test_a_table_of_skill_is_drawn_of_whatever_has_a_scorecard(y_true, predicted, measures):
    display = SkillMapDisplay.from_scorecard(cb.evaluate(y_true, {"m": predicted}, measures, intervals=False))
    display.figure_.draw_without_rendering()
    assert len(display.texts_) == len(measures)
