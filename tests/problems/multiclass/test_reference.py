"""Numbers that were worked out elsewhere, by enumeration in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb

BARS = {
    ((4, 2, 1), "accuracy"): Fraction(4, 7),
    ((4, 2, 1), "precision_weighted"): Fraction(3, 7),
    ((4, 2, 1), "f1_weighted"): Fraction(328, 735),
    ((4, 2, 1), "jaccard_weighted"): Fraction(118, 343),
    ((4, 2, 1), "g_mean"): 0.15181550359353846,
    ((3, 3, 1), "accuracy"): Fraction(3, 7),
    ((3, 3, 1), "precision_weighted"): Fraction(19, 49),
    ((3, 3, 1), "f1_weighted"): Fraction(135, 343),
    ((3, 3, 1), "jaccard_weighted"): Fraction(7, 25),
    ((3, 3, 1), "g_mean"): 0.16703811360000823,
    ((2, 2, 2), "accuracy"): Fraction(1, 3),
    ((2, 2, 2), "precision_weighted"): Fraction(1, 3),
    ((2, 2, 2), "f1_weighted"): Fraction(1, 3),
    ((2, 2, 2), "jaccard_weighted"): Fraction(11, 45),
    ((2, 2, 2), "g_mean"): 0.18399473665965818,
    ((6, 2, 1), "g_mean"): 0.15323,
    ((150, 30, 20), "f1_weighted"): 0.642927,
    ((100, 60, 40), "jaccard_macro"): 0.209815,
    ((2, 2), "jaccard_micro"): Fraction(7, 18),
}
CALLED = {
    ((4, 2, 1), "f1_weighted"): (6, 1, 0),
    ((4, 2, 1), "g_mean"): (2, 2, 3),
    ((3, 3, 1), "g_mean"): (2, 2, 3),
    ((6, 2, 1), "g_mean"): (2, 3, 4),
    ((150, 30, 20), "f1_weighted"): (199, 1, 0),
    ((100, 60, 40), "jaccard_macro"): (119, 51, 30),
}


@pytest.mark.parametrize(("sizes", "name"), BARS)
def test_bars(sizes, name):
    bar = cb.baseline_multiclass(cb.ClassSizes(dict(enumerate(sizes))), name)
    known = BARS[sizes, name]
    printed = isinstance(known, float) and len(str(known)) < 12
    assert float(bar.value) == pytest.approx(float(known), rel=1e-4 if printed else 1e-12)
    if (sizes, name) in CALLED:
        assert tuple(bar.predicted_counts.values()) == CALLED[sizes, name]


CARET = {
    ("iris, 36", 1 / 3, 6.67707408740433e-12, (0.739389079489171, 0.968883860054985), 5 / 6): [
        [12, 0, 0],
        [0, 11, 3],
        [0, 1, 9],
    ],
    ("iris, 24", 11 / 24, 0.000180819488368393, (0.626158286511317, 0.952646373392743), 0.740540540540541): [
        [11, 0, 0],
        [0, 4, 2],
        [0, 2, 5],
    ],
    ("draw, lost, won", 0.4, 0.299739151575495, (0.288271443790757, 0.633541982878548), 0.130718954248366): [
        [0, 0, 0],
        [2, 3, 0],
        [6, 11, 13],
    ],
    ("five classes", 0.4, 4.73449706920345e-05, (0.621073173454686, 0.967929062814536), 0.795918367346939): [
        [8, 0, 0, 0, 0],
        [0, 4, 0, 0, 0],
        [0, 1, 2, 1, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 0, 0, 3],
    ],
}
"""What confusionMatrix of caret 6.0-93 says in R 4.2.2, of predictions in rows as in public notebooks: the no
information rate, P-Value [Acc > NIR], the 95 % interval of accuracy, and kappa."""


@pytest.mark.parametrize("printed", CARET, ids=lambda printed: printed[0])
def test_caret_prints_the_bar_of_accuracy_half_of_its_p_and_its_interval(printed):
    _, rate, p_value, interval, kappa = printed
    card = cb.evaluate_multiclass(
        cb.ConfusionMatrix(np.transpose(CARET[printed])), measures=["accuracy", "kappa"]
    )
    assert float(card[0].baseline.value) == pytest.approx(rate, rel=1e-13)
    assert card[0].p_value / 2 == pytest.approx(p_value, rel=1e-12)  # caret's is one-sided
    assert (card[0].low, card[0].high) == pytest.approx(interval, rel=1e-12)
    assert card[1].score == pytest.approx(kappa, rel=1e-13)
