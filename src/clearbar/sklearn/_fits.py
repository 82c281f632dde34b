"""Fits on splits, and what the fitted models predict for the samples that they did not see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import cross_validate
from sklearn.utils.parallel import Parallel, delayed

from clearbar.core._typing import IntArray
from clearbar.formatting import plural

Splits = list[tuple[IntArray, IntArray]]

PER_ROW = {"predict": "one label", "decision_function": "one score", "predict_proba": "two probabilities"}
"""What a method gives for each row."""


@dataclass(frozen=True)
class Fits:
    """Models by name, which method of each is asked, how messages call it, and what it is fitted to."""

    models: Mapping[str, Any]
    methods: Mapping[str, str]
    called: Mapping[str, str]
    X: Any
    positive: Any
    params: Any
    n_jobs: int | None

    def of(self, tasks: Sequence[tuple[str, Any, Splits]]) -> Iterator[Any]:
        """Fit models to labels, and yield, task by task and split by split, predictions for the test set."""
        names = [name for name, _, splits in tasks for _ in splits]
        work = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(_response)(
                self.models[name], self.X, y, split, self.params, self.methods[name], self.called[name]
            )
            for name, y, splits in tasks
            for split in splits
        )
        for name, response in zip(names, work, strict=True):
            yield _of_positive(response, self.methods[name], self.positive)


def _response(
    model: Any, X: Any, y: Any, split: tuple[IntArray, IntArray], params: Any, method: str, what: str
) -> Any:
    """Fit a clone on one split and return what it predicts, or its scores of the second class.

    scikit-learn's own cross-validation does it, so that weights, kernels, frames and metadata are split
    as its users expect; the scorer only takes the predictions with it.
    """
    kept = []

    def keep(fitted: Any, rows: Any, _: Any = None) -> float:
        predicted = np.asarray(getattr(fitted, method)(rows))
        kept.append((predicted, getattr(fitted, "classes_", None) if method != "predict" else None))
        return 0.0

    cross_validate(model, X, y, cv=[split], scoring=keep, params=params, error_score="raise")
    (predicted, classes), rows = kept[0], len(np.arange(len(y))[split[1]])
    if method != "predict_proba" and predicted.shape == (rows, 1):  # a column, as some libraries return
        predicted = predicted[:, 0]
    if predicted.shape != ((rows, 2) if method == "predict_proba" else (rows,)):
        raise ValueError(
            f"{what} must predict {PER_ROW[method]} for each row; found predictions of shape "
            f"{predicted.shape} for {plural(rows, 'row')}."
        )
    return predicted, classes


def _of_positive(response: Any, method: str, positive: Any) -> Any:
    """Return labels as they are predicted, and of scores those of the positive class."""
    predicted, classes = response
    if method == "predict":
        return predicted
    second = classes is None or bool(classes[1] == positive)
    if method == "predict_proba":
        return predicted[:, int(second)]
    return predicted if second else -predicted
