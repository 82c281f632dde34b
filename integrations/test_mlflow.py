"""The evaluator beside the real MLflow, with a store in SQLite."""

import json
import logging
import re

import mlflow
import pandas as pd
import pytest
from integrations.page import printed
from mlflow.models.evaluation import list_evaluators
from sklearn.linear_model import LogisticRegression

import clearbar as cb

Y = [1, 0] * 40
SAID = [1, 0] * 36 + [0, 1] * 4
FRAME = pd.DataFrame({"y": Y, "said": SAID, "land": ["de", "fr"] * 20 + ["fr", "de"] * 20, "x": range(80)})


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    yield
    while mlflow.active_run():
        mlflow.end_run()


def judged(config=None, frame=FRAME, **options):
    how = {
        "targets": "y",
        "predictions": "said",
        "model_type": "classifier",
        "evaluators": "clearbar",
        **options,
    }
    with mlflow.start_run() as run:
        found = mlflow.models.evaluate(data=frame, evaluator_config=config, **how)
    return found, mlflow.MlflowClient().get_run(run.info.run_id), run.info.run_id


def test_the_entry_point_is_known():
    assert "clearbar" in list_evaluators()


def test_metrics_in_the_store_are_those_of_the_library():
    found, run, _ = judged({"measures": ["f1", "mcc"]})
    assert run.data.metrics == found.metrics
    for verdict in cb.evaluate(Y, SAID, ["f1", "mcc"]):
        own = {
            name: run.data.metrics[f"clearbar/{verdict.measure.name}/{name}"]
            for name in ("score", "low", "high", "skill")
        }
        assert own == {name: getattr(verdict, name) for name in own}
        assert run.data.metrics[f"clearbar/{verdict.measure.name}/bar"] == float(verdict.baseline.value)
        assert run.data.metrics[f"clearbar/{verdict.measure.name}/p"] == verdict.p_corrected
        assert run.data.metrics[f"clearbar/{verdict.measure.name}/sure"] == 1


def test_report_scorecard_and_picture_are_artifacts():
    found, _, run_id = judged({"measures": ["f1"], "by": "land"})
    assert {item.path for item in mlflow.MlflowClient().list_artifacts(run_id, "clearbar")} == {
        "clearbar/report.html", "clearbar/scorecard.json", "clearbar/scorecard.png",
    }  # fmt: skip
    assert set(found.artifacts) == {
        "clearbar/report.html",
        "clearbar/scorecard.json",
        "clearbar/scorecard.png",
    }
    assert "</html>" in found.artifacts["clearbar/report.html"].content
    document = found.artifacts["clearbar/scorecard.json"].content
    assert [row["group"] for row in document["rows"]] == [None, "de", "fr"]
    assert document == json.loads(cb.evaluate(Y, SAID, ["f1"], by=FRAME["land"]).to_json())
    assert found.artifacts["clearbar/scorecard.png"].content.size[0] > 500
    assert sorted(found.metrics) == [
        f"clearbar/f1/{name}" for name in ("bar", "high", "low", "p", "score", "skill", "sure")
    ]


def test_a_model_is_asked_for_its_predictions():
    features = FRAME[["x"]].assign(y=Y, x=[value + 0.1 * at % 3 for at, value in enumerate(Y)])
    model = LogisticRegression().fit(features[["x"]], Y)
    with mlflow.start_run():
        info = mlflow.sklearn.log_model(model, name="model")
    found, _, _ = judged({"measures": "f1"}, features, predictions=None, model=info.model_uri)
    card = cb.evaluate(Y, model.predict(features[["x"]]), "f1")
    assert found.metrics["clearbar/f1/score"] == card[0].score


def test_text_labels_many_classes_and_numbers():
    texts = FRAME.replace({"y": {0: "ham", 1: "spam"}, "said": {0: "ham", 1: "spam"}})
    found, _, _ = judged({"measures": "f1", "pos_label": "spam", "metric_prefix": "test_"}, texts)
    assert found.metrics["test_clearbar/f1/score"] == cb.evaluate(Y, SAID, "f1")[0].score
    many = pd.DataFrame({"y": list("abc") * 12, "said": list("abc") * 10 + list("aab") * 2})
    found, _, _ = judged(None, many)
    assert found.metrics["clearbar/f1_macro/bar"] > 0
    numbers = pd.DataFrame(
        {"y": [float(n) for n in range(30)], "said": [n + 0.5 * (n % 3) for n in range(30)]}
    )
    found, _, _ = judged({"measures": "mae"}, numbers, model_type="regressor")
    assert found.metrics["clearbar/mae/score"] == pytest.approx(0.5)


def test_what_cannot_be_judged_is_said_and_left_to_others(caplog):
    texts = FRAME.replace({"y": {0: "ham", 1: "spam"}, "said": {0: "ham", 1: "spam"}})
    with (
        caplog.at_level(logging.WARNING),
        pytest.raises(mlflow.MlflowException, match="could not be evaluated"),
    ):
        judged(None, texts)
    assert "Pass pos_label='ham' or pos_label='spam'." in caplog.text
    for config, says in (
        ({"measure": "f1"}, "has no option measure for clearbar. Did you mean measures?"),
        ({"by": "country"}, "names the column 'country' as by, and the data has none."),
    ):
        with pytest.raises(ValueError, match=re.escape(says)):
            judged(config)
    how = {"targets": "y", "predictions": "said", "model_type": "classifier"}
    with mlflow.start_run() as run:  # beside others the run goes on, and says why
        mlflow.models.evaluate(data=texts, evaluators=["default", "clearbar"], **how)
    tags = mlflow.MlflowClient().get_run(run.info.run_id).data.tags
    assert "Pass pos_label='ham' or pos_label='spam'." in tags["clearbar.refused"]


def test_tries_count_for_numbers_too():
    y = [float(n) for n in range(12)]
    numbers = pd.DataFrame({"y": y, "said": [6.0 + (n % 3) + 0.1 * n for n in range(12)]})
    for tries in (1, 50):
        found, _, _ = judged({"measures": "mae", "tries": tries}, numbers, model_type="regressor")
        own = cb.evaluate_regression(y, numbers["said"], "mae", tries=tries)[0]
        assert found.metrics["clearbar/mae/p"] == own.p_corrected
        assert found.metrics["clearbar/mae/sure"] == own.sure


def test_beside_the_evaluators_of_mlflow():
    found, _, _ = judged(None, evaluators=["default", "clearbar"], frame=FRAME[["y", "said"]])
    assert found.metrics["accuracy_score"] == found.metrics["clearbar/accuracy/score"]


def test_the_example_of_the_page():
    out, shown = printed("MLflow")
    assert out == shown
