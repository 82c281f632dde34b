"""What a scorecard says and how it looks: sentences, tables, explanations, hostile names."""

# ruff: noqa: E501 - what is printed stands here on lines as it is printed

import dataclasses
import io
import itertools
import re

import numpy as np
import pytest

import clearbar as cb
from clearbar.formatting import width
from clearbar.scorecard import explain_bar

pytestmark = pytest.mark.quick

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    '=HYPERLINK("http://evil")',
    "שלום",
    "👨‍👩‍👧 模型",
    "x" * 10_000,
    "red\x1b[31m\ntwo|three\u202e",
    "\\input{x}$y$%",
]


def counts(tp, fp):
    return cb.Counts(tp=tp, fp=fp, fn=56 - tp, tn=55 - fp)


TAGS = {"div", "p", "br", "strong", "small", "table", "thead", "tbody", "tr", "th", "td", "span", "bdi"}
TREE, KNN, FOREST, GOOD = counts(35, 10), counts(34, 11), counts(32, 24), counts(52, 4)
EVERYTHING = counts(56, 55)


@pytest.mark.parametrize(
    ("models", "measures", "sentence"),
    [
        ({"good": GOOD}, "f1", "good clears the F1 bar."),
        ({"model": GOOD}, "f1", "The model clears the F1 bar."),
        ({"good": GOOD}, ["f1", "mcc"], "good clears the F1 and MCC bars."),
        ({"good": GOOD}, ["f1", "mcc", "accuracy"], "good clears all 3 bars."),
        ({"good": GOOD, "fine": GOOD}, ["f1", "mcc", "recall", "accuracy"],
         "Both models clear all 3 bars that can tell."),
        ({"tree": TREE}, "f1", "tree is above the F1 bar, but it could be chance (p = 0.71)."),
        ({"tree": TREE, "knn": KNN, "forest": KNN}, ["f1", "accuracy"],
         "All 3 models are above the F1 bar, but it could be chance (p = 1)."),
        ({"forest": FOREST}, "f1", 'forest misses the F1 bar: always answering "positive" scores 0.671.'),
        ({"a": FOREST, "b": FOREST}, "f1", 'Both models miss the F1 bar: always answering "positive" scores 0.671.'),
        (
            {"tree": TREE, "forest": FOREST}, ["f1", "mcc"],
            ('forest misses the F1 bar: always answering "positive" scores 0.671. '
            "tree is above the F1 bar, but it could be chance (p = 1). "
            "forest is above the MCC bar, but it could be chance (p = 0.17)."),
        ),
        (
            {"good": GOOD, "forest": FOREST}, ["f1", "threat_score", "g_mean"],
            ("good clears all 3 bars. "
            'forest misses the F1 and threat score bars: always answering "positive" scores F1 0.671. '
            "forest is above the G-mean bar, but it could be chance (p = 0.15)."),
        ),
        (
            {"good": GOOD, "all": EVERYTHING}, ["f1", "accuracy"],
            ("good clears the F1 and accuracy bars. "
            'all is exactly at the F1 and accuracy bars: always answering "positive" scores F1 0.671.'),
        ),
        ({"all": EVERYTHING}, "f1", 'all is exactly at the F1 bar: always answering "positive" scores 0.671.'),
        ({"tree": TREE}, ["fowlkes_mallows", "accuracy"],
         'tree misses the Fowlkes–Mallows bar: always answering "positive" scores 0.710.'),
        ({"tree": TREE}, "recall",
         'No verdict: recall cannot tell a model from random answers: always answering "positive" scores 1.'),
        ({"none": counts(0, 0)}, "mcc", "No verdict: MCC has no value here: it predicts no positives."),
        ({"none": counts(0, 0), "good": GOOD}, "mcc", "good clears the MCC bar. none has no score to judge."),
        (
            {"fine": GOOD, "none": counts(0, 0), "good": GOOD}, ["accuracy", "mcc", "precision"],
            ("fine and good clear all 3 bars. "
            'none misses the accuracy bar: always answering "positive" scores 0.505. '
            "none has no value of MCC and precision."),
        ),
    ],
)  # fmt: skip
def test_the_verdict_says_what_is_true_of_most_and_then_the_exceptions(models, measures, sentence):
    """Always answering "positive" scores F1 2 * 56 / (111 + 56) = 0.671, and p is that of the reference."""
    assert cb.evaluate_counts(models, measures).headline() == sentence


def test_who_misses_more_comes_later():
    models = {"a": FOREST, "b": counts(20, 40), "d": counts(40, 40)}
    assert cb.evaluate_counts(models, ["accuracy", "f1"]).headline() == (
        'a misses the F1 bar: always answering "positive" scores 0.671. '
        'b and d miss the accuracy and F1 bars: always answering "positive" scores accuracy 0.505. '
        "a is above the accuracy bar, but it could be chance (p = 0.65)."
    )


def test_many_different_exceptions_are_counted():
    """Four models that miss four different sets of bars."""
    models = {"a": FOREST, "b": counts(20, 40), "c": TREE, "d": counts(54, 45), "e": GOOD}
    card = cb.evaluate_counts(models, ["accuracy", "f1", "fowlkes_mallows", "g_mean"])
    missed = card.columns["outcome"][:4, 0] == "fails"
    assert len({tuple(row) for row in missed.tolist()}) == 4
    often = ["accuracy", "F1", "Fowlkes–Mallows", "G-mean"][missed.sum(axis=0).argmax()]
    assert card.headline().startswith("e clears all 4 bars. 4 of 5 models miss a bar, most often ")
    assert f"most often {often}'s ({missed.sum(axis=0).max()} of 5): always answering" in card.headline()


def test_a_model_without_a_value_on_some_measures_does_not_clear_all():
    models = {"perfect": counts(56, 0), "good": GOOD}

    def precision_of_some(tp, fp, fn, tn):
        return np.where((fp > 0) & (fn + tn >= 0), tp / np.maximum(tp + fp, 1), np.nan)

    odd = cb.Measure("odd", precision_of_some, greater_is_better=True)
    card = cb.evaluate_counts(models, ["f1", "mcc", odd], intervals=False)
    assert card.columns["outcome"][:, 0, 2].tolist() == ["undefined", "clears"]
    assert card.headline() == (
        "good is above all 3 bars; how surely was not asked. perfect is above the F1 and MCC bars; "
        "how surely was not asked. perfect has no value of odd."
    )


@pytest.mark.parametrize("several", [False, True])
def test_where_no_p_is_known_card_gate_and_explanation_say_so(several):
    models = {"tree": TREE, "good": GOOD} if several else {"tree": TREE}
    card = cb.evaluate_counts(models, "mcc")
    known = ("p_value", "p_value_blind", "p_sure")
    unknown = {name: np.full_like(card.columns["p_value"], np.nan) for name in known}
    nothing = {"p_corrected": np.ones_like(card.columns["p_value"]), "sure": card.columns["sure"] & False}
    card = dataclasses.replace(card, columns={**card.columns, **unknown, **nothing})
    who = "Both models are" if several else "tree is"
    assert card.headline() == f"{who} above the MCC bar, but how surely is not known."
    assert str(card[0]) == "tree: MCC 0.451 is above the bar 0, but how surely is not known; skill +0.45"
    assert not card.clears()
    assert "is above the bar 0, but how surely is not known" in card.explain("mcc")
    assert re.search(r"MCC +0 +0\.451 \? .*–\n", cb.evaluate_counts(models, "mcc").to_text()) is None
    hurried = cb.evaluate_counts(models, "mcc", intervals=False)
    assert hurried.headline() == f"{who} above the MCC bar; how surely was not asked."
    assert str(hurried[0]).startswith("tree: MCC 0.451 is above the bar 0 (")
    assert "how surely was not asked" in hurried.explain("mcc")


def test_three_models_stand_side_by_side_the_best_first():
    models = {"forest": FOREST, "knn": KNN, "tree": TREE}
    card = cb.evaluate_counts(models, ["f1", "accuracy", "g_mean", "mcc", "recall"])
    assert card.to_text().splitlines() == [
        "111 samples, 56 positive (50.5 %), 3 models.",
        'forest misses the F1 bar: always answering "positive" scores 0.671. knn and tree',
        "are above the F1 bar, but it could be chance (p = 1). forest is above the",
        "accuracy, G-mean and MCC bars, but it could be chance (p from 0.15 up).",
        "",
        "            bar   tree      knn    forest",
        "F1        0.671  0.693 ?  0.673 ?  0.571 ✗",
        "accuracy  0.505  0.721    0.703    0.568 ?",
        "G-mean    0.500  0.715    0.697    0.568 ?",
        "MCC       0      0.451    0.415    0.135 ?",
        "recall    1      0.625    0.607    0.571",
        'Recall cannot tell: always answering "positive" scores 1.',
        "? above the bar, but it could be chance   ✗ below the bar",
        "(p corrected for 3 models)",
    ]


def test_one_model_shows_skill_and_p():
    card = cb.evaluate_counts({"tree": TREE}, ["f1", "mcc", "recall", "error_rate"])
    assert card.to_text(columns=("skill", "p")).splitlines()[3:] == [
        "              bar  score    skill      p",
        "F1          0.671  0.693 ?  +0.07   0.71",
        "MCC         0      0.451    +0.45  <1e-5",
        "recall      1      0.625     –      –",
        "error rate  0.495  0.279    +0.44  <1e-5",
        'Recall cannot tell: always answering "positive" scores 1.',
        "Error rate: less is better.",
        "? above the bar, but it could be chance",
    ]


def test_models_that_do_not_fit_are_stacked_and_no_row_is_torn():
    models = {name * 13: GOOD for name in "abcdef"}
    card = cb.evaluate_counts(models, ["f1", "fowlkes_mallows"])
    for wide in (40, 60, 80):
        text = card.to_text(width=wide)
        assert max(width(line) for line in text.splitlines()) <= wide
        assert all(name * 13 in text for name in "abcdef")
    assert card.to_text(width=60).count("Fowlkes–Mallows  0.710") == 3
    with pytest.raises(
        ValueError, match="columns must be among 'interval', 'skill', 'p' and 'clearing'; found"
    ):
        card.to_text(columns=["wide"])


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


def test_two_reasons_in_a_row_say_once_that_there_is_no_value():
    none, every = cb.Counts(tp=0, fp=0, fn=9, tn=8), cb.Counts(tp=9, fp=8, fn=0, tn=0)
    text = cb.evaluate_counts({"none": none, "all": every}, ["mcc", "f1"]).to_text()
    assert "no value here: it predicts no positives; it predicts nothing but positives" in " ".join(
        text.split()
    )


def test_a_tie_is_no_miss_and_no_pass():
    text = cb.evaluate_counts({"all": EVERYTHING}, "f1").to_text()
    assert re.search(r"F1  0\.671  0\.671 = ", text)
    assert text.endswith("\n= exactly at the bar")


def test_colours_and_plain_letters_are_for_those_who_ask():
    card = cb.evaluate_counts({"forest": FOREST}, "f1")
    assert "\x1b" not in card.to_text()
    assert "\x1b[1;38;5;196m✗\x1b[0m" in card.to_text(color=True)
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
    assert card.headline() == "forest is above the MCC bar, but it could be chance (p = 0.17)."
    assert card.headline(0.2) == "forest clears the MCC bar."


def test_a_precise_model_of_many_samples_is_sure():
    """The question is not whether a lucky call can be perfect, but whether this model is at the bar."""
    text = cb.evaluate_counts({"good": GOOD}, "precision").to_text()
    assert "good clears the precision bar." in text
    assert "?" not in text


def test_more_models_than_fit_are_listed_worst_first():
    models = {f"m{i}": counts(30 + 3 * i, 20) for i in range(8)}
    lines = cb.evaluate_counts(models, ["f1", "mcc", "accuracy"]).to_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("model"))
    assert lines[start].split() == ["model", "measure", "bar", "score", "skill", "p"]
    assert lines[start + 1].startswith("m0")
    assert lines[start + 21] == "… worst first; 4 rows more: card.worst(20), card.failing, card.to_frame()."
    skills = [
        float(re.search(r"([+−][\d.]+)", line)[1].replace("−", "-")) for line in lines[start + 1 : start + 21]
    ]
    assert skills == sorted(skills)


def test_the_whole_catalogue_stays_on_a_screen():
    card = cb.evaluate_counts({"tree": TREE}, "all", intervals=False)
    assert len(card.to_text().splitlines()) < 40
    assert "… the 24 with the least skill;" in card.to_text()
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


def test_slices_without_a_whole_have_a_sentence_of_their_own():
    two = cb.Counts(tp=[40, 20], fp=[10, 30], fn=[10, 20], tn=[40, 10])
    assert cb.evaluate_counts(two, "f1", groups=["good", "bad"]).headline() == (
        "A bar is missed in 1 of 2 slices (bad)."
    )
    assert cb.evaluate_counts(two[:1], "f1", groups=["good"]).headline().startswith("The model clears")
    good = cb.Counts(tp=[40, 45], fp=[10, 5], fn=[10, 5], tn=[40, 45])
    assert cb.evaluate_counts(good, "f1", groups=["a", "b"]).headline() == "No bar is missed in 2 slices."
    near = cb.Counts(tp=[40, 6], fp=[10, 4], fn=[10, 4], tn=[40, 12])
    assert cb.evaluate_counts(near, "mcc", groups=["a", "b"]).headline() == (
        "No bar is missed in 2 slices; in 1 it could be chance."
    )
    bad = cb.Counts(tp=[10, 12], fp=[10, 15], fn=[40, 38], tn=[40, 35])
    assert (
        cb.evaluate_counts(bad, "f1", groups=["a", "b"]).headline()
        == "A bar is missed in 2 of 2 slices (a and b)."
    )


def test_runs_show_their_spread_and_share(runs):
    text = runs.to_text()
    assert text.splitlines()[0] == "111 samples, 56 positive (50.5 %), 3 runs."
    assert re.search(r"F1 +0\.671 +0\.652 ± 0\.070 ✗ .*−0\.03 +– +66\.7 %", text)


def test_a_bar_is_explained(card):
    found = card.explain("F-measure", "tree").splitlines()
    assert found[0].startswith("F1: ")
    assert found[1:] == [
        "The best feature-blind classifier for F1 predicts all 111 positive and scores 0.671 every time.",
        "Nothing that ignores its input does better on average (Pries et al. 2023).",
        "Perfect predictions score 1.",
        (
            "tree: F1 0.693 is above the bar 0.671, but it could be chance (p = 1); skill +0.07; if its true score "
            "were the bar, the chance of a score as far off is 0.71; if the labels were in random order, that of doing "
            "so well is below 1e-5."
        ),
        "Skill is 0 at the bar and 1 at perfect predictions.",
        (
            "These probabilities take the samples within each class for independent draws, and the model for fixed "
            "before their labels were seen. Where either is not so, they are too small."
        ),
    ]
    assert [line.split()[0] for line in card.explain("f1").splitlines()[-5:-2]] == [
        "tree:",
        "knn:",
        "forest:",
    ]


def test_explanations_cover_every_outcome(card, sliced):
    assert "on average." in card.explain("g_mean")
    assert "cannot tell a model from random answers" in card.explain("recall")
    assert re.search(
        r"tree: MCC 0\.451 clears the bar 0 \(p [<=] [^ ]+\); skill \+0\.45", card.explain("mcc")
    )
    assert "the chance of a score as far off is 0.038" in card.explain("f1", "forest")
    assert (
        'forest: F1 0.571 is below the bar 0.671 (always answering "positive"); skill −0.15'
        in card.explain("f1", "forest")
    )
    assert "predicts all 37 positive" in sliced.explain("f1", group="north")
    tie = cb.evaluate_counts({"all": EVERYTHING}, "f1").explain("f1")
    assert "all: F1 0.671 is exactly at the bar 0.671" in tie
    undefined = cb.evaluate_counts({"none": cb.Counts(tp=0, fp=0, fn=5, tn=6)}, "mcc").explain("mcc")
    assert "none: MCC cannot be judged: " in undefined
    assert "There is no bar: " in explain_bar(cb.baseline(cb.Population(9, 4), "diagnostic_odds_ratio"))


def test_markdown_holds_a_table_and_its_sentences():
    found = cb.evaluate_counts({"k_nn": FOREST}, ["f1", "mcc"], intervals=False).to_markdown()
    assert "| F1 | 0.671 | 0.571 ✗ |" in found
    assert "**k_nn misses the F1 bar: always answering" in found


def test_latex_has_booktabs_rules_and_escapes():
    found = cb.evaluate_counts({"k_nn & co": FOREST, "50 %": GOOD}, ["f1", "mcc"]).to_latex()
    assert found.startswith("% \\usepackage{booktabs}\n\\begin{tabular}")
    assert all(rule in found for rule in ("\\toprule", "\\midrule", "\\bottomrule"))
    assert " & bar & 50 \\% & k\\_nn \\& co \\\\" in found


def test_long_names_are_broken_into_lines_in_a_terminal_only():
    card = cb.evaluate_counts({"k_nearest_neighbours": FOREST, "tree": GOOD}, ["f1", "mcc"])
    assert re.search(r" k_nearest_\n +bar +tree  neighbours\n", card.to_text())
    assert "| k_nearest_neighbours |" in card.to_markdown()
    assert ">k_nearest_neighbours</th>" in card._repr_html_()
    assert "& k\\_nearest\\_neighbours " in card.to_latex()


def test_a_notebook_gets_a_table_that_needs_no_style(card):
    found = card._repr_html_()
    assert found.startswith('<div class="clearbar-scorecard" dir="ltr"')
    assert found.count("<table") == found.count("</table>") == 1
    assert 'aria-label="below the bar">✗</span>' in found
    assert "color:#" not in found.replace("background", "")  # the page's own colours, light or dark


def _hostile(as_slices):
    if as_slices:
        many = len(HOSTILE)
        two = cb.Counts(tp=[35 * many, *[35] * many], fp=[10 * many, *[10] * many], fn=[21 * many, *[21] * many],
                        tn=[45 * many, *[45] * many])  # fmt: skip
        return cb.evaluate_counts({HOSTILE[0]: two}, ["f1"], groups=[None, *HOSTILE])
    return cb.evaluate_counts(dict.fromkeys(HOSTILE, FOREST), ["f1", "mcc"])


@pytest.mark.parametrize("as_slices", [False, True])
def test_hostile_names_do_no_harm(as_slices):
    card = _hostile(as_slices)
    for text in (card.to_text(), str(card), card.explain("f1")):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    assert max(width(line) for line in card.to_text().splitlines()) < 200
    page = card._repr_html_()
    assert set(re.findall(r"</?([a-zA-Z]+)", page)) <= TAGS
    assert "onerror=alert(1)>" not in page
    markdown = card.to_markdown()
    assert "<" not in markdown
    bars = (
        len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in markdown.split("\n") if row.startswith("|")
    )
    assert len(set(bars)) == 1 + as_slices  # a table for the whole, and one for the slices
    assert not re.search(r"(?<!\\)\\input", card.to_latex())


def test_every_line_of_names_in_any_script_lines_up():
    rows = cb.evaluate_counts(
        dict.fromkeys(["ab", "模型", "👨‍👩‍👧", "e\u0301e", "x", "y", "z"], FOREST), "f1"
    ).to_text()
    table = [line for line in rows.splitlines() if "0.571" in line]
    assert len(table) == 7
    assert len({width(line) for line in table}) == 1
    assert len({width(line[: line.index("0.571")]) for line in table}) == 1


def half(flipped):
    truth = np.array([1] * 6000 + [0] * 6000)
    guess = truth.copy()
    guess[:flipped] ^= 1
    guess[6000 : 6000 + flipped] ^= 1
    return truth, guess


def test_a_missed_bar_has_no_p_that_praises_it():
    """Labels in random order do as well with a probability of 1e-73, and yet F1 is below its bar."""
    card = cb.evaluate(*half(2500), ["f1", "mcc"])
    assert card[0].p_value_blind < 1e-70
    assert not card[0].sure
    rows = {line.split()[0]: line.split() for line in card.to_text(columns=["p"]).splitlines() if line}
    assert rows["F1"] == ["F1", "0.6667", "0.5833", "✗", "–"]
    assert rows["MCC"][:3] == ["MCC", "0", "0.1667"]
    assert float(rows["MCC"][3].removeprefix("<")) < 1e-4


def test_slices_that_cannot_be_judged_are_not_called_cleared():
    truth, guess = [1] * 18 + [0] * 13, [0] + [1] * 17 + [1] + [0] * 12
    each = cb.evaluate(truth, guess, "f1", by=np.arange(31)).to_text()
    assert each.splitlines()[-3:] == [
        "None of 31 slices can be judged.",
        "",
        "31 rows without a verdict left out: card.to_frame() has the reasons.",
    ]
    some = cb.evaluate(truth, guess, "f1", by=["a"] * 10 + ["b"] * 15 + ["c"] * 6)
    assert "No bar is missed in 1 slice. 2 of 3 cannot be judged." in some.to_text()
    for page in (some.to_markdown(), some.to_latex(), some._repr_html_()):
        assert page


def test_who_misses_every_bar_is_told_apart_from_who_misses_none():
    truth = np.array([1] * 18 + [0] * 13)
    good = truth.copy()
    good[[0, 1, 2, 20]] ^= 1
    assert cb.evaluate(truth, {"A": good, "B": 1 - truth}).headline() == (
        'B misses all 5 bars that can tell: always answering "positive" scores accuracy 0.581. '
        "A is above the F1 bar, but it could be chance (p = 0.23)."
    )


def test_a_measure_without_a_value_is_named_once():
    card = cb.evaluate([1] * 18 + [0] * 13, [0] * 31, ["mcc", "precision", "f1", "dor"])
    assert "  precision has" not in card.to_text()
    assert "MCC and precision have no value here: it predicts no positives" in card.to_latex()
    none = cb.evaluate([1, 1, 1], [1, 1, 1], ["mcc", "balanced_accuracy"]).headline()
    assert none.startswith("No verdict on any of the 2 measures. MCC has no value here: there are no neg")


def test_several_runs_say_what_their_score_and_p_are():
    truth = np.array([1] * 18 + [0] * 13)
    runs = np.stack([truth] * 5)
    runs[0, :9] = 0
    text = " ".join(cb.evaluate(truth, runs, ["f1", "mcc"]).to_text().split())
    assert "Scores are means over 5 runs (± their standard deviation)." in text
    assert (
        "resamples of samples and runs, which is approximate; p_value_blind is from 9,999 permutations"
        in text
    )


def test_no_row_is_torn_and_no_mark_stands_apart_at_any_width():
    """One model, five, and slices of five: nothing is wider than the terminal."""
    names = ["logistic_regression", "naive_bayes", "random_forest", "k_nearest_neighbours", "decision_tree"]
    models = dict(zip(names, (GOOD, TREE, KNN, FOREST, counts(20, 40)), strict=True))
    measures = ["accuracy", "balanced_accuracy", "f1", "recall"]
    sliced = {name: cb.Counts(*[], **{cell: [getattr(one, cell)] * 3 for cell in ("tp", "fp", "fn", "tn")})
              for name, one in models.items()}  # fmt: skip
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
    heads = [
        line.split() for line in cards[0].to_text(width=50).splitlines() if line.lstrip().startswith("bar ")
    ]
    assert heads == [["bar", "score", "skill", "p"]]
    five = cards[1].to_text(width=80).splitlines()
    assert len([line for line in five if line.startswith("F1 ")]) == 1, "five models stand side by side"
    assert any(line.endswith("(p corrected for 5 models)") for line in five)


def test_a_loss_is_better_or_worse_than_its_bar_and_not_above_or_below_it():
    y = [0, 1] * 50
    doubt = cb.evaluate(y, [0, 1] * 28 + [1, 0] * 22, ["error_rate", "mcc"])
    assert (
        str(doubt)
        .split("\n\n")[0]
        .split("\n")[1]
        .startswith("The model is better than the error rate and MCC bars")
    )
    assert str(doubt).endswith("? better than the bar, but it could be chance")
    assert " is better than the bar 0.500, but it could be chance" in str(doubt[0])
    assert " is above the bar 0, but it could be chance" in str(doubt[1])
    assert "error rate 0.440 is better than the bar 0.500, but it could be chance" in doubt.explain(
        "error_rate"
    )
    fails = cb.evaluate(y, [0, 1] * 20 + [1, 0] * 30, ["error_rate", "mcc"])
    assert str(fails).endswith("✗ worse than the bar")
    assert "error rate 0.600 is worse than the bar 0.500" in str(fails[0])
    assert "MCC −0.200 is below the bar 0" in str(fails[1])
    assert 'aria-label="worse than the bar">' in fails._repr_html_()
    assert 'aria-label="below the bar">' in fails._repr_html_()


def test_slices_of_a_loss_are_better_or_worse():
    counts = cb.Counts(tp=[30, 4, 12], fp=[6, 29, 9], fn=[5, 29, 10], tn=[40, 4, 9])
    card = cb.evaluate_counts(counts, ["error_rate", "accuracy"], groups=["A", "B", "C"])
    worse, below = card.slices("error_rate"), card.slices("accuracy")
    assert worse.counts == below.counts, "the codes are the same"
    said = str(worse)
    assert "surely worse: the true score is worse than the bar of its own slice." in said
    assert "above" not in said
    assert "below" not in said
    assert "surely below: the true score is below the bar of its own slice." in str(below)
    assert worse.where("surely below").loss


def test_a_score_below_its_bar_that_could_be_above_it_says_so():
    card = cb.evaluate_counts(cb.Counts(tp=44, fp=40, fn=26, tn=60), "f1")
    assert card[0].low < card[0].baseline.value < card[0].high
    assert str(card[0]).startswith(
        'model: F1 0.571 is below the bar 0.583 (always answering "positive"), perhaps'
    )
    assert str(card[0]) in card.explain("f1")
    far = cb.evaluate_counts(cb.Counts(tp=4, fp=40, fn=66, tn=60), "f1")
    assert "perhaps" not in f"{far[0]} {far.explain('f1')}"


def test_groups_not_samples_are_taken_for_independent_where_they_are_named():
    y_true, groups = [1, 0] * 30, [at // 4 for at in range(60)]
    card = cb.evaluate(y_true, y_true, "mcc", clusters=groups)
    assert "take whole groups of samples for independent draws" in card.explain("mcc")
