"""Expectation and variance of a measure under many draws at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.null._tables import cells_at, expected_cells, values_at


class Moments(NamedTuple):
    """Moments per draw; nan where no outcome has a value.

    ``undefined`` is the mass of the outcomes without a value. Where they were given a value, the
    moments include it and the mass is still reported.
    """

    mean: FloatArray
    variance: FloatArray
    undefined: FloatArray


def moments(
    measure: Measure,
    total: Any,
    positives: Any,
    draws: Any,
    *,
    fill: Any = np.nan,
    spread: bool = True,
    roughly: bool = False,
    most_nodes: int | None = None,
) -> Moments:
    """Return mean and variance of a measure under each draw; `roughly`, the variance may cancel."""
    arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.int64) for a in (total, positives, draws)))
    shape = arrays[0].shape
    m, p, k = (np.ascontiguousarray(a).reshape(-1) for a in arrays)
    filled = np.broadcast_to(np.asarray(fill, dtype=np.float64), shape).reshape(-1)
    both = (
        _affine(measure, m, p, k, filled)
        if measure.affine
        else _summed(measure, m, p, k, filled, spread=spread, roughly=roughly, most=most_nodes)
    )
    return Moments(*(array.reshape(shape) for array in both))


def expectations(
    measure: Measure, total: Any, positives: Any, draws: Any, *, fill: Any = np.nan
) -> FloatArray:
    """Return the expected score under each draw; parameters as for `moments`."""
    if not measure.affine:
        return moments(measure, total, positives, draws, fill=fill, spread=False).mean
    m, p, k = np.broadcast_arrays(*(np.asarray(a, dtype=np.int64) for a in (total, positives, draws)))
    return _affine_mean(measure, m, p, k, fill)


CACHED = 2**15
"""Nodes looked at together: few enough to stay in a processor's cache."""

NEAR_ZERO = 1e-3
"""Below this a mean may be the small difference of large terms, and is computed once more."""


def _affine_mean(measure: Measure, m: IntArray, p: IntArray, k: IntArray, fill: Any) -> FloatArray:
    """Evaluate the formula at the expected table."""
    mean = measure.values(*expected_cells(m, p, k))
    defined = np.isfinite(mean)
    if measure.constant is not None:
        mean = np.broadcast_to(np.asarray(measure.constant(m, p), dtype=np.float64), m.shape)
    else:
        small = defined & (np.abs(mean) < NEAR_ZERO)
        if measure.bounds[0] < 0 and small.any():  # without negative values nothing cancels
            mean = np.array(mean)
            mean[small] = _from_whole_table(measure, m[small], p[small], k[small])
    return mean if defined.all() else np.where(defined, mean, fill)


def _from_whole_table(measure: Measure, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
    """Step from the table of whole counts next to the mean: there formulas do not cancel."""
    whole, rest = hg.tp_mean_parts(m, p, k)
    at_whole: FloatArray = values_at(measure, whole, m, p, k)
    return at_whole + _slope(measure, m, p, k) * rest


def _slope(measure: Measure, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
    """Read the slope off two points far apart, which may lie outside of the support."""
    low, high = (values_at(measure, tp, m, p, k) for tp in (np.zeros_like(m), m))
    return (high - low) / m


def _affine(
    measure: Measure, m: IntArray, p: IntArray, k: IntArray, fill: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean table's value; the slope gives the variance."""
    mean = _affine_mean(measure, m, p, k, np.nan)
    defined = np.isfinite(mean)
    with np.errstate(invalid="ignore"):
        variance = _slope(measure, m, p, k) ** 2 * hg.tp_variance(m, p, k)
    mean = np.where(defined, mean, fill)
    variance = np.where(defined, variance, np.where(np.isnan(fill), np.nan, 0.0))
    return mean, variance, np.where(defined, 0.0, 1.0)


def _summed(
    measure: Measure,
    m: IntArray,
    p: IntArray,
    k: IntArray,
    fill: FloatArray,
    *,
    spread: bool,
    roughly: bool,
    most: int | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    mean, variance, undefined = (np.full(m.shape, np.nan) for _ in range(3))
    chunks = hg.node_chunks(m, p, k, strided=measure.smooth, max_nodes=CACHED, most=most)
    for part, nodes in tracked(chunks, len(m), lambda chunk: chunk[0].stop - chunk[0].start, "draws"):
        margins = m[part], p[part], k[part]
        part_sums = _chunk(measure, *margins, fill[part], nodes)
        mean[part], undefined[part] = part_sums.mean, part_sums.undefined
        if spread and roughly:
            variance[part] = _variance(part_sums.raw, nodes, part_sums)
        elif spread:
            change = part_sums.raw - part_sums.mean[nodes.draw]
            if measure.difference is not None:
                change = _changes(measure, *margins, nodes, part_sums, change)
            variance[part] = _variance(change, nodes, part_sums)
    return mean, variance, undefined


class _Chunk(NamedTuple):
    """The mean of each draw, and what its variance is made of."""

    mean: FloatArray
    undefined: FloatArray
    mass: FloatArray
    raw: FloatArray
    weight: FloatArray
    defined: BoolArray


def _chunk(
    measure: Measure, m: IntArray, p: IntArray, k: IntArray, fill: FloatArray, nodes: hg.Nodes
) -> _Chunk:
    draw = nodes.draw
    raw = measure.values(*_cells(m, p, k, nodes))
    defined = np.isfinite(raw)
    if defined.all():
        weight, undefined, mass = nodes.weight, np.zeros(m.shape), np.ones(m.shape)
    else:
        undefined = nodes.sums(np.where(defined, 0.0, nodes.weight))
        raw = np.where(defined, raw, fill[draw])
        kept = defined | ~np.isnan(raw)
        raw, weight = np.where(kept, raw, 0.0), np.where(kept, nodes.weight, 0.0)
        mass = nodes.sums(weight)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = nodes.sums(weight * raw) / mass
    if measure.constant is not None:
        declared = np.asarray(measure.constant(m.astype(np.float64), p.astype(np.float64)))
        mean = np.where(undefined == 0, declared, mean)
    return _Chunk(mean, undefined, mass, raw, weight, defined)


def _cells(m: IntArray, p: IntArray, k: IntArray, nodes: hg.Nodes) -> tuple[FloatArray, ...]:
    """Return the tables of the nodes as floats, which a formula takes as they are."""
    width = np.diff(nodes.start)

    def laid(margin: IntArray) -> Any:
        same = margin.size and (margin == margin[0]).all()
        return float(margin[0]) if same else np.repeat(margin.astype(np.float64), width)

    tp = nodes.x.astype(np.float64)
    fp = laid(k) - tp
    return tp, fp, laid(p) - tp, laid(m - p) - fp


def _variance(change: FloatArray, nodes: hg.Nodes, chunk: _Chunk) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        weighted = chunk.weight * change
        shift = nodes.sums(weighted) / chunk.mass
        weighted *= change
        variance = nodes.sums(weighted) / chunk.mass - shift * shift
    return np.maximum(variance, 0.0)


def _changes(
    measure: Measure,
    m: IntArray,
    p: IntArray,
    k: IntArray,
    nodes: hg.Nodes,
    chunk: _Chunk,
    plain: FloatArray,
) -> FloatArray:
    """Return each value less a pivot per draw, free of cancellation: the measure knows how."""
    assert measure.difference is not None  # noqa: S101 - for the type checker
    draw = nodes.draw
    pivot = _defined_pivot(measure, m, p, k)
    cells = (np.asarray(cell, dtype=np.float64)[draw] for cell in cells_at(pivot, m, p, k))
    steps = (nodes.x - pivot[draw]).astype(np.float64)
    with np.errstate(all="ignore"):
        change = measure.difference(*cells, steps, **measure.float_parameters())
    # One pivot per draw: the mean serves where some outcome has the policy's value, or no change.
    lost = (chunk.weight > 0) & ~(chunk.defined & np.isfinite(change))
    by_pivot = nodes.sums(lost.astype(np.float64)) == 0
    return np.where(by_pivot[draw], np.where(chunk.weight > 0, change, 0.0), plain)


def _defined_pivot(measure: Measure, m: IntArray, p: IntArray, k: IntArray) -> IntArray:
    """Return the mode, or its upper neighbour where the mode has no value."""
    mode = hg.mode(m, p, k)
    low, high = hg.support(m, p, k)
    missing = ~np.isfinite(values_at(measure, mode, m, p, k))
    return np.where(missing, np.clip(mode + 1, low, high), mode)
