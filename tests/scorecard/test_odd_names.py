"""Names that cannot be asked for, and lists that hold none."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

CARD = cb.evaluate([0, 1] * 10, {"a": [0, 1] * 10, "b": [1, 0] * 10}, ["f1", "mcc"], by=[0] * 10 + [1] * 10)


@pytest.mark.parametrize("odd", [pd.NA, np.nan, np.array([1, 2]), {}, b"a"])
def test_what_is_no_name_is_refused_with_those_there_are(odd):
    for call, kind in (
        (lambda: CARD.compare(odd, "b", "f1"), "model"),
        (lambda: CARD.compare("a", "b", odd), "measure"),
        (lambda: CARD.explain("f1", model=odd), "model"),
        (lambda: CARD.clears("f1", group=odd), "group"),
        (lambda: CARD.ranking(odd), "measure"),
    ):
        with pytest.raises(ValueError, match=f"^no row has {kind} .* This scorecard has: "):
            call()


def test_no_measure_is_refused():
    classes = cb.evaluate_multiclass([0, 1, 2] * 8, [0, 1, 2] * 8, intervals=False)
    labels = cb.evaluate_multilabel([{"a"}, {"b"}], [{"a"}, {"b"}], intervals=False)
    said = r"^measures is empty; name at least one, or leave it out for the common ones\.$"
    for each, none in itertools.product((classes.per_class, labels.per_label), ([], {}, set(), iter([]))):
        with pytest.raises(ValueError, match=said):
            each(none)


@pytest.mark.parametrize("record", ['{"y": 1, "p": 1, "q": %s}', '{"y": 1, "p": %s, "y": 1}', "%s"])
def test_records_nested_a_hundred_thousand_deep_are_refused(tmp_path, record):
    rows = [json.dumps({"y": n % 2, "p": n // 2 % 2}) for n in range(20)]
    path = tmp_path / "deep.jsonl"
    path.write_text("\n".join([*rows, record % ("[" * 100_000 + "]" * 100_000)]) + "\n", "utf-8")
    with pytest.raises(ValueError, match="is not JSON-lines, one record per line"):
        cb.evaluate_frame(path, "y", "p", measures="f1")
