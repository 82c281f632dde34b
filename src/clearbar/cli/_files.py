"""``clearbar evaluate`` and ``clearbar check``: predictions in files."""

from __future__ import annotations

import argparse
from typing import Any

from clearbar.cli._errors import card_in_options
from clearbar.cli._formats import pages, written
from clearbar.cli._gate import HINTS, Gate
from clearbar.cli._outputs import add_summary, report_sentence, write_report
from clearbar.cli._parser import UsageError
from clearbar.cli._screen import Answer
from clearbar.cli._table import judged_table
from clearbar.formatting import Screen
from clearbar.scorecard import Scorecard, by_word

_ALL = "--all shows interval, skill and p of each score."
_ALL_OF_SLICES = "--all shows every row, with skill and p of each score; on all samples its interval too."


def evaluate(options: argparse.Namespace, screen: Screen) -> Answer:
    """Judge the predictions in a file."""
    if options.slices and not (options.by or options.by_file):
        raise UsageError("--slices judges slices together; name their columns with --by.")
    card = judged_table(options, options.measure)
    write_report(card, options)
    return Answer((_of_slices if options.slices else _of_rows)(card, options, screen))


def _of_rows(card: Scorecard, options: argparse.Namespace, screen: Screen) -> str:
    """Return the verdicts."""
    worded = card_in_options(card)

    def text() -> str:
        all_rows: dict[str, Any] = {"most": None, "columns": tuple(by_word())} if options.all else {}
        verdicts = worded.to_text(**screen.options, hints=HINTS, **all_rows)
        if len(card.models) > 1 and not options.all:
            sliced = options.by or options.by_file
            verdicts += f"\n{screen.sentence(_ALL_OF_SLICES if sliced else _ALL)}"
        return verdicts + report_sentence(options, screen)

    return written(
        options,
        text=text,
        json=card.to_dict,
        csv=lambda: str(card.to_csv()),
        markdown=lambda: worded.to_markdown(hints=HINTS),
        latex=worded.to_latex,
    )


def _of_slices(card: Scorecard, options: argparse.Namespace, screen: Screen) -> str:
    """Return the slices of each measure, judged together."""
    all_rows: dict[str, Any] = {"most": None} if options.all else {}
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
            "\n\n".join(
                several.to_text(**screen.options, hints=HINTS, **all_rows) for several in slices_of_each
            )
            + report_sentence(options, screen)
        ),
        json=lambda: {**card.to_dict(), "slices": rows},
        csv=lambda: rows,
        **pages(
            lambda: [part for several in slices_of_each for part in (several.sentence, several.table(None))]
        ),
    )


def check(options: argparse.Namespace, screen: Screen) -> Answer:
    """Judge whether every model clears every measure."""
    card = judged_table(options, options.measure or ("roc_auc" if options.y_score else "mcc"))
    gate = Gate(card_in_options(card), card.alpha if options.alpha is ... else options.alpha)
    gate.refuse_unbeatable()
    if options.summary is not None:
        add_summary(options.summary, gate.to_markdown())
    text = written(
        options,
        text=lambda: gate.to_text(screen),
        json=gate.to_dict,
        csv=lambda: gate.to_dict()["rows"],
        markdown=gate.to_markdown,
        latex=gate.card.to_latex,
    )
    return Answer(text, gate.code)
