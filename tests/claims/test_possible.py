"""Possible tables against every table in fractions, stored values, and mlscorecheck."""

import itertools
import json
import math
import random
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from benchmarks.possible_tables import EXAMPLES, FOLDS, NAMES, OF_FOLDS, TIGHT, questions, tables

import clearbar as cb
from clearbar.catalogue._arithmetic import NotExact
from clearbar.claims._rows import is_linear, is_monotone
from clearbar.core._value import Printed

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text())
FROZEN = json.loads(Path(__file__).with_name("mlscorecheck.json").read_text())


def printed_ends(text, truncated=False):
    """The ends of a printed number, from its letters."""
    digits = text.rstrip("% ").replace("−", "-")
    value = Fraction(digits) / (100 if "%" in text else 1)
    unit = Fraction(1, 10 ** (len(digits.partition(".")[2]) + (2 if "%" in text else 0)))
    if not truncated:
        return value - unit / 2, value + unit / 2
    return (value - unit if value <= 0 else value), (value + unit if value >= 0 else value)


def has(measure, cells, low, high):
    """Whether a table has a score, in fractions where the formula allows it."""
    value = float(measure.values(*(np.array([cell]) for cell in cells))[0])
    if not math.isfinite(value):
        return False
    try:
        exact = Fraction(measure.exactly(*map(Fraction, cells)))
    except (NotExact, ZeroDivisionError):
        return float(low) - 1e-11 <= value <= float(high) + 1e-11
    return low - Fraction(1, 10**40) <= exact <= high + Fraction(1, 10**40)


def every_table(total, sizes, scores, truncated=False):
    """Positives, TP and FP of every table that has all scores."""
    wanted = [
        (cb.get_measure(name, "binary"), *printed_ends(text, truncated)) for name, text in scores.items()
    ]
    return [
        (p, tp, fp)
        for p in sizes
        for tp, fp in itertools.product(range(p + 1), range(total - p + 1))
        if all(has(m, (tp, fp, p - tp, total - p - fp), low, high) for m, low, high in wanted)
    ]


def found(tables):
    counts = tables.counts
    return list(zip(counts.positives.tolist(), counts.tp.tolist(), counts.fp.tolist(), strict=True))


@pytest.mark.parametrize("case", REFERENCE["possible_tables"], ids=lambda case: str(case["scores"]))
def test_stored_values(case):
    tables = cb.possible_tables(cb.Population(case["P"] + case["N"], case["P"]), case["scores"])
    assert (tables.count, bool(tables.contradiction)) == (case["count"], case["contradiction"])
    assert [list(table[1:]) for table in found(tables)][:5] == case["first5"]
    for name in ("f1", "mcc") if case["count"] else ():
        assert tables.range(name) == pytest.approx(case[f"range_{name}"], rel=1e-12)


BINARY = [measure for measure in cb.measures() if measure.kind == "binary"]


@pytest.mark.parametrize("measure", BINARY, ids=str)
def test_every_measure_finds_what_trying_all_tables_finds(measure):
    drawn = random.Random(measure.name)  # noqa: S311
    for trial in range(6):
        total = drawn.randint(2, 20)
        sizes = range(total + 1) if trial == 5 and total < 12 else [drawn.randint(0, total)]
        tp, fp = drawn.randint(0, sizes[-1]), drawn.randint(0, total - sizes[-1])
        value = float(measure.values(*np.array([[tp], [fp], [sizes[-1] - tp], [total - sizes[-1] - fp]]))[0])
        low, high = (max(-99.0, min(end, 99.0)) for end in measure.bounds)
        value = min(max(value if math.isfinite(value) else drawn.random(), low), high)
        scores = {measure.name: f"{value:.{drawn.choice([0, 1, 1, 2, 3])}f}"}
        population = total if len(sizes) > 1 else cb.Population(total, sizes[0])
        truncated = trial % 3 == 2
        tables = cb.possible_tables(population, scores, truncated=truncated)
        assert found(tables) == every_table(total, sizes, scores, truncated), (population, scores)


@pytest.mark.slow
def test_pairs_of_scores_up_to_sixty_samples_find_what_trying_all_tables_finds():
    drawn = random.Random(3)  # noqa: S311
    for _ in range(150):
        total = drawn.randint(20, 60)
        positives = drawn.randint(1, total - 1)
        tp, fp = drawn.randint(0, positives), drawn.randint(0, total - positives)
        scores = {}
        for measure in drawn.sample([m for m in BINARY if is_monotone(m) and m.bounds == (0, 1)], 2):
            value = measure(tp=tp, fp=fp, fn=positives - tp, tn=total - positives - fp)
            scores[measure.name] = f"{0.5 if math.isnan(value) else value:.2f}"
        tables = cb.possible_tables(cb.Population(total, positives), scores)
        assert found(tables) == every_table(total, [positives], scores), (total, positives, scores)


@pytest.mark.slow
def test_mlscorecheck_excludes_no_table_that_is_found_and_agrees_where_its_intervals_are_tight():
    asked = list(questions())
    assert len(asked) == len(FROZEN["counts"])
    same = 0
    for question, count in zip(asked, FROZEN["counts"], strict=True):
        if count is None:
            continue
        ours = tables(question)
        assert ours <= count, question
        same += ours == count
        if set(question[1]) <= set(TIGHT):
            assert ours == count, question
    assert same > 800
    assert [tables(question) for question in EXAMPLES] == FROZEN["examples"]
    folds = [cb.Population(p + n, p) for p, n in FOLDS]
    for scores, possible in zip(OF_FOLDS, FROZEN["folds"], strict=True):
        printed = {NAMES[name]: text for name, text in scores.items()}
        assert bool(cb.possible_tables(cb.Population(257, 126), printed, folds=folds).count) == possible


@pytest.mark.slow
def test_where_mlscorecheck_finds_more_trying_all_tables_does_not():
    differ = [
        question
        for question, count in zip(questions(), FROZEN["counts"], strict=True)
        if sum(question[0]) < 80 and count is not None and tables(question) != count
    ]
    assert differ
    for (positives, negatives), scores in differ[:12]:
        printed = {NAMES[name]: text for name, text in scores.items()}
        every = every_table(positives + negatives, [positives], printed)
        assert len(every) == tables(((positives, negatives), scores))


def test_ranges_hold_every_table_and_are_attained():
    tables = cb.possible_tables(cb.Population(60, 25), {"accuracy": "0.8", "precision": "0.7"})
    for measure in BINARY:
        scores = measure.values(*tables.counts.cells)
        scores = scores[np.isfinite(scores)]
        assert tables.range(measure) == pytest.approx((scores.min(), scores.max()), rel=1e-12)


@pytest.mark.parametrize("name", ["f1", "mcc", "accuracy"])
@pytest.mark.parametrize(
    ("scores", "sizes"), [({"accuracy": "0.7"}, (60, 25)), ({"recall": "0.8"}, (90, 20))]
)
def test_the_verdict_of_many_is_that_of_the_one_that_clears_least_surely(name, scores, sizes):
    tables = cb.possible_tables(cb.Population(*sizes), scores)
    assert tables.count > 64
    card = cb.evaluate_counts(tables.counts, name)
    outcomes = set(card.columns["outcome"].ravel())
    verdict = tables.judge(name)
    assert verdict.outcome == (outcomes.pop() if len(outcomes) == 1 else "undefined")
    if verdict.outcome == "clears":
        worst = np.fmax(card.columns["p_value"], card.columns["p_value_blind"]).max()
        assert verdict.p_corrected == pytest.approx(worst, rel=1e-9)
    elif verdict.outcome == "undefined":
        assert "some are above the bar" in verdict.reason
        assert not verdict.sure


@pytest.mark.parametrize(
    ("folds", "scores"),
    [
        ([(5, 3), (4, 4), (6, 2)], {"accuracy": "0.67", "recall": "0.71"}),
        ([(5, 3), (5, 3), (4, 4)], {"balanced_accuracy": "0.6", "specificity": "0.53"}),
        ([(5, 3), (5, 3), (4, 4)], {"accuracy": "0.667", "specificity": "0.5278"}),
        ([(3, 5), (3, 5), (3, 5)], {"accuracy": "0.708", "recall": "0.778"}),
        ([(2, 4), (1, 3), (1, 3)], {"recall": "0.67", "accuracy": "0.6", "specificity": "0.6"}),
        ([(1, 1), (1, 1)], {"recall": "0.01", "specificity": "0.51"}),  # the first leaves no table
    ],
)
def test_means_over_folds_find_what_trying_all_tables_of_all_folds_finds(folds, scores):
    wanted = [(cb.get_measure(name, "binary"), *printed_ends(text)) for name, text in scores.items()]
    sums = {(0, 0, *[Fraction(0)] * len(wanted))}
    for p, n in folds:
        each = {
            (tp, fp, *(Fraction(m.exactly(*map(Fraction, (tp, fp, p - tp, n - fp)))) for m, *_ in wanted))
            for tp, fp in itertools.product(range(p + 1), range(n + 1))
        }
        sums = {tuple(a + b for a, b in zip(one, other, strict=True)) for one in sums for other in each}
    every = {
        (tp, fp)
        for tp, fp, *values in sums
        if all(
            low <= value / len(folds) <= high for value, (_, low, high) in zip(values, wanted, strict=True)
        )
    }
    total, positives = sum(map(sum, folds)), sum(p for p, _ in folds)
    given = [cb.Population(p + n, p) for p, n in folds]
    tables = cb.possible_tables(cb.Population(total, positives), scores, folds=given)
    assert [table[1:] for table in found(tables)] == sorted(every)
    if len(set(folds)) == 1:  # as folds are stratified
        assert found(cb.possible_tables(cb.Population(total, positives), scores, folds=len(folds))) == found(
            tables
        )


@pytest.mark.parametrize("sizes", [(3, 4, 7), (2, 2, 9), (5, 5, 5), (1, 6)])
def test_accuracy_and_macro_recall_of_many_classes_as_trying_all_right_answers(sizes):
    classes, total = cb.ClassSizes({str(place): size for place, size in enumerate(sizes)}), sum(sizes)
    pairs = {
        (
            Fraction(sum(right), total),
            sum(Fraction(r, s) for r, s in zip(right, sizes, strict=True)) / len(sizes),
        )
        for right in itertools.product(*(range(size + 1) for size in sizes))
    }
    drawn = random.Random(str(sizes))  # noqa: S311
    seen = set()
    for _ in range(60):
        texts = f"{drawn.random():.{drawn.choice([1, 2])}f}", f"{drawn.random():.{drawn.choice([1, 2, 3])}f}"
        (a, b), (c, d) = map(printed_ends, texts)
        scores = cb.possible_tables(classes, {"accuracy": texts[0], "recall_macro": texts[1]})
        assert scores.possible == any(a <= x <= b and c <= y <= d for x, y in pairs), texts
        seen.add(scores.possible)
    assert seen == {True, False}


def test_a_smallest_contradicting_set_is_named():
    sizes = cb.Population(1_000, 300)
    scores = {"accuracy": "0.90", "recall": "0.5", "specificity": "0.95", "f1": "0.99"}
    contradiction = cb.possible_tables(sizes, scores).contradiction
    assert len(contradiction) == 2
    assert not cb.possible_tables(sizes, {name: scores[name] for name in contradiction}).count
    assert all(cb.possible_tables(sizes, {name: text}).count for name, text in scores.items())
    alone = cb.possible_tables(7, {"accuracy": "0.5"})
    cut_off = "If decimals were cut off instead of rounded, some table has it: pass truncated=True."  # 4/7
    assert str(alone) == f"No table of 7 samples has accuracy 0.5.\n{cut_off}"


@pytest.mark.slow
def test_a_million_samples_are_held_as_ranges():
    scores = {"accuracy": "0.9567", "mcc": "0.90"}
    tables = cb.possible_tables(cb.Population(10**6, 300_000), scores, limit=10)
    assert tables.count > 10**5
    assert len(tables.counts) == 10
    assert len(tables.rows.tp) < 10**5
    low, high = tables.range("mcc")
    assert 0.895 <= low < high <= 0.905


def test_exact_ties_are_decided_in_fractions_at_any_size():
    tables = cb.possible_tables(cb.Population(2 * 10**5, 10**5), {"accuracy": "0.9567", "recall": "0.95670"})
    rights = tables.counts.tp + tables.counts.tn
    assert {int(rights.min()), int(rights.max())} <= {2 * 95665, 2 * 95675}
    assert is_linear(cb.get_measure("accuracy", "binary"))


@pytest.mark.parametrize(
    ("population", "fit", "not_fit"),
    [
        (cb.Population(114, 71), {"accuracy": "0.9736", "precision": "0.9722"}, {"accuracy": "0.9700"}),
        (
            cb.ClassSizes({"a": 90, "b": 7, "c": 6}),
            {"accuracy": "0.912"},
            {"accuracy": "0.95", "recall_macro": "0.30"},
        ),
    ],
)
def test_a_contradiction_says_whether_cut_off_decimals_resolve_it(population, fit, not_fit):
    rounded, cut_off = (cb.possible_tables(population, fit, truncated=flag) for flag in (False, True))
    assert rounded.contradiction == ("accuracy",)
    assert not cut_off.contradiction
    assert (rounded.fits_truncated, cut_off.fits_truncated) == (True, False)
    assert str(rounded).endswith(": pass truncated=True.")
    assert rounded.to_text(cut_off="add --truncated").endswith(": add --truncated.")
    for truncated in (False, True):
        tables = cb.possible_tables(population, not_fit, truncated=truncated)
        assert tables.contradiction
        assert not tables.fits_truncated
        assert "cut off" not in str(tables)


def test_one_score_of_many_classes_allows_a_range_of_the_other():
    said = "103 samples of 3 classes can have accuracy 0.95, which allows recall_macro from 0.7222 to 0.9815."
    assert str(cb.possible_tables(cb.ClassSizes({"a": 90, "b": 7, "c": 6}), {"accuracy": "0.95"})) == said


@pytest.mark.parametrize(
    ("population", "scores", "options", "message"),
    [
        (
            30,
            {"f1": 0.9},
            {},
            'f1 must be text with the decimals that were printed, such as "0.90"; found 0.9',
        ),
        (30, {"f1": "1.5"}, {}, "f1 must lie between 0 and 1; found 1.5"),
        (30, {"recall": "90"}, {}, 'found 90. Did you mean "90 %"?'),
        (30, {"roc_auc": "0.9"}, {}, "'roc_auc' judges scores, not two columns of labels"),
        (30, {"f1": "high"}, {}, "f1 must be a number, or text"),
        (30, {"f1": "0.9"}, {"truncated": "no"}, "truncated must be True or False; found 'no'"),
        (30, {}, {}, "scores must map measures to printed scores"),
        (30, {"recall": "0.9", "sensitivity": "0.9"}, {}, "scores has recall twice"),
        (0, {"f1": "0.9"}, {}, "population must be a whole number from 1 up, a Population or ClassSizes"),
        (cb.Population([3, 4], [1, 1]), {"f1": "0.9"}, {}, "population must be one Population"),
        (30, {"accuracy": "0.9"}, {"folds": 5}, "folds needs the number of positives"),
        (cb.Population(30, 9), {"f1": "0.9"}, {"folds": 5}, "f1 is not linear in TP and FP"),
        (cb.Population(30, 9), {"f1": "0.9"}, {"folds": [cb.Population(30, 8)]}, "folds must add up to 30"),
        (
            cb.ClassSizes({1: 5, 2: 6, 3: 7}),
            {"f1_macro": "0.9"},
            {},
            "f1_macro of many classes is not decided",
        ),
        (10**6, {"f1": "0.9"}, {}, "population is too large"),
        (cb.Population(10**6, 10**5), {"chi2": "9.0"}, {}, "chi2 is not known to be monotone in FP"),
    ],
)
def test_bad_input_is_named_with_what_would_be_right(population, scores, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        cb.possible_tables(population, scores, **options)


def test_printed_numbers_are_read_once_for_all():
    assert Printed.read("x", "73.5 %").ends() == (Fraction(7345, 10000), Fraction(7355, 10000))
    assert Printed.read("x", "−0.20").ends(truncated=True) == (Fraction(-21, 100), Fraction(-20, 100))
    bar = cb.baseline(cb.Population(303, 139), "f1")
    assert bar.judge("66 %").p_value == bar.judge("0.66").p_value
