"""What is known of a cross-validation beyond its folds, where it was run here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearbar.baseline import Tail

OVERLAPPING = (
    "p_value_blind is not known where samples are tested more than once; "
    "cross_evaluate(..., permutations=999) finds it by refitting"
)


@dataclass(frozen=True)
class Validation:
    """Tested over trained samples, whether a sample is tested twice, and what refits to shuffled labels say."""

    ratio: float | None = None
    overlaps: bool = False
    refitted: Tail | None = None

    def blind(self, shape: tuple[int, ...]) -> Tail | None:
        """Return the p-values of refits, or that there are none; None where the folds' own law holds."""
        if self.refitted is not None or not self.overlaps:
            return self.refitted
        unknown = np.full(shape, np.nan)
        return Tail(unknown, unknown, np.broadcast_to(OVERLAPPING, shape))


UNKNOWN = Validation()
