"""``clearbar evaluate`` and ``clearbar check``: predictions in files."""

from __future__ import annotations

import argparse
import importlib.util
import json
import shlex
from typing import Any

from clearbar.cli._chosen import named
from clearbar.cli._errors import card_in_options
from clearbar.cli._gate import HINTS, Gate
from clearbar.cli._outputs import refuse_inputs
from clearbar.cli._parser import UsageError
from clearbar.cli._screen import Answer, Screen
from clearbar.cli._summary import add_summary, check_summary
from clearbar.cli._table import asked_for, suggested
from clearbar.core._saving import savable
from clearbar.data.tables import MissingColumnError
from clearbar.evaluation import judged_frame
from clearbar.formatting import visible
from clearbar.scorecard import Scorecard, by_word


def evaluate(options: argparse.Namespace, screen: Screen) -> Answer:
    """Judge the predictions in a file."""
    refuse_inputs(options)
    if options.html is not None:
        check_page(options)
    if options.slices and not (options.by or options.by_file):
        raise UsageError("--slices judges slices together; name their columns with --by.")
    card = judged(options, named(options.measure))
    if options.html is not None:
        call = shlex.join(["clearbar", *options.typed])
        card.to_html(options.html, overwrite=options.force, call=call)
    if options.json:
        return Answer(_json_slices(card) if options.slices else card.to_json(indent=2))
    if options.slices:
        return Answer(_together(card, options, screen))
    every: dict[str, Any] = {"most": None, "columns": tuple(by_word())} if options.all else {}
    shown: dict[str, Any] = {
        "color": screen.color,
        "encoding": screen.encoding,
        "width": screen.width,
        "hints": HINTS,
    }
    text = card_in_options(card).to_text(**shown, **every)
    if len(card.models) > 1 and not options.all:
        text += "\n--all shows interval, skill and p of each score."
    return Answer(text if options.html is None else f"{text}\n\nThe report is in {visible(options.html)}.")


def _together(card: Scorecard, options: argparse.Namespace, screen: Screen) -> str:
    """Return the slices of each measure, judged together."""
    every: dict[str, Any] = {"most": None} if options.all else {}
    shown: dict[str, Any] = {"color": screen.color, "encoding": screen.encoding, "hints": HINTS}
    return "\n\n".join(card.slices(measure).to_text(**shown, **every) for measure in card.measures)


def _json_slices(card: Scorecard) -> str:
    """Return the scorecard, and beside its rows those of the slices, judged together."""
    together = [
        {**row, "measure": measure.name}
        for measure in card.measures
        for row in card.slices(measure).to_dict()["rows"]
    ]
    return json.dumps({**card.to_dict(), "slices": together}, indent=2, allow_nan=False)


def check(options: argparse.Namespace, screen: Screen) -> Answer:
    """Judge whether every model clears every measure."""
    refuse_inputs(options)
    if options.summary is not None:
        check_summary(options.summary)
    card = judged(options, named(options.measure, "mcc"))
    gate = Gate(card_in_options(card), card.alpha if options.alpha is ... else options.alpha)
    gate.refuse_unbeatable()
    if options.summary is not None:
        add_summary(options.summary, gate)
    if options.json:
        return Answer(json.dumps(gate.to_dict(), indent=2, allow_nan=False), gate.code)
    return Answer(gate.to_text(screen), gate.code)


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


def check_page(options: argparse.Namespace) -> None:
    """Say what is in the way of a page before anything is read."""
    for needed in ("jinja2", "matplotlib"):
        if importlib.util.find_spec(needed) is None:
            raise UsageError(f"--html needs {needed}, which is not installed: pip install 'clearbar[report]'")
    try:
        savable(options.html, overwrite=options.force)
    except FileExistsError:
        raise UsageError(
            f"{options.html} is there already; add --force to replace it, or another name."
        ) from None
