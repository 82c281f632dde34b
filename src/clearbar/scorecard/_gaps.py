"""Gaps between groups: how far apart scores are, what of that is chance, and which groups differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from clearbar.catalogue import Entry, get_measure, name_key
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core._value import Value
from clearbar.formatting import (
    Table,
    number,
    p_phrase,
    p_value_text,
    percent,
    plural,
    visible,
    whole_percent,
)
from clearbar.inference import gaps as engine
from clearbar.scorecard._compare import held_problem
from clearbar.scorecard._frames import as_python, frame_of, records, strict
from clearbar.scorecard._page import Block, Page, Printed
from clearbar.scorecard._rows import slices, which_model
from clearbar.verdict import holm, level_of

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

SHOWN = 10
"""Groups, and pairs, that are printed."""

MOST_TESTED = 5_000
"""Models times groups of which a report tells all gaps."""

NAMED = {
    "demographic_parity": ("predicted_positive_rate",),
    "equal_opportunity": ("recall",),
    "equalized_odds": ("recall", "fpr"),
}
"""What fairlearn calls gaps, and of which measures the largest counts."""


class Wanted(NamedTuple):
    """A gap by name: a difference, or a ratio, of one measure or the worst of several."""

    name: str
    label: str  # empty for the difference of one measure, which has that measure's
    measures: tuple[Entry, ...]
    ratio: bool = False


@dataclass(frozen=True, eq=False)
class Gaps(Printed, Value):
    """How far apart the scores of groups are, what of that is chance, and which groups differ.

    Made by ``card.gaps``. Printing it says how large the gap is and what chance gives.

    Attributes
    ----------
    name : str
        The measure, or the name of the gap, such as ``"equalized_odds_difference"``.
    measures : tuple of Measure
        Of which measures the gap is the largest difference, or the least ratio.
    model : str
        The model.
    kind : {"difference", "ratio"}
        The largest score minus the least, or the least divided by the largest.
    groups : tuple
        The groups that have a value.
    scores : ndarray of shape (measures, groups)
        Their scores.
    samples, positives : ndarray of shape (groups,)
        Their class sizes.
    observed : float
        The gap.
    bar : float
        What the gap is on average where all groups have the same true rates in both classes.
    p_value : float
        How likely it is at least as large then; nan where that is not known.
    method : str
        ``"exact"``, ``"permutation"`` or ``"unknown"``.
    note : str
        How bar and p were found, if not exactly; or why they are not known.
    pairs : PairsOfGroups
        Every two groups by every measure, of each the group with the larger score first.
    p_corrected : ndarray of shape (pairs,)
        Of each pair, that both true scores are the same, corrected for all pairs (Holm 1979).
    confidence_level : float
        That of the intervals; groups differ surely at one minus it.
    left_out : tuple
        Groups without a value.
    part : (str, str)
        What a group is called, and several of them.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[30, 18], fp=[6, 5], fn=[5, 17], tn=[40, 41])
    >>> gaps = cb.evaluate_counts(counts, "recall", groups=["young", "old"]).gaps("recall")
    >>> round(gaps.observed, 3), round(gaps.bar, 3), round(gaps.p_value, 4)
    (0.343, 0.087, 0.0041)
    """

    name: str
    measures: tuple[Entry, ...]
    model: str
    kind: Literal["difference", "ratio"]
    groups: tuple[Any, ...]
    scores: FloatArray
    samples: IntArray
    positives: IntArray
    observed: float
    bar: float
    p_value: float
    method: str
    note: str
    pairs: engine.PairsOfGroups
    p_corrected: FloatArray
    confidence_level: float
    left_out: tuple[Any, ...] = ()
    part: tuple[str, str] = ("slice", "slices")
    label: str = ""
    of_several: bool = False

    @property
    def alpha(self) -> float:
        """The level at which a gap is more than chance, and two groups differ."""
        return level_of(self.confidence_level)

    @property
    def widest(self) -> int:
        """The position of the measure whose gap is the one that counts."""
        gaps = [float(engine.gap([scores], ratio=self.kind == "ratio")) for scores in self.scores]
        return int(np.argmin(gaps) if self.kind == "ratio" else np.argmax(gaps))

    @property
    def different(self) -> Any:
        """Which pairs differ surely: p is small once corrected, and the interval holds no 0."""
        return (self.p_corrected <= self.alpha) & (self.pairs.low > 0)

    @property
    def sentence(self) -> str:
        """How large the gap is, and what chance gives."""
        groups = plural(len(self.groups), *self.part)
        size, chance = number(self.observed), number(self.bar)
        if self.label:
            said = f"the {self.label} of {groups} is {size}"
        else:
            said = f"{visible(self.measures[0].label)} differs by up to {size} between {groups}"
        said = f"{visible(self.model)}: {said}" if self.of_several else said[0].upper() + said[1:]
        if math.isnan(self.p_value):
            return f"{said}; {self.note}."
        p = p_phrase(self.p_value, self.alpha)
        if self.p_value <= self.alpha:
            beyond = "less" if self.kind == "ratio" else "more"
            return f"{said}, {beyond} than chance gives ({chance} on average; {p})."
        return f"{said}, but that could be chance, which gives {chance} on average ({p})."

    def _columns(self) -> dict[str, Any]:
        columns = self.pairs
        names = [as_python(group) for group in self.groups]
        measure, first, second = self._of_pairs()
        return {
            "model": [self.model] * len(measure),
            "measure": [self.measures[row].name for row in measure.tolist()],
            "group_a": [names[row] for row in first.tolist()],
            "group_b": [names[row] for row in second.tolist()],
            "score_a": self.scores[measure, first],
            "score_b": self.scores[measure, second],
            "difference": columns.difference,
            "low": columns.low,
            "high": columns.high,
            "p_value": columns.p_values,
            "p_corrected": self.p_corrected,
            "different": self.different,
        }

    def _of_pairs(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the measure and both groups of each pair, by position."""
        per_measure = len(self.pairs.first) // len(self.measures)
        measure = np.repeat(np.arange(len(self.measures)), per_measure)
        return measure, self.pairs.first, self.pairs.second

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return a data frame with a row per pair of groups and measure.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            The library that makes it.
        """
        return frame_of(self._columns, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return every number, nan and infinity as None.

        Returns
        -------
        dict
            The gap and its bar, ``"groups"`` with a dict per group, and ``"pairs"`` with one per pair.
        """
        names = [measure.name for measure in self.measures]
        groups = {
            "group": [as_python(group) for group in self.groups],
            "samples": self.samples,
            "positives": self.positives,
            **dict(zip(names, self.scores, strict=True)),
        }
        facts = "name", "model", "kind", "observed", "bar", "p_value", "method", "note", "confidence_level"
        return {
            **strict({name: getattr(self, name) for name in facts}),
            "left_out": [as_python(group) for group in self.left_out],
            "said": self.sentence,
            "groups": records(groups),
            "pairs": records(self._columns()),
        }

    @property
    def group_table(self) -> Table:
        """A row per group, the largest by the first measure first."""
        order = np.argsort(-self.scores[0], kind="stable")
        rows = order if len(order) <= SHOWN else np.concatenate((order[: SHOWN // 2], order[-SHOWN // 2 :]))
        heads = [self.part[0], "samples", "positive", *(visible(m.label) for m in self.measures)]
        lines = []
        for row in rows.tolist():
            size = int(self.samples[row])
            scores = [number(float(score), size) for score in self.scores[:, row]]
            share = percent(int(self.positives[row]) / size)
            lines.append([visible(self.groups[row]), f"{size:,}", share, *scores])
        return Table.of(["left", *["decimal"] * (len(heads) - 1)], heads, lines, named=1)

    @property
    def pair_table(self) -> Table:
        """A row per pair, the least p first; of many pairs the first of them."""
        measure, first, second = self._of_pairs()
        order = np.lexsort((-self.pairs.difference, self.pairs.p_values, self.p_corrected))[:SHOWN]
        level, several = whole_percent(self.confidence_level), len(self.measures) > 1
        heads = ["pair", *(["measure"] if several else []), "difference", f"{level} interval", "p"]
        lines = []
        for row in order.tolist():
            names = [visible(self.groups[group]) for group in (int(first[row]), int(second[row]))]
            ends = [number(float(end)) for end in (self.pairs.low[row], self.pairs.high[row])]
            lines.append([
                " − ".join(names),
                *([visible(self.measures[measure[row]].label)] if several else []),
                number(float(self.pairs.difference[row])),
                "" if math.isnan(self.pairs.low[row]) else " – ".join(ends),
                p_value_text(float(self.p_corrected[row])),
            ])  # fmt: skip
        named = 1 + several
        align = ["left"] * named + ["decimal", "left", "decimal"]
        return Table.of(align, heads, lines, named=named)

    @property
    def notes(self) -> list[str]:
        """What stands below the tables."""
        groups, pairs = len(self.groups), len(self.p_corrected)
        left = [
            *([f"{SHOWN // 2} largest and least of {groups:,} {self.part[1]}"] if groups > SHOWN else []),
            *([f"{SHOWN} of {pairs:,} pairs"] if pairs > SHOWN else []),
        ]
        gone = ", ".join(map(visible, self.left_out[:SHOWN]))
        more = f" and {len(self.left_out) - SHOWN:,} more" if len(self.left_out) > SHOWN else ""
        return [
            *([f"Shown: {' and '.join(left)}; .to_frame() has all."] if left else []),
            *([f"Without a value: {gone}{more}."] if gone else []),
            f"Chance: all {self.part[1]} have the same rates in both classes.",
            f"p of pairs: both true scores are the same; corrected for {plural(pairs, 'pair')}.",
            *([f"{self.note[0].upper()}{self.note[1:]}."] if self.note and self.p_value >= 0 else []),
        ]

    def _page(self, wide: int | None) -> Page:  # noqa: ARG002 - the tables are narrow
        return Page(self.sentence, [Block(self.group_table), Block(self.pair_table, self.notes)])

    def __repr__(self) -> str:
        return f"<Gaps: {self.sentence}>"


def gaps(card: Scorecard, measure: Any = None, model: str | None = None) -> Gaps:
    """Ask how far apart the scores of groups are, what of that is chance, and which groups differ.

    A largest difference is positive even where all groups are alike. Its bar is what it is on average if all
    groups have the same true rates: groups are permuted within each class. So a difference that comes from
    class sizes alone, which scores such as F1 or the share predicted positive follow, stays within the bar.

    Parameters
    ----------
    measure : str or Measure, optional
        Any measure of labels of two classes, in this scorecard or not; the scorecard's first by default. Or
        a name of fairlearn: ``"demographic_parity_difference"`` (of the share predicted positive),
        ``"equal_opportunity_difference"`` (of recall), ``"equalized_odds_difference"`` (recall or false
        positive rate, whichever differs more); with ``_ratio`` the least score divided by the largest.
        Both endings go with any measure.
    model : str, optional
        A model; needed where the scorecard has several.

    Returns
    -------
    Gaps
        The gap, its bar and p; pairs of groups with intervals, and p-values corrected for so many pairs.
        `clearbar.plots.GapsDisplay` draws it.

    Raises
    ------
    ValueError
        If there are not two groups with a value, labels are not of two classes, samples are in clusters, or
        a model has several runs.

    Notes
    -----
    Of two groups all outcomes are added up; of more, permutations are drawn after the scorecard's seed. Those
    in which a group has no value are left out. Pairs have the test of two models (`compare`), with each
    class of each group a binomial of its own; of more than 3 pairs intervals are Student's, with as many
    degrees of freedom as samples carry the difference.

    References
    ----------
    Hardt, Price and Srebro, Equality of opportunity in supervised learning, NeurIPS 2016; Weerts and others,
    Fairlearn, J. of Machine Learning Research 24, 2023; Holm, Scandinavian J. of Statistics 6, 1979.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[30, 18, 25], fp=[6, 5, 8], fn=[5, 17, 9], tn=[40, 41, 38])
    >>> card = cb.evaluate_counts(counts, "recall", groups=["young", "old", "between"])
    >>> print(card.gaps("recall").sentence)
    Recall differs by up to 0.343 between 3 slices, more than chance gives (0.133 on average; p = 0.0046).
    """
    if model is None and len(card.models) > 1:
        raise ValueError(
            f"model must be named, since this scorecard has {len(card.models):,}; "
            f"pass model={visible(repr(card.models[0]))}."
        )
    return _found(card, 0 if model is None else which_model(card, model), _wanted(card, measure))


def _wanted(card: Scorecard, measure: Any) -> Wanted:
    """Return which gap a name means."""
    if measure is None:
        return Wanted(card.measures[0].name, "", (card.measures[0],))
    if isinstance(measure, str):
        for ending in ("difference", "ratio"):
            for name, parts in NAMED.items():
                if name_key(measure) == name_key(f"{name}_{ending}"):
                    label, entries = f"{name} {ending}".replace("_", " "), map(get_measure, parts)
                    return Wanted(f"{name}_{ending}", label, tuple(entries), ending == "ratio")
        stem, _, ending = measure.rstrip().replace(" ", "_").rpartition("_")
        if stem and ending in {"difference", "ratio"}:
            try:
                get_measure(measure)
            except ValueError:  # no measure is called so: it is a measure's difference or ratio
                entry = get_measure(stem)
                return Wanted(
                    f"{entry.name}_{ending}", f"{entry.label} {ending}", (entry,), ending == "ratio"
                )
    entry = get_measure(measure)
    return Wanted(entry.name, "", (entry,))


class Groups(NamedTuple):
    """The groups of a model that have a value of each of some measures."""

    places: IntArray  # among the groups of the scorecard
    left_out: IntArray
    by_measure: list[engine.GroupPairs]

    @property
    def scored(self) -> list[engine.Score]:
        """What scores all of them, by measure."""
        return [groups.score_of(np.arange(len(self.places))) for groups in self.by_measure]

    @property
    def tables(self) -> engine.GroupTables:
        return self.by_measure[0].tables

    @property
    def scores(self) -> FloatArray:
        """Their scores, (measures, groups)."""
        return np.stack([groups.scores for groups in self.by_measure])


def _groups_of(card: Scorecard, model: int, measures: Sequence[Entry]) -> Groups:
    problem, places = held_problem(card), np.flatnonzero(slices(card))
    everyone = [problem.between_groups(entry, model) for entry in measures]
    valued = np.isfinite(np.stack([groups.scores for groups in everyone])).all(axis=0)
    kept = np.flatnonzero(valued)
    return Groups(places[kept], places[~valued], [groups[kept] for groups in everyone])


def _found(card: Scorecard, model: int, wanted: Wanted) -> Gaps:
    if len(card.groups) < 2:
        raise ValueError("gaps are between groups, and this scorecard has none; pass by=... to evaluate.")
    for entry in wanted.measures:
        if entry.kind != "binary" or (wanted.ratio and entry.bounds[0] < 0):
            if entry.kind != "binary":
                raise ValueError(f"measure must be of labels of two classes for a gap; found {entry.label}.")
            raise ValueError(
                f"{entry.label} may be negative, so that it has no {wanted.name}; ask for another measure."
            )
    groups = _groups_of(card, model, wanted.measures)
    if len(groups.places) < 2:
        label = wanted.measures[0].label
        raise ValueError(f"a gap needs two groups with a value of {label}; found {len(groups.places)}.")
    (chance,) = groups.tables.chances([(groups.scored, wanted.ratio)])
    apart = [pairs.told_apart(card.alpha, card.confidence_level) for pairs in groups.by_measure]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(pairs, name) for pairs in apart])
        for name in engine.PairsOfGroups._fields
        if name != "method"
    }
    pairs = engine.PairsOfGroups(**columns, method=apart[0].method)
    unknown = np.isnan(pairs.p_values)
    return Gaps(
        name=wanted.name,
        measures=wanted.measures,
        model=card.models[model],
        kind="ratio" if wanted.ratio else "difference",
        groups=tuple(card.groups[place] for place in groups.places.tolist()),
        scores=groups.scores,
        samples=groups.tables.positives + groups.tables.negatives,
        positives=groups.tables.positives,
        observed=chance.observed,
        bar=chance.expected,
        p_value=chance.p_value,
        method=chance.method,
        note=str(chance.note),
        pairs=pairs,
        p_corrected=np.where(unknown, np.nan, holm(np.where(unknown, 1.0, pairs.p_values))),
        confidence_level=card.confidence_level,
        left_out=tuple(card.groups[place] for place in groups.left_out.tolist()),
        part=card.group_words,
        label=wanted.label,
        of_several=len(card.models) > 1,
    )


class GapRow(NamedTuple):
    """The gap of one model by one measure, and the groups at its ends, by position."""

    model: int
    measure: int
    best: int
    worst: int
    scores: tuple[float, float]
    chance: engine.Chance


def gap_rows(card: Scorecard) -> list[GapRow]:
    """Return the gaps of all models by all measures; none where groups are too many or not compared."""
    several = len(card.groups) > 1 and len(card.models) * len(card.groups) <= MOST_TESTED
    if not several or card.problem is None or not card.has_p_values:
        return []
    rows = []
    for model in range(len(card.models)):
        alike: dict[bytes, list[tuple[int, Groups]]] = {}  # measures of which the same groups have values
        for place, entry in enumerate(card.measures):
            try:
                groups = _groups_of(card, model, [entry])
            except ValueError:  # another kind of problem
                return []
            if len(groups.places) > 1:
                alike.setdefault(groups.places.tobytes(), []).append((place, groups))
        for together in alike.values():
            chances = together[0][1].tables.chances([(groups.scored, False) for _, groups in together])
            for (place, groups), chance in zip(together, chances, strict=True):
                scores = groups.scores[0]
                best, worst = int(np.argmax(scores)), int(np.argmin(scores))
                values = float(scores[best]), float(scores[worst])
                best, worst = int(groups.places[best]), int(groups.places[worst])
                rows.append(GapRow(model, place, best, worst, values, chance))
    return sorted(rows, key=lambda row: (row.model, row.measure))
