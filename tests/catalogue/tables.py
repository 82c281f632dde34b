"""All small tables, and their probabilities under blind draws."""

import functools
from math import comb

import numpy as np
from tests.catalogue.independent import FORMULAS

from clearbar.catalogue import get_measure, measures


def support(total, positives, k):
    return range(max(0, k - (total - positives)), min(positives, k) + 1)


def cells(total, positives, k, tp):
    return tp, k - tp, positives - tp, total - positives - k + tp


@functools.cache
def every_table(largest, smallest=1):
    """Return all tables of `smallest` to `largest` samples as an integer array of shape (4, n).

    Tables of one draw (M, P, k) lie next to each other, with ascending TP.
    """
    found = [
        cells(total, positives, k, tp)
        for total in range(smallest, largest + 1)
        for positives in range(total + 1)
        for k in range(total + 1)
        for tp in support(total, positives, k)
    ]
    return np.array(found).T


@functools.cache
def every_draw(largest):
    """Return M, P, k of all draws, where their tables start in `every_table`, and their law."""
    draws, starts, law = [], [], []
    for total in range(1, largest + 1):
        for positives in range(total + 1):
            for k in range(total + 1):
                draws.append((total, positives, k))
                starts.append(len(law))
                law += [
                    comb(positives, tp) * comb(total - positives, k - tp) / comb(total, k)
                    for tp in support(total, positives, k)
                ]
    return np.array(draws), np.array(starts), np.array(law)


def numbers(spans):
    return [k for first, last in spans for k in range(first, last + 1)]


MEMBERS = (
    *measures(),
    *(get_measure("fbeta", beta=beta) for beta in (0.1, 0.5, 3)),
    *(
        get_measure("tversky", alpha=alpha, beta=beta)
        for alpha, beta in ((1, 1), (0.5, 0.5), (2, 2), (0, 1), (1, 0), (0, 0), (0, 0.5), (0.5, 0))
    ),
    *(get_measure("iba", alpha=alpha) for alpha in (0, 0.1, 0.5, 0.6)),
    *(get_measure("weighted_accuracy", w=w) for w in (0, 0.5, 1)),
    *(get_measure("net_benefit", w=w) for w in (0, 0.25, 3)),
    get_measure("standardized_net_benefit", w=0.2),
    get_measure("expected_cost", c_fn=1, c_fp=1),
)
"""The catalogue and more members of its families, those at the edges of their parameters included."""

TRANSCRIBED = tuple(measure for measure in MEMBERS if (measure.family or measure.name) in FORMULAS)
"""Those whose formula is written down once more in `independent`; a new measure need not be."""
