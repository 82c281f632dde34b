"""Logs that are damaged, endless, too large or of strange names: a sentence, and not much memory."""

import gzip
import json
import os
import pathlib
import tracemalloc
import zipfile

import pytest
from tests.harness import choice_sample, inspect_log, inspect_sample, open_sample, write_log, write_samples

import clearbar as cb
from clearbar.data import logs

UGLY = ["\x1b[31m", "\x07", "\r", "\u202e", "\x9b"]


def test_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "pipe.json"
    os.mkfifo(path)
    with pytest.raises(ValueError, match="is no ordinary file; save the log as one first"):
        cb.evaluate_logs(path)


def test_deep_json_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)
    with pytest.raises(ValueError, match="its JSON is nested too deeply"):
        cb.evaluate_logs(path)
    sample = json.dumps(choice_sample(0, 3, 1, 1)).replace('"Question 0?"', "[" * 100_000 + "]" * 100_000, 1)
    place = tmp_path / "m" / "samples_t_2026-11-01T10-20-30.jsonl"
    place.parent.mkdir()
    place.write_text(sample)
    with pytest.raises(ValueError, match="its JSON is nested too deeply"):
        cb.evaluate_logs(place)
    target = write_samples(tmp_path, "m", "u", [open_sample(0, "[" * 5000 + "]" * 5000, "x")])
    assert cb.evaluate_logs(target).models == ("m",)


@pytest.fixture
def bomb(tmp_path):
    """300 MB of blanks, and as much in lines of 16 MB, packed."""
    whole, lines = tmp_path / "whole.json", tmp_path / "samples_t_2026-11-01T10-20-30.jsonl.gz"
    block = b" " * 2**20
    with gzip.open(whole, "wb", compresslevel=1) as file:
        file.write(b"{")
        for _ in range(300):
            file.write(block)
    with gzip.open(lines, "wb", compresslevel=1) as file:
        for _ in range(20):
            file.write(block * 16 + b"\n")
    return whole, lines


@pytest.mark.slow
def test_packed_files_that_unpack_to_very_much_are_refused(bomb):
    """What is held is at most twice the cap of 128 MiB; lines are held one by one."""
    whole, lines = bomb
    for path, match, most in (
        (whole, "unpacks to more than 128 MiB; unpack it first", 2**28 + 2**24),
        (lines, "is empty", 2**26),
    ):
        tracemalloc.start()
        with pytest.raises(ValueError, match=match):
            cb.evaluate_logs(path)
        assert tracemalloc.get_traced_memory()[1] < most
        tracemalloc.stop()


def test_caps_count_the_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "MOST_LINES", 3000)
    lines = [open_sample(at, "a", "ab"[at % 2]) for at in range(10)]
    path = pathlib.Path(write_samples(tmp_path, "m", "t", lines))
    assert cb.evaluate_logs(path).models == ("m",), "what is not packed may be as long as it is"
    packed = tmp_path / "n" / f"{path.name}.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(ValueError, match="unpacks to more than 0 MiB"):
        cb.evaluate_logs(packed)
    monkeypatch.setattr(logs, "LONGEST_LINE", len(path.read_bytes()))
    path.write_text(json.dumps(lines[0]) + "\n" + json.dumps({**lines[1], "long": "x" * 5000}) + "\n")
    with pytest.raises(ValueError, match=r"line 2 of .* has more than 0 MiB"):
        cb.evaluate_logs(path)


def test_archives_that_unpack_to_very_much_are_refused(tmp_path):
    log = inspect_log("m", "t", [])
    path = tmp_path / "bomb.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(
            "header.json", json.dumps({name: log[name] for name in ("version", "status", "eval")})
        )
        with archive.open("samples/1_epoch_1.json", "w", force_zip64=True) as file:
            for _ in range(140):
                file.write(b" " * 2**20)
    with pytest.raises(ValueError, match=r"samples/1_epoch_1.json in .* unpacks to more than 128 MiB"):
        cb.evaluate_logs(path)


def test_archives_that_are_no_logs(tmp_path):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "x")
    with pytest.raises(ValueError, match=r"is an archive without header.json, which Inspect's logs have"):
        cb.evaluate_logs(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "[1]")
    with pytest.raises(ValueError, match=r"header.json in .* is no header of a log of Inspect"):
        cb.evaluate_logs(path)


@pytest.mark.parametrize("ugly", UGLY)
def test_control_characters_of_names_do_not_reach_a_reader(tmp_path, ugly):
    for model in ("a", f"b{ugly}c"):
        for task in ("t", f"u{ugly}v"):
            samples = [inspect_sample(at, "AB"[at % 2], "A", "CI"[at % 2], ["x", "y"]) for at in range(8)]
            path = pathlib.Path(write_log(tmp_path, f"m{len(list(tmp_path.iterdir()))}", "t", samples))
            log = json.loads(path.read_text())
            log["eval"] |= {"model": model, "task": task}
            path.write_text(json.dumps(log))
    card = cb.evaluate_logs(tmp_path)
    board = card.leaderboard()
    boards = board.to_text(), board.to_text(width=40), board.to_markdown(), board.to_task_markdown()
    for shown in (*boards, board.to_latex(), card, card.explain("accuracy", model="a")):
        assert ugly not in str(shown).replace("\r\n", "\n")
