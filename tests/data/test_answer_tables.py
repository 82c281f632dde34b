"""evaluate_frame of a long table of answers: tasks with bars of their own, and the mean over them."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics

import clearbar as cb

QUICK = {"intervals": False}
LONG = {"model": "model", "by": "task", "kind": "multiclass"}
MEASURES = ["f1_macro", "mcc"]


@pytest.fixture(scope="module")
def columns():
    """Two models, three tasks: four or five options, letters, and open questions."""
    rng = np.random.default_rng(2)
    rows = []
    for number in range(60):
        options = int(rng.choice([4, 5]))
        for task, gold, count in (
            ("arc", int(rng.integers(options)), options),
            ("abc", "ABC"[number % 3], 3),
            ("open", f"answer {number % 7}", None),
        ):
            for model, skill in (("good", 0.8), ("blind", 0.0)):
                right = rng.random() < skill
                wrong = 0 if task == "arc" else "A" if task == "abc" else "answer 0"
                answer = gold if right else wrong
                rows.append((model, task, number, str(gold), str(answer), count, number // 4))
    names = ("model", "task", "item", "gold", "answer", "n_options", "passage")
    return pd.DataFrame(rows, columns=names).astype({"n_options": "Int64"})


def judge(frame, **options):
    return cb.evaluate_frame(frame, "gold", "answer", **{**LONG, **options})


def told(card):
    """Score and bar of every row."""
    return {(v.model, v.group, v.measure.name): (v.score, float(v.baseline.value)) for v in card}


def test_each_task_has_its_bar_and_the_whole_is_the_mean(columns):
    card = judge(columns, options="n_options", item="item")
    assert card.groups == (None, "arc", "abc", "open")
    assert [measure.name for measure in card.measures] == ["accuracy", "accuracy_rescaled"]
    by_task = dict(iter(columns[columns.model == "good"].groupby("task")))
    scores = {task: float((part.gold == part.answer).mean()) for task, part in by_task.items()}
    commonest = {task: part.gold.value_counts().max() / len(part) for task, part in by_task.items()}
    arc = by_task["arc"].groupby("n_options").gold
    bars = {**commonest, "arc": sum(own.value_counts().max() for _, own in arc) / len(by_task["arc"])}
    found = told(card)
    for task, bar in bars.items():
        assert found["good", task, "accuracy"] == pytest.approx((scores[task], bar))
    mean = found["good", None, "accuracy"]
    assert mean == pytest.approx((np.mean(list(scores.values())), np.mean(list(bars.values()))))
    rescaled = [(scores[task] - bars[task]) / (1 - bars[task]) for task in bars]
    assert found["good", None, "accuracy_rescaled"] == pytest.approx((np.mean(rescaled), 0), abs=1e-15)
    assert [card.clears("accuracy", model=model) for model in ("good", "blind")] == [True, False]
    wholes = [row for row in card if row.model == "good" and row.group is None]
    assert card.clears(model="good") == all(row.sure for row in wholes), "of tasks it asks for their mean"
    assert card.clears("accuracy", "good", "open") == next(
        row.sure for row in card if (row.model, row.group, row.measure.name) == ("good", "open", "accuracy")
    )
    # The call of the documentation: without options every task has its own classes.
    own = judge(columns, **QUICK).bar(0, 2)
    assert (float(own.value), own.attained_by.always) == (commonest["abc"], "A")
    one = told(judge(columns[columns.task == "arc"], by=None, options="n_options", **QUICK))
    assert one["good", None, "accuracy"] == pytest.approx((scores["arc"], bars["arc"]))


def test_every_engine_and_file_and_a_column_per_model_say_the_same(columns, tmp_path):
    call = {**QUICK, "options": "n_options", "item": "item"}
    expected = told(judge(columns, **call))
    frame = pl.from_pandas(columns)
    frame.write_csv(tmp_path / "a.csv")
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ndjson(tmp_path / "a.jsonl")
    for table in (frame, frame.lazy(), frame.to_arrow(), *tmp_path.iterdir()):
        assert told(judge(table, **call)) == expected
    part = columns[columns.task != "open"]
    index = ["task", "item", "gold", "n_options"]
    wide = part.pivot_table("answer", index, "model", aggfunc="first").reset_index()
    card = cb.evaluate_frame(wide, "gold", ["good", "blind"], by="task", options="n_options", **QUICK)
    for key, value in told(judge(part, options="n_options", **QUICK)).items():
        assert told(card)[key] == pytest.approx(value)


def test_what_cannot_be_asked_of_tasks(columns):
    other = columns.assign(gold=[f"{m}{g}" for m, g in zip(columns.model, columns.gold, strict=True)])
    arc = columns.task == "arc"
    for match, frame, options in (
        ("answers to tasks take no weight", columns, {"options": "n_options", "weight": "item"}),
        ("by accuracy and accuracy_rescaled; found 'mcc'. Leave out options to judge by measures of many cla",
         columns, {"options": "n_options", "measures": "mcc"}),
        ("options must be a whole number from 1 to 1,000,000; fo", columns.assign(n=0), {"options": "n"}),
        ("outside its 4 options", columns[arc].assign(n=4, answer="9"), {"options": "n"}),
        ("answers item 1 of task 'arc' more than once", columns.assign(item=1), {"item": "item"}),
        ("task 'arc' has no answers of 'blind'", columns[~arc | (columns.model == "good")], {}),
        ("models are judged on the same items", other, {}),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=match):
            judge(frame, **options)
    for name, value in {"pos_label": "A", "min_support": 5, "undefined": "worst", "fold_aware": True}.items():
        for measures in ({}, {"measures": "mcc"}):
            with pytest.raises(ValueError, match=f"answers to tasks take no {name}; leave it out"):
                judge(columns, **{name: value}, **measures)


def test_numbers_are_not_compared_with_texts():
    """One answer that is no number makes a column of text; then none would be right."""
    table = pd.DataFrame({"gold": [4, 7, 7], "answer": ["4", "7", "none"], "model": "m", "task": "sums"})
    with pytest.raises(ValueError, match=r"'gold'\) holds numbers but .*'answer'\) holds text.*both text"):
        judge(table, **QUICK)
    with pytest.raises(ValueError, match=r"holds text but .* holds numbers"):
        cb.evaluate_frame(table, "answer", "gold", **LONG, **QUICK)
    assert judge(table.astype({"gold": str}), **QUICK)[0].score == 2 / 3
    # Options are numbers in any type, and texts where they are too large to be positions.
    table = table.assign(n=9, answer=["4", "7", ""])
    assert judge(table, options="n", **QUICK)[0].score == 2 / 3
    large = judge(table.assign(gold=["9" * 30, "7", "7"]), options="n", **QUICK)
    assert float(large[0].baseline) == 1 / 9


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [None, "passage"])
def test_other_measures_judge_each_task_by_its_own_classes(columns, clusters):
    """Each row is that of evaluate_multiclass on the task alone; the whole is the mean."""
    columns = columns[columns.task != "open"]
    card = judge(columns, measures=MEASURES, clusters=clusters)
    assert card.groups == (None, "arc", "abc")
    rows = {(v.model, v.group, v.measure.name): v for v in card}
    for task, part in columns.groupby("task"):
        own = {model: answers.tolist() for model, answers in part.groupby("model").answer}
        one = part[part.model == "good"]
        together = one[clusters].tolist() if clusters else None
        for verdict in cb.evaluate_multiclass(one.gold.tolist(), own, MEASURES, clusters=together):
            row = rows[verdict.model, task, verdict.measure.name]
            for name in ("score", "p_value", "p_value_blind", "skill", "low", "high"):
                assert getattr(row, name) == pytest.approx(getattr(verdict, name), nan_ok=True), (task, name)
            assert float(row.baseline.value) == pytest.approx(float(verdict.baseline.value))
    for measure in MEASURES:
        whole, *own = (rows["good", task, measure] for task in card.groups)
        assert whole.low < whole.score < whole.high
        assert whole.score == pytest.approx(np.mean([row.score for row in own]))
        assert float(whole.baseline.value) == pytest.approx(
            np.mean([float(row.baseline.value) for row in own])
        )
    if clusters:
        said = "Items that belong together are drawn together, whole clusters of them: in arc and abc."
        assert card.notes[-1] == said
        assert "whole clusters of items" in whole.reason
        return
    assert card.per_class("f1", group="abc").groups == ("A", "B", "C")
    with pytest.raises(ValueError, match="each task has its own classes; name one, such as group='arc'"):
        card.per_class("f1")
    with pytest.raises(ValueError, match="over='slices'"):
        card.compare("good", "blind", "f1_macro")


@pytest.mark.parametrize(
    ("tasks", "size"),
    [({"p": ("aabbccabab", "abbbcaabaa"), "q": ("xyxxyyxyyx", "xyxyyyxxyx")}, 2),
     ({"p": ("aabbc", "abbbc"), "q": ("xxyy", "xxyx")}, 1)],
)  # fmt: skip
def test_the_mean_over_tasks_is_held_against_all_orders_of_each_task_apart(tasks, size):
    """Of the labels, or of whole clusters of them."""
    rows = [("m", task, g, a, at // 2) for task, (gold, said) in tasks.items()
            for at, (g, a) in enumerate(zip(gold, said, strict=True))]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", "task", "gold", "answer", "passage"])
    card = judge(frame, measures="f1_macro", clusters="passage" if size == 2 else None)
    values = []
    for gold, said in tasks.values():
        parts = [gold[at : at + size] for at in range(0, len(gold), size)]
        orders = ("".join(order) for order in itertools.permutations(parts))
        values.append([metrics.f1_score(list(order), list(said), average="macro") for order in orders])
    means = np.add.outer(*values).ravel() / 2
    drawn = 0.02 if size == 2 else 1e-12  # of whole clusters some orders are drawn
    assert card[0].p_value_blind == pytest.approx(np.mean(means >= card[0].score - 1e-12), abs=drawn)
