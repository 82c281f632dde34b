"""Processes that were forked: polars, whose threads stayed behind, is not waited for."""

import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys, threading, time, warnings
import polars as pl
import pandas as pd
import clearbar as cb

warnings.simplefilter("ignore")
quick = {"measures": "mcc", "intervals": False}
columns = {"y": [1, 0] * 50, "tree": [1, 0, 0, 1] * 25}
with open("p.csv", "w") as file:
    file.write("y,tree\\n" + "1,1\\n0,0\\n" * 50)
frames = [pl.DataFrame(columns), pl.LazyFrame(columns), "p.csv", pd.DataFrame(columns)]
for frame in frames if sys.argv[1] == "ran" else frames[-1:]:
    cb.evaluate_frame(frame, "y", "tree", **quick)
for frame in frames:
    if os.fork() == 0:
        signal.alarm(20)
        for _ in range(2 * os.cpu_count()):  # threads of others
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        try:
            print(cb.evaluate_frame(frame, "y", "tree", **quick).counts.total.item(), flush=True)
        except RuntimeError as error:
            print(error, flush=True)
        os._exit(0)
    os.wait()
"""
"""A table and a query of polars, a file, and a table of pandas, each asked about in a fork of its own."""

SPAWN = (
    "polars ran before this process was forked, and what it is asked here is never answered; start "
    "processes with multiprocessing.get_context('spawn')."
)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Only Linux tells.")
@pytest.mark.parametrize("ran", ["ran", "not yet"])
def test_a_fork_says_spawn_where_polars_would_never_answer(ran, tmp_path):
    words = [sys.executable, "-c", PROGRAM, ran]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=tmp_path, check=True)
    told = [SPAWN] * 3 + ["100"] if ran == "ran" else ["100"] * 4
    assert done.stdout.splitlines() == told, done.stderr
