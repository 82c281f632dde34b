"""Measures of numbers, under scikit-learn's names: each a formula, its facts, and its best constant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearbar.catalogue import Range, Refused
from clearbar.core.errors import shown
from clearbar.problems.numbers import formulas as of
from clearbar.problems.numbers.entries import (
    ABOVE_MINUS_ONE,
    ANY,
    CONJECTURE,
    CONVEX,
    INVERSE,
    LOGARITHM,
    LOGS,
    MEDIAN,
    NOT_ALL_ZERO,
    NOT_NEGATIVE,
    NOT_ZERO,
    NOTHING,
    POSITIVE,
    PRODUCTS,
    RANKS,
    NumberMeasure,
    Order,
    as_they_are,
    entry,
    family,
    mean_loss,
    share,
    sorted_first,
)

mse = mean_loss(
    "mse",
    of.squared,
    of.best_mean,
    "mean",
    label="MSE",
    aliases=("mean_squared_error", "l2"),
    at_best=of.variance,
    order=PRODUCTS,
    question="How far off are predictions in the squared mean?",
    formula=r"\frac1M \sum_i (y_i - f_i)^2",
    caution="One far outlier can decide it.",
    source="Gauss, Theoria combinationis observationum, 1823",
)

rmse = mean_loss(
    "rmse",
    of.squared,
    of.best_mean,
    "mean",
    root=True,
    label="RMSE",
    aliases=("root_mean_squared_error", "rmsd"),
    at_best=lambda y, weights: np.sqrt(of.variance(y, weights)),
    order=PRODUCTS,
    claim=CONVEX,
    question="How far off are predictions, in the units of the target, far ones counting more?",
    formula=r"\sqrt{\frac1M \sum_i (y_i - f_i)^2}",
    caution="One far outlier can decide it.",
    source="Gauss, Theoria combinationis observationum, 1823",
)

mae = mean_loss(
    "mae",
    of.absolute,
    MEDIAN,
    "median",
    label="MAE",
    aliases=("mean_absolute_error", "l1", "mad"),
    question="How far off are predictions on average?",
    formula=r"\frac1M \sum_i |y_i - f_i|",
    source="Laplace, Memoire sur la probabilite des causes, 1774",
)

medae = entry(
    "medae",
    of.median_of(of.absolute),
    label="MedAE",
    aliases=("median_absolute_error", "mdae"),
    constant=of.middle_of_shortest_half,
    word="middle of the shortest half",
    at_best=sorted_first(lambda y, weights: of.shortest_half(y, weights)[1] / 2),
    loss=of.absolute,
    of_mean=False,
    by_column=False,
    certified=False,
    claim=CONJECTURE,
    question="Within which distance are half of the predictions?",
    formula=r"\text{median}_i |y_i - f_i|",
    caution="How far off the other half is does not count. The best constant is the middle of the shortest "
    "interval that holds more than half of the targets.",
    source="Rousseeuw, J. Amer. Statist. Assoc. 79, 1984 (least median of squares)",
)

wape = entry(
    "wape",
    of.share_of_targets,
    label="WAPE",
    aliases=("weighted_absolute_percentage_error", "wmape", "mad_mean_ratio"),
    constant=MEDIAN,
    word="median",
    targets=NOT_ALL_ZERO,
    question="How large are all errors together, as a share of all targets?",
    formula=r"\frac{\sum_i |y_i - f_i|}{\sum_i |y_i|}",
    caution="It is a share, not a percentage.",
    source="Kolassa & Schuetz, Foresight 6, 2007 (MAD/mean ratio)",
)

mape = mean_loss(
    "mape",
    of.relative,
    of.median_of_inverse,
    "median weighted by 1 / |y|",
    label="MAPE",
    aliases=("mean_absolute_percentage_error",),
    targets=NOT_ZERO,
    question="How far off are predictions on average, as a share of the target?",
    formula=r"\frac1M \sum_i \frac{|y_i - f_i|}{|y_i|}",
    caution="It is a share, not a percentage, and favours predictions that are too small: its best constant "
    "lies among the smallest targets.",
    source="Makridakis, International Journal of Forecasting 9, 1993",
)

msle = mean_loss(
    "msle",
    of.log_squared,
    of.best_log_mean,
    "mean of log(1 + y), taken back",
    label="MSLE",
    aliases=("mean_squared_log_error", "mean_squared_logarithmic_error"),
    at_best=lambda y, weights: of.variance(np.log1p(y), weights),
    order=LOGS,
    targets=ABOVE_MINUS_ONE,
    predictions=ABOVE_MINUS_ONE,
    question="How far off are predictions in the squared mean, as factors?",
    formula=r"\frac1M \sum_i (\ln(1 + y_i) - \ln(1 + f_i))^2",
    source="scikit-learn, mean_squared_log_error, since 0.18, 2016",
)

rmsle = mean_loss(
    "rmsle",
    of.log_squared,
    of.best_log_mean,
    "mean of log(1 + y), taken back",
    root=True,
    label="RMSLE",
    aliases=("root_mean_squared_log_error", "root_mean_squared_logarithmic_error"),
    at_best=lambda y, weights: np.sqrt(of.variance(np.log1p(y), weights)),
    order=LOGS,
    targets=ABOVE_MINUS_ONE,
    predictions=ABOVE_MINUS_ONE,
    claim="Nothing that ignores its input does better on average: the loss is convex in log(1 + f) (Jensen).",
    question="By what factor are predictions off, far ones counting more?",
    formula=r"\sqrt{\frac1M \sum_i (\ln(1 + y_i) - \ln(1 + f_i))^2}",
    source="scikit-learn, root_mean_squared_log_error, since 1.4, 2024",
)

r2 = share(
    "r2",
    of.squared,
    of.best_mean,
    "mean",
    PRODUCTS,
    label="R²",
    aliases=("r2_score", "r_squared", "r^2", "coefficient_of_determination", "nse"),
    question="Which share of the squared distance from the mean is gone?",
    formula=r"1 - \frac{\sum_i (y_i - f_i)^2}{\sum_i (y_i - \text{mean}(y))^2}",
    caution="It compares with the mean of these test targets.",
    source="Wright, Journal of Agricultural Research 20, 1921",
)

explained_variance = entry(
    "explained_variance",
    of.variance_gone,
    greater_is_better=True,
    label="explained variance",
    aliases=("explained_variance_score", "evs"),
    bounds=(-math.inf, 1.0),
    constant=of.best_mean,
    flat=0.0,
    order=PRODUCTS,
    spread=True,
    claim="Nothing that ignores its input does better on average: shuffled predictions add their variance.",
    question="Which share of the variance is gone?",
    formula=r"1 - \frac{\mathrm{Var}(y - f)}{\mathrm{Var}(y)}",
    caution="Predictions may all be off by the same number and it does not show; R² tells.",
    source="scikit-learn, explained_variance_score, since 0.5, 2010",
)

poisson_deviance = mean_loss(
    "mean_poisson_deviance",
    of.poisson,
    of.best_mean,
    "mean",
    label="Poisson deviance",
    aliases=("poisson_deviance", "poisson", "mean_poisson"),
    order=LOGARITHM,
    targets=NOT_NEGATIVE,
    predictions=POSITIVE,
    question="How unlikely are counts, the predictions being their expectations?",
    formula=r"\frac2M \sum_i (y_i \ln(y_i / f_i) - y_i + f_i)",
    source="Nelder & Wedderburn, J. R. Statist. Soc. A 135, 1972",
)

gamma_deviance = mean_loss(
    "mean_gamma_deviance",
    of.gamma,
    of.best_mean,
    "mean",
    label="gamma deviance",
    aliases=("gamma_deviance", "gamma", "mean_gamma"),
    order=INVERSE,
    targets=POSITIVE,
    predictions=POSITIVE,
    question="How unlikely are positive numbers whose error grows with their size?",
    formula=r"\frac2M \sum_i (\ln(f_i / y_i) + y_i / f_i - 1)",
    source="Nelder & Wedderburn, J. R. Statist. Soc. A 135, 1972",
)

max_error = entry(
    "max_error",
    of.largest,
    label="max error",
    aliases=("maximum_error", "largest_error"),
    constant=of.midrange,
    word="midrange",
    loss=of.absolute,
    of_mean=False,
    claim=CONVEX,
    resampled=False,
    question="How far off is the worst prediction?",
    formula=r"\max_i |y_i - f_i|",
    caution="It belongs to these samples: among others the largest error may be larger, and nothing here "
    "says by how much, so that no score is sure.",
    source="scikit-learn, max_error, since 0.20, 2018",
)

d2_absolute_error = share(
    "d2_absolute_error",
    of.absolute,
    MEDIAN,
    "median",
    None,
    label="D² absolute error",
    aliases=("d2_absolute_error_score", "d2_mae", "d² absolute error"),
    question="Which share of the mean distance from the median is gone?",
    formula=r"1 - \frac{\sum_i |y_i - f_i|}{\sum_i |y_i - \text{median}(y)|}",
    caution="It compares with the median of these test targets.",
    source="Koenker & Machado, J. Amer. Statist. Assoc. 94, 1999",
)

_CORRELATION: dict[str, Any] = {"greater_is_better": True, "bounds": (-1.0, 1.0), "flat": 0.0,
                                "spread": True, "by_column": False, "claim": NOTHING}  # fmt: skip

pearson = entry(
    "pearson",
    of.correlation,
    **(_CORRELATION | {"by_column": True, "constant": of.best_mean}),
    label="Pearson's r",
    aliases=("pearsonr", "pearson_r", "pearson_correlation", "correlation_coefficient", "pearson's r"),
    order=PRODUCTS,
    question="How near to a line are targets and predictions?",
    formula=r"\frac{\mathrm{Cov}(y, f)}{\sqrt{\mathrm{Var}(y) \mathrm{Var}(f)}}",
    caution="Predictions on another scale, or off by a number, have the same value.",
    source="Pearson, Proceedings of the Royal Society 58, 1895",
)

spearman = entry(
    "spearman",
    of.rank_correlation,
    **_CORRELATION,
    ranked=True,
    label="Spearman's ρ",
    aliases=("spearmanr", "spearman_r", "spearman_rho", "spearman's rho", "rank_correlation"),
    order=RANKS,
    question="How alike do targets and predictions order the samples?",
    formula=r"\frac{\mathrm{Cov}(R(y), R(f))}{\sqrt{\mathrm{Var}(R(y)) \mathrm{Var}(R(f))}}",
    caution="Only the order of the predictions counts.",
    source="Spearman, American Journal of Psychology 15, 1904",
)

kendall = entry(
    "kendall",
    of.tau,
    **_CORRELATION,
    ranked=True,
    label="Kendall's τ",
    aliases=("kendalltau", "kendall_tau", "kendall's tau", "tau_b", "kendall_tau_b"),
    question="How many more pairs of samples are ordered alike than differently?",
    formula=r"\frac{C - D}{\sqrt{(C + D + T_y) (C + D + T_f)}}",
    caution="Only the order of the predictions counts; this is tau-b, for which ties are no fault.",
    source="Kendall, Biometrika 33, 1945",
)

ccc = entry(
    "ccc",
    of.concordance,
    **_CORRELATION,
    label="concordance",
    aliases=(
        "concordance_correlation_coefficient",
        "lins_ccc",
        "lin's concordance",
        "concordance_correlation",
    ),
    order=PRODUCTS,
    question="How near to equal are targets and predictions?",
    formula=r"\frac{2 \mathrm{Cov}(y, f)}{\mathrm{Var}(y) + \mathrm{Var}(f) + (\text{mean}(y) - \bar f)^2}",
    source="Lin, Biometrics 45, 1989",
)


REFUSED = (
    Refused("adjusted_r2", "has no bar: it depends on how many features a model took; use r2.",
            ("adjusted_r_squared", "adj_r2")),
    Refused("smape", "has no bar: several formulas go by this name; use mape, mae or rmsle.",
            ("symmetric_mean_absolute_percentage_error",)),
)  # fmt: skip


@family({"delta": 1.0}, ("huber",), {"delta": 1.0}, Range(0, above=True))
def huber_loss(delta: float, **names: Any) -> NumberMeasure:
    return mean_loss(
        loss=of.huber(delta),
        constant=of.best_of_huber(delta),
        word="Huber location",
        label=f"Huber loss at {delta:g}",
        question=f"How far off are predictions, squared up to {delta:g} and plain beyond?",
        formula=r"\frac1M \sum_i h(y_i - f_i), \quad h(r) = \min(|r|, \delta) (|r| - \min(|r|, \delta)/2)",
        source="Huber, Annals of Mathematical Statistics 35, 1964",
        **names,
    )


@family({"scale": 1.0}, ("mean_absolute_scaled_error",), None, Range(0, above=True))
def mase(scale: float, **names: Any) -> NumberMeasure:
    return mean_loss(
        loss=of.scaled(of.absolute, scale),
        constant=MEDIAN,
        word="median",
        label=f"MASE of scale {scale:g}",
        question=f"How far off are predictions on average, in units of {scale:g}?",
        formula=r"\frac{1}{M q} \sum_i |y_i - f_i|",
        caution="The scale q is the mean absolute error of the naive forecast in training, such as "
        "np.abs(np.diff(y_train)).mean(): test targets do not tell it.",
        source="Hyndman & Koehler, International Journal of Forecasting 22, 2006",
        **names,
    )


_WITHIN_ONE = Range(0, 1, above=True)


def _quantile(alpha: float) -> dict[str, Any]:
    word = "median" if alpha == 0.5 else f"{alpha:g}-quantile"
    return {"loss": of.pinball(alpha), "constant": of.best_quantile(alpha), "word": word}


@family(
    {"alpha": 0.9}, ("pinball_loss", "pinball", "quantile_loss"), {"alpha": 0.5}, _WITHIN_ONE,
    r"(?:meanpinballloss|pinballloss|pinball|quantileloss)@?(?P<alpha>\d*\.?\d+)",
)  # fmt: skip
def mean_pinball_loss(alpha: float, **names: Any) -> NumberMeasure:
    return mean_loss(
        **_quantile(alpha),
        label=f"pinball loss at {alpha:g}",
        question=f"How far are predictions from the {alpha:g}-quantile, both sides weighted?",
        formula=r"\frac1M \sum_i \max(\alpha (y_i - f_i), (\alpha - 1) (y_i - f_i))",
        source="Koenker & Bassett, Econometrica 46, 1978",
        **names,
    )


@family({"alpha": 0.9}, ("d2_pinball_score", "d2_pinball_loss"), {"alpha": 0.5}, _WITHIN_ONE)
def d2_pinball(alpha: float, **names: Any) -> NumberMeasure:
    return share(
        **_quantile(alpha),
        order=None,
        label=f"D² pinball loss at {alpha:g}",
        question=f"Which share of the pinball loss of the {alpha:g}-quantile is gone?",
        formula=r"1 - \frac{\text{pinball}(f)}{\text{pinball}(y_{\alpha})}",
        caution="It compares with the best quantile of these test targets; scikit-learn may take one between "
        "two samples, which loses more, so that its value is a little higher.",
        source="Koenker & Machado, J. Amer. Statist. Assoc. 94, 1999",
        **names,
    )


def _of_power(power: float) -> dict[str, Any]:
    if 0 < power < 1:
        raise ValueError(f"power must be 0, or from 1 to 3; found {shown(power)}.")
    targets = ANY if power == 0 else NOT_NEGATIVE if power < 2 else POSITIVE
    first = 1 - power
    orders: dict[float, Order] = {0: PRODUCTS, 1: LOGARITHM, 2: INVERSE}
    return {
        "loss": of.tweedie(power),
        "constant": of.best_mean,
        "word": "mean",
        "order": orders[power] if power in orders else Order(as_they_are, lambda f: f**first / first),
        "targets": targets,
        "predictions": ANY if power == 0 else POSITIVE,
    }


@family({"power": 1.5}, ("tweedie_deviance", "tweedie"), {"power": 0}, Range(0, 3))
def mean_tweedie_deviance(power: float, **names: Any) -> NumberMeasure:
    return mean_loss(
        **_of_power(power),
        label=f"Tweedie deviance of power {power:g}",
        question=f"How unlikely are numbers whose variance is their expectation to the power {power:g}?",
        formula=r"\frac2M \sum_i (\frac{y_i^{2-p}}{(1-p)(2-p)} - \frac{y_i f_i^{1-p}}{(1-p)} "
        r"+ \frac{f_i^{2-p}}{(2-p)})",
        source="Tweedie, Statistics: Applications and New Directions, 1984",
        **names,
    )


@family({"power": 1.5}, ("d2_tweedie_score", "d2_tweedie_deviance"), {"power": 0}, Range(0, 3))
def d2_tweedie(power: float, **names: Any) -> NumberMeasure:
    return share(
        **_of_power(power),
        label=f"D² Tweedie deviance of power {power:g}",
        question="Which share of the mean's deviance is gone?",
        formula=r"1 - \frac{\text{deviance}(f)}{\text{deviance}(\text{mean}(y))}",
        caution="It compares with the mean of these test targets.",
        source="Cameron & Windmeijer, Journal of Econometrics 77, 1997",
        **names,
    )
