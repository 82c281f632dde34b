"""Class sizes and printed scores as a paper gives them, and as sentences name them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from clearbar.catalogue import get_measure
from clearbar.core._value import Printed, Value, read_score, whole_number
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import Population
from clearbar.core.errors import listed, shown
from clearbar.formatting import plural, visible
from clearbar.notebook import samples_in_words

Sizes = Population | ClassSizes | int


def checked_sizes(population: Any) -> Sizes:
    """Return class sizes, or a number of samples of which nobody says how many are positive."""
    if isinstance(population, Population) and population.shape:
        raise ValueError(f"population must be one Population; found an array of shape {population.shape}.")
    if isinstance(population, (Population, ClassSizes)):
        return population
    return whole_number("population", population, 1, ", a Population or ClassSizes")


def sizes_in_words(sizes: Sizes) -> str:
    if isinstance(sizes, Population):
        return samples_in_words(sizes)
    if isinstance(sizes, int):
        return plural(sizes, "sample")
    return f"{plural(sizes.total, 'sample')} of {plural(len(sizes), 'class', 'classes')}"


def read_scores(scores: Any, kind: str) -> dict[str, tuple[Any, Printed]]:
    """Return printed scores and their measures by the names that were given, or say what is wrong."""
    if not isinstance(scores, Mapping) or not scores:
        raise ValueError(
            f'scores must map measures to printed scores, as in {{"f1": "0.55"}}; found {shown(scores)}.'
        )
    read: dict[str, tuple[Any, Printed]] = {}
    for name, text in scores.items():
        measure = get_measure(name, kind)
        if any(measure == other for other, _ in read.values()):
            raise ValueError(f"scores has {measure.name} twice; give it once.")
        read[str(name)] = measure, checked_score(measure, str(name), text)
    return read


def checked_score(measure: Any, name: str, text: Any) -> Printed:
    """Read a printed score, or say that the measure cannot be so."""
    printed = read_score(name, text)
    (low, high), (least, most) = measure.bounds, printed.ends()
    if low <= most and least <= high:
        return printed
    hundredth = float(printed.value) / 100
    hint = (
        f' Did you mean "{printed.text} %"?' if low <= hundredth <= high == 1 and hundredth >= 0.015 else ""
    )
    raise ValueError(f"{name} must lie between {low:g} and {high:g}; found {visible(printed.text)}.{hint}")


def scores_in_words(printed: Mapping[str, str], names: Sequence[str] | None = None) -> str:
    return listed(f"{visible(name)} {visible(printed[name])}" for name in names or printed)


class PossibleScores(Value):
    """What printed scores leave open, or that they contradict each other."""

    population: Any
    scores: Mapping[str, str]
    contradiction: tuple[str, ...]
    fits_truncated: bool
    noun: ClassVar[str]  # what has scores, a table or a matrix
    over = ""  # of what they are means

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, cut_off: str = "pass truncated=True") -> str:
        """Return the sentences that are printed.

        Parameters
        ----------
        cut_off : str
            What a reader does where decimals that were cut off would resolve a contradiction.
        """
        if not self.contradiction:
            return self._found()
        names, printed = self.contradiction, self.scores
        them = "it" if len(printed) == 1 else "these scores"
        instead = f"\nIf decimals were cut off instead of rounded, some {self.noun} has {them}: {cut_off}."
        instead = instead if cut_off and self.fits_truncated else ""
        none = f"No {self.noun} of {sizes_in_words(self.population)} has"
        if len(names) == 1:
            return f"{none} {scores_in_words(printed, names)}{self.over}.{instead}"
        scores, pair = scores_in_words(printed), "they" if len(names) == 2 else "they all"
        if len(names) < len(printed):
            scores, pair = f"these {len(printed)} scores", scores_in_words(printed, names)
        return f"{none} {scores}{self.over}: {pair} contradict each other.{instead}"

    def _found(self) -> str:
        """Return the sentences where the scores do not contradict each other."""
        raise NotImplementedError
