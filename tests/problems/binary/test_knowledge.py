"""What must be known of M and P, against every population with both classes up to 12 samples."""

import dataclasses
import functools
import inspect
import itertools
import math
import subprocess
import sys

import numpy as np
import pytest

from clearbar import Measure, get_measure
from clearbar.compat import dutchdraw as dd
from clearbar.problems.binary import draw_without_sizes, needed_knowledge

LARGEST = 12
POPULATIONS = [(m, p) for m in range(2, LARGEST + 1) for p in range(1, m)]
ANY, CLASS, M, SIZES = "nothing", "which class is larger", "number of samples", "sizes"

DRAWS = dict.fromkeys(dd.measure_dictionary, (ANY, ANY)) | {
    "ACC": (CLASS, CLASS),
    "FM": (ANY, M),
    "G2": (SIZES, ANY),
    "PT": (SIZES, SIZES),
}
"""What the draws with the largest and the smallest expected score depend on."""

ENDS = [(key, largest) for key in dd.measure_dictionary for largest in (True, False)]


def sign(m, p):
    return "<" if 2 * p < m else ">" if 2 * p > m else "="


@functools.cache
def expectations(key, m, p):
    """Return the expected score of every draw from the probabilities of its tables, nan without one."""
    found = []
    for k in range(m + 1):
        tp = np.arange(max(0, k + p - m), min(p, k) + 1)
        ways = np.array([math.comb(p, t) * math.comb(m - p, k - t) for t in tp.tolist()], dtype=float)
        scores = get_measure(key).values(tp, k - tp, p - tp, m - p - k + tp)
        found.append(float(ways @ scores / math.comb(m, k)) if np.isfinite(scores).all() else math.nan)
    return found


@functools.cache
def optimum(key, m, p, largest):
    expected = expectations(key, m, p)
    value = (max if largest else min)(each for each in expected if not math.isnan(each))
    return value, {k for k, each in enumerate(expected) if abs(each - value) < 1e-12 * max(1, abs(value))}


def shares_that_work(key, largest, populations):
    """Try a share from each interval between the points at which any k changes."""
    edges = sorted({(k + 0.5) / m for m, _ in populations for k in range(m)} | {0.0, 1.0})
    middles = [0.0, *((a + b) / 2 for a, b in itertools.pairwise(edges)), 1.0]
    for m, p in populations:
        best = optimum(key, m, p, largest)[1]
        middles = [theta for theta in middles if math.floor(m * theta + 0.5) in best]
    return middles


def older(key):
    """The measure of an older name, judged on every draw at which it has a value."""
    return dataclasses.replace(get_measure(key), requires=None, in_catalogue=False)


@pytest.mark.parametrize(("key", "largest"), ENDS)
def test_the_draw(key, largest):
    """What is said to be enough is; less is not."""
    need = needed_knowledge(older(key), largest=largest)
    assert need == DRAWS[key][not largest]
    by_sign = [[(m, p) for m, p in POPULATIONS if sign(m, p) == each] for each in "<=>"]
    by_m = [
        set.intersection(*(optimum(key, m, p, largest)[1] for p in range(1, m)))
        for m in range(2, LARGEST + 1)
    ]
    enough = {
        ANY: bool(shares_that_work(key, largest, POPULATIONS)),
        CLASS: all(shares_that_work(key, largest, some) for some in by_sign),
        M: all(by_m),
        SIZES: True,
    }
    assert need == next(each for each in (ANY, CLASS, M, SIZES) if enough[each])


@pytest.mark.parametrize(("key", "largest"), ENDS)
def test_the_rule_draws_optimally_without_looking(key, largest):
    found = older(key)
    need = DRAWS[key][not largest]
    for m, p in POPULATIONS:
        if need == SIZES:
            with pytest.raises(ValueError, match="depends on the sizes of both classes, which is not known"):
                draw_without_sizes(found, m, largest=largest, positives_against_negatives=sign(m, p))
            return
        known = {"positives_against_negatives": sign(m, p)} if need == CLASS else {}
        for total_known in (True, False):
            k = draw_without_sizes(found, m, largest=largest, total_known=total_known, **known)
            assert k in optimum(key, m, p, largest)[1], (m, p)


def test_a_measure_of_ones_own():
    """Nothing goes by name."""
    costs = Measure("mine", lambda tp, fp, fn, tn: 2 * fp + fn + 0 * (tp + tn), greater_is_better=False)
    assert needed_knowledge(costs) == SIZES
    same = Measure("mine", lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn), greater_is_better=True)
    assert needed_knowledge(same) == CLASS
    with pytest.raises(ValueError, match="diagnostic_odds_ratio has no bar"):
        needed_knowledge("diagnostic_odds_ratio")


def test_outcomes_without_a_value_may_be_given_one():
    """F1's smallest expectation is at k = 1 for the papers and at 0 once k = 0 counts."""
    assert needed_knowledge("f1", largest=False) == M
    assert needed_knowledge("f1", largest=False, undefined=0.0) == ANY
    assert draw_without_sizes("f1", 50, largest=False, undefined=0.0) == 0
    assert needed_knowledge("fowlkes_mallows", largest=False, undefined="worst") == M
    assert draw_without_sizes("mcc", 50, undefined=-1.0) not in {0, 50}


# through the older signatures


@pytest.mark.parametrize("known", [(True, False), (False, False)])
def test_the_classifier_goes_by_what_it_is_told_not_by_the_labels(known):
    """The labels say that P is smaller, and must not be used."""
    y_true = [1, 0, 0, 0]
    for end, wanted in (("max", {"<": [0] * 4, ">": [1] * 4}), ("min", {"<": [1] * 4, ">": [0] * 4})):
        assert {each: dd.classifier(y_true, end, "ACC", 1, *known, each) for each in "<>"} == wanted
    assert dd.classifier(y_true, "max", "TS", 1, *known) == [1] * 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"P_known": False}, "which is not known. Known are M_known=True, P_known=False and E_P_x_E_N=None"),
        ({"M_known": False}, "P_known=True needs M_known=True"),
        ({"E_P_x_E_N": ">="}, "E_P_x_E_N"),
    ],
)
def test_the_classifier_refuses_what_it_cannot_answer(options, said):
    with pytest.raises(ValueError, match=said):
        dd.classifier(**{"y_true": [1, 0, 0], "theta": "max", "measure": "ACC"} | options)


def test_importing_prints_nothing_and_loads_nothing_heavy():
    code = (
        "import sys; from clearbar.compat import dutchdraw as dd\n"
        "dd.measure_score([1, 0], [1, 1], 'ACC'), dd.baseline([1, 0, 0], 'G2'), dd.classifier([1, 0], 0.5)\n"
        "heavy = {'scipy', 'pandas', 'polars', 'pyarrow', 'narwhals', 'tqdm', 'matplotlib', 'sklearn'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_the_older_names_and_signatures():
    flags, asked = "M_known=True, P_known=True", "y_true, measure, beta=1"
    wanted = {
        "measure_score": "y_true, y_pred, measure, beta=1",
        "optimized_baseline_statistics": f"{asked}, {flags}",
        "baseline_functions": f"{asked}, {flags}",
        "baseline_functions_given_theta": f"theta, {asked}, {flags}",
        "baseline": f"y_true, measure='', theta='optimal', {flags}, beta=1",
        "classifier": f"y_true=None, theta='max', measure='', beta=1, {flags}, E_P_x_E_N=None",
    }
    for name, signature in wanted.items():
        found = inspect.signature(getattr(dd, name)).parameters.values()
        old = [each for each in found if each.kind is each.POSITIONAL_OR_KEYWORD]
        named = [each.name if each.default is each.empty else f"{each.name}={each.default!r}" for each in old]
        assert ", ".join(named) == signature
    assert dd.DutchDraw_baseline is dd.baseline
    assert dd.DutchDraw_classifier is dd.classifier
    assert dd.all_names_except is dd.select_all_names_except
    assert {*wanted, "measure_dictionary", "select_names", "all_names_except"} < set(dd.__all__)
