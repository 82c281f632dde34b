"""The reader of Hugging Face takes the model index of a scorecard."""

import math

import numpy as np
from huggingface_hub import ModelCardData

import clearbar as cb

Y = np.tile([1, 1, 0, 0, 0], 40)
MODELS = {"tree 7": np.roll(Y, 5) ^ (np.arange(200) % 9 == 0), "always": np.ones(200, int)}


def test_it_reads_every_score():
    card = cb.evaluate(Y, MODELS, ["f1", "mcc", "accuracy", "recall"])
    for entry in card.to_model_index("wards"):
        data = ModelCardData(model_name=entry["name"], **{"model-index": [entry]})
        read = {result.metric_name: result.metric_value for result in data.eval_results}
        rows = [row for row in card if row.model == entry["name"] and math.isfinite(row.score)]
        assert read == {row.measure.label: row.score for row in rows}
        assert "model-index" in data.to_yaml()
