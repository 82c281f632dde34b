"""The report in a real browser: sorted, filtered, searched, in the dark, on paper, without a script."""

import base64
import re

import numpy as np
import pytest
from tests.report.conftest import HOSTILE

pytestmark = pytest.mark.slow

SHAPES = ["usual", "long", "runs", "no whole", "hostile", "folds", "scores"]
NEWER = ["classes", "one by one", "labels", "numbers", "tasks"]
TABLE = "document.getElementById(arguments[0])"


def value(text):
    """Read a cell's number; what has none is nothing."""
    found = re.search(r"[+-]?[\d.]+(?:e-?\d+)?", text.replace("−", "-").replace(",", ""))
    return float(found[0]) if found else None


@pytest.mark.parametrize(
    ("shape", "dark"),
    [*((shape, False) for shape in SHAPES), *((shape, True) for shape in ("usual", "long", "hostile"))],
)
def test_it_opens_without_an_error_fetches_nothing_and_is_accessible(browser, pages, shape, dark):
    browser.open(pages[shape], dark=dark)
    assert browser.logged("browser") == []
    assert browser.requests() == [pages[shape].as_uri()]
    assert browser.violations() == []


@pytest.mark.parametrize("shape", NEWER)
def test_the_newer_kinds_open_without_an_error_on_a_phone_in_the_dark(browser, pages, shape):
    browser.open(pages[shape], width=390, dark=True)
    assert browser.logged("browser") == []
    assert browser.violations() == []
    assert browser.run("return document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("shape", SHAPES)
def test_the_page_is_no_wider_than_the_screen(browser, pages, shape):
    for width in (320, 1280):
        browser.open(pages[shape], width=width)
        assert browser.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("table", ["whole", "sliced"])
def test_columns_of_numbers_are_sorted_both_ways_and_what_has_none_stays_last(browser, pages, table):
    browser.open(pages["usual"])
    browser.every_column()
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


def test_the_slice_filter_shows_a_slices_verdicts_in_the_table(browser, pages, card):
    browser.open(pages["usual"])
    everything = browser.rows("whole")
    browser.choose("slice", "south")
    assert browser.one(".place").text == "south"
    rows = browser.rows("whole")
    assert [row[0] for row in rows] == [row[0] for row in everything]
    for row in rows:
        for model, at in (("careful", 2), ("careless", 4)):
            (verdict,) = [v for v in card if (v.model, v.group, v.measure.label) == (model, "south", row[0])]
            shown = np.nan if value(row[at]) is None else value(row[at])
            assert shown == pytest.approx(verdict.score, rel=0, abs=0.00051, nan_ok=True)
    assert len(browser.rows("sliced")) == 21
    browser.choose("slice", "all samples")
    assert browser.rows("whole") == everything


def test_everything_can_be_reached_and_done_with_the_keyboard(browser, pages):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.open(pages["usual"])
    keys = ActionChains(browser.driver)
    active = "return document.activeElement"
    stops = browser.run(
        "const form = document.querySelector('#filters');"
        "return [...document.querySelectorAll('a, button, select, input, summary, [tabindex=\"0\"]')]"
        ".filter((one) => one.checkVisibility() && one.compareDocumentPosition(form) & 4).length"
    )
    assert stops <= 10, "stops of the tabulator before the first filter"
    keys.send_keys(Keys.TAB).perform()
    skip = browser.run(active)
    assert skip.text == "Skip to the verdicts"
    assert skip.rect["x"] >= 0
    keys.send_keys(Keys.ENTER).perform()
    assert browser.run(f"{active}.id") == "verdicts"
    reached = []
    for _ in range(8):
        keys.send_keys(Keys.TAB).perform()
        name, *outline = browser.run(
            "const one = document.activeElement, s = getComputedStyle(one);"
            "const name = one.getAttribute('aria-label') || one.dataset.filter || one.textContent;"
            "return [name, s.outlineStyle, s.outlineWidth]"
        )
        reached.append(name)
        assert outline == ["solid", "3px"]
    filters = ["model", "measure", "standing", "slice", "every", "Show all"]
    assert reached[:7] == [*filters, "measure"]
    keys.send_keys(Keys.ENTER).perform()
    assert len(browser.all("#whole thead th[aria-sort]")) == 1


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
    browser.open(pages[shape], dark=dark, media="print", width=700)
    assert browser.run("return getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert [one for one in browser.all("form, nav") if one.is_displayed()] == []
    overflow = "[...document.querySelectorAll('.scroll')].map((one) => getComputedStyle(one).overflowX)"
    assert set(browser.run(f"return {overflow}")) == {"visible"}
    assert browser.run("return document.documentElement.scrollWidth") <= 700
    printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
    assert base64.b64decode(printed).startswith(b"%PDF")


@pytest.mark.parametrize("shape", SHAPES)
def test_without_a_script_everything_is_there_to_be_seen(browser, pages, shape):
    browser.open(pages[shape], scripts=False)
    hidden = browser.run(
        "return [...document.body.querySelectorAll('*')]"
        ".filter((one) => !one.checkVisibility()"
        " && !one.closest('form, svg, script, colgroup, figure .narrow, details:not([open])'))"
        ".map((one) => one.outerHTML)"
    )
    assert hidden == []
    assert [one for one in browser.all("form, button") if one.is_displayed()] == []
    tables = [table.get_attribute("id") for table in browser.all(".verdicts")]
    still = {table: browser.rows(table) for table in tables}
    browser.open(pages[shape])
    browser.every_column()
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
    for what, at, count in (("model", 2, len(HOSTILE)), ("measure", 1, 3)):
        for index in range(1, count + 1):
            told = browser.choose_at(what, index)
            found = {row[at] for row in browser.rows("sliced")}
            assert [" ".join(name.split()) for name in found] == [" ".join(told.split())]
        browser.choose_at(what, 0)
    assert browser.logged("browser") == []


@pytest.mark.parametrize("width", [1280, 390])
def test_pictures_have_words_stay_within_their_frame_and_can_be_read(browser, pages, width):
    """A telephone shows others than a desk, whose letters are as large."""
    browser.open(pages["usual"], width=width)
    pictures = [one for one in browser.all("figure svg[role=img]") if one.is_displayed()]
    assert len(pictures) == 4
    assert all(len(one.get_attribute("aria-label")) > 40 for one in pictures)
    outside, smallest = browser.run(
        "const seen = [...document.querySelectorAll('figure svg')].filter((svg) => svg.checkVisibility());"
        "const texts = seen.flatMap((svg) => [...svg.querySelectorAll('text')].map((text) => [svg, text]));"
        "const out = (box, frame) => box.left < frame.left - 4 || box.right > frame.right + 4"
        " || box.bottom > frame.bottom + 4;"
        "const outside = texts.filter(([svg, text]) =>"
        " out(text.getBoundingClientRect(), svg.getBoundingClientRect()));"
        "const pixels = ([svg, text]) => parseFloat(getComputedStyle(text).fontSize)"
        " * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;"
        "return [outside.map(([, text]) => text.textContent), Math.min(...texts.map(pixels))]"
    )
    assert outside == []
    assert smallest > 10
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_a_row_opens_and_says_p_interval_and_remarks(browser, pages, card):
    browser.open(pages["usual"])
    assert "p" not in {one.text for one in browser.all("#whole thead th")}
    (f1, *_, last) = browser.all("#whole button.open")
    f1.click()
    last.click()
    said = [one.text for one in browser.all("#whole tr.more")]
    for name in ("careless", "careful"):
        (row,) = [row for row in card if (row.model, row.group, row.measure.name) == (name, None, "f1")]
        assert f"{name}: interval {row.low:.3f} – {row.high:.3f}" in said[0]
    assert "; p " in said[0]
    assert "gives diagnostic odds ratio a bar" in said[1]
    assert "link to this row" in said[0]
    f1.click()
    assert len(browser.all("#whole tr.more")) == 1
    assert f1.get_attribute("aria-expanded") == "false"
    browser.run(f"{TABLE}.querySelector('thead button').click()", "whole")
    assert browser.all("#whole tr.more") == [], "sorted rows are closed"


def test_rows_are_reached_with_the_arrows(browser, pages):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.open(pages["usual"])
    assert len(browser.all("#sliced button.open[tabindex='0']")) == 1
    browser.run("document.querySelector('#sliced button.open').focus()")
    ActionChains(browser.driver).send_keys(
        Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ENTER
    ).perform()
    opened = browser.one("#sliced [aria-expanded=true]")
    assert opened.get_attribute("tabindex") == "0"
    assert browser.run("return arguments[0].closest('tr').rowIndex", opened) == 3


def test_a_link_to_a_row_opens_it(browser, pages):
    browser.open(pages["usual"])
    browser.one(".box a").click()
    assert browser.wait_for("#whole tr.target th").text == "F1"
    assert len(browser.all("#whole tr.more")) == 1
    assert browser.run("return document.querySelector('tr.target').getBoundingClientRect().top") > 0


def test_on_a_phone_each_model_has_rows_of_its_own_and_no_table_of_verdicts_is_wider(browser, pages, card):
    browser.open(pages["usual"], width=390)
    assert not browser.one("#whole").is_displayed()
    names = [row[:2] for row in browser.rows("whole")]
    assert names == [[measure.label, name] for measure in card.measures for name in ("careful", "careless")]
    browser.choose("model", "careful")
    browser.choose("slice", "south")
    assert browser.one("[data-count=whole]").text == "7 of 14 rows"
    browser.resize(1280)
    browser.run("dispatchEvent(new Event('resize'))")
    assert browser.one("#whole").is_displayed()
    assert [row[0] for row in browser.rows("whole")] == [measure.label for measure in card.measures]
