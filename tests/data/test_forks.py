"""Processes that were forked: polars, whose threads stayed behind, is not waited for."""

import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys, warnings
import polars as pl
import pandas as pd
import clearbar as cb

warnings.simplefilter("ignore")
ran, what = sys.argv[1:]
columns = {"y": [1, 0] * 50, "tree": [1, 0, 0, 1] * 25}
with open("p.csv", "w") as file:
    file.write("y,tree\\n" + "1,1\\n0,0\\n" * 50)
frames = {"polars": pl.DataFrame, "lazy": pl.LazyFrame, "pandas": pd.DataFrame, "file": lambda _: "p.csv"}
frame = frames[what](columns)
if ran == "ran":
    cb.evaluate_frame(pl.DataFrame(columns), "y", "tree", measures="mcc")
    cb.evaluate_frame(frame, "y", "tree", measures="mcc")
if os.fork() == 0:
    signal.alarm(20)
    try:
        print(cb.evaluate_frame(frame, "y", "tree", measures="mcc").counts.total.item(), flush=True)
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Only Linux tells.")
@pytest.mark.parametrize("what", ["polars", "lazy", "file", "pandas"])
@pytest.mark.parametrize("ran", ["ran", "not yet"])
def test_a_fork_says_spawn_where_polars_would_never_answer(ran, what, tmp_path):
    words = [sys.executable, "-c", PROGRAM, ran, what]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=tmp_path, check=True)
    told = (
        "polars ran before this process was forked, and what it is asked here is never answered; start "
        "processes with multiprocessing.get_context('spawn').\n"
    )
    assert done.stdout == (told if ran == "ran" and what != "pandas" else "100\n"), done.stderr
