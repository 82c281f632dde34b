"""The report as a file: whole, self-contained, safe, small and the same each time."""

import base64
import hashlib
import html
import html.parser
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from tests.report.conftest import HOSTILE, predictions

import clearbar as cb
from clearbar.formatting import visible
from clearbar.report import page

VOID = {"meta", "br", "col", "input", "wbr"}
OPTIONAL = {"td", "th", "tr", "li", "option"}
"""Elements whose end HTML lets one leave out."""


KNOWN = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "p", "strong", "nav", "ul", "li",
    "main", "section", "h2", "form", "label", "select", "option", "input", "button", "div", "table",
    "caption", "small", "colgroup", "thead", "tbody", "tr", "th", "td", "span", "bdi", "dl", "dt", "dd",
    "article", "h3", "pre", "code", "script", "math", "mi", "mo", "mn", "mrow", "mfrac", "msub", "mspace",
    "mtext", "details", "summary", "wbr", "svg", "line", "circle", "path", "rect",
}  # fmt: skip
"""What a page without pictures consists of."""


class Outline(html.parser.HTMLParser):
    """Reads a page as a strict reader would."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.tags, self.attributes, self.texts = [], [], set(), [], []
        self.inside = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(tag, *attr) for attr in attrs]
        self.ids += [value for key, value in attrs if key == "id"]
        if tag in OPTIONAL:
            ends = {"td": {"td", "th"}, "th": {"td", "th"}, "tr": {"td", "th", "tr"}}.get(tag, {tag})
            while self.open and self.open[-1] in ends:
                self.open.pop()
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if self.open:
            self.inside[self.open[-1]] = self.inside.get(self.open[-1], "") + data


@pytest.fixture(scope="module")
def text(card):
    return page(card, call="clearbar evaluate x.csv")


@pytest.fixture(scope="module")
def outline(text):
    return Outline(text)


def words(text):
    return " ".join(" ".join(Outline(text).texts).split())


def test_it_is_whole_and_every_id_occurs_once(outline):
    assert len(outline.ids) == len(set(outline.ids)) > 8
    targets = {value for tag, key, value in outline.attributes if key in {"aria-labelledby", "for"}}
    targets |= {value[1:] for tag, key, value in outline.attributes if key == "href"}
    assert targets <= set(outline.ids)
    assert {"header", "nav", "main", "h1", "h2", "table", "caption", "figure", "svg", "math"} <= outline.tags


def test_nothing_comes_from_elsewhere(text, outline):
    assert re.findall(r"https?:|//[a-z]|@import|url\((?!#)", text) == []
    assert not outline.tags & {"link", "img", "iframe", "object", "embed", "base", "image"}
    assert {value[0] for _, key, value in outline.attributes if key in {"href", "src", "xlink:href"}} == {"#"}


def test_the_policy_allows_the_pages_own_style_and_script_and_nothing_else(outline):
    policy = next(v for _, key, v in outline.attributes if key == "content" and v.startswith("default-src"))
    allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"
    for tag in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(outline.inside[tag].encode()).digest()).decode()
        assert allowed[f"{tag}-src"] == f"'sha256-{digest}'"
    assert [key for _, key, _ in outline.attributes if key == "style" or key.startswith("on")] == []


def test_it_is_the_same_each_time_and_remembers_what_made_the_card(card, text):
    assert page(card, call="clearbar evaluate x.csv") == text
    assert "clearbar.evaluate(y_true, {&#39;careless&#39;: ...," in page(card, pictures=False)
    assert not re.search(r"20\d\d-\d\d-\d\d|/tmp/|/home/|/usr/", text)


def test_from_top_to_bottom_it_says_what_a_reader_asks(card, text):
    said = words(text)
    order = [
        card.headline(), "31 samples, 18 positive (58.1 %), 2 models, 3 slices.", "At a glance",
        "What is a bar?", "Each measure with its bar", "Scores and bars on all samples", "Search slices",
        "How the bars were found", "predicts all 31 positive and scores 0.735 every time",
        "Undefined cases", "diagnostic odds ratio: no verdict anywhere", "Data", "How this page was made",
        "clearbar evaluate x.csv", f"clearbar {cb.__version__}",
    ]  # fmt: skip
    assert [part for part in order if part not in said] == []
    assert html.unescape(text).index(card.headline()) < html.unescape(text).index("<h2")


def test_what_fails_is_marked_by_more_than_colour(text):
    table = text[text.index('id="whole"') :].partition("</table>")[0]
    found = re.search(r"<th scope=row>F1\s*<td>0.735.*?<td class=f>(.*?)<small>", table, re.DOTALL)
    assert found[1].split() == ["✗", "<span", 'class="vh">below', "the", "bar:", "</span>0.722"]
    said = '<span class="vh">above the bar, but it could be chance: </span>'
    assert f"<td class=d>? {said}0.677" in table
    for sign in ("✗</span> below the bar", "?</span> better than the bar, but it could be chance"):
        assert sign in text


PLACES = ("model", "slice", "measure", "call", "title", "note")


@pytest.mark.parametrize(
    ("kind", "place"),
    [(kind, place) for i, kind in enumerate(HOSTILE) for j, place in enumerate(PLACES) if (i + j) % 3 == 0],
)
def test_a_name_from_elsewhere_stays_a_name(kind, place):
    name = HOSTILE[kind]
    given = {key: name if place == key else key for key in ("model", "slice", "measure")}
    label = visible(given["measure"])
    measure = cb.Measure("own", lambda tp, fp, fn, tn: tp - fp, greater_is_better=True, label=label)  # noqa: ARG005
    counts = cb.Counts(tp=[14, 3], fp=[3, 1], fn=[4, 2], tn=[10, 9])
    card = cb.evaluate_counts(
        {given["model"]: counts, "b": counts}, ["f1", measure], groups=[given["slice"], "c"], intervals=False
    )
    if place == "note":
        fields = card.models, card.groups, card.measures, card.counts, card.baselines, card.columns, "exclude"
        card = cb.Scorecard(*fields, notes=(name,))
    options = {place: name} if place in {"call", "title"} else {}
    text = page(card, pictures=False, **options)
    outline = Outline(text)
    assert outline.tags <= KNOWN
    assert [key for _, key, _ in outline.attributes if key.startswith("on") or key in {"src", "style"}] == []
    assert not re.search("[\x00-\x09\x0b-\x1f\u2028\u202e\u2066\ud800]", text)
    assert "49" not in words(text).replace("0.49", "")
    shown = visible(name)
    assert shown in " ".join(outline.texts) or shown[:20] in " ".join(outline.texts)


def test_names_are_kept_apart_and_given_in_full(card):
    counts = cb.Counts(tp=14, fp=3, fn=4, tn=10)
    long = ["a" * 200 + "1" + "b" * 200, "a" * 200 + "2" + "b" * 200]
    text = page(cb.evaluate_counts(dict.fromkeys(long, counts), ["f1", "mcc"]), pictures=False)
    assert all(f"<bdi>{name}</bdi>" in text for name in long)
    short = re.findall(r'scope="colgroup"[^>]*><bdi>([^<]*)', text)
    assert len(set(short)) == 2
    assert max(map(len, short)) <= 48


def test_files_are_written_and_not_replaced_without_being_told(card, tmp_path):
    place = tmp_path / "report.html"
    assert card.to_html(place, pictures=False) is None
    assert place.read_text(encoding="utf-8") == page(card, pictures=False) == card.to_html(pictures=False)
    with pytest.raises(FileExistsError, match="is there already; pass overwrite=True"):
        card.to_html(place, pictures=False)
    card.to_html(place, overwrite=True, pictures=False, title="Spring")
    assert "<title>Spring</title>" in place.read_text(encoding="utf-8")


def test_without_jinja2_one_sentence_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['jinja2'] = None\n"
        "import clearbar as cb\n"
        "cb.evaluate_counts(cb.Counts(tp=1, fp=2, fn=3, tn=4), 'f1').to_html('x.html')"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    said = "the report needs Jinja2, which is not installed: in a checkout, pip install '.[report]'"
    assert done.stderr.splitlines()[-1] == f"ImportError: {said}"
    assert list(tmp_path.iterdir()) == []


def test_the_wheel_brings_template_style_and_script(tmp_path):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, cwd=root)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {f"clearbar/report/page.{kind}" for kind in ("html", "css", "js")} <= set(names)


def cells_of(text, start, end="</table>"):
    """Return the rows of a table as texts, what is only heard left out."""
    table = text[text.index(start) :].partition(end)[0]
    heard = re.compile(r'<span class="vh">[^<]*</span>|<small>[^<]*</small>')
    rows = (re.findall(r"<(?:td|th)[^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in table.split("<tr>")[1:])
    return [
        [html.unescape(re.sub("<[^>]*>", "", heard.sub("", cell))).strip() for cell in row] for row in rows
    ]


def percent_of(tag, name, text):
    """Return where parts of a chart stand, by their class."""
    return [float(at) for at in re.findall(rf'<{tag} class="{name}"[^>]* (?:x1|cx|width)="([\d.]+)%', text)]


def test_a_card_per_model_says_how_many_bars_it_clears_with_a_chart_each_and_no_order_by_skill(card, text):
    cards = [part.partition("</article>")[0] for part in text.split('<article class="card')[1:3]]
    models = ["careful", "careless"]
    assert [re.search("<bdi>(.*?)</bdi>", one)[1] for one in cards] == models, "the best first"
    matrices = (
        text[text.index("<summary>Confusion matrices") :].partition("</details>")[0].split("<table")[1:]
    )
    for name, one, matrix in zip(models, cards, matrices, strict=True):
        rows = [row for row in card if row.model == name and row.group is None]
        judged = [row for row in rows if row.outcome in {"clears", "fails", "ties"}]
        assert f"<strong>{sum(row.sure for row in judged)} of {len(judged)}</strong>" in one
        charts = one.split("<tr>")[2:]
        labels = [html.unescape(re.search('scope="row">(.*?)</th>', chart)[1]) for chart in charts]
        assert labels == [row.measure.label for row in rows]
        for row, chart in zip(rows, charts, strict=True):
            if row.measure.name in {"f1", "accuracy", "g_mean"}:  # from 0 to 1
                assert percent_of("line", "cb-tick", chart) == pytest.approx(
                    [100 * row.baseline.value], abs=0.1
                )
                kind = "clears" if row.sure else "unsettled" if row.outcome == "clears" else "below"
                assert f'class="{kind}"' in chart
                assert percent_of("line", "cb-line", chart) == pytest.approx([100 * row.low], abs=0.1)
                ends = percent_of("line", "cb-end", chart)
                assert ends == pytest.approx([100 * row.low, 100 * row.high], abs=0.1), (
                    "caps, not behind the mark"
                )
                (reach,) = percent_of("rect", "cb-reach", chart)
                assert reach >= 100 * row.baseline.value - 0.1, "chance reaches the bar"
        tp, fp, fn, tn = rows[0].counts.cells
        positive, negative = ["positive", str(tp), str(fn)], ["negative", str(fp), str(tn)]
        assert cells_of(f"<table{matrix}", 'class="matrix"')[1:] == [positive, negative]
        assert f"{tp} <small>{round((tp + fp) * (tp + fn) / 31)}</small>" in matrix


@pytest.mark.slow
def test_the_heat_table_of_many_models_shows_every_skill_and_hatches_what_could_be_chance():
    y, guesses = predictions(120, [f"m{at}" for at in range(8)])
    card = cb.evaluate(y, guesses, ["f1", "mcc", "recall", "accuracy"], intervals=True)
    text = page(card, pictures=False)
    found = cells_of(text, 'class="heat"')
    assert found[0][1:] == [measure.label for measure in card.measures]
    table = text[text.index('class="heat"') :].partition("</table>")[0]
    kinds = re.findall(r'<td(?: class="([^"]*)")?>', table)[1:]
    rows = {(row.model, row.measure.label): row for row in card}
    at = 0
    for name, *cells in found[1:]:
        for label, cell in zip(found[0][1:], cells, strict=True):
            row, kind = rows[name, label], kinds[at].split()
            at += 1
            if row.outcome in {"undefined", "unbeatable"}:
                assert (cell, kind) == ("–", [])
                continue
            assert abs(float(cell.strip("✗? ").replace("−", "-")) - row.skill) <= 0.00501
            assert kind[0] == ("up" if row.skill > 0 else "down")
            assert kind[1] == f"s{int(np.ceil(5 * abs(row.skill)))}"
            assert ("q" in kind) == (cell[0] == "?") == (row.outcome == "clears" and not row.sure)
            assert (cell[0] == "✗") == (row.outcome == "fails")
    assert at == 32


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ({"threshold": "x"}, "threshold must be a number, or one for each model by its name; found 'x'."),
        ({"date": 5}, "date must be text or a datetime.date; found 5."),
        ({"data": [1]}, "data must be text; found [1]."),
    ],
)
def test_what_cannot_be_told_is_refused(card, tmp_path, wish, says):
    with pytest.raises(ValueError, match=f"^{re.escape(says)}$"):
        card.to_html(tmp_path / "page.html", **wish)
    assert not list(tmp_path.iterdir())


def test_title_name_date_and_thresholds_are_told_if_they_are_given(card, text):
    given = page(
        card, pictures=False, title="Spring", subtitle="of two models", data="clinic.csv", date="2026-11-01",
        threshold={"careless": 0.5, "careful": 0.25},
    )  # fmt: skip
    said = words(given)
    assert f"Spring of two models {card.headline()}" in said.replace("\xa0", " ")
    assert "3 slices. · clinic.csv · 2026-11-01" in said
    assert "positive from: careless 0.5, careful 0.25" in said
    assert "positive from 0.3 on" in words(page(card, pictures=False, threshold=0.3))
    assert not re.search("<dt>(name|date|threshold)</dt>", text)
    assert f"clearbar {cb.__version__}, Python 3." in said
    assert f"NumPy {np.__version__}" in said


def fingerprint(card):
    return re.search("<dt>fingerprint</dt><dd>([0-9a-f]{16})</dd>", page(card, pictures=False))[1]


def test_the_fingerprint_is_that_of_the_data():
    y = np.arange(30) % 3 == 0
    guesses = {"a": np.arange(30) % 2 == 0, "b": y}
    cards = [cb.evaluate(y, guesses, measures, intervals=False) for measures in ("f1", ["f1", "mcc"])]
    assert fingerprint(cards[0]) == fingerprint(cards[1])
    changed = {**guesses, "a": np.arange(30) % 2 == np.arange(30) // 29}
    assert fingerprint(cb.evaluate(y, changed, "f1", intervals=False)) != fingerprint(cards[0])
    scores = [cb.evaluate_scores(y, np.linspace(0, 1, 30) ** power + shift, intervals=False)
              for power, shift in ((1, 0), (1, 0), (1, -0.2 * y))]  # fmt: skip
    first, again, other = map(fingerprint, scores)
    assert first == again != other
