"""Is the model's true score above the bar? Exact tests and intervals from two binomial rates.

Given the class sizes, TP and FP of a model that was fixed beforehand are binomial. Outcomes are ordered by
the signed root of the likelihood ratio against the curve of rates at which the true score is the bar.
"""

from clearbar.problems.binary.rates.interval import intervals
from clearbar.problems.binary.rates.order import is_ordered
from clearbar.problems.binary.rates.p_value import p_values
from clearbar.problems.binary.rates.traced import Traced

__all__ = [
    "Traced",
    "intervals",
    "is_ordered",
    "p_values",
]
