"""What any problem must bring so that it can be judged, tabulated and drawn: a bar.

Binary labels, folds and scores differ in how a bar is found. How a score stands to it, and how that
is said, is the same for all of them and reads no more than is named here.
"""

from __future__ import annotations

from typing import Any, Protocol

from clearbar.counts import Population


class Judged(Protocol):
    """What a verdict reads of a measure.

    Attributes
    ----------
    name, label : str
        The canonical name, and how a reader writes it.
    aliases : tuple of str
        Other names.
    greater_is_better : bool or None
        True for a score, False for a loss, None where neither end is better.
    bounds : (float, float)
        Smallest and largest value.
    question, caution : str
        What it answers, and what to know before trusting it.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def greater_is_better(self) -> bool | None: ...
    @property
    def bounds(self) -> tuple[float, float]: ...
    @property
    def question(self) -> str: ...
    @property
    def caution(self) -> str: ...


class Bar(Protocol):
    """What a feature-blind classifier is worth, for one group of samples or an array of them.

    Attributes
    ----------
    measure : Judged
        What is evaluated.
    population : Population
        The samples of each group, and how many of them are positive.
    value, best_possible, worst_value : float or ndarray
        The bar, the score of perfect predictions, and the worst expected score of a feature-blind
        classifier; nan where there is none.
    certified : bool or ndarray of bool
        Whether the bar is proved to be the optimum.
    reason : str or ndarray of str
        Why there is no bar; empty where there is one.
    recipe : str
        What to do to get the bar, as an order: ``predict all 303 positive``. One group only.
    rounding : float or ndarray
        How far below the bar a score still is the bar: what its recipe loses where it can only be
        followed to the nearest sample.
    certain : bool
        Whether doing so scores the same every time, not only on average. One group only.
    claim : str
        The sentence that says why nothing does better, with its source.
    """

    @property
    def measure(self) -> Judged: ...
    @property
    def population(self) -> Population: ...
    @property
    def value(self) -> Any: ...
    @property
    def best_possible(self) -> Any: ...
    @property
    def worst_value(self) -> Any: ...
    @property
    def certified(self) -> Any: ...
    @property
    def reason(self) -> Any: ...
    @property
    def rounding(self) -> Any: ...
    @property
    def recipe(self) -> str: ...
    @property
    def certain(self) -> bool: ...
    @property
    def claim(self) -> str: ...
    def __getitem__(self, index: Any) -> Bar: ...
