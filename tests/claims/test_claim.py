"""Claims against stored values, pairs of models whose overlap is known, and enumeration."""

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import clearbar as cb
from clearbar.claims import _overlap
from clearbar.inference.exchange import mcnemar
from clearbar.problems.binary.pairs import cells_of

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text())


@pytest.mark.parametrize(
    "case", REFERENCE["claims"], ids=lambda case: f"{case['better']} {case['worse']} {case['n']}"
)
def test_stored_values(case):
    claim = cb.claim(case["better"], case["worse"], case["n"], alpha=case["alpha"])
    assert (claim.verdict, claim.most_discordant) == (case["verdict"], case["most_discordant"])
    assert (claim.p_min, claim.p_max) == pytest.approx((case["p_min"], case["p_max"]), rel=1e-9)
    counted = [list(ends) for ends in claim.answers]
    assert counted == [case["better_counts"], case["worse_counts"]]


@pytest.mark.slow
def test_the_exact_p_of_ten_thousand_pairs_of_models_lies_between_the_ends():
    generator = np.random.default_rng(11)
    for _ in range(10_000):
        n = int(generator.integers(5, 2_000))
        both, only_a, only_b, _ = generator.multinomial(n, generator.dirichlet((4, 1, 1, 2))).tolist()
        if only_b > only_a:
            only_a, only_b = only_b, only_a
        places = int(generator.integers(1, 5))
        texts = [f"{(both + only) / n:.{places}f}" for only in (only_a, only_b)]
        claim = cb.claim(*texts, n)
        p_value = mcnemar(only_a, only_b)
        assert claim.p_min * (1 - 1e-9) <= p_value <= claim.p_max * (1 + 1e-9), (
            n,
            both,
            only_a,
            only_b,
            places,
        )
        if claim.most_discordant is not None and only_a + only_b <= claim.most_discordant:
            assert p_value <= 0.05


def test_the_largest_p_of_each_number_is_that_of_all_pairs_of_answers():
    claim = cb.claim("0.7", "0.6", 40)
    every = largest_p_values(40, *claim.answers)
    np.testing.assert_allclose(claim.p_value(np.arange(41)), every, rtol=1e-9)
    assert np.nanmax(every) == pytest.approx(claim.p_max)


def largest_p_values(n, better, worse):
    """The largest p of each number of discordant samples, by all pairs of right answers and all overlaps."""
    every = np.full(n + 1, math.nan)
    for a, b in itertools.product(*(range(low, high + 1) for low, high in (better, worse))):
        for alone in range(max(0, b - a), min(b, n - a) + 1):
            only_a = a - b + alone
            p_value = mcnemar(only_a, alone) if a > b else 1.0
            every[only_a + alone] = np.fmax(every[only_a + alone], p_value)
    return every


@pytest.mark.slow
def test_the_most_discordant_samples_are_the_last_before_the_first_that_are_too_many():
    generator = np.random.default_rng(30)
    coarse = {1: 0, 2: 0}
    for _ in range(400):
        n, places = int(generator.integers(6, 140)), int(generator.integers(1, 3))
        texts = sorted((f"{share:.{places}f}" for share in generator.uniform(size=2)), reverse=True)
        try:
            claim = cb.claim(*texts, n, alpha=float(generator.choice([0.05, 0.2])))
        except ValueError:  # no number of answers is rounded so
            continue
        every = largest_p_values(n, *claim.answers)
        possible = np.flatnonzero(~np.isnan(every))
        too_many = np.flatnonzero(every[possible] > claim.alpha)
        enough = possible[: too_many[0]] if too_many.size else possible
        assert claim.most_discordant == (enough[-1] if enough.size else None), (texts, n)
        coarse[places] += claim.most_discordant is not None
    assert min(coarse.values()) > 30


@pytest.mark.parametrize("name", ["f1", "mcc", "precision"])
def test_other_measures_as_all_pairs_of_tables_and_all_overlaps(name):
    sizes, measure = (8, 10), cb.get_measure(name, "binary")
    population = cb.Population(sum(sizes), sizes[0])
    models = [cb.possible_tables(population, {name: text}).counts for text in ("0.8", "0.5")]
    cells = cells_of(measure, sizes, "exclude")
    drawn = []
    for a, b in itertools.product(*models):
        sides = [
            [
                (x, one - x, two - x, size - one - two + x)
                for x in range(max(0, one + two - size), min(one, two) + 1)
            ]
            for one, two, size in ((a.tp, b.tp, sizes[0]), (a.fp, b.fp, sizes[1]))
        ]
        drawn += [(*p, *n) for p, n in itertools.product(*sides)]
    difference, error = cells.difference(np.array(drawn, dtype=float))
    z = difference / error
    found = [
        _overlap.possible_model(measure, cb.possible_tables(population, {name: text}).rows, 10**4)
        for text in ("0.8", "0.5")
    ]
    assert _overlap.differences(*found, 1.0) == pytest.approx((z.min(), z.max()), rel=1e-6)
    claim = cb.claim("0.8", "0.5", population, name)
    assert claim.p_max == pytest.approx(math.erfc(z.min() / math.sqrt(2)), rel=1e-6)


def test_tables_between_the_ends_of_rows_change_nothing(monkeypatch):
    sizes = cb.Population(600, 250)
    whole = cb.claim("0.80", "0.74", sizes, "mcc")
    monkeypatch.setattr(_overlap, "MOST_PAIRS", 2**17)
    few = cb.claim("0.80", "0.74", sizes, "mcc")
    assert (few.p_min, few.p_max) == pytest.approx((whole.p_min, whole.p_max), rel=1e-6)


def test_losses_and_classes_are_claims_on_right_answers():
    sizes = cb.Population(300, 100)
    assert cb.claim("0.10", "0.20", 100, "error_rate").p_max == cb.claim("0.90", "0.80", 100).p_max
    assert cb.claim("0.90", "0.80", sizes, "recall").p_max == cb.claim("0.90", "0.80", 100).p_max
    assert cb.claim("0.10", "0.20", sizes, "fnr").p_max == cb.claim("0.90", "0.80", 100).p_max
    assert cb.claim("0.90", "0.80", sizes, "specificity").p_max == cb.claim("0.90", "0.80", 200).p_max


def test_several_models_are_corrected_together():
    claims = cb.claim_pairs({"c": "0.60", "a": "0.90", "b": "0.88"}, 400)
    assert list(claims.pairs) == [("a", "b"), ("a", "c"), ("b", "c")]
    alone = [pair.p_max for pair in claims.pairs.values()]
    least, middle, _ = sorted(alone)
    assert sorted(claims.p_max.values())[:2] == pytest.approx([3 * least, max(3 * least, 2 * middle)])
    assert claims.verdicts["a", "c"] == "shown"
    assert "p is corrected for 3 pairs (Holm)." in str(claims)


def test_counts_and_printed_scores_of_one_table_stand_in_one_order():
    claims = cb.claim_pairs({"a": np.int64(450), "b": "0.95", "c": 400}, 500)
    assert list(claims.scores) == ["b", "a", "c"]
    assert str(claims).startswith("b (0.95) is shown to be better than a (450/500): p from ")
    claim = claims.pairs["a", "c"]
    assert json.loads(json.dumps(claim.to_dict()))["better"] == 450
    same = cb.claim("0.900", "0.800", 500)
    assert claim.false_claim_probability(0.9) == same.false_claim_probability(0.9)
    losses = cb.claim_pairs({"a": 100, "b": "0.10"}, 500, "error_rate")
    assert list(losses.scores) == ["b", "a"]


def test_a_false_claim_is_as_likely_as_a_walk_of_coins_ends_so_far_out():
    claim, agreement = cb.claim("0.7", "0.5", 10), 0.6
    exact = sum(
        math.comb(10, d) * 0.4**d * 0.6 ** (10 - d)
        * sum(math.comb(d, heads) for heads in range(d + 1) if 2 * heads - d >= 2) / 2**d
        for d in range(11)
    )  # fmt: skip
    assert claim.false_claim_probability(agreement) == pytest.approx(exact, rel=1e-9)
    curve = claim.false_claim_probability(np.array([0.0, 0.5, 0.9, 1.0]))
    assert (np.diff(curve) < 0).all()
    assert curve[-1] == 0


def test_a_worse_first_score_is_likelier_than_not_where_both_are_equally_good():
    claim = cb.claim("0.5", "0.7", 10)
    opposite = cb.claim("0.7", "0.5", 10)
    even = sum(math.comb(10, heads) for heads in (4, 5)) / 2**10  # a difference of -2 and of 0
    assert opposite.false_claim_probability(0.0) == pytest.approx(
        sum(math.comb(10, h) for h in range(6, 11)) / 1024
    )
    assert claim.false_claim_probability(0.0) == pytest.approx(opposite.false_claim_probability(0.0) + even)
    assert claim.posterior_not_better(0.6) == pytest.approx(1 - opposite.posterior_not_better(0.6))


def test_the_posterior_is_that_of_shares_drawn_from_a_uniform_prior():
    generator = np.random.default_rng(5)
    claim, n = cb.claim("0.90", "0.80", 100), 100
    for d in (10, 16, 30):
        only_a, only_b = (d + 10) // 2, (d - 10) // 2
        both = 90 - only_a
        drawn = generator.dirichlet((only_a + 1, only_b + 1, both + 1, n - d - both + 1), 200_000)
        share = float((drawn[:, 0] <= drawn[:, 1]).mean())
        # Fair coins: at most so many of d + 1 heads.
        exact = sum(math.comb(d + 1, heads) for heads in range(only_b + 1)) / 2 ** (d + 1)
        assert claim.posterior_not_better(1 - d / n) == pytest.approx(exact, rel=1e-9)
        assert abs(share - exact) < 5 * math.sqrt(exact / 200_000)
    assert np.isnan(claim.posterior_not_better([0.69, 0.91])).all(), (
        "90 and 80 right answers allow no such overlap"
    )
    losses = cb.claim("0.10", "0.20", 100, "error_rate")
    assert losses.posterior_not_better(0.8) == pytest.approx(claim.posterior_not_better(0.8))
    assert math.isnan(cb.claim("0.85", "0.80", cb.Population(300, 100), "f1").posterior_not_better(0.8))
    with pytest.raises(ValueError, match=re.escape("agreement must be a share from 0 to 1; found 80")):
        claim.posterior_not_better(80)


def test_what_is_said():
    assert str(cb.claim("0.90", "0.80", 100)) == (
        "0.90 against 0.80 accuracy of 100 samples: depends on the overlap: shown if at most 20 of 100 "
        "samples are judged differently (p from 0.0020 to 0.099)."
    )
    late = cb.claim("0.85", "0.80", cb.Population(5_000, 400), "f1")
    assert (late.verdict, "not decided" in str(late)) == ("not decided", True)
    assert str(cb.claim("0.80", 85, 100)) == (
        "0.80 against 85/100 accuracy of 100 samples: cannot be shown, as 85/100 is the better score (p = 1)."
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (0.9, "0.8", 100),
            'better must be text with the decimals that were printed, such as "0.90"; found 0.9',
        ),
        (("0.9", "0.5", 6), "better cannot be 0.9: no number of 6 samples is rounded so"),
        ((101, 90, 100), "better must be from 0 to the 100 samples; found 101"),
        (("1.9", "0.5", 6), "better must lie between 0 and 1; found 1.9"),
        (("0.9", "0.8", 100, "f1"), "f1 needs the number of positives"),
        (("0.9", "0.8", 100, "recall"), "recall needs the number of positives"),
        (("0.9", "0.8", cb.Population(9, 3), "prevalence"), "prevalence has no better end"),
        (("0.99", "0.8", cb.Population(9, 3), "f1"), "better cannot be 0.99: no table of 9 samples"),
        (("0.9", "0.8", cb.Population(9, 0), "recall"), "recall has no value on this population"),
        (("0.9", "0.8", cb.ClassSizes({1: 5, 2: 5, 3: 5}), "f1"), "f1 of many classes is not decided"),
        (("0.9", "0.8", 100, "roc_auc"), "judges scores, not two columns of labels"),
    ],
)
def test_bad_input_is_named_with_what_would_be_right(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        cb.claim(*arguments)


def test_prints_that_leave_one_answer_between_them_are_not_called_equal():
    """453 and 452 of 500 are printed 0.91 and 0.90: never shown, and not equally often right."""
    said = str(cb.claim("0.91", "0.90", 500))
    assert "the counts behind the scores may be 1 apart (p from 0.0039 to 1)" in said
    assert "may be equal (" in str(cb.claim("0.91", "0.90", 1000))  # both 905
