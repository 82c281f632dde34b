"""Tables of numbers are judged as their columns are."""

import numpy as np
import pandas as pd
import pytest
from tests.data.engines import HERE

import clearbar as cb

RNG = np.random.default_rng(4)
Y = RNG.normal(size=60)
COLUMNS = {
    "y": Y.tolist(),
    "near": (Y + RNG.normal(size=60) / 2).tolist(),
    "far": RNG.normal(size=60).tolist(),
    "site": [*"abc"] * 20,
    "patient": (np.arange(60) // 4).tolist(),
}


def same(one, other):
    for name in ("score", "bar", "p_value", "p_value_blind"):
        np.testing.assert_allclose(one.columns[name], other.columns[name], rtol=1e-12)
    assert (one.models, one.groups, one.measures) == (other.models, other.groups, other.measures)


@pytest.mark.parametrize("engine", list(HERE))
def test_a_table_of_any_engine_is_judged_as_arrays_are(engine):
    frame = HERE[engine](COLUMNS)
    card = cb.evaluate_frame(frame, "y", ["near", "far"], by="site", measures=["mse", "r2"])
    models = {name: COLUMNS[name] for name in ("near", "far")}
    arrays = cb.evaluate_regression(Y, models, ["mse", "r2"], by=COLUMNS["site"])
    same(card, arrays)


def test_files_clusters_and_what_is_missing(tmp_path):
    frame = pd.DataFrame(COLUMNS)
    frame.loc[7, "near"] = np.nan
    frame.to_csv(tmp_path / "table.csv", index=False)
    how = {"clusters": "patient", "kind": "regression"}
    card = cb.evaluate_frame(tmp_path / "table.csv", "y", "near", nulls="drop", **how)
    kept = frame.drop(index=7)
    same(card, cb.evaluate_regression(kept["y"], kept[["near"]], clusters=kept["patient"]))
    assert card.notes[-1] == "1 row with a missing value left out."
    with pytest.raises(ValueError, match=r"y_pred \(column 'near'\) has 1 missing value"):
        cb.evaluate_frame(frame, "y", "near", **how)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"fold": "site"}, "measures of numbers take no fold; judge the folds as slices, with by."),
        ({"pos_label": 1}, "measures of numbers take no pos_label; leave it out."),
        ({"item": "site"}, "kind='regression' takes no item or options"),
        ({"y_pred": "site"}, "y_pred['site'] must hold numbers, a number per sample; found text."),
    ],
)
def test_what_is_for_labels_is_refused(options, sentence):
    call = {"y_true": "y", "y_pred": "near", "kind": "regression"} | options
    with pytest.raises(ValueError) as caught:
        cb.evaluate_frame(pd.DataFrame(COLUMNS), **call)
    assert sentence in str(caught.value)
