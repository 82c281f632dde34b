"""What the evaluator hands on and what it lets be seen; integrations/test_mlflow.py has MLflow."""

import importlib
import logging
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import clearbar as cb

Y = np.arange(24.0)
P = Y + 6 * np.sin(Y * 7)
REGRESSOR, CLASSIFIER = "regressor", "classifier"


class Store(ModuleType):
    """Stands for MLflow: notes metrics and tags."""

    def __init__(self):
        super().__init__("mlflow")
        self.metrics, self.tags = {}, {}

    def log_metrics(self, metrics, run_id):  # noqa: ARG002 - as MLflow has it
        self.metrics |= metrics

    def MlflowClient(self):  # noqa: N802 - its name there
        return SimpleNamespace(set_tag=lambda _run, name, value: self.tags.update({name: value}))

    def log_artifacts(self, place, folder, run_id):
        pass

    def get_artifact_uri(self, name):
        return name


@pytest.fixture
def evaluator(monkeypatch):
    store = Store()
    names = {
        "models": (),
        "models.evaluation": ("EvaluationResult", "ModelEvaluator"),
        "models.evaluation.artifacts": [f"{kind}EvaluationArtifact" for kind in ("Image", "Json", "Text")],
    }
    monkeypatch.setitem(sys.modules, "mlflow", store)
    for module, classes in names.items():
        made = ModuleType(f"mlflow.{module}")
        for name in classes:
            setattr(made, name, type(name, (), {"__init__": lambda _self, *_args, **_facts: None}))
        monkeypatch.setitem(sys.modules, made.__name__, made)
    monkeypatch.delitem(sys.modules, "clearbar.integrations.mlflow", raising=False)
    room = importlib.import_module("clearbar.integrations.mlflow")
    yield SimpleNamespace(store=store, asked=room.BarEvaluator().evaluate)
    sys.modules.pop("clearbar.integrations.mlflow")


def data(y, p):
    return SimpleNamespace(features_data=None, labels_data=y, predictions_data=p)


def test_tries_count_for_numbers(evaluator):
    once, often = cb.evaluate_regression(Y, P, "mae")[0], cb.evaluate_regression(Y, P, "mae", tries=10**6)[0]
    assert (once.sure, often.sure) == (True, False)
    config = {"measures": "mae", "tries": 10**6}
    evaluator.asked(model_type=REGRESSOR, dataset=data(Y, P), run_id="1", evaluator_config=config)
    assert evaluator.store.metrics["clearbar/mae/p"] == often.p_corrected
    assert evaluator.store.metrics["clearbar/mae/sure"] == 0


@pytest.mark.parametrize(
    ("kind", "config", "says"),
    [
        (REGRESSOR, {"pos_label": 1}, "evaluator_config has pos_label, which numbers have not"),
        (REGRESSOR, {"measures": "f1"}, "judges labels, not numbers"),
        (CLASSIFIER, {"measure": "f1"}, "has no option measure for clearbar. Did you mean measures?"),
    ],
)
def test_who_gives_options_gets_the_refusal(evaluator, kind, config, says):
    with pytest.raises(ValueError, match=says):
        evaluator.asked(model_type=kind, dataset=data(Y, P), run_id="1", evaluator_config=config)


@pytest.mark.parametrize("config", [None, {}])
def test_beside_other_evaluators_the_run_has_the_refusal(evaluator, config, caplog):
    texts = np.array(["ham", "spam"] * 12)
    with caplog.at_level(logging.WARNING):
        found = evaluator.asked(
            model_type=CLASSIFIER, dataset=data(texts, texts), run_id="1", evaluator_config=config
        )
    assert found is None
    assert evaluator.store.tags["clearbar.refused"].endswith("Pass pos_label='ham' or pos_label='spam'.")
    assert evaluator.store.tags["clearbar.refused"] in caplog.text
