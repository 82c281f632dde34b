import numpy as np
import pytest

import clearbar as cb

Y = np.array([1] * 56 + [0] * 55)


def predicted(tp, fp, *, shift=0):
    """Predictions for Y with so many true and false positives."""
    found = np.zeros(111, dtype=int)
    found[np.arange(shift, shift + tp) % 56] = 1
    found[56 : 56 + fp] = 1
    return found


PREDICTIONS = {"tree": predicted(35, 10), "knn": predicted(34, 11, shift=30), "forest": predicted(32, 24)}
MEASURES = ["f1", "threat_score", "accuracy", "g_mean", "mcc", "recall"]


@pytest.fixture(scope="session")
def card():
    return cb.evaluate(Y, PREDICTIONS, MEASURES)


@pytest.fixture(scope="session")
def sliced():
    by = np.array(["south", "north", "west"])[np.arange(111) % 3]
    return cb.evaluate(Y, PREDICTIONS, ["f1", "mcc"], by=by)


@pytest.fixture(scope="session")
def runs():
    return cb.evaluate(Y, np.stack([predicted(35, 10), predicted(36, 12), predicted(32, 24)]), ["f1", "mcc"])
