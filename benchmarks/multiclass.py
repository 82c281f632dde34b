"""Many classes: counting and scores beside scikit-learn, and a scorecard of a thousand classes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks._case import Case, Section
from benchmarks._inputs import digits


def _cases(*, quick: bool) -> Sequence[Case]:
    samples = 10**5 if quick else 10**7
    many = (100, 5_000) if quick else (1_000, 50_000)
    return [
        Case(
            "confusion matrix of 100 classes",
            f"{digits(samples)} samples",
            functools.partial(_labels, 100, samples),
            _count,
            _matrix,
            "scikit-learn",
            lambda _, a, b: np.testing.assert_array_equal(a, b),
            target="target: 20 times as fast",
        ),
        *(
            Case(
                f"`f1_score`, average={way!r}",
                f"{digits(samples // 10)} samples, 100 classes",
                functools.partial(_labels, 100, samples // 10),
                functools.partial(_score, way),
                functools.partial(_scikit, way),
                "scikit-learn",
                lambda _, a, b: np.testing.assert_allclose(a, b, rtol=1e-12),
            )
            for way in ("macro", "weighted")
        ),
        Case(
            "ten scores of 10 classes, here with their bars",
            f"{digits(samples // 100)} samples",
            functools.partial(_labels, 10, samples // 100),
            _scores,
            _pycm,
            "pycm",
            _agree,
        ),
        Case(
            "a scorecard of 6 models and each class against the rest, `intervals=False`",
            f"{many[0]:,} classes × {many[1]:,} samples",
            functools.partial(_models, *many),
            _card,
            target="target: about 1 s",
        ),
    ]


def _labels(classes: int, samples: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    truth = rng.integers(classes, size=samples)
    return truth, np.where(rng.random(samples) < 0.6, truth, rng.integers(classes, size=samples))


def _models(classes: int, samples: int) -> tuple[Any, Any]:
    truth, _ = _labels(classes, samples)
    rng = np.random.default_rng(2)
    wrong = rng.integers(classes, size=(6, samples))
    return truth, {
        f"model {at}": np.where(rng.random(samples) < 0.6, truth, own) for at, own in enumerate(wrong)
    }


def _count(given: Any) -> Any:
    import clearbar as cb

    return cb.ConfusionMatrix.from_labels(*given).to_array()


def _matrix(given: Any) -> Any:
    from sklearn.metrics import confusion_matrix

    return confusion_matrix(*given)


def _score(way: str, given: Any) -> float:
    import clearbar as cb

    return cb.evaluate_multiclass(*given, f"f1_{way}", intervals=False)[0].score


def _scikit(way: str, given: Any) -> float:
    from sklearn.metrics import f1_score

    return float(f1_score(*given, average=way))


SAME = {
    "Overall ACC": "accuracy",
    "Kappa": "kappa",
    "Overall MCC": "mcc",
    "F1 Macro": "f1_macro",
    "TPR Macro": "recall_macro",
    "PPV Macro": "precision_macro",
    "TNR Macro": "specificity_macro",
    "Zero-one Loss": "zero_one_loss",
    "Hamming Loss": "hamming_loss",
    "Gwet AC1": "gwet_ac1",
}
"""Measures that both have, under pycm's names; its zero-one loss is a number of samples."""


def _scores(given: Any) -> dict[str, float]:
    import clearbar as cb

    card = cb.evaluate_multiclass(*given, list(SAME.values()), intervals=False)
    return {verdict.measure.name: verdict.score for verdict in card}


def _pycm(given: Any) -> Any:
    from pycm import ConfusionMatrix

    matrix = ConfusionMatrix(*given)
    return matrix.overall_stat


def _agree(given: Any, a: Any, b: Any) -> str:
    for its, name in SAME.items():
        scale = len(given[0]) if its == "Zero-one Loss" else 1
        np.testing.assert_allclose(a[name], float(b[its]) / scale, rtol=1e-9, err_msg=name)
    return f"{len(a)} measures with their bars here; there {len(b)} without"


def _card(given: Any) -> int:
    import clearbar as cb

    card = cb.evaluate_multiclass(*given, intervals=False)
    return len(card) + len(card.per_class("accuracy"))


SECTION = Section(
    name="multiclass",
    title="Many classes",
    text="Confusion matrices and averaged scores beside scikit-learn and pycm (torchmetrics needs PyTorch, "
    "which as PyPI has it does not load without the libraries of CUDA, some gigabytes), and the scorecard "
    "that the journal's Example 5 asks for: a thousand categories, each against the rest, for several "
    "models.",
    cases=_cases,
    packages=("sklearn.metrics", "pycm"),
)
