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


def told(card):
    return {
        (v.model, v.group, v.measure.name): (v.score, float(v.baseline.value)) for v in card
    }  # fmt: skip


def test_each_task_has_its_bar_and_the_whole_is_the_mean(columns):
    card = cb.evaluate_frame(columns, "gold", "answer", options="n_options", item="item", **LONG)
    assert card.groups == (None, "arc", "abc", "open")
    assert [measure.name for measure in card.measures] == ["accuracy", "accuracy_rescaled"]
    own = columns[columns.model == "good"]
    by_task = dict(iter(own.groupby("task")))
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
    assert card.clears("accuracy", model="good")
    assert not card.clears("accuracy", model="blind")


def test_without_options_every_task_has_its_own_classes(columns):
    """The call of the documentation: exact match, the bar of a task is its commonest right answer."""
    card = cb.evaluate_frame(columns, "gold", "answer", **LONG, **QUICK)
    assert card.groups == (None, "arc", "abc", "open")
    part = columns[(columns.task == "abc") & (columns.model == "good")]
    assert float(card.bar(0, 2).value) == part.gold.value_counts().max() / len(part)
    assert card.bar(0, 2).attained_by.always == "A"


def test_every_engine_and_file_says_the_same(columns, tmp_path):
    call = {**LONG, **QUICK, "options": "n_options", "item": "item"}
    expected = told(cb.evaluate_frame(columns, "gold", "answer", **call))
    frame = pl.from_pandas(columns)
    assert told(cb.evaluate_frame(frame, "gold", "answer", **call)) == expected
    assert told(cb.evaluate_frame(frame.lazy(), "gold", "answer", **call)) == expected
    assert told(cb.evaluate_frame(frame.to_arrow(), "gold", "answer", **call)) == expected
    for name, write in (
        ("a.csv", frame.write_csv),
        ("a.parquet", frame.write_parquet),
        ("a.jsonl", frame.write_ndjson),
    ):
        write(tmp_path / name)
        assert told(cb.evaluate_frame(tmp_path / name, "gold", "answer", **call)) == expected


def test_a_column_per_model(columns):
    wide = columns.pivot_table(index=["task", "item", "gold", "n_options"], columns="model", values="answer",
                               aggfunc="first").reset_index()  # fmt: skip
    card = cb.evaluate_frame(wide, "gold", ["good", "blind"], by="task", options="n_options", **QUICK)
    long = cb.evaluate_frame(
        columns[columns.task != "open"], "gold", "answer", options="n_options", **LONG, **QUICK
    )
    for key, value in told(long).items():
        assert told(card)[key] == pytest.approx(value)


def test_items_that_share_a_passage_are_drawn_together(columns):
    card = cb.evaluate_frame(columns, "gold", "answer", options="n_options", clusters="passage", **LONG)
    verdict = next(v for v in card if v.model == "good" and v.group == "arc")
    assert "clusters of items" in verdict.reason
    assert verdict.low < verdict.score < verdict.high


def test_one_task_alone(columns):
    one = columns[columns.task == "arc"]
    card = cb.evaluate_frame(one, "gold", "answer", model="model", options="n_options", **QUICK)
    assert card.groups == (None,)
    assert told(card)["good", None, "accuracy"][0] == (one.gold == one.answer)[one.model == "good"].mean()


def test_missing_values_are_said_or_left_out(columns):
    holes = columns.copy()
    holes.loc[holes.index[:2], "answer"] = None
    with pytest.raises(ValueError, match="1 of 60 items of task 'arc' were not answered by all models"):
        cb.evaluate_frame(holes, "gold", "answer", **LONG, **QUICK)
    card = cb.evaluate_frame(holes, "gold", "answer", nulls="drop", **LONG, **QUICK)
    assert "1 item of arc left out: not all models answered them." in card.notes
    holes.loc[holes.index[:2], "gold"] = None
    with pytest.raises(ValueError, match=r"y_true \(column 'gold'\) has 2 missing values.*nulls='drop'"):
        cb.evaluate_frame(holes, "gold", "answer", **LONG, **QUICK)
    card = cb.evaluate_frame(holes, "gold", "answer", nulls="drop", **LONG, **QUICK)
    assert "2 rows with a missing value left out." in card.notes


def test_what_cannot_be_asked_of_tasks(columns):
    def refused(match, frame=columns, **options):
        with pytest.raises(ValueError, match=match):
            cb.evaluate_frame(frame, "gold", "answer", **{**LONG, **options})

    refused("answers to tasks take no weight", options="n_options", weight="item")
    refused(
        "tasks are judged by accuracy and accuracy_rescaled; found 'mcc'", options="n_options", measures="mcc"
    )
    refused("Leave out options to judge by measures of many classes", options="n_options", measures="mcc")
    refused("options must be a whole number from 1 to 1,000,000; found 0", columns.assign(n=0), options="n")
    refused("whole number from 1 to 1,000,000; found 1000000000", columns.assign(n=10**20), options="n")
    for name, value in {"pos_label": "A", "min_support": 5, "undefined": "worst", "fold_aware": True}.items():
        refused(f"answers to tasks take no {name}; leave it out", **{name: value})
        refused(f"answers to tasks take no {name}; leave it out", measures="mcc", **{name: value})
    refused("answers to tasks take no weight", item="item", measures="mcc", weight="item")
    refused("outside its 4 options", columns[columns.task == "arc"].assign(n=4, answer="9"), options="n")
    refused("no column 'n'|'n'", options="n")
    refused("answers item 1 of task 'arc' more than once", columns.assign(item=1), item="item")
    refused(
        "task 'arc' has no answers of 'blind'", columns[(columns.task != "arc") | (columns.model == "good")]
    )
    other = columns.assign(gold=[f"{m}{g}" for m, g in zip(columns.model, columns.gold, strict=True)])
    refused("models are judged on the same items", other)


def test_numbers_are_not_compared_with_texts():
    """One answer that is no number makes a column of text; then none would be right."""
    table = pd.DataFrame({"gold": [4, 7, 7], "answer": ["4", "7", "none"], "model": "m", "task": "sums"})
    with pytest.raises(
        ValueError, match=r"column 'gold'\) holds numbers but .*'answer'\) holds text.*both text"
    ):
        cb.evaluate_frame(table, "gold", "answer", **LONG, **QUICK)
    with pytest.raises(ValueError, match=r"holds text but .* holds numbers"):
        cb.evaluate_frame(table, "answer", "gold", **LONG, **QUICK)
    card = cb.evaluate_frame(table.astype({"gold": str}), "gold", "answer", **LONG, **QUICK)
    assert card[0].score == 2 / 3
    # Options are numbers in any type, and texts where they are too large to be positions.
    table = table.assign(n=9, answer=["4", "7", ""])
    card = cb.evaluate_frame(table, "gold", "answer", options="n", **LONG, **QUICK)
    assert card[0].score == 2 / 3
    large = table.assign(gold=["9" * 30, "7", "7"])
    assert (
        float(cb.evaluate_frame(large, "gold", "answer", options="n", **LONG, **QUICK)[0].baseline) == 1 / 9
    )


MEASURES = ["f1_macro", "mcc"]


def test_other_measures_judge_each_task_by_its_own_classes(columns):
    """Each row is that of evaluate_multiclass on the task alone; the whole is the mean."""
    columns = columns[columns.task != "open"]
    card = cb.evaluate_frame(columns, "gold", "answer", measures=MEASURES, **LONG)
    assert card.groups == (None, "arc", "abc")
    assert card.per_class("f1", group="abc").groups == ("A", "B", "C")
    with pytest.raises(ValueError, match="each task has its own classes; name one, such as group='arc'"):
        card.per_class("f1")
    rows = {(v.model, v.group, v.measure.name): v for v in card}
    for task, part in columns.groupby("task"):
        own = {model: answers.tolist() for model, answers in part.groupby("model").answer}
        gold = part[part.model == "good"].gold.tolist()
        alone = cb.evaluate_multiclass(gold, own, MEASURES)
        for verdict in alone:
            row = rows[verdict.model, task, verdict.measure.name]
            for name in ("score", "p_value", "p_value_blind", "skill", "low", "high"):
                assert getattr(row, name) == pytest.approx(getattr(verdict, name), nan_ok=True), (task, name)
            assert float(row.baseline.value) == pytest.approx(float(verdict.baseline.value))
    for measure in MEASURES:
        own = [rows["good", task, measure] for task in card.groups]
        assert own[0].score == pytest.approx(np.mean([row.score for row in own[1:]]))
        assert float(own[0].baseline.value) == pytest.approx(
            np.mean([float(row.baseline.value) for row in own[1:]])
        )
    with pytest.raises(ValueError, match="over='slices'"):
        card.compare("good", "blind", "f1_macro")


def test_items_that_share_a_passage_go_together_by_other_measures_too(columns):
    columns = columns[columns.task != "open"]
    card = cb.evaluate_frame(columns, "gold", "answer", measures=MEASURES, clusters="passage", **LONG)
    assert (
        card.notes[-1]
        == "Items that belong together are drawn together, whole clusters of them: in arc and abc."
    )
    rows = {(v.model, v.group, v.measure.name): v for v in card}
    for task, part in columns.groupby("task"):
        own = {model: answers.tolist() for model, answers in part.groupby("model").answer}
        one = part[part.model == "good"]
        alone = cb.evaluate_multiclass(one.gold.tolist(), own, MEASURES, clusters=one.passage.tolist())
        for verdict in alone:
            row = rows[verdict.model, task, verdict.measure.name]
            for name in ("score", "p_value", "p_value_blind", "low", "high"):
                assert getattr(row, name) == pytest.approx(getattr(verdict, name), nan_ok=True), (task, name)
    whole = rows["good", None, "f1_macro"]
    assert whole.low < whole.score < whole.high
    assert "whole clusters of items" in whole.reason


def test_the_mean_over_tasks_of_clusters_is_held_against_all_ways_to_trade_them():
    tasks = {"p": ("aabbccabab", "abbbcaabaa"), "q": ("xyxxyyxyyx", "xyxyyyxxyx")}
    rows = [("m", task, g, a, at // 2) for task, (gold, said) in tasks.items()
            for at, (g, a) in enumerate(zip(gold, said, strict=True))]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", "task", "gold", "answer", "passage"])
    card = cb.evaluate_frame(frame, "gold", "answer", measures="f1_macro", clusters="passage", **LONG)
    values = []
    for gold, said in tasks.values():
        pairs = [gold[at : at + 2] for at in range(0, 10, 2)]
        orders = ("".join(order) for order in itertools.permutations(pairs))
        values.append([metrics.f1_score(list(order), list(said), average="macro") for order in orders])
    means = np.add.outer(*values).ravel() / 2
    exact = np.mean(means >= card[0].score - 1e-12)
    assert card[0].p_value_blind == pytest.approx(exact)


def test_the_mean_of_other_measures_is_tested_by_shuffling_each_task_apart():
    """Against all orders of the labels of both tasks."""
    first = ("aabbc", "abbbc")
    second = ("xxyy", "xxyx")
    rows = [("m", task, g, a) for task, (gold, said) in zip("pq", (first, second), strict=True)
            for g, a in zip(gold, said, strict=True)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", "task", "gold", "answer"])
    card = cb.evaluate_frame(frame, "gold", "answer", measures="f1_macro", **LONG)
    values = [
        [metrics.f1_score(order, list(said), average="macro") for order in itertools.permutations(gold)]
        for gold, said in (first, second)
    ]
    means = np.add.outer(*map(np.array, values)) / 2
    expected = (means >= card[0].score - 1e-12).mean()
    assert card[0].p_value_blind == pytest.approx(expected)


def test_the_interval_of_the_mean_of_other_measures_lies_around_it(columns):
    part = columns[columns.task != "open"]
    card = cb.evaluate_frame(part, "gold", "answer", measures="f1_macro", **LONG)
    verdict = next(v for v in card if v.model == "good" and v.group is None)
    alone = [v for v in card if v.model == "good" and v.group is not None]
    assert verdict.low < verdict.score < verdict.high
    widths = [v.high - v.low for v in alone]
    # The variance of the mean of two is a quarter of the sum of their variances.
    assert verdict.high - verdict.low == pytest.approx(np.hypot(*widths) / 2, rel=0.15)
