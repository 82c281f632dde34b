"""Against scikit-learn's metrics: counting labels and scoring them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks._case import Case, Section, Work
from benchmarks._inputs import digits, labels

KINDS = (np.int64, np.bool_, np.uint8, np.float64, str)
SIX = {
    "accuracy": "accuracy_score",
    "balanced_accuracy": "balanced_accuracy_score",
    "precision": "precision_score",
    "f1": "f1_score",
    "mcc": "matthews_corrcoef",
    "kappa": "cohen_kappa_score",
}


def _cases(*, quick: bool) -> Sequence[Case]:
    sizes = (10**5,) if quick else (10**6, 10**7)
    cases = [
        _case(f"confusion matrix, labels of type {_named(kind)}", size, _count, _matrix, kind)
        for kind in KINDS
        for size in sizes
        if kind not in {np.float64, str} or size <= 10**6
    ]
    for ours, theirs in (("f1", "f1_score"), ("mcc", "matthews_corrcoef")):
        cases += [_case(f"`{theirs}`", size, _score(ours), _scikit(theirs)) for size in sizes]
    return cases + [_case("six scores", size, _six, _six_of_scikit) for size in sizes]


def _named(kind: Any) -> str:
    return "text" if kind is str else np.dtype(kind).name


def _case(title: str, size: int, ours: Work, theirs: Work, kind: Any = np.int64) -> Case:
    def agree(_: Any, a: Any, b: Any) -> None:
        np.testing.assert_allclose(a, b, rtol=1e-12)

    return Case(
        title, f"{digits(size)} samples", lambda: labels(size, kind), ours, theirs, "scikit-learn", agree
    )


def _count(given: Any) -> Any:
    import clearbar as cb

    counts = cb.count(*given, pos_label="yes" if given[0].dtype.kind == "U" else None)
    return [[counts.tn, counts.fp], [counts.fn, counts.tp]]


def _matrix(given: Any) -> Any:
    from sklearn.metrics import confusion_matrix

    return confusion_matrix(*given)


def _score(name: str) -> Work:
    def score(given: Any) -> float:
        import clearbar as cb

        return cb.score(*given, name)

    return score


def _scikit(name: str) -> Work:
    def score(given: Any) -> float:
        from sklearn import metrics

        return float(getattr(metrics, name)(*given))

    return score


def _six(given: Any) -> list[float]:
    import clearbar as cb

    counts = cb.count(*given)
    return [cb.get_measure(name)(counts) for name in SIX]


def _six_of_scikit(given: Any) -> list[float]:
    from sklearn import metrics

    return [float(getattr(metrics, name)(*given)) for name in SIX.values()]


SECTION = Section(
    "sklearn_scores",
    "scikit-learn: counting and scoring",
    "Labels are 64-bit integers unless said. The six scores are "
    + ", ".join(f"`{name}`" for name in SIX.values())
    + "; here they are computed from one count.",
    _cases,
    packages=("sklearn.metrics",),
)
