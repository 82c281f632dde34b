"""For skore: a check to be added to ``report.checks``. Metrics are `clearbar.sklearn`'s scorers."""

from __future__ import annotations

from typing import Any

import numpy as np
from skore import Check, CheckNotApplicable, CrossValidationReport

from clearbar.evaluation.folds import evaluate_folds
from clearbar.evaluation.labels import evaluate
from clearbar.evaluation.scores import evaluate_regression
from clearbar.scorecard import Scorecard, finding
from clearbar.verdict import checked_alpha

# What skore calls the tasks that are judged apart from classification in general.
REGRESSION, BINARY = "regression", "binary-classification"


class ClearsBar(Check):  # type: ignore[misc] # where skore is not installed
    """Whether an estimator surely clears its bar: the best expected score of what ignores the features.

    Parameters
    ----------
    measure : str, optional
        The measures; MCC for labels and the mean absolute error for numbers by default.
    alpha : float
        How sure: p must be at most this.

    Examples
    --------
    >>> report.checks.add([ClearsBar("f1")])  # doctest: +SKIP
    """

    code = "CLEARBAR"
    title = "Does not clear its bar"
    report_types = ["estimator", "cross-validation"]  # noqa: RUF012 - skore asks for a list
    docs_url = None
    severity = "issue"
    slow = False

    def __init__(self, measure: str | None = None, *, alpha: float = 0.05) -> None:
        self.measure, self.alpha = measure, checked_alpha(alpha)

    def check_function(self, report: Any) -> str | None:
        """Return why the estimator does not surely clear the bar; None if it does."""
        try:
            card = self._judged(report)
        except ValueError as error:
            raise CheckNotApplicable(str(error)) from None
        if card.clears(alpha=self.alpha):
            return None
        return "; ".join(finding(verdict, self.alpha) for verdict in card) + "."

    def _judged(self, report: Any) -> Scorecard:
        numbers = report.ml_task == REGRESSION
        measure = self.measure or ("mae" if numbers else "mcc")
        if isinstance(report, CrossValidationReport):
            if numbers:
                raise ValueError("folds are judged for labels; of numbers judge one test set.")
            return self._of_folds(report, measure)
        if report.y_test is None:
            raise ValueError("there is no test data.")
        truth, predicted = np.asarray(report.y_test), np.asarray(report.get_predictions(data_source="test"))
        if numbers:
            return evaluate_regression(truth, predicted, measure)
        return evaluate(truth, predicted, measure, pos_label=_positive(report))

    def _of_folds(self, report: Any, measure: str) -> Scorecard:
        tested = [rows for _, rows in report.split_indices]
        if len(np.unique(np.concatenate(tested))) < sum(map(len, tested)):
            raise ValueError(
                "samples are tested more than once; clearbar.sklearn.cross_evaluate judges such splits."
            )
        predicted = np.concatenate(list(map(np.asarray, report.get_predictions(data_source="test"))))
        truth = np.asarray(report.y)[np.concatenate(tested)]
        folds = np.repeat(np.arange(len(tested)), [len(rows) for rows in tested])
        return evaluate_folds(truth, predicted, folds, measure, pos_label=_positive(report))


def _positive(report: Any) -> Any:
    """Return the positive label: the report's, else the second in sorted order, as in scikit-learn."""
    if report.ml_task != BINARY or report.pos_label is not None:
        return report.pos_label
    classes = getattr(report.estimator_, "classes_", None)
    return np.unique(np.asarray(report.y if classes is None else classes))[-1]
