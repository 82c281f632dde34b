"""The page of published claims says what its lines and the library say."""

import math
from fractions import Fraction

import pytest
from tools import published_claims

LINES = published_claims.claims()


def test_the_page_is_what_is_recomputed():
    assert len(LINES) >= 40
    assert published_claims.PAGE.read_text(encoding="utf-8") == published_claims.page()


@pytest.mark.parametrize(
    "line", LINES, ids=lambda line: f"{line['better']} {line['worse']} {line['test_set']}"
)
def test_a_line_follows_from_whole_numbers_alone(line):
    population, _ = published_claims.populations()[line["test_set"]]
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
