"""Recipes: the blind predictions that attain a bar, as values of which readers make sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clearbar.core.counts import Population, class_in_words
from clearbar.core.errors import listed, visible
from clearbar.formatting import number

if TYPE_CHECKING:
    from clearbar.problems._protocol import Bar


@dataclass(frozen=True)
class Recipe:
    """What to do to get a bar, such as ``Recipe("rank", "the 100 samples at random")``.

    Attributes
    ----------
    verb, what, aside : str
        What to do, to what, and what is added after a comma.
    certain : bool
        Whether doing so scores the same every time, not only on average.
    always : str
        The one answer that attains the bar, where there is one.
    """

    verb: str
    what: str
    aside: str = ""
    certain: bool = False
    always: str = ""
    positive: str = "positive"  # what stands for {positive} in `what`

    def called(self, labels: tuple[str, str]) -> Recipe:
        """Return what to do where the negative and the positive class have these names."""
        if labels == Population.labels:
            return self
        always = dict(zip(Population.labels, labels, strict=True)).get(self.always, self.always)
        return replace(self, always=always, positive=class_in_words(labels[1]))

    def __str__(self) -> str:
        """Give an order: ``rank the 100 samples at random``."""
        return f"{self.verb} {self._object}".strip()

    @property
    def clause(self) -> str:
        """The order, with a comma behind it where a sentence that goes on needs one."""
        return f"{self}," if self.aside else str(self)

    @property
    def habit(self) -> str:
        """What somebody does who follows it: ``ranks the 100 samples at random``; with such a comma, too."""
        return f"{self.verb}s {self._object}{',' if self.aside else ''}"

    @property
    def _object(self) -> str:
        said = f"{self.what}, {self.aside}" if self.aside else self.what
        several = "positives" if self.positive == "positive" else self.positive
        return visible(said.replace("{positives}", several).replace("{positive}", self.positive))


NOTHING_TO_DO = Recipe("", "")  # where there is no bar

# Any number of predicted positives, by how far the first and the last stand from none and all.
_NUMBERS = {
    (0, 0): "",
    (1, 0): "at least one",
    (0, 1): "but not all",
    (1, 1): "at least one and not all",
}


def predict_all(number: int, where: str = "", aside: str = "") -> Recipe:
    """Call all samples positive, or all of some folds."""
    always = "" if where else "positive"
    samples = "the one sample" if number == 1 else f"all {number:,}"
    return Recipe("predict", f"{samples} {{positive}}{where}", aside, certain=True, always=always)


PREDICT_NONE = Recipe("predict", "none {positive}", certain=True, always="negative")


def predict_any(at_least: int, all_but: int, where: str = "") -> Recipe | None:
    """Call any number positive from about none to about all; None where that is no short sentence."""
    aside = _NUMBERS.get((at_least, all_but))
    return None if aside is None else Recipe("predict", f"any number of {{positives}}{where}", aside)


def predict(draws: Any, total: int) -> Recipe:
    """Call positive as many of the samples as one of these ranges has."""
    if not draws:
        return NOTHING_TO_DO
    first, last = draws[0].start, draws[-1].stop - 1
    if first == last:
        if first in {0, total}:
            return predict_all(total) if first else PREDICT_NONE
    elif len(draws) == 1:
        short = predict_any(first, total - last)
        if short is not None:
            return short
    parts = [f"{r.start:,}" if len(r) == 1 else f"{r.start:,} to {r.stop - 1:,}" for r in draws]
    certain = {k for r in draws for k in (r.start, r.stop - 1)} <= {0, total} and all(
        len(r) == 1 for r in draws
    )
    at_random = "" if certain else " at random"
    what = f"{listed(parts, last='or', most=6)} of {total:,} {{positive}}{at_random}"
    return Recipe("predict", what, certain=certain)


def repeated(recipe: Recipe, tries: int) -> Recipe:
    """Do so many times what a recipe says, and keep the best."""
    best = f"the best of {tries:,} tries, all with the same k"
    aside = f"{recipe.aside}, {best}" if recipe.aside else best
    return replace(recipe, aside=aside, certain=False, always="" if tries > 1 else recipe.always)


def bar_in_words(bar: Bar) -> str:
    """Say what the bar of one group is, and what attains it."""
    label = visible(bar.measure.label)
    if math.isnan(float(bar.value)):
        return f"{label} has no bar: {bar.reason}"
    text = f"{label} bar {number(float(bar.value), int(bar.population.total))}: {bar.attained_by}"
    doubt = getattr(bar, "uncertain", "searched, not certified")
    return text if bar.certified else f"{text} ({doubt})"
