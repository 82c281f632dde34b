"""A first guess at normal quantiles."""

from __future__ import annotations

import numpy as np

from clearbar.distributions.hypergeometric._arrays import FloatArray


def normal_upper_quantile(q: FloatArray) -> FloatArray:
    """Value exceeded with probability q, 0 < q < 1; absolute error 5e-4 (Abramowitz and Stegun 26.2.23)."""
    t = np.sqrt(-2.0 * np.log(np.minimum(q, 1.0 - q)))
    top = 2.515517 + t * (0.802853 + t * 0.010328)
    bottom = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    return np.asarray(np.copysign(t - top / bottom, 0.5 - q))
