"""The other questions of a scorecard, beside the packages that answer a part of each."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks._case import Case, Section
from benchmarks._inputs import digits


def _cases(*, quick: bool) -> Sequence[Case]:
    sizes = (1_000,) if quick else (5_000, 10**5)
    return [
        *(_card_of_scores(name, total) for name in ("ks", "max_f1", "average_precision") for total in sizes),
        _log_loss(10**3 if quick else 10**6),
        *(_calibration(total) for total in ((1_000,) if quick else (10**5, 10**6))),
        *(_comparison(name, sizes[-1]) for name in ("accuracy", "f1")),
        _clusters(20 if quick else 200),
        *(_gaps(groups) for groups in ((3,) if quick else (10, 1_000))),
        *(_possible(total) for total in ((300,) if quick else (300, 10**4, 10**6))),
        _claim(500),
    ]


def _binary(total: int) -> tuple[Any, Any, Any]:
    """Return true labels and the predictions of two models, wrong in 20 and 25 %."""
    rng = np.random.default_rng(3)
    y_true = (rng.random(total) < 0.3).astype(np.int64)
    return y_true, *(np.where(rng.random(total) < wrong, 1 - y_true, y_true) for wrong in (0.2, 0.25))


def _probabilities(total: int) -> tuple[Any, Any]:
    y_true, _, _ = _binary(total)
    rng = np.random.default_rng(4)
    return y_true, 0.3 * y_true + 0.7 * rng.random(total)


def _card_of_scores(name: str, total: int) -> Case:
    other_sizes = itertools.count()  # bars that were asked for before are remembered

    def ours(given: Any) -> Any:
        import clearbar as cb

        y_true, y_score = given
        y_true[np.argmin(y_true)] += next(other_sizes) > 0  # one more is positive
        return cb.evaluate_scores(y_true, y_score, name)[0].low

    limit = "0.5 s" if total <= 5_000 else "1 s"
    return Case(
        f"a card of {name}: bar, p and interval", f"{digits(total)} samples", lambda: _probabilities(total),
        ours, target=f"target: at most {limit}",
    )  # fmt: skip


def _log_loss(total: int) -> Case:
    def inputs() -> tuple[Any, Any]:
        rng = np.random.default_rng(5)
        return rng.integers(0, 10, total), rng.dirichlet(np.ones(10), total)

    def ours(given: Any) -> float:
        import clearbar as cb

        return float(cb.evaluate_multiclass(*given, "log_loss", intervals=False)[0].score)

    def theirs(given: Any) -> float:
        from sklearn.metrics import log_loss

        return float(log_loss(*given))

    def agree(_: Any, mine: float, other: float) -> str:
        assert np.isclose(mine, other, rtol=1e-12)
        return "ours with its bar, skill and verdict by the blind p-value"

    return Case(
        "log loss of ten classes", f"{digits(total)} samples", inputs, ours, theirs, "scikit-learn", agree
    )


def _calibration(total: int) -> Case:
    def ours(given: Any) -> tuple[float, ...]:
        import clearbar as cb

        row = cb.evaluate_scores(*given, "brier_score", intervals=False).calibration()[0]
        return row["miscalibration"], row["discrimination"], row["uncertainty"]

    def theirs(given: Any) -> tuple[float, ...]:
        from model_diagnostics.scoring import SquaredError, decompose

        parts = decompose(*given, scoring_function=SquaredError())
        return tuple(float(parts[name][0]) for name in ("miscalibration", "discrimination", "uncertainty"))

    def agree(_: Any, mine: Any, other: Any) -> str:
        assert np.allclose(mine, other, rtol=1e-9)
        return "ours with the bar's verdict"

    return Case(
        "miscalibration, discrimination, uncertainty of a Brier score", f"{digits(total)} samples",
        lambda: _probabilities(total), ours, theirs, "model-diagnostics", agree,
    )  # fmt: skip


def _comparison(name: str, total: int) -> Case:
    def ours(given: Any) -> Any:
        import clearbar as cb

        y_true, a, b = given
        return cb.evaluate(y_true, {"a": a, "b": b}, name, intervals=False).compare("a", "b", name)

    def theirs(given: Any) -> float:
        from statsmodels.stats.contingency_tables import mcnemar

        y_true, a, b = given
        table = np.zeros((2, 2))
        np.add.at(table, ((a == y_true).astype(int), (b == y_true).astype(int)), 1)
        return float(mcnemar(table, exact=True).pvalue)

    def agree(_: Any, mine: Any, other: float) -> str:
        assert np.isclose(mine.p_mcnemar, other, rtol=1e-6)
        return "the same exact p of McNemar's; ours also the p of equal scores and the difference's interval"

    peer = (theirs, "statsmodels", agree) if name == "accuracy" else (None, "", None)
    return Case(
        f"is one model better than another in {name}?", f"{digits(total)} samples", lambda: _binary(total),
        ours, *peer,
    )  # fmt: skip


def _clusters(number: int) -> Case:
    def ours(given: Any) -> Any:
        import clearbar as cb

        y_true, y_pred, _ = given
        return cb.evaluate(y_true, y_pred, clusters=np.arange(y_true.size) // 50)[0].low

    return Case(
        "six default measures, samples in clusters: p-values and intervals", f"{number} patients × 50",
        lambda: _binary(50 * number), ours,
    )  # fmt: skip


def _gaps(groups: int) -> Case:
    total = 1_000 * groups if groups <= 10 else 100 * groups

    def ours(given: Any) -> Any:
        import clearbar as cb

        y_true, y_pred, _ = given
        card = cb.evaluate(y_true, y_pred, "recall", by=np.arange(total) % groups, intervals=False)
        return card.gaps("recall").observed

    def theirs(given: Any) -> float:
        from fairlearn.metrics import MetricFrame
        from sklearn.metrics import recall_score

        y_true, y_pred, _ = given
        of_groups = {"y_true": y_true, "y_pred": y_pred, "sensitive_features": np.arange(total) % groups}
        return float(MetricFrame(metrics=recall_score, **of_groups).difference())

    def agree(_: Any, mine: float, other: float) -> str:
        assert np.isclose(mine, other, rtol=1e-12)
        return "the same gap; ours with its bar, its p and every pair with interval and p"

    return Case(
        "gap in recall between groups", f"{digits(groups)} groups, {digits(total)} samples",
        lambda: _binary(total), ours, theirs, "fairlearn", agree,
    )  # fmt: skip


def _possible(total: int) -> Case:
    positives = total // 3
    tp, fp = round(0.8545 * positives), round(0.0266 * (total - positives))
    printed = {
        "accuracy": f"{(tp + total - positives - fp) / total:.4f}",
        "recall": f"{tp / positives:.4f}",
        "f1": f"{2 * tp / (tp + fp + positives):.4f}",
    }

    def ours(_: Any) -> int:
        import clearbar as cb

        return int(cb.possible_tables(cb.Population(total, positives), printed).count)

    def theirs(_: Any) -> int:
        from mlscorecheck.check.binary import check_1_testset_no_kfold

        logging.disable(logging.CRITICAL)
        names = {"accuracy": "acc", "recall": "sens", "f1": "f1p"}
        answer = check_1_testset_no_kfold(
            testset={"p": positives, "n": total - positives},
            scores={names[name]: float(text) for name, text in printed.items()},
            eps=5e-5,
            numerical_tolerance=1e-9,
            prefilter_by_pairs=False,
        )
        return int(answer["n_valid_tptn_pairs"])

    def agree(_: Any, mine: int, other: int | None) -> str:
        assert other is None or mine == other
        return f"{mine:,} tables have the three printed scores"

    return Case(
        "which tables have three printed scores?", f"{digits(total)} samples", lambda: None, ours, theirs,
        "mlscorecheck", agree, patience=60, target="target: at most 1 s",
    )  # fmt: skip


def _claim(total: int) -> Case:
    def ours(_: Any) -> Any:
        import clearbar as cb

        return cb.claim("0.91", "0.90", total).p_max

    return Case(
        "is 0.91 better than 0.90 in accuracy?", f"{digits(total)} samples", lambda: None, ours,
        target="target: at most 50 ms",
    )  # fmt: skip


SECTION = Section(
    "questions",
    "Scores, comparisons, groups and printed claims",
    """\
Each other program answers a part of the question, and that part is compared. Of the samples 30 % are positive
(a third where tables are sought); the models are wrong in 20 and 25 % of the samples.""",
    _cases,
    packages=(
        "sklearn.metrics",
        "statsmodels.stats.contingency_tables",
        "fairlearn.metrics",
        "mlscorecheck.check.binary",
        "model_diagnostics.scoring",
    ),
)
