"""Metrics and scorer inside the real Inspect, with its model that says what it is told; and its real logs."""

import math
import subprocess
import sys

import pytest
from inspect_ai import Epochs, Task
from inspect_ai import eval as run_inspect
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, match, scorer
from inspect_ai.scorer import choice as choice_of_inspect
from inspect_ai.solver import generate, multiple_choice
from integrations.page import printed

import clearbar as cb
from clearbar.integrations.inspect import bar, choice, p_value, skill

OPTIONS = [["yes", "no"], ["red", "green", "blue"], ["north", "east", "south", "west"]]
GOLD = ["AB"[n % 4 == 0] for n in range(36)]
SAID = [gold if n % 6 else "A" for n, gold in enumerate(GOLD)]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))


def samples(**metadata):
    return [
        Sample(f"Question {n}?", choices=OPTIONS[n % 3], target=gold, id=n, metadata=metadata or None)
        for n, gold in enumerate(GOLD)
    ]


def answer(letter):
    """What the model says; usage is given, since Inspect loads a tokenizer from the network to count it."""
    said = ModelOutput.from_content("mockllm/model", f"ANSWER: {letter}")
    return said.model_copy(update={"usage": ModelUsage()})


def run(dataset, scorers, said=SAID, epochs=1, name="task", **options):
    outputs = [answer(letter) for letter in said * epochs]
    (log,) = run_inspect(
        Task(dataset, solver=options.pop("solver", multiple_choice()), scorer=scorers, name=name),
        model=get_model("mockllm/model", custom_outputs=outputs),
        display="none", max_samples=1, log_format="json", epochs=Epochs(epochs), **options,
    )  # fmt: skip
    assert log.status == "success", log.error
    scores = [
        (one.name, {name: metric.value for name, metric in one.metrics.items()}) for one in log.results.scores
    ]
    return scores, log


def merged(values):
    return {name: value for _, metrics in values for name, value in metrics.items()}


def test_bar_skill_and_p_are_those_of_the_library(tmp_path):
    values, _ = run(samples(), choice())
    found = merged(values)
    right = sum(gold == letter for gold, letter in zip(GOLD, SAID, strict=True)) / 36
    guess = sum(1 / len(OPTIONS[n % 3]) for n in range(36)) / 36
    always = max(GOLD.count("A"), GOLD.count("B")) / 36
    assert found["accuracy"] == pytest.approx(right)
    assert found["bar"] == pytest.approx(max(guess, always), rel=1e-15)
    assert found["skill"] == pytest.approx((right - found["bar"]) / (1 - found["bar"]), rel=1e-12)
    verdict = cb.evaluate_logs(str(tmp_path / "logs"))[0]
    assert (verdict.score, float(verdict.baseline.value)) == (right, found["bar"])
    assert found["p_value"] == verdict.p_corrected


def test_options_of_the_logs_are_called_by_their_letters(tmp_path):
    run(samples(), choice_of_inspect())
    card = cb.evaluate_logs(str(tmp_path / "logs"))
    assert str(card.baselines[0][0]).endswith('answer "A" to every item')


def test_without_a_target_the_bar_is_to_choose_at_random():
    @scorer(metrics=[accuracy(), bar("n"), skill("n"), p_value("n")])
    def plain():
        own = choice_of_inspect()

        async def score(state, target):
            return await own(state, target)

        return score

    dataset = [sample.model_copy(update={"metadata": {"n": len(sample.choices)}}) for sample in samples()]
    found = merged(run(dataset, plain())[0])
    assert found["bar"] == pytest.approx(sum(1 / len(OPTIONS[n % 3]) for n in range(36)) / 36)


def test_a_number_for_all_and_names_in_the_metadata():
    @scorer(metrics=[bar(4), bar("choices", "gold")])
    def noting():
        async def score(state, target):
            return Score(value="C", answer=target.text, metadata={"choices": ["a", "b"], "gold": target.text})

        return score

    ((_, metrics),) = run(samples(), noting())[0]
    assert sorted(metrics.values()) == [0.25, 0.75]


def test_open_questions_have_the_answer_that_is_right_most_often():
    @scorer(metrics=[accuracy(), bar(), skill()])
    def open_answer():
        own = match()

        async def score(state, target):
            found = await own(state, target)
            return found.model_copy(update={"metadata": {"target": target.text}})

        return score

    dataset = [Sample(f"Question {n}?", target=gold, id=n) for n, gold in enumerate(GOLD)]
    found = merged(run(dataset, open_answer(), solver=generate())[0])
    assert found["bar"] == 0.75


def test_epochs_of_a_sample_belong_together():
    found = merged(run(samples(), choice(), epochs=2)[0])
    once = merged(run(samples(), choice(), name="once")[0])
    assert found["bar"] == once["bar"]
    assert found["skill"] == pytest.approx(once["skill"])
    assert 0 < found["p_value"] <= 1


def test_what_cannot_be_judged_is_nan_and_said(caplog):
    @scorer(metrics=[bar(), p_value()])
    def partial():
        async def score(state, target):
            return Score(value=0.5, answer="A")

        return score

    found = merged(run(samples(), partial())[0])
    assert all(math.isnan(value) for value in found.values())


@pytest.mark.parametrize("noted", ["4", " 4 ", ["a", "b", "c", "d"], "four", 4.5, {"n": 4}])
def test_options_may_be_noted_as_anything(noted):
    """A number as text is one; what is no number of options is nan, and the evaluation goes on."""

    @scorer(metrics=[accuracy(), bar(), skill(), p_value()])
    def told():
        async def score(state, target):
            return Score(value="C", answer="A", metadata={"options": noted, "target": target.text})

        return score

    found = merged(run(samples(), told())[0])
    assert found["accuracy"] == 1
    assert math.isnan(found["bar"]) == (noted not in ("4", " 4 ", ["a", "b", "c", "d"]))


def test_another_process_finds_the_metrics_of_a_log_by_their_names():
    values, log = run(samples(), choice())
    code = (
        "import sys\n"
        "from inspect_ai.log import read_eval_log, recompute_metrics\n"
        "log = read_eval_log(sys.argv[1])\n"
        "for score in log.results.scores:\n"
        "    for metric in score.metrics.values():\n"
        "        metric.value = -1\n"
        "recompute_metrics(log)\n"
        "print(log.results.scores[1].metrics['bar'].value)\n"
    )
    command = [sys.executable, "-c", code, log.location]
    again = subprocess.run(command, check=True, capture_output=True, text=True)
    assert float(again.stdout.split()[-1]) == merged(values)["bar"]


def test_the_example_of_the_page():
    out, shown = printed("Inspect")
    assert out == shown
