"""For MLflow: an evaluator, ``mlflow.models.evaluate(..., evaluators="clearbar")``.

MLflow loads it by its entry point ``clearbar`` of the group ``mlflow.model_evaluator``.
"""

from __future__ import annotations

import logging
import math
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import mlflow
from mlflow.models.evaluation import EvaluationResult, ModelEvaluator
from mlflow.models.evaluation.artifacts import (
    ImageEvaluationArtifact,
    JsonEvaluationArtifact,
    TextEvaluationArtifact,
)

from clearbar.core.errors import listed, nearest
from clearbar.evaluation.labels import evaluate
from clearbar.evaluation.scores import evaluate_regression
from clearbar.plots import NothingToDrawError, ScorecardDisplay
from clearbar.scorecard import Scorecard

_LOG = logging.getLogger(__name__)

CLASSIFIER, REGRESSOR = "classifier", "regressor"  # types of models, as MLflow calls them
FOLDER = "clearbar"  # where artifacts lie, and what names of metrics begin with
REFUSED = "clearbar.refused"  # the tag of a run that says why it was not judged
COLUMNS = ("by", "clusters")  # options that name a column of the data
# What ``evaluator_config`` may hold for `clearbar.evaluate`; options of other evaluators are theirs.
OPTIONS = ("measures", *COLUMNS, "pos_label", "undefined", "confidence_level", "tries", "random_state")

OF_LABELS = ("pos_label", "undefined")  # which of these say nothing about numbers
NUMBERS = {
    "score": "score", "low": "low", "high": "high", "bar": "bar", "skill": "skill", "p": "p_corrected",
    "sure": "sure",
}  # fmt: skip
"""What is logged of each measure, and the column of the scorecard that has it."""

ARTIFACTS = {
    "report.html": TextEvaluationArtifact,
    "scorecard.json": JsonEvaluationArtifact,
    "scorecard.png": ImageEvaluationArtifact,
}


class BarEvaluator(ModelEvaluator):  # type: ignore[misc] # where MLflow is not installed
    """Judges a classifier or regressor against its bars, and logs what it finds."""

    @classmethod
    def can_evaluate(cls, *, model_type: str, evaluator_config: Any, **kwargs: Any) -> bool:  # noqa: ARG003
        """Return whether a type of model can be judged."""
        return model_type in {CLASSIFIER, REGRESSOR}

    def evaluate(
        self,
        *,
        model_type: str,
        dataset: Any,
        run_id: str,
        evaluator_config: Mapping[str, Any],
        model: Any = None,
        predictions: str | None = None,
        **kwargs: Any,  # noqa: ARG002 - of other evaluators
    ) -> EvaluationResult | None:
        """Judge the predictions.

        Where that cannot be, a caller who gave options for clearbar gets the error. Of all others the run has
        the reason as its tag `REFUSED`, since MLflow calls every evaluator that is installed.
        """
        try:
            card = _judged(model_type, dataset, model, predictions, evaluator_config or {})
        except ValueError as error:
            if evaluator_config:
                raise
            _LOG.warning("clearbar: %s", error)
            mlflow.MlflowClient().set_tag(run_id, REFUSED, str(error))
            return None
        prefix = (evaluator_config or {}).get("metric_prefix") or ""
        metrics = {f"{prefix}{FOLDER}/{name}": value for name, value in _metrics(card)}
        mlflow.log_metrics(metrics, run_id=run_id)
        return EvaluationResult(metrics, _logged(card, run_id), run_id=run_id)


def _judged(
    model_type: str, dataset: Any, model: Any, predictions: str | None, config: Mapping[str, Any]
) -> Scorecard:
    features = dataset.features_data
    options = {name: config[name] for name in OPTIONS if name in config}
    for name in set(config) - set(OPTIONS):
        near = nearest(name, OPTIONS, most=1)
        if near:
            raise ValueError(f"evaluator_config has no option {name} for clearbar. Did you mean {near[0]}?")
    for name in COLUMNS:
        if isinstance(options.get(name), str):
            options[name] = _column(features, name, options[name])
    predicted = dataset.predictions_data if model is None else model.predict(features)
    if predictions is not None and hasattr(predicted, "columns"):
        predicted = predicted[predictions]
    if predicted is None:
        raise ValueError("there are no predictions: pass a model, or name their column with predictions=.")
    if model_type == REGRESSOR:
        if of_labels := [name for name in OF_LABELS if name in options]:
            raise ValueError(
                f"evaluator_config has {listed(of_labels)}, which numbers have not; leave it out."
            )
        return evaluate_regression(dataset.labels_data, predicted, **options)
    return evaluate(dataset.labels_data, predicted, **options)


def _column(features: Any, option: str, name: str) -> Any:
    if name not in getattr(features, "columns", ()):
        raise ValueError(f"evaluator_config names the column {name!r} as {option}, and the data has none.")
    return features[name]


def _metrics(card: Scorecard) -> Iterator[tuple[str, float]]:
    """Yield what is known of each measure on the whole."""
    for verdict in card:
        if verdict.group is None:
            measure = re.sub(r"[^\w. -]+", "_", verdict.measure.name).strip("_")
            for name, column in NUMBERS.items():
                value = float(verdict.baseline.value if column == "bar" else getattr(verdict, column))
                if math.isfinite(value):
                    yield f"{measure}/{name}", value


def _logged(card: Scorecard, run_id: str) -> dict[str, Any]:
    """Log report, scorecard and picture, and return them as MLflow's artifacts."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        card.to_html(folder / "report.html")
        (folder / "scorecard.json").write_text(card.to_json(indent=2), encoding="utf-8")
        try:
            ScorecardDisplay.from_scorecard(card).figure_.savefig(folder / "scorecard.png", dpi=150)
        except NothingToDrawError:
            _LOG.info("clearbar: there is nothing to draw.")
        mlflow.log_artifacts(place, FOLDER, run_id=run_id)
        there = [name for name in ARTIFACTS if (folder / name).exists()]
    uris = {name: mlflow.get_artifact_uri(f"{FOLDER}/{name}") for name in there}
    return {f"{FOLDER}/{name}": ARTIFACTS[name](uri=uri) for name, uri in uris.items()}
