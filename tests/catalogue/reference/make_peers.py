"""Write peers.json: what pycm and imbalanced-learn say about a few tables.

Run by hand where both are installed (group `peers`): python tests/catalogue/reference/make_peers.py
"""

import json
import math
from pathlib import Path

import imblearn
import pycm
from imblearn.metrics import geometric_mean_score, make_index_balanced_accuracy

TABLES = [(14, 3, 4, 10), (1, 2, 3, 4), (50, 40, 7, 903), (30, 1, 2, 3), (5, 5, 5, 5), (2, 9, 8, 3)]

OF_A_CLASS = {
    "recall": "TPR",
    "specificity": "TNR",
    "precision": "PPV",
    "npv": "NPV",
    "fpr": "FPR",
    "fnr": "FNR",
    "fdr": "FDR",
    "false_omission_rate": "FOR",
    "accuracy": "ACC",
    "error_rate": "ERR",
    "f1": "F1",
    "f2": "F2",
    "f0.5": "F05",
    "mcc": "MCC",
    "informedness": "BM",
    "markedness": "MK",
    "positive_likelihood_ratio": "PLR",
    "negative_likelihood_ratio": "NLR",
    "diagnostic_odds_ratio": "DOR",
    "balanced_accuracy": "AUC",
    "roc_distance": "dInd",
    "similarity_index": "sInd",
    "icsi": "ICSI",
    "overlap": "OC",
    "braun_blanquet": "BB",
    "information_score": "IS",
    "lift": "LS",
    "yule_q": "Q",
    "adjusted_f": "AGF",
    "adjusted_geometric_mean": "AGM",
    "optimized_precision": "OP",
    "iba": "IBA",
    "g_mean": "GM",
    "fowlkes_mallows": "G",
    "threat_score": "J",
    "prevalence": "PRE",
    "predicted_positive_rate": "TOPR",
    "kulczynski2": "AUPR",
}
OF_THE_TABLE = {
    "kappa": "Kappa",
    "scott_pi": "PI",
    "gwet_ac1": "AC1",
    "bennett_s": "S",
    "gk_lambda_true": "LambdaA",
    "gk_lambda_pred": "LambdaB",
    "chi2": "Chi_Squared",
    "phi_squared": "Phi_Squared",
    "mutual_information": "MutualInformation",
    "bangdiwala_b": "B",
    "uncertainty_coefficient": "RCI",
    "f1_macro": "F1_Macro",
}


def of_pycm(tp, fp, fn, tn):
    matrix = pycm.ConfusionMatrix(matrix={1: {1: tp, 0: fn}, 0: {1: fp, 0: tn}})
    found = {name: getattr(matrix, attribute)[1] for name, attribute in OF_A_CLASS.items()}
    found |= {name: getattr(matrix, attribute) for name, attribute in OF_THE_TABLE.items()}
    found["tversky(alpha=0.3, beta=0.7)"] = matrix.TI(0.3, 0.7)[1]
    found["net_benefit(w=0.25)"] = matrix.NB(0.25)[1]
    found["jaccard_macro"] = matrix.Overall_J[1]
    # pycm takes the decimal logarithm for DP, the catalogue the natural one of Blakeley et al. (1995)
    found["discriminant_power"] = matrix.DP[1] * math.log(10)
    return {name: value for name, value in found.items() if isinstance(value, (int, float))}


def of_imblearn(tp, fp, fn, tn):
    labels = [1] * tp + [0] * fp + [1] * fn + [0] * tn
    calls = [1] * (tp + fp) + [0] * (fn + tn)
    index = make_index_balanced_accuracy(alpha=0.1, squared=True)(geometric_mean_score)
    return {
        "g_mean": float(geometric_mean_score(labels, calls, average="binary")),
        "iba(alpha=0.1)": float(index(labels, calls, average="binary")),
    }


def main():
    values = {
        "versions": {"pycm": pycm.PYCM_VERSION, "imbalanced-learn": imblearn.__version__},
        "tables": [
            {"cells": table, "pycm": of_pycm(*table), "imbalanced-learn": of_imblearn(*table)}
            for table in TABLES
        ],
    }
    path = Path(__file__).with_name("peers.json")
    path.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
