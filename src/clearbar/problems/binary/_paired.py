"""Two models' labels of the same samples: swapped sample by sample, or in whole groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray
from clearbar.core.calls import PairCalls
from clearbar.core.counts import Counts
from clearbar.inference.bootstrap_t import OfSums
from clearbar.inference.bootstrap_t import Units as Drawn
from clearbar.problems.binary._policy import scoring
from clearbar.problems.binary._swaps import Discord, Scored, swap_p_values
from clearbar.problems.binary._units import Rates, Units, own_rates, rate
from clearbar.problems.binary.rates.order import is_ordered
from clearbar.problems.bootstrap import SHARES
from clearbar.problems.exchanged import Exchanged
from clearbar.problems.paired import PairedUnits

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


def paired_labels(
    measure: Measure, pair: Discord, sizes: tuple[int, int], undefined: Any, seed: int
) -> PairedUnits:
    """Return two models' labels, of so many positive and negative samples."""
    both_tp, a_tp, b_tp, both_fp, a_fp, b_fp = (int(column) for column in pair)
    positives, negatives = sizes
    scored = scoring(measure, positives, negatives, undefined)
    neither_tp, neither_fp = positives - both_tp - a_tp - b_tp, negatives - both_fp - a_fp - b_fp
    straight = [both_tp, a_tp, neither_tp, both_fp, a_fp, neither_fp]

    def scores_of(first: FloatArray, second: FloatArray) -> FloatArray:
        """Score at the class sizes, whichever samples are drawn: the first answer is "positive"."""
        whole = first + second
        with np.errstate(all="ignore"):
            of_positive = positives / whole[:, :3].sum(axis=1) if positives else 0.0
            of_negative = negatives / whole[:, 3:].sum(axis=1) if negatives else 0.0
            tp, fp = (whole[:, 0] + first[:, 1]) * of_positive, (whole[:, 3] + first[:, 4]) * of_negative
        return scored(tp, fp)

    def worse() -> tuple[FloatArray, FloatArray]:
        tables = ((both_tp + a_tp, both_fp + a_fp), (both_tp + b_tp, both_fp + b_fp))
        a, b = (scored(tp * (1 - SHARES), fp + SHARES * (negatives - fp)) for tp, fp in tables)
        return a, b

    exchanged = Exchanged(
        np.array(straight),
        np.array([0, b_tp, 0, 0, b_fp, 0]),
        np.array([False, True, False] * 2),
        scores_of,
        law=(lambda: float(swap_p_values(scored_by(measure, *sizes, undefined), pair)[0]))
        if has_law(measure)
        else None,
        seed=seed,
    )
    number = np.array([both_tp, a_tp, b_tp, neither_tp, both_fp, a_fp, b_fp, neither_fp])
    true, false = np.eye(2).repeat(4, axis=0).T
    scores = [
        OfSums(np.stack([called * true, called * false], axis=1), lambda sums: scored(*sums.T))
        for called in (np.array([1, 1, 0, 0] * 2), np.array([1, 0, 1, 0] * 2))
    ]
    drawn = Drawn(number, np.repeat([0, 1], 4), tuple(scores))
    alone = a_tp + b_fp, b_tp + a_fp
    return PairedUnits(drawn, exchanged, worse, measure.bounds, seed, alone=alone)


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
