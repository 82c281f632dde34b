"""One table has one p-value and one interval, to the last bit, whatever is computed beside it."""

from __future__ import annotations

import numpy as np
import pytest

import clearbar as cb
from clearbar.catalogue import get_measure
from clearbar.core.counts import counts_of
from clearbar.inference.rate_intervals import intervals
from clearbar.inference.two_rates import p_values
from clearbar.problems.binary import Labels, baseline
from clearbar.verdict import judge

DEFAULT = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc")
MORE = ("kappa", "threat_score", "fnr", "npv")
CURVED = ("g_mean", "p4", "jaccard_macro", "roc_distance", "fowlkes_mallows", "markedness")


def tables(number, least, most, seed):
    rng = np.random.default_rng(seed)
    P, N = np.exp(rng.uniform(least, most, (2, number))).astype(int)
    tp, fp = rng.binomial(P, rng.uniform(0.3, 0.95, number)), rng.binomial(N, rng.uniform(0.02, 0.5, number))
    return np.stack((tp, fp, P - tp, N - fp))


@pytest.mark.slow
@pytest.mark.parametrize(("number", "least", "most"), [(3, 1, 5), (2, 5, 8), (2, 8, 13)])
def test_of_measures_and_tables_alone_and_together(number, least, most):
    cells = tables(number, least, most, 7)
    counts = counts_of(cells)
    measures = [get_measure(name) for name in (*DEFAULT, *MORE, *CURVED)]
    sizes = [cb.Population(int(cells[:, j].sum()), int(cells[::2, j].sum())) for j in range(number)]
    bars = np.array([[float(baseline(size, measure).value) for size in sizes] for measure in measures])
    p, (low, high) = p_values(measures, counts, list(bars)), intervals(measures, counts)
    turned = slice(None, None, -1)
    backwards = p_values(measures[turned], counts[turned], list(bars[turned, turned]))
    np.testing.assert_array_equal(backwards[turned, turned], p)
    for i, measure in enumerate(measures):
        for j in range(number):
            alone = p_values([measure], counts[j], [bars[i, j]])[0]
            ends = [end[0] for end in intervals([measure], counts[j])]
            together = p[i, j], low[i, j], high[i, j]
            np.testing.assert_allclose([alone, *ends], together, 1e-12, 0, err_msg=str(measure))


COLUMNS = ("score", "bar", "skill", "p_value", "p_value_blind", "p_sure")


def judged(cells, names):
    problem = Labels(("model",), tuple(range(cells.shape[1])), counts_of(cells[:, None]))
    _, columns = judge(problem, [get_measure(name) for name in names])
    return np.stack([columns[name][0] for name in COLUMNS])  # of shape (columns, groups, measures)


@pytest.mark.slow
def test_of_slices_alone_and_in_batches_with_other_measures_and_orders():
    names, cells = (*DEFAULT, *MORE), tables(24, 1, 5, 3)
    every = judged(cells, names)
    order = np.random.default_rng(1).permutation(24)
    np.testing.assert_array_equal(judged(cells[:, order], names), every[:, order])
    np.testing.assert_array_equal(judged(cells, names[::-1]), every[:, :, ::-1])
    for group in range(0, 24, 3):
        one = cells[:, group : group + 1]
        np.testing.assert_array_equal(judged(one, names)[:, 0], every[:, group])
        for at in range(0, len(names), 2):
            np.testing.assert_array_equal(judged(one, names[at : at + 1])[:, 0, 0], every[:, group, at])
