"""Files as they are read to be judged: what is taken, and the sentence for everything that is not."""

import errno
import gzip
import os
import pickle
import stat
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines import QUICK, refused

import clearbar as cb
from clearbar.data.file_tables import column_names
from clearbar.data.files import errors_of_reading
from clearbar.data.polars_engine import typed
from clearbar.data.query import MissingColumnError


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Write a file into an empty folder that is the current one; return its name."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return name

    return write


def cells(paths, **options):
    """Return tp, fp, fn and tn."""
    return tuple(cell.item() for cell in cb.evaluate_frame(paths, "y", "a", **QUICK, **options).counts.cells)


def refusal(paths):
    return refused(paths, "y", "a")


PLAIN = pl.DataFrame({"y": [1, 0, 1], "a": [0, 1, 1]})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.CSV", "y,a\n1,0\n0,1"),
        ("a.csv", "y,a\r\n1,0\r\n0,1\r\n"),
        ("a.csv", "y,a\r1,0\r0,1\r"),
        ("a.csv", "\ufeffy,a\n1,0\n0,1\n"),
        ("a.csv", '"y","a"\n"1","0"\n"0","1"\n'),
        ("a.csv", "y|a\n1|0\n0|1\n"),
        ("a.tsv", "y\ta\tnote, long\n1\t0\tx\n0\t1\ty\n"),
        ("a.csv", 'a,y,note\n0,1,"said, once"\n1,0,\n'),
        ("a.csv", gzip.compress(b"y,a\n1,0\n0,1\n", mtime=0)),
    ],
)
def test_tables_of_text_are_read_however_they_are_written(file, name, content):
    assert cells(file(name, content)) == (0, 1, 1, 0)


@pytest.mark.parametrize(
    ("values", "expected", "dtype"),
    [
        (["1", "+0", "-1"], [1, 0, -1], pl.Int64),
        (["0.25", "1e-3", ".5", "1."], [0.25, 0.001, 0.5, 1.0], pl.Float64),
        (["True", "FALSE", "true"], [True, False, True], pl.Boolean),
        ([" yes", "yes "], ["yes", "yes"], pl.String),
        (["1", "NA", "nan", ""], [1, None, None, None], pl.Int64),
        (["spam", "NA", ""], ["spam", "NA", None], pl.String),
        (["", "NA"], [None, None], pl.Int64),
        (["01", "1"], ["01", "1"], pl.String),
        (["1", "inf"], ["1", "inf"], pl.String),
        (["12345678901234567890", "1"], ["12345678901234567890", "1"], pl.String),
    ],
)
def test_text_becomes_what_all_of_its_values_are(values, expected, dtype):
    found = typed(pl.Series("c", values))
    assert (found.to_list(), found.dtype) == (expected, dtype)


@given(
    st.lists(st.integers(-(10**17), 10**17), min_size=1)
    | st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1)
)
def test_numbers_survive_to_the_last_digit(values):
    assert typed(pl.Series("c", [repr(value) for value in values])).to_list() == values


def test_a_late_label_changes_the_type_of_the_whole_column(file):
    name = file("late.csv", "y,a\n" + "1,0\n0,0\n" * 3000 + "0,maybe\n")
    assert "y_pred holds '0': 6,000, 'maybe': 1 samples" in refusal(name)


def test_text_with_separators_and_line_breaks_is_kept(file):
    name = file("q.csv", 'y,a\n"1,2","x\ny"\n"1,2","1,2"\n"x\ny","1,2"\n')
    assert cells(name, pos_label="1,2") == (1, 1, 1, 0)


def test_a_header_says_where_columns_are_missing_or_twice(file):
    name = file("p.csv", "y,tree,knn,forest\n1,0,0,0\n")
    with pytest.raises(MissingColumnError, match=r"^no column 'tre' in p.csv. It has: tree, y, kn") as caught:
        cb.evaluate_frame(name, "y", "tre")
    assert caught.value.columns == ("y", "tree", "knn", "forest")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301 - our own
    twice = file("t.csv", "y,a,a\n1,0,1\n")
    assert refusal(twice) == "t.csv has 2 columns named 'a' (columns 2 and 3); give each its own name."
    assert column_names(twice) == ("y", "a", "a")
    pl.DataFrame({"y": [1]}).write_parquet("p.parquet")
    assert refused([name, "p.parquet"]) == "no column 'tree' in p.parquet. It has: y."
    assert refusal(file("colon.csv", "y:a\n1:1\n")) == "no column 'y' in colon.csv. It has: y:a."


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("f.csv", "\n\n  ", "f.csv is empty."),
        ("f.csv", "y,a\n\n\n", "f.csv has columns but no rows."),
        ("f.csv", "\ny,a\n1,0\n", "the first line of f.csv is blank; it must name the columns."),
        ("f.csv", 'y,a\n"1\n1",0\n1\n', "f.csv has ragged rows: line 4 has 1 value where the header names 2 columns."),  # noqa: E501
        ("f.csv", 'y,a\n"1,0\n0,1\n', "f.csv is not CSV: a quote is opened and never closed."),
        ("f.csv", b"y,a\n1,\x00\n", "f.csv holds binary data, not CSV."),
        ("f.csv", "y,é\n1,0\n".encode("latin-1"), "f.csv is not UTF-8 text (byte 0xE9 in line 1); save it as UTF-8."),  # noqa: E501
        ("f.csv", "y,a\n1,0\n".encode("utf-16"), "f.csv is UTF-16 text; save it as UTF-8."),
        ("f.csv.gz", gzip.compress(b"y,a\n1,0\n" * 99, mtime=0)[:-12], "f.csv.gz is a damaged or truncated gzip file."),  # noqa: E501
        ("f.xlsx", b"PK\x03\x04rest", "f.xlsx is a zip archive or an Excel workbook; save the table as CSV."),
        ("f.csv.zst", b"\x28\xb5\x2f\xfdrest", "f.csv.zst cannot be read: truncated compressed stream."),
        ("f.json", "{}", "cannot tell from its name what f.json holds. Files end in .csv, .tsv, .tab, .txt, .jsonl, .ndjson, .jsonlines (or these and .gz or .zst), .parquet, .pq or .parq."),  # noqa: E501
        ("f.parquet", "y,a\n1,0\n", "f.parquet is not a Parquet file: it does not begin as one. If it is CSV, let its name end in .csv."),  # noqa: E501
        ("f.parquet.gz", gzip.compress(b"PAR1", mtime=0), "f.parquet.gz is a packed Parquet file; unpack it."),  # noqa: E501
    ],
)  # fmt: skip
def test_files_that_are_no_tables_are_told_in_a_sentence(file, name, content, message):
    assert refusal(file(name, content)) == message


def test_errors_far_into_a_file_name_their_line(file):
    rows = "1,0\n" * 40_000
    for content, says in (
        (f"y,a\n{rows}".encode() + b"caf\xe9,1\n", "is not UTF-8 text (byte 0xE9 in line 40,002); save it"),
        (f"y,a\n{rows}1,0,1\n{rows}", "has ragged rows: line 40,002 has 3 values where the header names 2"),
        (f'y,a\n1,"{"x" * 200_000}\n', "is not CSV: near line 2 a single value is longer than 131,072"),
        ('y,a\n1,"0"x\n', "is not CSV: line 2 has text beside a quote"),
    ):
        assert refusal(file("f.csv", content)).startswith(f"f.csv {says}")


def test_truncated_parquet_and_parquet_without_rows(file):
    PLAIN.write_parquet("a.parquet")
    name = file("cut.parquet", Path("a.parquet").read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"cut\.parquet is a damaged or truncated Parquet file"):
        column_names(name)
    for empty in ("none.parquet", "other.parquet"):
        PLAIN.clear().write_parquet(empty)
    assert refusal("none.parquet") == "none.parquet has columns but no rows."
    assert refusal(["none.parquet", "other.parquet"]) == "none of 2 files has a row."


def test_files_of_different_kinds_of_labels(file):
    tables = {"text": "yes", "number": 1, "none": None}
    for name, label in tables.items():
        pl.DataFrame({"y": [label or 1], "a": [label]}, strict=False).write_parquet(f"{name}.parquet")
    assert refusal(["text.parquet", "number.parquet"]) == (
        "column 'y' holds text in text.parquet but numbers in number.parquet; make it one kind in all files."
    )
    name = file("c.csv", "y,a\nyes,yes\nno,yes\n")
    assert cells([name, "text.parquet"], pos_label="yes") == (2, 1, 0, 0)
    assert cells(["number.parquet", "none.parquet"], nulls="drop") == (1, 0, 0, 0)


def test_what_is_not_there_or_no_file(file, tmp_path):
    file("predictions.csv", "y,a\n1,0\n")
    (tmp_path / "folder.csv").mkdir()
    null = os.devnull
    for path, says in (
        ("prediction.csv", "there is no file prediction.csv. Did you mean predictions.csv?"),
        ("x.parquet", "there is no file x.parquet."),
        ("no/x.csv", "there is no folder no."),
        ("folder.csv", "folder.csv is a folder; name the files in it, such as folder.csv/*.csv."),
        (null, f"{null} is no ordinary file and cannot be read twice; save it as one first."),
        ([], "name at least one file to read."),
        ("a\0.csv", "there is no file 'a\\x00.csv'."),
    ):
        assert refusal(path) == says
    assert refusal("x" * 300).startswith("x" * 60 + "... cannot be read: file name too long")
    assert "is in a remote store" in refusal("s3://bucket/predictions.csv")


def test_what_must_not_be_read(file):
    name = file("secret.csv", "y,a\n1,0\n")
    denied = pytest.raises(ValueError, match=r"secret\.csv cannot be read: permission denied\.")
    with denied, errors_of_reading(name):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    Path(name).chmod(0)
    if os.access(name, os.R_OK):  # the superuser reads everything
        Path(name).chmod(stat.S_IRUSR)
        return
    assert refusal(name) == "secret.csv cannot be read: permission denied."
