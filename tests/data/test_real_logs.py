"""Logs that both harnesses wrote themselves (tests/data/logs/make.py): each task has the bar of its kind.

`constant` and `random` answer without looking, so that neither may ever clear a bar surely.
"""

import collections
import gzip
import json
import math
import pathlib
import shutil
import statistics
import zipfile
from fractions import Fraction

import pytest

import clearbar as cb
from clearbar.cli import main

LOGS = pathlib.Path(__file__).parent / "logs"
LM_EVAL = LOGS / "lm_eval"
ROOMS = json.loads(gzip.decompress((LOGS / "inspect" / "rooms.json.gz").read_bytes()))
MODELS = ("constant", "knows", "random")
KINDS = {
    "arc_easy": "unlettered",
    "boolq": "classes",
    "gsm8k": "free",
    "hellaswag": "unlettered",
    "humaneval": "none",
    "ifeval": "none",
    "mmlu_pro_rooms": "lettered",
    "mmlu_rooms": "lettered",
    "truthfulqa_mc1": "unlettered",
    "truthfulqa_mc2": "none",
}


def samples(task, model="constant", kept="strict-match"):
    """The lines of one log, those of one filter where there are several."""
    (path,) = (LM_EVAL / model).glob(f"samples_{task}_*")
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    return [line for line in lines if line["filter"] == kept] or lines


@pytest.fixture(scope="module")
def card():
    return cb.evaluate_logs(str(LM_EVAL), filter="strict-match")


def cell(card, model, task, measure="accuracy"):
    return next(v for v in card if (v.model, v.group, v.measure.name) == (model, task, measure))


def bar(card, task):
    return float(card.bar(0, card.groups.index(task)).value)


def golds(task):
    """What is right by the items themselves, which every log repeats."""
    return [line["doc"] for line in samples(task)]


def test_each_task_is_of_its_kind(card):
    assert card.groups[1:] == tuple(KINDS)
    assert {task.name: task.kind for task in card.problem.tasks} == KINDS
    certified = {name: bool(card.bar(0, at).certified) for at, name in enumerate(card.groups) if at}
    assert certified == {name: kind not in {"free", "none"} for name, kind in KINDS.items()}


def test_bars_are_those_of_the_items(card):
    """From the documents, whatever the reader makes of the lines."""
    by_number = collections.defaultdict(collections.Counter)
    for doc in golds("mmlu_pro_rooms"):
        by_number[len(doc["options"])][doc["answer"]] += 1
    best = sum(max(own.values()) for own in by_number.values())
    assert bar(card, "mmlu_pro_rooms") == float(Fraction(best, 36))
    assert len(by_number) == 3
    mmlu = collections.Counter(doc["answer"] for doc in golds("mmlu_rooms"))
    assert bar(card, "mmlu_rooms") == max(mmlu.values()) / 36
    boolq = collections.Counter(doc["label"] for doc in golds("boolq"))
    assert bar(card, "boolq") == max(boolq.values()) / 36
    assert card.bar(0, card.groups.index("boolq")).attained_by.always == ("no", "yes")[boolq[1] > boolq[0]]
    numbers = {
        "arc_easy": [len(doc["choices"]["text"]) for doc in golds("arc_easy")],
        "hellaswag": [4] * 36,
        "truthfulqa_mc1": [len(doc["mc1_targets"]["choices"]) for doc in golds("truthfulqa_mc1")],
    }
    for task, options in numbers.items():
        assert bar(card, task) == float(sum(Fraction(1, number) for number in options) / 36)


def test_a_worked_solution_is_no_answer(card):
    """The model that writes 20 scores exactly what always answering 20 scores: it never clears."""
    last = [doc["answer"].split("#### ")[1] for doc in golds("gsm8k")]
    assert bar(card, "gsm8k") == last.count("20") / 36 <= max(map(last.count, last)) / 36
    own = cell(card, "constant", "gsm8k")
    assert (own.outcome, own.sure, own.score) == ("ties", False, last.count("20") / 36)
    assert 'answer "20" to every item' in str(card.bar(0, card.groups.index("gsm8k")))


def test_no_model_that_does_not_look_clears_a_bar_surely(card):
    for verdict in card:
        assert not (verdict.sure and verdict.model != "knows"), verdict
    assert cell(card, "knows", None).sure


def test_a_constant_likelihood_is_right_where_the_first_option_is(card):
    own = cell(card, "constant", "truthfulqa_mc1")
    assert (own.score, own.sure, own.p_value_blind) == (1.0, False, 1.0)
    (said,) = (note for note in card.notes if note.startswith("Several options are equally likely"))
    assert "36 of 36 items of truthfulqa_mc1 (constant)" in said
    assert "mmlu" not in said


def test_tasks_without_a_bar_leave_the_mean_and_are_named(card):
    without = [name for name, kind in KINDS.items() if kind == "none"]
    judged = [name for name in KINDS if name not in without]
    for model in MODELS:
        scores = [cell(card, model, name).score for name in judged]
        assert cell(card, model, None).score == pytest.approx(sum(scores) / len(judged))
        for name in without:
            assert cell(card, model, name).outcome == "undefined"
    assert bar(card, None) == pytest.approx(sum(bar(card, name) for name in judged) / len(judged))
    notes = " ".join(card.notes)
    assert "humaneval, ifeval and truthfulqa_mc2 are left out of the mean, without a bar." in notes
    assert "No bar of humaneval: pass@1 does not compare an answer with its target." in notes
    assert "its target; that is '0' for every item." in notes
    assert "No bar of truthfulqa_mc2: acc gives partial credit." in notes


def test_scores_are_those_of_the_harness(card):
    """Of other metrics too, where they are named."""
    names = {"gsm8k": "exact_match", "mmlu_pro_rooms": "exact_match", "humaneval": "pass@1"}
    names["ifeval"] = "prompt_level_strict_acc"
    normed = cb.evaluate_logs(str(LM_EVAL / "*" / "samples_[ahi]*"), metric="acc_norm")
    own = {name: names.get(name, "acc") for name in KINDS}
    other = {"hellaswag": "acc_norm", "arc_easy": "acc_norm", "ifeval": "prompt_level_strict_acc"}
    for found, metrics in ((card, own), (normed, other)):
        for model in MODELS:
            for task, name in metrics.items():
                values = [float(line[name]) for line in samples(task, model)]
                assert cell(found, model, task).score == pytest.approx(sum(values) / len(values))
    assert bar(normed, "hellaswag") == 0.25


def test_a_kind_can_be_named(card):
    path = str(LM_EVAL)
    named = cb.evaluate_logs(path, filter="strict-match", kind={"boolq": "unlettered", "gsm8k": "none"})
    assert bar(named, "boolq") == 0.5
    assert cell(named, "knows", "gsm8k").outcome == "undefined"
    assert "No bar of gsm8k: its kind was named none." in named.notes
    assert named.best_of("accuracy").model == "knows"
    with pytest.raises(ValueError, match=r"items of task 'gsm8k' .* by kind={'gsm8k': 'none'}"):
        card.best_of("accuracy")
    as_free = cb.evaluate_logs(path, filter="strict-match", kind={"ifeval": "free"})
    right = collections.defaultdict(set)
    for model in MODELS:
        for line in samples("ifeval", model):
            right[line["filtered_resps"][0]] |= {line["doc_id"]} if line["prompt_level_strict_acc"] else set()
    assert bar(as_free, "ifeval") == max(map(len, right.values())) / 36
    assert not as_free.bar(0, as_free.groups.index("ifeval")).certified


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"kind": {"gsm8k": "letters"}}, "kind of task 'gsm8k' is 'letters'; it can be lettered, classes"),
        ({"kind": {"gsm": "free"}}, "kind names the task 'gsm', which is not there; found 'arc_easy'"),
        ({"metric": 3}, "metric must be a list of names; found 3"),
    ],
)
def test_what_no_log_can_be_asked_is_refused(options, match):
    with pytest.raises(ValueError, match=match):
        cb.evaluate_logs(str(LM_EVAL), **{"filter": "strict-match", **options})


def test_archives_hold_what_json_holds():
    for task in ("rooms", "praise"):
        archive, document = (
            cb.evaluate_logs(str(LOGS / "inspect" / f"{task}.{end}")) for end in ("eval", "json.gz")
        )
        assert [str(verdict) for verdict in archive] == [str(verdict) for verdict in document]
        assert archive.notes == document.notes


def test_multiple_choice_and_a_rubric_of_inspect():
    card = cb.evaluate_logs([str(LOGS / "inspect" / f"{task}.eval") for task in ("rooms", "praise")])
    by_number = collections.defaultdict(collections.Counter)
    for sample in ROOMS["samples"]:
        by_number[len(sample["choices"])][sample["target"]] += 1
    best = sum(max(own.values()) for own in by_number.values())
    assert bar(card, "rooms") == float(Fraction(best, 20)) == bar(card, None)
    assert card.bar(0, 1).certified
    own = cell(card, "mockllm/model", "rooms")
    said_b = sum(own["B"] for own in by_number.values())
    assert (own.score, own.sure) == (said_b / 20, False)
    assert cell(card, "mockllm/model", "praise").outcome == "undefined"
    assert "No bar of praise: model_graded_qa does not compare an answer with its target" in " ".join(
        card.notes
    )
    assert "The whole is rooms, the only task with a bar." in card.notes


def test_a_limited_run_is_refused_unless_allowed(capsys):
    path = LOGS / "inspect" / "rooms_limited.eval"
    said = f"{path} is not the log of a whole evaluation: it holds 6 of 20 samples; "
    with pytest.raises(ValueError, match="allow_partial=True judges what is there"):
        cb.evaluate_logs(path)
    assert main(["leaderboard", str(path)]) == 2
    assert said + "add --allow-partial to judge what is there." in capsys.readouterr().err
    assert main(["leaderboard", str(path), "--allow-partial"]) == 0
    out = capsys.readouterr().out
    assert "rooms of mockllm/model is not a whole evaluation: it holds 6 of 20 samples." in " ".join(
        out.split()
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [({"status": "cancelled"}, "its status is 'cancelled'"), ({"invalidated": True}, "it was invalidated")],
)
def test_runs_that_did_not_end_well_are_refused(tmp_path, changes, why):
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**ROOMS, **changes}))
    with pytest.raises(ValueError, match=f"is not the log of a whole evaluation: {why}; allow_partial"):
        cb.evaluate_logs(path)
    card = cb.evaluate_logs(path, allow_partial=True)
    assert card.notes[0] == f"rooms of mockllm/model is not a whole evaluation: {why}."


def test_an_archive_of_a_run_that_goes_on_has_no_header(tmp_path):
    path = tmp_path / "on.eval"
    start = {name: ROOMS[name] for name in ("version", "eval", "plan")}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(start))
        for sample in ROOMS["samples"][:12]:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    with pytest.raises(ValueError, match="its status is 'started' and it holds 12 of 20 samples"):
        cb.evaluate_logs(path)
    card = cb.evaluate_logs(path, allow_partial=True)
    assert int(card.population.total[0]) == 12


def test_the_totals_of_the_other_harness_tell_of_a_limit(tmp_path):
    source = next((LM_EVAL / "constant").glob("samples_mmlu_rooms_*"))
    path = tmp_path / "m" / source.name
    path.parent.mkdir()
    shutil.copy(source, path)
    totals = {"results": {}, "configs": {}, "n-samples": {"mmlu_rooms": {"original": 5000, "effective": 36}}}
    (path.parent / "results_2026-11-01T10-20-30.000000.json").write_text(json.dumps(totals))
    with pytest.raises(ValueError, match="it holds 36 of 5,000 samples"):
        cb.evaluate_logs(path)


@pytest.mark.parametrize("task", ["arc_easy", "hellaswag"])
def test_ties_per_character_are_counted(task):
    """With the same likelihood of all options the longest has the most per character, often several."""
    path = str(LM_EVAL / "*" / f"samples_{task}_*")
    card = cb.evaluate_logs(path, metric="acc_norm")
    often = 0
    for doc in golds(task):
        texts = doc["choices"]["text"] if task == "arc_easy" else doc["choices"]
        sizes = [len(text) for text in texts]
        often += sizes.count(max(sizes)) > 1
    assert 0 < often < 36
    own = card.problem.tasks[0].tied.sum(axis=1)
    assert dict(zip(card.models, own.tolist(), strict=True)) == {"constant": often, "knows": 0, "random": 0}
    assert f"in {often} of 36 items of {task} (constant)" in " ".join(card.notes)
    said = cb.evaluate_logs(path).notes
    assert any(f"36 of 36 items of {task} (constant)" in note for note in said)


def test_standard_errors_are_those_of_the_items(card):
    """Of partial credit, too: the standard deviation of what items give, over the root of their number."""
    lines = [line.split(" | ") for line in card.leaderboard().to_task_markdown().splitlines()]
    task = ""
    for line in lines[2:]:
        task = line[0].removeprefix("| ").strip() or task
        if task in {"truthfulqa_mc2", "boolq"}:
            values = [float(own["acc"]) for own in samples(task, line[1])]
            assert line[7] == f"{statistics.stdev(values) / 6:.4f}"


@pytest.mark.parametrize("kind", ["free", "none"])
def test_programs_are_not_their_tests(kind):
    """What is right of a list of texts is not known: it is not the target, which is a test to be run."""
    card = cb.evaluate_logs(str(LM_EVAL / "*" / "samples_humaneval*"), kind={"humaneval": kind})
    why = {
        "free": "the log does not hold the answers that were scored right",
        "none": "its kind was named none",
    }
    assert str(card.bar(0, 0)) == f"accuracy has no bar: {why[kind]}"


def test_repeated_texts_are_not_their_targets(tmp_path):
    lines = [{**line, "filtered_resps": [["20", "21"]], "exact_match": 1.0} for line in samples("gsm8k")]
    path = tmp_path / "m" / "samples_gsm8k_2026-11-01T10-20-30.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    card = cb.evaluate_logs(path)
    assert "There is no bar: the log does not hold the answers that were scored right." in card.notes


def test_a_page_claims_an_optimum_only_where_there_is_one(card, tmp_path):
    """The bar of gsm8k is a bound from below, and so is the mean that it is part of."""
    certified = cb.evaluate_logs(str(LM_EVAL / "*" / "samples_mmlu_rooms*"))
    best = "nothing that ignores its input does better on average"
    below = "another answer that ignores its input may score more"
    for judged, said, unsaid in ((card, below, best), (certified, best, below)):
        judged.to_html(tmp_path / "page.html", overwrite=True)
        page = (tmp_path / "page.html").read_text("utf-8")
        assert said in page
        assert unsaid not in page


def test_the_headline_fits(card):
    one = cb.evaluate_logs([next((LM_EVAL / model).glob("samples_arc_easy_*")) for model in MODELS])
    line = "knows clears; constant is not settled; random does not clear (accuracy, bar {})"
    assert one.headline() == line.format("0.263")
    assert card.headline() == line.format("0.329")


def test_items_of_one_passage_are_one_cluster():
    card = cb.evaluate_logs(f"{LM_EVAL}/*/samples_[ba]*", clusters="passage")
    tasks = {task.name: task for task in card.problem.tasks}
    assert tasks["arc_easy"].clusters is None  # its items have no passage
    passages = [sample["doc"]["passage"] for sample in samples("boolq")]
    assert len(set(tasks["boolq"].clusters.tolist())) == len(set(passages)) < len(passages)
    for model in range(len(card.models)):
        right = tasks["boolq"].right[model]
        sums = collections.defaultdict(Fraction)
        for passage, one in zip(passages, right.tolist(), strict=True):
            sums[passage] += one - Fraction(int(right.sum()), len(right))
        count = len(sums)
        error = (sum(of**2 for of in sums.values()) * Fraction(count, count - 1)) ** 0.5 / len(right)
        errors = card.problem.standard_errors()[model]
        assert errors[card.groups.index("boolq")] == pytest.approx(float(error), rel=1e-12)
        easy = tasks["arc_easy"].right[model]
        other = statistics.stdev(map(float, easy)) / len(easy) ** 0.5
        assert errors[0] == pytest.approx(math.hypot(error, other) / 2, rel=1e-12)


def test_fields_that_say_which_items_belong_together_are_checked(tmp_path):
    with pytest.raises(ValueError, match=r"^clusters must be the name of a field of the items"):
        cb.evaluate_logs(f"{LM_EVAL}/*/samples_boolq*", clusters=["a", "b"])
    document = json.loads(json.dumps(ROOMS))
    for number, sample in enumerate(document["samples"]):
        sample["metadata"] = {"house": number // 2}
    path = tmp_path / "rooms.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    (task,) = cb.evaluate_logs(path, clusters="house").problem.tasks
    assert task.clusters.tolist() == [number // 2 for number in range(len(task))]
    del document["samples"][3]["metadata"]
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match=f"1 of {len(task)} items of .* have no 'house'"):
        cb.evaluate_logs(path, clusters="house")


def test_bars_of_packed_logs_in_a_folder_with_several_filters():
    with pytest.raises(ValueError, match="name one, such as filter='strict-match'"):
        cb.baseline_tasks(LM_EVAL / "knows")
    bars = cb.baseline_tasks(LM_EVAL / "knows", filter="strict-match")
    assert {of.task: of.kind for of in bars.facts} == KINDS
