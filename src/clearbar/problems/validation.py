"""What is known of a cross-validation beyond its folds, where it was run here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference import Tail

AS_GIVEN = (
    "The blind p-values take the predictions as given, although a learner that saw the labels of the other "
    "folds can score well without a feature; clearbar.sklearn.cross_evaluate(..., permutations=999) refits it"
    " to shuffled labels, which covers that."
)

REPEATED = (
    "The blind p-values take the predictions as given: each sample's label is the same in all its tests, and "
    "labels of samples trade places. They do not cover what a learner makes of the labels of other folds; "
    "permutations=999 refits it to shuffled labels, which does."
)

OVERLAPPING = "p_value_blind is not known where samples are tested more than once (permutations=999 finds it)"


@dataclass(frozen=True, eq=False)
class Validation:
    """Tested over trained samples, whether one is tested twice, and p-values of refits to shuffled labels.

    Where refits were asked for and there can be none, `unknown` says why.
    """

    ratio: float | None = None
    overlaps: bool = False
    refitted: FloatArray | None = None
    refits: int = 0  # to how many shuffles of the labels, at most
    unknown: str = ""
    seen_once: float = 1.0  # the share of the tests that are of different samples
    tests: IntArray | None = None  # the sample of each test, if some are tested twice and are independent

    def blind(self, shape: tuple[int, ...]) -> Tail | None:
        """Return the p-values of refits, or that there are none; None where the folds' own stand."""
        if self.refitted is not None:
            return Tail(self.refitted, self.refitted, np.full(shape, ""), "permutation", self.refits)
        why = self.unknown or (OVERLAPPING if self.overlaps and self.tests is None else "")
        if not why:
            return None
        return Tail.unknown(shape, why)

    def caveats(self, *, intervals: bool) -> tuple[str, ...]:
        """Return what is to be said where the folds' own p-values stand."""
        if not intervals or self.refitted is not None or self.unknown:
            return ()
        return (REPEATED,) if self.tests is not None else () if self.overlaps else (AS_GIVEN,)


UNKNOWN = Validation()
