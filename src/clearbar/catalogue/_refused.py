"""Names of binary measures that are refused, with the reason."""

from __future__ import annotations

from clearbar.catalogue._entry import Refused
from clearbar.catalogue._naming import names_in

_UNCLEAR = {
    "gini": "informedness (2 x balanced accuracy - 1, the Gini index of a single threshold) or roc_auc"
    " (the Gini of a ranking is 2 x roc_auc - 1)",
    "bias": "frequency_bias (predicted positives / positives) or predicted_positive_rate",
    "false alarm": "fp (their number), fpr (false alarm rate) or fdr (false alarm ratio)",
    "far": "fpr (false alarm rate) or fdr (false alarm ratio)",
    "pre": "prevalence or accuracy_skill (proportional reduction in error)",
    "g": "fowlkes_mallows (G1) or g_mean (G2)",
    "g measure": "fowlkes_mallows (G1) or g_mean (G2)",
    "lambda": "gk_lambda_true or gk_lambda_pred",
}
"""Names that mean different things to different people."""

_CLUSTERINGS = names_in(
    "adjusted_mutual_info_score, adjusted_rand_score, calinski_harabasz_score, completeness_score, "
    "davies_bouldin_score, fowlkes_mallows_score, homogeneity_score, mutual_info_score, "
    "normalized_mutual_info_score, rand_score, silhouette_score, v_measure_score"
)
"""scikit-learn's measures of clusterings, which judge no predictions."""

REFUSED = (
    *(
        Refused(name, f"means different things to different people. Choose {choices}.")
        for name, choices in _UNCLEAR.items()
    ),
    Refused(
        "clustering",
        "compares clusterings, which predict no labels; clearbar.measures() lists what judges predictions.",
        _CLUSTERINGS,
    ),
)
