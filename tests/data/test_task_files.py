"""Task data before any run: each format that benchmarks publish, with items whose bars one can count."""

import csv
import gzip
import json

import pandas as pd
import pytest
from tests.harness import choice_sample, open_sample, write_samples

import clearbar as cb
from clearbar.cli import main

pytestmark = pytest.mark.quick
approx = pytest.approx


def jsonl(path, records):
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def bbh(*pairs):
    return {"canary": "", "examples": [{"input": given, "target": target} for given, target in pairs]}


WORDS = ["red", "green", "blue", "grey"]
SHOWN = "Which?\nA. red\nB. green\nC. blue\nD. grey\nAnswer: "
LETTERED = "Which?\nOptions:\n(A) a\n(B) b\n(C) c"

# What a file holds, the kind of its task, how many of its items have the bar, and what attains it.
FORMS = {
    "letters of llm-foundry": (
        [{"query": "?", "choices": list("ABCD"), "gold": gold} for gold in (2, 2, 1, 2, 0)],
        ("lettered", 3, 0.25, 'always "C"'),
    ),
    "texts that the prompt shows under letters": (
        [{"query": SHOWN, "choices": WORDS, "gold": gold} for gold in (3, 3, 0, 1)],
        ("lettered", 2, 0.25, 'always "D"'),
    ),
    "texts that it does not show": (
        [{"query": f"{at}?", "choices": [f"{at} {word}" for word in WORDS], "gold": 0} for at in range(4)],
        ("unlettered", 1, 0.25, "random guess"),
    ),
    "the same texts for all items": (
        [{"query": "?", "choices": ["no", "yes"], "gold": gold} for gold in (1, 0, 1, 1)],
        ("classes", 3, 0.5, 'always "yes"'),
    ),
    "options in questions": (
        [{"context_options": [f"{at} a", f"{at} b"], "continuation": "c", "gold": 1} for at in range(4)],
        ("unlettered", 2, 0.5, "random guess"),
    ),
    "continuations": (
        [{"context": "?", "continuation": word} for word in ("yes", " yes ", "no")],
        ("free", 2, None, 'always "yes"'),
    ),
    "aliases": (
        [
            {"context": "?", "answer": one, "aliases": several}
            for one, several in (("UK", ["Britain"]), ("GB", ["Britain", "UK"]), ("Britain", []))
        ],
        ("free", 3, None, 'always "Britain"'),
    ),
    "worked solutions": (
        [{"question": "?", "answer": f"Count {at}.\n#### {at % 2}"} for at in range(5)],
        ("free", 3, None, 'always "0"'),
    ),
    "AGIEval": (
        [{"passage": None, "options": ["(A)a", "(B)b"], "label": label, "answer": None} for label in "ABB"],
        ("lettered", 2, 0.5, 'always "B"'),
    ),
    "AGIEval, several right": (
        [{"options": ["(A)a", "(B)b"], "label": label} for label in (["A", "B"], ["B"], ["A", "B"])],
        ("free", 2, None, 'always "AB"'),
    ),
    "a label for each option": (
        [{"choices": {"text": [f"{at} a", "b"], "label": ["1", "2"]}, "answerKey": "2"} for at in range(2)],
        ("unlettered", 1, 0.5, "random guess"),
    ),
    "BIG-Bench-Hard, letters": (
        bbh((LETTERED, "(B)"), (LETTERED, "(B)"), (LETTERED, "(A)"), (LETTERED, "of none")),
        ("lettered", 2, 1 / 4, 'always "B"'),
    ),
    "BIG-Bench-Hard, texts": (
        bbh(*[("?\nOptions:\n- Yes\n- No", target) for target in ("No", "No", "Yes")]),
        ("classes", 2, 0.5, 'always "No"'),
    ),
    "BIG-Bench-Hard, nothing offered": (
        bbh(*[("True and", target) for target in ("True", "False", "True")]),
        ("free", 2, None, 'always "True"'),
    ),
    "BIG-bench": (
        {"examples": [{"input": "?", "target_scores": {"no": at, "yes": 1 - at}} for at in (0, 0, 1)]},
        ("classes", 2, 0.5, 'always "yes"'),
    ),
    "programs": (
        [{"prompt": "def f", "canonical_solution": "", "test_inputs": [], "entry_point": "f"}],
        ("none", None, None, "no bar"),
    ),
    "several of several are right": (
        {"examples": [{"input": "?", "target_scores": {"a": 1, "b": 1, "c": 0}}]},
        ("none", None, None, "no bar"),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_task_data(tmp_path, form):
    document, (kind, right, guess, attained) = FORMS[form]
    path = tmp_path / "task.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    several = document if isinstance(document, list) else document["examples"]
    bars = cb.baseline_tasks(path)
    (facts,) = bars.facts
    assert (facts.kind, facts.items, facts.attained_by) == (kind, len(several), attained)
    assert facts.bar == approx(float("nan") if right is None else right / len(several), nan_ok=True)
    assert facts.random_guess == approx(float("nan") if guess is None else guess, nan_ok=True)
    assert facts.certified == (kind not in {"free", "none"})
    assert bool(facts.reason) == (kind == "none")
    if isinstance(document, list):  # the same as JSON lines, packed
        packed = tmp_path / "task.jsonl.gz"
        packed.write_bytes(gzip.compress("\n".join(map(json.dumps, document)).encode()))
        assert cb.baseline_tasks(packed).to_dict() == bars.to_dict()


def test_positions_among_items_with_as_many_options_and_one_for_all(tmp_path):
    golds = {2: (1, 1, 0), 4: (0, 0, 0, 1)}
    records = [
        {"choices": list("ABCD"[:number]), "gold": gold} for number, of in golds.items() for gold in of
    ]
    (facts,) = cb.baseline_tasks(jsonl(tmp_path / "t.jsonl", records)).facts
    assert (facts.options, facts.bar, facts.one_position) == (
        (2, 4),
        approx(5 / 7),
        approx(4 / 7),
    )
    assert facts.random_guess == approx((3 / 2 + 4 / 4) / 7)


def test_an_option_that_is_always_first_is_said(tmp_path):
    records = [{"choices": [f"{at} a", f"{at} b"], "gold": 0} for at in range(3)]
    path = jsonl(tmp_path / "t.jsonl", records)
    assert "equal likelihoods score 1" in str(cb.baseline_tasks(path))
    assert float(cb.baseline_tasks(path, kind={"t": "lettered"})) == 1  # if a prompt shows them


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_tables_with_a_column_for_each_option_or_one_for_all(tmp_path, ending):
    def write(name, columns):
        table, path = pd.DataFrame(columns), tmp_path / f"{name}{ending}"
        if ending == ".csv":
            table.to_csv(path, index=False, quoting=csv.QUOTE_ALL)
        else:
            table.to_parquet(path)
        return path

    questions = {"Question": ["?"] * 3, "A": ["u", "v", "w"], "B": ["x", "y", "z"]}
    by_letter = cb.baseline_tasks(write("letters", {**questions, "Answer": ["B", "B", "A"]})).facts[0]
    assert (by_letter.kind, by_letter.bar, by_letter.options) == ("lettered", approx(2 / 3), (2, 2))
    ends = {"ending1": ["a", "b", "c"], "ending2": ["d", "e", "f"], "label": [1, 2, 2]}
    by_number = cb.baseline_tasks(write("ends", ends)).facts[0]
    assert (by_number.kind, by_number.bar, by_number.one_position) == (
        "unlettered",
        0.5,
        approx(2 / 3),
    )
    lists = write("lists", {"offered": ["['a', 'b']", "['c', 'd']"], "right": ["b", "c"]})
    with pytest.raises(ValueError, match="names no right answers"):
        cb.baseline_tasks(lists)
    assert float(cb.baseline_tasks(lists, options="offered", answer="right")) == 0.5
    numbers = write("numbers", {"n": [3, 3, 2], "gold": [2, 2, 1]})
    assert cb.baseline_tasks(numbers, options="n").facts[0][1:4] == ("lettered", 3, (2, 3))
    from_one = cb.baseline_tasks(write("from_one", {"n": [3, 3, 2], "gold": [3, 1, 2]}), options="n")
    assert (float(from_one), from_one.positions) == (approx(2 / 3), ({2: [0, 1], 3: [1, 0, 1]},))


def test_samples_of_a_harness_are_one_task_for_all_models(tmp_path):
    golds = (0, 1, 1, 1)
    for model in ("a", "b"):
        samples = [choice_sample(at, 2, gold, at % 2) for at, gold in enumerate(golds)]
        write_samples(tmp_path, model, "arc", samples)
        write_samples(tmp_path, model, "gsm8k", [open_sample(at, "7", "7") for at in range(4)])
    bars = cb.baseline_tasks(tmp_path)
    assert sorted(bars.names) == ["arc", "gsm8k"]
    assert float(bars["gsm8k"].value) == 1
    assert bars.facts[bars.names.index("arc")].items == 4


def test_printed_baselines_stand_beside_the_bars(tmp_path, capsys):
    path = jsonl(tmp_path / "sure.jsonl", [{"choices": ["no", "yes"], "gold": at > 0} for at in (0, 1, 2, 3)])
    printed = tmp_path / "printed.csv"
    printed.write_text("Eval Task,Random baseline\nsure,50\nother,25\n", encoding="utf-8")
    whole = tmp_path / "printed.json"
    whole.write_text('{"sure": 0.5}', encoding="utf-8")
    for of in (printed, whole, {"sure": 0.5}):
        (facts,) = cb.baseline_tasks(path, published=of).facts
        assert (facts.published, facts.bar, facts.difference) == (0.5, 0.75, -0.25)
    for name, text, says in (
        ("one_row.csv", "foo,bar\n1,0.5\n", "found 'foo' and 'bar'"),
        ("many.csv", "task,baseline\nsure,150\n", "percentages; found '150' for 'sure'"),
        ("text.json", '{"sure": "half"}', "percentages; found 'half' for 'sure'"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert main(["tasks", str(path), "--published", str(tmp_path / name)]) == 2
        assert says in capsys.readouterr().err
    with pytest.raises(ValueError, match="published must be shares from 0 to 1 or percentages; found nan"):
        cb.baseline_tasks(path, published={"sure": float("nan")})
    assert main(["tasks", str(path), "--published", str(printed)]) == 0
    told = capsys.readouterr().out
    assert "0.500  −0.250" in told
    assert "1 published baseline of tasks that are not here" in told
    assert main(["tasks", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tasks"][0]["bar"] == 0.75


WRONG = {
    "[]": "holds no items",
    '{"question": "?"}': "names no right answers",
    '{"choices": ["a", "b"], "gold": 5}': "outside its 2 options",
    '{"choices": ["a", "b"], "gold": 0}\n{"choices": null, "gold": 0}': "1 of 2 items .* have no options",
    '{"choices": ["a", "b"], "gold": 0}\n7': "line 2 .* is no JSON object",
    "nonsense": "neither JSON nor JSON lines",
    '{"choices": ["a"], "gold": {"x": 1}}': "none of the options: found",
}


@pytest.mark.parametrize("text", WRONG)
def test_data_that_cannot_be_read_are_a_sentence(tmp_path, text):
    path = tmp_path / "t.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=WRONG[text]):
        cb.baseline_tasks(path)


def test_a_task_that_is_named_twice_and_columns_that_are_not_there(tmp_path):
    (tmp_path / "b").mkdir()
    for folder in (tmp_path, tmp_path / "b"):
        jsonl(folder / "t.jsonl", [{"choices": ["a", "b"], "gold": 0}])
    with pytest.raises(ValueError, match="both hold the task 't'"):
        cb.baseline_tasks(tmp_path)
    with pytest.raises(ValueError, match="no column 'nope'"):
        cb.baseline_tasks(tmp_path / "t.jsonl", options="nope")
    with pytest.raises(ValueError, match="kind names the task 'x'"):
        cb.baseline_tasks(tmp_path / "t.jsonl", kind={"x": "free"})
    with pytest.raises(ValueError, match="without task data"):
        cb.baseline_tasks(tmp_path_empty(tmp_path))


def tmp_path_empty(folder):
    (folder / "empty").mkdir()
    return folder / "empty"


@pytest.mark.parametrize("gold", [0, "A"])
def test_an_empty_list_of_options_is_refused_where_the_right_answer_names_one(tmp_path, gold):
    items = [{"query": "?", "choices": [] if at == 2 else ["a", "b"], "gold": gold} for at in range(4)]
    path = jsonl(tmp_path / "t.jsonl", items)
    with pytest.raises(ValueError, match=f"item 3 of {path} has an empty list of options"):
        cb.baseline_tasks(path)
    opened = jsonl(tmp_path / "open.jsonl", [{"query": "?", "options": [], "answer": "12"}] * 3)
    assert cb.baseline_tasks(opened).facts[0].kind == "free"


def test_bytes_that_are_no_text_are_called_so_and_not_a_log(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\xff\xfe\x00\x01broken\n")
    with pytest.raises(ValueError, match=f"^{path} is neither JSON nor an archive: it is no UTF-8 text.$"):
        cb.baseline_tasks(path)
