"""What a scorecard says and how it looks: sentences, tables, explanations, hostile names."""

# ruff: noqa: E501 - what is printed stands here on lines as it is printed

import dataclasses
import io
import itertools
import pickle
import re

import numpy as np
import pandas as pd
import pytest

import clearbar as cb
from clearbar.core.counts import counts_of
from clearbar.formatting import width
from clearbar.scorecard import explain_bar

pytestmark = pytest.mark.quick


def counts(tp, fp):
    return cb.Counts(tp=tp, fp=fp, fn=56 - tp, tn=55 - fp)


TREE, KNN, FOREST, GOOD = counts(35, 10), counts(34, 11), counts(32, 24), counts(52, 4)
EVERYTHING = counts(56, 55)


ALWAYS = 'always answering "positive" scores'


@pytest.mark.parametrize(
    ("models", "measures", "line"),
    [
        ({"model": GOOD}, "f1", "Clears the F1 bar (0.929, bar 0.671, p < 1e-5)"),
        ({"good": GOOD}, ["f1", "mcc", "accuracy"], "good clears all 3 bars"),
        ({"good": GOOD, "fine": GOOD}, ["f1", "mcc", "recall", "accuracy"],
         "Both models clear all 3 bars"),
        ({"tree": TREE}, ["f1", "mcc", "accuracy", "precision", "balanced_accuracy"],
         "tree clears 4 of 5 bars; F1 is not settled (0.693, bar 0.671, p = 0.71)"),
        ({"model": counts(56, 30)}, ["f1", "mcc", "accuracy", "npv"], "Clears all 4 bars"),
        ({"model": counts(40, 40)}, ["mcc", "accuracy"],
         f"Misses the MCC and accuracy bars: {ALWAYS} accuracy 0.505"),
        ({"model": counts(40, 40)}, "f1", f"Misses the F1 bar: {ALWAYS} 0.671"),
        ({"model": FOREST}, ["f1", "mcc"],
         f"MCC is not settled (p = 0.17); misses the F1 bar: {ALWAYS} 0.671"),
        ({"model": EVERYTHING}, "f1", f"Exactly at the F1 bar: {ALWAYS} 0.671"),
        ({"model": counts(54, 45)}, ["f1", "mcc"],
         "Clears the MCC bar; F1 is not settled (0.697, bar 0.671, p = 0.27)"),
        ({"tree": TREE, "knn": KNN, "forest": KNN}, ["f1", "accuracy"],
         "All 3 models clear the accuracy bar; their F1 is not settled"),
        ({"tree": TREE, "knn": KNN}, "f1", "Both models are above the F1 bar, but it could be chance"),
        ({"good": GOOD, "forest": FOREST}, "f1", "good clears; forest does not (F1, bar 0.671)"),
        ({"good": GOOD, "forest": FOREST, "tree": TREE}, "f1",
         "good clears; tree is not settled; forest does not clear (F1, bar 0.671)"),
        ({"good": GOOD, "fine": GOOD, "tree": TREE, "forest": FOREST}, "f1",
         "good and fine clear; tree is not settled; forest does not clear (F1, bar 0.671)"),
        ({"tree": counts(38, 10), "forest": FOREST}, ["mcc", "f1"],
         "tree clears the MCC bar; its F1 is not settled; forest misses the F1 bar"),
        ({"shy": counts(20, 2), "timid": counts(21, 2)}, ["mcc", "f1"],
         "Both models clear the MCC bar; they miss the F1 bar"),
        ({**{f"{name}_is_a_long_name": GOOD for name in "ab"}, "t": TREE, "u": TREE, "v": FOREST},
         ["mcc", "f1", "accuracy"],
         "a_is_a_long_name and b_is_a_long_name clear all 3 bars; 2 others might; 1 misses a bar"),
        ({"good": GOOD, "forest": FOREST}, ["f1", "threat_score", "g_mean"],
         "good clears all 3 bars; forest misses the F1 and threat score bars"),
        ({"good": GOOD, "all": EVERYTHING}, ["f1", "accuracy"],
         "good clears the F1 and accuracy bars; all is exactly at the F1 and accuracy bars"),
        ({"tree": TREE}, "recall", f"Recall is not judged: {ALWAYS} 1"),
        ({"none": counts(0, 0)}, "mcc", "No verdict: MCC has no value here: it predicts no positives"),
        ({"fine": GOOD, "none": counts(0, 0), "good": GOOD}, ["accuracy", "mcc", "precision"],
         "fine and good clear all 3 bars; none misses the accuracy bar"),
        ({"fine": GOOD, "none": counts(56, 55)}, ["mcc", "npv"],
         "fine clears the MCC and NPV bars; none has no value of MCC and NPV"),
        ({"a": FOREST, "b": counts(20, 40), "d": counts(40, 40)}, ["accuracy", "f1"],
         "All 3 models miss at least one bar, most often F1"),
        ({f"m{i}": GOOD if i > 1 else FOREST for i in range(8)}, ["f1", "mcc", "accuracy"],
         "6 of 8 models clear all 3 bars; m0 and m1 miss the F1 bar"),
    ],
)  # fmt: skip
def test_the_headline_says_what_clears_then_what_is_not_settled_then_what_is_missed(models, measures, line):
    """Always answering "positive" scores F1 2 * 56 / (111 + 56) = 0.671, and p is that of the reference."""
    card = cb.evaluate_counts(models, measures)
    assert card.headline() == line == card.to_dict()["headline"]
    assert line in " ".join(card.to_text().split())


def test_a_model_that_misses_one_of_many_bars_has_its_wins_first():
    """Of 100 samples 95 are negative: always answering so is right 95 times of 100."""
    rare = cb.Counts(tp=5, fp=12, fn=0, tn=83)
    line = cb.evaluate_counts(rare, ["accuracy", "f1", "mcc", "precision", "balanced_accuracy"]).headline()
    assert line == 'Clears 4 of 5 bars; not accuracy: always answering "negative" scores 0.950'


def test_of_one_class_nothing_is_judged():
    for measures in (None, "mcc", ["accuracy", "f1"]):
        assert (
            cb.evaluate([1] * 20, [1] * 20, measures).headline() == "No verdict: all 20 samples are positive"
        )
    assert cb.evaluate([0, 0], [0, 1]).headline() == "No verdict: none of 2 samples is positive"
    assert cb.evaluate([1], [1]).headline() == "No verdict: the only sample is positive"
    assert cb.evaluate([0], [1]).headline() == "No verdict: the only sample is not positive"
    card = cb.evaluate_multiclass(["a"] * 9, ["a"] * 9)
    assert card.headline() == 'No verdict: all 9 samples are "a"'


def test_classes_are_quoted():
    y = np.array([7] * 60 + [8] * 25 + [9] * 15)
    said = cb.evaluate_multiclass(y, np.roll(y, 5), "accuracy").headline()
    assert said.startswith("Clears the accuracy bar")
    card = cb.evaluate_multiclass(y, np.roll(y, 40), "accuracy")
    assert str(card).startswith('100 samples of 3 classes (60 "7", 25 "8", 15 "9").')
    said = card.headline()
    assert said == 'Misses the accuracy bar: always answering "7" scores 0.600'


def test_a_headline_speaks_of_one_model_or_measure_where_that_is_asked():
    card = cb.evaluate_counts({"good": GOOD, "forest": FOREST}, ["f1", "mcc"])
    assert card.headline(model="good") == "good clears the F1 and MCC bars"
    assert card.headline(measure="f1") == "good clears; forest does not (F1, bar 0.671)"
    with pytest.raises(ValueError, match="no row has model"):
        card.headline(model="nobody")


def test_no_headline_is_longer_than_ninety_characters():
    names = [f"{'very_' * 9}long_name_{i}" for i in range(9)]
    tables = [GOOD, TREE, KNN, FOREST, EVERYTHING, counts(0, 0), counts(20, 40), counts(54, 45), counts(1, 0)]
    for size in (1, 2, 3, 9):
        for measures in ("f1", ["f1", "mcc"], "all"):
            card = cb.evaluate_counts(
                dict(zip(names, tables[-size:], strict=False)), measures, intervals=False
            )
            assert len(card.headline()) <= 90
    by_slice = {name: counts_of(np.tile(np.array(table.cells)[:, None], 12))
                for name, table in zip(names, tables, strict=True)}  # fmt: skip
    assert len(cb.evaluate_counts(by_slice, None).headline()) <= 90


def test_where_no_p_is_known_card_gate_and_explanation_say_so():
    card = cb.evaluate_counts({"tree": TREE}, "mcc")
    known = ("p_value", "p_value_blind", "p_sure")
    unknown = {name: np.full_like(card.columns["p_value"], np.nan) for name in known}
    nothing = {"p_corrected": np.ones_like(card.columns["p_value"]), "sure": card.columns["sure"] & False}
    card = dataclasses.replace(card, columns={**card.columns, **unknown, **nothing})
    assert card.headline() == "tree is above the MCC bar, but how surely is not known"
    assert str(card[0]) == "tree: MCC 0.451 is above the bar 0, but how surely is not known; skill +0.45"
    assert not card.clears()
    assert "is above the bar 0, but how surely is not known" in card.explain("mcc")
    hurried = cb.evaluate_counts({"tree": TREE}, "mcc", intervals=False)
    assert hurried.headline() == "tree is above the MCC bar (0.451, bar 0); how surely was not asked"
    assert "how surely was not asked" in hurried.explain("mcc")
    losses = {"close": [1, 2, 3, 4.5], "far": [9, 9, 0, 0]}
    hurried = cb.evaluate([1, 2, 3, 4], losses, "mse", intervals=False)
    said = "close is better than the bar; far is not (MSE, bar 1.250); how surely was not asked"
    assert hurried.headline() == said


def test_three_models_stand_side_by_side_the_best_first():
    models = {"forest": FOREST, "knn": KNN, "tree": TREE}
    card = cb.evaluate_counts(models, ["f1", "accuracy", "g_mean", "mcc", "recall"])
    assert card.to_text().splitlines() == [
        "111 samples, 56 positive (50.5 %), 3 models.",
        "tree and knn clear 3 of 4 bars; their F1 is not settled; forest misses the F1",
        "bar",
        'Always answering "positive" scores F1 0.671.',
        "",
        "            bar   tree      knn    forest",
        "F1        0.671  0.693 ?  0.673 ?  0.571 ✗",
        "accuracy  0.505  0.721    0.703    0.568 ?",
        "G-mean    0.500  0.715    0.697    0.568 ?",
        "MCC       0      0.451    0.415    0.135 ?",
        "recall    1      0.625    0.607    0.571",
        'Recall is not judged: always answering "positive" scores 1.',
        "? above the bar, but it could be chance   ✗ below the bar",
        "(p corrected for 3 models)",
    ]


def test_one_model_shows_skill_and_p():
    card = cb.evaluate_counts({"tree": TREE}, ["f1", "mcc", "recall", "error_rate"])
    assert card.to_text(columns=("skill", "p")).splitlines()[4:] == [
        "              bar  score    skill      p",
        "F1          0.671  0.693 ?  +0.07   0.71",
        "MCC         0      0.451    +0.45  <1e-5",
        "recall      1      0.625     –      –",
        "error rate  0.495  0.279    +0.44  <1e-5",
        'Recall is not judged: always answering "positive" scores 1.',
        "Error rate: less is better.",
        "? above the bar, but it could be chance",
    ]


def test_a_score_is_told_from_its_bar_by_more_digits():
    total = cb.Counts(tp=50_000, fp=49_993, fn=0, tn=7)
    text = cb.evaluate_counts(total, "f1", intervals=False).to_text()
    bar, score = re.search(r"F1 +([\d.]+) +([\d.]+)", text).groups()
    assert bar != score
    assert float(bar) < float(score)


def test_what_is_the_bar_itself_or_has_no_value_needs_no_more_digits():
    """FNR: a model at the bar that cannot be beaten. Detection rate: the bar but for rounding. Odds: no bar."""
    some, every = cb.Counts(tp=95, fp=38, fn=14, tn=153), cb.Counts(tp=109, fp=191, fn=0, tn=0)
    names = ["fnr", "detection_rate", "diagnostic_odds_ratio"]
    text = cb.evaluate_counts({"some": some, "all": every}, names, intervals=False).to_text()
    assert re.search(r"FNR +0 +0 +0\.128\n", text)
    assert re.search(r"detection rate +0\.363 +0\.363 +0\.317\n", text)
    assert re.search(r"diagnostic odds ratio +– +– +27\.32\n", text)


def test_a_tie_is_no_miss_and_no_pass():
    text = cb.evaluate_counts({"all": EVERYTHING}, "f1").to_text()
    assert re.search(r"F1  0\.671  0\.671 = ", text)
    assert text.endswith("\n= exactly at the bar")


def test_colours_and_plain_letters_are_for_those_who_ask():
    card = cb.evaluate_counts({"forest": FOREST}, "f1")
    assert "\x1b" not in card.to_text()
    assert "\x1b[1;38;5;166m✗\x1b[0m" in card.to_text(color=True)
    card.to_text(encoding="ascii").encode("ascii")
    assert re.search(r"0\.571 x +-0\.15", card.to_text(encoding="ascii", columns=["skill"]))


def test_printing_never_fails_on_a_narrow_stream(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", stream)
    print(cb.evaluate_counts({"模型": FOREST}, "f1"))  # noqa: T201 - what is tested
    stream.flush()
    assert b"0.571 x " in stream.buffer.getvalue()


def test_alpha_moves_the_mark():
    card = cb.evaluate_counts({"forest": FOREST}, "mcc")  # p = 0.17
    assert "0.135 ?" in card.to_text(columns=["p"])
    assert "0.135 ?" not in card.to_text(alpha=0.2, columns=["p"])
    assert card.headline() == "forest is above the MCC bar, but it could be chance (0.135, bar 0, p = 0.17)"
    assert card.headline(0.2) == "forest clears the MCC bar (0.135, bar 0, p = 0.17)"


def test_more_models_than_fit_stand_below_each_other_the_best_by_the_first_measure_first():
    models = {f"m{i}": counts(30 + 3 * i, 20) for i in range(8)}
    card = cb.evaluate_counts(models, ["f1", "mcc", "accuracy"])
    lines = card.to_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.split() == ["F1", "MCC", "accuracy"])
    assert lines[start + 1].split() == ["bar", "0.671", "0", "0.505"]
    assert [line.split()[0] for line in lines[start + 2 : start + 10]] == [f"m{i}" for i in range(7, -1, -1)]
    assert "… 5 more models, the best first: card.worst(20)" in card.to_text(most=3)
    every = card.to_text(most=None, columns=["skill", "p"]).splitlines()
    start = next(i for i, line in enumerate(every) if line.startswith("model"))
    assert every[start].split() == ["model", "measure", "bar", "score", "skill", "p"]
    assert [line.split()[1] for line in every[start + 1 : start + 25]] == ["F1"] * 8 + ["MCC"] * 8 + [
        "accuracy"
    ] * 8


def test_the_whole_catalogue_stays_on_a_screen():
    card = cb.evaluate_counts({"tree": TREE}, "all", intervals=False)
    assert len(card.to_text().splitlines()) < 40
    assert f"… {len(card.measures) - 20} more measures" in card.to_text()
    assert len(card.to_markdown().splitlines()) > len(card)


def test_slices_come_after_the_whole_worst_first(sliced):
    text = sliced.to_text()
    assert text.splitlines()[0] == "111 samples, 56 positive (50.5 %), 3 models, 3 slices."
    whole, _, slices = text.partition("slice  model")
    assert "(p corrected for 3 models)" in whole
    assert "(p corrected for 3 slices of 3 models)" in slices
    assert "positive" in slices.splitlines()[0]
    worst = sliced.worst(1)[0]
    assert re.match(rf"{worst.group} +{worst.model} +{worst.measure.label}", slices.splitlines()[1])
    assert "8 rows more" in slices


@pytest.mark.parametrize(
    ("tp", "fp", "line"),
    [
        ([40, 20], [10, 40], "F1 and MCC: 1 of 2 slices surely clears, 1 below"),
        (
            [10, 12],
            [10, 15],
            "F1 and MCC: no slice surely clears; 2 below",
        ),
        ([40, 45], [10, 5], "F1 and MCC: all 2 slices surely clear"),
        (
            [40, 27],
            [10, 25],
            "F1: 1 of 2 slices surely clears, 1 below. MCC: 1 of 2 slices surely clears, 1 unsettled",
        ),
    ],
)
def test_slices_without_a_whole_are_counted_for_each_measure(tp, fp, line):
    tables = cb.Counts(tp=tp, fp=fp, fn=50 - np.array(tp), tn=50 - np.array(fp))
    card = cb.evaluate_counts(tables, ["f1", "mcc"], groups=["a", "b"])
    assert card.headline() == line
    assert card.headline(measure="f1").startswith("F1: ")


@pytest.mark.parametrize(
    ("slices", "line"),
    [
        ((GOOD, GOOD), "Clears the F1 and MCC bars, also in every slice"),
        ((GOOD, GOOD, counts(30, 25)), "Clears the F1 and MCC bars, not in every slice"),
        ((GOOD, counts(54, 45)), "Clears the F1 and MCC bars, not in every slice"),
        ((FOREST, GOOD, FOREST),
         "Clears the MCC bar, not in every slice; F1 is not settled (0.690, bar 0.671, p = 0.49)"),
        ((FOREST, FOREST), f"Clears the MCC bar, not in every slice; not F1: {ALWAYS} 0.671"),
    ],
)  # fmt: skip
def test_the_headline_and_clears_ask_the_same_of_slices(slices, line):
    """``clears()`` asks for every row: the headline says whether slices clear what the whole clears."""
    y, answers, group = [], [], []
    for name, table in enumerate(slices):
        cells = [(1, 1, table.tp), (0, 1, table.fp), (1, 0, table.fn), (0, 0, table.tn)]
        for truth, answer, size in cells:
            y, answers = y + [truth] * size, answers + [answer] * size
        group += [name] * int(table.total)
    card = cb.evaluate(y, answers, ["f1", "mcc"], by=group)
    assert card.headline() == line
    assert card.clears() == line.endswith("bars, also in every slice")
    for measure in ("f1", "mcc"):
        of_measure = card.headline(measure=measure)
        assert card.clears(measure) == of_measure.endswith(", also in every slice")
        assert card.clears(measure) == all(row.sure for row in card if row.measure.name == measure)
    models = cb.evaluate(y, {"one": answers, "two": answers}, ["f1", "mcc"], by=group)
    assert models.clears() == ("also in every slice" in models.headline())


def test_no_headline_of_models_with_slices_is_cut():
    """Six bars: one clears all, one is not settled in two, one misses two; slices are named where there is room."""
    y = np.repeat([1, 0], 221)
    found = {"naive_bayes": (160, 58), "random_forest": (159, 63), "decision_tree": (141, 71)}
    answers = {
        name: np.r_[np.arange(221) < tp, np.arange(221) < fp].astype(int) for name, (tp, fp) in found.items()
    }
    measures = ["f1", "threat_score", "accuracy", "g_mean", "mcc", "precision"]
    by = np.arange(442) % 10
    line = "naive_bayes clears all 6 bars, not in every slice; 1 other is not settled; 1 misses a bar"
    assert cb.evaluate(y, answers, measures, by=by).headline() == line
    longer = {f"{name}_tuned": called for name, called in answers.items()}
    line = "naive_bayes_tuned clears all 6 bars, not in every slice; 1 other might; 1 misses a bar"
    assert cb.evaluate(y, longer, measures, by=by).headline() == line


def test_whose_bar_is_not_settled_is_said_where_models_are_few():
    card = cb.evaluate_counts({"a": TREE, "b": FOREST}, ["f1", "accuracy", "mcc"])
    assert card.headline() == "a clears the accuracy and MCC bars; its F1 is not settled; b misses the F1 bar"


def test_many_slices_and_models_are_counted():
    """Twelve slices of three samples of each class: nothing is sure. Ten models on six slices, 18 samples."""
    twelve = cb.Counts(tp=[2] * 11 + [0], fp=[1] * 12, fn=[1] * 11 + [3], tn=[2] * 12)
    card = cb.evaluate_counts(twelve, "mcc")
    assert card.headline() == "MCC: no slice surely clears; 11 unsettled, 1 below"
    y, guesses = np.arange(18) % 2, np.random.default_rng(0).integers(0, 2, (10, 18))
    card = cb.evaluate(y, {f"m{i}": guess for i, guess in enumerate(guesses)}, by=np.arange(18) // 3)
    assert len(card) == 420
    assert "Accuracy: no slice of 10 models surely clears; 6 unsettled, 54 below (5 more" in str(card)
    assert len(card.headline()) <= 90


def test_runs_show_their_spread_and_share(runs):
    text = runs.to_text()
    assert text.splitlines()[0] == "111 samples, 56 positive (50.5 %), 3 runs."
    assert re.search(r"F1 +0\.671 +0\.652 ± 0\.070 ✗ .*−0\.03 +– +66\.7 %", text)
    assert "Scores are means over 3 runs (± their standard deviation)." in " ".join(text.split())


def test_a_bar_is_explained(card):
    found = card.explain("F-measure", "tree").splitlines()
    assert found[0].startswith("F1: ")
    assert found[1:4] == [
        "The best feature-blind classifier for F1 predicts all 111 positive and scores 0.671 every time.",
        "Nothing that ignores its input does better on average (Pries et al. 2023).",
        "Perfect predictions score 1.",
    ]
    assert found[4].startswith("tree: F1 0.693 is above the bar 0.671, but it could be chance; skill +0.07;")
    assert [line.split()[0] for line in card.explain("f1").splitlines()[4:7]] == ["tree:", "knn:", "forest:"]


def test_explanations_name_the_classes_and_a_declared_measure_keeps_its_words():
    y_true, y_pred = ["malignant", "benign"] * 10, ["malignant", "benign", "benign", "malignant"] * 5
    bias = cb.Measure(
        "bias",
        lambda tp, fp, fn, tn: fp - fn + 0 * (tp + tn),
        greater_is_better=False,
        question="Is the bias positive?",
    )
    card = cb.evaluate(y_true, y_pred, ["precision", "recall", bias], pos_label="malignant")
    question = 'precision: Which share of the samples predicted "malignant" is "malignant"?'
    assert card.explain("precision").splitlines()[0] == question
    assert 'Predicting everything "malignant" reaches the best value.' in card.explain("recall")
    assert card.explain("bias").splitlines()[0] == "bias: Is the bias positive?"
    assert "samples predicted &quot;malignant&quot; is" in card.bar(0)._repr_html_()


def test_explanations_cover_every_outcome(card, sliced):
    tie = cb.evaluate_counts({"all": EVERYTHING}, "f1").explain("f1")
    undefined = cb.evaluate_counts({"none": cb.Counts(tp=0, fp=0, fn=5, tn=6)}, "mcc").explain("mcc")
    assert "on average." in card.explain("g_mean")
    assert "cannot tell a model from random answers" in card.explain("recall")
    assert "tree: MCC 0.451 clears the bar 0 (p " in card.explain("mcc")
    assert (
        f"forest: F1 0.571 is below the bar 0.671 ({ALWAYS.removesuffix(' scores')}); skill −0.15"
        in card.explain("f1")
    )
    assert "predicts all 37 positive" in sliced.explain("f1", group="north")
    assert "all: F1 0.671 is exactly at the bar 0.671" in tie
    assert "none: MCC has no value here: it predicts no positives." in undefined
    assert "There is no bar: " in explain_bar(cb.baseline(cb.Population(9, 4), "diagnostic_odds_ratio"))


def test_names_are_broken_into_lines_in_a_terminal_only_and_escaped_elsewhere():
    card = cb.evaluate_counts({"k_nearest_neighbours": FOREST, "50 % & co": GOOD}, ["f1", "mcc"])
    assert re.search(r" k_nearest_\n +bar +50 % & co +neighbours\n", card.to_text())
    assert "| k_nearest_neighbours |" in card.to_markdown()
    assert ">k_nearest_neighbours</th>" in card._repr_html_()
    latex = card.to_latex()
    assert latex.startswith("% \\usepackage{booktabs}\n\\begin{tabular}")
    assert all(rule in latex for rule in ("\\toprule", "\\midrule", "\\bottomrule"))
    assert " & bar & 50 \\% \\& co & k\\_nearest\\_neighbours \\\\" in latex


def test_a_notebook_gets_a_table_that_needs_no_style(card):
    found = card._repr_html_()
    assert found.startswith('<div class="clearbar-scorecard" dir="ltr"')
    assert found.count("<table") == found.count("</table>") == 1
    assert 'aria-label="below the bar">✗</span>' in found
    assert "color:#" not in found.replace("background", "")  # the page's own colours, light or dark


def test_every_line_of_names_in_any_script_lines_up():
    rows = cb.evaluate_counts(
        dict.fromkeys(["ab", "模型", "👨‍👩‍👧", "e\u0301e", "x", "y", "z"], FOREST), "f1"
    ).to_text()
    table = [line for line in rows.splitlines() if "0.571" in line]
    assert len(table) == 7
    assert len({width(line) for line in table}) == 1
    assert len({width(line[: line.index("0.571")]) for line in table}) == 1


def test_a_missed_bar_has_no_p_that_praises_it():
    """Labels in random order do as well with a probability of 1e-73, and yet F1 is below its bar."""
    card = cb.evaluate_counts(cb.Counts(tp=3500, fp=2500, fn=2500, tn=3500), ["f1", "mcc"])
    assert card[0].p_value_blind < 1e-70
    assert not card[0].sure
    rows = {line.split()[0]: line.split() for line in card.to_text(columns=["p"]).splitlines() if line}
    assert rows["F1"] == ["F1", "0.6667", "0.5833", "✗", "–"]
    assert rows["MCC"][:3] == ["MCC", "0", "0.1667"]
    assert float(rows["MCC"][3].removeprefix("<")) < 1e-4


def test_slices_that_cannot_be_judged_are_not_called_cleared():
    truth, guess = [1] * 18 + [0] * 13, [0] + [1] * 17 + [1] + [0] * 12
    each = cb.evaluate(truth, guess, "f1", by=np.arange(31)).to_text()
    assert "\nNone of 31 slices can be judged\n\n31 rows without a verdict left out:" in each
    assert "\nThe slice cannot be judged\n" in cb.evaluate([1, 1], [1, 0], "f1", by=["a", "a"]).to_text()
    some = cb.evaluate(truth, guess, "f1", by=["a"] * 10 + ["b"] * 15 + ["c"] * 6)
    for page in (some.to_text(), some.to_markdown()):
        assert "F1: 1 of 3 slices surely clears, 2 not judged" in page


def test_a_measure_without_a_value_is_named_once():
    card = cb.evaluate([1] * 18 + [0] * 13, [0] * 31, ["mcc", "precision", "f1", "dor"])
    assert "  precision has" not in card.to_text()
    assert "MCC and precision have no value here: it predicts no positives" in card.to_latex()
    none = cb.evaluate([1, 1, 1], [1, 1, 1], ["mcc", "balanced_accuracy"]).headline()
    assert none == "No verdict: all 3 samples are positive"


def test_no_row_is_torn_and_no_mark_stands_apart_at_any_width():
    """One model, five, and slices of five: nothing is wider than the terminal."""
    names = ["logistic_regression", "naive_bayes", "random_forest", "k_nearest_neighbours", "decision_tree"]
    models = dict(zip(names, (GOOD, TREE, KNN, FOREST, counts(20, 40)), strict=True))
    measures = ["accuracy", "balanced_accuracy", "f1", "recall"]
    sliced = {name: counts_of(np.tile(np.array(one.cells)[:, None], 3)) for name, one in models.items()}
    cards = [
        cb.evaluate_counts({"naive_bayes": TREE}, measures),
        cb.evaluate_counts(models, measures),
        cb.evaluate_counts(sliced, measures, groups=["clinic in the north", "clinic in the south", "b"]),
    ]
    for card, wide in itertools.product(cards, (50, 80, 120)):
        text = card.to_text(width=wide)
        assert max(map(width, text.splitlines())) <= wide
        rows = [
            line for line in text.splitlines() if re.match(r"F1 |.* F1 +|  bar ", line) and "0.671" in line
        ]
        assert rows, "in columns, or where those do not fit below the name of its block"
        marked = sum(line.count("✗") + line.count("?") for line in rows)
        assert sum(len(re.findall(r"\d\.\d+ +[✗?]", line)) for line in rows) == marked
    five = cards[1].to_text(width=80).splitlines()
    assert len([line for line in five if line.startswith("F1 ")]) == 1, "five models stand side by side"


def test_a_loss_is_better_or_worse_than_its_bar_and_not_above_or_below_it():
    y = [0, 1] * 50
    doubt = cb.evaluate(y, [0, 1] * 28 + [1, 0] * 22, ["error_rate", "mcc"])
    assert "\nBetter than the error rate and MCC bars" in str(doubt)
    assert str(doubt).endswith("? better than the bar, but it could be chance")
    assert " is above the bar 0, but it could be chance" in str(doubt[1])
    for text in (str(doubt[0]), doubt.explain("error_rate")):
        assert "error rate 0.440 is better than the bar 0.500, but it could be chance" in text
    fails = cb.evaluate(y, [0, 1] * 20 + [1, 0] * 30, ["error_rate", "mcc"])
    assert str(fails).endswith("✗ worse than the bar")
    assert "error rate 0.600 is worse than the bar 0.500" in str(fails[0])
    assert "MCC −0.200 is below the bar 0" in str(fails[1])
    for word in ("worse than", "below"):
        assert f'aria-label="{word} the bar">' in fails._repr_html_()


def test_slices_of_a_loss_are_better_or_worse():
    tables = cb.Counts(tp=[30, 4, 12], fp=[6, 29, 9], fn=[5, 29, 10], tn=[40, 4, 9])
    card = cb.evaluate_counts(tables, ["error_rate", "accuracy"], groups=["A", "B", "C"])
    worse, below = card.slices("error_rate"), card.slices("accuracy")
    assert worse.counts == below.counts, "the codes are the same"
    assert "surely worse: the true score is worse than the bar of its own slice." in str(worse)
    assert not re.search("above|below", str(worse))
    assert "surely below: the true score is below the bar of its own slice." in str(below)


def test_a_score_below_its_bar_that_could_be_above_it_says_so():
    card = cb.evaluate_counts(cb.Counts(tp=44, fp=40, fn=26, tn=60), "f1")
    assert card[0].low < card[0].baseline.value < card[0].high
    assert ' is below the bar 0.583 (always answering "positive"), perhaps' in str(card[0])
    assert str(card[0]) in card.explain("f1")
    far = cb.evaluate_counts(cb.Counts(tp=4, fp=40, fn=66, tn=60), "f1")
    assert "perhaps" not in f"{far[0]} {far.explain('f1')}"


def test_groups_not_samples_are_taken_for_independent_where_they_are_named():
    y_true, groups = [1, 0] * 30, [at // 4 for at in range(60)]
    card = cb.evaluate(y_true, y_true, "mcc", clusters=groups)
    assert "take whole groups of samples for independent draws" in card.explain("mcc")


def test_classes_have_the_names_of_their_labels_on_every_surface():
    """Counts line, recipes, matrices, tables and headlines; 0 and 1 are negative and positive."""
    y = np.array(["benign"] * 95 + ["malignant"] * 5)
    guess = np.array(["benign"] * 83 + ["malignant"] * 17)
    asked = {"measures": ["f1", "mcc", "accuracy"], "pos_label": "malignant"}
    frame = pd.DataFrame({"y": y, "guess": guess, "slice": ["a", "b"] * 50, "patient": np.arange(100) // 2})
    cards = [
        cb.evaluate(y, guess, **asked),
        cb.evaluate_folds(y, guess, np.arange(100) % 5, **asked),
        *(
            cb.evaluate_frame(frame, "y", "guess", **asked, **more)
            for more in ({}, {"by": "slice"}, {"clusters": "patient"}, {"fold": "slice"})
        ),
        cb.evaluate_counts(cb.count(y, guess, pos_label="malignant"), asked["measures"]),
    ]
    for card in cards:
        assert str(card).startswith("100 samples, 5 malignant (5.0 %)")
        assert 'lways answering "benign" scores' in str(card)
        assert "positive" not in str(card)[:400]
        assert "predicts all 100 malignant" in pickle.loads(pickle.dumps(card)).explain("f1")  # noqa: S301 - ours
    assert "5.0 %" in str(cards[3])
    assert str(cb.baseline(y, "f1", pos_label="malignant")) == "F1 bar 0.095: predict all 100 malignant"
    assert str(cb.baseline(y, "precision", pos_label="malignant")).endswith(
        "any number of malignant, at least one"
    )
    assert "predicted benign" in cards[-1].counts[0, 0]._repr_html_()
    assert "5 malignant" in cb.Population.from_labels(y, pos_label="malignant")._repr_html_()
    scores = cb.evaluate(y, np.arange(100), "roc_auc", pos_label="malignant")
    assert str(scores).startswith("100 samples, 5 malignant")
    numbers = cb.evaluate(
        np.where(y == "benign", 1, 2), np.where(guess == "benign", 1, 2), "accuracy", pos_label=2
    )
    assert str(numbers).startswith('100 samples, 5 "2" (5.0 %)')
    assert numbers.headline() == 'Misses the accuracy bar: always answering "1" scores 0.950'
    assert cb.count(y, guess, pos_label="malignant") == cb.Counts(tp=5, fp=12, fn=0, tn=83)
    none = cb.evaluate(y, np.full(100, "benign"), ["precision", "mcc"], pos_label="malignant")
    assert none.headline() == 'No verdict: precision has no value here: it predicts no "malignant"'
    dummies = str(cb.dummies(y, "f1", pos_label="malignant"))
    assert "100 samples, 5 malignant (5.0 %)" in dummies
    assert "predicted malignant" in dummies
    assert "constant (benign) " in dummies
    assert "positive" not in dummies
