"""A column that bars may see, and weights of numbers, in tables: as without a table."""

import numpy as np
import pandas as pd
import pytest

import clearbar as cb
from clearbar.cli import main

pytestmark = pytest.mark.quick

RNG = np.random.default_rng(3)
SITE = np.repeat(["north", "south", "west"], 40)
FRAME = pd.DataFrame({"site": SITE, "y": (RNG.random(120) < np.repeat([0.2, 0.5, 0.8], 40)).astype(int)})
FRAME["tree"] = np.where(RNG.random(120) < 0.7, FRAME["y"], 1 - FRAME["y"])
FRAME["size"] = RNG.gamma(2.0, size=120) + (SITE == "west")
FRAME["guess"] = FRAME["size"] + RNG.normal(size=120)
FRAME["times"] = RNG.integers(0, 4, 120)


def numbers(card):
    return [(v.score, v.baseline.value, v.p_value, v.p_value_blind) for v in card]


def test_a_table_names_the_column_that_bars_see(tmp_path, capsys):
    wanted = cb.evaluate(FRAME["y"], FRAME["tree"], ["f1", "mcc"], given=SITE)
    found = cb.evaluate_frame(FRAME, "y", "tree", measures=["f1", "mcc"], given="site")
    assert numbers(found) == numbers(wanted)
    wanted = cb.evaluate(FRAME["size"], FRAME["guess"], "mae", given=SITE)
    assert numbers(cb.evaluate_frame(FRAME, "size", "guess", measures="mae", given="site")) == numbers(wanted)
    path = tmp_path / "table.csv"
    FRAME.to_csv(path, index=False)
    words = ["evaluate", str(path), "--y-true", "y", "--y-pred", "tree", "--measure", "f1", "--given", "site"]
    assert main(words) == 0
    assert "The bars see a column of 3 values" in " ".join(capsys.readouterr().out.split())
    for options, said in (
        ({"fold": "site"}, "given and fold cannot be combined"),
        ({"by": "times"}, "given and by cannot be combined"),
        ({"kind": "multiclass"}, "labels of more than two classes take no given"),
    ):
        with pytest.raises(ValueError, match=said):
            cb.evaluate_frame(FRAME, "y", "tree", given="site", **options)


def test_weights_of_numbers_repeat_rows():
    often = FRAME.loc[np.repeat(np.arange(120), FRAME["times"])]
    wanted = cb.evaluate(often["size"].to_numpy(), often["guess"].to_numpy(), ["mae", "r2"])
    found = cb.evaluate_frame(FRAME, "size", "guess", measures=["mae", "r2"], weight="times")
    assert numbers(found) == numbers(wanted)
    with pytest.raises(ValueError, match="weight must hold whole numbers"):
        cb.evaluate_frame(FRAME.assign(times=0.5), "size", "guess", measures="mae", weight="times")


def test_map_at_k_is_the_mean_of_ap_at_k_over_queries():
    card = cb.evaluate_scores(FRAME["y"], FRAME["guess"], "map@5", folds=SITE)
    each = [cb.score(part["y"], part["guess"], "ap@5") for _, part in FRAME.groupby("site")]
    assert card[0].score == pytest.approx(np.mean(each))
