"""The measures of scores and the ways to name one."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from clearbar.catalogue import INSTEAD, JUDGED, Measure, elsewhere, get_measure, name_key
from clearbar.core.errors import listed, nearest, shown
from clearbar.problems.scores import gains, ordering, probability, threshold, top
from clearbar.problems.scores._measure import ScoreMeasure

_MODULES = (ordering, probability, threshold, top, gains)
"""Documentation order; within a module, the order of definition."""

FAMILIES: Mapping[str, tuple[Callable[[int], ScoreMeasure], tuple[str, ...]]] = MappingProxyType(
    {
        "precision_at_k": (top.precision_at_k, ("precision", "p", "prec")),
        "recall_at_k": (top.recall_at_k, ("recall", "r")),
        "hit_at_k": (top.hit_at_k, ("hit", "hits", "hit_rate", "hr", "success")),
        "average_precision_at_k": (gains.average_precision_at_k, ("average_precision", "ap", "map")),
        "ndcg_at_k": (gains.ndcg_at_k, ("ndcg", "ndcg_score")),
    }
)
"""Measures of the first k samples: what makes one, and what stands before ``@k``."""

_REFUSED = {
    "pr_auc": "the trapezoid under a precision-recall curve interpolates where precision does not, and gives "
    "a constant score (1 + P/M) / 2, more than a random ranking. Use average_precision.",
    "gini": "the Gini of a ranking is 2 x roc_auc - 1; use roc_auc.",
    "hinge_loss": "hinge loss judges margins on labels -1 and 1, and its bar 2 min(P, N) / M is that of "
    "a constant -1 or 1; use accuracy on labels, or log_loss on probabilities.",
    "ece": "every constant equal to the prevalence is perfectly calibrated, so that calibration alone "
    "cannot tell a model from a guess; use brier_score or log_loss.",
    "dcg": "its scale depends on the number of positives; use ndcg.",
}
_REFUSED_NAMES = {
    "pr_auc": ("prauc", "auprc", "auc_pr", "aucpr", "area under the precision recall curve", "auc_prc"),
    "gini": ("gini_coefficient", "accuracy_ratio", "somers_d"),
    "hinge_loss": ("hinge",),
    "ece": ("expected_calibration_error", "calibration_error", "mce", "maximum_calibration_error"),
    "dcg": ("dcg_score", "discounted_cumulative_gain"),
}

MOST_DIGITS = 16
"""Of a k: no population has more samples."""

_AT_K = re.compile(r"(?P<name>.+?)(?:@|at)(?P<k>-?[\d.]+|k|k\(k=(?P<given>-?[\d.]+)\)|k=(?P<same>-?[\d.]+))")


@functools.cache
def score_measures() -> tuple[ScoreMeasure, ...]:
    """Return the measures of scores, in documentation order; families of ``@k`` with k = 10."""
    entries = (value for module in _MODULES for value in vars(module).values())
    plain = tuple(dict.fromkeys(entry for entry in entries if isinstance(entry, ScoreMeasure)))
    return (*plain, *(make(10) for make, _ in FAMILIES.values()))


@functools.cache
def _by_key() -> Mapping[str, ScoreMeasure]:
    found: dict[str, ScoreMeasure] = {}
    for measure in score_measures():
        for spelt in (measure.name, measure.label, *measure.aliases):
            if found.setdefault(name_key(spelt), measure) is not measure:
                msg = f"{spelt!r} names both {found[name_key(spelt)].name} and {measure.name}."
                raise AssertionError(msg)
    return MappingProxyType(found)


@functools.cache
def _refused() -> Mapping[str, str]:
    return {name_key(name): kind for kind, names in _REFUSED_NAMES.items() for name in (kind, *names)}


def get_score_measure(name: Any) -> ScoreMeasure:
    """Look a measure of scores up by any of its names."""
    if isinstance(name, ScoreMeasure):
        return name
    if not isinstance(name, str):
        raise ValueError(f"measure must be a name or a ScoreMeasure; found {shown(name)}.")
    found = _find(name_key(name), name)
    if found is None:
        raise ValueError(_unknown(name))
    return found


def _find(key: str, name: str) -> ScoreMeasure | None:
    if key in _refused():
        raise ValueError(f"{shown(name)} has no bar: {_REFUSED[_refused()[key]]}")
    if key in _by_key():
        return _by_key()[key]
    first = _AT_K.fullmatch(key)
    if first:
        family = _family(first["name"])
        if family is not None:
            return _first_k(family, first["given"] or first["same"] or first["k"], name)
    if key.startswith("neg"):  # a scorer's negated loss is the loss itself
        found = _find(key.removeprefix("neg"), name)
        return found if found is not None and not found.greater_is_better else None
    for word in ("max", "best"):
        if key.startswith(word) and elsewhere(key) in (None, "scores"):
            labels = _label_measure(key.removeprefix(word))
            return None if labels is None else threshold.best_threshold(labels)
    return None


def _family(key: str) -> str | None:
    for family, (_, words) in FAMILIES.items():
        if key in map(name_key, words):
            return family
    return None


def _first_k(family: str, k: str, name: str) -> ScoreMeasure:
    if not k.isdecimal() or len(k) > MOST_DIGITS or int(k) < 1:
        spelt = family.removesuffix("_at_k")
        raise ValueError(
            f"measure {shown(name)} needs k, how many of the first samples it looks at: a whole number "
            f"from 1, as in {spelt}@10."
        )
    return _member(family, int(k))


@functools.lru_cache(maxsize=1024)
def _member(family: str, k: int) -> ScoreMeasure:
    return FAMILIES[family][0](k)


def _unknown(name: str) -> str:
    kind = elsewhere(name)
    if kind not in (None, "scores"):
        return f"measure {shown(name)} judges {JUDGED[kind]}, not scores of two classes; {INSTEAD[kind]}."
    label = _label_measure(name)
    if label is not None:
        best = f", or max_{label.name} for the best threshold" if label.greater_is_better else ""
        return (
            f"measure {shown(name)} judges labels, not scores; use evaluate(y_true, y_score >= threshold, "
            f"{shown(name)}){best}."
        )
    names = {spelt for measure in score_measures() for spelt in (measure.name, *measure.aliases)}
    close = nearest(name, names)
    hint = f" Did you mean {listed(map(repr, close), last='or')}?" if close else ""
    known = listed(measure.name for measure in score_measures()[:4])
    return (
        f"unknown measure of scores {shown(name)}.{hint} There are {known} and others; see baseline_scores."
    )


def _label_measure(name: str) -> Measure | None:
    try:
        return get_measure(name)
    except ValueError:
        return None
