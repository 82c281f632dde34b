"""Tasks, the mean over them, and items asked several times: bars and blind p-values by enumeration."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import t as student
from tests.harness import Row, in_columns

import clearbar as cb
from clearbar.data.tasks import tasks_of
from clearbar.evaluation.answers import answers, judged
from clearbar.evaluation.options import InferenceOptions
from clearbar.inference.units import RESAMPLES
from clearbar.problems.multiclass.joint import law_of_right
from clearbar.problems.tasks import ACCURACY, RESCALED, Answered
from clearbar.problems.tasks.blind import Blind, right_by_chance

HOW = InferenceOptions(0.95, True, 0)


def rows(task, gold, said, options=None, model="m", clusters=None):
    """The rows of one model and one task; options are a number for all items, or one for each."""
    several = options if isinstance(options, (list, tuple)) else [options] * len(gold)
    together = clusters or [None] * len(gold)
    return [
        Row(model, task, at, g, a, o, g == a, c)
        for at, (g, a, o, c) in enumerate(zip(gold, said, several, together, strict=True))
    ]


def card_of(*parts, how=HOW, **options):
    return judged(answers(in_columns(row for part in parts for row in part), **options), how)


def bar(card, group, measure=0):
    return float(card.bar(measure, card.groups.index(group)).value)


OPTIONS = [(2, 2, 3), (3, 3, 3), (2, 3, 4), (1, 3), (3, 2, 2, 2)]


@pytest.mark.parametrize("options", [*OPTIONS[:3], (1, 3)])
def test_bars_of_options_are_the_best_of_all_blind_answers(options):
    """Against every way to choose a position by nothing but the number of options, and by not even that."""
    numbers = sorted(set(options))
    policies = [dict(zip(numbers, policy, strict=True)) for policy in itertools.product(*map(range, numbers))]
    guess = sum(Fraction(1, o) for o in options) / len(options)
    for gold in itertools.product(*map(range, options)):
        hits = [sum(g == policy[o] for g, o in zip(gold, options, strict=True)) for policy in policies]
        best = Fraction(max(hits), len(options))
        card = card_of(rows("t", gold, gold, options), how=InferenceOptions(0.95, False, 0))
        assert bar(card, "t") == float(best)
        assert card.bar(0, 1).certified
        assert card.bar(0, 1).attained_by.verb == ("answer" if best > guess else "choose")
        assert card.problem.random_guesses().tolist() == [float(guess)] * 2
        one = max(gold.count(position) for position in gold) / len(options)
        said = [note for note in card.notes if note.startswith("One position for all items scores")]
        assert said == [] if len(numbers) == 1 else f" {one:.3g}" in said[0].rstrip("0") or one == 1


def test_options_called_by_their_text_are_chosen_at_random():
    card = card_of(rows("t", ["Rome", "red", "7"], ["Rome", "blue", "8"], (4, 3, 2)))
    assert bar(card, "t") == float((Fraction(1, 4) + Fraction(1, 3) + Fraction(1, 2)) / 3)
    assert card.bar(0, 1).certified
    assert "choose one option of each item at random" in str(card.bar(0, 1))
    assert any("by neither text nor order" in note for note in card.notes)


def test_open_questions_take_the_answer_that_is_right_most_often():
    card = card_of(rows("t", ["7", "7", "12", "9"], ["7", "1", "12", "7"]))
    assert bar(card, "t") == 0.5
    assert card.bar(0, 1).attained_by.always == "7"
    assert bar(card_of(rows("t", ["a", "b", "c", "d"], ["a", "b", "c", "x"])), "t") == 0.25  # all differ
    golds = enumerate([("a", "b"), ("b",), ("c", "b")])
    assert bar(card_of([Row("m", "t", at, gold, None, None, True) for at, gold in golds]), "t") == 1.0
    classes = card_of(rows("t", ["yes", "no", "yes", "yes", "no"], ["yes"] * 5, 2))  # the same for all items
    assert str(classes.bar(0, 1)) == 'accuracy bar 0.600: answer "yes" to every item'


@pytest.mark.parametrize("options", OPTIONS)
def test_blind_p_of_options_called_by_text_counts_all_ways(options):
    counts = [way.count(0) for way in itertools.product(*map(range, options))]
    gold = [f"r{at}" for at in range(len(options))]
    for right in range(len(options) + 1):
        card = card_of(rows("t", gold, gold[:right] + ["?"] * (len(options) - right), options))
        expected = Fraction(sum(count >= right for count in counts), len(counts))
        assert card[2].p_value_blind == pytest.approx(float(expected), rel=1e-11)


def by_permutation(gold, said, options, weights=None):
    """The numbers right over all orders of the right answers among items with as many options."""
    strata = [[at for at, o in enumerate(options) if o == number] for number in sorted(set(options))]
    orders = [list(itertools.permutations([gold[at] for at in stratum])) for stratum in strata]
    found = []
    for order in itertools.product(*orders):
        pairs = ((g, said[at]) for stratum, own in zip(strata, order, strict=True)
                 for at, g in zip(stratum, own, strict=True))  # fmt: skip
        found.append(sum(g == a for g, a in pairs))
    return found


CASES = [
    ((0, 1, 1, 0, 2, 2, 0), (0, 1, 0, 0, 2, 1, 0), (2, 2, 2, 2, 3, 3, 3)),
    ((0, 1, 2, 3, 0, 0), (0, 1, 2, 0, 3, 0), (4,) * 6),
    ((1, 1, 0, 0, 1), (1, 0, 0, 0, 1), (2, 2, 2, 2, 3)),
]


@pytest.mark.parametrize(("gold", "said", "options"), CASES)
def test_blind_p_of_positions_counts_all_orders(gold, said, options):
    counts = by_permutation(gold, said, options)
    right = sum(g == a for g, a in zip(gold, said, strict=True))
    card = card_of(rows("t", gold, said, options))
    expected = Fraction(sum(count >= right for count in counts), len(counts))
    assert card[2].p_value_blind == pytest.approx(float(expected), rel=1e-12)


def test_blind_p_of_the_mean_counts_all_orders_of_all_tasks():
    gold, said, options = CASES[0]
    other = (["x", "y", "x", "z"], ["x", "x", "x", "z"])
    first, second = by_permutation(gold, said, options), by_permutation(*other, [0] * 4)
    card = card_of(rows("a", gold, said, options), rows("b", *other))
    bars = [Fraction(bar(card, name)).limit_denominator(100) for name in ("a", "b")]
    right = sum(g == a for g, a in zip(gold, said, strict=True))
    for measure, scale in enumerate(([Fraction(1), Fraction(1)], [1 / (1 - own) for own in bars])):
        slopes = [scale[0] / len(gold), scale[1] / 4]
        score = slopes[0] * right + slopes[1] * 3
        reached = sum(slopes[0] * x + slopes[1] * y >= score for x in first for y in second)
        expected = Fraction(reached, len(first) * len(second))
        assert card[measure].p_value_blind == pytest.approx(float(expected), rel=1e-11)


def test_an_open_task_is_judged_as_many_classes_are():
    rng = np.random.default_rng(3)
    gold = rng.choice(list("abcd"), 60, p=[0.4, 0.3, 0.2, 0.1]).tolist()
    said = [g if rng.random() < 0.5 else str(rng.choice(list("abcde"))) for g in gold]
    task = card_of(rows("t", gold, said))[2]
    classes = cb.evaluate_multiclass(gold, said, "accuracy")[0]
    for name in ("score", "low", "high", "p_value", "p_value_blind", "skill", "outcome"):
        own, other = getattr(task, name), getattr(classes, name)
        assert own == other if isinstance(own, str) else own == pytest.approx(other, rel=1e-9)


def test_the_bound_where_answers_are_not_known_holds_for_all_blind_answers():
    """Against every number of times that each answer was given, exactly."""
    for sizes in ((3, 2, 1), (4, 4), (2, 2, 2)):
        total = sum(sizes)
        for said in itertools.product(range(total + 1), repeat=len(sizes)):
            if sum(said) > total:
                continue
            never = total - sum(said)
            law = law_of_right((*sizes, 0), (*said, never))
            for right in range(max(sizes) + 1, total + 1):
                gold = [name for name, size in zip("abc", sizes, strict=False) for _ in range(size)]
                answers = [Row("m", "t", at, g, None, None, at < right) for at, g in enumerate(gold)]
                _, tasks, _ = tasks_of(in_columns(answers))
                upper = Blind(tasks, 0).tail(np.ones(1)).upper
                assert upper >= float(sum(law[right:])) - 1e-12


def test_many_orders_agree_with_the_exact_law(monkeypatch):
    gold, said, options = (part * 3 for part in CASES[0])
    _, tasks, _ = tasks_of(in_columns(rows("t", gold, said, options)))
    exact = Blind(tasks, 0).tail(np.ones(1))
    monkeypatch.setattr("clearbar.problems.tasks.blind.LARGEST_EXACT", 1)
    drawn = Blind(tasks, 0).tail(np.ones(1))
    error = math.sqrt(exact.upper * (1 - exact.upper) / RESAMPLES)
    assert drawn.upper == pytest.approx(exact.upper, abs=4 * error)
    assert drawn.method == "permutation"


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [False, True])
def test_intervals_of_the_mean_cover(clusters, monkeypatch):
    """Of items, and of passages of six that are right or wrong together, of which two in three would."""
    monkeypatch.setattr("clearbar.inference.units.WORK", 1)  # 999 resamples
    rng, inside = np.random.default_rng(5), 0
    sizes, shares = ((150, 180), (0.5, 0.5)) if clusters else ((25, 60, 120), (0.8, 0.35, 0.6))
    for _ in range(150):
        answers = []
        for name, size, share in zip("abc", sizes, shares, strict=False):
            chances = np.repeat(rng.beta(1, 1, size // 6), 6) if clusters else np.full(size, share)
            answers += [
                Row("m", name, (at // 6, at), f"{at}", None, None, bool(right), at // 6 if clusters else None)
                for at, right in enumerate(rng.random(size) < chances)
            ]
        low, high = Answered(("m",), (None,), tasks_of(in_columns(answers))[1]).intervals([ACCURACY], 0.95)[0]
        inside += low <= np.mean(shares) <= high
    assert 0.90 <= inside / 150 <= 0.99


def test_whole_clusters_of_right_answers_trade_places():
    """Against all orders of six passages of two items, as (b + 1)/(B + 1) of random ones."""
    gold = [0, 1, 1, 1, 2, 0, 0, 0, 1, 2, 2, 1]
    said = [0, 1, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1]
    clusters = [at // 2 for at in range(12)]
    pairs = [gold[at : at + 2] for at in range(0, 12, 2)]
    counts = [
        sum(g == a for g, a in zip(itertools.chain(*order), said, strict=True))
        for order in itertools.permutations(pairs)
    ]
    right = sum(g == a for g, a in zip(gold, said, strict=True))
    expected = sum(count >= right for count in counts) / len(counts)
    verdict = card_of(rows("t", gold, said, 3, clusters=clusters))[0]
    error = math.sqrt(expected * (1 - expected) / RESAMPLES)
    assert verdict.p_value_blind == pytest.approx(expected, abs=4 * error + 1 / RESAMPLES)
    assert "whole clusters of right answers" in verdict.reason


def test_clusters_that_cannot_trade_places_are_tested_by_their_contributions():
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 4, 120).tolist()
    said = [g if rng.random() < 0.7 else 0 for g in gold]
    clusters = [at // 4 for at in range(120)]
    mixed = card_of(rows("t", gold, said, [4, 5] * 60, clusters=clusters))
    added = np.zeros(120)
    for part in (slice(0, 120, 2), slice(1, 120, 2)):  # items with four options, and with five
        y, p = np.array(gold)[part], np.array(said)[part]
        same = (y[:, None] == p).astype(float)
        added[part] = np.diag(same) - same.mean(axis=1) - same.mean(axis=0) + same.mean()
    sums = added.reshape(30, 4).sum(axis=1)
    t = sums.mean() / (sums.std(ddof=1) / math.sqrt(30))
    assert mixed[0].p_value_blind == pytest.approx(max(2.0**-30, student.sf(t, 29)))
    assert mixed[0].p_blind_method == "t"
    assert mixed[0].sure
    assert any("drawn together, whole clusters of them: in t" in note for note in mixed.notes)
    few = card_of(rows("t", gold, said, 4, clusters=[at // 40 for at in range(120)]))
    assert math.isnan(few[0].p_value)
    assert not few[0].sure
    assert "fewer than 5 clusters" in few[0].reason


def test_what_cannot_be_judged_says_so():
    graded = [Row("m", "graded", at, "a rubric", f"text {at}", None, at < 3, score="model_graded_qa")
              for at in range(6)]  # fmt: skip
    card = card_of(graded, rows("t", [0, 1, 0, 1], [0, 1, 1, 1], 2))
    assert (card[0].outcome, card[0].score) == ("clears", 0.75)
    assert "graded is left out of the mean, without a bar." in card.notes
    (own,) = (v for v in card if v.group == "graded" and v.measure.name == "accuracy")
    assert (own.outcome, own.score) == ("undefined", 0.5)
    assert own.reason.startswith("task 'graded' has no bar: model_graded_qa does not compare an answer")
    same = card_of(rows("same", ["x"] * 5, ["x"] * 5), rows("t", [0, 1], [0, 1], 2))
    assert [v.outcome for v in same if v.group == "same"] == ["unbeatable", "undefined"]
    rescaled = next(v for v in same if v.group is None and v.measure.name == RESCALED.name)
    assert "the bar of task 'same' already is perfect" in rescaled.reason


@pytest.mark.parametrize(
    ("answers", "match"),
    [
        (rows("t", [0, 1], [0, 1], (2, 0)), "from 1 to 1,000,000; found 0 for item 1 of task 't'"),
        (rows("t", [0, 1], [0, 1], (2, 2.5)), "options must be a whole number"),
        (rows("t", [0, 1], [0, 1], (2, None)), "1 of 2 items of task 't' have no number of options"),
        (rows("t", [0, 1], [0, 7], 4), r"'m' to item 1 of task 't' is 7, outside its 4 options \(0 to 3\)"),
        (rows("t", ["A", "D"], ["A", "A"], 3), r"the right answer to item 1 of task 't' is 'D', outside"),
        (rows("t", [0, 1], [0, "maybe"], 4), "an answer that was not given is an empty text"),
        (rows("t", [0], [0], 2) * 2, "model 'm' answers item 0 of task 't' more than once"),
        (rows("t", [0, 1], [0, 1], 2) + rows("t", [0], [0], 2, "n"), "1 of 2 items .* 'n' lacks the first"),
        (rows("t", [0], [0], 2) + rows("u", [0], [0], 2, "n"), "task 't' has no answers of 'n', only of 'm'"),
        (rows("t", [0], [0], 2) + rows("t", [1], [1], 2, "n"), "task 't' has the gold 0 for 'm' and 1 for"),
        ([], "there are no answers to judge"),
    ],
)  # fmt: skip
def test_bad_tables_are_refused_in_a_sentence(answers, match):
    with pytest.raises(ValueError, match=match):
        card_of(answers)


def test_items_that_not_all_answered_are_left_out_for_all():
    parts = rows("t", [0, 1, 1], [0, 1, 0], 2), rows("t", [0, 1], [0, 0], 2, "n")
    card = judged(answers(in_columns([*parts[0], *parts[1]]), (ACCURACY, RESCALED), drop=True), HOW)
    assert [v.score for v in card if v.group == "t" and v.measure.name == "accuracy"] == [1.0, 0.5]
    assert "1 item of t left out: not all models answered them." in card.notes


def test_positions_are_numbers_from_0_or_1_or_letters():
    for names in ([0, 1, 2, 3], [1, 2, 3, 4], ["A", "B", "C", "D"], ["1", "2", "3", "4"]):
        gold = [names[at] for at in (0, 3, 3, 1, 2)]
        card = card_of(rows("t", gold, [*gold[:3], names[0], ""], 4))
        assert card.bar(0, 1).attained_by.always == str(names[3])
        assert card[2].score == 0.6


def test_models_are_compared_by_exchanging_answers_item_by_item():
    """Against all exchanges, in exact fractions; items of the smaller task weigh more."""
    first, second = (1, 1, 0, 1, 1, 0, 1), (0, 1, 1, 0, 0, 0, 1)
    names = [("t", 0), ("t", 1), ("t", 2), ("t", 3), ("u", 0), ("u", 1), ("u", 2)]
    card = card_of([
        Row(model, task, at, f"{task}{at}", None, None, bool(right))
        for model, own in (("a", first), ("b", second))
        for (task, at), right in zip(names, own, strict=True)
    ])  # fmt: skip
    weights = [Fraction(1, 8)] * 4 + [Fraction(1, 6)] * 3
    steps = [weight * (x - y) for weight, x, y in zip(weights, first, second, strict=True)]
    ways = [sum(sign * step for sign, step in zip(signs, steps, strict=True))
            for signs in itertools.product((1, -1), repeat=7)]  # fmt: skip
    reached = sum(abs(way) >= abs(sum(steps)) for way in ways)
    exchanged = card.compare("a", "b", "accuracy", null="exchangeable")
    assert exchanged.p_value == pytest.approx(reached / len(ways), rel=1e-12)
    found = card.compare("a", "b", "accuracy")
    assert found.test == "bootstrap_t"
    assert found.score_difference == pytest.approx(float(sum(steps)))
    assert (found.only_a_right, found.only_b_right) == (3, 1)
    assert found.low <= found.score_difference <= found.high


def scored(task, said, right, model="m", **fields):
    """Rows of a log whose targets are worked solutions: which answers are right is all it tells."""
    return [
        Row(model, task, at, f"solution {at}", a, None, float(r), score="exact_match", **fields)
        for at, (a, r) in enumerate(zip(said, right, strict=True))
    ]


def test_the_bar_from_below_takes_what_any_model_got_right():
    one = scored("t", ["7", "7", "7", "7", "7"], [1, 0, 0, 0, 1])
    other = scored("t", ["1", "8", "8", "7", "1"], [0, 1, 1, 1, 0], model="n")
    card = card_of(one, other)
    assert bar(card, "t") == 3 / 5  # 7 is right to the first, the fourth and the last item
    assert not card.bar(0, 1).certified
    assert "a bound from below" in next(v.reason for v in card if v.group == "t")
    nothing = card_of(scored("t", ["7"] * 5, [0] * 5))
    assert (bar(nothing, "t"), nothing[0].outcome) == (0.0, "ties")
    unknown = card_of(scored("t", [None] * 5, [1, 0, 1, 0, 0]))
    assert unknown[0].reason.startswith("the log does not hold the answers")


def test_targets_are_right_answers_only_where_all_that_is_right_is_its_target():
    said, targets = ["a", "b", "a", "c"], ["a", "b", "a", "a"]
    rows_of = [Row("m", "t", at, g, a, None, float(g == a), score="exact_match")
               for at, (g, a) in enumerate(zip(targets, said, strict=True))]  # fmt: skip
    assert bar(card_of(rows_of), "t") == 0.75
    looser = [*rows_of[:3], rows_of[3]._replace(right=1.0)]  # "c" is right, too, though its target is "a"
    assert bar(card_of(looser), "t") == 0.5


def test_blind_p_of_partly_known_right_answers_holds_whatever_the_others_are():
    """Exactly, against every way in which the items that nobody got right may be answered."""
    said = ["x", "x", "y", "y", "z"]
    for right in itertools.product((0, 1), repeat=5):
        _, tasks, _ = tasks_of(in_columns(scored("t", said, right)))
        if tasks[0].best is None:
            continue
        upper = Blind(tasks, 0).tail(np.ones(1)).upper
        for guess in itertools.product("xyzw", repeat=5):
            gold = [a if r else g for a, r, g in zip(said, right, guess, strict=True)]
            if any(not r and g == a for a, r, g in zip(said, right, gold, strict=True)):
                continue
            sizes = [gold.count(name) for name in "xyzw"]
            law = law_of_right(tuple(sizes), (2, 2, 1, 0))
            assert upper >= float(sum(law[sum(right) :])) - 1e-12


def test_two_blind_answers_to_many_questions_are_not_surely_above_a_bar_from_below():
    """Half "20", half "18", which are the commonest right answers, and one model is all there is."""
    rng = np.random.default_rng(2)
    sure = 0
    for _ in range(40):
        gold = rng.choice(["20", "18", *map(str, range(100, 160))], 300, p=[0.03, 0.03, *[0.94 / 60] * 60])
        said = ["20", "18"] * 150
        card = card_of(scored("t", said, [a == g for a, g in zip(said, gold, strict=True)]))
        sure += any(v.sure for v in card)
    assert sure == 0


def test_equal_likelihoods_count_as_right_by_chance():
    tied = [Row("m", "t", at, 0, 0, 4, 1.0, offered=(f"a{at}", "b", "c", "d"), tied=at < 25, score="acc")
            for at in range(30)]  # fmt: skip
    card = card_of(tied)
    assert card[2].p_value_blind == pytest.approx(0.25**5)
    assert "25 of 30 items of t (m)" in " ".join(card.notes)


def test_the_best_of_several_models_is_held_against_the_best_of_as_many():
    """Against all orders of the right answers: of positions within items of as many options."""
    gold, options = (0, 1, 1, 0, 2, 2, 0), (2, 2, 2, 2, 3, 3, 3)
    answers = {"a": (0, 1, 0, 0, 2, 1, 0), "b": (1, 1, 1, 0, 0, 2, 0)}
    card = card_of(*(rows("t", gold, said, options, model) for model, said in answers.items()))
    counts = [by_permutation(gold, said, options) for said in answers.values()]
    right = max(sum(g == a for g, a in zip(gold, said, strict=True)) for said in answers.values())
    best = [max(pair) for pair in zip(*counts, strict=True)]
    found = card.best_of("accuracy")
    expected = sum(count >= right for count in best) / len(best)
    error = math.sqrt(expected * (1 - expected) / RESAMPLES)
    assert found.p_value_blind == pytest.approx(expected, abs=4 * error + 1 / RESAMPLES)
    assert found.expected == pytest.approx(float(np.mean(best)) / 7, abs=0.01)


def test_the_best_of_models_whose_options_are_called_by_texts():
    """Two models that differ at every item: the larger of two counts whose options exclude each other."""
    texts = [("pea", "quince"), ("rice", "spelt"), ("tea", "urd")]
    both = (rows("t", ["pea", "rice", "tea"], own, 3, model)
            for model, own in zip("ab", zip(*texts, strict=True), strict=True))  # fmt: skip
    card = card_of(*both)
    ways = list(itertools.product(range(3), repeat=3))  # the first text, the second, or another one is right
    best = [max(way.count(0), way.count(1)) for way in ways]
    found = card.best_of("accuracy")
    assert found.p_value_blind == pytest.approx(sum(own >= 3 for own in best) / 27, abs=0.01)
    assert found.expected == pytest.approx(sum(best) / 81, abs=0.02)
    graded = [Row(model, "t", at, "z", f"{at}", None, float(at % 2), score="exact_match")
              for model in "ab" for at in range(6)]  # fmt: skip
    with pytest.raises(ValueError, match="right answers to all items of task 't' are not known"):
        card_of(graded).best_of("accuracy")


GOLD = (0, 1, 0, 1, 0)


def trials(options, right, *, items=5, epochs=3, text=False, differ=0):
    """Every item asked `epochs` times, of which the first `right` are answered rightly."""
    rows = []
    for item in range(items):
        gold = GOLD[item % 5]
        for epoch in range(epochs):
            hit = epoch < (right[item] if isinstance(right, list) else right)
            said = gold if hit else 1 - gold + epoch * differ
            answer = (f"{item}, {gold}", f"{item}, {said}") if text else (gold, said)
            rows.append(Row("m", "task", (item, epoch), *answer, options, hit, item))
    return judged(answers(in_columns(rows)), HOW)[0]


@pytest.mark.parametrize(("text", "options"), [(False, 4), (True, 2)])
def test_failures_are_supposed_between_items(options, text):
    """Five items, each right in two of three trials: others, unseen, may be all wrong or all right."""
    row = trials(options, 2, text=text)
    unseen = 1 - 0.025 ** (1 / 5)
    assert row.score == pytest.approx(2 / 3)
    assert row.low == pytest.approx(2 / 3 * (1 - unseen), abs=1e-9)
    assert row.high == pytest.approx(2 / 3 + unseen / 3, abs=1e-9)
    bar = float(row.baseline.value)
    assert row.p_value == pytest.approx(min(1.0, 2 * (bar / (2 / 3)) ** 5), rel=1e-6)
    assert row.p_method == "estimated"


@pytest.mark.parametrize("options", [2])
def test_a_little_spread_makes_nothing_surer(options):
    """Five items right in five, five, five, five and four of six trials are five items all the same."""
    row = trials(options, [5, 5, 5, 5, 4], epochs=6)
    unseen, bar = 1 - 0.025 ** (1 / 5), float(row.baseline.value)
    assert row.score == pytest.approx(0.8)
    assert row.low <= 0.8 * (1 - unseen) + 1e-9
    assert row.high >= 0.8 + 0.2 * unseen - 1e-9
    assert row.p_value >= min(1.0, 2 * (bar / 0.8) ** 5) * (1 - 1e-6)
    assert not row.sure, "the bar is 0.6, and half the items may be all wrong"
    always = trials(options, 6, epochs=6)
    assert row.low < always.low


def test_three_different_answers_of_four_are_often_right_once():
    """A blind model that names three of four options has one right in all of five items in 24 %."""
    row = trials(4, 1, text=True, differ=1)
    assert row.p_value_blind == pytest.approx(0.75**5)
    assert "5 groups add" in row.reason
    assert "unequal" not in row.reason


def test_numbers_right_by_chance_are_drawn_from_the_law_that_is_summed():
    """400 items of 3 options: cell by cell, against the sum over all orders; an answer may be never right."""
    golds = ["ABC"[n % 7 % 3] for n in range(400)]
    said = [("A", "B", "B", "C", "")[n % 5] for n in range(400)]
    _, (task,), _ = tasks_of(in_columns(rows("t", golds, said, options=3)))
    drawn = right_by_chance(task, [0], 20_000, np.random.default_rng(1))[:, 0]
    law = law_of_right(
        *((*tuple(map(of.count, "ABC")), 0 if of is golds else said.count("")) for of in (golds, said))
    )
    cumulative = np.cumsum([float(chance) for chance in law])
    found = np.searchsorted(np.sort(drawn), np.arange(len(cumulative)), side="right") / len(drawn)
    assert np.abs(found - cumulative).max() < 1.95 / math.sqrt(len(drawn))  # Kolmogorov, one in a thousand


def test_the_standard_error_of_a_task_of_passages_is_that_of_clusters():
    golds, passages = ["A"] * 12, [n // 3 for n in range(12)]
    said = ["A", "A", "A", "B", "B", "B", "A", "A", "B", "B", "B", "A"]
    card = card_of(rows("t", golds, said, 4, clusters=passages), rows("u", golds, said, 4))
    told = [line.split("|") for line in card.leaderboard().to_task_markdown().splitlines()[2:4]]
    off = np.array([answer == "A" for answer in said]) - 0.5
    between = math.sqrt(4 / 3 * sum(off[np.array(passages) == at].sum() ** 2 for at in range(4))) / 12
    assert [float(line[8]) for line in told] == pytest.approx([between, 0.5 / math.sqrt(11)], abs=5e-5)


def test_the_order_of_rows_and_tasks_changes_no_interval_of_their_mean():
    rng = np.random.default_rng(0)
    gold = {task: rng.integers(0, 4, items).tolist() for task, items in {"b": 12, "a": 20, "c": 9}.items()}
    parts = [
        rows(task, right, np.where(rng.random(len(right)) < 0.6, right, 0).tolist(), 4)
        for task, right in gold.items()
    ]
    orders = (parts, parts[::-1], [part[::-1] for part in parts])
    first, *others = [
        {row.measure.name: (row.low, row.high, row.p_value) for row in card_of(*order) if row.group is None}
        for order in orders
    ]
    assert others == [first, first]
