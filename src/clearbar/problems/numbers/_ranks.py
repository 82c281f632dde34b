"""Ranks of weighted samples, and pairs that two orders agree on."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray


def ranks(values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return the weight below each value and half of that at it: mid-ranks less a half."""
    weights = np.ones(len(values)) if weights is None else weights
    order = np.argsort(values, kind="stable")
    first, which = _ties(values[order])
    held = np.add.reduceat(weights[..., order], first, axis=-1)
    places = np.empty(weights.shape)
    places[..., order] = (np.cumsum(held, axis=-1) - held / 2)[..., which]
    return places


def _ties(values: FloatArray) -> tuple[Any, Any]:
    """Return where each distinct one of sorted values begins, and which of them each value is."""
    new = np.diff(values, prepend=np.nan) != 0
    return np.flatnonzero(new), np.cumsum(new) - 1


def untied(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weight of all pairs that differ in value."""
    order = np.argsort(values, kind="stable")
    held = np.add.reduceat(weights[..., order], _ties(values[order])[0], axis=-1)
    return np.asarray((held.sum(axis=-1) ** 2 - (held**2).sum(axis=-1)) / 2)


def agreeing(y: FloatArray, f: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weight of pairs that y and f order alike, less that of those they order differently.

    `f` has shape (samples,), `y` and `weights` (..., samples); rows of y are the same values in any order.
    Pairs tied in `f` cancel in the mean of two orders of the samples: one the reverse of the other among the
    tied.
    """
    order = np.argsort(f, kind="stable")
    back = np.argsort(-f, kind="stable")[::-1]
    orders = [order] if (order == back).all() else [order, back]
    not_falling = sum(_not_falling(y[..., at], weights[..., at]) for at in orders) / len(orders)
    pairs = (weights.sum(axis=-1) ** 2 - (weights**2).sum(axis=-1)) / 2
    margin = 2 * (not_falling - pairs) + untied(y if y.ndim == 1 else y[0], weights)
    return np.asarray(margin if y.ndim + weights.ndim > 2 else margin[0])


def _not_falling(values: FloatArray, weights: FloatArray) -> Any:
    """Return the weight of pairs of which the later value is not the smaller one, by merging.

    Knight, J. Amer. Statist. Assoc. 61, 1966.
    """
    length = 1 << (values.shape[-1] - 1).bit_length()
    beyond = [(0, 0), (0, length - values.shape[-1])]
    values = np.pad(np.atleast_2d(values), beyond, constant_values=np.inf)
    weights = np.pad(np.atleast_2d(weights), beyond)
    together: Any = np.zeros(max(len(values), len(weights)))
    width = 1
    while width < length:
        blocks = values.reshape(len(values), -1, 2 * width)
        order = np.argsort(blocks, axis=-1, kind="stable")
        held = np.take_along_axis(weights.reshape(len(weights), -1, 2 * width), order, axis=-1)
        left = order < width
        before = np.cumsum(np.where(left, held, 0.0), axis=-1)
        together += np.where(left, 0.0, held * before).sum(axis=(-1, -2))
        values = np.take_along_axis(blocks, order, axis=-1).reshape(len(values), length)
        weights = held.reshape(-1, length)
        width *= 2
    return together
