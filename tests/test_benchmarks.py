"""The benchmarks can be started; and what they time needs no more evaluations than it did."""

import dataclasses
import importlib

import numpy as np
import pytest
from benchmarks import equal_scores, gaps
from benchmarks.__main__ import SECTIONS
from benchmarks._first import ROWS

import clearbar as cb

SIZES = (10**3, 10**6, 10**9, 10**12)


class Counted:
    """A formula that counts the tables it is asked about."""

    def __init__(self, formula):
        self.formula, self.tables = formula, 0

    def __call__(self, *cells, **parameters):
        self.tables += np.size(cells[0])
        return self.formula(*cells, **parameters)


def counted(name):
    """Return a measure of the catalogue, and what counts the evaluations of its formula."""
    measure = cb.get_measure(name)
    formula = Counted(measure.function)
    return dataclasses.replace(measure, function=formula), lambda: formula.tables


@pytest.mark.parametrize("name", SECTIONS)
@pytest.mark.parametrize("quick", [False, True])
def test_every_section_of_the_benchmarks_lists_its_cases(name, quick):
    section = importlib.import_module(f"benchmarks.{name}").SECTION
    assert section.name == name
    assert all(case.title for case in section.cases(quick=quick))


def test_each_of_the_first_rows_is_a_row_of_its_section():
    rows = {
        (name, case.title, case.size)
        for name in SECTIONS
        for case in importlib.import_module(f"benchmarks.{name}").SECTION.cases(quick=False)
    }
    assert set(ROWS) <= rows
    assert len(ROWS) == 10


@pytest.mark.parametrize("total", SIZES)
def test_an_expectation_needs_a_bounded_number_of_evaluations(total):
    measure, tables = counted("g_mean")
    draw = cb.Draw(cb.Population(total, 3 * total // 10), 2 * total // 5)
    assert draw.distribution(measure).mean() > 0
    assert tables() <= 200


@pytest.mark.parametrize("total", SIZES)
@pytest.mark.parametrize(("name", "most"), [("mcc", 10), ("f1", 10), ("g_mean", 4_000)])
def test_a_bar_needs_a_bounded_number_of_evaluations(total, name, most):
    measure, tables = counted(name)
    assert cb.baseline(cb.Population(total, 3 * total // 10), measure).certified
    assert tables() <= most


@pytest.mark.parametrize(("name", "most"), [("mcc", 4), ("f1", 12), ("g_mean", 2_000)])
def test_the_bars_of_a_fleet_need_few_evaluations_each(name, most):
    total = np.arange(1_000, 2_000)
    measure, tables = counted(name)
    cb.baseline(cb.Population(total, total // 3), measure)
    assert tables() <= most * total.size


def test_a_scan_evaluates_a_formula_on_the_tables_within_reach_and_few_more():
    total, positives = 2_000, 600
    formula = Counted(lambda tp, fp, fn, tn: np.abs(tp * tn - fp * fn))
    measure = cb.Measure("mine", formula, greater_is_better=True)
    cb.baseline(cb.Population(total, positives), measure)
    k = np.arange(total + 1)
    deviation = np.sqrt(k * (total - k) / total * positives / total * (1 - positives / total))
    assert formula.tables <= np.sum(20 * deviation + 70)


def test_the_size_of_differences_is_measured_by_the_tests_themselves():
    """`refuted` of both scans, as their pages name them, on a handful of tables."""
    generator = np.random.default_rng(0)
    groups = gaps.Setting("f1", ((5, 5), (5, 5)), ((0.9, 0.1), (0.1, 0.9)))
    assert gaps.refuted(groups, 20, 99, generator)[0] <= 0.5
    pair = equal_scores.equal(equal_scores.Setting("f1", (20, 20), (0.8, 0.1), (0.9, 0.1), "nested"))
    assert equal_scores.rates(pair, 20, 99, generator).test <= 0.5
