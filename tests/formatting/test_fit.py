"""Tables and sentences that are fitted to a terminal: nothing is wider, nothing is lost."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clearbar.formatting import Cell, Column, Screen, Table, filled, width

NAMES = st.text(st.sampled_from("ab_- é模"), max_size=40)
NUMBERS = st.sampled_from(["0.671", "−0.09", "1", "–", "<1e-16", "12.35"])


@st.composite
def tables(draw):
    names, numbers = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    words = draw(st.booleans())
    kinds = [Column()] * names + [Column("decimal", owner=at // 2) for at in range(numbers)]
    kinds += [Column()] if words else []
    texts = st.tuples(*[NAMES] * names, *[NUMBERS] * numbers, *([NAMES] if words else []))
    rows = draw(st.lists(texts, min_size=1, max_size=4))
    head = draw(st.tuples(*[NAMES] * len(kinds)))
    mark = "" if words else "✗"
    cells = tuple((*map(Cell, row[:-1]), Cell(row[-1], mark)) for row in rows)
    return Table(tuple(kinds), (tuple(map(Cell, head)),), cells, named=names)


def letters(text):
    return sorted(re.sub(r"\s", "", text))


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(12, 90))
def test_a_table_fits_and_loses_nothing(table, wide):
    """A number of six columns with its mark and the blanks before it: 12 columns."""
    shown = table.to_text(width=wide)
    assert max(map(width, shown.split("\n"))) <= wide
    places = [at for at, column in enumerate(table.columns) if column.align == "decimal"]
    for text in (row[at].text for row in table.rows for at in places):
        assert any(text in line for line in shown.split("\n"))
    if table.fits(wide):
        assert letters(shown) == letters(table.to_text())


def test_rows_of_a_table_that_does_not_fit_are_blocks():
    columns = (Column(), *(Column("decimal", owner=at // 2) for at in range(4)))
    over = (Cell(), Cell("first", span=2), Cell("second", span=2))
    heads = tuple(map(Cell, ("", "score", "p", "score", "p")))
    rows = (
        (Cell("F1"), Cell("0.612", "✗"), Cell("0.31"), Cell("0.74"), Cell("<1e-5")),
        (Cell("balanced accuracy"), Cell("1"), Cell("–"), Cell("12.7"), Cell("0.002")),
    )
    table = Table(columns, (over, heads), rows)
    assert table.to_text(width=48) == table.to_text()
    assert table.to_text(width=28).split("\n")[:7] == [
        "F1",
        "  first",
        "    score 0.612 ✗",
        "    p 0.31",
        "  second",
        "    score 0.74",
        "    p <1e-5",
    ]
    narrow = ["F1", "  first", "    score", "      0.612 ✗", "    p 0.31", "  second"]
    assert table.to_text(width=13).split("\n")[:6] == narrow


def test_words_are_wrapped_before_rows_become_blocks():
    columns = (Column(), Column("decimal"), Column())
    row = tuple(map(Cell, ("balanced accuracy", "0.500", "predict any number of positives")))
    table = Table(columns, (tuple(map(Cell, ("measure", "bar", "who attains the bar"))),), (row,))
    assert table.to_text(width=40) == (
        "                 who attains the\n"
        "measure     bar  bar\n"
        "balanced  0.500  predict any\n"
        "accuracy         number of\n"
        "                 positives"
    )  # fmt: skip
    assert table.fits(40)
    assert not table.fits(20)


@given(st.text(st.sampled_from("ab -_模"), max_size=80), st.integers(2, 40))
def test_filled_lines_fit_and_keep_every_letter(text, most):
    lines = filled(text, most)
    assert all(width(line) <= most for line in lines)
    assert letters("".join(lines)) == letters(text)


def test_words_stand_beside_or_below_what_comes_first():
    assert filled("one two three", 16, "✗ tree  ") == ["✗ tree  one two", "        three"]
    assert filled("one two", 12, "✗ a_long_name  ") == ["✗ a_long_", "  name", "  one two"]


def test_a_sentence_parts_no_number_from_its_sign():
    said = Screen(width=22).sentence("it could be chance (p = 0.31), or 51.3 %")
    assert said.split("\n") == ["it could be chance", "(p = 0.31), or 51.3 %"]


def test_off_a_terminal_a_line_is_a_line():
    screen = Screen.of(io.StringIO())
    assert screen.width is None
    assert screen.line("word " * 40, first="✗ ") == "✗ " + "word " * 40
    assert max(map(len, screen.sentence("word " * 40).split("\n"))) <= 80


@pytest.mark.parametrize("text", ["<1e-16", "∞", "–", "0.5", "12"])
def test_in_html_what_has_no_point_ends_where_numbers_end(text):
    """Numbers are filled up behind their point; a bound such as <1e-16 is no number with a point."""
    table = Table((Column(), Column("decimal")), (), ((Cell("a"), Cell("0.0321")), (Cell("b"), Cell(text))))
    cell = re.findall(r"<td[^>]*>(.*?)</td>", table.to_html())[1]
    blanks = len(cell) - len(cell.rstrip("\u2007\u2008"))
    assert blanks == {"<1e-16": 0, "∞": 5, "–": 5, "0.5": 3, "12": 5}[text]
    assert all("text-align:right" in found for found in re.findall(r"<td[^>]*>", table.to_html()))
    assert ("phantom" in table.to_latex().split("\n")[-3]) == (text != "<1e-16")
