"""A measure's name as a reader writes it."""

from __future__ import annotations

import re

_CAPITALS = {
    "tp": "TP",
    "tn": "TN",
    "fp": "FP",
    "fn": "FN",
    "fpr": "FPR",
    "fnr": "FNR",
    "npv": "NPV",
    "fdr": "FDR",
    "mcc": "MCC",
    "f1": "F1",
    "p4": "P4",
    "iba": "IBA",
    "icsi": "ICSI",
    "eds": "EDS",
    "seds": "SEDS",
    "edi": "EDI",
    "sedi": "SEDI",
    "roc": "ROC",
    "ac1": "AC1",
}
_WHOLE = {
    "g_mean": "G-mean",
    "fowlkes_mallows": "Fowlkes–Mallows",
    "kappa": "Cohen's kappa",
    "scott_pi": "Scott's pi",
    "bennett_s": "Bennett's S",
    "yule_q": "Yule's Q",
    "yule_y": "Yule's Y",
    "chi2": "chi-squared",
    "bangdiwala_b": "Bangdiwala's B",
    "gk_lambda_pred": "lambda of the predictions",
    "gk_lambda_true": "lambda of the labels",
}


def reader_label(name: str) -> str:
    """Return a canonical name the way a reader writes it.

    Parameters
    ----------
    name : str
        Such as ``"g_mean"`` or ``"f0.5"``.

    Returns
    -------
    str
        Such as ``"G-mean"`` or ``"F0.5"``; an unknown name is returned with spaces.
    """
    if name in _WHOLE:
        return _WHOLE[name]
    if re.fullmatch(r"f\d+(\.\d+)?", name):
        return name.upper()
    base, bracket, rest = name.partition("(")
    words = [_CAPITALS.get(word, word) for word in base.split("_")]
    return " ".join(words) + bracket + rest
