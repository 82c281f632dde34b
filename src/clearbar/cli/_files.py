"""``clearbar evaluate`` and ``clearbar check``: predictions in files."""

from __future__ import annotations

import argparse
from typing import Any

from clearbar.cli._chosen import named
from clearbar.cli._errors import card_in_options
from clearbar.cli._formats import written
from clearbar.cli._gate import HINTS, Gate
from clearbar.cli._outputs import refuse_inputs
from clearbar.cli._page import check_page, page_sentence, write_page
from clearbar.cli._parser import UsageError
from clearbar.cli._screen import Answer
from clearbar.cli._suggestions import suggested
from clearbar.cli._summary import add_summary, check_summary
from clearbar.cli._table import asked_for
from clearbar.data.tables import MissingColumnError
from clearbar.evaluation import judged_frame
from clearbar.formatting import Screen
from clearbar.scorecard import Scorecard, by_word

_ALL = "--all shows interval, skill and p of each score."
_ALL_OF_SLICES = "--all shows every row, with skill and p of each score; on all samples its interval too."


def evaluate(options: argparse.Namespace, screen: Screen) -> Answer:
    """Judge the predictions in a file."""
    refuse_inputs(options)
    check_page(options)
    if options.slices and not (options.by or options.by_file):
        raise UsageError("--slices judges slices together; name their columns with --by.")
    card = judged(options, named(options.measure))
    write_page(card, options)
    return Answer((_together if options.slices else _shown)(card, options, screen))


def _shown(card: Scorecard, options: argparse.Namespace, screen: Screen) -> str:
    """Return the verdicts."""
    worded = card_in_options(card)

    def text() -> str:
        every: dict[str, Any] = {"most": None, "columns": tuple(by_word())} if options.all else {}
        shown = worded.to_text(**screen.options, hints=HINTS, **every)
        if len(card.models) > 1 and not options.all:
            sliced = options.by or options.by_file
            shown += f"\n{screen.sentence(_ALL_OF_SLICES if sliced else _ALL)}"
        return shown + page_sentence(options, screen)

    return written(
        options,
        text=text,
        json=card.to_dict,
        csv=lambda: str(card.to_csv()),
        markdown=lambda: worded.to_markdown(hints=HINTS),
        latex=worded.to_latex,
    )


def _together(card: Scorecard, options: argparse.Namespace, screen: Screen) -> str:
    """Return the slices of each measure, judged together."""
    every: dict[str, Any] = {"most": None} if options.all else {}
    slices_of_each = [card.slices(measure) for measure in card.measures]
    # Each row names its measure.
    rows = [
        {**row, "measure": measure.name}
        for measure, several in zip(card.measures, slices_of_each, strict=True)
        for row in several.to_dict()["rows"]
    ]
    return written(
        options,
        text=lambda: (
            "\n\n".join(several.to_text(**screen.options, hints=HINTS, **every) for several in slices_of_each)
            + page_sentence(options, screen)
        ),
        json=lambda: {**card.to_dict(), "slices": rows},
        csv=lambda: rows,
        parts=lambda: [
            part for several in slices_of_each for part in (several.sentence, several.table(None))
        ],
    )


def check(options: argparse.Namespace, screen: Screen) -> Answer:
    """Judge whether every model clears every measure."""
    refuse_inputs(options)
    if options.summary is not None:
        check_summary(options.summary)
    card = judged(options, named(options.measure, "roc_auc" if options.y_score else "mcc"))
    gate = Gate(card_in_options(card), card.alpha if options.alpha is ... else options.alpha)
    gate.refuse_unbeatable()
    if options.summary is not None:
        add_summary(options.summary, gate)
    text = written(
        options,
        text=lambda: gate.to_text(screen),
        json=gate.to_dict,
        csv=lambda: gate.to_dict()["rows"],
        markdown=gate.to_markdown,
        latex=gate.card.to_latex,
    )
    return Answer(text, gate.code)


def judged(options: argparse.Namespace, measures: Any, *, intervals: bool = True) -> Scorecard:
    """Judge the predictions that the options name."""
    ask = asked_for(options)
    try:
        return judged_frame(
            options.files,
            ask,
            measures,
            undefined=options.undefined,
            min_support=options.min_support,
            aggregate=options.aggregate or "pooled",
            confidence_level=options.confidence_level,
            intervals=intervals,
        )
    except MissingColumnError as error:
        raise UsageError(f"{error}{suggested(error, options)}") from error
