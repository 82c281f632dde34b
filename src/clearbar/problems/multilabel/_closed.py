"""What the best blind predictions of sets of labels expect, and which labels they call.

The best that ignores the features is a multiset of sets, given out to the samples at random: the proof for
two classes (Pries et al., Statistica Neerlandica 2023, theorem 1) holds for predictions of any kind. What
looks at each label depends on how often the label is called alone, so that labels are chosen one by one;
one that is a mean over samples is best served by one set for all.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core.label_sets import LabelSets
from clearbar.problems.multilabel import _search as search
from clearbar.problems.multilabel._search import NO_BAR, Optimum, only

Search = Callable[[LabelSets, float], Optimum]


def _every(truth: LabelSets) -> BoolArray:
    return np.ones(len(truth.labels), dtype=bool)


def _none(truth: LabelSets) -> BoolArray:
    return np.zeros(len(truth.labels), dtype=bool)


def subset_accuracy_bar(truth: LabelSets, _empty: float) -> Optimum:
    """Always call the commonest set."""
    value, worst, chosen = _commonest(truth)
    return Optimum(value / len(truth), worst / len(truth), chosen)


def zero_one_bar(truth: LabelSets, _empty: float) -> Optimum:
    """Always call the commonest set: the fewest errors."""
    value, worst, chosen = _commonest(truth)
    total = len(truth)
    return Optimum((total - value) / total, (total - worst) / total, chosen)


def _commonest(truth: LabelSets) -> tuple[int, int, BoolArray]:
    """Return how many samples have the commonest and the rarest of all sets, and the commonest."""
    first, counts = truth.kinds
    at = int(first[counts == counts.max()].min())
    every = len(truth.labels) < 63 and len(counts) == 2 ** len(truth.labels)
    return int(counts.max()), int(counts.min()) if every else 0, only(truth, truth.take([at]).columns)


def hamming_bar(truth: LabelSets, _empty: float) -> Optimum:
    """Call each label that most samples have."""
    total, cells = len(truth), len(truth) * len(truth.labels)
    wrong, right = (side(truth.counts, total - truth.counts).sum() for side in (np.minimum, np.maximum))
    return Optimum(int(wrong) / cells, int(right) / cells, 2 * truth.counts > total)


def averaged_bars(name: str, beta: float) -> dict[str, Search]:
    """Return the bars of precision, recall, F-beta or Jaccard, averaged in each way."""
    if name == "precision":
        return {way: _precision(way) for way in ("micro", "macro", "weighted", "samples")}
    if name == "recall":
        return {way: _recall(way) for way in ("micro", "macro", "weighted", "samples")}
    if name == "jaccard":
        return {
            "micro": search.micro_jaccard_bar,
            "macro": _labelwise("macro", lambda counts, total: counts / total),
            "weighted": _labelwise("weighted", lambda counts, total: counts / total),
            "samples": search.samples_jaccard_bar,
        }
    square = beta * beta

    def alone(counts: FloatArray, total: int) -> FloatArray:
        return (1 + square) * counts / (square * counts + total)

    return {
        "micro": lambda truth, empty: _fbeta_micro(truth, empty, square),
        "macro": _labelwise("macro", alone),
        "weighted": _labelwise("weighted", alone),
        "samples": lambda truth, empty: search.samples_fbeta_bar(truth, empty, square),
    }


def _precision(way: str) -> Search:
    """A label that is called expects its share of samples, however often it is called."""

    def bar(truth: LabelSets, empty: float) -> Optimum:
        share = truth.counts / len(truth)
        best = only(truth, [int(np.argmax(share))])
        together = way in {"macro", "weighted"}
        weights = truth.counts if way == "weighted" and truth.counts.any() else np.ones_like(truth.counts)
        mean = float((share * weights).sum() / weights.sum())
        if math.isnan(empty):  # the mean over what is called
            return Optimum(float(share.max()), float(share.min()), best)
        if empty == 1:  # who calls nothing is never wrong
            return Optimum(1.0, mean if together else float(share.min()), _none(truth))
        return Optimum(mean, 0.0, _every(truth)) if together else Optimum(float(share.max()), 0.0, best)

    return bar


def _recall(way: str) -> Search:
    """Call every label."""

    def bar(truth: LabelSets, empty: float) -> Optimum:
        units = truth.sizes if way == "samples" else truth.counts
        lacking = float(np.mean(units == 0))
        if way in {"micro", "weighted"} and lacking < 1:
            lacking = 0.0
        if math.isnan(empty):
            return NO_BAR if lacking == 1 else Optimum(1.0, 0.0, _every(truth))
        return Optimum(1 - lacking + empty * lacking, empty * lacking, _every(truth))

    return bar


def _labelwise(way: str, alone: Callable[[FloatArray, int], FloatArray]) -> Search:
    """Call each label that occurs for every sample: F-beta and Jaccard of a label rise with its calls.

    A label that does not occur is not called, so that it counts as `empty`.
    """

    def bar(truth: LabelSets, empty: float) -> Optimum:
        here = truth.counts > 0
        values = alone(truth.counts.astype(np.float64), len(truth))
        if not here.any():
            return _without_labels(truth, empty)
        if way == "weighted":
            return Optimum(float((values * truth.counts).sum() / truth.counts.sum()), 0.0, here)
        kept = values[here] if math.isnan(empty) else np.where(here, values, empty)
        return Optimum(float(kept.mean()), 0.0, here)

    return bar


def _without_labels(truth: LabelSets, empty: float) -> Optimum:
    """Call nothing where no label occurs; if that has no value, anything, which scores 0."""
    if math.isnan(empty):
        return Optimum(0.0, 0.0, _every(truth))
    return Optimum(empty, 0.0, _none(truth))


def _fbeta_micro(truth: LabelSets, empty: float, square: float) -> Optimum:
    """Call the labels whose share of samples is at least F/(1 + beta squared), F being the bar.

    The expectation is a ratio of linear functions of how often each label is called, so best at a vertex.
    """
    pairs = int(truth.counts.sum())
    if not pairs:
        return _without_labels(truth, empty)
    order = np.argsort(-truth.counts, kind="stable")
    called = np.arange(1, len(order) + 1) * len(truth)
    values = (1 + square) * np.cumsum(truth.counts[order]) / (square * pairs + called)
    at = int(np.argmax(values))
    return Optimum(float(values[at]), 0.0, only(truth, order[: at + 1]))
