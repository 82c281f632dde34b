"""Make the logs beside this file by running both harnesses with models that do not look at the questions.

Run it in an environment with ``lm_eval==0.4.13`` and ``inspect_ai==0.3.285``; no network is needed:

    python tests/data/logs/make.py

The tasks have the shape of those that lm-evaluation-harness ships (mmlu, mmlu_pro, arc_easy, hellaswag,
boolq, truthfulqa_mc1 and mc2, gsm8k, humaneval, ifeval): output type, ``doc_to_*``, filters and metrics are
theirs. The items are invented here. The code of humaneval and ifeval loads data from the network; what stands
here in its place returns what it returns.

Three models: ``random`` is the harness's own dummy (random likelihoods, the text "lol"), ``constant`` gives
each option the same likelihood and always writes `SAID`, and ``knows`` answers two items in three by the data.
"""

# ruff: noqa: E501 - the harness's own definitions

import gzip
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SAID = "    return 20  # the answer is (C) #### 20"
ITEMS = 36
RNG = random.Random(25)  # noqa: S311 - not for secrets
COLOURS = "amber beige black blue brown copper coral crimson gold green grey indigo ivory".split()  # noqa: SIM905
THINGS = "kettle lantern ladder bucket wagon basket anvil barrel saddle bellows".split()  # noqa: SIM905


def some(number):
    """A question and so many different options."""
    options = RNG.sample(COLOURS, number)
    thing, place = RNG.choice(THINGS), RNG.randrange(2, 90)
    return f"Which colour has the {thing} in room {place}", [f"{colour} {thing}" for colour in options]


def often(number, favourite):
    """A position, the favourite in two of five."""
    return favourite if RNG.random() < 0.25 else RNG.randrange(number)


def mmlu():
    question, choices = some(4)
    return {"question": f"{question}?", "subject": "rooms", "choices": choices, "answer": often(4, 2)}


def mmlu_pro():
    question, options = some(number := RNG.choice((3, 4, 10, 10, 10)))
    gold = often(number, min(number - 1, 8))
    return {
        "question_id": RNG.randrange(10_000), "question": f"{question}?", "options": options,
        "answer": "ABCDEFGHIJ"[gold], "answer_index": gold, "cot_content": "", "category": "rooms", "src": "own",
    }  # fmt: skip


def arc():
    question, texts = some(number := RNG.choice((3, 4, 4, 4, 5)))
    label = list(RNG.choice(("ABCDE", "12345"))[:number])
    return {
        "id": f"Room_{RNG.randrange(10_000)}", "question": f"{question}?",
        "choices": {"text": texts, "label": label}, "answerKey": label[RNG.randrange(number)],
    }  # fmt: skip


def hellaswag():
    question, endings = some(4)
    return {
        "ind": RNG.randrange(10_000), "activity_label": "Rooms", "ctx_a": "Somebody enters.",
        "ctx_b": question.lower(), "ctx": f"Somebody enters. {question}", "endings": endings,
        "source_id": "own", "split": "val", "split_type": "indomain", "label": str(RNG.randrange(4)),
    }  # fmt: skip


def boolq():
    _, (colour, other) = some(2)
    says = int(RNG.random() < 0.62)
    passage = f"In the room stands a {colour if says else other}."
    return {"question": f"is there a {colour}", "passage": passage, "idx": 0, "label": says}


def truthfulqa():
    question, choices = some(RNG.randrange(2, 8))
    labels = [1] + [0] * (len(choices) - 1)
    both = [1 if at < 2 and len(choices) > 2 else label for at, label in enumerate(labels)]
    own = {"choices": choices, "labels": labels}
    return {"question": f"{question}?", "mc1_targets": own, "mc2_targets": {**own, "labels": both}}


def gsm8k():
    one, two = RNG.randrange(2, 15), RNG.randrange(2, 15)
    if RNG.random() < 0.15:
        two = 20 - one
    thing = RNG.choice(THINGS)
    question = f"Ada has {one} {thing}s and buys {two} more. How many {thing}s has she?"
    return {
        "question": question,
        "answer": f"She has {one}+{two}=<<{one}+{two}={one + two}>>{one + two}.\n#### {one + two}",
    }


def humaneval():
    value = 20 if RNG.random() < 0.2 else RNG.randrange(3, 60)
    name = f"{RNG.choice(THINGS)}s_{RNG.randrange(10_000)}"
    return {
        "task_id": f"Own/{name}", "entry_point": name, "canonical_solution": f"    return {value}\n",
        "prompt": f'def {name}():\n    """Return {value}."""\n',
        "test": f"def check(candidate):\n    assert candidate() == {value}\n",
    }  # fmt: skip


def ifeval():
    rule = RNG.choice(("punctuation:no_comma", "detectable_format:title", "length_constraints:number_words"))
    words = RNG.choice((3, 12))
    wish = {
        "punctuation:no_comma": "Use no comma.", "detectable_format:title": "Put a <<title>> above it.",
        "length_constraints:number_words": f"Use at least {words} words.",
    }[rule]  # fmt: skip
    return {
        "key": RNG.randrange(10_000), "prompt": f"Describe a {RNG.choice(THINGS)}. {wish}",
        "instruction_id_list": [rule], "kwargs": [{"num_words": words}],
    }  # fmt: skip


LIKELY = """
output_type: multiple_choice
metric_list: [{metric: acc, aggregation: mean, higher_is_better: true}%s]
"""
NORM = ", {metric: acc_norm, aggregation: mean, higher_is_better: true}"
TASKS = {
    "mmlu_rooms": (mmlu, LIKELY % "" + r"""
doc_to_text: "{{question.strip()}}\nA. {{choices[0]}}\nB. {{choices[1]}}\nC. {{choices[2]}}\nD. {{choices[3]}}\nAnswer:"
doc_to_choice: ["A", "B", "C", "D"]
doc_to_target: answer
"""),
    "mmlu_pro_rooms": (mmlu_pro, r"""
output_type: generate_until
doc_to_text: !function utils.mmlu_pro_text
doc_to_target: answer
filter_list:
  - name: "custom-extract"
    filter:
      - function: "regex"
        regex_pattern: 'answer is \(?([ABCDEFGHIJ])\)?'
      - function: "take_first"
generation_kwargs: {until: ["Question:"], max_gen_toks: 2048, do_sample: false, temperature: 0.0}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true, ignore_case: true, ignore_punctuation: true}]
"""),
    "arc_easy": (arc, LIKELY % NORM + r"""
doc_to_text: "Question: {{question}}\nAnswer:"
doc_to_target: "{{choices.label.index(answerKey)}}"
doc_to_choice: "{{choices.text}}"
"""),
    "hellaswag": (hellaswag, LIKELY % NORM + r"""
process_docs: !function utils.hellaswag_docs
doc_to_text: "{{query}}"
doc_to_target: "{{label}}"
doc_to_choice: "choices"
"""),
    "boolq": (boolq, LIKELY % "" + r"""
doc_to_text: "{{passage}}\nQuestion: {{question}}?\nAnswer:"
doc_to_target: label
doc_to_choice: ["no", "yes"]
"""),
    "truthfulqa_mc1": (truthfulqa, LIKELY % "" + r"""
doc_to_text: "{{'Q: ' + question + '\nA:'}}"
doc_to_target: 0
doc_to_choice: "{{mc1_targets.choices}}"
"""),
    "truthfulqa_mc2": (truthfulqa, LIKELY % "" + r"""
doc_to_text: "{{'Q: ' + question + '\nA:'}}"
doc_to_target: 0
doc_to_choice: "{{mc2_targets.choices}}"
process_results: !function utils.mc2_results
"""),
    "gsm8k": (gsm8k, r"""
output_type: generate_until
doc_to_text: "Question: {{question}}\nAnswer:"
doc_to_target: "{{answer}}"
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
    ignore_case: true
    ignore_punctuation: false
    regexes_to_ignore: [",", "\\$", "(?s).*#### ", "\\.$"]
generation_kwargs: {until: ["Question:", "</s>", "<|im_end|>"], do_sample: false, temperature: 0.0}
filter_list:
  - name: "strict-match"
    filter:
      - function: "regex"
        regex_pattern: "#### (\\-?[0-9\\.\\,]+)"
      - function: "take_first"
  - name: "flexible-extract"
    filter:
      - function: "regex"
        group_select: -1
        regex_pattern: "(-?[$0-9.,]{2,})|(-?[0-9]+)"
      - function: "take_first"
"""),
    "humaneval": (humaneval, r"""
output_type: generate_until
doc_to_text: "{{prompt}}"
doc_to_target: "{{test}}\ncheck({{entry_point}})"
metric_list:
  - metric: !function utils.pass_at_k
    aggregation: mean
    higher_is_better: true
    k: [1]
generation_kwargs: {until: ["\nclass", "\ndef", "\n#", "\nif", "\nprint"], max_gen_toks: 1024, do_sample: false}
filter_list:
  - name: "create_test"
    filter:
      - function: "custom"
        filter_fn: !function utils.build_predictions
"""),
    "ifeval": (ifeval, r"""
output_type: generate_until
doc_to_text: prompt
doc_to_target: 0
generation_kwargs: {until: [], do_sample: false, temperature: 0.0, max_gen_toks: 1280}
process_results: !function utils.ifeval_results
metric_list:
  - {metric: prompt_level_strict_acc, aggregation: mean, higher_is_better: true}
  - {metric: inst_level_strict_acc, aggregation: !function utils.over_instructions, higher_is_better: true}
  - {metric: prompt_level_loose_acc, aggregation: mean, higher_is_better: true}
  - {metric: inst_level_loose_acc, aggregation: !function utils.over_instructions, higher_is_better: true}
"""),
}  # fmt: skip

UTILS = """
import math


def mmlu_pro_text(doc):
    options = "".join(f"{letter}. {text}\\n" for letter, text in zip("ABCDEFGHIJ", doc["options"]))
    return f"Question:\\n{doc['question']}\\nOptions:\\n{options}Answer: Let's think step by step."


def hellaswag_docs(dataset):
    def one(doc):
        query = doc["activity_label"] + ": " + doc["ctx_a"] + " " + doc["ctx_b"].capitalize()
        return {"query": query, "choices": doc["endings"], "gold": int(doc["label"])}

    return dataset.map(one)


def mc2_results(doc, results):
    right = sum(math.exp(pair[0]) for pair, label in zip(results, doc["mc2_targets"]["labels"]) if label)
    return {"acc": right / sum(math.exp(pair[0]) for pair in results)}


def pass_at_k(references, predictions, k=None):
    def passes(test, program):
        try:
            exec(program + "\\n" + test, {})
        except Exception:
            return False
        return True

    return {"pass@1": float(passes(references[0], predictions[0][0]))}


def build_predictions(resps, docs):
    return [[doc["prompt"] + r for r in resp] for resp, doc in zip(resps, docs)]


def ifeval_results(doc, results):
    said = results[0]
    followed = [
        "," not in said if rule.endswith("no_comma")
        else "<<" in said if rule.endswith("title")
        else len(said.split()) >= wanted["num_words"]
        for rule, wanted in zip(doc["instruction_id_list"], doc["kwargs"])
    ]
    kinds = {f"prompt_level_{how}_acc": all(followed) for how in ("strict", "loose")}
    return kinds | {f"inst_level_{how}_acc": followed for how in ("strict", "loose")}


def over_instructions(items):
    flat = [item for own in items for item in own]
    return sum(flat) / len(flat)
"""


def lm_eval_logs(folder):  # noqa: C901 - its models are classes that need the harness
    """Run the harness's command line in this process, so that it knows the models below."""
    from lm_eval.__main__ import cli_evaluate
    from lm_eval.api.registry import register_model
    from lm_eval.models.dummy import DummyLM

    @register_model("constant")
    class Constant(DummyLM):
        """Every option is as likely as any other; one text for every question."""

        def loglikelihood(self, requests, disable_tqdm=False):  # noqa: ARG002
            return [(-1.0, False) for _ in requests]

        def generate_until(self, requests, disable_tqdm=False):  # noqa: ARG002
            return [SAID for _ in requests]

    @register_model("knows")
    class Knows(DummyLM):
        """Two items in three by the data, the others at random."""

        def loglikelihood(self, requests, disable_tqdm=False):  # noqa: ARG002
            found = []
            for request in requests:
                label = request.doc.get("answer", request.doc.get("label", request.doc.get("gold", 0)))
                if "answerKey" in request.doc:
                    label = request.doc["choices"]["label"].index(request.doc["answerKey"])
                told = request.idx == int(label) and request.doc_id % 3 > 0
                found.append((-0.01 if told else -0.1 - random.random(), False))  # noqa: S311
            return found

        def generate_until(self, requests, disable_tqdm=False):  # noqa: ARG002
            return [self._said(request) if request.doc_id % 3 else "I do not know." for request in requests]

        def _said(self, request):
            doc = request.doc
            if "canonical_solution" in doc:
                return doc["canonical_solution"]
            if "prompt" in doc:
                return "<<Title>> A thing that is made of wood and stands in a room of the house"
            return f"I say that the answer is ({doc['answer'][-2:].strip()}) #### {doc['answer'].split('#### ')[-1]}"

    for name, (make, shape) in TASKS.items():
        rows = [make() for _ in range(ITEMS)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        head = f"task: {name}\ndataset_path: json\ntest_split: test\nnum_fewshot: 0\n"
        head += f"dataset_kwargs: {{data_files: {{test: {folder}/{name}.jsonl}}}}\n"
        (folder / f"{name}.yaml").write_text(head + shape)
    (folder / "utils.py").write_text(UTILS)
    for model, name in (("dummy", "random"), ("constant", "constant"), ("knows", "knows")):
        random.seed(1)
        words = [
            "lm_eval",
            "run",
            "--model",
            model,
            "--model_args",
            f"pretrained=blind/{name}",
            "--log_samples",
        ]
        words += ["--tasks", *TASKS, "--include_path", str(folder), "--output_path", str(folder / "results")]
        sys.argv = words
        cli_evaluate()
    for path in sorted((folder / "results").rglob("samples_*.jsonl")):
        model, task = path.parent.name.removeprefix("blind__"), re.sub(r"_\d{4}-.*", "", path.name)
        packed = HERE / "lm_eval" / model / f"{task}_2026-11-01T10-20-30.000000.jsonl.gz"
        packed.parent.mkdir(parents=True, exist_ok=True)
        packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def inspect_logs(folder):
    """A multiple choice and one that a model grades, with models that say what they are told."""
    from inspect_ai import Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import choice, model_graded_qa
    from inspect_ai.solver import generate, multiple_choice

    def says(text):
        usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        output = ModelOutput.from_content("mockllm/model", text)
        return get_model(
            "mockllm/model", custom_outputs=lambda *_: output.model_copy(update={"usage": usage})
        )

    choices = []
    for number in range(20):
        question, options = some(RNG.choice((3, 4, 5)))
        gold = "ABCDE"[often(len(options), 1)]
        choices.append(Sample(f"{question}?", choices=options, target=gold, id=number))
    graded = [
        Sample(f"Praise a {RNG.choice(THINGS)}.", target="It is praised in one sentence.", id=n)
        for n in range(12)
    ]
    tasks = {
        "rooms": lambda: Task(name="rooms", dataset=choices, solver=multiple_choice(), scorer=choice()),
        "praise": lambda: Task(
            name="praise", dataset=graded, solver=generate(), scorer=model_graded_qa(model=says("GRADE: C"))
        ),
    }
    for make in tasks.values():
        for kind in ("eval", "json"):
            run(make(), model=says("ANSWER: B"), log_dir=str(folder / kind), log_format=kind, display="none")
    run(tasks["rooms"](), model=says("ANSWER: B"), limit=6, log_dir=str(folder / "part"), display="none")
    place = HERE / "inspect"
    place.mkdir(exist_ok=True)
    for path in [*(folder / "eval").iterdir(), *(folder / "json").iterdir(), *(folder / "part").iterdir()]:
        part = "_limited" if path.parent.name == "part" else ""
        task = "rooms" if "rooms" in path.name else "praise"
        if path.suffix == ".json":
            (place / f"{task}.json.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        else:
            shutil.copy(path, place / f"{task}{part}.eval")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        os.environ |= {"HF_DATASETS_CACHE": f"{name}/cache", "HF_HUB_OFFLINE": "1", "HF_HOME": f"{name}/home"}
        where = pathlib.Path(name)
        inspect_logs(where)
        lm_eval_logs(where)
