"""``clearbar leaderboard``: answers of language models in the logs of harnesses."""

from __future__ import annotations

import argparse
import json
import shlex

from clearbar.cli._files import check_page
from clearbar.cli._outputs import refuse_inputs
from clearbar.cli._parser import UsageError
from clearbar.cli._screen import Answer, Screen
from clearbar.evaluation import evaluate_logs
from clearbar.formatting import visible
from clearbar.scorecard import Scorecard

_FORMATS = ("json", "markdown", "csv")


def leaderboard(options: argparse.Namespace, screen: Screen) -> Answer:
    """Put models below each other."""
    if not options.files:
        raise UsageError("name the logs to read: clearbar leaderboard FILE ...")
    chosen = [name for name in _FORMATS if getattr(options, name)]
    if len(chosen) > 1:
        raise UsageError(f"--{chosen[0]} and --{chosen[1]} cannot be combined; leave out one of them.")
    refuse_inputs(options)
    if options.html is not None:
        check_page(options)
    card = evaluate_logs(
        options.files,
        metric=options.metric or (),
        filter=options.filter,
        nulls=options.nulls,
        confidence_level=options.confidence_level,
    )
    if options.html is not None:
        card.to_html(options.html, overwrite=options.force, call=shlex.join(["clearbar", *options.typed]))
    text = _written(card, chosen[0] if chosen else "", screen)
    page = "" if options.html is None or chosen else f"\n\nThe report is in {visible(options.html)}."
    return Answer(text + page)


def _written(card: Scorecard, how: str, screen: Screen) -> str:
    board = card.leaderboard()
    if how == "json":
        return json.dumps({**card.to_dict(), "leaderboard": board.to_dict()}, indent=2, allow_nan=False)
    if how == "markdown":
        return board.to_markdown().rstrip()
    if how == "csv":
        return board.to_csv().rstrip()
    return board.to_text(color=screen.color, encoding=screen.encoding, width=screen.width)
