"""What the Displays are tried on, and the law of a score in exact fractions to compare them with."""

from fractions import Fraction
from math import comb

import numpy as np

import clearbar as cb

CARELESS = cb.Counts(tp=13, fp=5, fn=5, tn=8)
Y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0, 0])
S = np.array([0.1, 0.9, 0.8, 0.7, 0.6, 0.6, 0.3, 0.2, 0.2, 0.0])
COUNTS = cb.Counts(tp=[30, 12, 4, 0], fp=[6, 9, 1, 0], fn=[5, 10, 0, 0], tn=[40, 8, 15, 9])
NAMES = ("A", "$B$", "C", "none positive")


def law(total, positives, k, score):
    """Return {score: probability} of one draw, in exact fractions."""
    found = {}
    for tp in range(max(0, k + positives - total), min(k, positives) + 1):
        weight = Fraction(comb(positives, tp) * comb(total - positives, k - tp), comb(total, k))
        value = score(tp, k - tp, positives - tp, total - positives - k + tp)
        found[value] = found.get(value, 0) + weight
    return found


def f1(tp, fp, fn, tn):
    return Fraction(2 * tp, 2 * tp + fp + fn)


def said_of(display):
    """Return the note below a picture, whatever its line breaks."""
    return " ".join(display.note_.get_text().split())


def texts_of(display):
    """Return what is written into a picture, whatever its line breaks."""
    return " ".join(" ".join(text.get_text() for text in display.ax_.texts).split())
