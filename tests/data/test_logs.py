"""Logs of two harnesses as rows of a long table, and what is said of a file that cannot be read."""

import gzip
import json
import pathlib

import pytest
from tests.harness import (
    choice_sample,
    in_columns,
    in_rows,
    inspect_sample,
    open_sample,
    write_log,
    write_samples,
)

import clearbar as cb
from clearbar.data.logs import read_logs
from clearbar.data.tasks import tasks_of


def rows(*paths, **options):
    return in_rows(read_logs(list(paths), **options).answers)


def test_multiple_choice_of_lm_eval(tmp_path):
    samples = [choice_sample(0, 4, 2, 2), choice_sample(1, 5, 4, 0), choice_sample(2, 2, 0, 1)]
    first, second, third = rows(write_samples(tmp_path, "org__small", "arc_easy", samples))
    assert first[:8] == ("org__small", "arc_easy", 0, 2, 2, 4, True, None)
    assert (second.gold, second.answer, second.options, second.right) == (4, 0, 5, False)
    assert (third.options, third.answer, third.right) == (2, 1, False)


def test_generated_answers_of_lm_eval(tmp_path):
    samples = [
        open_sample(0, "42", "42"),
        open_sample(1, "7", "eight"),
        open_sample(2, "['a', 'b']", "b", exact_match=1),
    ]
    first, second, third = rows(write_samples(tmp_path, "m", "gsm8k_cot", samples))
    assert first[:8] == ("m", "gsm8k_cot", 0, "42", "42", None, True, None)
    assert (second.gold, second.answer, second.right) == ("7", "eight", False)
    assert (third.gold, third.right) == (("a", "b"), True)


def test_targets_of_lm_eval_are_positions_or_texts(tmp_path):
    by_text = choice_sample(0, 3, 1, 1, target="option 1")
    unknown = choice_sample(1, 3, 1, 1, target="something else")
    alike = choice_sample(2, 2, 1, 1, target="and won")  # Winogrande: options stand in the questions
    for at, request in enumerate(alike["arguments"].values()):
        request.update(arg_0=f"Option {at}", arg_1=" and won")
    told, untold, wino = rows(write_samples(tmp_path, "m", "t", [by_text, unknown, alike]))
    assert told.gold == 1
    assert untold.gold is None
    assert (wino.gold, wino.options, wino.right) == (None, 2, True)


def test_requests_of_older_versions_are_lists_and_mutual_information_asks_twice(tmp_path):
    sample = choice_sample(0, 3, 1, 2)
    sample["arguments"] = [list(request.values()) for request in sample["arguments"].values()]
    del sample["metrics"], sample["filter"]
    (row,) = rows(write_samples(tmp_path, "m", "t", [sample]))
    assert (row.gold, row.answer, row.options, row.right) == (1, 2, 3, False)
    (row,) = rows(write_samples(tmp_path, "m", "u", [choice_sample(0, 6, 1, 2, acc_mutual_info=0.0)]))
    assert row.options == 3


def test_metrics_and_filters_are_chosen(tmp_path):
    normed = [choice_sample(0, 3, 1, 2, acc_norm=1.0)]
    path = write_samples(tmp_path, "m", "t", normed)
    assert [row.right for row in rows(path)] == [False]
    (row,) = rows(path, metrics=("acc_norm",))
    assert row.right
    assert row.answer is None  # acc_norm goes by another answer than the likeliest one
    twice = [open_sample(0, "42", said, name) for name, said in (("strict", "no"), ("flexible", "42"))]
    path = write_samples(tmp_path, "m", "g", twice)
    assert [row.right for row in rows(path, wanted="flexible")] == [True]
    with pytest.raises(ValueError, match="2 filters made it, 'strict' and 'flexible'; name one"):
        rows(path)


def test_logs_of_inspect(tmp_path):
    choices = ["Paris", "Rome", "Bern"]
    samples = [
        inspect_sample(1, "B", "B", "C", choices),
        inspect_sample(2, ["A"], "C", "I", choices),
        inspect_sample(3, "Bern", "", "N", choices),
        inspect_sample(4, "C", "A, C", "I", choices),
    ]
    got = rows(write_log(tmp_path, "org/large", "geo", samples))
    assert got[0][:8] == ("org/large", "geo", 1, "B", "B", 3, True, None)
    assert [(row.gold, row.answer, row.right) for row in got[1:]] == [
        ("A", "C", False), ("C", "", False), ("C", "", False),
    ]  # fmt: skip
    opened = [
        inspect_sample(1, " Yes", "Yes", 1),
        inspect_sample(2, ["a", "b"], "b", True),
        inspect_sample(3, "", "x", 0.0),
    ]
    got = rows(write_log(tmp_path, "m", "open", opened))
    assert [(row.gold, row.answer, row.options, row.right) for row in got] == [
        ("Yes", "Yes", None, True), (("a", "b"), "b", None, True), (None, "x", None, False),
    ]  # fmt: skip


def test_many_options_are_numbers_and_small_letters_are_options_too(tmp_path):
    choices = [f"option {n}" for n in range(30)]
    samples = [inspect_sample(n, f"option {n}", "B", "I", choices) for n in (2, 28)]
    got = rows(write_log(tmp_path, "m", "many", samples))
    assert [(row.gold, row.answer, row.options) for row in got] == [(2, 1, 30), (28, 1, 30)]
    small = [inspect_sample(1, "b", "b", "C", ["x", "y"]), inspect_sample(2, "b", "a", "I", ["a", "c", "b"])]
    got = rows(write_log(tmp_path, "m", "small", small))
    assert [(row.gold, row.answer) for row in got] == [("B", "B"), ("C", "A")]


def test_epochs_of_inspect_belong_together(tmp_path):
    samples = [inspect_sample(n, "x", "x", "C", epoch=epoch) for epoch in (1, 2) for n in (1, 2)]
    got = rows(write_log(tmp_path, "m", "t", samples))
    assert [(row.item, row.cluster) for row in got] == [((1, 1), 1), ((2, 1), 2), ((1, 2), 1), ((2, 2), 2)]


def test_an_unscored_sample_is_missing(tmp_path):
    failed = {**inspect_sample(3, "x", None, "C"), "scores": None, "error": {"message": "timed out"}}
    samples = [inspect_sample(1, "x", "x", "C"), inspect_sample(2, "x", None, float("nan")), failed]
    path = write_log(tmp_path, "m", "t", samples)
    assert [row.right for row in rows(path)] == [True, None, None]
    with pytest.raises(ValueError, match="2 of 3 items of task 't' were not answered by all models"):
        tasks_of(in_columns(rows(path)))
    _, (task,), left_out = tasks_of(in_columns(rows(path)), drop=True)
    assert task.items == (1,)
    assert left_out == {"t": 2}


def test_packed_files_and_patterns(tmp_path):
    path = pathlib.Path(write_samples(tmp_path, "m", "t", [choice_sample(0, 3, 1, 2)]))
    packed = tmp_path / "n" / "samples_t_2026-01-01T00-00-00.jsonl.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert [row.model for row in rows(str(tmp_path / "*" / "samples_*"))] == ["m", "n"]


HEAD = {"task": "t", "model": "m"}


def log(*samples):
    return {"eval": HEAD, "samples": [*samples]}


def scored(**scores):
    return log({"id": 1, "target": "x", "scores": scores})


BAD = {
    "no harness": ({"rows": []}, "neither samples of lm-evaluation-harness.*a table of answers is"),
    "totals": ({"results": {}, "configs": {}}, r"has only totals .* its answers are in samples_\*.jsonl"),
    "no text": (None, "is empty"),
    "no samples": ({"eval": HEAD, "samples": None}, "holds no samples"),
    "no score": (scored(), "answers without a score"),
    "several scorers": (
        scored(a={"value": 1}, b={"value": 1}),
        "by 'a' and 'b', of which one must say whether it is right; name it, such as metric='a'",
    ),
    "no credit": (
        log(inspect_sample(1, "x", "y", 3)),
        r"'match' of item 1 of .* is 3; answers are judged as right \(1\), wrong \(0\) or a share",
    ),
    "sample no object": (log(3), "sample 1 of .* is 3, where"),
    "several right": (log(inspect_sample(1, "AB", "A", "I", ["x", "y"])), "of which several are right"),
}


@pytest.mark.parametrize("what", BAD)
def test_other_files_are_refused_in_a_sentence(tmp_path, what):
    content, match = BAD[what]
    path = tmp_path / "log.json"
    path.write_text("" if content is None else json.dumps(content))
    with pytest.raises(ValueError, match=match):
        rows(str(path))


def test_damaged_lines_are_named(tmp_path):
    path = pathlib.Path(write_samples(tmp_path, "m", "t", [choice_sample(0, 3, 1, 2)]))
    whole = path.read_text()
    path.write_text(whole + "[1, 2]\n")
    with pytest.raises(ValueError, match=r"line 2 of .* is no JSON object: '\[1, 2\]'"):
        rows(str(path))
    sample = json.loads(whole)
    del sample["target"]
    path.write_text(json.dumps(sample))
    with pytest.raises(ValueError, match=r"line 1 of .* lacks 'target'"):
        rows(str(path))
    for field, value, match in (
        ("doc_id", [1], r"'doc_id' of line 1 of .* is \[1\]; a whole number or text belongs there"),
        ("arguments", [1, 2, 3], "a list for each request belongs there"),
        ("filtered_resps", [["x", "False"]] * 3, "the likelihood 'x', which is no number"),
    ):
        path.write_text(json.dumps({**sample, "target": "0", field: value}))
        with pytest.raises(ValueError, match=match):
            rows(str(path))
    archive = tmp_path / "log.eval"
    archive.write_bytes(b"PK\x03\x04rest")
    with pytest.raises(ValueError, match="is a damaged or truncated archive"):
        rows(str(archive))
    archive.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="no UTF-8 text"):
        rows(str(archive))


def test_two_runs_of_one_model_are_refused(tmp_path):
    one = write_samples(tmp_path, "m", "t", [choice_sample(0, 3, 1, 2)])
    other = one.replace("2026-11-01", "2026-12-01")
    pathlib.Path(other).write_bytes(pathlib.Path(one).read_bytes())
    with pytest.raises(ValueError, match="both hold answers of 'm' to 't'; name one of them"):
        cb.evaluate_logs([one, other])
