"""Calls that users write, for mypy: `make types` checks that they are accepted and what they return.

Nothing here is run; what is wrong on purpose is marked, and mypy complains of a mark that is not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import clearbar as cb
from clearbar.verdict import Verdict as SameVerdict


def labels(y_true: NDArray[np.int64], y_pred: NDArray[np.int64], frame: Any) -> None:
    card = cb.evaluate(y_true, y_pred, "f1")
    assert_type(card, cb.Scorecard)
    assert_type(card[0], cb.Verdict)
    assert_type(len(card), int)
    assert_type(str(card), str)
    assert_type(card.to_dict(), dict[str, Any])
    verdicts: Iterator[SameVerdict] = iter(card)
    assert_type(next(verdicts), cb.Verdict)
    cb.evaluate(y_true.tolist(), {"tree": y_pred, "forest": y_pred.tolist()}, ["f1", "mcc"], pos_label=1)
    cb.evaluate(y_true, y_pred, by=y_true, clusters=frame["patient"], confidence_level=0.9)
    cb.evaluate_frame(frame, "y", ["tree", "forest"], measures="f1", by="site")
    cb.evaluate_scores(y_true, np.linspace(0, 1, 9), "roc_auc")
    cb.evaluate_multiclass(["a", "b"], ["b", "b"], ["accuracy", "f1_macro"])
    cb.evaluate_regression([1.0, 2.5], {"ridge": [1.5, 2.0]})
    cb.evaluate_folds([1, 0, 1, 0], [1, 1, 0, 0], folds=[0, 0, 1, 1], measures="f1", aggregate="mean")
    assert_type(cb.evaluate_counts(cb.Counts(tp=3, fp=1, fn=2, tn=4), "mcc"), cb.Scorecard)


def bars(counts: cb.Counts) -> None:
    assert_type(cb.baseline(cb.Population(31, 18), "f1"), cb.Baseline)
    assert_type(counts.population, cb.Population)
    assert_type(cb.Draw(cb.Population(31, 18), 5).distribution("f1"), cb.NullDistribution)
    assert_type(cb.samples_needed("f1", prevalence=0.3, sensitivity=0.8, specificity=0.9), int)


def wrong() -> None:
    cb.Population("31", 18)  # type: ignore[arg-type]
    cb.Counts(tp=3, fp=1, fn=2)  # type: ignore[call-arg]
    cb.evaluate([1, 0])  # type: ignore[call-arg]
    scorer: Callable[[Any, Any], str] = cb.score  # type: ignore[assignment]
    del scorer
