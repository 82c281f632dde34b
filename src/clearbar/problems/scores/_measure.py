"""What a measure of scores is: a function of a ranking, and the facts that bars and tables read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from clearbar.core._later import Later
from clearbar.core._typing import FloatArray
from clearbar.core._value import Value
from clearbar.problems.recipes import Recipe
from clearbar.problems.scores._chance import Chance
from clearbar.problems.scores._ranking import Ranking

PRIES = "Pries et al. 2023, theorem 1, holds for scores as for labels"

SAME_SCORE = Recipe("give", "all samples the same score")


@dataclass(frozen=True, eq=False)
class ScoreMeasure(Value):
    """An evaluation measure of scores and two classes, with the facts of its bar.

    Parameters
    ----------
    name : str
        Canonical name.
    function : callable
        ``function(ranking)``: the value of each arrangement of a `Ranking`, vectorised.
    expected : callable
        ``expected(total, positives)``: the bar, the best expected value that scores can have that
        ignore the features.
    greater_is_better : bool
        True for a score, False for a loss.
    bounds : (float, float)
        Smallest and largest value.
    worst, perfect : callable, optional
        Likewise the worst expected value, by default the bar; and the value of a perfect model, by
        default the better bound.
    recipe : callable
        ``recipe(total, positives)``: what to do to get the bar, a `Recipe`.
    certain : bool
        Whether doing so gives the same value every time.
    claim : str
        Why nothing that ignores its input does better, with the source.
    constant : callable, optional
        ``constant(total, positives, probability)``: the value where every sample has that score, of a
        measure whose bar is the best constant.
    needs : callable, optional
        ``needs(total, positives)``: what is missing for the measure to have a value; empty if nothing.
    probabilities : bool
        Whether scores must be probabilities.
    chance : Chance
        How likely scores that ignore the features do as well as a model.
    error : callable, optional
        ``error(total, positives)``: how far the bar may be from the exact expectation.
    label, aliases, formula, question, caution, source
        For readers: the name as it is written, other names, LaTeX, what it answers, what to know
        before trusting it, where it is defined.
    parameters : mapping
        Such as ``{"k": 10}``.
    made_by : tuple
        The function that makes it and its arguments, to pickle and compare it by.

    Examples
    --------
    Is the first sample positive? Of those that share the highest score, one is drawn.

    >>> import clearbar as cb
    >>> first = cb.ScoreMeasure(
    ...     "first_is_positive",
    ...     lambda ranking: ranking.positives[..., 0] / ranking.sizes[0],
    ...     expected=lambda total, positives: positives / total,
    ... )
    >>> first([1, 0, 0], [0.9, 0.2, 0.4]), cb.baseline([1, 0, 0, 0], first).value
    (1.0, 0.25)
    """

    name: str
    function: Callable[[Ranking], Any] = field(repr=False)
    expected: Callable[[int, int], float] = field(kw_only=True, repr=False)
    greater_is_better: bool = field(default=True, kw_only=True)
    bounds: tuple[float, float] = field(default=(0.0, 1.0), kw_only=True)
    worst: Callable[[int, int], float] | None = field(default=None, kw_only=True, repr=False)
    perfect: Callable[[int, int], float] | None = field(default=None, kw_only=True, repr=False)
    recipe: Callable[[int, int], Recipe] = field(
        default=lambda _total, _positives: SAME_SCORE, kw_only=True, repr=False
    )
    certain: bool = field(default=False, kw_only=True)
    claim: str = field(default=f"{PRIES}.", kw_only=True)
    constant: Callable[[int, int, float], float] | None = field(default=None, kw_only=True, repr=False)
    needs: Callable[[int, int], str] = field(default=lambda _total, _positives: "", kw_only=True, repr=False)
    probabilities: bool = field(default=False, kw_only=True)
    chance: Chance = field(default_factory=Chance, kw_only=True, repr=False)
    error: Callable[[int, int], float] | None = field(default=None, kw_only=True, repr=False)
    label: str = field(default="", kw_only=True)
    aliases: tuple[str, ...] = field(default=(), kw_only=True)
    formula: str = field(default="", kw_only=True)
    question: str = field(default="", kw_only=True)
    caution: str = field(default="", kw_only=True)
    source: str = field(default="", kw_only=True)
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), kw_only=True)
    family: str = field(default="", kw_only=True)
    in_catalogue: bool = field(default=False, kw_only=True, repr=False)
    made_by: tuple[Any, ...] = field(default=(), kw_only=True, repr=False)

    _repr_html_ = Later("clearbar.notebook", "measure_html")

    problem: ClassVar[str] = "scores"
    """The kind of problem, as in ``evaluate_scores``."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label or self.name)
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __call__(self, y_true: Any, y_score: Any, *, pos_label: Any = None) -> float:
        """Evaluate the measure."""
        from clearbar.problems.scores._read import read_ranking

        return float(self.value(read_ranking(y_true, y_score, pos_label=pos_label, measures=(self,))))

    def value(self, ranking: Ranking) -> FloatArray:
        """Evaluate every arrangement of a ranking; nan where the measure has no value."""
        if self.needs(ranking.total, ranking.hits):
            return np.full(ranking.positives.shape[:-1], np.nan)
        return np.asarray(self.function(ranking), dtype=np.float64)

    def best_possible(self, total: int, positives: int) -> float:
        """Return the value of a perfect model."""
        if self.perfect is not None:
            return self.perfect(total, positives)
        return self.bounds[1] if self.greater_is_better else self.bounds[0]

    def __repr__(self) -> str:
        """Name the measure; its facts are attributes."""
        return f"<ScoreMeasure {self.name}>"

    def __str__(self) -> str:
        """Return the canonical name."""
        return self.name

    def _identity(self) -> tuple[Any, ...]:
        if self.in_catalogue:
            return self.name, tuple(self.parameters.items())
        return (self.name, self.made_by) if self.made_by else super()._identity()

    def __hash__(self) -> int:
        """Hash by name; equal measures have equal names."""
        return hash(self.name)

    __eq__ = Value.__eq__

    def __reduce__(self) -> Any:
        """Pickle a measure of the catalogue by name, another one by its fields."""
        if self.in_catalogue:
            from clearbar.problems.scores._catalogue import get_score_measure

            return get_score_measure, (self.name,)
        if self.made_by:
            return self.made_by[0], self.made_by[1:]
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        fields["parameters"] = dict(self.parameters)
        return _remake, (fields,)

    def __deepcopy__(self, memo: dict[int, Any]) -> ScoreMeasure:
        """Return the same object: it cannot change."""
        return self


def _remake(fields: dict[str, Any]) -> ScoreMeasure:
    return ScoreMeasure(**fields)


def entry(**facts: Any) -> Callable[[Callable[[Ranking], Any]], ScoreMeasure]:
    """Turn a function into an entry of the catalogue."""

    def made(function: Callable[[Ranking], Any]) -> ScoreMeasure:
        name = facts.pop("name", getattr(function, "__name__", ""))
        return ScoreMeasure(name, function, **{"in_catalogue": True, **facts})

    return made


def at_random(total: int, then: str = "") -> Recipe:
    """Rank without knowing anything."""
    return Recipe("rank", f"the {total:,} sample{'s' * (total != 1)} at random{then}")


def positives_needed(total: int, positives: int) -> str:  # noqa: ARG001
    """Say what is missing where there must be a positive sample."""
    return "" if positives else "no sample is positive, and it needs at least one"


def both_needed(total: int, positives: int) -> str:
    """Say what is missing where there must be samples of both classes."""
    if not positives:
        return "no sample is positive, and it needs both classes"
    return "no sample is negative, and it needs both classes" if positives == total else ""
