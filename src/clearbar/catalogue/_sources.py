"""References that several entries share."""

from __future__ import annotations

DUTCH_DRAW = (
    "van de Bijl, Klein, Pries, Bhulai, Hoogendoorn & van der Mei, The Dutch Draw: constructing a "
    "universal baseline for binary classification problems, Journal of Applied Probability, 2024"
)
POWERS = (
    "Powers, Evaluation: from precision, recall and F-measure to ROC, informedness, markedness and "
    "correlation, Journal of Machine Learning Technologies 2(1), 2011"
)
KUHN = "Kuhn, Building predictive models in R using the caret package, J. Stat. Software 28(5), 2008"
SOKOLOVA = (
    "Sokolova & Lapalme, A systematic analysis of performance measures for classification tasks, "
    "Information Processing & Management 45(4), 2009"
)
WILKS = "Wilks, Statistical Methods in the Atmospheric Sciences, 3rd ed., 2011, ch. 8"
RIJSBERGEN = "van Rijsbergen, Information Retrieval, 2nd ed., 1979, ch. 7"
GAINS = "Flach & Kull, Precision-Recall-Gain curves: PR analysis done right, NIPS 28, 2015"
EXTREMES = (
    "Ferro & Stephenson, Extremal dependence indices: improved verification measures for "
    "deterministic forecasts of rare binary events, Weather and Forecasting 26(5), 2011"
)
