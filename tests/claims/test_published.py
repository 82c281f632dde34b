"""The page of published claims says what its lines and the library say."""

import functools
import math
from fractions import Fraction
from operator import mul

import numpy as np
import pytest
from tools import published_claims

import clearbar as cb

LINES = published_claims.claims()
SEVERAL = published_claims.printed_scores()
populations = functools.cache(published_claims.populations)
FRACTIONS = {  # which cells of TP, FP, FN and TN are above the line, and which below
    "accuracy": ((1, 0, 0, 1), (1, 1, 1, 1)),
    "precision": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "recall": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "f1": ((2, 0, 0, 0), (2, 1, 1, 0)),
    "npv": ((0, 0, 0, 1), (0, 0, 1, 1)),
    "specificity": ((0, 0, 0, 1), (0, 1, 0, 1)),
}


@pytest.mark.slow
def test_the_page_is_what_is_recomputed():
    assert len(LINES) >= 40
    assert len(SEVERAL) >= 15
    assert published_claims.PAGE.read_text(encoding="utf-8") == published_claims.page()


def one_in(number, lines):
    """Parameters, of which all but one in so many are slow."""
    return [pytest.param(line, marks=[pytest.mark.slow] * (at % number > 0)) for at, line in enumerate(lines)]


@pytest.mark.parametrize("line", one_in(4, LINES))
def test_a_line_follows_from_whole_numbers_alone(line):
    population, _ = populations()[line["test_set"]]
    total = int(population.total)
    assert line["source"].startswith("https://github.com/")
    ends = []
    for name in ("score", "other_score"):
        digits = line[name].removesuffix(" %")
        unit = Fraction(1, 10 ** (len(digits.partition(".")[2]) + 2))
        value = Fraction(digits) / 100
        ends.append([n for n in range(total + 1) if abs(Fraction(n, total) - value) <= unit / 2])
    found = published_claims.judged(line, population)
    assert found["can_be"] == [bool(numbers) for numbers in ends]
    if not all(ends):
        assert found["verdict"] == "not decided"
        return
    largest = smallest = None
    for a in ends[0]:
        for b in ends[1]:
            for alone in {0, min(b, total - a)}:
                d, heads = a - b + 2 * alone, a - b + alone
                tail = Fraction(sum(math.comb(d, h) for h in range(max(heads, 0), d + 1)), 2**d)
                p = Fraction(1) if a <= b else min(Fraction(1), 2 * tail)
                largest, smallest = max(largest or p, p), min(smallest or p, p)
    level = Fraction(1, 20)
    verdict = "shown" if largest <= level else "not shown" if smallest > level else "depends"
    assert found["verdict"] == verdict
    assert found["claim"].p_max == pytest.approx(float(largest), rel=1e-9)


def ends_of(text):
    """All that is rounded to a printed text."""
    digits, is_percent = text.removesuffix("%"), text.endswith("%")
    places = len(digits.partition(".")[2]) + 2 * is_percent
    value, unit = Fraction(digits) / (100 if is_percent else 1), Fraction(1, 10**places)
    half = max(unit / 2, Fraction(1, 2**50))  # all digits of a float are more than it knows
    return value - half, value + half


def those_that(score, printed, *cells):
    """Which tables have a printed score: in whole numbers alone."""
    above, below = (sum(map(mul, times, cells)) for times in FRACTIONS[score])
    low, high = ends_of(printed)
    dtype = np.int64 if high.denominator < 10**7 else object  # a product of 16 digits overflows
    above, below = (np.asarray(part).astype(dtype) for part in (above, below))
    at_least = above * low.denominator >= below * low.numerator
    return np.asarray(
        at_least & (above * high.denominator <= below * high.numerator) & (below > 0), dtype=bool
    )


@pytest.mark.parametrize("line", one_in(2, SEVERAL))
def test_several_scores_have_the_tables_that_whole_numbers_have(line):
    found = published_claims.possible(line)
    total, positives, printed = int(line["total"]), int(line["positives"]), found["printed"]
    negatives = total - positives
    assert line["source"].startswith("https://github.com/")
    tp, fp = np.arange(positives + 1), np.arange(negatives + 1)
    if line["folds"]:
        # The folds have equally many samples, so that their mean accuracy is that of all.
        assert total % int(line["folds"]) == 0
        right = np.arange(total + 1)
        has_accuracy = those_that("accuracy", printed["accuracy"], right, total - right, 0, 0)
        assert (found["tables"].count, has_accuracy.any()) == (0, False)
        return
    if "recall" in printed:
        tp = tp[those_that("recall", printed["recall"], tp, 0, positives - tp, negatives)]
    if "specificity" in printed:
        fp = fp[those_that("specificity", printed["specificity"], 0, fp, 0, negatives - fp)]
    tp, fp = (cell.ravel() for cell in np.meshgrid(tp, fp))
    for name, text in printed.items():
        has = those_that(name, text, tp, fp, positives - tp, negatives - fp)
        tp, fp = tp[has], fp[has]
    tables = found["tables"]
    assert tables.count == len(tp)
    assert bool(tables.contradiction) == (not len(tp))
    if len(tp):
        counts = tables.counts
        listed = set(zip(np.ravel(counts.tp).tolist(), np.ravel(counts.fp).tolist(), strict=True))
        assert listed <= set(zip(tp.tolist(), fp.tolist(), strict=True))


def test_all_digits_of_a_float_are_more_than_it_knows():
    assert round(Fraction(42_661, 42_712), 16) != Fraction(repr(42_661 / 42_712))
    scores = {"accuracy": repr(42_661 / 42_712), "f1": repr(2 * (56 / 98) * (56 / 65) / (56 / 98 + 56 / 65))}
    assert cb.possible_tables(cb.Population(42_712, 65), scores).count == 1
