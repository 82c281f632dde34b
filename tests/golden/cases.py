"""What is pinned: some 400 cards, bars, distributions and comparisons, each a function of a seed.

A case gives rows: dictionaries of numbers and codes by column, `key` says what the row is of. Nothing but
public names is used, so that the cases outlive every way of computing them.
"""

import json
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from tests.golden.data import DATA, among, uniform

import clearbar as cb

HERE = pathlib.Path(__file__).parent
LOGS = HERE.parent / "data" / "logs"

COLUMNS = (
    *("total", "positives", "score", "low", "high", "bar", "best_possible", "worst_draw", "skill"),
    *("p_value", "p_value_blind", "p_sure", "p_corrected", "sure", "outcome"),
    *("p_method", "interval_method", "p_blind_method", "p_draws", "p_blind_draws"),
)
"""Of a scorecard; `reason` is kept as empty or not."""

FEW = (
    *("accuracy", "recall", "precision", "npv", "fnr", "balanced_accuracy", "f1", "mcc", "kappa", "g_mean"),
    *("p4", "markedness", "threat_score", "lift", "diagnostic_odds_ratio", "optimized_precision"),
    *("prevalence_threshold", "expected_cost(c_fn=5, c_fp=1)", "net_benefit(w=1)", "chi2"),
)
"""Of labels, where a way to judge is pinned, not each measure: affine, curved, kinked, infinite."""

COMMON = ("accuracy", "recall", "precision", "f1", "mcc", "kappa", "g_mean")

KINDS = ("binary", "scores", "multiclass", "multilabel", "regression")


@dataclass(frozen=True)
class Case:
    """What is pinned under a name, and whether `make quick` looks at it."""

    name: str
    rows: Callable[[int], list[dict]]
    quick: bool = False


def rows_of(card):
    """Rows of a card: what was judged, then its numbers and codes."""
    document = card.to_dict()
    alpha = round(1 - document["confidence_level"], 12)
    return [
        {
            "key": " ".join(str(row[name]) for name in ("measure", "model", "group")),
            **{name: row[name] for name in COLUMNS if name in row},
            **({} if alpha == 0.05 else {"alpha": alpha}),
            "explained": bool(row["reason"]),
        }
        for row in document["rows"]
    ]


def frozen_measures():
    """The measures of every kind, as they were when the values were made."""
    return json.loads((HERE / "measures.json").read_text("utf-8"))


def parted(names, size):
    """Parts of at most so many names."""
    return [names[start : start + size] for start in range(0, len(names), size)]


def every_case(measures):
    """Every case, in order; names are unique."""
    makers = (
        label_cards,
        count_cards,
        fold_cards,
        score_cards,
        class_cards,
        label_set_cards,
        number_cards,
        task_cards,
        table_cards,
        bars,
        other_bars,
        distributions,
        comparisons,
        questions,
    )
    return [case for maker in makers for case in maker(measures)]


def pinned(name, function, *data, quick=False, view=lambda card: card, **options):
    """A case of the card that a function makes of data, or of a view of it."""
    return Case(name, lambda seed: rows_of(view(function(*data, random_state=seed, **options))), quick)


def cards(name, measures, size, function, *data, quick=(), **options):
    """A case for every part of the measures, which the function takes behind the data."""
    for at, part in enumerate(parted(measures, size)):
        yield pinned(f"{name}/{at}", function, *data, part, quick=at in quick, **options)


def label_cards(measures):
    """Labels of two classes: plain, slices, clusters, runs, a column, policies, tries, names of classes."""
    for data in ("even", "rare", "many"):
        it = DATA[data]
        one, fair = it.labels["good"], it.labels["fair"]
        ways = {
            "plain": (one, {}),
            "clusters": (one, {"clusters": it.clusters}),
            "runs": (it.runs(), {}),
            "given": (one, {"given": it.by}),
            "worst": (fair, {"undefined": "worst"}),
        }
        if data == "even":
            ways |= {
                "by": (one, {"by": it.by}),
                "zero": (fair, {"undefined": 0.0}),
                "models": (it.labels, {}),
                "tries": (one, {"tries": 5}),
                "runs-clusters": (it.runs(), {"clusters": it.clusters}),
                "level": (one, {"confidence_level": 0.9}),
                "no-intervals": (one, {"intervals": False}),
                "all-positive": (np.ones(it.samples, int), {}),
                "all-negative": (np.zeros(it.samples, int), {}),
                "perfect": (it.truth, {}),
                "reversed": (1 - it.truth, {}),
            }
        if data == "rare":
            ways |= {"by-clusters": (one, {"by": it.by, "clusters": it.clusters})}
        if data == "many":
            ways = {"plain": ways["plain"]}
        quick = {"plain": (0,), "clusters": (1,), "runs": (3,), "given": (1,)} if data == "even" else {}
        for way, (predicted, more) in ways.items():
            every = (way in {"plain", "by"} and data == "even") or way in {"clusters", "runs"}
            names, size = (measures["binary"], 21) if every else (FEW, 10)
            name = f"labels/{data}/{way}"
            options = {**more, "quick": quick.get(way, ())}
            yield from cards(name, names, size, cb.evaluate, it.truth, predicted, **options)
    few = DATA["even"]
    truth, *text = (np.where(values == 1, "yes", "no") for values in (few.truth, *few.labels.values()))
    models = dict(zip(few.labels, text, strict=True))
    yield pinned("labels/text", cb.evaluate, truth, models, pos_label="yes", by=few.by, quick=True)
    yield pinned("labels/one-class", cb.evaluate, np.ones(20, int), (uniform(5, 20) < 0.7).astype(int), FEW)


def count_cards(measures):
    """Counts alone: p and intervals of two-class tables of several sizes, by every measure."""
    tables = {
        "tiny": (4, 1, 2, 5),
        "small": (9, 3, 2, 8),
        "skewed": (6, 4, 3, 90),
        "no-tp": (0, 3, 6, 20),
        "no-errors-in-one": (12, 0, 5, 30),
        "middle": (60, 25, 30, 85),
        "large": (700, 350, 300, 3000),
    }
    for name, cells in tables.items():
        names, quick = measures["binary"] if name in {"small", "skewed"} else FEW, (1,) * (name == "small")
        yield from cards(f"counts/{name}", names, 21, cb.evaluate_counts, counted(*cells), quick=quick)
    common = ["accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc"]
    slices = counted([5, 9, 0], [2, 3, 1], [3, 1, 4], [9, 8, 30])
    yield pinned("counts/slices", cb.evaluate_counts, slices, common, quick=True)
    huge = counted(3_000_000, 1_200_000, 900_000, 94_900_000)
    yield pinned("counts/huge", cb.evaluate_counts, huge, common)
    for name, (tp, fp, fn, tn) in {"narrow": (31, 20, 22, 127), "even": (18, 9, 12, 21)}.items():
        models = {"a": counted(tp, fp, fn, tn), "b": counted(tp + 2, fp, fn - 2, tn)}
        yield pinned(f"counts/two-models-{name}", cb.evaluate_counts, models, common)


def counted(tp, fp, fn, tn):
    return cb.Counts(tp=np.array(tp), fp=np.array(fp), fn=np.array(fn), tn=np.array(tn))


def fold_cards(measures):
    """Folds of labels, of scores and of classes, in every way that they are combined."""
    names = measures["binary"]
    fs = ["precision", "recall", "f1", "f2", "tversky(alpha=0.3, beta=0.7)"]
    for data in ("even", "rare"):
        it = DATA[data]
        ways = {
            "pooled": (names if data == "even" else fs, {}),
            "mean": (names if data == "even" else FEW, {"aggregate": "mean"}),
            "mean_of_defined": (names, {"aggregate": "mean_of_defined"}),
            "precision_recall": (["f1", "f2"], {"aggregate": "precision_recall"}),
            "precision_recall_of_defined": (["f1", "f2"], {"aggregate": "precision_recall_of_defined"}),
            "aware": ([*fs, "mcc", "accuracy", "kappa", "g_mean"], {"fold_aware": True}),
            "mean-worst": (fs, {"aggregate": "mean", "undefined": "worst"}),
            "pooled-zero": (fs, {"undefined": 0.0}),
        }
        for way, (of_way, options) in ways.items():
            name, quick = f"folds/{data}/{way}", (0,) * (data == "even" and way != "mean_of_defined")
            folded = cb.evaluate_folds, it.truth
            one = it.labels["good"], it.folds
            yield from cards(f"{name}/one", of_way, 27, *folded, *one, quick=quick, **options)
            if way not in {"aware", "mean-worst", "pooled-zero"}:
                two, few = dict(list(it.labels.items())[:2]), [m for m in of_way if m in FEW][:6]
                yield from cards(f"{name}/two", few, 27, *folded, two, it.folds, **options)
    counts, it = counted([6, 7, 5, 4], [2, 1, 3, 2], [2, 1, 3, 4], [20, 21, 19, 20]), DATA["even"]
    for aggregate in ("pooled", "mean"):
        way = {"aggregate": aggregate}
        yield pinned(f"folds/counts/{aggregate}", cb.evaluate_fold_counts, counts, FEW, **way)
        folded = cb.evaluate_folds, it.classes, it.guesses, it.folds
        way["quick"] = (0,) * (aggregate == "mean")
        yield from cards(f"folds/classes/{aggregate}", measures["multiclass"], 15, *folded, **way)
    for data, most, quick in (("even", None, (0,)), ("many", 3, ())):
        it = DATA[data]
        scored = cb.evaluate_scores, it.truth, it.scores
        options = {"folds": np.arange(it.samples) % 2, "quick": quick}
        yield from cards(f"folds/scores/{data}", measures["scores"][:most], 11, *scored, **options)


def score_cards(measures):
    """Scores and probabilities: ranking, thresholds, probabilities, gains."""
    for data in ("even", "rare", "many"):
        it = DATA[data]
        one = it.scores["fair"]
        ways = {
            "plain": (one, {}),
            "models": (it.scores, {}),
            "by": (one, {"by": it.by}),
            "clusters": (one, {"clusters": it.clusters}),
            "tries": (one, {"tries": 3}),
        }
        if data == "even":
            ways |= {
                "constant": (np.full(it.samples, 0.4), {}),
                "perfect": (0.1 + 0.8 * it.truth, {}),
                "reversed": (0.9 - 0.8 * it.truth, {}),
                "trained": (one, {"train_prevalence": 0.5}),
                "level": (one, {"confidence_level": 0.99}),
            }
        if data == "many":
            ways = {"plain": ways["plain"]}
        for way, (predicted, more) in ways.items():
            names = ["log_loss", "brier_score", "roc_auc"] if way == "trained" else measures["scores"]
            options = {**more, "quick": (0, 1) * (data == "even" and way in {"plain", "clusters"})}
            scored = cb.evaluate_scores, it.truth, predicted
            yield from cards(f"scores/{data}/{way}", names, 11, *scored, **options)


def class_cards(measures):
    """More than two classes, and the first few of them."""
    few = ["accuracy", "balanced_accuracy", "f1_macro", "recall_weighted", "mcc", "kappa", "g_mean"]
    judge = cb.evaluate_multiclass
    for data in ("even", "rare", "many"):
        it = DATA[data]
        fair = it.guesses["fair"]
        ways = {
            "plain": (it.guesses["good"], {}),
            "models": (it.guesses, {}),
            "clusters": (fair, {"clusters": it.clusters}),
            "runs": (np.stack(list(it.guesses.values())), {}),
        }
        if data == "even":
            ways |= {
                "by": (fair, {"by": it.by}),
                "labels": (fair, {"labels": ["ant", "bee", "cat", "dog", "elk"]}),
                "fill": (fair, {"zero_division": 1.0}),
                "one-answer": (np.full(it.samples, "dog"), {}),
                "perfect": (it.classes, {}),
            }
        if data == "many":
            ways = {"plain": ways["plain"]}
        for way, (predicted, more) in ways.items():
            every = data == "even" and way in {"plain", "clusters", "runs"}
            names = measures["multiclass"] if every else few
            options = {**more, "quick": (0,) * ((data, way) == ("even", "clusters"))}
            yield from cards(f"classes/{data}/{way}", names, 15, judge, it.classes, predicted, **options)
        tops = it.classes, it.per_class, ["top_2_accuracy", "top_3_accuracy"]
        for way, options in {"plain": {}, "by": {"by": it.by}, "clusters": {"clusters": it.clusters}}.items():
            quick = (data, way) == ("even", "plain")
            yield pinned(f"classes/{data}/top/{way}", judge, *tops, quick=quick, **options)
        each = judge, it.classes, it.guesses, "f1_macro"
        yield pinned(f"classes/{data}/each", *each, view=cb.Scorecard.per_class, quick=data == "even")
    matrix = cb.ConfusionMatrix([[12, 3, 1], [4, 20, 6], [2, 2, 9]], labels=["low", "mid", "high"])
    yield from cards("classes/matrix", measures["multiclass"], 30, cb.evaluate_counts, matrix)


def label_set_cards(measures):
    """Sets of labels."""
    judge = cb.evaluate_multilabel
    for data in ("even", "rare"):
        it = DATA[data]
        fair = it.set_guesses["fair"]
        ways = {
            "plain": (it.set_guesses["good"], {}),
            "models": (it.set_guesses, {}),
            "by": (fair, {"by": it.by}),
            "clusters": (fair, {"clusters": it.clusters}),
            "fill": (fair, {"zero_division": 1.0}),
            "empty": (0 * it.sets, {}),
            "perfect": (it.sets, {}),
        }
        for way, (predicted, more) in ways.items():
            options = {**more, "quick": (0, 1) * ((data, way) == ("even", "plain"))}
            name, names = f"sets/{data}/{way}", measures["multilabel"]
            yield from cards(name, names, 12, judge, it.sets, predicted, **options)
        each = judge, it.sets, it.set_guesses, "f1_macro"
        yield pinned(f"sets/{data}/each", *each, view=cb.Scorecard.per_label, quick=data == "even")


def number_cards(measures):
    """Numbers."""
    by_column = ["mse", "rmse", "mae", "r2", "explained_variance", "d2_absolute_error"]
    by_column += ["mean_poisson_deviance"]
    for data in ("even", "many"):
        it = DATA[data]
        fair = it.forecasts["fair"]
        ways = {
            "plain": (it.forecasts["good"], {}),
            "models": (it.forecasts, {}),
            "by": (fair, {"by": it.by}),
            "clusters": (fair, {"clusters": it.clusters}),
            "given": (fair, {"given": it.by}),
            "constant": (np.full(it.samples, 1.2), {}),
            "perfect": (it.numbers, {}),
        }
        names = measures["regression"]
        if data == "many":
            ways, names = {"plain": ways["plain"]}, ["mse", "mae", "rmse", "r2", "medae", "pearson"]
        for way, (predicted, more) in ways.items():
            options = {**more, "quick": (0,) * (data == "even" and way in {"plain", "given"})}
            judged = cb.evaluate_regression, it.numbers, predicted
            of_way = by_column if way == "given" else names
            yield from cards(f"numbers/{data}/{way}", of_way, 11, *judged, **options)


def answers():
    """Answers to the items of three tasks, by two models."""
    samples = 40
    options = {"two": 2, "four": 4, "open": None}
    tables = []
    for at, (task, number) in enumerate(options.items()):
        gold = among(700 + at, range(number or 6), samples)
        for model, share in {"old": 0.5, "new": 0.75}.items():
            said = np.where(uniform(710 + at + 5 * (model == "new"), samples) < share, gold, 0)
            table = {"model": model, "task": task, "item": np.arange(samples), "gold": gold, "answer": said}
            tables.append(pd.DataFrame({**table, "options": number, "passage": np.arange(samples) // 2}))
    whole = pd.concat(tables).astype({"options": "Int64"})
    return whole.assign(gold=whole["gold"].astype(str), answer=whole["answer"].astype(str))


def task_cards(measures):
    """Tasks of answers, from tables and from logs of two harnesses."""
    table = {"model": "model", "by": "task", "options": "options", "kind": "multiclass"}
    for way, more in {"plain": {}, "clusters": {"clusters": "passage"}, "items": {"item": "item"}}.items():
        options = {**table, **more, "quick": way != "items"}
        yield pinned(f"tasks/table/{way}", cb.evaluate_frame, answers(), "gold", "answer", **options)
    inspect = [str(path) for path in sorted((LOGS / "inspect").glob("*.eval")) if "limited" not in path.name]
    folder, strict = str(LOGS / "lm_eval"), {"filter": "strict-match"}
    logs = {
        "lm_eval": (folder, strict),
        "lm_eval-one": (str(LOGS / "lm_eval" / "knows"), {**strict, "tries": 3}),
        "lm_eval-programs": (folder, {**strict, "kind": {"gsm8k": "none"}}),
        "inspect": (inspect, {}),
    }
    for name, (paths, options) in logs.items():
        yield pinned(f"tasks/{name}", cb.evaluate_logs, paths, quick=name == "lm_eval-one", **options)


def frame_of(it):
    """A table of one row per sample with everything that a column can be."""
    return pd.DataFrame(
        {
            "y": it.truth,
            **it.labels,
            "s_good": it.scores["good"],
            "s_fair": it.scores["fair"],
            "by": it.by,
            "cluster": it.clusters,
            "fold": it.folds,
            "weight": it.weights,
            "class": it.classes,
            "guess": it.guesses["good"],
            "number": it.numbers,
            "forecast": it.forecasts["good"],
        }
    )


def table_cards(measures):
    """Tables and files: wide, weighted, sliced, folded, with thresholds; CSV, Parquet and JSON lines."""
    common = ["accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc", "kappa", "g_mean"]
    two = ["good", "fair"]
    ways = {
        "wide": (("y", two), {}),
        "weights": (("y", two), {"weight": "weight"}),
        "weights-by": (("y", "good"), {"weight": "weight", "by": "by"}),
        "by-two": (("y", "good"), {"by": ["by", "fold"]}),
        "clusters": (("y", two), {"clusters": "cluster"}),
        "folds": (("y", two), {"fold": "fold"}),
        "folds-mean": (("y", two), {"fold": "fold", "aggregate": "mean"}),
        "threshold": (("y", ["s_good", "s_fair"]), {"threshold": 0.5}),
        "scores": (("y",), {"y_score": ["s_good", "s_fair"], "measures": measures["scores"][:6]}),
        "classes": (("class", "guess"), {"measures": measures["multiclass"][:10]}),
        "numbers": (("number", "forecast"), {"kind": "regression", "measures": measures["regression"][:8]}),
    }
    for way, (columns, options) in ways.items():
        for data in ("even", "many") if way == "wide" else ("even",):
            quick = data == "even" and way in {"weights", "threshold", "folds"}
            judged = cb.evaluate_frame, frame_of(DATA[data]), *columns
            yield pinned(f"tables/{data}/{way}", *judged, quick=quick, **{"measures": common} | options)
    writers = {"csv": "to_csv", "parquet": "to_parquet", "jsonl": "to_json"}
    for suffix, writer in writers.items():

        def read(seed, suffix=suffix, writer=writer):
            with TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / f"table.{suffix}"
                options = {"orient": "records", "lines": True} if suffix == "jsonl" else {"index": False}
                getattr(frame_of(DATA["even"]), writer)(path, **options)
                return rows_of(
                    cb.evaluate_frame(str(path), "y", two, measures=common, by="by", random_state=seed)
                )

        yield Case(f"tables/files/{suffix}", read, quick=suffix == "csv")


def bar_row(key, bar, *, sets):
    """A row of one bar of two classes."""
    best = bar.best
    row = {
        "key": key,
        "bar": bar.value,
        "max": bar.max.value,
        "min": bar.min.value,
        "best_possible": bar.best_possible,
        "explained": bool(bar.reason),
    }
    if sets and best is not None:
        ranges = best.predicted_positives
        row |= {"ranges": len(ranges), "optimal": sum(map(len, ranges))}
        row |= {"smallest": ranges[0].start, "largest": ranges[-1].stop - 1} if ranges else {}
    return row


def bars(measures):
    """Bars of two classes, at class sizes from one sample to a billion."""
    names = measures["binary"]
    sizes = [(1, 1), (2, 1), (7, 3), (30, 9), (60, 60), (60, 0), (100, 10), (500, 120), (2000, 1999)]
    large = [(100_000, 31_000), (1_000_000, 250_000), (10**9, 10**7)]
    for total, positives in (*sizes, *large):
        for policy in ("exclude", "worst", 0.0) if total < 600 else ("exclude",):
            for at, part in enumerate(parted(names if total <= 2000 or total == 10**9 else list(FEW), 41)):

                def rows(seed, total=total, positives=positives, policy=policy, part=part):
                    population = cb.Population(total, positives)
                    return [
                        bar_row(name, cb.baseline(population, name, undefined=policy), sets=total <= 500)
                        for name in part
                    ]

                quick = (total, policy) in {(30, "exclude"), (100, "worst"), (7, 0.0)}
                yield Case(f"bars/{total}-{positives}/{policy}/{at}", rows, quick=quick)

    def clearing(seed):
        rows = []
        for population in (cb.Population(40, 12), cb.Population(90, 30)):
            for name in (*COMMON, "fnr", "error_rate"):
                bar = cb.baseline(population, name)
                row = {"key": f"{name} {population.total}", "clearing": bar.clearing_score()}
                row |= {
                    f"expected_{at}": bar.expectation(theta) for at, theta in enumerate((0.0, 0.3, 0.55, 1.0))
                }
                judged = bar.judge(0.8)
                row |= {name: getattr(judged, name) for name in ("skill", "outcome", "p_value_blind")}
                rows.append(row | {"p_bare": cb.p_value(0.8, population, name)})
        return rows

    yield Case("bars/judged", clearing)


def other_bars(measures):
    """Bars of scores, classes, sets of labels and numbers, and of a column that the bar may see."""

    def scored(seed, population):
        return [
            {
                "key": name,
                "bar": bar.value,
                "bar_error": bar.error,
                "worst_draw": bar.worst_value,
                "best_possible": bar.best_possible,
            }
            for name in measures["scores"]
            for bar in [cb.baseline_scores(population, name)]
        ]

    for total, positives in ((5, 2), (12, 4), (60, 18), (300, 40), (1000, 180)):
        population = cb.Population(total, positives)
        quick = total in {12, 60}
        yield Case(
            f"bars/scores/{total}-{positives}", lambda seed, it=population: scored(seed, it), quick=quick
        )

    def plain(bars_of):
        return lambda seed: [
            {
                "key": name,
                "bar": bar.value,
                "worst_draw": bar.worst_value,
                "best_possible": bar.best_possible,
                "explained": bool(bar.reason),
            }
            for name, bar in bars_of()
        ]

    sizes = {
        "three": {"a": 5, "b": 9, "c": 2},
        "four": {"a": 40, "b": 30, "c": 20, "d": 10},
        "eight": {str(at): 7 * at + 3 for at in range(8)},
        "large": {"a": 70_000, "b": 20_000, "c": 10_000},
    }
    for name, held in sizes.items():
        classes = cb.ClassSizes(held)
        rows = plain(lambda it=classes: [(m, cb.baseline_multiclass(it, m)) for m in measures["multiclass"]])
        yield Case(f"bars/classes/{name}", rows, quick=name == "four")
    for data in ("even", "rare"):
        sets, values = DATA[data].sets, DATA[data].numbers
        rows = plain(lambda it=sets: [(m, cb.baseline_multilabel(it, m)) for m in measures["multilabel"]])
        yield Case(f"bars/sets/{data}", rows, quick=data == "even")
        rows = plain(lambda it=values: [(m, cb.baseline_regression(it, m)) for m in measures["regression"]])
        yield Case(f"bars/numbers/{data}", rows, quick=data == "even")


def distributions(measures):
    """The null distribution of scores at several sizes: moments, mass, tails and quantiles."""
    draws = [
        (12, 5, 4),
        (60, 20, 60),
        (60, 20, 25),
        (1000, 300, 410),
        (1_000_000, 200_000, 350_000),
        (10**9, 10**8, 3 * 10**8),
    ]
    names = ["tp", "recall", "precision", "accuracy", "f1", "mcc", "kappa"]
    names += ["balanced_accuracy", "g_mean", "fnr"]
    for total, positives, said in draws:

        def rows(seed, total=total, positives=positives, said=said):
            found = []
            for name in names:
                null = cb.Draw(cb.Population(total, positives), said).distribution(cb.get_measure(name))
                row = {"key": name, "mean": null.mean(), "sd": null.std(), "undefined": null.undefined_mass}
                row["low"], row["high"] = null.interval(0.95)
                for at, share in enumerate((0.01, 0.3, 0.5, 0.99)):
                    point = float(null.ppf(share))
                    row |= {
                        f"ppf_{at}": point,
                        f"pmf_{at}": float(null.pmf(point)),
                        f"cdf_{at}": float(null.cdf(point)),
                        f"sf_{at}": float(null.sf(point)),
                        f"tail_{at}": float(null.tail(point)),
                        f"logtail_{at}": float(null.logtail(point)),
                    }
                found.append(row)
            return found

        yield Case(f"null/{total}-{positives}-{said}", rows, quick=total in {12, 1000})


def compared(card, a, b, measure, **options):
    """A row of a comparison of two models."""
    found = card.compare(a, b, measure, **options)
    return {
        "key": f"{measure} {a} {b}",
        "difference": found.score_difference,
        "skill_difference": found.skill_difference,
        "difference_low": found.low,
        "difference_high": found.high,
        "p_compared": found.p_value,
        "p_equivalent": found.p_equivalent,
        "only_a_right": found.only_a_right,
        "only_b_right": found.only_b_right,
        "p_mcnemar": found.p_mcnemar,
        "test": str(found.test),
        "method": str(found.method),
        "same": found.same,
        "better": found.better,
    }


def ranked(card, measure):
    """Rows of a ranking: every pair of models."""
    found = card.ranking(measure).to_dict()
    models = found["models"]
    return [
        {
            "key": f"{measure} {a} {b}",
            "p_compared": found["p_values"][i][j],
            "p_compared_corrected": found["p_corrected"][i][j],
            "best": " ".join(found["best"]),
        }
        for i, a in enumerate(models)
        for j, b in enumerate(models)
        if i < j
    ]


def all_cards(data):
    """Cards of several models by name: a function, its data, measures to compare by, and options."""
    it = DATA[data]
    clusters = {"clusters": it.clusters}
    labels = ["accuracy", "recall", "precision", "f1", "mcc", "kappa", "balanced_accuracy", "g_mean"]
    scores = ["roc_auc", "average_precision", "brier_score", "log_loss", "ks", "max_f1"]
    classes = ["accuracy", "f1_macro", "mcc", "kappa", "balanced_accuracy"]
    sets = ["subset_accuracy", "hamming_loss", "f1_micro", "f1_macro", "f1_samples"]
    of_labels = cb.evaluate, it.truth, it.labels, [*labels, "npv", "fnr"]
    of_scores = cb.evaluate_scores, it.truth, it.scores, scores
    of_classes = cb.evaluate_multiclass, it.classes, it.guesses, classes
    of_numbers = cb.evaluate_regression, it.numbers, it.forecasts
    of_numbers += (["mse", "mae", "rmse", "r2", "spearman", "medae"],)
    of_folds = cb.evaluate_folds, it.truth, it.labels, it.folds, ["accuracy", "f1", "mcc"]
    made = {
        "labels": (*of_labels, {}),
        "labels-clusters": (*of_labels, clusters),
        "scores": (*of_scores, {}),
        "scores-clusters": (*of_scores, clusters),
        "classes": (*of_classes, {}),
        "classes-clusters": (*of_classes, clusters),
        "sets": (cb.evaluate_multilabel, it.sets, it.set_guesses, sets, {}),
        "numbers": (*of_numbers, {}),
        "numbers-clusters": (*of_numbers, clusters),
        "folds": (*of_folds, {}),
        "folds-mean": (*of_folds, {"aggregate": "mean"}),
    }
    if data == "even":
        table = {"model": "model", "by": "task", "options": "options", "kind": "multiclass"}
        made["tasks"] = cb.evaluate_frame, answers(), "gold", "answer", table
    return made


def comparisons(measures):
    """Comparisons of models, of every kind; rankings; the best of several."""
    for data in ("even", "many"):
        for name, made in all_cards(data).items():
            if data == "many" and name not in {"labels", "classes"}:
                continue

            def card_of(seed, made=made):
                function, *given, options = made
                return function(*given, random_state=seed, **options)

            def pairs(seed, card_of=card_of, **options):
                card = card_of(seed)
                first, second = card.models[:2]
                return [compared(card, first, second, m.name, **options) for m in card.measures]

            quick = data == "even"
            yield Case(f"compare/{data}/{name}", pairs, quick=quick and name in {"labels", "numbers"})
            yield Case(
                f"compare/{data}/{name}/exchangeable",
                lambda seed, pairs=pairs: pairs(seed, null="exchangeable"),
                quick=quick and name in {"labels-clusters", "sets"},
            )
            if name in {"labels", "scores", "numbers"}:
                yield Case(
                    f"compare/{data}/{name}/margin",
                    lambda seed, pairs=pairs: pairs(seed, margin=0.05),
                    quick=False,
                )

            def ranking(seed, card_of=card_of):
                card = card_of(seed)
                return [row for m in card.measures[:3] for row in ranked(card, m.name)]

            yield Case(f"ranking/{data}/{name}", ranking, quick=quick and name == "labels")

            def best(seed, card_of=card_of):
                card = card_of(seed)
                return [
                    {
                        "key": m.name,
                        "model": found.model,
                        "score": found.score,
                        "p_best": found.p_value_blind,
                        "expected_best": found.expected,
                        "tries": found.tries,
                        "permutations": found.permutations,
                    }
                    for m in card.measures[:4]
                    for found in [card.best_of(m.name)]
                ]

            if not name.endswith(("folds", "folds-mean", "clusters")):
                yield Case(f"best-of/{data}/{name}", best, quick=quick and name in {"labels", "classes"})


def questions(measures):
    """Power, samples needed, dummies, the Dutch Scaler, empty folds."""
    planned = ("accuracy", "precision", "f1", "mcc", "balanced_accuracy", "kappa")

    def powers(seed, total, positives):
        return [
            {
                "key": f"{name} {sensitivity}",
                "power": float(found),
                "power_error": found.standard_error,
            }
            for name in ("accuracy", "f1", "mcc")
            for sensitivity in (0.7, 0.9)
            for found in [
                cb.power(
                    cb.Population(total, positives),
                    name,
                    sensitivity=sensitivity,
                    specificity=0.8,
                    random_state=seed,
                )
            ]
        ]

    for total, positives in ((20, 8),):
        yield Case(
            f"power/{total}-{positives}",
            lambda seed, total=total, positives=positives: powers(seed, total, positives),
            quick=False,
        )
    yield Case(
        "samples-needed",
        lambda seed: [
            {
                "key": f"{name} {prevalence}",
                "samples": cb.samples_needed(
                    name, prevalence=prevalence, sensitivity=0.95, specificity=0.95, random_state=seed
                ),
            }
            for name in planned[:3]
            for prevalence in (0.5,)
        ],
    )
    yield Case(
        "dummies",
        lambda seed: [
            {"key": f"{name} {strategy}", "expected": expected}
            for name in ("accuracy", "f1", "mcc", "precision", "g_mean")
            for held in [cb.dummies(DATA["even"].truth, name).to_dict()]
            for strategy, expected in zip(held["strategy"], held["expected"], strict=True)
        ],
    )
    yield Case(
        "dutch-scaler",
        lambda seed: [
            {
                "key": f"{name} {score} {draw}",
                "scaled": cb.dutch_scaler(score, cb.Population(60, 20), name, draw=draw),
            }
            for name in ("accuracy", "f1", "mcc", "kappa", "markedness", "balanced_accuracy")
            for score in (0.7, 0.9)
            for draw in ("least", "prevalence")
        ],
        quick=True,
    )
    yield Case(
        "empty-folds",
        lambda seed: [
            {
                "key": f"{positives} {folds}",
                "probability": cb.probability_of_empty_fold(cb.Population(100, positives), folds),
            }
            for positives in (3, 12, 30)
            for folds in (2, 5, 10)
        ],
        quick=True,
    )
