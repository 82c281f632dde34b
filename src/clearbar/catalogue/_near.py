"""Where the optimum of an expectation is likely to be: a start for the search, never its answer."""

from __future__ import annotations

from typing import Any

import numpy as np

_TABLE = np.array(
    [
        *(0.0, 0.1666666667, 0.1101125395, 0.0763110830, 0.0547390156, 0.0405566094, 0.0310789326),
        *(0.0246544318, 0.0202194711, 0.0170823841, 0.0147965237, 0.0130762028, 0.0117394651),
        *(0.0106699427, 0.0097922581, 0.0090565922, 0.0084291704, 0.0078864360, 0.0074114751),
        *(0.0069918004, 0.0066179540, 0.0062826103, 0.0059799833, 0.0057054265, 0.0054551557),
        *(0.0052260510, 0.0050155135, 0.0048213584, 0.0046417340, 0.0044750601, 0.0043199787),
    ]
)
"""For a rare class of n samples, the root of the derivative of sqrt(1 - t) E sqrt(Bin(n, t)), less 1/2."""


def g_mean_peak(total: Any, positives: Any) -> Any:
    """Return about which k the expected geometric mean of the two recalls is largest.

    The predicted share is one half, more where positives are the rarer class: then it pays to miss fewer of
    them.
    """
    share = 0.5 + _tilt(positives) - _tilt(total - positives)
    return np.rint(share * total).astype(np.int64)


def _tilt(size: Any) -> Any:
    large = np.maximum(np.asarray(size, dtype=np.float64), len(_TABLE))
    rare = np.minimum(size, len(_TABLE) - 1)
    return np.where(np.asarray(size) < len(_TABLE), _TABLE[rare], 1 / (8 * (large - 1 - 1.6 / large)))
