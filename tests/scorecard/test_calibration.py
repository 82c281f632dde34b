"""What log loss and Brier score are made of, against exact values and the package model-diagnostics."""

import math

import numpy as np
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

INF = math.inf
# Labels, probabilities, and score, miscalibration, discrimination, uncertainty of log loss and Brier score.
CASES = [
    ([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8],
     (0.47228795380917615, 0.1257143635292035, 0.34657359027997264, 0.6931471805599453),
     (0.158125, 0.033125, 0.125, 0.25)),
    ([1, 0, 1, 0], [0.1, 0.9, 0.2, 0.8],
     (1.9560115027140732, 1.2628643221541278, 0.0, 0.6931471805599453), (0.725, 0.475, 0.0, 0.25)),
    ([0, 1, 1, 0, 1, 0, 0, 1, 1, 1], [0.05, 0.3, 0.45, 0.5, 0.5, 0.55, 0.6, 0.7, 0.9, 0.95],
     (0.5668195338127184, 0.1509312254767513, 0.25712335867328917, 0.6730116670092563),
     (0.206, 0.056, 0.09, 0.24)),
    # model-diagnostics 1.5.0, decompose
    ([0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1],
     [0.37, 0.83, 0.48, 0.22, 0.66, 0.71, 0.43, 0.49, 0.42, 0.52, 0.41, 0.68, 0.51, 0.46, 0.5, 0.43, 0.14,
      0.22, 0.3, 0.82, 0.51, 0.77, 0.41, 0.33],
     (0.6159191173381976, 0.09968900418386739, 0.16296315283719554, 0.6791932659915257),
     (0.21306666666666665, 0.033899999999999986, 0.06388888888888888, 0.24305555555555555)),
    ([0, 1, 1], [1.0, 0.5, 0.75],
     (INF, INF, 0.0, 0.6365141682948128), (0.4375, 0.2152777777777778, 0.0, 2 / 9)),
]  # fmt: skip


@pytest.mark.parametrize(("y", "p", "log_loss", "brier"), CASES)
def test_losses_are_miscalibration_less_discrimination_and_the_bar(y, p, log_loss, brier):
    card = cb.evaluate_scores(y, p, ["brier_score", "log_loss"], intervals=False)
    rows = card.calibration().rows
    assert [row["measure"] for row in rows] == ["log_loss", "brier_score"]
    names = ("score", "miscalibration", "discrimination", "uncertainty")
    for row, wanted in zip(rows, (log_loss, brier), strict=True):
        assert [row[name] for name in names] == pytest.approx(wanted, abs=1e-14)
        bar = card.bar([measure.name for measure in card.measures].index(row["measure"]))
        assert row["uncertainty"] == pytest.approx(float(bar.value), abs=1e-15)
        assert row["clears"] == (row["discrimination"] > row["miscalibration"])


def test_a_card_of_several_models_tells_each_and_what_cannot_be_told_is_a_sentence():
    y, p, _, brier = CASES[0]
    card = cb.evaluate(y, {"a": p, "b": [0.5] * 4}, "brier_score")
    both, one = card.calibration(), card.calibration("b")
    assert [row["model"] for row in both.rows] == ["a", "b"]
    assert one.rows == both.rows[1:]
    assert one[0]["miscalibration"] == one[0]["discrimination"] == 0
    assert "a: Brier score 0.158 is better than the bar 0.250: discrimination 0.125 exceeds" in str(both)
    assert list(both.to_frame()["miscalibration"]) == pytest.approx([brier[1], 0])
    assert "| a | Brier score |" in both.to_markdown()
    for wrong, said in {
        cb.evaluate(y, y, "f1"): "calibration is of probabilities of two classes",
        cb.evaluate(y, [1.0, 2.0, 0.5, 0.1], "roc_auc"): "the scores of 'model' run from 0.1 to 2",
    }.items():
        with pytest.raises(ValueError, match=said):
            wrong.calibration()


def test_each_slice_has_parts_of_its_own():
    rng = np.random.default_rng(2)
    p, region = rng.random(90), rng.choice(["east", "north", "south"], 90)
    y = (rng.random(90) < p).astype(int)
    card = cb.evaluate(y, {"a": p, "b": p**2}, "brier_score", by=region, intervals=False)
    told = card.calibration()
    assert [(row["model"], row["group"]) for row in told.rows] == [
        (model, group) for model in "ab" for group in (None, "east", "north", "south")
    ]
    for row in told.rows:
        inside = np.full(90, True) if row["group"] is None else region == row["group"]
        given, happened = (p if row["model"] == "a" else p**2)[inside], y[inside]
        share = happened.mean()
        assert row["samples"] == inside.sum()
        assert row["score"] == pytest.approx(((given - happened) ** 2).mean(), abs=1e-14)
        assert row["uncertainty"] == pytest.approx(share * (1 - share), abs=1e-14)
        # Pools of isotonic regression are means of what happened: it is a projection.
        apart = row["miscalibration"] - row["discrimination"] + row["uncertainty"]
        assert row["score"] == pytest.approx(apart, abs=1e-14)
        alone = cb.evaluate(happened, given, "brier_score", intervals=False).calibration()[0]
        assert row["miscalibration"] == alone["miscalibration"]
    assert card.calibration("b", "north").rows == (told[6],)
    assert card.calibration("a", ["south", "east"]).rows == (told[3], told[1])
    cleared = sum(row["clears"] for row in told.rows[1:4])
    worst = max(told.rows[1:4], key=lambda row: row["miscalibration"])["group"]
    said = f"a: Brier score clears the bar in {cleared} of 3 slices; miscalibration is largest in {worst} ("
    assert said in " ".join(str(told).split())
    with pytest.raises(ValueError, match="no row has group 'west'"):
        card.calibration(group="west")


def test_a_picture_of_slices_has_a_line_and_a_bar_for_each():
    pytest.importorskip("matplotlib")
    p = np.linspace(0.05, 0.95, 60)
    y, by = (p > 0.4).astype(int), np.arange(60) % 3
    card = cb.evaluate(y, {"a": p, "b": p}, "brier_score", by=by, intervals=False)
    draw = cb.plots.ReliabilityDisplay.from_scorecard
    display = draw(card, model="a", group=[0, 2])
    assert [text.get_text() for text in display.legend_.get_texts()][:2] == ["0", "2"]
    assert [line.get_ydata()[0] for line in display.bars_] == [y[by == 0].mean(), y[by == 2].mean()]
    assert "in 2 of 2 slices" in display.finding
    assert "40 samples" in display.description
    assert draw(card, model="a", group=1).band_ is not None
    for options, said in (
        ({"group": [0, 1]}, "model must be named"),
        ({"group": []}, "1 to 6 lines are told apart; found 0"),
    ):
        with pytest.raises(ValueError, match=said):
            draw(card, **options)


def test_the_picture_has_the_band_of_calibrated_probabilities():
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(4)
    p = rng.random(400)
    for truth, calibrated in ((p, True), (p**3, False)):
        y = (rng.random(400) < truth).astype(int)
        display = cb.plots.ReliabilityDisplay.from_predictions(y, p)
        across, shares = display.lines_[0].get_data()
        corners = display.band_.get_paths()[0].vertices
        low, high = (np.array([pick(corners[corners[:, 0] == x, 1]) for x in across]) for pick in (min, max))
        inside = np.mean((shares >= low - 1e-9) & (shares <= high + 1e-9))
        assert (inside > 0.8) == calibrated
