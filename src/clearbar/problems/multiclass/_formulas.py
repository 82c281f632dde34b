"""Values of confusion matrices of many classes, one or arrays of them; nan where there is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.multiclass._tables import Tables


def share(top: Any, bottom: Any, empty: float) -> FloatArray:
    """Return the ratio of two numbers; `empty` where the second is 0."""
    return np.where(bottom == 0, empty, top / np.where(bottom == 0, 1.0, bottom))


def precisions(tables: Tables, empty: float) -> FloatArray:
    """Return the precision of each class; `empty` where it is never predicted."""
    return share(tables.hits, tables.predicted, empty)


def recalls(tables: Tables, empty: float) -> FloatArray:
    """Return the recall of each class; `empty` where it has no sample."""
    return share(tables.hits, tables.sizes, empty)


def fbetas(tables: Tables, empty: float, beta: float) -> FloatArray:
    """Return F-beta of each class; `empty` where it neither occurs nor is predicted."""
    square = beta * beta
    return share((1 + square) * tables.hits, square * tables.sizes + tables.predicted, empty)


def jaccards(tables: Tables, empty: float) -> FloatArray:
    """Return the Jaccard index of each class; `empty` where it neither occurs nor is predicted."""
    return share(tables.hits, tables.sizes + tables.predicted - tables.hits, empty)


def fowlkes_mallows(tables: Tables, empty: float) -> FloatArray:
    """Return the geometric mean of precision and recall of each class; `empty` where one has none."""
    return share(tables.hits, np.sqrt(tables.sizes * tables.predicted), empty)


def specificities(tables: Tables, empty: float) -> FloatArray:
    """Return the share of the samples of other classes that are not called each class."""
    others = tables.total[..., None] - tables.sizes
    return share(others - tables.predicted + tables.hits, others, empty)


def macro(values: FloatArray) -> FloatArray:
    """Return the plain mean over the classes, or labels, that have a value."""
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0.0).sum(axis=-1) / known.sum(axis=-1))


def weighted(values: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the mean over the classes that have a value, weighted by their samples."""
    weights = np.where(np.isnan(values), 0.0, sizes)
    return np.asarray((np.where(weights > 0, values, 0.0) * weights).sum(axis=-1) / weights.sum(axis=-1))


def accuracy(tables: Tables, _empty: float) -> FloatArray:
    """Return the share of samples that are right."""
    return np.asarray(tables.right / tables.total)


def error(tables: Tables, _empty: float) -> FloatArray:
    """Return the share of samples that are wrong."""
    return np.asarray((tables.total - tables.right) / tables.total)


def balanced(tables: Tables, _empty: float) -> FloatArray:
    """Return the mean recall of the classes that occur."""
    return macro(recalls(tables, math.nan))


def adjusted(tables: Tables, _empty: float) -> FloatArray:
    """Return balanced accuracy, 0 for one class for all and 1 for perfect."""
    chance = 1 / (tables.sizes > 0).sum(axis=-1)
    return np.asarray((balanced(tables, math.nan) - chance) / (1 - chance))


def f1_of_averages(tables: Tables, empty: float) -> FloatArray:
    """Return F1 of mean precision and mean recall."""
    precision, recall = macro(precisions(tables, empty)), macro(recalls(tables, empty))
    return share(2 * precision * recall, precision + recall, 0.0)


def jaccard_micro(tables: Tables, _empty: float) -> FloatArray:
    """Return the Jaccard index of all samples together."""
    return np.asarray(tables.right / (2 * tables.total - tables.right))


def kappa(tables: Tables, _empty: float) -> FloatArray:
    """Return Cohen's kappa."""
    chance = tables.by_chance
    return np.asarray((tables.right - chance) / (tables.total - chance))


def kappa_linear(tables: Tables, _empty: float) -> FloatArray:
    """Return kappa weighted by steps."""
    return np.asarray(1 - tables.apart / tables.apart_by_chance)


def kappa_quadratic(tables: Tables, _empty: float) -> FloatArray:
    """Return kappa weighted by squared steps."""
    return np.asarray(1 - tables.squared / tables.squared_by_chance)


def mcc(tables: Tables, _empty: float) -> FloatArray:
    """Return the correlation of true and predicted classes."""
    square = tables.total**2
    true, called = (square - (side**2).sum(axis=-1) for side in (tables.sizes, tables.predicted))
    # Equal spreads have an exact root of their product, so that perfect predictions score 1.
    spread = np.where(true == called, true, np.sqrt(true) * np.sqrt(called))
    ahead = tables.total * tables.right - (tables.sizes * tables.predicted).sum(axis=-1)
    return np.asarray(np.clip(ahead / spread, -1.0, 1.0))


def ac1(tables: Tables, _empty: float) -> FloatArray:
    """Return Gwet's AC1."""
    share = (tables.sizes + tables.predicted) / (2 * tables.total[..., None])
    by_chance = (share * (1 - share)).sum(axis=-1) / (share.shape[-1] - 1)
    return np.asarray((tables.right / tables.total - by_chance) / (1 - by_chance))


def g_mean(tables: Tables, _empty: float) -> FloatArray:
    """Return the geometric mean of the recalls of the classes that occur."""
    recall = recalls(tables, math.nan)
    here = tables.sizes > 0
    logs = np.where(here, np.log(np.where(here, recall, 1.0)), 0.0)
    return np.asarray(np.exp(logs.sum(axis=-1) / here.sum(axis=-1)))
