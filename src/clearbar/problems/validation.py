"""What is known of a cross-validation beyond its folds, where it was run here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems._protocol import Tail

OVERLAPPING = "p_value_blind is not known where samples are tested more than once (permutations=999 finds it)"


@dataclass(frozen=True, eq=False)
class Validation:
    """Tested over trained samples, whether one is tested twice, and p-values of refits to shuffled labels."""

    ratio: float | None = None
    overlaps: bool = False
    refitted: FloatArray | None = None

    def blind(self, shape: tuple[int, ...]) -> Tail | None:
        """Return the p-values of refits, or that there are none; None where the folds' own law holds."""
        if self.refitted is None and not self.overlaps:
            return None
        known = np.full(shape, np.nan) if self.refitted is None else self.refitted
        return Tail(known, known, np.full(shape, OVERLAPPING if self.refitted is None else ""))


UNKNOWN = Validation()
