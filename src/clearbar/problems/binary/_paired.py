"""Two models' labels of the same samples: swapped sample by sample, or in whole groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.calls import PairCalls
from clearbar.core.counts import Counts
from clearbar.inference.bootstrap_t import OfSums
from clearbar.inference.bootstrap_t import Units as Drawn
from clearbar.inference.equal_scores import EqualScores, screened_p_values
from clearbar.inference.multinomials import Cells
from clearbar.inference.true_scores import is_ordered
from clearbar.problems._protocol import PairPValues
from clearbar.problems.binary._policy import scoring
from clearbar.problems.binary._swaps import Discord, Scored, swap_p_value
from clearbar.problems.binary._units import Rates, Units, own_rates, rate
from clearbar.problems.bootstrap import SHARES
from clearbar.problems.exchanged import Exchanged
from clearbar.problems.paired import PairedUnits
from clearbar.problems.paired_cells import PairedCells

NOT_KNOWN = (
    "compare needs to know on which samples the models differ, which counts do not hold; make the scorecard "
    "with evaluate(y_true, {name: y_pred, ...}), or evaluate_frame(frame, y_true, [y_pred, ...]) without "
    "slices or weights."
)


def discord(counts: Counts, calls: PairCalls, a: Any, b: Any) -> Discord:
    """Return what each two models call alike, and what only one of them calls positive."""
    tp, fp = (np.asarray(cell, dtype=np.int64)[:, 0] for cell in (counts.tp, counts.fp))
    both_tp, both_fp = calls.positives[a, b], calls.negatives[a, b]
    return Discord(both_tp, tp[a] - both_tp, tp[b] - both_tp, both_fp, fp[a] - both_fp, fp[b] - both_fp)


def scored_by(measure: Measure, positives: int, negatives: int, undefined: Any) -> Scored:
    """Return the score of TP and FP, a loss as its negative, with the policy's value where there is none."""
    scored = scoring(measure, positives, negatives, undefined)
    return scored if measure.greater_is_better is not False else lambda tp, fp: -scored(tp, fp)


def has_law(measure: Measure) -> bool:
    """Whether the measure is ordered, and lacks a value only where a model calls all samples alike."""
    return measure.in_catalogue and measure.domain.on_margins and is_ordered(measure)


def cells_of(measure: Measure, sizes: tuple[int, int], undefined: Any) -> Cells:
    """Return the cells of both classes: both models say "positive", only a does, only b does, neither does.

    Each is raised by half a sample where shares are estimated, so that a class is raised by two.
    """
    scored = scoring(measure, *sizes, undefined)
    classes = np.eye(2).repeat(4, axis=0)
    first, second = (np.tile(called, 2)[:, None] * classes for called in ([1, 1, 0, 0], [1, 0, 1, 0]))
    return Cells(
        np.repeat([0, 1], 4),
        np.array(sizes, dtype=np.float64),
        first,
        second,
        np.full(8, 0.5),
        lambda called: scored(called[..., 0], called[..., 1]),
    )


def counts_of(pairs: Discord, sizes: tuple[int, int]) -> IntArray:
    """Return the counts of the cells, a row per pair."""
    columns = [np.asarray(column, dtype=np.int64) for column in pairs]
    rest = [size - sum(own) for size, own in zip(sizes, (columns[:3], columns[3:]), strict=True)]
    return np.stack([*columns[:3], rest[0], *columns[3:], rest[1]], axis=-1)


def paired_labels(
    measure: Measure, pair: Discord, sizes: tuple[int, int], undefined: Any, seed: int
) -> PairedCells:
    """Return two models' labels, of so many positive and negative samples."""
    _, a_tp, b_tp, _, a_fp, b_fp = (int(column) for column in pair)
    return PairedCells(
        cells_of(measure, sizes, undefined),
        counts_of(pair, sizes),
        measure.bounds,
        seed,
        exchange=partial(_exchanged, measure, pair, sizes, undefined, seed),
        alone=(a_tp + b_fp, b_tp + a_fp),
    )


def _exchanged(
    measure: Measure, pair: Discord, sizes: tuple[int, int], undefined: Any, seed: int
) -> Exchanged:
    """Return their answers as ones that may be exchanged; the first answer is "positive"."""
    scored = scoring(measure, *sizes, undefined)
    straight = [pair.both_tp, pair.only_a_tp, pair.both_fp, pair.only_a_fp]

    def scores_of(first: FloatArray, second: FloatArray) -> FloatArray:
        both = first + second
        return scored(both[:, 0] + first[:, 1], both[:, 2] + first[:, 3])

    return Exchanged(
        np.array(straight),
        np.array([0, pair.only_b_tp, 0, pair.only_b_fp]),
        np.array([False, True] * 2),
        scores_of,
        law=(lambda: swap_p_value(scored_by(measure, *sizes, undefined), pair)) if has_law(measure) else None,
        seed=seed,
    )


def pair_p_values(
    measure: Measure, pairs: Discord, sizes: tuple[int, int], undefined: Any, alpha: float, seed: int
) -> PairPValues:
    """Return p of equal scores of many pairs, drawn where a normal p-value is too rough to decide."""
    cells, counts = cells_of(measure, sizes, undefined), counts_of(pairs, sizes)
    difference, error = cells.difference(counts.astype(np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(difference == 0, 0.0, difference / error)

    def drawn(pair: int) -> float:
        return EqualScores(cells, counts[pair], measure.bounds, seed).weighed_p_value()

    screened = screened_p_values(z, cells.carried_by(counts), alpha, drawn)
    return PairPValues(screened.p_values, left=screened.left)


def units_of(value_of: Callable[[Rates, Units], FloatArray], models: Sequence[Units]) -> Drawn:
    """Return samples with all runs, or whole groups, with the mean scores of models over their runs."""
    one, runs = models[0], len(models[0].predicted)
    kinds = replace(one, predicted=np.concatenate([units.predicted for units in models])).kinds
    no_positives, no_negatives = not one.truth.any(), bool(one.truth.all())

    def score(sums: FloatArray) -> FloatArray:
        tp, fp, (positives, negatives) = sums[:, :runs], sums[:, runs:-2], sums[:, -2:].T
        rates = Rates(rate(tp, positives, empty=no_positives), rate(fp, negatives, empty=no_negatives))
        return np.asarray(value_of(rates, one).mean(axis=1))

    both = kinds.positives, kinds.negatives
    terms = [
        np.column_stack([kinds.tp[:, at : at + runs], kinds.fp[:, at : at + runs], *both])
        for at in range(0, runs * len(models), runs)
    ]
    return Drawn(kinds.number, kinds.stratum, tuple(OfSums(own, score) for own in terms))


def paired_samples(
    value_of: Callable[[Rates, Units], FloatArray], a: Units, b: Units, bounds: tuple[float, float], seed: int
) -> PairedUnits:
    """Return two models' labels of samples with all runs, or of whole groups; `value_of` scores rates."""
    runs, kinds = len(a.predicted), replace(a, predicted=np.concatenate((a.predicted, b.predicted))).kinds
    (tp, tp_of_b), (fp, fp_of_b) = (np.split(hits, [runs], axis=1) for hits in (kinds.tp, kinds.fp))
    no_positives, no_negatives = not a.truth.any(), bool(a.truth.all())

    def scores_of(first: FloatArray, second: FloatArray) -> FloatArray:
        whole = first + second
        true = rate(first @ tp + second @ tp_of_b, whole @ kinds.positives, empty=no_positives)
        false = rate(first @ fp + second @ fp_of_b, whole @ kinds.negatives, empty=no_negatives)
        return np.asarray(value_of(Rates(true, false), a).mean(axis=1))

    def worse() -> tuple[FloatArray, FloatArray]:
        of_a, of_b = (value_of(own_rates(units).worse(SHARES), a).mean(axis=1) for units in (a, b))
        return of_a, of_b

    differ = (tp != tp_of_b).any(axis=1) | (fp != fp_of_b).any(axis=1)
    exchanged = Exchanged(kinds.number, np.zeros_like(kinds.number), differ, scores_of, seed=seed)
    return PairedUnits(units_of(value_of, (a, b)), exchanged, worse, bounds, seed)
