"""Sets of labels: bars, verdicts, scorecard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clearbar.core.errors import shown
from clearbar.data.label_sets import read_label_sets
from clearbar.data.predictions import by_argument
from clearbar.evaluation._call import remembered
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._options import chosen_measures
from clearbar.evaluation._parts import Parts
from clearbar.problems.multiclass import checked_zero_division
from clearbar.problems.multilabel import LabelledSamples, LabelMeasure
from clearbar.scorecard import Scorecard

THE_MODEL = "model"


@remembered
def evaluate_multilabel(
    Y_true: Any,
    Y_pred: Any,
    measures: str | LabelMeasure | Iterable[str | LabelMeasure] | None = None,
    *,
    labels: Iterable[Any] | None = None,
    by: Any = None,
    clusters: Any = None,
    zero_division: float = 0.0,
    confidence_level: float = 0.95,
    intervals: bool = True,
    tries: int = 1,  # noqa: ARG001 - for `remembered`
    random_state: Any = 0,
) -> Scorecard:
    """Judge predicted sets of labels against the best that ignores every feature.

    Parameters
    ----------
    Y_true : array_like or sparse matrix of shape (M, L), data frame, or list of sets
        The true labels: 0 and 1, a column per label; or the set of labels of each sample.
    Y_pred : like `Y_true`, or mapping of str to such
        The predicted labels; a mapping holds those of several models. Columns of data frames are matched by
        their names.
    measures : str, LabelMeasure, or list of them, optional
        What to judge by; subset accuracy, Hamming loss and micro, macro and samples F1 by default, ``"all"``
        for all measures of sets of labels.
    labels : sequence, optional
        The names of the labels: of the columns, in their order; of sets, all that could occur. By default a
        data frame's own, 0, 1, ... of an array, and those that occur in sets, sorted.
    by : array_like of shape (M,), optional
        Slice labels: one verdict for the whole, then one per slice.
    clusters : array_like of shape (M,), optional
        Which samples belong together, as for `evaluate`.
    zero_division : {0.0, 1.0, nan}
        What 0/0 counts as; see `baseline_multilabel`.
    intervals : bool
        False leaves out the p-values.
    confidence_level, tries, random_state
        As for `evaluate`.

    Returns
    -------
    Scorecard
        ``card.per_label()`` judges each label on its own.

    Raises
    ------
    ValueError
        If there are fewer than two labels or no sample, shapes differ, something else than 0 and 1 occurs,
        labels are not as many and distinct, or a measure is unknown.

    Notes
    -----
    `p_value_blind` is that of whole rows of labels in random order. `p_value`, `low` and `high` are certified
    for subset accuracy and zero-one loss, and come from resamples of the samples for the rest: of how far the
    score is ahead of the answer that attains the bar.

    Examples
    --------
    >>> import clearbar as cb
    >>> Y_true = [{"a"}, {"a", "b"}, {"c"}, {"b"}, {"a"}, {"a", "c"}]
    >>> Y_pred = [{"a"}, {"a", "b"}, {"c"}, {"c"}, {"a"}, {"a"}]
    >>> verdict = cb.evaluate_multilabel(Y_true, Y_pred, "f1_micro")[0]
    >>> round(verdict.score, 3), round(float(verdict.baseline), 3), verdict.outcome
    (0.8, 0.615, 'clears')
    """
    chosen = chosen_measures(measures, "multilabel")
    empty, how = checked_zero_division(zero_division), How.checked(confidence_level, intervals, random_state)
    models = _models(Y_pred)
    truth, called = read_label_sets(Y_true, by_argument(models, Y_pred, "Y_pred"), labels)
    parts = Parts.of(Y_true, by, clusters, len(truth))
    own = tuple(called.values())
    problem = LabelledSamples(tuple(models), parts.groups, truth, own, parts.rows, empty, parts.together)
    return judged(problem, chosen, how, parts.notes)


def _models(Y_pred: Any) -> dict[str, Any]:
    """Return the predictions of each model by its name."""
    if not isinstance(Y_pred, Mapping):
        return {THE_MODEL: Y_pred}
    models = {str(name): value for name, value in Y_pred.items()}
    if not models:
        raise ValueError(
            "Y_pred holds no model; give a table, a list of sets, or a mapping of names to them."
        )
    if len(models) < len(Y_pred):
        twice = [name for name in models if list(map(str, Y_pred)).count(name) > 1]
        raise ValueError(f"Y_pred names more than one model {shown(twice[0])}; give each its own name.")
    return models
