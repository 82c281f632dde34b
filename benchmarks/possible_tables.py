"""Which tables have printed scores: beside mlscorecheck, the same 1,000 questions and the time of both.

    python -m benchmarks.possible_tables [--freeze tests/claims/mlscorecheck.json]

Most questions are scores of one random table, rounded; in the others one of them is moved. mlscorecheck
solves each score in interval arithmetic: where a score occurs twice in a solution, as MCC does, intervals are
wider than they could be, so that tables remain that do not have these scores. It never excludes one that has.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import clearbar as cb

NAMES = {
    "acc": "accuracy",
    "sens": "recall",
    "spec": "specificity",
    "ppv": "precision",
    "npv": "npv",
    "bacc": "balanced_accuracy",
    "f1p": "f1",
    "ji": "threat_score",
    "bm": "informedness",
    "f1n": "f1_negative",
    "fm": "fowlkes_mallows",
    "gm": "g_mean",
    "mk": "markedness",
    "mcc": "mcc",
    "kappa": "kappa",
    "pt": "prevalence_threshold",
    "upm": "p4",
    "lrp": "positive_likelihood_ratio",
    "lrn": "negative_likelihood_ratio",
    "dor": "diagnostic_odds_ratio",
}
"""mlscorecheck's names of measures, and ours."""

TIGHT = ("acc", "sens", "spec", "ppv", "bacc", "f1p", "ji")
"""Those whose solutions stay exact in interval arithmetic, alone and together (NPV beside F1 or Jaccard does
not: of 27 positives and 21 negatives it finds 10 tables of Jaccard 0.17 and NPV 0.000, where 1 exists)."""

EXAMPLES = (
    ((100, 200), {"acc": "0.9567", "sens": "0.8545", "spec": "0.9734"}),
    ((530, 902), {"acc": "0.62", "sens": "0.22", "spec": "0.86", "f1p": "0.3", "fm": "0.32"}),
    ((530, 902), {"acc": "0.92", "sens": "0.22", "spec": "0.86", "f1p": "0.3", "fm": "0.32"}),
)
"""Of its own pages: class sizes and scores."""

FOLDS = ((52, 94), (74, 37))
OF_FOLDS = (
    {"acc": "0.573", "sens": "0.768", "bacc": "0.662"},
    {"acc": "0.573", "sens": "0.568", "bacc": "0.662"},
)
"""Class sizes of folds, and mean scores over them."""

Question = tuple[tuple[int, int], dict[str, str]]


def questions(number: int = 1_000, seed: int = 20) -> Iterator[Question]:
    """Yield class sizes and printed scores."""
    drawn = random.Random(seed)  # noqa: S311 - no secret
    while number:
        sizes = positives, negatives = drawn.randint(2, 250), drawn.randint(2, 250)
        tp, fp = drawn.randint(0, positives), drawn.randint(0, negatives)
        scores = {}
        for name in drawn.sample(sorted(NAMES), drawn.randint(2, 5)):
            measure: Any = cb.get_measure(NAMES[name], "binary")
            moved = drawn.choice((-1, 1)) * drawn.choice((0.003, 0.01, 0.05)) * (drawn.random() < 0.25)
            value = float(measure(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)) + moved
            low, high = measure.bounds
            scores[name] = f"{min(max(value, low), high):.{drawn.choice((2, 3, 4))}f}"
        if all(math.isfinite(float(text)) for text in scores.values()):
            number -= 1
            yield sizes, scores


def tables(question: Question) -> int:
    """Return how many tables clearbar finds."""
    (positives, negatives), scores = question
    printed = {NAMES[name]: text for name, text in scores.items()}
    found: Any = cb.possible_tables(cb.Population(positives + negatives, positives), printed)
    return int(found.count)


def _uncertainty(scores: dict[str, str]) -> dict[str, float]:
    return {name: 0.5 * 10.0 ** -len(text.partition(".")[2]) for name, text in scores.items()}


def theirs(question: Question) -> int | None:
    """Return how many tables mlscorecheck finds; None where it fails."""
    from mlscorecheck.check.binary import check_1_testset_no_kfold

    (positives, negatives), scores = question
    try:
        answer = check_1_testset_no_kfold(
            testset={"p": positives, "n": negatives},
            scores={name: float(text) for name, text in scores.items()},
            eps=_uncertainty(scores),
            numerical_tolerance=1e-9,
            prefilter_by_pairs=False,
        )
    except (AttributeError, TypeError, ZeroDivisionError):
        return None
    return int(answer["n_valid_tptn_pairs"])


def theirs_of_folds(scores: dict[str, str]) -> bool:
    """Return whether mlscorecheck finds mean scores over folds possible."""
    from mlscorecheck.check.binary import check_1_dataset_known_folds_mos

    answer = check_1_dataset_known_folds_mos(
        dataset={"p": sum(p for p, _ in FOLDS), "n": sum(n for _, n in FOLDS)},
        folding={"folds": [{"p": p, "n": n} for p, n in FOLDS]},
        scores={name: float(text) for name, text in scores.items()},
        eps=max(_uncertainty(scores).values()),
    )
    return not answer["inconsistency"]


def main() -> None:
    """Ask both, print where they differ and how long each took."""
    parser = argparse.ArgumentParser(description="clearbar beside mlscorecheck.")
    parser.add_argument("--freeze", type=Path, help="write mlscorecheck's answers to this file")
    path = parser.parse_args().freeze
    logging.disable(logging.CRITICAL)
    asked, answers, seconds = list(questions()), {}, {}
    for who, ask in (("mlscorecheck", theirs), ("clearbar", tables)):
        start = time.perf_counter()
        answers[who] = [ask(question) for question in asked]
        seconds[who] = time.perf_counter() - start
    both = zip(answers["clearbar"], answers["mlscorecheck"], strict=True)
    pairs = [(ours, others) for ours, others in both if others is not None]
    assert all(ours <= others for ours, others in pairs)
    same = sum(ours == others for ours, others in pairs)
    print(
        f"{len(asked):,} questions, {len(pairs):,} that mlscorecheck answers: {same:,} answers are the same."
    )
    unseen = sum(ours == 0 < others for ours, others in pairs)
    print(f"Contradictions: {sum(not ours for ours, _ in pairs):,}, of which mlscorecheck misses {unseen:,}.")
    print(", ".join(f"{who} {time_taken:.1f} s" for who, time_taken in seconds.items()))
    if path:
        frozen = {"counts": answers["mlscorecheck"], "examples": [theirs(question) for question in EXAMPLES]}
        path.write_text(
            json.dumps(frozen | {"folds": [theirs_of_folds(scores) for scores in OF_FOLDS]}) + "\n"
        )


if __name__ == "__main__":
    main()
