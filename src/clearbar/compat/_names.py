"""The older package's names of measures, and what they are called here."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

from clearbar.catalogue import Measure, get_measure, name_key

measure_dictionary: dict[str, list[str]] = {
    **{key: [key] for key in ("TP", "TN", "FP", "FN", "TPR", "TNR", "FPR", "FNR")},
    **{key: [key] for key in ("PPV", "NPV", "FDR", "FOR")},
    "ACC": ["ACC", "ACCURACY"],
    "BACC": ["BACC", "BALANCED ACCURACY"],
    "FBETA": ["FBETA", "FSCORE", "F", "F BETA", "F BETA SCORE", "FBETA SCORE"],
    "MCC": ["MCC", "MATTHEW", "MATTHEWS CORRELATION COEFFICIENT"],
    "J": [
        *("BM", "BOOKMAKER INFORMEDNESS", "INFORMEDNESS", "YOUDEN’S J STATISTIC", "J"),
        "YOUDEN'S J STATISTIC",
    ],
    "MK": ["MARKEDNESS", "MK"],
    "KAPPA": ["COHEN", "COHENS KAPPA", "KAPPA", "COHEN'S KAPPA"],
    "FM": [
        *("GMEAN1", "G MEAN 1", "G1", "FOWLKES-MALLOWS", "FOWLKES MALLOWS", "FOWLKES", "MALLOWS"),
        "FM",
    ],
    "G2": ["GMEAN2", "G MEAN 2", "G2"],
    "TS": ["THREAT SCORE", "CRITICAL SUCCES INDEX", "TS", "CSI", "CRITICAL SUCCESS INDEX"],
    "PT": ["PT", "PREVALENCE THRESHOLD"],
}
"""Every name of each measure, under its abbreviation.

The older release's lists in their order; at their ends the spellings it missed, and ``PT``, which
its README lists.
"""


def select_names(name_keys: Iterable[str]) -> list[str]:
    """Return all names of these measures."""
    return [name for key in name_keys for name in measure_dictionary[key]]


def select_all_names_except(name_keys: Iterable[str]) -> list[str]:
    """Return all names of all measures but these."""
    left_out = list(name_keys)
    return [name for key, names in measure_dictionary.items() if key not in left_out for name in names]


_F_NAMES = frozenset(map(name_key, measure_dictionary["FBETA"]))
"""The names that read `beta`."""


def find_measure(measure: Any, beta: Any = 1) -> Measure:
    """Return the measure of an older name, judged on every draw at which it has a value.

    Without the papers' further conditions on draws: the older interface counts F-beta's 0 of the draw that
    predicts nothing positive.
    """
    if isinstance(measure, str) and not measure.strip():
        raise ValueError("name a measure; select_all_names_except(['']) lists the names.")
    number = _checked_beta(beta)
    if isinstance(measure, str) and name_key(measure) in _F_NAMES:
        entry = _f_score(number)
    else:
        entry = get_measure(measure, "binary")
        _refuse_two_betas(entry, measure, number)
    if entry.requires is None:
        return entry
    return dataclasses.replace(entry, requires=None, in_catalogue=False)


def _checked_beta(beta: Any) -> float:
    if not isinstance(beta, Real) or not float(beta) >= 0:
        raise ValueError(f"beta must be a number from 0 up; found {beta!r}.")
    return float(beta)


def _f_score(beta: float) -> Measure:
    """Return F-beta, at its two limits the measure that it becomes there."""
    if beta == 0:
        return get_measure("precision", "binary")
    if math.isinf(beta):
        return get_measure("recall", "binary")
    return get_measure("fbeta", "binary", beta=beta)


def _refuse_two_betas(entry: Measure, name: Any, beta: float) -> None:
    """Refuse ``"F1"`` with ``beta=2``."""
    if beta == 1 or not (entry.family == "fbeta" or entry == get_measure("fbeta", beta=1)):
        return
    if not (0 < beta < math.inf and entry == get_measure("fbeta", beta=beta)):
        raise ValueError(
            f"measure {name!r} carries its own beta; found beta={beta:g} too. Use 'FBETA' with beta."
        )
