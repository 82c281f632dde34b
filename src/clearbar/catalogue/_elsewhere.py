"""Names of measures that do not judge two columns of labels, and where they are judged."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from clearbar.catalogue._naming import name_key

JUDGED = MappingProxyType(
    {
        "scores": "scores or rankings",
        "regression": "numbers",
        "multiclass": "more than two classes",
        "multilabel": "sets of labels",
    }
)
"""Per kind of problem, what its measures judge."""

INSTEAD = MappingProxyType(
    {
        "scores": "use clearbar.baseline_scores or clearbar.evaluate_scores",
        "regression": "judge labels such as y_true >= threshold by a measure of two classes",
        "multiclass": "judge one class against the rest, as in y_true == label, by a measure of two classes",
        "multilabel": "judge one label at a time, as in y_true[:, 0], by a measure of two classes",
    }
)
"""Per kind of problem, what can be done about its measures where two columns of labels are judged."""

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "scores": (
            "roc_auc",
            "roc_auc_score",
            "auc",
            "auroc",
            "auc_roc",
            "average_precision",
            "average_precision_score",
            "ap",
            "avgprec",
            "map",
            "mean_average_precision",
            "c_statistic",
            "concordance",
            "area_under_the_roc_curve",
            "pr_auc",
            "auprc",
            "auc_pr",
            "aucpr",
            "auc_prc",
            "area_under_the_precision_recall_curve",
            "log_loss",
            "logloss",
            "logistic_loss",
            "negative_log_likelihood",
            "cross_entropy",
            "binary_cross_entropy",
            "bce",
            "brier",
            "brier_score",
            "brier_score_loss",
            "brier_loss",
            "brier_skill_score",
            "bss",
            "d2_log_loss",
            "d²_log_loss",
            "d²_brier_score",
            "d2_log_loss_score",
            "d2_brier",
            "d2_brier_score",
            "hinge",
            "hinge_loss",
            "ece",
            "expected_calibration_error",
            "calibration_error",
            "ks",
            "ks_statistic",
            "ks_score",
            "ks_2samp",
            "ks_one_sided",
            "one_sided_ks",
            "ks_greater",
            "max_youden",
            "kolmogorov_smirnov",
            "ndcg",
            "ndcg_score",
            "dcg",
            "dcg_score",
            "discounted_cumulative_gain",
            "normalized_discounted_cumulative_gain",
            "mrr",
            "mean_reciprocal_rank",
            "reciprocal_rank",
            "rprec",
            "precision_at_r",
            "precision_at_k",
            "recall_at_k",
            "hit_at_k",
            "r_precision",
            "average_precision_at_k",
        ),
        "regression": (
            "mse",
            "mean_squared_error",
            "rmse",
            "root_mean_squared_error",
            "mae",
            "mean_absolute_error",
            "medae",
            "median_absolute_error",
            "mape",
            "mean_absolute_percentage_error",
            "msle",
            "mean_squared_log_error",
            "mean_squared_logarithmic_error",
            "rmsle",
            "root_mean_squared_log_error",
            "root_mean_squared_logarithmic_error",
            "max_error",
            "r2",
            "r2_score",
            "explained_variance",
            "explained_variance_score",
            "mean_poisson_deviance",
            "mean_gamma_deviance",
            "mean_tweedie_deviance",
            "mean_pinball_loss",
            "pinball_loss",
            "d2_absolute_error_score",
            "d2_pinball_score",
            "d2_tweedie_score",
            "pearson",
            "spearman",
            "kendall",
            "ccc",
        ),
        "multiclass": (
            "f1_micro",
            "precision_micro",
            "precision_macro",
            "precision_weighted",
            "recall_micro",
            "recall_macro",
            "recall_weighted",
            "jaccard_micro",
            "jaccard_weighted",
            "fbeta_macro",
            "fbeta_micro",
            "fbeta_weighted",
            "roc_auc_ovr",
            "roc_auc_ovr_weighted",
            "roc_auc_ovo",
            "roc_auc_ovo_weighted",
            "top_k_accuracy",
            "top_k_accuracy_score",
            "weighted_kappa",
            "quadratic_kappa",
            "quadratic_weighted_kappa",
            "linear_kappa",
        ),
        "multilabel": (
            "f1_samples",
            "precision_samples",
            "recall_samples",
            "jaccard_samples",
            "subset_accuracy",
            "exact_match",
            "label_ranking_average_precision",
            "label_ranking_average_precision_score",
            "lrap",
            "label_ranking_loss",
            "coverage_error",
        ),
    }
)


CLUSTERINGS = frozenset(
    name_key(name)
    for name in (
        "adjusted_mutual_info_score",
        "adjusted_rand_score",
        "calinski_harabasz_score",
        "completeness_score",
        "davies_bouldin_score",
        "fowlkes_mallows_score",
        "homogeneity_score",
        "mutual_info_score",
        "normalized_mutual_info_score",
        "rand_score",
        "silhouette_score",
        "v_measure_score",
    )
)
"""scikit-learn's measures of clusterings, which judge no predictions."""


def elsewhere(name: str) -> str | None:
    """Say which kind of problem a measure belongs to that the catalogue does not hold.

    ``"scores"``, ``"regression"``, ``"multiclass"`` or ``"multilabel"``; None if it is none of theirs.
    """
    key = name_key(name)
    known = _kinds().get(key) or _kinds().get(key.removeprefix("neg"))
    return known or ("scores" if _FIRST_K.fullmatch(key) or _at_threshold(key) else None)


def kind_of_problem(measure: Any) -> str | None:
    """Say which kind of problem a measure belongs to, by its name or by what it says of itself.

    As for `elsewhere`; None for measures of labels, and for what is no measure.
    """
    return elsewhere(measure) if isinstance(measure, str) else getattr(measure, "problem", None)


_FIRST_K = re.compile(
    r"(?:precision|prec|p|recall|r|hits?|hitrate|hr|success|averageprecision|ap|map|ndcg|ndcgscore)"
    r"(?:@|at)(?:-?[\d.]+|k).*"
)
"""A measure of the first k samples of a ranking."""


def _at_threshold(key: str) -> bool:
    """Whether this is a measure of labels at the best of all thresholds, as in ``max_f1``."""
    from clearbar.catalogue._catalogue import is_known

    return any(key.startswith(word) and is_known(key.removeprefix(word)) for word in ("max", "best"))


@functools.cache
def _kinds() -> Mapping[str, str]:
    return {name_key(name): kind for kind, names in NAMES.items() for name in names}
