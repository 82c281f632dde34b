"""Numbers, names and tables: right to the last digit printed, aligned, and harmless."""

import html
import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clearbar.formatting import (
    Cell,
    Column,
    Table,
    anchored,
    decimals,
    distinct,
    encodable,
    escape_html,
    escape_latex,
    escape_markdown,
    number,
    p_phrase,
    p_value_text,
    percent,
    plural,
    shorten,
    signed,
    visible,
    width,
    wrapped,
)
from clearbar.formatting._table import lines, presentable

pytestmark = pytest.mark.quick

HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', '=HYPERLINK("http://evil")', "שלום",
    "مرحبا 12", "\u202egnitset", "👨‍👩‍👧", "🇳🇱", "模型", "a\u0301" + "\u0301" * 500, "x" * 10_000, "",
    "red\x1b[31m text\x1b]0;title\x07", "two\nlines\ttab\x00\x7f\x9b", "pipe|back\\slash`tick`",
    "lone\udc80surrogate", "[link](javascript:alert(1))", "\\input{/etc/passwd}$x^2$%&#_{}~",
]  # fmt: skip


def _back(text):
    """Read a printed number."""
    return Fraction(text.replace("−", "-").replace(",", "").replace("+", ""))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.6707, "0.671"), (-0.0, "0"), (-1.0, "−1"), (0.5, "0.500"), (0.99996, "0.99996"),
        (0.0004, "0.0004"), (3e-9, "3.0e-9"), (1 + 2e-16, "1"), (111.0, "111"), (12.3456, "12.35"),
        (12345.678, "12,345.7"), (1234567.0, "1,234,567"), (2.5e20, "2.5e20"), (math.nan, "–"),
        (-math.inf, "−∞"),
    ],
)  # fmt: skip
def test_a_number_has_the_digits_it_deserves(value, expected):
    assert number(value) == expected


def test_more_samples_support_more_digits():
    assert [decimals(m) for m in (1, 10_000, 10_001, 10**6, 10**9, 10**12)] == [3, 3, 4, 4, 6, 7]
    assert number(2 / 3, 10**6) == "0.6667"


def test_noise_beside_large_numbers_is_zero_and_small_numbers_alone_are_not():
    assert number(-1.1e-16, scale=1.0) == "0"
    assert number(-1.1e-16) == "−1.1e-16"


@given(st.floats(-1e9, 1e9), st.integers(1, 10**9))
def test_every_printed_number_is_right_to_its_last_digit(value, samples):
    text = number(value, samples)
    if "e" in text:
        assert abs(_back(text) - Fraction(value)) <= Fraction(5001, 100_000) * abs(Fraction(value))
    else:
        last = Fraction(1, 10 ** len(text.partition(".")[2]))
        assert abs(_back(text) - Fraction(value)) <= last / 2 + Fraction(1, 10**12) * abs(Fraction(value))


@given(st.floats(-1e3, 1e3), st.integers(1, 10**9))
def test_what_is_not_0_or_1_never_looks_like_it(value, samples):
    text = number(value, samples)
    looks_like_it = _back(text) in {-1, 0, 1}
    assert looks_like_it == (abs(value - round(value)) <= 1e-12 * abs(value) and round(value) in {-1, 0, 1})


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0708, "+0.07"), (-0.0021, "−0.002"), (0.00321, "+0.003"), (1, "+1"), (0, "0"), (math.inf, "+∞")],
)
def test_a_difference_shows_its_sign(value, expected):
    assert signed(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0153, "0.015"), (0.5, "0.50"), (0.0498, "0.0498"), (0.04999, "0.04999"), (0.0502, "0.0502"),
        (0.05, "0.050"), (1.2e-5, "1.2e-5"), (0.0, "<1e-16"), (0.999, ">0.99"), (1.0, "1"), (math.nan, "–"),
    ],
)  # fmt: skip
def test_a_p_value_is_written_on_its_own_side_of_alpha(value, expected):
    assert p_value_text(value) == expected


@given(st.floats(1e-15, 0.99), st.sampled_from([0.05, 0.01, 0.1]))
def test_no_p_value_crosses_alpha_by_rounding(value, alpha):
    shown = float(p_value_text(value, alpha))
    if abs(value - alpha) > 1e-11:
        assert (shown > alpha) == (value > alpha)
    assert shown == pytest.approx(value, rel=0.051)


def test_p_values_in_sentences_shares_and_plurals():
    assert [p_phrase(p) for p in (0.0153, 0.0, 0.9999)] == ["p = 0.015", "p < 1e-16", "p > 0.99"]
    assert [percent(p) for p in (0.0, 1.0, 56 / 111, 0.99999, 1e-5, math.nan)] == [
        "0 %", "100 %", "50.5 %", "99.999 %", "0.001 %", "–",
    ]  # fmt: skip
    assert [plural(1, "slice"), plural(2000, "slice"), plural(2, "class", "classes")] == [
        "1 slice", "2,000 slices", "2 classes",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red\x1b[31m text\x1b[0m", "red text"), ("\x1b]0;title\x07name", "name"),
        ("a\rb\tc\x00\n", r"a\rb\tc\x00\n"), ("\x9b31m", r"\x9b31m"), ("\u202eevil", r"\u202eevil"),
        ("\u2028", r"\u2028"), ("lone\udc80", r"lone\udc80"), ("👨‍👩‍👧", "👨‍👩‍👧"), (None, "None"),
        ("a" + "\u0301" * 1000, "a" + "\u0301" * 4),  # marks cannot climb over other lines
    ],
)  # fmt: skip
def test_what_a_terminal_would_obey_is_shown_or_gone(text, expected):
    assert visible(text) == expected


@given(st.text(st.characters(exclude_categories=[])))
def test_visible_text_holds_nothing_to_obey_and_stays_as_it_is(text):
    shown = visible(text)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]", shown)
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("plain", 5), ("naïve", 5), ("e\u0301", 1), ("模型", 4), ("ｆｕｌｌ", 8), ("👍", 2), ("👍🏽", 2),
        ("👨‍👩‍👧", 2), ("❤\ufe0f", 2), ("🇳🇱", 2), ("🇳🇱🇧🇪", 4), ("שלום", 4), ("한국", 4), ("", 0),
    ],
)  # fmt: skip
def test_width_is_what_a_terminal_takes(text, columns):
    assert width(text) == columns


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(3, 40))
def test_shortened_and_wrapped_text_fits(text, most):
    shown = visible(text)
    assert width(shorten(shown, most)) <= most
    pieces = wrapped(shown, most)
    assert all(width(piece) <= most for piece in pieces)
    assert re.sub(r"\s", "", "".join(pieces)) == re.sub(r"\s", "", shown)


def test_short_names_stay_and_long_ones_keep_both_ends():
    assert shorten("tree", 10) == "tree"
    assert shorten("a_very_long_name_seed1", 11) == "a_ver…seed1"
    assert shorten("Llama-3.1-70B-Instruct", 20) == "Llama-3.1-…-Instruct", "no half of 70"
    assert distinct(["Llama-3.1-70B-it", "Llama-3.1-8B-it"], 6) == ["…70B-…", "…8B-it"]
    assert wrapped("k_nearest_neighbours", 13) == ["k_nearest_", "neighbours"]


@given(st.lists(st.text(st.sampled_from("ab"), min_size=0, max_size=60), unique=True, max_size=8))
def test_shortened_names_stay_apart_and_are_cut_never_numbered(names):
    found = distinct(names, 12)
    assert len(set(found)) == len(names)
    assert all(width(brief) <= 12 or brief == name for brief, name in zip(found, names, strict=True))
    for brief, name in zip(found, names, strict=True):
        assert brief == "''" if not name else all(part in name for part in brief.split("…"))


def test_names_that_differ_in_the_middle_show_what_differs():
    names = [f"experiments/2026/resnet_50_seed_{seed}_best_checkpoint_final" for seed in (1, 2, 31)]
    briefs = ["…_1_best_checkpoint…", "…2_best_checkpoint_…", "…31_best_checkpoint…"]
    assert distinct(names, 20) == briefs


def test_plain_letters_stand_in_for_what_a_stream_cannot_show():
    assert encodable("−0.09 ✗ ∞ …", "ascii") == "-0.09 x inf ..."
    assert encodable("é 模", "latin-1") == r"é \u6a21"
    assert [encodable("✗", name) for name in (None, "utf-8", "no-such-encoding")] == ["✗", "✗", "x"]


cells = st.builds(
    Cell,
    st.sampled_from([*HOSTILE, "0.671", "−0.09", "1", "–", "<1e-16"]) | st.text(max_size=15),
    st.sampled_from(["", "✗", "?"]),
    st.sampled_from(["", "bad", "doubt", "muted", "strong"]),
)


@st.composite
def tables(draw):
    column = st.builds(Column, st.sampled_from(["left", "right", "decimal"]), st.integers(1, 3))
    columns = draw(st.lists(column, min_size=2, max_size=5))
    rows = draw(st.lists(st.tuples(*[cells] * len(columns)), max_size=4))
    spanning = (Cell(draw(st.text(max_size=30)), span=len(columns) - 1), Cell("end"))
    single = tuple(Cell(draw(st.text(max_size=9))) for _ in columns)
    return Table(tuple(columns), (spanning, single), tuple(rows))


@settings(max_examples=15)
@given(tables(), st.sampled_from([None, "ascii", "cp1252"]))
def test_all_lines_of_a_table_have_one_width(table, encoding):
    found = lines(presentable(table, encoding), color=False)
    assert len(found) == len(table.rows) + 2
    assert len({width(line) for line in found}) == 1
    if encoding:
        "".join(found).replace("\u200e", "").encode(encoding)


@settings(max_examples=10)
@given(tables())
def test_colours_change_no_character(table):
    coloured = table.to_text(color=True)
    plain = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert [line.rstrip() for line in plain.split("\n")] == table.to_text().split("\n")


@given(st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=6))
def test_decimal_points_stand_below_each_other(values):
    table = Table((Column(), Column("decimal")), (), tuple((Cell("a"), Cell(number(v))) for v in values))
    points = {line.index(".") for line in lines(table, color=False) if "." in line and "e" not in line}
    assert len(points) <= 1


def _small():
    return Table(
        (Column(), Column("decimal"), Column("decimal", gap=1)),
        ((Cell(""), Cell("tree", span=2)), (Cell(""), Cell("score"), Cell("skill"))),
        (
            (Cell("F1"), Cell("0.612", style="bad"), Cell("−0.09", "✗", "bad", note="worse than the bar")),
            (Cell("MCC"), Cell("0"), Cell("+0.451")),
        ),
        caption="A & B",
    )


def test_a_table_in_a_terminal():
    assert _small().to_text() == (
        "     tree\n"
        "     score  skill\n"
        "F1   0.612 −0.09  ✗\n"
        "MCC  0     +0.451"
    )  # fmt: skip


def test_a_table_in_markdown():
    assert _small().to_markdown() == (
        "|  | tree score | tree skill |\n"
        "| :-- | --: | --: |\n"
        "| F1 | 0.612 | −0.09 ✗ |\n"
        "| MCC | 0 | +0.451 |"
    )  # fmt: skip


def test_a_table_in_latex():
    assert _small().to_latex() == (
        "\\begin{tabular}{@{}lrr@{}}\n"
        "\\toprule\n"
        " & \\multicolumn{2}{c}{tree} \\\\\n"
        "\\cmidrule(lr){2-3}\n"
        " & score & skill \\\\\n"
        "\\midrule\n"
        "F1 & \\textbf{0.612} & \\textbf{$-$0.09}\\phantom{0} $\\times$ \\\\\n"
        "MCC & 0\\phantom{.000} & $+$0.451 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}"
    )


def test_a_table_in_html():
    found = _small().to_html()
    assert "<caption>A &amp; B</caption>" in found
    assert '<th scope="colgroup" colspan="2" style="text-align:left;padding:.1em .4em">tree</th>' in found
    assert '<th scope="row" style="text-align:left;padding:.1em .4em">F1</th>' in found
    assert '<span role="img" title="worse than the bar" aria-label="worse than the bar">✗</span>' in found


def test_a_table_with_a_line_too_short_is_refused():
    with pytest.raises(ValueError, match="every line needs 2 cells"):
        Table((Column(), Column()), (), ((Cell("a"),),))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text_in_html(name):
    found = Table((Column(), Column()), ((Cell(name), Cell(name)),), ((Cell(name), Cell(name)),)).to_html()
    tags = set(re.findall(r"</?([a-zA-Z]+)", found))
    assert tags <= {"table", "thead", "tbody", "tr", "th", "td", "bdi"}
    assert html.unescape(escape_html(name)) == visible(name)
    found.encode("utf-8")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_in_their_cell_in_markdown(name):
    found = Table((Column(), Column()), ((Cell("h"), Cell("i")),), ((Cell(name), Cell("end")),)).to_markdown()
    rows = found.split("\n")
    assert len(rows) == 3
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", rows[2])) == 3
    assert "<" not in found
    assert not re.search(r"(?<!\\)[\[\]`*]", rows[2])
    assert "http:" not in found
    assert escape_markdown("k_nn _emphasis_ www.x.org a@b") == r"k_nn \_emphasis\_ www\.x.org a&#64;b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50 % of k_nn & co #1", r"50 \% of k\_nn \& co \#1"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("$x^2~", r"\$x\textasciicircum{}2\textasciitilde{}"),
        ("−0.1 ∞ – …", r"$-$0.1 $\infty$ -- \ldots{}"),
    ],
)
def test_latex_prints_what_it_could_obey(text, expected):
    assert escape_latex(text) == expected


@pytest.mark.parametrize("name", HOSTILE)
def test_no_bare_special_character_reaches_latex(name):
    found = escape_latex(name)
    left = re.sub(r"\\(text\w+|ldots)\{\}|\\[{}$&#_%]|\$-\$|\$\+\$|\{[=\[\]'`-]\}", "", found)
    assert not re.search(r"[\\{}$&#_%~^]", left)


def test_right_to_left_names_do_not_move_the_numbers_beside_them():
    assert anchored("שלום") == "\u200eשלום\u200e"
    assert anchored("tree") == "tree"
    table = Table((Column(), Column("decimal")), (), ((Cell("שלום"), Cell("0.5")),))
    assert table.to_text() == "\u200eשלום\u200e  0.5"
    assert "<bdi>שלום</bdi>" in table.to_html()


def test_long_words_may_be_broken_behind_underscores_in_markdown():
    table = Table.of(["left", "right"], ["", "org__a_model_with_a_long_name"], [["short_name", "0.5"]])
    heading, _, row = table.to_markdown().splitlines()
    assert heading == r"|  | org\_\_<wbr>a_<wbr>model_<wbr>with_<wbr>a_<wbr>long_<wbr>name |"
    assert row == "| short_name | 0.5 |"
