"""Thousands of answers of the older release against ours: as many agree as its documented defects leave.

What differs is one of the defects of docs/dutchdraw_defects.md, which test_dutchdraw_defects.py takes one by
one; an answer of ours that changes changes how many agree.
"""

import gzip
import json
import math
import warnings
from pathlib import Path

import pytest

from clearbar.compat import dutchdraw as dd

DATA = json.loads(gzip.decompress(Path(__file__).with_name("dutchdraw_answers.json.gz").read_bytes()))
ORDER = ("Max Expected Value", "Argmax Expected Value", "Min Expected Value", "Argmin Expected Value")


def labels(m, p):
    return [1] * p + [0] * (m - p)


def ours(function, *arguments, **options):
    """Return the answer, or the type of the error; like the file, whose nan is a word."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function(*arguments, **options)
    except ValueError:
        return "ValueError"
    return "nan" if isinstance(found, float) and math.isnan(found) else found


def same(old, new):
    if isinstance(old, str) or isinstance(new, str):
        return old == new
    if isinstance(old, list):
        return len(old) == len(new) and all(map(same, old, new))
    return math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-11)


def half_up(m, theta):
    return math.floor(m * theta) + (m * theta - math.floor(m * theta) >= 0.5)


def test_every_name_and_its_list():
    """Ours are the older lists, longer only by the spellings that were missed, and PT of the README."""
    old, new = DATA["measure_dictionary"], dd.measure_dictionary
    assert list(new) == [*old, "PT"]
    assert all(new[key][: len(names)] == names for key, names in old.items())
    more = {name for key, names in old.items() for name in new[key][len(names) :]}
    assert more == {"YOUDEN'S J STATISTIC", "COHEN'S KAPPA", "CRITICAL SUCCESS INDEX"}


def test_scores():
    """With zeros and ones all agree; with truth values all from the second true positive on differ."""
    for _, name, beta, (tp, fp, fn, tn), boolean, old in DATA["scores"]:
        kind = bool if boolean else int
        y_true = [kind(label) for label in [1] * tp + [0] * fp + [1] * fn + [0] * tn]
        y_pred = [kind(label) for label in [1] * tp + [1] * fp + [0] * fn + [0] * tn]
        new = ours(dd.measure_score, y_true, y_pred, name, beta)
        assert same(old, new) != (boolean and tp > 1), (name, beta, tp, fp, fn, tn)


def test_optima():
    agree = 0
    for _, name, beta, m, p, old in DATA["optima"]:
        found = ours(dd.optimized_baseline_statistics, labels(m, p), name, beta)
        new = ["nan" if found[end] != found[end] else found[end] for end in ORDER]
        if isinstance(old, list):  # stored as k
            old[1::2] = [[k / m for k in draws] for draws in old[1::2]]
        agree += same(old, new)
    assert (agree, len(DATA["optima"])) == (1924, 2500)


@pytest.mark.slow
def test_functions_of_theta():
    agree = 0
    for key, name, beta, m, p, theta, old in DATA["thetas"]:
        functions = dd.baseline_functions(labels(m, p), name, beta)
        asked = [
            (old["mean"], "Expectation Function", ()),
            (old["variance"], "Variance Function", ()),
            ("absent" if key in {"G2", "TS"} else old["fast"], "Fast Expectation Function", ()),
            (old["domain"], "Domain", ()),
            *((pmf, "Distribution", (y,)) for y, pmf in zip(old["scores"], old["pmf"], strict=True)),
        ]
        agree += sum(same(found, ours(functions[of], *y, theta)) for found, of, y in asked)
    assert agree == 8058


NOT_ENOUGH = {"ACC": [(1, 0), (0, 1), (0, 0)], "FM": [(0, 1), (0, 0)], "G2": [(1, 0), (0, 1), (0, 0)]}
"""What ours refuses: accuracy needs P, the smallest expected FM is at 1/M, the optimum of G2 needs both."""


def test_flags():
    y_true = labels(8, 3)
    differing = 0
    for key, known, old in DATA["flags"]:
        new = [
            ours(dd.optimized_baseline_statistics, y_true, key, 1, *known),
            ours(dd.DutchDraw_baseline, y_true, key, "optimal", *known),
            ours(dd.DutchDraw_baseline, y_true, key, "all", *known),
            ours(dd.baseline_functions, y_true, key, 1, *known),
            ours(dd.baseline_functions_given_theta, 0.5, y_true, key, 1, *known),
        ]
        refused = tuple(known) in NOT_ENOUGH.get(key, [])
        either = refused or tuple(known) == (0, 1)
        assert [each == "ValueError" for each in new] == [refused, either, either, refused, refused]
        differing += sum((a == "ValueError") != (b == "ValueError") for a, b in zip(new, old, strict=True))
    assert differing == 31


@pytest.mark.slow
def test_classifiers():
    """Where the older release draws an optimal number, ours is optimal too."""
    agree = 0
    for key, beta, m, p, theta, known, sign, old in DATA["classifiers"]:
        new = ours(dd.DutchDraw_classifier, labels(m, p), theta, key, beta, *known, sign, random_state=0)
        if isinstance(theta, str):
            best = ours(dd.optimized_baseline_statistics, labels(m, p), key, beta)
            draws = {round(share * m) for share in best[ORDER[1 if theta == "max" else 3]]}
        else:
            draws = {half_up(m, theta)}
        refused = new == "ValueError"
        assert refused or (len(new) == m and sum(new) in draws), (key, beta, m, p, theta, known, sign)
        agree += not refused and isinstance(old, list) and old[0] in draws and old[1] == m
    assert (agree, len(DATA["classifiers"])) == (1411, 2000)
