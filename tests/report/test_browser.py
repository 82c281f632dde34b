"""The report in a real browser: sorted, filtered, searched, in the dark, on paper, without a script."""

import base64
import itertools
import re

import pytest
from tests.report.conftest import HOSTILE

SHAPES = ["usual", "long", "runs", "no whole", "hostile", "folds", "scores"]
TABLE = "document.getElementById(arguments[0])"


def value(text):
    """Read a cell's number; what has none is nothing."""
    found = re.search(r"[+-]?[\d.]+(?:e-?\d+)?", text.replace("−", "-").replace(",", ""))
    return float(found[0]) if found else None


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("shape", SHAPES)
def test_it_opens_without_an_error_and_fetches_nothing(browser, pages, shape, dark):
    browser.open(pages[shape], dark=dark)
    assert browser.logged("browser") == []
    assert browser.requests() == [pages[shape].as_uri()]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("shape", SHAPES)
def test_an_accessibility_checker_finds_nothing(browser, pages, shape, dark):
    browser.open(pages[shape], dark=dark)
    assert browser.violations() == []


def test_nor_on_a_phone_after_filtering_and_sorting(browser, pages):
    browser.open(pages["usual"], width=390)
    browser.choose("slice", "south")
    browser.run(f"{TABLE}.querySelectorAll('th button').forEach((one) => one.click())", "whole")
    assert browser.violations() == []
    assert browser.logged("browser") == []


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_is_no_wider_than_the_screen(browser, pages, shape, width):
    browser.open(pages[shape], width=width)
    assert browser.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("table", ["whole", "sliced"])
def test_columns_of_numbers_are_sorted_both_ways_and_what_has_none_stays_last(browser, pages, table):
    browser.open(pages["usual"])
    before = browser.rows(table)
    heads = browser.all(f"#{table} thead tr:last-child th")
    at = [one.get_attribute("aria-label") for one in browser.all(f"#{table} thead button")].index(
        "skill, careless"
    )
    for direction in (1, -1):
        browser.all(f"#{table} thead button")[at].click()
        keys = [value(row[at]) for row in browser.rows(table)]
        known = [key for key in keys if key is not None]
        assert known == sorted(known, reverse=direction < 0)
        assert keys[len(known) :] == [None] * (len(keys) - len(known)) != []
        assert heads[at].get_attribute("aria-sort") == {1: "ascending", -1: "descending"}[direction]
    browser.all(f"#{table} thead button")[0].click()
    rows = browser.rows(table)
    assert [row[0] for row in rows] == sorted((row[0] for row in before), key=str.casefold)
    assert sorted(rows) == sorted(before)
    assert [one.get_attribute("aria-sort") for one in heads].count(None) == len(heads) - 1


def test_small_p_values_and_large_numbers_are_sorted_as_numbers(browser, pages):
    browser.open(pages["long"])
    browser.run(f"{TABLE}.querySelector('th[data-k=p] button').click()", "sliced")
    at = browser.run(f"return {TABLE}.querySelector('th[data-k=p]').cellIndex", "sliced")
    texts = [row[at] for row in browser.rows("sliced")]
    keys = [value(text) for text in texts if value(text) is not None]
    assert keys == sorted(keys)
    assert any("e-" in text for text in texts)


def test_means_over_runs_are_sorted_by_the_mean(browser, pages):
    browser.open(pages["runs"])
    for direction in (1, -1):
        browser.run(f"{TABLE}.querySelector('th[data-k=score] button').click()", "whole")
        scores = [row[2] for row in browser.rows("whole")]
        assert all("±" in score for score in scores)
        means = [float(score.split("±")[0].replace("−", "-")) for score in scores]
        assert means == sorted(means, reverse=direction < 0)
        assert len(set(means)) > 2


def test_the_model_filter_leaves_one_models_columns(browser, pages):
    browser.open(pages["usual"])
    everything = browser.rows("whole")
    browser.choose("model", "careful")
    names = [one.text for one in browser.all("#whole th[scope=colgroup]") if one.is_displayed()]
    assert names == ["careful"]
    for row, full in zip(browser.rows("whole"), everything, strict=True):
        assert row == [*full[:2], *full[5:]]
    browser.one("#filters button").click()
    assert browser.rows("whole") == everything


def test_the_model_filter_leaves_one_models_rows_where_models_are_rows(browser, pages):
    browser.open(pages["long"])
    browser.choose("model", "m7")
    browser.choose("measure", "MCC")
    assert [row[:2] for row in browser.rows("whole")] == [["m7", "MCC"]]
    assert sorted(row[:3] for row in browser.rows("sliced")) == [[str(at), "m7", "MCC"] for at in range(4)]


def test_the_measure_filter(browser, pages):
    browser.open(pages["usual"])
    browser.choose("measure", "G-mean")
    assert [row[0] for row in browser.rows("whole")] == ["G-mean"]
    assert sorted(row[0] for row in browser.rows("sliced")) == ["north", "south", "west"]
    assert browser.one("[data-count=whole]").text == "1 of 7 rows"
    assert browser.one("[data-count=sliced]").text == "3 of 21 rows"


def test_the_standing_filter_finds_what_fails(browser, pages, card):
    browser.open(pages["usual"])
    browser.choose("standing", "below or at its bar ✗ =")
    lost = [row for row in card if row.outcome in {"fails", "ties"}]
    assert {row[0] for row in browser.rows("whole")} == {v.measure.label for v in lost if v.group is None}
    found = {tuple(row[:2]) for row in browser.rows("sliced")}
    assert found == {(v.group, v.measure.label) for v in lost if v.group is not None}


def test_the_slice_filter_shows_a_slices_verdicts_in_the_table(browser, pages, card):
    browser.open(pages["usual"])
    everything = browser.rows("whole")
    browser.choose("slice", "south")
    assert browser.one("#place").text == "south"
    rows = browser.rows("whole")
    assert [row[0] for row in rows] == [row[0] for row in everything]
    for row in rows:
        for model, at in (("careless", 2), ("careful", 5)):
            (verdict,) = [v for v in card if (v.model, v.group, v.measure.label) == (model, "south", row[0])]
            assert (value(row[at]) is None) == (
                verdict.outcome == "undefined" and verdict.score != verdict.score
            )
            assert value(row[at]) is None or abs(value(row[at]) - verdict.score) <= 0.00051
    assert len(browser.rows("sliced")) == 21
    browser.choose("slice", "all samples")
    assert browser.rows("whole") == everything


def test_searching_slices(browser, pages):
    browser.open(pages["usual"])
    box = browser.one("#search input")
    box.send_keys("SOU")
    assert {row[0] for row in browser.rows("sliced")} == {"south"}
    assert browser.one("[data-count=sliced]").text == "7 of 21 rows"
    box.clear()
    box.send_keys("nowhere")
    assert browser.rows("sliced") == []
    browser.one("#filters button").click()
    assert len(browser.rows("sliced")) == 21


def test_everything_can_be_reached_and_done_with_the_keyboard(browser, pages):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.open(pages["usual"])
    keys = ActionChains(browser.driver)
    active = "return document.activeElement"
    keys.send_keys(Keys.TAB).perform()
    skip = browser.run(active)
    assert skip.text == "Skip to the verdicts"
    assert skip.rect["x"] >= 0
    keys.send_keys(Keys.ENTER).perform()
    assert browser.run(f"{active}.id") == "verdicts"
    reached = []
    for _ in range(12):
        keys.send_keys(Keys.TAB).perform()
        reached.append(
            browser.run(
                "const one = document.activeElement;"
                "return one.getAttribute('aria-label') || one.dataset.filter || one.textContent"
            )
        )
        style = browser.run(
            "const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth]"
        )
        assert style == ["solid", "3px"]
    assert reached[:8] == [
        "model",
        "measure",
        "standing",
        "slice",
        "Show all",
        "Verdicts on all samples",
        "measure",
        "bar",
    ]
    keys.send_keys(Keys.ENTER).perform()
    assert len(browser.all("#whole th[aria-sort=ascending]")) == 1


def test_dark_pages_are_dark_and_light_ones_light(browser, pages):
    shade = (
        "const sum = (parts) => parts.slice(0, 3).reduce((all, part) => all + Number(part), 0);"
        "const rgb = (text) => sum(text.match(/[\\d.]+/g)) / 765;"
        "const style = getComputedStyle(arguments[0]);"
        "return [rgb(style.backgroundColor), rgb(style.color)]"
    )
    for dark in (False, True):
        browser.open(pages["usual"], dark=dark)
        paper, ink = browser.run(shade, browser.one("body"))
        assert (paper < 0.2 and ink > 0.8) if dark else (paper > 0.9 and ink < 0.2)
        lines = browser.run(
            "return [...document.querySelectorAll('figure svg [stroke=currentColor]')]"
            ".map((one) => getComputedStyle(one).stroke)"
        )
        assert len(set(lines)) == 1
        assert (sum(map(int, re.findall(r"\d+", lines[0]))) > 600) == dark


@pytest.mark.parametrize("shape", ["usual", "hostile", "runs"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_on_paper_it_is_black_on_white_and_nothing_is_cut_off(browser, pages, shape, dark):
    browser.open(pages[shape], dark=dark, media="print", width=720)
    assert browser.run("return getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert [one for one in browser.all("form, nav") if one.is_displayed()] == []
    overflow = "[...document.querySelectorAll('.scroll')].map((one) => getComputedStyle(one).overflowX)"
    assert set(browser.run(f"return {overflow}")) == {"visible"}
    assert browser.run("return document.documentElement.scrollWidth") <= 720
    printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
    assert base64.b64decode(printed).startswith(b"%PDF")


@pytest.mark.parametrize("shape", SHAPES)
def test_without_a_script_everything_is_there_to_be_seen(browser, pages, shape):
    browser.open(pages[shape], scripts=False)
    hidden = browser.run(
        "return [...document.body.querySelectorAll('*')]"
        ".filter((one) => !one.checkVisibility() && !one.closest('form, svg, script, colgroup'))"
        ".map((one) => one.outerHTML)"
    )
    assert hidden == []
    assert [one for one in browser.all("form, th button") if one.is_displayed()] == []
    still = {
        table.get_attribute("id"): browser.rows(table.get_attribute("id"))
        for table in browser.all(".verdicts")
    }
    browser.open(pages[shape])
    for table, rows in still.items():
        assert rows
        assert browser.rows(table) == rows


def test_hostile_names_are_shown_and_nothing_of_them_happens(browser, pages):
    browser.open(pages["hostile"])
    shown = browser.run("return document.body.innerText")
    for name in ("script", "attribute", "formula", "right to left", "emoji", "template", "closing"):
        assert HOSTILE[name] in shown
    assert browser.all("img, b, iframe") == []
    assert len(browser.all("script")) == 1
    assert browser.driver.title == "clearbar report"
    for what, at, count in (("model", 1, len(HOSTILE)), ("measure", 2, 3)):
        for index in range(1, count + 1):
            told = browser.choose_at(what, index)
            found = {row[at] for row in browser.rows("sliced")}
            assert [" ".join(name.split()) for name in found] == [" ".join(told.split())]
        browser.choose_at(what, 0)
    assert browser.logged("browser") == []


def test_pictures_have_words_and_stay_within_their_frame(browser, pages):
    browser.open(pages["usual"])
    pictures = browser.all("figure svg[role=img]")
    assert len(pictures) == 4
    assert all(len(one.get_attribute("aria-label")) > 40 for one in pictures)
    outside = browser.run(
        "return [...document.querySelectorAll('figure svg')].flatMap((svg) => {"
        " const frame = svg.getBoundingClientRect();"
        " const out = (box) => box.left < frame.left - 4 || box.right > frame.right + 4"
        "  || box.bottom > frame.bottom + 4;"
        " return [...svg.querySelectorAll('text')].filter((one) => out(one.getBoundingClientRect()))"
        " .map((one) => one.textContent); })"
    )
    assert outside == []


def test_on_a_phone_a_picture_and_a_caption_are_seen_whole(browser, pages):
    browser.open(pages["usual"], width=390)
    ends = browser.run(
        "return [...document.querySelectorAll('figure svg, caption')]"
        ".map((one) => one.getBoundingClientRect()).map((box) => [box.left, box.right])"
    )
    assert len(ends) > 5
    assert all(left >= 0 and right <= 390 for left, right in ends)


def test_headings_form_an_outline(browser, pages):
    browser.open(pages["usual"])
    levels = [
        int(level)
        for level in browser.run(
            "return [...document.querySelectorAll('h1,h2,h3')].map((one) => one.tagName[1])"
        )
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
