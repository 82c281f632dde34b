"""What a verdict refuses: one sentence that names the argument, what was found and what would be right."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

import clearbar as cb
from clearbar.sklearn import cross_evaluate
from clearbar.testing import assert_clears

pytestmark = pytest.mark.quick

Y = np.tile([1, 0], 10)
X = Y[:, None].astype(float)
TABLE = cb.Counts(tp=8, fp=2, fn=2, tn=8)
BAR = cb.baseline(cb.Population(20, 10), "f1")
GROUPS = np.arange(20) // 2

REFUSED = {
    "a level of 1": (
        lambda: cb.evaluate(Y, Y, confidence_level=1.0),
        "confidence_level must be a number above 0 and at most 0.9999; found 1.0.",
    ),
    "a level in per cent": (
        lambda: cb.evaluate_scores(Y, X[:, 0], confidence_level=95),
        "confidence_level must be a number above 0 and at most 0.9999; found 95.",
    ),
    "too few clusters": (
        lambda: cb.evaluate(Y, Y, clusters=np.arange(20) % 4),
        "clusters must hold at least 5 groups, since whole groups are what is drawn anew; found only 4",
    ),
    "clusters of another length": (
        lambda: cb.evaluate(Y, Y, clusters=GROUPS[:-1]),
        "clusters and y_true must have the same length; found 19 and 20 samples.",
    ),
    "clusters that are missing": (
        lambda: cb.evaluate(Y, Y, clusters=np.where(np.arange(20) == 3, np.nan, GROUPS)),
        "clusters has 1 missing value (at position 3).",
    ),
    "counts with clusters": (
        lambda: cb.evaluate_counts(TABLE, clusters=GROUPS),
        "clusters= is no option here, and counts cannot have them",
    ),
    "18 permutations": (
        lambda: cross_evaluate(DummyClassifier(), X, Y, permutations=18),
        "permutations must be 0 or a whole number from 19 up, since fewer cannot show p = 0.05; found 18.",
    ),
    "more decimals than given": (lambda: BAR.judge(0.7351, decimals=3), "score 0.7351 has more decimals"),
    "text with other decimals": (lambda: BAR.judge("0.73", decimals=3), "score '0.73' has 2 decimals"),
    "a seed in words": (
        lambda: cb.evaluate(Y, Y, "f1", random_state="today"),
        "random_state must be a seed, a numpy Generator or None; found 'today'.",
    ),
    "a gate with a level of 0": (lambda: assert_clears(Y, Y, alpha=0), "alpha must be a probability"),
}


@pytest.mark.parametrize(("ask", "said"), REFUSED.values(), ids=REFUSED)
def test_bad_input_gets_one_sentence(ask, said):
    with pytest.raises((ValueError, TypeError)) as refused:
        ask()
    message = str(refused.value)
    assert message.startswith(said)
    assert "\n" not in message
    assert message.endswith(".")
