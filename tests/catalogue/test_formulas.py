"""What every formula of the catalogue must do; no test is about one measure alone."""

import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from tests.catalogue.independent import FORMULAS, real, value
from tests.catalogue.tables import MEMBERS, TRANSCRIBED, every_table

from clearbar.catalogue import NotExact, get_measure, measures

pytestmark = pytest.mark.quick

each = pytest.mark.parametrize("measure", MEMBERS, ids=str)
transcribed = pytest.mark.parametrize("measure", TRANSCRIBED, ids=str)


def independent(measure, table):
    """Return the textbook value, None where there is none."""
    parameters = {name: Fraction(repr(number)) for name, number in measure.parameters.items()}
    try:
        return value(measure.family or measure.name, *table, **parameters)
    except ZeroDivisionError:
        return None


def random_tables(size, largest, seed):
    """Return tables with cells spread over all orders of magnitude, zeros included."""
    rng = np.random.default_rng(seed)
    found = np.exp(rng.uniform(0, math.log(largest), (4, size))).astype(np.int64)
    found = np.where(rng.random((4, size)) < 0.05, 0, found)
    return found[:, found.sum(axis=0) > 0]


def near_independence(size, total, seed):
    """Return tables within a few counts of what chance would make of their margins."""
    rng = np.random.default_rng(seed)
    positives, k = (rng.uniform(0.05, 0.95, (2, size)) * total).astype(np.int64)
    tp = [int(a) * int(b) // total + int(rng.integers(-3, 4)) for a, b in zip(positives, k, strict=True)]
    return np.array([tp, k - tp, positives - tp, total - positives - k + tp])


def test_what_is_transcribed_is_a_measure():
    assert set(FORMULAS) <= {measure.family or measure.name for measure in measures()}


@each
def test_a_value_is_finite_exactly_where_the_domain_holds_and_inside_the_bounds(measure):
    extremes = np.array([[10**12] * 4, [10**12, 1, 1, 1], [1, 1, 1, 10**12]]).T
    low, high = measure.bounds
    for tables in (every_table(9), random_tables(3000, 10**12, 1), extremes):
        holds, values = measure.domain.holds(tuple(tables)), measure.values(*tables)
        np.testing.assert_array_equal(np.isfinite(values), holds)
        assert ((values[holds] >= low - 4e-16) & (values[holds] <= high + 4e-16)).all()
        cells = dict(zip(("tp", "fp", "fn", "tn"), tables, strict=True))
        np.testing.assert_array_equal(~np.isnan(measure(**cells)), holds)


@transcribed
def test_the_value_is_the_textbook_s_on_all_small_tables(measure):
    for table in every_table(5).T:
        expected = independent(measure, table)
        found = float(measure.values(*table))
        if expected is None:
            assert not math.isfinite(found), table
        else:
            assert found == pytest.approx(float(expected), rel=1e-14, abs=1e-15), table


@transcribed
def test_the_value_is_the_textbook_s_on_large_tables(measure):
    tables = np.concatenate([random_tables(60, largest, 2) for largest in (10**3, 10**12)], axis=1)
    for table, found in zip(tables.T, measure.values(*tables), strict=True):
        expected = independent(measure, table)
        if expected is not None:
            assert found == pytest.approx(float(expected), rel=4e-15, abs=4e-16), table


@transcribed
def test_a_small_value_keeps_its_digits(measure):
    """Near independence a naive formula subtracts almost equal numbers."""
    tables = near_independence(40, 10**11, 3)
    for table, found in zip(tables.T, measure.values(*tables), strict=True):
        expected = independent(measure, table)
        # these two are differences of numbers near 1 and not small near independence
        rounding = 2e-16 if measure.name in {"gwet_ac1", "optimized_precision"} else 0
        tolerance = 1e-14 * abs(float(expected)) + rounding
        assert abs(real(expected) - mpmath.mpf(float(found))) <= tolerance, table


def test_exact_independence_gives_exactly_zero():
    names = (
        *("informedness", "markedness", "mcc", "kappa", "equitable_threat_score", "yule_q", "yule_y", "chi2"),
        *("phi_squared", "log_odds_ratio", "discriminant_power", "information_score", "mutual_information"),
        *("uncertainty_coefficient", "seds", "edi", "sedi", "precision_gain"),
    )
    for a, b, c, d in ((3, 7, 11, 13), (10**5 + 1, 10**5 + 3, 10**6 + 7, 10**6 - 3)):
        table = a * c, b * c, a * d, b * d
        assert {name: float(get_measure(name).values(*table)) for name in names} == dict.fromkeys(names, 0.0)


# What the perfect table reaches depends on the class sizes here; the last six have no value there.
NOT_AT_THE_BOUND = {
    *("tp", "tn", "detection_rate", "net_benefit", "lift", "information_score", "mutual_information"),
    *("uncertainty_coefficient", "chi2", "diagnostic_odds_ratio", "log_odds_ratio", "discriminant_power"),
    *("positive_likelihood_ratio", "edi", "sedi"),
}


@pytest.mark.parametrize("measure", [m for m in TRANSCRIBED if m.greater_is_better is not None], ids=str)
def test_the_perfect_table_reaches_the_best_bound(measure):
    best = measure.bounds[1] if measure.greater_is_better else measure.bounds[0]
    for p, n in ((1, 1), (3, 5), (139, 164), (10**9 + 7, 10**6 + 3)):
        found = measure(tp=p, fp=0, fn=0, tn=n)
        if (measure.family or measure.name) in NOT_AT_THE_BOUND:
            expected = independent(measure, (p, 0, 0, n))
            assert found == pytest.approx(math.nan if expected is None else float(expected), nan_ok=True)
        else:
            assert found == best


@transcribed
def test_exact_and_floating_values_agree(measure):
    for table in every_table(6).T:
        found = float(measure.values(*table))
        try:
            exact = measure.exactly(*map(Fraction, table.tolist()))
        except ZeroDivisionError:
            assert not math.isfinite(found), table
        except NotExact:
            assert measure.affine is False
            return
        else:
            assert isinstance(exact, (Fraction, Decimal))
            assert found == pytest.approx(float(exact), rel=4e-16, abs=2e-16), table
            expected = independent(measure, table)
            if isinstance(exact, Fraction):
                assert exact == expected
            else:
                assert abs(real(expected) - mpmath.mpf(str(exact))) < mpmath.mpf(10) ** -55


@each
def test_the_shape_of_the_cells_is_the_shape_of_the_value(measure):
    scalar = measure(tp=14, fp=3, fn=4, tn=10)
    assert type(scalar) is float
    grid = measure(tp=np.full((2, 3), 14), fp=3, fn=np.full(3, 4), tn=10)
    assert grid.shape == (2, 3)
    assert (grid == scalar).all()
    assert measure(tp=np.zeros((0, 2)), fp=0, fn=0, tn=0).shape == (0, 2)


SCIKIT_LEARN = {
    "accuracy": "accuracy_score",
    "error_rate": "zero_one_loss",
    "balanced_accuracy": "balanced_accuracy_score",
    "recall": "recall_score",
    "precision": "precision_score",
    "f1": "f1_score",
    "mcc": "matthews_corrcoef",
    "kappa": "cohen_kappa_score",
    "threat_score": "jaccard_score",
}


def test_the_values_are_scikit_learn_s():
    metrics = pytest.importorskip("sklearn.metrics")
    for table in ((14, 3, 4, 10), (1, 2, 3, 4), (30, 7, 2, 50), (5, 9, 8, 6)):
        tp, fp, fn, tn = table
        labels, calls = [1] * tp + [0] * fp + [1] * fn + [0] * tn, [1] * (tp + fp) + [0] * (fn + tn)
        expected = {name: getattr(metrics, theirs)(labels, calls) for name, theirs in SCIKIT_LEARN.items()}
        expected |= {
            "specificity": metrics.recall_score(labels, calls, pos_label=0),
            "npv": metrics.precision_score(labels, calls, pos_label=0),
            "f1_negative": metrics.f1_score(labels, calls, pos_label=0),
            "f1_macro": metrics.f1_score(labels, calls, average="macro"),
            "f1_weighted": metrics.f1_score(labels, calls, average="weighted"),
            "jaccard_macro": metrics.jaccard_score(labels, calls, average="macro"),
            "jaccard_negative": metrics.jaccard_score(labels, calls, pos_label=0),
            "f2": metrics.fbeta_score(labels, calls, beta=2),
            "informedness": metrics.balanced_accuracy_score(labels, calls, adjusted=True),
            "mutual_information": metrics.mutual_info_score(labels, calls) / math.log(2),
        }
        ratios = metrics.class_likelihood_ratios(labels, calls)
        expected |= dict(zip(("positive_likelihood_ratio", "negative_likelihood_ratio"), ratios, strict=True))
        for name, theirs in expected.items():
            assert get_measure(name)(tp=tp, fp=fp, fn=fn, tn=tn) == pytest.approx(theirs, rel=1e-12), name


PEERS = json.loads((Path(__file__).parent / "reference" / "peers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("peer", ["pycm", "imbalanced-learn"])
@pytest.mark.parametrize("row", PEERS["tables"], ids=lambda row: str(row["cells"]))
def test_the_values_are_the_peers(row, peer):
    tp, fp, fn, tn = row["cells"]
    assert row[peer]
    for name, theirs in row[peer].items():
        ours = get_measure(name)(tp=tp, fp=fp, fn=fn, tn=tn)
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-14), name
