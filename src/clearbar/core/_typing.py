"""Names for the array types that cross module borders."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]

Integers: TypeAlias = int | IntArray  # whole numbers: a Python int, or an int64 array

# A float, a float64 array, a Fraction or a Decimal: whatever a formula is evaluated on.
Numbers: TypeAlias = Any

Undefined: TypeAlias = Literal["exclude", "worst"] | float  # what a bar does with outcomes that have no value
