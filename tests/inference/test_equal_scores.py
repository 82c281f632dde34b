"""Equal scores of two models: reference values, sizes where exchanges fail, and intervals that agree."""

import math
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference.equal_scores import DRAWS, EqualScores, screened_p_values
from clearbar.problems.binary.pairs import cells_of

REFERENCE = [
    # Cells 11, 10, 01, 00 of positives and of negatives; standard error and z by another program, p and its
    # error from 400,000 tables at the constrained maximum of the likelihood, found by another optimiser.
    ("f1", (20, 8, 3, 9), (4, 10, 3, 43), 0.06516287404627534, 0.3956850047332955, 0.6970508, 7.3e-4),
    ("cohen_kappa", (20, 8, 3, 9), (4, 10, 3, 43), 0.1003283510231898, -0.1540038489, 0.8787278, 5.2e-4),
    ("balanced_accuracy", (50, 5, 15, 30), (5, 3, 12, 80), 0.0290936597, -0.17185875, 0.8637228, 5.4e-4),
    ("mcc", (30, 0, 6, 4), (2, 0, 9, 49), 0.0720909642530645, 0.682417366313593, 0.4792713, 7.9e-4),
    ("f1", (30, 0, 6, 4), (2, 0, 9, 49), 0.046635859407298745, 0.12323406301122444, 0.9017377, 4.7e-4),
    ("cohen_kappa", (10, 3, 3, 4), (3, 2, 5, 10), 0.1736274931748305, 0.8639184800586893, 0.4155615, 7.8e-4),
    ("recall", (60, 2, 9, 29), (1, 1, 4, 94), 0.03327504685335209, -2.1036784804090582, 0.0352099, 2.9e-4),
    ("mcc", (60, 2, 9, 29), (1, 1, 4, 94), 0.04060255518472588, -0.484568586731, 0.6176535, 7.7e-4),
    ("f1", (95, 1, 4, 0), (2, 1, 6, 91), 0.017718139891701668, 0.468580873800904, 0.6165110, 7.7e-4),
    ("g_mean", (18, 1, 1, 0), (0, 2, 1, 17), 0.06014919787328337, -0.42125083044387346, 0.6801283, 7.4e-4),
    ("recall", (18, 1, 1, 0), (0, 2, 1, 17), 0.07872958216222169, 0.0, 1.0, 0.0),
    ("mcc", (5, 5, 5, 5), (5, 5, 5, 5), 0.21320071635561044, 0.0, 1.0, 0.0),
    ("npv", (35, 0, 65, 0), (98, 0, 370, 432), 0.005650666929575991, -13.267666608371211, 2.5e-6, 2.5e-6),
    ("g_mean", (35, 0, 65, 0), (98, 0, 370, 432), 0.039478040019073936, -3.403162630863, 0.0011350, 5.3e-5),
    ("recall", (8, 1, 6, 5), (3, 1, 2, 54), 0.11908428471892199, -2.099353416700466, 0.0723098, 4.1e-4),
]  # fmt: skip


def equal_scores(name, positives, negatives, **options):
    measure, sizes = cb.get_measure(name), (sum(positives), sum(negatives))
    cells = cells_of(measure, sizes, options.pop("undefined", "exclude"))
    return EqualScores(cells, np.array([*positives, *negatives]), measure.bounds, **options)


@pytest.mark.parametrize(("name", "positives", "negatives", "error", "z", "p", "off"), REFERENCE)
def test_it_is_the_reference(name, positives, negatives, error, z, p, off):
    pair = equal_scores(name, positives, negatives)
    difference, own = pair.cells.difference(pair.counts[None].astype(float))
    assert own[0] == pytest.approx(error, rel=1e-6)
    assert difference[0] == pytest.approx(z * error, rel=1e-6, abs=1e-12)
    assert pair.z() == pytest.approx(z, rel=1e-6, abs=1e-9)
    spread = math.hypot(off, math.sqrt(p * (1 - p) / DRAWS))
    assert pair.p_value == pytest.approx(p, abs=4 * spread + 1.1 / (1 + DRAWS))
    assert pair.weighed_p_value() == pytest.approx(p, rel=0.12, abs=4 * off)


def test_the_standard_error_is_that_of_formulas():
    """F1 is 2 tp / (tp + fp + P): its slopes, and the variance of each class, in exact fractions."""
    positives, negatives = (5, 3, 1, 2), (1, 2, 4, 6)
    P, N = sum(positives), sum(negatives)

    def shares(counts):
        raised = [Fraction(count) + Fraction(1, 2) for count in counts]
        return [count / sum(raised) for count in raised]

    p, q = shares(positives), shares(negatives)
    slopes = []
    for one in (1, 2):  # the cells that a calls positive are 0 and 1, b's 0 and 2
        tp, fp = P * (p[0] + p[one]), N * (q[0] + q[one])
        whole = tp + fp + P
        slopes.append((2 * P * (whole - tp) / whole**2, -2 * tp * N / whole**2))
    (a_tp, a_fp), (b_tp, b_fp) = slopes
    variance = Fraction(0)
    for own, cells, size in (((a_tp, b_tp), p, P + 2), ((a_fp, b_fp), q, N + 2)):
        per_cell = [own[0] - own[1], own[0], -own[1], Fraction(0)]
        mean = sum(x * s for x, s in zip(per_cell, cells, strict=True))
        variance += (sum(x * x * s for x, s in zip(per_cell, cells, strict=True)) - mean**2) / size
    difference = Fraction(2 * 8, 8 + 3 + P) - Fraction(2 * 6, 6 + 5 + P)
    assert equal_scores("f1", positives, negatives).z() == pytest.approx(
        float(difference) / math.sqrt(variance), rel=1e-7
    )


@pytest.mark.parametrize(
    ("name", "difference"), [("f1", 0.0), ("precision", 0.0), ("mcc", 0.1), ("g_mean", -0.05)]
)
def test_the_likeliest_shares_are_those_of_another_optimiser(name, difference):
    optimize = pytest.importorskip("scipy.optimize")
    pair = equal_scores(name, (12, 7, 2, 9), (3, 9, 2, 26))
    counts = pair.counts.astype(float)
    shares, found = pair.cells.constrained(counts[None], difference)
    assert found.all()
    assert pair.cells.contrast(shares).difference[0] == pytest.approx(difference, abs=1e-6)

    def likely(shares):
        return -((counts + 0.25) * np.log(shares)).sum()

    def gap(shares):
        one, other = pair.cells.scores((shares * pair.cells.units)[None])
        return float(one[0] - other[0]) - difference

    ways = (gap, lambda x: x[:4].sum() - 1, lambda x: x[4:].sum() - 1)
    wanted = optimize.minimize(
        likely, (counts + 0.25) / np.repeat([31, 41], 4), method="SLSQP", bounds=[(1e-9, 1)] * 8,
        constraints=[{"type": "eq", "fun": way} for way in ways], options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert likely(shares[0]) == pytest.approx(wanted.fun, rel=1e-8)
    np.testing.assert_allclose(shares[0], wanted.x, atol=2e-4)


def nested(rates, sizes, generator):
    """Labels, and those of models whose positive calls lie within each other's."""
    truth = np.repeat([1, 0], sizes)
    place = generator.random(sum(sizes))
    return truth, [(place < np.repeat(pair, sizes)).astype(int) for pair in rates]


@pytest.mark.slow
def test_models_of_equal_npv_are_seldom_told_apart():
    """Where exchanges refute it in 36 %."""
    rates = [(0.32, 0.01), (0.95, 0.9272)]
    npv = [(1 - fp) / (2 - tp - fp) for tp, fp in rates]
    assert npv[0] == pytest.approx(npv[1], abs=1e-3)
    generator, refuted = np.random.default_rng(0), 0
    for _ in range(100):
        (truth, (a,)), (_, (b,)) = (nested([own], (100, 100), generator) for own in rates)
        card = cb.evaluate(truth, {"a": a, "b": b}, "npv", intervals=False)
        refuted += card.problem.paired(card.measures[0], 0, 1).p_value <= 0.05
    assert refuted <= 14


@pytest.mark.slow
def test_four_nested_models_of_equal_precision_have_no_false_pair_in_a_ranking():
    """Exchanges tell some two of them apart in about a third of test sets."""
    rates = [(tp, tp * 0.05 / 0.95) for tp in (0.3, 0.5, 0.7, 0.9)]
    generator, false = np.random.default_rng(1), 0
    for _ in range(40):
        truth, models = nested(rates, (100, 100), generator)
        card = cb.evaluate(truth, dict(zip("abcd", models, strict=True)), "precision", intervals=False)
        corrected = card.ranking("precision").p_corrected
        false += bool((corrected <= 0.05).any())
    assert false <= 5


@pytest.mark.parametrize("name", ["f1", pytest.param("precision", marks=pytest.mark.slow)])
def test_the_interval_holds_0_where_p_does_not_refute_it_and_only_there(name):
    generator, seen = np.random.default_rng(2), set()
    for _ in range(12):
        cells = [
            generator.multinomial(size, generator.dirichlet(own)).tolist()
            for own, size in (([9, 5, 1, 2], 30), ([1, 2, 4, 9], 50))
        ]
        pair = equal_scores(name, *cells)
        low, high = pair.interval(0.95)
        assert low < pair.scores[0] - pair.scores[1] < high
        assert (pair.p_value <= 0.05) == (not low <= 0 <= high)
        seen.add(pair.p_value <= 0.05)
        assert pair.surprise(low - 0.05) <= 0.05
    assert seen == {True, False}
    pair = equal_scores("f1", (50, 15, 5, 30), (10, 8, 20, 162))
    assert [pair.surprise(end) for end in pair.interval(0.8)] == pytest.approx([0.2, 0.2], abs=0.015)


@pytest.mark.parametrize("size", [5, 20])
def test_models_that_are_all_right_and_all_wrong_need_not_differ_by_1(size):
    """A true difference of 0.9 has such a table, too, with a probability of 0.1 at 5 + 5 samples."""
    pair = equal_scores("accuracy", (0, size, 0, 0), (0, 0, size, 0))
    low, high = pair.interval(0.95)
    assert high == 1
    assert 0.5 < low < 0.9
    assert pair.surprise(low + 0.02) > 0.05 > pair.surprise(low - 0.02)


def test_models_a_margin_apart_are_seldom_called_equally_good():
    """Of nested models the better one finds more; half of a symmetric p calls them equal in 9 %."""
    size, margin, refuted = 53, 0.1, 0.0
    for apart in range(6):  # more of them are never significant: their difference is nearer to the margin
        pair = equal_scores("recall", (size - apart, apart, 0, 0), (0, 0, 0, 1))
        likely = math.comb(size, apart) * margin**apart * (1 - margin) ** (size - apart)
        refuted += likely * (max(map(pair.beyond, (-margin, margin))) <= 0.05)
    assert refuted <= 0.05


def test_a_measure_that_seldom_has_a_value_is_unknown_and_says_why():
    pair = equal_scores("precision", (1, 0, 1, 18), (0, 0, 1, 19))
    assert math.isnan(pair.p_value)
    assert "of the tables drawn at equal true scores one model has no score" in str(pair.note)
    assert all(map(math.isnan, pair.interval(0.95)))
    lone = equal_scores("precision", (0, 0, 3, 17), (0, 0, 1, 19))
    assert math.isnan(lone.p_value)
    assert str(lone.note) == "a score has no value"


@pytest.mark.parametrize(("undefined", "none"), [(0.0, 0.0), ("worst", 0.0), (0.5, 0.5)])
def test_outcomes_without_a_value_count_as_the_policy_says(undefined, none):
    pair = equal_scores("precision", (0, 0, 3, 17), (0, 0, 1, 19), undefined=undefined)
    assert pair.scores == (none, 0.75)
    assert 0 < pair.p_value < 1
    silent = equal_scores("precision", (1, 0, 1, 18), (0, 0, 1, 19), undefined=undefined)
    assert not math.isnan(silent.p_value)


def test_a_measure_without_a_slope_is_unknown():
    flat = cb.Measure("flat", lambda tp, *_: np.floor(tp / 10), greater_is_better=True)
    cells = cells_of(flat, (40, 60), "exclude")
    pair = EqualScores(cells, np.array([20, 8, 3, 9, 4, 10, 3, 43]), flat.bounds)
    assert math.isnan(pair.p_value)
    assert "does not follow" in str(pair.note)


def random_labels(generator, classes, size):
    truth = generator.integers(0, classes, size)
    return truth, [
        np.where(generator.random(size) < right, truth, generator.integers(0, classes, size))
        for right in (0.5, 0.7)
    ]


@pytest.mark.parametrize(
    ("binary", "many"), [("accuracy", "accuracy"), ("mcc", "mcc"), ("cohen_kappa", "kappa")]
)
def test_two_classes_through_the_door_for_many_have_the_same_z(binary, many):
    truth, (a, b) = random_labels(np.random.default_rng(3), 2, 70)
    cards = (
        cb.evaluate(truth, {"a": a, "b": b}, binary),
        cb.evaluate_multiclass(truth, {"a": a, "b": b}, many),
    )
    one, other = (card.problem.paired(card.measures[0], 0, 1) for card in cards)
    assert other.scores == pytest.approx(one.scores, rel=1e-12)
    assert other.z() == pytest.approx(one.z(), rel=1e-7)
    assert other.p_value == pytest.approx(one.p_value, abs=0.02)
    assert other.mcnemar == one.mcnemar


@pytest.mark.slow
def test_three_classes_of_equal_macro_f1_are_seldom_told_apart():
    """One model errs on the first class, the other one as much on the last."""
    generator, count = np.random.default_rng(5), 0
    truth = np.repeat([0, 1, 2], 40)
    for _ in range(40):
        models = {
            name: np.where((truth == lame) & (generator.random(120) < 0.5), 1, truth)
            for name, lame in (("a", 0), ("b", 2))
        }
        card = cb.evaluate_multiclass(truth, models, "f1_macro", intervals=False)
        count += card.problem.paired(card.measures[0], 0, 1).p_value <= 0.05
    assert count <= 6


def test_the_same_predictions_are_no_surprise():
    truth, (a, _) = random_labels(np.random.default_rng(6), 3, 90)
    for card in (
        cb.evaluate_multiclass(truth, {"a": a, "b": a.copy()}, "f1_macro"),
        cb.evaluate(truth > 0, {"a": a > 0, "b": a > 0}, "f1"),
    ):
        pair = card.problem.paired(card.measures[0], 0, 1)
        assert pair.same
        assert pair.p_value == 1.0
        low, high = pair.interval(0.95)
        assert low < 0 < high


def test_many_pairs_have_the_p_values_of_comparisons():
    generator = np.random.default_rng(7)
    truth = (generator.random(400) < 0.4).astype(int)
    models = {
        f"m{at}": np.where(generator.random(400) < right, truth, 1 - truth)
        for at, right in enumerate((0.95, 0.86, 0.84, 0.8, 0.8, 0.6))
    }
    card = cb.evaluate(truth, models, "f1", intervals=False)
    first, second = np.triu_indices(6, 1)
    found = card.problem.pair_p_values(card.measures[0], first, second, alpha=0.05).values
    pairs = [card.problem.paired(card.measures[0], *pair) for pair in zip(first, second, strict=True)]
    normal = np.array([math.erfc(abs(pair.z()) / math.sqrt(2)) for pair in pairs])
    assert (found[normal < 1e-12] < 1e-9).all()
    for p, pair in zip(found, pairs, strict=True):
        assert p == pytest.approx(pair.p_value, rel=0.1, abs=6 * math.sqrt(p / DRAWS) + 1e-4)


def test_pairs_are_drawn_where_known_laws_do_not_decide():
    asked = []

    def drawn(pair):
        asked.append(pair)
        return 0.5

    z = np.array([0.0, 4.2, np.nan, 30.0, 30.0] + [0.1] * 995)
    carried = np.array([1e4, 1e4, 1e4, 1e4, 3.0] + [1e4] * 995)
    p_values, _, left = screened_p_values(z, carried, 0.05, drawn)
    assert sorted(asked) == [1, 4]  # a difference that three samples carry has no normal law
    assert left == 0
    assert math.isnan(p_values[2])
    assert p_values[[1, 4]].tolist() == [0.5, 0.5]
    assert p_values[3] < 1e-150


@pytest.mark.slow
def test_weighed_tables_tell_how_small_a_p_value_is():
    """Of accuracy on one class, by adding up all tables: none of 9,999 draws would be as far off."""
    binomial = pytest.importorskip("scipy.stats").binom.pmf
    for only_a, only_b in ((14, 0), (24, 2), (30, 3)):
        pair = equal_scores("recall", (10, only_a, only_b, 40 - only_a - only_b), (0, 0, 0, 20))
        (shares,), _ = pair.cells.constrained(pair.counts[None].astype(float), 0.0)
        discord, exact = shares[1] + shares[2], 0.0
        for number in range(51):
            for heads in range(number + 1):
                same = np.array([0, heads, number - heads, 50 - number, 0, 0, 0, 20], dtype=float)
                if abs(EqualScores(pair.cells, same, pair.bounds).z()) >= abs(pair.z()) - 1e-9:
                    exact += binomial(number, 50, discord) * binomial(heads, number, shares[1] / discord)
        assert exact < 2e-3
        assert pair.weighed_p_value() == pytest.approx(exact, rel=0.15)


def test_a_ranking_of_few_samples_says_no_more_than_a_comparison():
    """By the normal law the first was surely the best of three samples (p 0.001, compared 0.19)."""
    card = cb.evaluate_multiclass([0, 1, 2], {"a": [0, 1, 2], "b": [0, 0, 1]}, "f1_macro")
    alone = card.compare("a", "b", "f1_macro").p_value
    assert alone > 0.1
    assert card.ranking().p_values[0, 1] == pytest.approx(alone, abs=0.03)


def test_models_that_are_far_apart_are_not_unknown():
    """Whole steps to the likeliest shares swing to and fro here; shorter ones arrive."""
    for positives, negatives in (((4, 6, 0, 0), (0, 0, 11, 29)), ((2, 8, 0, 0), (0, 0, 9, 31))):
        pair = equal_scores("precision", positives, negatives)
        assert pair.scores[0] == 1
        assert pair.z() > 3.5
        assert pair.p_value < 0.01
        low, high = pair.interval(0.95)
        assert 0 < low < pair.scores[0] - pair.scores[1] < high <= 1
