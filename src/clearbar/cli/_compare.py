"""``clearbar compare``: which of the models in a file is better, and how surely."""

from __future__ import annotations

import argparse
import json

from clearbar.cli._chosen import named
from clearbar.cli._files import judged
from clearbar.cli._outputs import refuse_inputs
from clearbar.cli._parser import UsageError
from clearbar.cli._screen import Answer, Screen
from clearbar.core.documents import document
from clearbar.data.tables import MOST_COMPARED
from clearbar.scorecard import Scorecard

NOT_ASKED = ("model", "by", "by_file", "fold", "weight", "aggregate", "min_support")
"""What is asked of tables elsewhere."""


def compare(options: argparse.Namespace, screen: Screen) -> Answer:  # noqa: ARG001 - plain text
    """Compare two models, or rank several."""
    refuse_inputs(options)
    for name in NOT_ASKED:
        setattr(options, name, 0 if name == "min_support" else None)
    models = list(dict.fromkeys(options.y_pred or []))
    if options.y_pred and not 1 < len(models) <= MOST_COMPARED and options.clusters is None:
        raise UsageError(
            f"name two models to compare with --y-pred, or up to {MOST_COMPARED}; found {len(models)}."
        )
    if options.margin is not None and len(models) != 2:
        raise UsageError(f"--margin is for two models; found {len(models)}.")
    card = judged(options, named(options.measure), intervals=False)
    return _of_two(card, options) if len(card.models) == 2 else _of_several(card, options)


def _of_two(card: Scorecard, options: argparse.Namespace) -> Answer:
    a, b = card.models
    found = [card.compare(a, b, measure, margin=options.margin) for measure in card.measures]
    if options.json:
        content = document({"comparisons": [one.to_dict() for one in found]})
        return Answer(json.dumps(content, indent=2, allow_nan=False))
    return Answer("\n".join(map(str, found)))


def _of_several(card: Scorecard, options: argparse.Namespace) -> Answer:
    found = [card.ranking(measure) for measure in card.measures]
    if options.json:
        content = document({"rankings": [one.to_dict() for one in found]})
        return Answer(json.dumps(content, indent=2, allow_nan=False))
    return Answer("\n\n".join(map(str, found)))
