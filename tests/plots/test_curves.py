"""ROC and precision–recall curves, and the region that every ranking of few samples is counted in."""

import itertools
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
from tests.plots.exact import S, Y, said_of, texts_of

import clearbar as cb
from clearbar.formatting._palette import CURVES
from clearbar.plots import PrecisionRecallDisplay, RocDisplay
from clearbar.plots._curves import band_of_positives, band_of_precision, expected_precision, numbers_predicted
from clearbar.plots._marks import CHANCE_BAND

TOTAL, POSITIVES = 9, 3
RANKINGS = np.array(
    [np.isin(range(TOTAL), places) for places in itertools.combinations(range(TOTAL), POSITIVES)]
)
K = np.arange(1, TOTAL + 1)
KINDS = pytest.mark.parametrize("kind", [RocDisplay, PrecisionRecallDisplay])


def legends_of(display):
    legends = display.figure_.findobj(lambda artist: hasattr(artist, "get_texts"))
    return {text.get_text() for one in legends for text in one.get_texts()}


def test_the_region_holds_ninety_in_a_hundred_of_all_rankings_at_each_number():
    found = RANKINGS.cumsum(axis=1)
    low, high = band_of_positives(TOTAL, POSITIVES, K)
    below, above = (found < low).mean(axis=0), (found > high).mean(axis=0)
    assert (below < 0.05).all()
    assert (above <= 0.05).all()
    assert (((found < low + 1).mean(axis=0) >= 0.05) & ((found > high - 1).mean(axis=0) > 0.05)).all()


def test_the_precision_of_all_rankings_where_they_find_the_next_positive():
    places = np.array([1 + np.flatnonzero(ranking) for ranking in RANKINGS])
    recall, expected = expected_precision(TOTAL, POSITIVES)
    exact = [
        sum(Fraction(t, int(place)) for place in places[:, t - 1]) / len(places)
        for t in range(1, POSITIVES + 1)
    ]
    assert recall == pytest.approx([1 / 3, 2 / 3, 1])
    assert expected == pytest.approx([float(one) for one in exact], rel=1e-12)
    assert expected.mean() == pytest.approx(
        cb.baseline(cb.Population(TOTAL, POSITIVES), "average_precision").value
    )
    recall, _, high = band_of_precision(TOTAL, POSITIVES)
    share = [((t / places[:, t - 1]) > high[t - 1] + 1e-12).mean() for t in range(1, POSITIVES + 1)]
    assert max(share) <= 0.05, "above it fewer than five in a hundred rankings reach the recall"


@pytest.mark.parametrize(("total", "positives"), [(5_000, 40), (10**6, 300_000), (10**9, 1_000)])
def test_large_samples_take_numbers_apart_and_keep_the_expectation(total, positives):
    k = numbers_predicted(total)
    assert len(k) < 5_000
    assert k[[0, -1]].tolist() == [1, total]
    _, expected = expected_precision(total, positives)
    if positives == 40:  # then every positive has its point, and their mean is the bar
        bar = cb.baseline(cb.Population(total, positives), "average_precision").value
        assert expected.mean() == pytest.approx(bar, rel=1e-3)
    assert expected[-1] == pytest.approx((positives + 1) / (total + 1), rel=0.01)
    assert (np.diff(expected) < 1e-12).all()


def test_a_roc_curve_is_that_of_scikit_learn_and_in_the_colour_of_its_outcome():
    display = RocDisplay.from_predictions(Y, S)
    fpr, tpr, _ = roc_curve(Y, S, drop_intermediate=False)
    x, y = display.lines_[0].get_data()
    assert x == pytest.approx(fpr)
    assert y == pytest.approx(tpr)
    assert "could be chance" in display.finding
    assert to_hex(display.lines_[0].get_color()) == CURVES[0], "a colour of its own"
    assert to_hex(display.points_[0].get_markeredgecolor()) == "#e69f00", "its verdict"
    assert list(display.bar_.get_xydata().flat) == [0, 0, 1, 1]
    corners = display.band_.get_xy()
    low, high = band_of_positives(10, 4, np.arange(1, 11))
    for k in range(1, 11):
        for tp in (low[k - 1], high[k - 1]):
            assert np.isclose(corners, [(k - tp) / 6, tp / 4]).all(axis=1).any()


def test_the_area_under_the_steps_is_average_precision():
    display = PrecisionRecallDisplay.from_predictions(Y, S)
    recall, precision = display.lines_[0].get_data()
    assert display.lines_[0].get_drawstyle() == "steps-pre"
    area = (np.diff(recall) * precision[1:]).sum()
    assert area == pytest.approx(average_precision_score(Y, S))
    assert display.bar_.get_ydata()[0] == cb.baseline(Y, "average_precision").value
    assert "expected by chance" in legends_of(display)


@pytest.mark.parametrize(
    ("kind", "area"), [(RocDisplay, roc_auc_score), (PrecisionRecallDisplay, average_precision_score)]
)
def test_areas_stand_right_of_the_axes_at_their_height_with_their_intervals(kind, area):
    y = np.tile([1, 0], 40)
    scores = {"$good$": y + np.linspace(0, 2, 80), "blind": np.cos(np.arange(80.0) * 7)}
    display = kind.from_predictions(y, scores)
    display.figure_.draw_without_rendering()
    said = [text.get_text() for text in display.labels_]
    assert said[0].startswith(r"\$good\$" + "\n")
    assert said[1] == f"blind\n{display.card[1].score:.3f}"
    assert len({line.get_linestyle() for line in display.lines_}) == 2
    assert [point.get_ydata()[0] for point in display.points_] == pytest.approx(
        [area(y, one) for one in scores.values()]
    )
    ends = [whisker.get_ydata() for whisker in display.whiskers_]
    assert ends == [pytest.approx([row.low, row.high]) for row in display.card]
    lanes = [point.get_window_extent().x0 for point in display.points_]
    assert display.ax_.get_window_extent().x1 < min(lanes)
    label = display.card.measures[0].label
    assert f"On the right: {label} with its 95 % interval." in said_of(display)


@KINDS
def test_intervals_that_overlap_stand_side_by_side_and_others_share_a_lane(kind):
    y = np.tile([1, 0], 200)
    noise = np.random.default_rng(0).normal(size=(5, 400))
    scores = {str(model): y * 0.7 * (model // 2) + noise[model] for model in range(5)}
    display = kind.from_predictions(y, scores)
    drawn = [(line.get_xdata()[0], *line.get_ydata()) for line in display.whiskers_]
    pairs = list(itertools.combinations(drawn, 2))
    apart = [high < low_2 or high_2 < low for (_, low, high), (_, low_2, high_2) in pairs]
    assert all(is_apart or x != x_2 for is_apart, ((x, *_), (x_2, *_)) in zip(apart, pairs, strict=True))
    assert any(apart)
    assert len({x for x, *_ in drawn}) == 2  # of two kinds of scores alike, and one that is best


@KINDS
@pytest.mark.parametrize(
    ("y", "scores", "said"),
    [
        ([0, 0, 0], [1.0, 2.0, 3.0], "no sample is positive"),
        ([0, 1, 0, 1], [1.0] * 4, "All scores are equal: they rank nothing."),
        ([1, 1, 1], [0.3, 0.2, 0.3], "samples, 3 positive"),
    ],
)
def test_where_there_is_no_curve_a_sentence_says_why(kind, y, scores, said):
    display = kind.from_predictions(y, scores, pos_label=1)
    assert said in texts_of(display)


def test_no_more_lines_are_drawn_than_are_told_apart():
    with pytest.raises(ValueError, match="1 to 6 models, since no more lines are told apart; found 7"):
        RocDisplay.from_predictions(Y, {str(at): S for at in range(7)})


@KINDS
@pytest.mark.parametrize("size", [(3.3, 3.0), (6.4, 4.8)])
def test_curves_are_named_beside_the_axes_where_nothing_overlaps_and_no_legend_lies_on_them(kind, size):
    y = np.tile([1, 0], 40)
    scores = {f"model_{at}": y * at / 4 + np.sin(np.arange(80.0) * (at + 2)) for at in range(6)}
    _, ax = plt.subplots(figsize=size)
    display = kind.from_predictions(y, scores, ax=ax)
    display.figure_.draw_without_rendering()
    inside = ax.get_window_extent()
    boxes = [text.get_window_extent() for text in display.labels_]
    assert all(box.x0 > inside.x1 for box in boxes)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert display.legend_ is None or display.legend_.get_window_extent().y0 >= inside.y1 - 1
    assert len({line.get_color() for line in display.lines_}) == 6
    order = np.argsort([row.score for row in display.card])
    assert (np.diff([boxes[place].y0 for place in order]) > 0).all(), "in the order of their areas"


@KINDS
def test_areas_never_lie_over_a_neighbour(kind):
    _, axes = plt.subplots(1, 2, figsize=(12, 5))
    display = kind.from_predictions(Y, S, ax=axes[0])
    display.figure_.draw_without_rendering()
    assert display.labels_[0].get_window_extent().x1 < axes[1].get_tightbbox().x0
    assert CHANCE_BAND in legends_of(display)
