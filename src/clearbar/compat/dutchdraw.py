"""The ``DutchDraw`` package's interface on top of this one.

A shell: names, signatures, dictionary keys and return types are the older package's, every number is
computed by the rest of ``clearbar``. What the older releases got wrong is mended;
``docs/dutchdraw_defects.md`` lists each case with before and after.

>>> from clearbar.compat import dutchdraw
>>> dutchdraw.measure_score([1, 1, 0, 0], [1, 0, 0, 0], "ACC")
0.75
"""

from __future__ import annotations

from clearbar.compat._classifier import classifier
from clearbar.compat._names import measure_dictionary, select_all_names_except, select_names
from clearbar.compat._statistics import (
    baseline,
    baseline_functions,
    baseline_functions_given_theta,
    measure_score,
    optimized_baseline_statistics,
)

__all__ = [
    "DutchDraw_baseline",
    "DutchDraw_classifier",
    "all_names_except",
    "baseline",
    "baseline_functions",
    "baseline_functions_given_theta",
    "classifier",
    "measure_dictionary",
    "measure_score",
    "optimized_baseline_statistics",
    "select_all_names_except",
    "select_names",
]

all_names_except = select_all_names_except

DutchDraw_baseline = baseline
DutchDraw_classifier = classifier
