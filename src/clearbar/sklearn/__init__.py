"""Inside scikit-learn: a feature-blind classifier, scorers that know the bar, cross-validation."""

from __future__ import annotations

try:
    import sklearn as _sklearn  # noqa: F401 - asked for first, so that the message is ours
except ImportError as error:
    _msg = "clearbar.sklearn needs scikit-learn 1.6 or newer: in a checkout, pip install '.[sklearn]'"
    raise ImportError(_msg) from error

from clearbar.sklearn._classifier import DutchDrawClassifier
from clearbar.sklearn._cross_evaluate import cross_evaluate
from clearbar.sklearn._scorers import NotScorableError, baseline_scorer, skill_scorer

__all__ = ["DutchDrawClassifier", "NotScorableError", "baseline_scorer", "cross_evaluate", "skill_scorer"]
