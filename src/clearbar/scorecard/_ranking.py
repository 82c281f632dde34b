"""Many models against each other: which can be told apart, and whether the best is better than luck."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.catalogue import Entry
from clearbar.core import Later
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core._value import Value
from clearbar.formatting import Table, number, p_phrase, p_value_text, plural, shorten, visible
from clearbar.inference.permutation import at_least_as_good
from clearbar.scorecard._compare import held_problem
from clearbar.scorecard._page import Block, Page, Printed
from clearbar.scorecard._rows import which_measure
from clearbar.verdict import holm, level_of

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

WIDTH = 40  # columns of a name in a sentence


@dataclass(frozen=True, eq=False)
class Ranking(Printed, Value):
    """Models from the best to the worst, and which of them can be told apart.

    Made by ``card.ranking``. Printing it shows the models; those that share a letter cannot be told apart.

    Attributes
    ----------
    measure : Measure
        What they are compared by.
    models : tuple of str
        The best first; a model without a score is left out.
    scores : ndarray of shape (models,)
        Their scores.
    p_values : ndarray of shape (models, models)
        Of each pair, that both true scores are equal, as in `Comparison`; of pairs far from the level by
        Student's t distribution; 1 where nothing is known.
    p_corrected : ndarray of shape (models, models)
        The same, corrected for the number of pairs (Holm 1979).
    groups : tuple of (int, int)
        First and last position of models none of which can be told from another, the largest such runs.
    confidence_level : float
        Two models can be told apart if their corrected p-value is at most one minus it.
    samples : int
        Samples they are judged on.
    left_out : tuple of str
        Models without a score.
    unresolved : int
        Pairs of which this does not tell whether they differ. Their p-value is the least that so many
        resamples can give, `least_p`, and still too large once corrected; or more pairs are near the level
        than are drawn, and they were left.
    least_p : float
        That p-value; 0 where there is no such limit.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 0] * 30
    >>> models = {"a": y_true, "b": [1, 0] * 18 + [0, 1] * 12, "c": [1, 0] * 17 + [0, 1] * 13}
    >>> ranking = cb.evaluate(y_true, models, "f1").ranking("f1")
    >>> ranking.groups
    ((1, 2),)
    """

    measure: Entry
    models: tuple[str, ...]
    scores: FloatArray
    p_values: FloatArray
    p_corrected: FloatArray
    groups: tuple[tuple[int, int], ...]
    confidence_level: float
    samples: int
    left_out: tuple[str, ...] = ()
    unresolved: int = 0
    least_p: float = 0.0

    @property
    def best(self) -> tuple[str, ...]:
        """The best model, and those that cannot be told from it."""
        alike = self.p_corrected[0] > level_of(self.confidence_level)
        return tuple(name for position, name in enumerate(self.models) if position == 0 or alike[position])

    @property
    def letters(self) -> tuple[str, ...]:
        """Of each model the letters of its groups; "–" for one that can be told from all others."""
        names = [*ascii_lowercase, *map("".join, itertools.product("abcdefgh", ascii_lowercase))]
        letters = [""] * len(self.models)
        for name, (first, last) in zip(itertools.cycle(names), self.groups, strict=False):
            for position in range(first, last + 1):
                letters[position] += name
        return tuple(of_model or "–" for of_model in letters)

    @property
    def pairs(self) -> str:
        """How many pairs p is corrected for, in words."""
        return f"p corrected for {plural(len(self.models) * (len(self.models) - 1) // 2, 'pair')}"

    @property
    def finding(self) -> str:
        """Which model is best, in a few words."""
        alike, count, label = len(self.best), len(self.models), visible(self.measure.label)
        first = shorten(visible(self.models[0]), WIDTH)
        if alike == 1:
            return f"{first} is surely the best of {count:,} models in {label}"
        if alike == count:
            rest = "the two models" if count == 2 else f"the best of {count:,} models and any other"
            return f"No difference shown in {label} between {rest}"
        said = f"{first} scores best of {count:,} models in {label}"
        return f"{said}; no difference shown to {alike - 1:,} of them"

    @property
    def sentence(self) -> str:
        """Which model is best, and for how many pairs p is corrected."""
        return f"{self.finding} ({self.pairs})."

    @property
    def table(self) -> Table:
        """A row per model: its score, p against the best one, and its letters."""
        heads = ("model", visible(self.measure.label), "p against the best", "alike")
        p_values = ["", *(p_value_text(float(p)) for p in self.p_corrected[0, 1:])]
        scores = (number(float(score), self.samples) for score in self.scores)
        rows = zip(map(visible, self.models), scores, p_values, self.letters, strict=True)
        return Table.of(("left", "decimal", "right", "left"), heads, rows)

    @property
    def notes(self) -> list[str]:
        """What stands below the table."""
        lines = ["Same letter: no difference shown."] if self.groups else []
        if self.unresolved:
            why = "not resolved: more are near the level than tables are drawn for."
            if self.least_p:
                least = p_value_text(self.least_p)
                why = f"not resolvable: p below {least} takes more resamples than were drawn."
            lines.append(f"{plural(self.unresolved, 'pair')} {why}")
        gone = ", ".join(map(visible, self.left_out))
        return [*lines, *([f"Without a score: {gone}."] if gone else [])]

    def _page(self, wide: int | None) -> Page:  # noqa: ARG002 - the table is narrow
        return Page(self.sentence, [Block(self.table, self.notes)])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dictionary per model: its measure, score, p against the best one, and letters."""
        against = [None, *map(float, self.p_corrected[0, 1:])]
        facts = zip(self.models, self.scores.tolist(), against, self.letters, strict=True)
        names = ("model", "score", "p_to_the_best", "alike")
        return [{"measure": self.measure.name, **dict(zip(names, fact, strict=True))} for fact in facts]

    def to_dict(self) -> dict[str, Any]:
        """Return every number, nan as None."""
        return {
            "measure": self.measure.name,
            "models": list(self.models),
            "scores": self.scores.tolist(),
            "p_values": self.p_values.tolist(),
            "p_corrected": self.p_corrected.tolist(),
            "groups": [list(self.models[first : last + 1]) for first, last in self.groups],
            "best": list(self.best),
            "confidence_level": self.confidence_level,
            "left_out": list(self.left_out),
            "unresolved": self.unresolved,
            "least_p": self.least_p,
            "said": self.sentence,
        }


def ranking(card: Scorecard, measure: Any = None) -> Ranking:
    """Compare every two models, corrected for so many pairs, and find which cannot be told apart.

    The test is that of `compare`. Of losses and partial credit nothing is drawn. Pairs of other measures
    whose p-value is far from the level by Student's t are not drawn, either. Of labels of up to 12 classes
    tables near the observed one are drawn for the others and weighed by their likelihood, so that no
    p-value is too small to be told. Of other kinds the same resamples serve all pairs: the more pairs there
    are, the more are drawn, a million at most. Where they cannot decide, the ranking says so.

    Parameters
    ----------
    measure : str or Measure, optional
        Any name of a measure in this scorecard; its first by default.

    Returns
    -------
    Ranking
        The best first; printing it shows which models share a letter, that is, cannot be told apart.
        `clearbar.plots.RankingDisplay` draws it.

    Raises
    ------
    ValueError
        As for `compare`, or where fewer than two models have a score.

    References
    ----------
    Holm, Scandinavian J. of Statistics 6, 1979; Demsar, J. of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 0] * 30
    >>> models = {"a": y_true, "b": [1, 0] * 18 + [0, 1] * 12, "c": [1, 0] * 17 + [0, 1] * 13}
    >>> cb.evaluate(y_true, models, "f1").ranking().best
    ('a',)
    """
    index = which_measure(card, measure)
    judged, scores = card.measures[index], card.columns["score"][:, 0, index]
    if judged.greater_is_better is None:
        raise ValueError(f"{judged.label} has no better end, so models cannot be ranked by it.")
    problem, missing = held_problem(card), np.isnan(scores)
    scored = np.flatnonzero(~missing)
    if len(scored) < 2:
        raise ValueError(f"a ranking needs two or more models with a score; found {len(scored)}.")
    sign = -1.0 if judged.greater_is_better else 1.0
    order = scored[np.argsort(sign * scores[scored], kind="stable")]
    first, second = np.triu_indices(len(order), 1)
    alpha = level_of(card.confidence_level)
    pairs = problem.pair_p_values(judged, order[first], order[second], alpha=alpha)
    values = np.where(np.isnan(pairs.values), 1.0, pairs.values)
    p_values, p_corrected = np.ones((2, len(order), len(order)))
    for square, of_pairs in ((p_values, values), (p_corrected, holm(values))):
        square[first, second] = square[second, first] = of_pairs
    alike = p_corrected > alpha
    unresolved = (values <= pairs.least) & alike[first, second]
    return Ranking(
        measure=judged,
        models=tuple(card.models[model] for model in order.tolist()),
        scores=scores[order],
        p_values=p_values,
        p_corrected=p_corrected,
        groups=_runs(alike),
        confidence_level=card.confidence_level,
        samples=int(np.asarray(card.population.total)[0]),
        left_out=tuple(card.models[model] for model in np.flatnonzero(missing).tolist()),
        unresolved=int(np.count_nonzero(unresolved)) + pairs.left,
        least_p=pairs.least,
    )


def _runs(alike: BoolArray) -> tuple[tuple[int, int], ...]:
    """Return the longest runs of two models or more of which any two are alike."""
    size = len(alike)
    different = np.triu(~alike, 1)
    # From each model on, the first place at which some two of the run differ.
    partner = np.where(different.any(axis=1), np.argmax(different, axis=1), size)
    ends = np.minimum.accumulate(partner[::-1])[::-1]
    runs: list[tuple[int, int]] = []
    for start, end in enumerate(ends.tolist()):
        if end - start > 1 and (not runs or end - 1 > runs[-1][1]):
            runs.append((start, end - 1))
    return tuple(runs)


@dataclass(frozen=True, eq=False)
class BestOf(Value):
    """The best score on a scorecard, and what the best of all models is if labels are in random order.

    Made by ``card.best_of``. The labels are permuted for all models together, so that models that predict
    alike count for little more than one.

    Attributes
    ----------
    measure : Measure
        The measure.
    model : str
        The best model.
    score : float
        Its score.
    tries : int
        How many models there are.
    expected : float
        The mean of the best score, labels in random order.
    reach : float
        What that stays below with the confidence level.
    p_value_blind : float
        The probability that it is at least as good as `score`.
    permutations : int
        How many were drawn.
    confidence_level : float
        That of `reach`.
    samples : int
        Samples that the models are judged on.
    truths : str
        What was permuted: ``"labels"`` or ``"targets"``.
    """

    measure: Entry
    model: str
    score: float
    tries: int
    expected: float
    reach: float
    p_value_blind: float
    permutations: int
    confidence_level: float
    samples: int
    truths: str = "labels"

    _repr_html_ = Later("clearbar.notebook", "said_html")

    @property
    def sure(self) -> bool:
        """Whether the best of so many that know nothing is that good with at most one minus the level."""
        return self.p_value_blind <= level_of(self.confidence_level)

    def __str__(self) -> str:
        level = level_of(self.confidence_level)
        score, expected, limit = (number(x, self.samples) for x in (self.score, self.expected, self.reach))
        know = "knows more than luck gives" if self.sure else "could be luck"
        beyond = "beyond" if self.measure.greater_is_better else "below"
        luck = f"averages {expected} and is {beyond} {limit} in {100 * level:g} % of cases"
        models, p = plural(self.tries, "model"), p_phrase(self.p_value_blind, level)
        best = f"{visible(self.model)} is the best of {models} with {self.measure.label} {score}"
        return f"{best}, which {know} ({p}): with {self.truths} in random order the best of them {luck}"


def best_of(card: Scorecard, measure: Any = None) -> BestOf:
    """Ask whether the best of all models is better than the best of as many that know nothing.

    The labels are permuted for all models together, after the seed of the scorecard. That is the
    question where every submission is at hand and the best one is kept; `tries` of `evaluate` is for
    submissions that are not.

    Parameters
    ----------
    measure : str or Measure, optional
        Any name of a measure in this scorecard; its first by default.

    Returns
    -------
    BestOf
        The best model, what the best of all is with labels in random order, and a p-value.

    Raises
    ------
    ValueError
        If nothing matches, or the scorecard does not hold the labels or scores of its models.

    References
    ----------
    Westfall and Young, Resampling-Based Multiple Testing, 1993, section 2.5.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 0] * 30
    >>> models = {"a": [1, 0] * 24 + [0, 1] * 6, "b": [1, 0] * 18 + [0, 1] * 12}
    >>> best = cb.evaluate(y_true, models, "f1").best_of()
    >>> best.model, best.sure
    ('a', True)
    """
    index = which_measure(card, measure)
    judged, scores = card.measures[index], card.columns["score"][:, 0, index]
    if judged.greater_is_better is None:
        raise ValueError(f"{judged.label} has no better end, so no model is the best by it.")
    if len(card.models) < 2:
        raise ValueError("best_of is about several models; found one, whose p_value_blind says the same.")
    if card.problem is None or np.isnan(scores).all():
        raise ValueError(f"no model of this scorecard has a score of {judged.label}.")
    sign = 1.0 if judged.greater_is_better else -1.0
    best = int(np.nanargmax(sign * scores))
    values = np.fmax.reduce(sign * card.problem.permuted(judged), axis=1)
    with_value = values[~np.isnan(values)]
    return BestOf(
        measure=judged,
        model=card.models[best],
        score=float(scores[best]),
        tries=len(card.models),
        expected=float(sign * with_value.mean()),
        reach=float(sign * np.quantile(with_value, card.confidence_level)),
        p_value_blind=float(at_least_as_good(values, float(sign * scores[best]), greater_is_better=True)),
        permutations=len(values),
        confidence_level=card.confidence_level,
        samples=int(np.asarray(card.population.total)[0]),
        truths=card.problem.truths,
    )
