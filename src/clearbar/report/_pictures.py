"""Which pictures a page has, and of what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from clearbar.formatting import capital, number, visible
from clearbar.problems.binary import Baseline
from clearbar.report._tables import CHARTS, has_whole
from clearbar.scorecard import GapRow, Names, Scorecard, View, best_first, slices
from clearbar.verdict import UNJUDGED

ROWS = 16  # measures in one picture
SLICES = 10  # slices in one picture; finding the interval of each takes a moment, and the table has all

Wanted = tuple[Callable[[], Any], str]  # what draws a picture, and its caption

_INKS = {"#ffffff": "var(--page)", "#525252": "var(--soft)", "#0072b2": "var(--blue)"}
"""What the page's style, which knows of dark and light, calls the figures' colours."""


def pictures(view: View, names: Names, gaps: Sequence[GapRow] = ()) -> list[dict[str, Any]]:
    from markupsafe import Markup

    from clearbar.plots import NothingToDrawError
    from clearbar.plots._inline import both_widths

    drawn = []
    if view.card.tasked:
        wanted = _tasks(view)
    else:
        wanted = [*_whole(view, names), *_slices(view, names), *_gap(view, names, gaps)]
        wanted += _closest_call(view, names)
    for index, (draw, caption) in enumerate(wanted):
        try:
            wide, narrow = both_widths(draw, f"p{index}", _INKS)
        except NothingToDrawError:  # no slice can be judged, say
            continue
        drawn.append({"wide": Markup(wide), "narrow": Markup(narrow), "caption": caption})  # noqa: S704 - escaped there
    return drawn


def _whole(view: View, names: Names) -> list[Wanted]:
    """Return the picture of all samples, of many measures the first; one model's card is that picture."""
    from clearbar.plots import ScorecardDisplay

    card: Any = view.card
    if not has_whole(card) or (len(card.models) == 1 and len(card.measures) <= CHARTS):
        return []
    where = f" on {names.groups[0]}" if len(card.groups) > 1 else ""
    if len(card.measures) > ROWS:
        where = f"{where}, for the first {ROWS} measures"
        card = _with_measures(card, list(range(ROWS)))
    band = "; the band is what chance can reach." if card.counts is not None else "."
    caption = f"Scores and bars{where}. Each measure has its own axis, the better end on the right{band}"
    return [(partial(ScorecardDisplay.from_scorecard, card, alpha=view.alpha), caption)]


def _slices(view: View, names: Names) -> list[Wanted]:
    """Return the picture of the measure and model that miss most bars of slices, the first of them."""
    from clearbar.plots import SlicesDisplay

    card: Any = view.card
    if len(card.groups) == 1:
        return []
    models = best_first(card)
    missed = np.isin(view.state[models][:, slices(card)], ("fails", "ties")).sum(axis=1)
    measure, place = (int(index) for index in np.unravel_index(int(np.argmax(missed.T)), missed.T.shape))
    model = models[place]
    options = {"model": card.models[model], "most": SLICES, "alpha": view.alpha}
    label, part = capital(names.measures[measure]), card.group_words[1]
    caption = (
        f"{label} of {names.models[model]} in the {part}, by distance from their own bars: the model and "
        "measure that miss the most bars."
    )
    return [(partial(SlicesDisplay.from_scorecard, _with_measures(card, [measure]), **options), caption)]


def _gap(view: View, names: Names, gaps: Sequence[GapRow]) -> list[Wanted]:
    """Return the picture of the gap that is least likely by chance, if one is not."""
    from clearbar.plots import GapsDisplay

    rows = [row for row in gaps if row.chance.p_value <= view.alpha]
    if not rows:
        return []
    least = min(rows, key=lambda row: row.chance.p_value)
    card: Any = view.card
    measure, model = card.measures[least.measure], card.models[least.model]
    label = capital(names.measures[least.measure])
    caption = f"{label} of {names.models[least.model]} in each {card.group_words[0]}."
    return [(partial(GapsDisplay.from_scorecard, card, measure, model=model), caption)]


def _with_measures(card: Any, measures: list[int]) -> Scorecard:
    """Return a scorecard of some of the measures, so that nothing is worked out for the others."""
    columns = {name: column[:, :, measures] for name, column in card.columns.items()}
    kept, bars = zip(*((card.measures[index], card.baselines[index]) for index in measures), strict=True)
    return Scorecard(
        card.models, card.groups, kept, card.counts, bars, columns, card.undefined,
        confidence_level=card.confidence_level, has_p_values=card.has_p_values, problem=card.problem,
    )  # fmt: skip


def _closest_call(view: View, names: Names) -> list[Wanted]:
    """Return the pictures behind the closest call on the whole: the p nearest to the level."""
    from clearbar.plots import NullDisplay

    card = view.card
    if card.counts is None or card.several_runs or not has_whole(card):
        return []
    models = best_first(card)
    judged = ~np.isin(view.state[models, 0], UNJUDGED)
    if not judged.any():
        return []
    # Predictions that are all alike leave nothing to chance: they are looked at where there are no others.
    k, total = (
        np.asarray(cells)[models, :1] for cells in (card.counts.predicted_positives, card.counts.total)
    )
    alike = np.broadcast_to((k == 0) | (k == total), judged.shape)
    with np.errstate(divide="ignore"):
        distance = np.abs(np.log(card.columns["p_corrected"][models, 0] / view.alpha))
    order = np.lexsort((distance.reshape(-1), alike.reshape(-1), ~judged.reshape(-1)))  # nan sorts last
    place, measure = (int(index) for index in np.unravel_index(int(order[0]), judged.shape))
    model = models[place]
    bar = card.bar(measure, 0)
    if not isinstance(bar, Baseline):
        return []
    row = model * len(card.groups) * len(card.measures) + measure
    verdict, standing = card[row], str(view.state[model, 0, measure])
    label, model_name = names.measures[measure], names.models[model]
    leading = bar.population.leading[0]
    score = number(verdict.score, view.samples(0))
    return [
        (
            partial(NullDisplay.from_verdict, verdict),
            f"The closest call: the {label} {score} of {model_name} in the test that decided its verdict.",
        ),
        (
            partial(_expectation, verdict, standing),
            f"The expected {visible(label)} of random answers, by the share predicted {leading}.",
        ),
    ]


def _expectation(verdict: Any, standing: str) -> Any:
    """Draw what random answers expect, and a verdict as the page has it: of one model among several."""
    from clearbar.plots import ExpectationDisplay

    share = int(verdict.counts.predicted_positives) / int(verdict.counts.total)
    model = share, verdict.score
    said = {"name": verdict.model, "standing": standing, "verdict": verdict}
    return ExpectationDisplay(verdict.baseline, model=model, **said).plot()


def _tasks(view: View) -> list[Wanted]:
    """Return the picture of models on tasks, with which the page begins."""
    from clearbar.plots import TasksDisplay

    caption = "Models on the mean over tasks, and on each task, against bars of their own."
    return [(partial(TasksDisplay.from_scorecard, view.card, alpha=view.alpha), caption)]
