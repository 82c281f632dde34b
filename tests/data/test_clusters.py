"""Spark in local mode, a local Dask cluster: both say what pandas says."""

import os
import shutil
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.data.engines import QUICK, predictions

import clearbar as cb
from clearbar.data import tables

pytestmark = pytest.mark.slow

COLUMNS = predictions(rows=3000, seed=8)
FRAME = pd.DataFrame(COLUMNS).assign(
    label=["spam" if y else "ham" for y in COLUMNS["y"]],
    said=["spam" if tree else "ham" for tree in COLUMNS["tree"]],
    times=[row % 4 for row in range(3000)],
    animal=np.random.default_rng(1).choice(["cat", "cow", "dog"], 3000),
    called=np.random.default_rng(2).choice(["cat", "cow", "dog"], 3000),
    gap=[None if row % 100 == 0 else float(p) for row, p in enumerate(COLUMNS["tree"])],
)
"""`gap` has 30 missing values."""

CLASSES = {"measures": ["accuracy", "f1_macro"]}
QUESTIONS = {
    "wide": {"y_pred": ["tree", "coin"]},
    "slices": {"y_pred": ["tree", "coin"], "by": ["country", "day"], "min_support": 100},
    "folds": {"y_pred": "tree", "fold": "day"},
    "weights": {"y_pred": "tree", "by": "day", "weight": "times"},
    "probabilities": {"y_pred": "proba", "by": "country", "threshold": 0.5},
    "missing": {"y_pred": "gap", "by": "country", "nulls": "drop"},
    "text": {"y_true": "label", "y_pred": "said", "by": "day", "pos_label": "spam"},
    "classes": {"y_true": "animal", "y_pred": "called", "by": "country", "kind": "multiclass", **CLASSES},
    "weighed classes": {"y_true": "animal", "y_pred": "called", "weight": "times", **CLASSES},
}


def ask(frame, question):
    """Judge, with the warnings of other packages aside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        card = cb.evaluate_frame(frame, **{"y_true": "y", **QUICK, **question})
    return replace(card, call="")


def refused(frame, **question):
    with pytest.raises(ValueError) as caught:
        ask(frame, question)
    message = str(caught.value)
    assert "\n" not in message
    return message


class Watched:
    """Every query that is run, as it was planned, and how many rows came back."""

    def __init__(self, monkeypatch, planned):
        self.plans, self.rows = [], []
        collected = tables.collected

        def watched(table, query):
            def once(frame):
                lazy = query(frame)
                if not isinstance(lazy.to_native(), pd.DataFrame):
                    self.plans.append(planned(lazy.to_native()))
                return lazy

            found = collected(table, once)
            self.rows.append(len(found))
            return found

        monkeypatch.setattr(tables, "collected", watched)


@pytest.fixture(scope="module")
def spark():
    """A Spark session on this machine, started for these tests and stopped after them."""
    pyspark = pytest.importorskip("pyspark", reason="Spark is not installed")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java, which is not installed")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",  # compiling a query takes longer than these tables do
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        # A short life: what is compiled in haste is soon repaid.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    builder = pyspark.sql.SparkSession.builder.master("local[2]").appName("tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_spark_says_what_pandas_says(spark, monkeypatch, tmp_path):
    for part in range(3):  # Spark would not read files whose names begin with _
        FRAME[part::3].to_parquet(tmp_path / f"part-{part}.parquet")
    table = spark.read.parquet(str(tmp_path))
    for name, question in QUESTIONS.items():
        watched = Watched(monkeypatch, lambda query: query._jdf.queryExecution().executedPlan().toString())
        assert ask(table, question) == ask(FRAME, question), name
        assert max(watched.rows) <= 48, "a row per slice, or per pair of labels in it, comes back"
        assert watched.plans
        for plan in watched.plans:
            # One aggregation: a part where the rows are, and the rest after one exchange.
            assert plan.count("HashAggregate(") == 2, plan
            assert plan.count("Exchange ") == 1, plan
            assert plan.count("Scan parquet") == 1, plan
        monkeypatch.undo()
    assert "(column 'gap') has 30 missing values" in refused(table, y_pred="gap")
    assert refused(table, y_pred="tre").startswith("no column 'tre' in the frame. It has: tree")
    assert refused(table, y_true="day", y_pred="tree", kind="binary").startswith(
        "y_true holds three labels (1: "
    )
    hostile = ["a.b", "`; DROP TABLE x; --", "<b>", "^.*$", "*"]
    named = spark.createDataFrame(FRAME[["y", "tree", "coin", "country", "day"]]).toDF(*hostile)
    card = ask(named, {"y_true": hostile[0], "y_pred": hostile[1:3], "by": hostile[3:]})
    assert card.counts == ask(FRAME, {"y_pred": ["tree", "coin"], "by": ["country", "day"]}).counts
    broken = table.selectExpr("y", "cast(raise_error('stop') as int) as p")
    assert refused(broken, y_pred="p").startswith("Spark stopped while counting the table: ")


NARROW = pd.DataFrame(
    {
        "y": [1, 1, 0, 0, 1, 0],
        "tree": [1, 0, 1, 0, 1, 0],
        "score": np.array([0.7, 0.1, 0.7, 0.1, 0.7, 0.1], dtype=np.float32),
        "day": [1, 1, 1, 2, 2, 2],
        "int8": np.array([120, 1, 2, 3, 120, 120], dtype=np.int8),
        "int32": np.array([1_500_000_000, 1, 2, 3, 1_500_000_000, 1_500_000_000], dtype=np.int32),
        "float32": np.array([2**24 - 1, 1, 2, 3, 2**24 - 1, 2**24 - 1], dtype=np.float32),
    }
)


def check_narrow(table):
    """Weights of narrow types add up exactly, and a float32 score is compared at its own precision."""
    for name in ("int8", "int32", "float32"):
        most = int(NARROW[name][0])
        for prediction in ({"y_pred": "tree"}, {"y_pred": "score", "threshold": 0.7}):
            card = ask(table, {"weight": name, "by": "day", **prediction})
            found = np.asarray(card.counts.cells)[:, 0].T.tolist()
            assert found == [[2 * most, 2, 1, 3 + most], [most, 2, 1, 0], [most, 0, 0, 3 + most]], name


def test_spark_counts_columns_of_narrow_types(spark, tmp_path):
    NARROW.to_parquet(tmp_path / "part.parquet")
    check_narrow(spark.read.parquet(str(tmp_path)))


@pytest.fixture(scope="module")
def dask():
    """A Dask cluster on this machine: a scheduler, and a worker in a process of its own."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, dashboard_address=None, silence_logs=50
    )
    with cluster, distributed.Client(cluster):
        yield pytest.importorskip("dask.dataframe")


def tree(expression):
    """Name every operation of a query of Dask, once."""
    return [type(one).__name__ for one in {one._name: one for one in expression.walk()}.values()]


def test_dask_says_what_pandas_says(dask, monkeypatch):
    table = dask.from_pandas(FRAME, npartitions=5)
    for name, question in QUESTIONS.items():
        watched = Watched(monkeypatch, lambda query: (query.npartitions, tree(query.expr)))
        assert ask(table, question) == ask(FRAME, question), name
        assert max(watched.rows) <= 48, "a row per slice, or per pair of labels in it, comes back"
        assert watched.plans
        for parts, plan in watched.plans:
            assert parts == 1, "parts are put together on the cluster"
            if question.get("by") or question.get("fold"):
                assert plan.count("GroupbyAggregation") == 1, plan
        monkeypatch.undo()
    assert "(column 'gap') has 30 missing values" in refused(table, y_pred="gap")
    assert refused(table, y_pred="tre").startswith("no column 'tre' in the frame. It has: tree")
    broken = table.assign(p=table.country.map(int, meta=("p", "int64")))
    assert refused(broken, y_pred="p").startswith("Dask stopped while counting the table: ")


def test_dask_counts_columns_of_narrow_types(dask):
    check_narrow(dask.from_pandas(NARROW, npartitions=2))
