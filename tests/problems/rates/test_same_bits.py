"""One table has one p-value and one interval, to the last bit, whatever is computed beside it."""

import numpy as np
import pytest

import clearbar as cb
from clearbar.catalogue import get_measure
from clearbar.core.counts import counts_of
from clearbar.inference.two_rates import intervals, p_values
from clearbar.problems.binary import baseline

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
