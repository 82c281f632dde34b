"""The report as a file: whole, self-contained, safe, small and the same each time."""

import base64
import csv
import dataclasses
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
from clearbar.cli import main
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
    "mtext", "details", "summary", "wbr",
}  # fmt: skip
"""What a page without pictures consists of."""

PICTURED = set("svg g defs path use text tspan rect clippath pattern line polygon figure figcaption".split())  # noqa: SIM905


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
    assert re.findall(r"<h2[^>]*>([^<]*)</h2>", text) == [
        "At a glance", "Verdicts", "Pictures", "Slices", "How the bars were found", "Undefined cases", "Data",
        "How this page was made",
    ]  # fmt: skip
    assert html.unescape(text).index(card.headline()) < html.unescape(text).index("<h2")


def test_what_fails_is_marked_by_more_than_colour(text):
    table = text[text.index('id="whole"') :].partition("</table>")[0]
    found = re.search(r"<th scope=row>F1\s*<td>0.735.*?<td class=f>(.*?)<small>", table, re.DOTALL)
    assert found[1].split() == ["✗", "<span", 'class="vh">below', "the", "bar:", "</span>0.722"]
    said = '<span class="vh">above the bar, but it could be chance: </span>'
    assert f"<td class=d>? {said}0.677" in table
    for sign in ("✗</span> below the bar", "?</span> better than the bar, but it could be chance"):
        assert sign in text


def test_a_score_on_all_samples_has_its_interval_below_it_and_one_on_a_slice_has_none(card, text):
    whole, sliced = (
        text[text.index(f'id="{name}"') :].partition("</table>")[0] for name in ("whole", "sliced")
    )
    known = [row for row in card if row.group is None and not np.isnan(row.low)]
    assert len(known) == whole.count("<small>") == 12, "all but the two odds ratios, whose bar has no value"
    for row in known:
        low, high = (f"{end:.3f}".replace("-", "−") for end in (row.low, row.high))
        assert f"<small>{low} – {high}</small>" in whole
    assert "<small>" not in sliced
    assert "the 95 % interval of the true score" in words(text)


def test_it_says_which_questions_p_answers_what_it_takes_for_granted_and_what_it_is_corrected_for(text):
    said = words(text)
    assert "Is the model's true score above the bar" in said
    assert "Do the predictions know anything about the labels" in said
    assert "independent within each class, and the model to have been fixed before their labels" in said
    assert "p is corrected for 2 models." in said
    assert "p of slices is corrected for 3 slices." in said


def test_without_intervals_there_is_no_p_no_interval_and_no_doubt(card):
    counts = cb.Counts(tp=13, fp=5, fn=5, tn=8)
    text = page(cb.evaluate_counts(counts, ["f1", "mcc"], intervals=False), pictures=False)
    assert "intervals=False" in text
    assert 'data-k="p"' not in text
    verdicts = text[text.index('id="whole"') :].partition("</table>")[0]
    assert not re.search("<small>|<td class=d>", verdicts)
    assert "two questions" not in text


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("place", ["model", "slice", "measure", "call", "title", "note"])
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


def test_runs_folds_and_slices_without_a_whole_are_told_as_such():
    y, guesses = predictions(300, ["a", "b", "c"])
    runs = words(page(cb.evaluate(y, np.stack(list(guesses.values())), ["f1", "mcc"]), pictures=False))
    assert "Scores are means over 3 runs (± their standard deviation)." in runs
    card = cb.evaluate_folds(y, guesses, np.arange(300) % 5, ["f1", "mcc"])
    folds = words(page(card, pictures=False))
    assert all(visible(said) in folds for said in (card.headline(), *card.notes))
    counts = cb.Counts(tp=[30, 12, 4], fp=[6, 9, 1], fn=[5, 10, 0], tn=[40, 8, 15])
    text = page(cb.evaluate_counts(counts, ["f1", "mcc"], groups=["A", "B", "C"]), pictures=False)
    assert 'id="whole"' not in text
    assert "Below, for <bdi>A</bdi>; each slice has its own." in text
    assert "140 samples" in words(text)


def test_verdicts_without_counts_have_no_matrix(card):
    fields = card.models, card.groups, card.measures, None, card.baselines, card.columns, "exclude"
    classes = cb.evaluate_multiclass(cb.ConfusionMatrix(np.eye(3, dtype=int)), intervals=False)
    for bare in (cb.Scorecard(*fields), dataclasses.replace(classes, problem=None)):
        text = page(bare, pictures=False)
        assert 'class="matrix"' not in text
        assert bare.headline() in words(text)


@pytest.mark.parametrize(("policy", "words_"), [
    ("exclude", "were left out when a bar was sought"),
    ("worst", "counts as the worst value that any table of as many samples has"),
    (0.0, "An outcome without a value counts as 0 (undefined = 0)."),
])  # fmt: skip
def test_what_was_done_about_undefined_cases(policy, words_):
    counts, measures = cb.Counts(tp=5, fp=0, fn=3, tn=9), ["precision", "diagnostic_odds_ratio"]
    text = words(page(cb.evaluate_counts(counts, measures, undefined=policy), pictures=False))
    assert words_ in text
    if policy == "exclude":
        assert "diagnostic odds ratio: no verdict" in text
        assert "it has no false positive" in text


def test_files_are_written_and_not_replaced_without_being_told(card, tmp_path):
    place = tmp_path / "report.html"
    assert card.to_html(place, pictures=False) is None
    assert place.read_text(encoding="utf-8") == page(card, pictures=False)
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


def test_columns_labels_and_slices_of_a_file_stay_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = [name for kind, name in HOSTILE.items() if kind not in {"surrogate", "control", "blanks"}]
    label = HOSTILE["script"]
    with Path("hostile.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["truth", "slice", *names])
        for at in range(60):
            told = [label if (at * step) % 3 == 0 else "no" for step in range(1, len(names) + 1)]
            rows.writerow([label if at % 3 == 0 else "no", names[at % 4], *told])
    words = ["hostile.csv", "--y-true", "truth", "--y-pred", *names, "--by", "slice", "--pos-label", label]
    assert main(["evaluate", *words, "--measure", "f1", "--html", "page.html"]) == 0
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e\u2066]", capsys.readouterr().out)
    text = Path("page.html").read_text(encoding="utf-8")
    outline = Outline(text)
    assert outline.tags <= KNOWN | PICTURED
    assert [key for _, key, _ in outline.attributes if key.startswith("on") or key in {"src", "style"}] == []
    assert all(visible(name)[:20] in " ".join(outline.texts) for name in names)


def test_the_closest_call_is_one_that_chance_has_a_say_in_and_names_its_model():
    y, guesses = predictions(300, ["sure", "b", "poor"])
    guesses["constant"] = np.ones(300, dtype=bool)
    measures = ["f1", "balanced_accuracy"]
    card = cb.evaluate(y, guesses, measures)
    near = {(row.model, row.measure.label): abs(row.skill) for row in card if row.model != "constant"}
    model, label = min(near, key=near.get)
    assert any(row.skill == 0 for row in card if row.model == "constant"), "it is nearer, and says nothing"
    said = f"The closest call: how likely random answers get the {label} [0-9.]+ of {model}\\."
    assert re.search(said, html.unescape(page(card)))
    only = page(cb.evaluate(y, guesses["constant"], measures))
    assert "The closest call" in only, "where there is no other, it will do"


def test_a_mistake_in_a_picture_is_not_taken_for_nothing_to_draw(card, monkeypatch):
    def mistaken(*given, **options):
        raise ValueError("a mistake")

    monkeypatch.setattr("clearbar.plots.ScorecardDisplay.from_scorecard", mistaken)
    with pytest.raises(ValueError, match="a mistake"):
        page(card)


def cells_of(text, start, end="</table>"):
    """Return the rows of a table as texts, what is only heard left out."""
    table = text[text.index(start) :].partition(end)[0]
    heard = re.compile(r'<span class="vh">[^<]*</span>|<small>[^<]*</small>')
    rows = (re.findall(r"<(?:td|th)[^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in table.split("<tr>")[1:])
    return [
        [html.unescape(re.sub("<[^>]*>", "", heard.sub("", cell))).strip() for cell in row] for row in rows
    ]


def test_a_card_per_model_says_how_many_bars_it_clears_its_worst_measure_and_its_confusion_matrix(card, text):
    cards = text.split('<article class="card')[1:]
    models = ["careful", "careless"]
    assert [re.search("<bdi>(.*?)</bdi>", one)[1] for one in cards] == models, "the best first"
    for name, one in zip(models, cards, strict=True):
        rows = [row for row in card if row.model == name and row.group is None]
        judged = [row for row in rows if row.outcome in {"clears", "fails", "ties"}]
        assert f"<strong>{sum(row.sure for row in judged)} of {len(judged)}</strong>" in one
        least = min(judged, key=lambda row: row.skill)
        assert re.search(r'worst: <a href="#r0-\d">(.*?)</a>', one)[1] == least.measure.label
        assert f"{least.score:.3f}</span>" in one
        tp, fp, fn, tn = least.counts.cells
        positive, negative = ["positive", str(tp), str(fn)], ["negative", str(fp), str(tn)]
        assert cells_of(one, 'class="matrix"')[1:] == [positive, negative]
        assert f"{tp} <small>{round((tp + fp) * (tp + fn) / 31)}</small>" in one


def test_the_heat_table_shows_every_skill_and_hatches_what_could_be_chance(card, text):
    found = cells_of(text, 'class="heat"')
    assert found[0][1:] == [measure.label for measure in card.measures]
    table = text[text.index('class="heat"') :].partition("</table>")[0]
    kinds = re.findall(r'<td(?: class="([^"]*)")?>', table)[1:]
    rows = {(row.model, row.measure.label): row for row in card if row.group is None}
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
    assert at == 14


def test_what_a_bar_is_is_told_with_numbers_that_fit(card, text):
    said = words(text)
    assert 'Here: always answering "positive" scores 0.735. That is the bar of F1' in said
    score, bar, perfect, low, skill = map(
        float, re.search(r"\(([\d.]+) − ([\d.]+)\) / \(([\d.]+) − ([\d.]+)\) = \+([\d.]+)", said).groups()
    )
    assert bar == low
    assert round((score - bar) / (perfect - bar), 2) == skill
    (best,) = [row for row in card if (row.model, row.group, row.measure.name) == ("careful", None, "f1")]
    assert (round(best.score, 3), round(best.skill, 2)) == (score, skill)


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
    assert "Spring of two models careful" in said.replace("careless misses", "careful")
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


ANIMALS = cb.ConfusionMatrix([[50, 6, 4], [10, 25, 5], [5, 5, 15]], labels=["cat", "dog", "cow"])


def test_slices_are_called_what_they_are():
    card = cb.evaluate_multiclass({"net": ANIMALS, "tree": ANIMALS}, intervals=False).per_class("f1")
    said = words(page(card, pictures=False))
    assert "Search classes" in said
    assert "Each class and measure" in said
    assert "slice" not in said.partition("const ")[0].partition("Skip to the verdicts")[2]


def test_a_card_of_many_classes_has_the_matrix_or_the_most_frequent_errors():
    text = page(cb.evaluate_multiclass(ANIMALS, intervals=False), pictures=False)
    assert cells_of(text, 'class="matrix"') == [
        ["", "cat", "dog", "cow"], ["cat", "50", "6", "4"], ["dog", "10", "25", "5"], ["cow", "5", "5", "15"],
    ]  # fmt: skip
    cells = np.diag(np.full(9, 20))
    cells[4, 7], cells[2, 1] = 11, 3
    large = cb.ConfusionMatrix(cells, labels=[f"c{at}" for at in range(9)])
    said = words(page(cb.evaluate_multiclass(large, intervals=False), pictures=False))
    assert "180 of 194 right" in said
    assert "c4 called c7: 11 (35.5 % of them)" in said
    assert "c2 called c1: 3 (13.0 % of them)" in said


def test_of_tasks_the_heat_table_shows_the_mean_and_each_task(tasks):
    text = page(tasks, pictures=False)
    found = cells_of(text, 'class="heat"')
    assert found[0][1:] == ["the mean over tasks", "arc", "safe"]
    for name, *cells in found[1:]:
        rows = [row for row in tasks if row.model == name and row.measure is tasks.measures[0]]
        for cell, row in zip(cells, rows, strict=True):
            assert abs(float(cell.strip("✗?= ").replace("−", "-")) - row.skill) <= 0.00501
    assert "2 tasks, 2 tasks" not in words(text)
    assert "slice" not in words(text).partition("const ")[0].partition("Skip to the verdicts")[2]
