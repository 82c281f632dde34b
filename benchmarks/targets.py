"""What was aimed at: fleets of populations, one population of any size, measures of a user, counting."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np

from benchmarks._case import Case, Section
from benchmarks._inputs import digits, forget_bars, labels, matrices

CONSTANT, MONOTONE, PEAK = "mcc", "f1", "g_mean"


def _cases(*, quick: bool) -> Sequence[Case]:
    many = 10**4 if quick else 10**6
    samples = 10**6 if quick else 10**8
    scan = 10**3 if quick else 3 * 10**4
    return [
        *(_bars(name, many, "target: about 0.1 s in all") for name in ("accuracy", MONOTONE, CONSTANT)),
        _bars(PEAK, many // 10, "target: at most 20 µs each", per=many // 10),
        *(_blind(name, many) for name in (MONOTONE, PEAK)),
        *(_cards(size, p_values=p) for size, p in ((many // 10, False), (100, True))),
        *(_known_shapes(total) for total in (10**3, 10**6, 10**9, 10**12)),
        *(_one(name, what, 10**12) for name, what in (("E[G-mean]", _mean), ("blind p-value", _tail))),
        *(_bare(total) for total in (10**4, 10**6)),
        _user_made(scan),
        *(_counting(kind, samples) for kind in (np.bool_, np.uint8)),
        *(_answers(10 if quick else 100, intervals=intervals) for intervals in (False, True)),
    ]


def _bars(name: str, number: int, target: str, per: int = 1) -> Case:
    def inputs() -> tuple[Any, Any, Any]:
        import clearbar as cb

        counts = cb.Counts(**matrices(number))
        return counts, counts.population, cb.get_measure(name)(counts)

    def ours(given: Any) -> Any:
        import clearbar as cb

        _, population, scores = given
        return cb.skill(scores, cb.baseline(population, name))

    return Case(
        f"bar and skill: {name}" + (", each" if per > 1 else ""),
        f"{digits(number)} populations",
        inputs,
        ours,
        agree=lambda given, skills, _: _as_a_loop(given[0], skills, name),
        target=target,
        per=per,
    )


def _as_a_loop(every: Any, skills: Any, name: str) -> None:
    import clearbar as cb

    for i in range(50):
        counts = every[i]
        bar = cb.baseline(counts.population, name)
        assert np.isclose(skills[i], cb.skill(cb.get_measure(name)(counts), bar), rtol=1e-9, atol=1e-12)


def _blind(name: str, number: int) -> Case:
    def inputs() -> tuple[Any, Any]:
        import clearbar as cb

        counts = cb.Counts(**matrices(number))
        return counts, cb.get_measure(name)(counts)

    def ours(given: Any) -> Any:
        import clearbar as cb
        from clearbar.null import exceedance_probability

        counts, scores = given
        margins = counts.total, counts.positives, counts.predicted_positives
        return exceedance_probability(cb.get_measure(name), *margins, scores, hint=counts.tp)

    def agree(given: Any, p_values: Any, _: Any) -> None:
        import clearbar as cb

        for i in range(50):
            counts = given[0][i]
            null = cb.Draw(counts.population, counts.predicted_positives).distribution(name)
            assert np.isclose(p_values[i], null.tail(given[1][i]), rtol=1e-6, atol=1e-12)

    return Case(
        f"blind p-value: {name}, each",
        f"{digits(number)} populations",
        inputs,
        ours,
        agree=agree,
        target="target: at most 10 µs each",
        per=number,
    )


def _cards(number: int, *, p_values: bool) -> Case:
    def inputs() -> Any:
        import clearbar as cb

        return cb.Counts(**matrices(number))

    def ours(counts: Any) -> Any:
        import clearbar as cb

        return cb.evaluate_counts(counts, intervals=p_values)

    def agree(counts: Any, card: Any, _: Any) -> str:
        import clearbar as cb

        for i in range(10):
            alone = cb.evaluate_counts(counts[i], intervals=p_values)
            for name in ("score", "bar", "skill", "p_value", "p_value_blind"):
                got, want = card.columns[name][0, i], alone.columns[name][0, 0]
                assert np.allclose(got, want, rtol=1e-9, atol=1e-12, equal_nan=True), name
        return f"{len(card):,} verdicts"

    how = "with both p-values" if p_values else "without p-values"
    title = f"a scorecard of the six default measures, {how}, each slice"
    return Case(title, f"{digits(number)} slices", inputs, ours, agree=agree, per=number)


def _known_shapes(total: int) -> Case:
    def chosen() -> list[Any]:
        import clearbar as cb

        return [measure for measure in cb.measures() if measure.shape is not None]

    def ours(measures: Any) -> Any:
        import clearbar as cb

        forget_bars()
        population = cb.Population(total, 3 * total // 10)
        return [cb.baseline(population, measure) for measure in measures]

    def agree(measures: Any, bars: Any, _: Any) -> str:
        assert all(bar.certified for bar in bars)
        fastest = [_fastest(lambda measure=measure: ours([measure])) for measure in measures]
        worst = max(zip(fastest, (measure.name for measure in measures), strict=True))
        quick = sum(seconds < 1e-4 for seconds in fastest)
        return (
            f"the best of 5: median {median(fastest) * 1e3:.2g} ms, {quick} of {len(fastest)} under 0.1 ms, "
            f"slowest {worst[1]} {worst[0] * 1e3:.2g} ms"
        )

    return Case(
        "bar, worst draw and all argmax sets: every measure whose shape is known, together",
        f"M = {digits(total)}",
        chosen,
        ours,
        agree=agree,
        target="target: each under 5 ms, most under 0.1 ms",
    )


def _fastest(work: Callable[[], Any]) -> float:
    def once() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(once() for _ in range(5))


def _mean(total: int) -> float:
    import clearbar as cb

    draw = cb.Draw(cb.Population(total, 3 * total // 10), total // 2)
    return draw.distribution(PEAK).mean()


def _tail(total: int) -> float:
    import clearbar as cb

    null = cb.Draw(cb.Population(total, 3 * total // 10), total // 2).distribution(MONOTONE)
    return null.tail(0.375 + 3e-6)


def _one(name: str, what: Callable[[int], float], total: int) -> Case:
    return Case(name, f"M = {digits(total)}", lambda: total, what, target="target: as fast at any size")


def _bare(total: int) -> Case:
    def ours(_: Any) -> float:
        import clearbar as cb

        return cb.p_value(0.47, cb.Population(total, 3 * total // 10), MONOTONE)

    return Case(
        f"is the true {MONOTONE} above its bar? p of a bare score, the worst of all tables",
        f"M = {digits(total)}",
        lambda: None,
        ours,
    )


def _user_made(total: int) -> Case:
    """Compare the scan of every k with the bare function on as many points, in as long arrays."""

    def score(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return np.abs(tp * tn - fp * fn) / ((tp + fp + 1.0) * (tn + fn + 1.0))

    def inputs() -> list[int]:
        import clearbar as cb

        lengths: list[int] = []

        def listening(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
            lengths.append(len(tp))
            return score(tp, fp, fn, tn)

        cb.baseline(population(), cb.Measure("listening", listening, greater_is_better=True))
        return lengths

    def population() -> Any:
        import clearbar as cb

        return cb.Population(total, 3 * total // 10)

    def ours(_: Any) -> Any:
        import clearbar as cb

        forget_bars()
        return cb.baseline(population(), cb.Measure("mine", score, greater_is_better=True))

    def theirs(lengths: list[int]) -> int:
        cells = [np.linspace(1.0, 9.0, max(lengths)) for _ in range(4)]
        for length in lengths:
            score(*(cell[:length] for cell in cells))
        return sum(lengths)

    def agree(_: Any, bar: Any, points: int) -> str:
        assert bar.certified
        return (
            f"{points:,} tables; the other takes less since it evaluates the function alone: here each table "
            "gets its probability too, which is more arithmetic than the function; target: 0.1 ×"
        )

    title = "a user's own measure: bar from every k"
    return Case(title, f"M = {digits(total)}", inputs, ours, theirs, "the bare function", agree)


def _counting(kind: Any, samples: int) -> Case:
    def inputs() -> tuple[Any, Any, Any]:
        truth, guess = labels(samples, kind)
        return truth, guess, np.zeros_like(truth)

    def ours(given: Any) -> Any:
        import clearbar as cb

        return cb.count(given[0], given[1])

    def theirs(given: Any) -> Any:
        np.copyto(given[2], given[0])
        return given[2]

    return Case(
        f"count, labels of type {np.dtype(kind).name}",
        f"{digits(samples)} samples",
        inputs,
        ours,
        theirs,
        "np.copyto",
        target="reads as many bytes as the copy reads and writes; target: 0.5 ×",
    )


def _answers(tasks: int, *, intervals: bool) -> Case:
    """Judge a table of the answers of ten models to 1,000 items of each task."""
    models, items = 10, 1000

    def inputs() -> Any:
        import polars as pl

        generator, size = np.random.default_rng(0), tasks * items
        gold = generator.integers(0, 4, size)
        about = {
            "task": np.repeat([f"task {task}" for task in range(tasks)], items),
            "gold": gold,
            "options": 4,
        }
        return pl.concat(
            [
                pl.DataFrame(
                    {
                        **about,
                        "item": np.tile(np.arange(items), tasks),
                        "model": f"model {model}",
                        "answer": np.where(
                            generator.random(size) < 0.05 * model, gold, generator.integers(0, 4, size)
                        ),
                    }
                )
                for model in range(models)
            ]
        )

    def ours(table: Any) -> Any:
        import clearbar as cb

        return cb.evaluate_frame(
            table, "gold", "answer", measures="accuracy", model="model", by="task", item="item",
            options="options", kind="multiclass", intervals=intervals,
        )  # fmt: skip

    def agree(table: Any, card: Any, _: Any) -> str:
        import polars as pl

        right = table.group_by("model", "task").agg((pl.col("gold") == pl.col("answer")).mean())
        shares = {(model, task): share for model, task, share in right.iter_rows()}
        ours = {(row.model, row.group): float(row.score) for row in card if row.group is not None}
        assert shares == ours
        return "the scores are those of polars"

    return Case(
        "answers of 10 models to tasks" + (", with intervals" if intervals else ""),
        f"{tasks} tasks, 1,000 items each",
        inputs,
        ours,
        agree=agree,
        target=f"target: at most {20 if intervals else 3} s",
    )


SECTION = Section(
    "targets",
    "What was aimed at",
    "Populations of a fleet have 100 to a million samples each and are nearly all different.",
    _cases,
)
