"""Whether R's packages come to the same numbers: caret of a confusion matrix, pROC of a ROC AUC.

R is asked once for all questions of a package. Questions and answers are JSON, through jsonlite.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

import clearbar as cb

Pairs = Iterator[tuple[float, float]]

ASK = """
suppressPackageStartupMessages({{library(jsonlite); library({package})}})
questions <- fromJSON(file("stdin"), simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
answers <- lapply(questions, function(question) {{{code}}})
cat(toJSON(answers, digits = NA, auto_unbox = TRUE, na = "null"))
"""

CARET = """
table <- as.table(do.call(rbind, question))
names <- as.character(seq_along(question))
dimnames(table) <- list(names, names)
found <- confusionMatrix(table, positive = "1")
c(as.list(found$overall), if (length(names) == 2) as.list(found$byClass))
"""

PROC = """
first <- roc(question$y, question$a, levels = c(0, 1), direction = "<")
second <- roc(question$y, question$b, levels = c(0, 1), direction = "<")
test <- roc.test(first, second, paired = TRUE, method = "delong")
list(auc = as.numeric(auc(first)), variance = var(first, method = "delong"), p = test$p.value)
"""

BY_CLASS = {
    "Sensitivity": "recall",
    "Specificity": "specificity",
    "Pos Pred Value": "precision",
    "Neg Pred Value": "npv",
    "F1": "f1",
    "Balanced Accuracy": "balanced_accuracy",
}
"""What caret says of one class, under our names."""


def there(package: str) -> bool:
    """Return whether R is installed, and this package and jsonlite with it."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        return False
    code = f'quit(status = !all(c("jsonlite", "{package}") %in% rownames(installed.packages())))'
    return subprocess.run([rscript, "-e", code], check=False).returncode == 0  # noqa: S603 - our own


def answers(package: str, code: str, questions: Sequence[Any]) -> list[dict[str, Any]]:
    """Put all questions to a package of R."""
    command = [shutil.which("Rscript") or "Rscript", "-e", ASK.format(package=package, code=code)]
    asked = json.dumps(questions)
    done = subprocess.run(command, input=asked, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - our own
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def caret(number: int) -> Pairs:
    """Compare accuracy, its interval, the no-information rate and its p, kappa; of two classes six more."""
    random = np.random.default_rng(1)
    tables = [random.integers(1, 12, (size, size)) for size in (2, 3, 5) for _ in range(number)]
    said = answers("caret", CARET, [table.tolist() for table in tables])  # predictions are rows
    for table, theirs in zip(tables, said, strict=True):
        card = cb.evaluate_multiclass(cb.ConfusionMatrix(table.T), measures=["accuracy", "kappa"])
        yield card[0].score, theirs["Accuracy"]
        yield card[0].low, theirs["AccuracyLower"]
        yield card[0].high, theirs["AccuracyUpper"]
        yield float(card[0].baseline.value), theirs["AccuracyNull"]
        yield card[1].score, theirs["Kappa"]
        if card[0].score > card[0].baseline.value:
            yield card[0].p_value, 2 * theirs["AccuracyPValue"]  # ours is two-sided
        if len(table) == 2:
            (tp, fp), (fn, tn) = table.tolist()
            counts = cb.Counts(tp=tp, fp=fp, fn=fn, tn=tn)
            for name, ours in BY_CLASS.items():
                yield float(cb.get_measure(ours)(counts)), theirs[name]


def proc(number: int) -> Pairs:
    """Compare ROC AUC, DeLong's variance of it, and DeLong's test of two models."""
    random = np.random.default_rng(2)
    questions = []
    for _ in range(number):
        y = np.repeat([1, 0], random.integers(4, 40, 2))
        a, b = (np.round(y + random.normal(0, spread, y.size), 1) for spread in (1.0, 2.0))
        questions.append({"y": y.tolist(), "a": a.tolist(), "b": b.tolist()})
    for question, theirs in zip(questions, answers("pROC", PROC, questions), strict=True):
        card = cb.evaluate_scores(question["y"], {name: question[name] for name in "ab"}, "roc_auc")
        auc = card[0].score
        yield auc, theirs["auc"]
        ((test,),) = card.problem.tests_of(card.measures, [0], 0)  # its error is that of the logit
        yield (test.error * auc * (1 - auc)) ** 2, theirs["variance"]
        pair: Any = card.problem.paired(card.measures[0], 0, 1)  # pROC takes Student's t for normal
        yield 2 * NormalDist().cdf(-abs(pair.scores[0] - pair.scores[1]) / pair.error), theirs["p"]
