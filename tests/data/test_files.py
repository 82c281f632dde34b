"""Files are tables: of every kind, packed or not, one or many, whole or broken."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from tests.data.engines import QUICK, by_hand, cells, matrix, predictions, refused

import clearbar as cb
from clearbar.data import files

COLUMNS = predictions()
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
CSV = "\n".join([",".join(COLUMNS), *(",".join(str(row[name]) for name in COLUMNS) for row in ROWS)]) + "\n"
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def parquet(path):
    pl.DataFrame(COLUMNS).write_parquet(path)


def zstd(data):
    return pa.compress(data, codec="zstd", asbytes=True)


KINDS = {
    "p.csv": CSV.encode(),
    "p.tsv": CSV.replace(",", "\t").encode(),
    "p.txt": CSV.replace(",", ";").encode(),
    "p.csv.gz": gzip.compress(CSV.encode(), mtime=0),
    "p.csv.zst": zstd(CSV.encode()),
    "p.jsonl": LINES.encode(),
    "p.ndjson.gz": gzip.compress(LINES.encode(), mtime=0),
    "p.jsonl.zst": zstd(LINES.encode()),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", [*KINDS, "p.parquet"])
def test_files_of_every_kind_hold_the_same_table(folder, name):
    (folder / name).write_bytes(KINDS[name]) if name in KINDS else parquet(name)
    card = cb.evaluate_frame(name, "y", ["tree", "coin"], by=["country", "day"], **QUICK)
    assert cells(card, 0) == by_hand(COLUMNS, "tree", by=["country", "day"])
    assert cells(card, 1) == by_hand(COLUMNS, "coin", by=["country", "day"])
    hits = {**COLUMNS, "hit": [p >= 0.5 for p in COLUMNS["proba"]]}
    card = cb.evaluate_frame(folder / name, "y", "proba", threshold=0.5, **QUICK)
    assert cells(card) == by_hand(hits, "hit")
    weighed = cb.evaluate_frame(name, "y", "tree", weight="day", by="country", **QUICK)
    assert cells(weighed) == by_hand(COLUMNS, "tree", by=["country"], weight=COLUMNS["day"])


def test_a_format_is_one_class(folder, monkeypatch):
    class Arrow(files.TableFile):
        noun = "Arrow"
        endings = (".arrow",)
        magic = b"ARROW1"
        damage = "is a damaged Arrow file"

        def _lazy(self):
            return pl.scan_ipc(self.source.path)

    pl.DataFrame(COLUMNS).write_ipc("p.arrow")
    with pytest.raises(ValueError, match="Arrow \\(Feather\\) file; save the table as"):
        cb.evaluate_frame("p.arrow", "y", "tree", **QUICK)
    monkeypatch.setattr(files, "FORMATS", (*files.FORMATS, Arrow))
    card = cb.evaluate_frame("p.arrow", "y", "tree", by="country", **QUICK)
    assert cells(card) == by_hand(COLUMNS, "tree", by=["country"])
    (folder / "p.arrow").write_bytes((folder / "p.arrow").read_bytes()[:200])
    with pytest.raises(ValueError, match="is a damaged Arrow file"):
        cb.evaluate_frame("p.arrow", "y", "tree", **QUICK)


def test_many_files_of_many_kinds_are_one_table(folder):
    (folder / "a.csv").write_text(CSV)
    parquet("b.parquet")
    (folder / "c.jsonl").write_text(LINES)
    once = by_hand(COLUMNS, "tree", by=["country"])
    card = cb.evaluate_frame(["a.csv", "b.parquet", "c.jsonl"], "y", "tree", by="country", **QUICK)
    assert cells(card) == {group: tuple(3 * cell for cell in four) for group, four in once.items()}
    typed = cb.evaluate_frame(["b.parquet", "c.jsonl"], "y", "tree", by="day", **QUICK)
    assert cells(typed)[None] == tuple(2 * cell for cell in once[None])
    (folder / "turned.csv").write_text("extra;tree;y\nx;1;0\nx;1;1\n")
    pl.DataFrame({"y": [True], "tree": [1]}).write_parquet("truth.parquet")
    mixed = cb.evaluate_frame(["turned.csv", "truth.parquet"], "y", "tree", **QUICK)
    assert cells(mixed)[None] == (2, 1, 0, 0)


def test_a_pattern_names_many_files_and_each_may_be_a_slice(folder):
    (folder / "runs").mkdir()
    for part in range(4):
        rows = CSV.splitlines()[1 + 100 * part : 101 + 100 * part]
        (folder / "runs" / f"part-{part}.csv").write_text("\n".join([",".join(COLUMNS), *rows]) + "\n")
    whole = by_hand(COLUMNS, "tree")[None]
    assert cells(cb.evaluate_frame("runs/*.csv", "y", "tree", **QUICK))[None] == whole
    card = cb.evaluate_frame("**/part-*.csv", "y", "tree", by_file=True, **QUICK)
    assert card.groups == (None, *(str(Path("runs", f"part-{part}.csv")) for part in range(4)))
    assert cells(card)[card.groups[1]] == matrix(COLUMNS["y"][:100], COLUMNS["tree"][:100])
    both = cb.evaluate_frame("runs/*.csv", "y", "tree", by="country", by_file=True, **QUICK)
    assert ("nl", str(Path("runs", "part-0.csv"))) in both.groups
    assert refused("runs/*.parquet") == "no file matches runs/*.parquet."
    (folder / "odd[1].csv").write_text(CSV)
    assert cells(cb.evaluate_frame("odd[1].csv", "y", "tree", **QUICK))[None] == whole


@pytest.mark.parametrize(
    "rows",
    [("1,0", "0,1"), ('"1","0"', "0,1"), (" 1, 0", "0 ,1"), ("1.0,0e0", "0.0,1"), ("+1,00e0", "0,1.00"),
     ("true,false", "False,TRUE")],
    ids=str,
)  # fmt: skip
def test_labels_in_csv_are_what_all_of_them_are(folder, rows):
    """Also where it takes more than a first look to tell."""
    usual = ["1,1", "0,0"] if "true" not in rows[0] else ["true,true", "false,false"]
    (folder / "a.csv").write_text("\n".join(["y,p", *(usual * 100), *rows]) + "\n")
    assert cells(cb.evaluate_frame("a.csv", "y", "p", **QUICK))[None] == (100, 1, 1, 100)


def test_labels_that_turn_up_late_are_met_with_the_right_words(folder):
    usual = "y,p,g\n" + "1,1,a\n0,0,b\n" * 100
    (folder / "three.csv").write_text(usual + "2,1,a\n")
    classes = cb.evaluate_frame("three.csv", "y", "p", measures="accuracy", intervals=False)
    assert str(classes).startswith('201 samples of 3 classes (100 "0", 100 "1", 1 "2").')
    (folder / "null.csv").write_text(usual + "NA,1,a\n,0,b\n")
    assert refused("null.csv", "y", "p").startswith("y_true (column 'y') has 2 missing values.")
    card = cb.evaluate_frame("null.csv", "y", "p", by="g", nulls="drop", **QUICK)
    assert cells(card) == {None: (100, 0, 0, 100), "a": (100, 0, 0, 0), "b": (0, 0, 0, 100)}
    assert card.notes == ("2 rows with a missing value left out.",)
    for content, options, says in (
        (usual + "yes,1,a\n", {"by": "g"}, "y_true holds text but y_pred holds numbers; use one kind of l"),
        (usual + "1,1,\n0,0, \n", {"by": "g"}, "by (column 'g') has 2 missing values."),
        ("y,p,w\n1,1,3\n0,0,many\n", {"weight": "w"}, "weight (column 'w') must hold numbers; f.csv has 'm"),
        ("y,p\n1,0.75\n0,NA\n0,high\n", {"threshold": 0.5}, "y_pred (column 'p') must hold numbers; f.csv h"),
    ):
        (folder / "f.csv").write_text(content)
        assert refused("f.csv", "y", "p", **options).startswith(says)


@pytest.mark.parametrize("by", [None, "g"])
@pytest.mark.parametrize("quoted", [False, True])
def test_blank_lines_are_no_rows_and_short_and_long_ones_are_refused(folder, by, quoted):
    one, other = ('"1",1,"x"', "0,0,y") if quoted else ("1,1,x", "0,0,y")
    lines = ["y,p,g", one, "", other, "   ", one, "", ""]
    (folder / "a.csv").write_text("\n".join(lines))
    assert cells(cb.evaluate_frame("a.csv", "y", "p", by=by, **QUICK))[None] == (2, 0, 0, 1)
    for last, number in (("1,1", 2), ("1,1,x,z", 4)):
        (folder / "a.csv").write_text("\n".join([*lines, last]))
        assert refused("a.csv", "y", "p", by=by) == (
            f"a.csv has ragged rows: line 9 has {number} values where the header names 3 columns."
        )


def test_json_lines_whose_first_records_do_not_show_all(folder):
    rows = '{"p": 1, "y": 1}\n' * 300
    (folder / "late.jsonl").write_text('{"p": 1}\n' * 300 + '{"p": 1, "y": 1}\n')
    assert refused("late.jsonl", "y", "p").startswith("y_true (column 'y') has 300 missing values.")
    (folder / "kinds.jsonl").write_text(rows + '{"p": 0, "y": 0.0}\n')
    assert cells(cb.evaluate_frame("kinds.jsonl", "y", "p", **QUICK))[None] == (300, 0, 0, 1)
    (folder / "cut.jsonl").write_text(rows + '{"p": 1, "y"')
    assert refused("cut.jsonl", "y", "p").startswith("cut.jsonl is not JSON-lines, one record per line (")


def test_of_several_files_the_broken_one_is_named(folder):
    (folder / "good.csv").write_text(CSV)
    parquet("whole.parquet")
    content = (folder / "whole.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(content[:-20])
    (folder / "holed.parquet").write_bytes(content[:100] + bytes(200) + content[300:])
    (folder / "latin.csv").write_bytes(CSV.encode() + b"1,1,1,0.5,\xe9,1\n")
    for good, bad, says in (
        ("whole.parquet", "cut.parquet", "is a damaged or truncated Parquet file ("),
        ("whole.parquet", "holed.parquet", "is a damaged"),
        ("good.csv", "latin.csv", "is not UTF-8 text (byte 0xE9 in"),
    ):
        assert refused([good, bad], by="country").startswith(f"{bad} {says}")


HOSTILE = ["'; DROP TABLE x; --", "<script>alert(1)</script>", "^.*$", "a,b", 'q"q', "*"]


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_names_in_files_are_data(folder, kind):
    table = pl.DataFrame(dict(zip(HOSTILE, COLUMNS.values(), strict=True)))
    path = str(folder / f"{HOSTILE[0]}.{kind}")
    {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}[kind](path)
    card = cb.evaluate_frame(path, HOSTILE[0], HOSTILE[1:3], by=[HOSTILE[4], HOSTILE[5]], **QUICK)
    assert cells(card, 0) == by_hand(COLUMNS, "tree", by=["country", "day"])
    assert "<script>" not in card._repr_html_()


def test_a_file_that_is_named_twice_is_refused(folder):
    (folder / "p.csv").write_text(CSV, encoding="utf-8")
    (folder / "copy.csv").write_text(CSV, encoding="utf-8")
    (folder / "link.csv").symlink_to("p.csv")
    (folder / "hard.csv").hardlink_to(folder / "p.csv")
    assert refused(["p.csv", "copy.csv", "p.csv"]) == (
        "p.csv is named twice; name it once, or its rows are counted twice."
    )
    for other in ("link.csv", "hard.csv", "./p.csv", str(folder / "p.csv"), "p.cs*"):
        message = refused(["p.csv", other], by_file=True)
        assert message.endswith("; name it once, or its rows are counted twice."), message
        assert "p.csv and " in message or "p.csv is named twice" in message
    twice = cb.evaluate_frame(["p.csv", "copy.csv"], "y", "tree", **QUICK)
    assert cells(twice)[None] == tuple(2 * cell for cell in matrix(COLUMNS["y"], COLUMNS["tree"]))


def test_a_byte_order_mark_before_json_is_said(folder):
    marked = b"\xef\xbb\xbf" + LINES.encode()
    for name, data in (("p.jsonl", marked), ("p.ndjson.gz", gzip.compress(marked, mtime=0))):
        (folder / name).write_bytes(data)
        assert refused(name) == f"{name} begins with a byte-order mark, which JSON has not; save it without."


@pytest.mark.skipif(sys.platform in {"darwin", "win32"}, reason="File names are Unicode there.")
def test_a_file_whose_name_is_no_utf8_is_refused_by_its_name(folder):
    name = os.fsdecode(b"p\xff.csv")
    (folder / name).write_text(CSV, encoding="utf-8")
    told = "the name of p\\udcff.csv is not UTF-8 text; give the file another one."
    assert refused(name) == refused(Path(name)) == refused("p*.csv") == told


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
