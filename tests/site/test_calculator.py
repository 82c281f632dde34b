"""The calculator in a real browser, held against the package; and what its translation refuses."""

import math
import re
from urllib.parse import quote

import numpy as np
import pytest
from tests.report.browser import browser  # noqa: F401 - a fixture
from tools.calculator.__main__ import main
from tools.calculator.translate import NotTranslatedError, Translator

import clearbar as cb
from clearbar.catalogue import Family, Range
from clearbar.catalogue._registry import entries
from clearbar.verdict._skill import standing

QUESTIONS = 10_000
ASKED = """
return arguments[0].map(([name, given, total, positives, ...cells]) => {
  const measure = clearbar.measureOf(name, given);
  const bar = clearbar.barOf(measure, total, positives);
  const value = measure.value(...cells);
  const score = Number.isFinite(value) ? value : NaN;
  const { skill, outcome } = clearbar.standing(measure, bar, score);
  return [bar.value, score, skill, outcome, bar.beyond];
});
"""
OUTCOMES = ["fails", "clears", "ties", "unbeatable", "undefined"]


@pytest.fixture(scope="module")
def calculator(tmp_path_factory):
    path = tmp_path_factory.mktemp("calculator") / "calculator.html"
    main(["--output", str(path)])
    return path


@pytest.fixture(scope="module")
def opened(browser, calculator):  # noqa: F811 - the fixture
    browser.open(calculator)
    return browser


def inside(allowed, value):
    """Return a number that a parameter may be."""
    return 0.75 if allowed.above and not value else min(value, allowed.high)


def named(rng):
    """Every measure of two classes by the name of a question: families with parameters of several kinds."""
    for entry in entries():
        if not isinstance(entry, Family):
            yield entry.name, {}, entry
            continue
        for _ in range(3):
            given = {name: float(rng.choice([0, 0.25, 0.5, 1, 2])) for name in entry.listed}
            given = {n: inside(entry.allowed.get(n, Range()), value) for n, value in given.items()}
            yield entry.entry.family, given, entry(**given)


def populations(rng, number, largest):
    """Class sizes from one sample up, over orders of magnitude, without positives or negatives too."""
    total = np.floor(np.exp(rng.uniform(0, math.log(largest), number))).astype(np.int64)
    positives = np.floor(rng.uniform(0, 1, number) ** 2 * (total + 1)).astype(np.int64)
    return total, positives


def test_ten_thousand_questions_have_the_answers_of_the_package(opened):
    rng = np.random.default_rng(18)
    measures = list(named(rng))
    each = math.ceil(QUESTIONS / len(measures))
    questions, expected = [], []
    for name, given, measure in measures:
        total, positives = populations(rng, each, 1e6 if measure.shape else 150)
        k = rng.integers(0, total + 1)
        low, high = np.maximum(0, k - (total - positives)), np.minimum(positives, k)
        tp = rng.integers(low, high + 1)
        cells = tp, k - tp, positives - tp, total - positives - k + tp
        bars = cb.baseline(cb.Population(total, positives), measure)
        score = measure(tp=cells[0], fp=cells[1], fn=cells[2], tn=cells[3])
        scale = bars.value, bars.best_possible, bars.worst_value
        found = standing(measure, score, *scale, total=total)
        expected.append(np.stack([bars.value, score, found.skill, found.outcome]))
        rows = np.stack([total, positives, *cells]).T.tolist()
        questions += [[name, given, *row] for row in rows]
    bars, scores, skills, outcomes = np.concatenate(expected, axis=1)
    answers = opened.run(ASKED, questions)
    assert len(answers) >= QUESTIONS
    assert not any(one[4] for one in answers)
    columns = [np.array([np.nan if one[at] is None else one[at] for one in answers]) for at in range(3)]
    for ours, theirs in zip(columns, (bars, scores, skills), strict=True):
        wrong = ~np.isclose(ours, theirs, rtol=1e-9, atol=1e-9, equal_nan=True)
        assert not wrong.any(), [(questions[i], ours[i], theirs[i]) for i in np.flatnonzero(wrong)[:5]]
    told = np.array([OUTCOMES.index(one[3]) for one in answers])
    differ = np.flatnonzero(told != outcomes)
    assert not differ.size, [(questions[i], OUTCOMES[told[i]], outcomes[i]) for i in differ[:5]]


TESTED = """
return arguments[0].map(([name, ...cells]) => {
  const measure = clearbar.measureOf(name);
  const [tp, fp, fn, tn] = cells;
  const found = clearbar.howSurely(measure, cells, clearbar.barOf(measure, tp + fp + fn + tn, tp + fn));
  return found && [found.p, found.blind, found.sure];
});
"""
TESTS = ["f1", "accuracy", "mcc", "balanced_accuracy", "precision", "g_mean", "npv", "kappa", "error_rate"]


@pytest.mark.parametrize("each", [30, pytest.param(1112, marks=pytest.mark.slow)])
def test_p_of_ten_thousand_random_tables_is_that_of_the_package(opened, each):
    rng = np.random.default_rng(20)
    for name in TESTS:
        sizes = rng.integers(1, 40, (2, each))
        tp, fp = rng.binomial(sizes, rng.beta([[4], [3]], [[3], [4]], (2, each)))
        cells = np.array([tp, fp, sizes[0] - tp, sizes[1] - fp])
        card = cb.evaluate_counts(
            cb.Counts(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))),
            name,
            intervals=True,
            confidence_level=0.95,
        )
        known = {key: card.columns[key].reshape(-1) for key in ("p_value", "p_value_blind", "outcome")}
        key = cb.get_measure(name).name
        answers = opened.run(TESTED, [[key, *table] for table in cells.T.tolist()])
        for i, answer in enumerate(answers):
            if known["outcome"][i] not in {"clears", "fails"} or answer is None:
                assert answer is None or known["outcome"][i] != "undefined"
                continue
            p, blind, sure = answer
            assert abs(p - known["p_value"][i]) <= 1e-4, (name, cells[:, i], p, known["p_value"][i])
            assert abs(blind - known["p_value_blind"][i]) <= 1e-6
            surely = (
                known["outcome"][i] == "clears"
                and max(known["p_value"][i], known["p_value_blind"][i]) <= 0.05
            )
            assert sure == surely


INTERVALS = """
return arguments[0].map(([name, ...cells]) => clearbar.intervalOf(clearbar.measureOf(name), cells));
"""


@pytest.mark.slow
def test_intervals_are_those_of_the_package(opened):
    rng = np.random.default_rng(21)
    for name in ("f1", "accuracy", "mcc", "g_mean", "markedness"):
        sizes = rng.integers(20, 60, (2, 5)) if name != "markedness" else np.array([[7] * 5, [4] * 5])
        tp, fp = rng.binomial(sizes, [[0.7], [0.3]])
        tables = np.stack([tp, fp, sizes[0] - tp, sizes[1] - fp], axis=1).tolist()
        rows = (cb.evaluate_counts(cb.Counts(tp=a, fp=b, fn=c, tn=d), name)[0] for a, b, c, d in tables)
        expected = [(row.low, row.high) for row in rows]
        answers = opened.run(INTERVALS, [[cb.get_measure(name).name, *table] for table in tables])
        np.testing.assert_allclose(answers, expected, atol=1e-4)


def assert_equal(opened, questions, asked, expected):
    """Hold each bar, skill and outcome against the package's."""
    script = (
        f"return arguments[0].map((given) => {{ {asked} const found = clearbar.standing(measure, bar, score);"
    )
    answers = opened.run(f"{script} return [bar.value, found.skill, found.outcome]; }})", questions)
    assert len(answers) >= 1000
    for question, ours, theirs in zip(questions, answers, expected, strict=True):
        numbers = [math.nan if one is None else one for one in ours[:2]]
        assert numbers == pytest.approx(theirs[:2], rel=1e-9, abs=1e-9, nan_ok=True), question
        assert ours[2] == theirs[2], question


def test_a_thousand_sets_of_class_sizes_have_the_bars_of_the_package(opened):
    rng = np.random.default_rng(19)
    names = opened.run("return clearbar.classMeasures()")
    assert {"accuracy", "balanced_accuracy", "f1_macro", "mcc", "kappa", "log_loss", "roc_auc_ovo"} <= set(
        names
    )
    questions, expected = [], []
    for name in names:
        for _ in range(math.ceil(1000 / len(names))):
            sizes = rng.integers(1, 40, rng.integers(3, 9))
            bar = cb.baseline_multiclass(cb.ClassSizes(dict(enumerate(sizes.tolist()))), name)
            low, high = bar.measure.bounds
            score = float(rng.uniform(low, min(high, 2)))
            scale = bar.value, bar.best_possible, bar.worst_value
            found = standing(bar.measure, score, *scale, total=sizes.sum())
            questions.append([name, sizes.tolist(), score])
            expected.append([bar.value, float(found.skill), OUTCOMES[int(found.outcome)]])
    asked = "const [name, sizes, score] = given; const [measure, bar] = clearbar.ofClasses(name, sizes);"
    assert_equal(opened, questions, asked, expected)


def test_a_thousand_bars_of_scores_are_those_of_the_package(opened):
    rng = np.random.default_rng(20)
    names = opened.run("return clearbar.scoreMeasures()")
    assert {"roc_auc", "average_precision", "brier_score", "ndcg", "precision_at_k"} <= set(names)
    questions, expected = [], []
    for name in names:
        number = math.ceil(1000 / len(names))
        for total, positives in np.stack(populations(rng, number, 5000)).T.tolist():
            given = {"k": int(rng.integers(1, 40))} if name.endswith("_at_k") else {}
            measure = cb.get_measure(name, "scores", **given)
            bar = cb.baseline_scores(cb.Population(total, positives), measure)
            score = float(rng.uniform(max(measure.bounds[0], -2), min(measure.bounds[1], 2)))
            scale = bar.value, bar.best_possible, bar.worst_value
            found = standing(measure, score, *scale, total=total)
            questions.append([name, given, total, positives, score])
            expected.append([bar.value, float(found.skill), OUTCOMES[int(found.outcome)]])
    asked = (
        "const [name, wish, total, positives, score] = given; const measure = clearbar.measureOf(name, wish);"
    )
    assert_equal(
        opened, questions, f"{asked} const bar = clearbar.barOf(measure, total, positives);", expected
    )


FOLLOWED = """
history.replaceState(null, "", "#" + arguments[0]);
dispatchEvent(new HashChangeEvent("hashchange"));
return document.querySelector(".cb-answer").innerText;
"""


@pytest.fixture
def asked(opened):
    """What the page answers when a link on it is followed."""
    return lambda fragment: opened.run(FOLLOWED, fragment)


@pytest.fixture
def loaded(browser, calculator):  # noqa: F811 - the fixture
    """What the page answers when it is opened by a link."""

    def load(fragment, **screen):
        browser.driver.get("about:blank")  # or the page would stay, and only its place change
        browser.open(calculator, fragment=f"#{fragment}", **screen)
        return browser.one(".cb-answer").text

    return load


def test_the_readmes_question_has_its_answer(loaded, browser):  # noqa: F811 - the fixture
    told = loaded("")
    assert told.startswith("F1 0.72 is below the bar of 0.735: always answering “positive” scores that.")
    assert "Skill −0.02" in told
    assert browser.logged("browser") == []


OF_31 = "total=31&positives=18&measure="
OF_100 = "total=100&positives=30&measure="


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        (f"{OF_31}f1&score=0.80", "F1 0.80 is above the bar of 0.735"),
        (f"{OF_31}f1&score=0.73", "F1 0.73 cannot be judged: from 0.725 to 0.735 it may"),
        (f"{OF_31}f1&score=72", "F1 runs from 0 to 1; found 72. Did you mean 72 %?"),
        (f"{OF_31}roc_auc&score=0.72", "ROC AUC 0.72 is above the bar of 0.500 (giving all samples the same"),
        (f"{OF_31}precision_at_k&with-k=5&score=0.8", "Precision@5 0.8 is above the bar of 0.581"),
        (f"{OF_31}recall_at_k&with-k=2.5", "k must be a whole number at least 1; found “2.5”."),
        (f"{OF_31}f1&score=good", "A score is a number such as 0.72 or 72 %; found “good”."),
        (f"{OF_31}recall&score=0.5", "Recall 0.5 tells nothing, since always answering “positive”"),
        (f"{OF_31}prevalence&score=0.5", "Neither end of prevalence is better"),
        (f"{OF_31}diagnostic_odds_ratio", "Diagnostic odds ratio has no bar"),
        (f"{OF_31}f1", "F1 bar 0.735: always answering “positive” scores that."),
        ("total=31&positives=40&measure=f1", "must be a whole number from 0 to 31; found “40”"),
        ("total=9000000&positives=18&measure=p4", "Above 25,000 samples the bar of P4 is too long a sum"),
        (f"{OF_100}fbeta&with-beta=0.5&score=0.9", "F0.5 0.9 is above the bar of 0.349"),
        ("sizes=50, 30, 20&measure=f1_macro&score=0.35", "Macro F1 0.35 is above the bar of 0.333"),
        ("measure=mcc&tp=14&fp=3&fn=4&tn=10", "MCC 0.542 surely clears the bar of 0 (p = 0.0048)."),
        (
            "measure=f1&tp=14&fp=3&fn=4&tn=10",
            "F1 0.800 is above the bar of 0.735, but it could be chance (p = 0.67).",
        ),
        ("measure=precision&tp=0&fp=0&fn=4&tn=10", "Precision has no value for this table."),
    ],
)
def test_questions_are_answered_in_words(asked, fragment, said):
    assert said in asked(fragment)


SIZES_303 = "total=303&positives=139&measure="


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        (
            f"{SIZES_303}f1&scores=accuracy 0.8515%0AF1 0.8327",
            "1 table has these scores: TP 112, FP 18, FN 27, TN 146",
        ),
        (f"{SIZES_303}f1&scores=accuracy=0.91%0Af1=0.55%0Arecall 0.5", "no table has these scores together"),
        (f"{SIZES_303}f1&scores=nonsense 0.9", "Write a measure and its score on each line"),
        (
            "total=100&positives=50&measure=accuracy&first=0.90&second=0.80",
            "at most 20 of 100 samples are judged",
        ),
        (
            f"{SIZES_303}accuracy&first=85 %25&second=70 %25",
            "Shown, whatever the overlap of both models (p from < 1e-5 to 2.0",
        ),
        (f"{SIZES_303}f1&first=0.9&second=0.8", "Choose accuracy, recall or specificity"),
    ],
)
def test_printed_scores_are_held_against_each_other(asked, fragment, said):
    assert said in asked(fragment)


def test_possible_tables_and_claims_are_those_of_the_package(opened):
    rng = np.random.default_rng(30)
    for _ in range(60):
        total = int(rng.integers(5, 120))
        positives = int(rng.integers(1, total))
        scores = {
            name: f"{rng.uniform(0.5, 1):.{rng.integers(1, 4)}f}" for name in ("accuracy", "f1", "recall")
        }
        ends = {name: [float(text) - 0.5 * 10.0 ** -len(text[2:]), float(text) + 0.5 * 10.0 ** -len(text[2:])]
                for name, text in scores.items()}  # fmt: skip
        script = (
            "return clearbar.possibleTables(arguments[0], arguments[1].map(([name, ends]) => "
            "({ name, ends, measure: clearbar.measureOf(name) })))"
        )
        found = opened.run(script, [positives, total - positives], list(ends.items()))
        tables = cb.possible_tables(cb.Population(total, positives), scores)
        assert (found["count"], len(found["contradiction"])) == (tables.count, len(tables.contradiction))
        try:
            claim = cb.claim(scores["accuracy"], scores["f1"], total)
        except ValueError:
            continue
        told = opened.run("return clearbar.claimOf(...arguments)", ends["accuracy"], ends["f1"], total)
        assert (told["verdict"], told["differ"]) == (claim.verdict, claim.most_discordant)
        assert [told["least"], told["largest"]] == pytest.approx([claim.p_min, claim.p_max], rel=1e-6)


def test_a_table_may_be_pasted_from_anywhere(asked, browser):  # noqa: F811 - the fixture
    rows = ["model & F1", "ours & 0.74 \\\\", "| GPT 4 | 61.0 % |", "random forest\t0.80"]
    rows += ["ResNet 50 0.62", "by hand, 120, 70, 19, 94"]
    told = asked("total=303&positives=139&measure=f1&table=" + quote("\n".join(rows)))
    assert told.endswith("F1 bar 0.629: always answering “positive” scores that.")
    script = "const rows = [...document.querySelectorAll('.cb-answer tbody tr')];"
    cells = browser.run(f"{script} return rows.map((row) => [...row.cells].map((cell) => cell.textContent))")
    assert [row[0] for row in cells] == ["ours", "GPT 4", "random forest", "ResNet 50", "by hand"]
    assert [row[1] for row in cells] == ["0.74", "61.0%", "0.80", "0.62", "0.729"]
    assert {row[3] for row in cells} == {"0.629"}
    assert 'print(bar.judge("0.610", tries=5))' in browser.one(".cb-next pre").text
    assert [row[2].split(" the")[0] for row in cells] == ["above", "below", "above", "below", "surely above"]


def test_cells_may_stand_in_another_order_and_must_add_up(asked):
    table = quote("model\tTN\tFP\tFN\tTP\nours\t94\t70\t19\t120")
    assert "F1 bar 0.629" in asked(f"measure=f1&table={table}")
    told = asked("total=304&positives=139&measure=f1&table=ours 120 70 19 94%0Aother 0.7")
    assert told == "Line 1: these cells are 303 samples, 139 of them positive; the test set has 304 and 139."


@pytest.mark.parametrize(
    "fragment",
    [
        "measure=mcc&tp=14&fp=3&fn=4&tn=10",
        "total=303&positives=139&measure=fbeta&table=ours%2C+0.74%0A%22other%22%2C+71+%25&with-beta=0.5",
        "sizes=50%2C+30%2C+20&measure=accuracy&score=0.6",
        "total=31&positives=18&measure=precision_at_k&score=0.8&with-k=5",
        "total=303&positives=139&measure=f1&scores=accuracy+0.8515%0Af1+0.8327",
        "total=100&positives=50&measure=accuracy&first=0.90&second=0.80",
    ],
)
def test_a_link_holds_the_question_and_what_to_type_runs(loaded, browser, fragment):  # noqa: F811 - the fixture
    told = loaded(fragment)
    assert browser.one(".cb-next a").get_attribute("href").partition("#")[2] == fragment
    again = "return clearbar.toFragment(clearbar.fromFragment('#' + arguments[0]))"
    assert browser.run(again, fragment) == fragment
    printed = []
    exec(browser.one(".cb-next pre").text, {"print": printed.append})  # noqa: S102 - ours
    bar = re.search(r"bar(?: of)? (\d\.\d+|\d)", told)
    assert printed
    assert bar is None or f"{bar[1]}" in "\n".join(map(str, printed))


@pytest.mark.parametrize("name", ["__proto__", "constructor", "nonsense"])
def test_a_link_with_no_measure_asks_for_f1(loaded, browser, name):  # noqa: F811 - the fixture
    assert loaded(f"total=31&positives=18&measure={name}&score=0.72").startswith("F1 0.72 is")
    assert browser.one("[name=measure]").get_attribute("value") == "f1"
    assert browser.logged("browser") == []


def test_nothing_is_fetched_whatever_is_asked(browser, calculator):  # noqa: F811 - the fixture
    browser.open(calculator)
    for name in ("score", "total"):
        browser.one(f"[name={name}]").send_keys("1")
    browser.one("[name=model][value=table]").click()
    browser.one("[name=table]").send_keys("<img src=x onerror=alert(1)>, 0.5")
    assert browser.one(".cb-answer tbody th").text == "<img src=x onerror=alert(1)>"
    assert browser.requests() == [calculator.as_uri()]
    assert browser.logged("browser") == []


@pytest.mark.parametrize(("width", "dark"), [(320, True), (1280, False)], ids=["dark phone", "desktop"])
def test_it_fits_the_screen_and_axe_finds_nothing(loaded, browser, dark, width):  # noqa: F811 - the fixture
    for fragment in ("", "total=303&positives=139&measure=f1&table=ours,0.74%0Alast,0.3"):
        loaded(fragment, dark=dark, width=width)
        browser.one("summary").click()
        assert browser.run("return document.documentElement.scrollWidth") <= width
        assert browser.violations() == []
    paper, ink = browser.run(
        "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]"
        ".map((text) => text.match(/\\d+/g).slice(0, 3).reduce((sum, one) => sum + Number(one), 0) / 765)"
    )
    assert (paper < ink) == dark


def test_everything_is_done_with_the_keyboard(browser, calculator):  # noqa: F811 - the fixture
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.open(calculator)

    def press(*keys):
        ActionChains(browser.driver).send_keys(*keys).perform()

    reached = []
    for _ in range(6):
        press(Keys.TAB)
        reached.append(browser.run("return document.activeElement.name"))
        assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert reached == ["labels", "total", "positives", "measure", "model", "score"]
    press("0.80")  # what stands there is selected
    assert browser.one(".cb-answer").text.startswith("F1 0.80 is above")
    ActionChains(browser.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
    press(Keys.ARROW_RIGHT, Keys.TAB)
    assert browser.run("return document.activeElement.name") == "tp"
    for cell in ("14", "3", "4", "10"):
        press(cell, Keys.TAB)
    assert browser.one(".cb-answer").text.startswith("F1 0.800 is above the bar of 0.735")
    assert "tp=14&fp=3&fn=4&tn=10" in browser.driver.current_url


def power(x):
    return x**x if x > 0 else sum(part for part in range(3))


def test_what_has_no_translation_is_refused():
    with pytest.raises(NotTranslatedError, match=r"no translation of '\(part for part in range"):
        Translator().function(power)


def test_every_measure_of_the_catalogue_is_on_the_page(opened):
    shown = opened.run(
        "return [...document.querySelectorAll('[name=measure] option')].map((one) => one.value)"
    )
    binary = {one.family if one.parameters else one.name for one in cb.measures()}
    assert set(shown[: len(binary)]) == binary
    ranked = {one.family if one.name.endswith("_at_10") else one.name for one in cb.measures("scores")}
    assert set(shown[len(binary) :]) < ranked - binary
    assert len(set(shown)) == len(shown) > 90
