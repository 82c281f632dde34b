"""Sure clears: the corrections, one meaning by every route, and how often chance gets there."""

import contextlib
import html
import io
import json
import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import clearbar as cb
from clearbar.cli import main
from clearbar.core.counts import counts_of
from clearbar.inference import false_discovery, holm
from clearbar.inference.two_rates import intervals
from clearbar.problems.binary import Labels
from clearbar.report import page
from clearbar.scorecard import best_first
from clearbar.testing import assert_clears
from clearbar.verdict import corrected, judge, over_slices

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=15)


@given(probabilities)
def test_holm_tests_the_smallest_first_and_stops_at_the_first_that_is_not_sure(p_values):
    found = holm(np.array(p_values)[:, None])[:, 0]
    count = len(p_values)
    want, so_far = [0.0] * count, 0.0
    for step, at in enumerate(sorted(range(count), key=p_values.__getitem__)):
        so_far = max(so_far, (count - step) * p_values[at])
        want[at] = min(so_far, 1.0)
    assert found.tolist() == pytest.approx(want, rel=1e-15)


@given(probabilities, st.booleans())
def test_false_discovery_rates_are_those_of_scipy(p_values, dependent):
    """Benjamini and Hochberg, and Benjamini and Yekutieli; nan is no question."""
    want = scipy.stats.false_discovery_control(p_values, method="by" if dependent else "bh")
    assert false_discovery(np.array(p_values), dependent=dependent) == pytest.approx(want, rel=1e-12)
    gaps = np.array([np.nan, *p_values, np.nan])
    found = false_discovery(gaps, dependent=dependent)
    assert found[1:-1] == pytest.approx(want, rel=1e-12)
    assert np.isnan(found[[0, -1]]).all()


def test_models_share_the_whole_and_models_and_slices_the_slices():
    """By hand: Holm on the first group, Benjamini and Yekutieli on the other groups of both models."""
    p = np.array([[0.01, 0.02, 0.03], [0.04, 0.001, 0.5]])
    columns = {
        "outcome": np.full((2, 3, 1), "clears", dtype=object),
        "bar": np.zeros((2, 3, 1)),
        "p_value": p[:, :, None],
        "p_sure": p[:, :, None],
    }
    found = corrected(columns, (None, "a", "b"))[:, :, 0]
    assert found[:, 0] == pytest.approx([0.02, 0.04])
    sums = 1 + 1 / 2 + 1 / 3 + 1 / 4
    assert found[1, 1] == pytest.approx(4 * sums * 0.001)
    assert found[0, 1:] == pytest.approx([4 / 3 * sums * 0.03] * 2)
    one = corrected({name: column[:1] for name, column in columns.items()}, (None, "a", "b"))[0, :, 0]
    assert one == pytest.approx([0.01, 0.03, 0.03])


def test_what_is_not_known_is_not_sure():
    """A row is sure only where both p-values are known."""
    nan = np.nan
    columns = {
        name: np.full((1, 2, 1), value, dtype=object if name == "outcome" else float)
        for name, value in (("outcome", "clears"), ("bar", 0.0), ("p_value", 0.01), ("p_sure", nan))
    }
    assert (corrected(columns, (None, "a")) == 1).all()
    assert (over_slices(columns) == 1).all()


measures = st.sampled_from(("f1", "mcc", "accuracy", "precision", "error_rate"))


@st.composite
def tables(draw):
    """Labels, the predictions of up to three models, slices, clusters or neither, and a measure."""
    size = draw(st.integers(4, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    truth = rng.random(size) < draw(st.sampled_from([0.2, 0.5, 0.8]))
    truth[:2] = True, False
    shares = draw(st.lists(st.sampled_from([0.5, 0.8, 1.0]), min_size=1, max_size=3))
    models = {
        f"m{at}": np.where(rng.random(size) < p, truth, ~truth).astype(int) for at, p in enumerate(shares)
    }
    truth, option = truth.astype(int), draw(st.sampled_from([None, "by", "clusters"]))
    if option == "clusters":
        truth, models = np.tile(truth, 4), {name: np.tile(guess, 4) for name, guess in models.items()}
        return truth, models, {option: np.arange(len(truth)) // draw(st.integers(1, 3))}, draw(measures)
    slices = rng.integers(0, draw(st.integers(1, 3)), size)
    return truth, models, {} if option is None else {option: slices}, draw(measures)


def passes(truth, models, measure, **options):
    try:
        assert_clears(truth, models, measure, **options)
    except AssertionError:
        return False
    return True


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(tables())
def test_every_route_and_every_way_to_ask_agree(drawn):
    """Arrays, a table, a gate, verdicts, a page, `clearbar check` and the marks of the text."""
    truth, models, options, measure = drawn
    card = cb.evaluate(truth, models, measure, **options)
    sure = card.columns["sure"]
    frame = pd.DataFrame({"y": truth, **models, **options})
    named = {name: name for name in options}
    same = cb.evaluate_frame(frame, "y", [*models], measures=measure, **named)
    np.testing.assert_array_equal(same.columns["sure"], sure)
    assert card.clears() == sure.all()
    assert [verdict.sure for verdict in card] == sure.reshape(-1).tolist()
    for verdict in card:
        assert verdict.sure <= (verdict.outcome == "clears")
        assert verdict.sure == card.clears(measure, verdict.model, verdict.group) or verdict.group is None
    assert passes("y", [*models], measure, frame=frame, **named) == sure.all()
    _marks_agree(card)
    _report_agrees(card)
    _check_agrees(card, frame, named)
    if len(card.groups) > 2:
        rows = card.slices()
        surely = {
            (model, group)
            for model, group, standing in zip(rows.model, rows.group, rows.standing, strict=True)
            if standing == "clears surely"
        }
        assert surely == {(v.model, v.group) for v in card if v.group is not None and v.sure}


def _marks_agree(card):
    """On the whole: `?` above but not sure, `✗` below, `=` at the bar, no mark for a sure clear."""
    whole = [verdict for verdict in card if verdict.group is None]
    text = card.to_text(columns=()).split("\n\n")[1]
    row = next(line for line in text.splitlines() if line.startswith(card.measures[0].label))
    marks = re.findall(r"(–|[−\d.]+)(?: ([✗?=]))?", row.removeprefix(card.measures[0].label))[1:]
    said = {"fails": "✗", "ties": "=", "clears": "?"}
    want = ["" if whole[at].sure else said.get(whole[at].outcome, "") for at in best_first(card)]
    assert [mark for _, mark in marks] == want
    sentence = card.headline()
    judged = [verdict for verdict in whole if verdict.outcome in said]
    doubted = "could be chance" in sentence or "not settled" in sentence
    assert doubted == any(v.outcome == "clears" and not v.sure for v in judged)
    missed = re.search("[Mm]iss|[Ee]xactly at|not clear|do(es)? not", sentence)
    assert bool(missed) == any(v.outcome != "clears" for v in judged)
    assert bool(re.search(r"^(?!.*not clear).*clears?\b", sentence, re.IGNORECASE)) == any(
        v.sure for v in judged
    )


def _report_agrees(card):
    """The page counts the sure clears of each model, and says what the card says."""
    text = html.unescape(page(card, pictures=False))
    cards = [one.partition("</article>")[0] for one in text.split('<article class="card')[1:]]
    for at, one in zip(best_first(card), cards, strict=True):
        counted = re.search(r"clears <strong>(\d+) of \d+</strong>", one)
        sure = [v.sure for v in card if v.model == card.models[at] and v.group is None]
        assert int(counted[1] if counted else 0) == sum(sure)
    said = re.search(r'<p class="verdict"><strong>(.*?)</strong>', text)[1]
    assert re.sub("<[^>]*>", "", said).replace("\xa0", " ") == card.headline()


def _check_agrees(card, frame, options):
    """`clearbar check` of a file passes the sure rows and no other, and its code says so."""
    words = [word for name, column in options.items() for word in (f"--{name}", column)]
    asked = ("--y-true", "y", "--y-pred", *card.models, "--measure", card.measures[0].name, *words)
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        frame.to_csv(path, index=False)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = main(["check", str(path), *asked, "--json"])
    if (card.columns["outcome"] == "unbeatable").any():
        assert code == 2
        return
    sure = card.columns["sure"].reshape(-1).tolist()
    assert [row["passes"] for row in json.loads(out.getvalue())["rows"]] == sure
    assert code == (0 if all(sure) else 1)


@pytest.mark.parametrize(("sizes", "sure"), [([2] * 20, False), ([*range(1, 9)], True)])
def test_rows_with_a_p_that_is_not_known_are_judged_alike_everywhere(sizes, sure):
    """Groups with all the same labels tell nothing; those that cannot be permuted have a t-test."""
    ids = np.repeat(np.arange(len(sizes)), sizes)
    truth = np.arange(len(ids)) % 2
    asked = (truth, {"a": truth}, "mcc")
    card = cb.evaluate(*asked, clusters=ids)
    assert np.isnan(card[0].p_value_blind) != sure
    assert card[0].p_value <= 0.05
    assert card[0].sure == card.clears() == passes(*asked, clusters=ids) == sure
    assert ("how surely is not known" in card.headline()) != sure


def test_of_twenty_blind_models_one_is_sure_in_at_most_five_percent():
    """Labels are fixed, models are coins of any bias; uncorrected, one of twenty is sure in a third."""
    rng, repetitions, models = np.random.default_rng(14), 300, 20
    k = rng.random((repetitions, models, 1, 1))
    tp = rng.binomial(20, k)[..., 0, 0]
    fp = rng.binomial(30, k)[..., 0, 0]
    # All tables at once are slices of one card; those of a repetition are then models of one card.
    card = cb.evaluate_counts(counts_of([a.reshape(-1) for a in (tp, fp, 20 - tp, 30 - fp)]), "mcc")
    shape = models, repetitions, 1
    columns = {
        name: np.swapaxes(card.columns[name].reshape(repetitions, models), 0, 1).reshape(shape)
        for name in ("outcome", "bar", "p_value", "p_sure")
    }
    alone = ((columns["outcome"] == "clears") & (columns["p_sure"] <= 0.05)).any(axis=0).mean()
    together = (corrected(columns, (None,) * repetitions) <= 0.05).any(axis=0).mean()
    assert alone > 0.2
    assert together <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repetitions)


def test_of_informative_slices_at_their_bar_few_are_called_sure():
    """200 slices with true F1 at the bar and 20 above it: what is called sure is rarely one of the former."""
    rng, repetitions, size = np.random.default_rng(63), 10, 60
    rates = np.array([(0.9, 0.8)] * 100 + [(0.7, 0.4)] * 100 + [(0.9, 0.15)] * 20)
    measure = cb.get_measure("f1")
    bar = float(cb.baseline(cb.Population(2 * size, size), measure))
    true = measure.values(*(size * rate for rate in (*rates.T, *(1 - rates.T))))
    assert true[:200] == pytest.approx([bar] * 200)
    tp, fp = rng.binomial(size, np.broadcast_to(rates.T[:, None], (2, repetitions, len(rates))))
    counts = counts_of([a.reshape(-1) for a in (tp, fp, size - tp, size - fp)])
    columns = cb.evaluate_counts(counts, measure).columns
    shares, blindly = [], []
    for part in np.split(np.arange(counts.shape[0]), repetitions):
        cells = {name: column[:, part] for name, column in columns.items()}
        above = cells["outcome"][0, :, 0] == "clears"
        sure = above & (over_slices(cells)[0, :, 0] <= 0.05)
        shares.append(sure[:200].sum() / max(sure.sum(), 1))
        cells["p_value"] = cells["p_sure"] = cells["p_value_blind"]
        lucky = above & (over_slices(cells)[0, :, 0] <= 0.05)
        blindly.append(lucky[:200].sum() / max(lucky.sum(), 1))
        assert sure[200:].any()
    assert np.mean(shares) <= 0.05, shares
    assert np.mean(blindly) > 0.5, "question B alone answers something else"


def test_above_10_000_samples_few_discoveries_are_false_among_informative_and_blind_slices():
    """225 slices that know the labels, with true F1 just below the bar, and 25 blind ones.

    All are below the bar, so that each that is said to clear is false: of question B's, more than 25.
    """
    rng, size = np.random.default_rng(900), 5_100
    measure = cb.get_measure("f1")
    bar = float(cb.baseline(cb.Population(2 * size, size), measure))
    rates = np.array([(0.7, 0.402)] * 225 + [(0.95, 0.95)] * 25)
    true = measure.values(*(size * rate for rate in (*rates.T, *(1 - rates.T))))
    assert ((bar - 0.02 < true) & (true < bar)).all()
    tp, fp = rng.binomial(size, rates.T)[:, None]
    counts = counts_of([tp, fp, size - tp, size - fp])
    _, columns = judge(Labels(("model",), tuple(range(tp.size)), counts), [measure])
    above = columns["outcome"][0, :, 0] == "clears"
    surely = over_slices(columns)[0, :, 0] <= 0.05
    assert surely[225:].all(), "the blind ones are surely below"
    assert (surely & above).sum() <= 0.05 * surely.sum()
    blindly = {**columns, **dict.fromkeys(("p_value", "p_sure"), columns["p_value_blind"])}
    assert (above & (over_slices(blindly)[0, :, 0] <= 0.05)).sum() > 25


@pytest.mark.parametrize("name", ["accuracy", pytest.param("precision", marks=pytest.mark.slow)])
def test_no_sure_score_has_its_bar_in_its_interval(name):
    """p jumps from bar to bar: 7 + 13 right of 10 + 15 have p = 0.045 at the bar, and more just below it."""
    x, y = (side.ravel() for side in np.meshgrid(np.arange(4, 11), np.arange(8), indexing="ij"))
    tables = np.stack((x, y, 10 - x, 15 - y))[:, None]
    problem = Labels(("model",), tuple(range(len(x))), counts_of(tables))
    measure = cb.get_measure(name)
    (bar,), columns = judge(problem, [measure])
    low, high = (ends[0, 0] for ends in intervals([measure], problem.counts))
    inside = (low <= bar.value) & (bar.value <= high)
    p_sure, p_value = columns["p_sure"][0, :, 0], columns["p_value"][0, :, 0]
    clears = columns["outcome"][0, :, 0] == "clears"
    both = np.maximum(p_value, columns["p_value_blind"][0, :, 0])
    assert (p_sure[clears & inside] > 0.05).all()
    held = clears & inside & (both <= 0.05)
    assert p_sure[~held] == pytest.approx(both[~held], rel=0)
    assert 0 < held.sum() < (clears & (both <= 0.05)).sum()


@pytest.mark.parametrize(
    ("positive", "negative", "level"),
    [((165, 10), (12, 4), 0.95), ((5, 5), (11, 49), 0.9), ((110, 10), (3, 2), 0.8)],
)
def test_a_bar_in_the_interval_is_not_cleared_surely_however_small_its_p(positive, negative, level):
    """Of a class of few samples p jumps to more than twice what it is."""
    counts = cb.Counts(tp=positive[0], fn=positive[1], fp=negative[0], tn=negative[1])
    (one,) = cb.evaluate_counts(counts, ["balanced_accuracy"], confidence_level=level)
    assert max(one.p_value, one.p_value_blind) < (1 - level) / 2
    assert one.low < 0.5 < one.score
    assert not one.sure


@pytest.mark.peers
def test_mcnemars_p_is_that_of_statsmodels():
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 80)
    models = {name: np.where(rng.random(80) < right, y, 1 - y) for name, right in (("a", 0.9), ("b", 0.7))}
    right = [model == y for model in models.values()]
    discordant = [[(one & other).sum() for other in (right[1], ~right[1])] for one in (right[0], ~right[0])]
    p_value = cb.evaluate(y, models, "accuracy", intervals=False).compare("a", "b", "accuracy").p_mcnemar
    assert p_value == pytest.approx(tables.mcnemar(discordant, exact=True).pvalue, rel=1e-9)
