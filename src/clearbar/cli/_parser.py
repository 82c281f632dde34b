"""What can be typed: commands, options, and what to say when it is something else."""

from __future__ import annotations

import argparse
import difflib
import os
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from clearbar._version import __version__
from clearbar.cli._help import EPILOG, HELP, USAGE
from clearbar.cli._values import confidence, finite, level_or_none, policy, printed, probability, size, whole
from clearbar.core.errors import listed

_TABLES = (".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".gz", ".zst", ".parquet", ".pq")
_LISTS = ("y_pred", "measure", "by")


class UsageError(ValueError):
    """What was typed is not a command."""


class _Parser(argparse.ArgumentParser):
    """argparse, with errors of one line that name the next thing to type."""

    def __init__(self, **settings: Any) -> None:
        settings |= {"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter}
        super().__init__(**settings)

    def error(self, message: str) -> NoReturn:
        raise UsageError(self._plainer(message))

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or the version; argparse itself says nothing if there is no room for it."""
        from clearbar.cli._screen import write

        write(message.removesuffix("\n"), file)

    def _plainer(self, message: str) -> str:
        """Reword argparse's errors."""
        option = r"argument (?:-\w/)?(?P<option>[-\w]+)(?: .*)?: "
        if found := re.fullmatch(option + r"expected (?:one|at least one) argument", message):
            name = found["option"]
            return f"{name} needs a value; one that begins with a dash is written {name}=-value."
        if found := re.fullmatch(
            option + r"invalid choice: '?(?P<given>.*?)'? \(choose from (?P<known>.*)\)", message
        ):
            return f"{found['option']} must be one of {found['known']}; found {found['given']!r}."
        if found := re.fullmatch(option + r"(?P<rest>.*)", message):
            return f"{found['option']} {found['rest']}"
        if found := re.fullmatch(r"the following arguments are required: (.*)", message):
            wanted = found[1].replace(", ", " and ")
            return f"{self.prog.removeprefix('clearbar ')} needs {wanted}; see {self.prog} --help."
        return message


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Read the arguments."""
    parser, commands = _parser()
    first = next((word for word in argv if not word.startswith("-")), None)
    if first is None and not {"-h", "--help", "--version"} & set(argv):
        unknown = f"there is no option {argv[0]}; name a command" if argv else "name a command"
        raise UsageError(f"{unknown}: {listed(commands, last='or')}. See clearbar --help.")
    if argv and argv[0] == first and first not in commands:
        near = difflib.get_close_matches(first, commands, n=1, cutoff=0.5)
        hint = f"Did you mean clearbar {near[0]}?" if near else f"There are {listed(commands)}."
        raise UsageError(f"there is no command {first!r}. {hint}")
    options, rest = parser.parse_known_args(argv)
    command = commands[options.command]
    if hasattr(options, "files"):
        rest = _collect_files(options, rest)
    if rest:
        _refuse(command, rest[0])
    return options


def _refuse(command: argparse.ArgumentParser, word: str) -> NoReturn:
    name = command.prog.removeprefix("clearbar ")
    if not word.startswith("-"):
        raise UsageError(f"{name} does not know what to do with {word!r}; see {command.prog} --help.")
    known = [name for action in command._actions for name in action.option_strings]  # noqa: SLF001
    option = word.partition("=")[0]
    near = difflib.get_close_matches(option, known, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]}?" if near else f" See {command.prog} --help."
    raise UsageError(f"{name} has no option {option}.{hint}")


def _collect_files(options: argparse.Namespace, rest: list[str]) -> list[str]:
    """Files may stand anywhere: also where an option that takes several values has swallowed them."""
    options.files += [word for word in rest if not word.startswith("-")]
    if not options.files:
        for name in _LISTS:
            values = getattr(options, name) or []
            while len(values) > 1 and (os.path.isfile(values[-1]) or values[-1].lower().endswith(_TABLES)):  # noqa: PTH113
                options.files.insert(0, values.pop())
    return [word for word in rest if word.startswith("-")]


def _parser() -> tuple[_Parser, dict[str, argparse.ArgumentParser]]:
    parser = _Parser(prog="clearbar", description=HELP["clearbar"], epilog=EPILOG["clearbar"])
    parser.add_argument("--version", action="version", version=f"clearbar {__version__}")
    added = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", required=True)

    def command(name: str) -> argparse.ArgumentParser:
        return added.add_parser(
            name,
            usage=f"clearbar {USAGE[name]}",
            help=HELP[name].partition(".")[0].lower(),
            description=HELP[name],
            epilog=EPILOG[name],
        )

    _json(command("measures"), "the catalogue, with formulas, domains and sources")
    _explain(command("explain"))
    _baseline(command("baseline"))
    for name in ("evaluate", "check"):
        _files(command(name), name)
    command("demo").add_argument(
        "--csv", metavar="PATH", help="write the predictions on one of them to this new file instead"
    )
    return parser, dict(added.choices)


def _json(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--json", action="store_true", help=f"print one JSON document: {what}")


def _explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "measure", nargs="+", metavar="MEASURE", help="any name, such as f1 or 'threat score'"
    )
    _sizes(parser, required=False)
    _undefined(parser)


def _baseline(parser: argparse.ArgumentParser) -> None:
    _sizes(parser, required=True)
    _measure(parser, "six common ones by default; all for the catalogue")
    parser.add_argument(
        "--score",
        type=printed,
        metavar="X",
        help="a score that was reached, with the decimals that were printed: does it clear the bar?",
    )
    parser.add_argument(
        "--alpha",
        type=probability,
        default=0.05,
        metavar="ALPHA",
        help="how sure: p must be at most ALPHA (default: 0.05)",
    )
    _undefined(parser)
    _json(parser, "bars, and with --score the verdict")


def _files(parser: argparse.ArgumentParser, name: str) -> None:
    add = parser.add_argument
    add(
        "files",
        nargs="*",
        metavar="FILE",
        help="CSV, JSON-lines (.gz and .zst too), Parquet, or a pattern; several are one table",
    )
    add("--y-true", metavar="COL", help="column of true labels")
    add(
        "--y-pred",
        nargs="+",
        action="extend",
        metavar="COL",
        help="column of predicted labels, one per model",
    )
    _slices(parser)
    _table(parser)
    add(
        "--pos-label",
        metavar="X",
        help="label of the positive class; 1 for labels 0 and 1, -1 and 1, or truth values",
    )
    if name == "check":
        _measure(parser, "mcc by default")
        add(
            "--alpha",
            type=level_or_none,
            default=0.05,
            metavar="ALPHA",
            help="how sure: p must be at most ALPHA (default: 0.05); none asks for the score alone",
        )
        _json(parser, "whether the build passes, which verdicts fail, and all verdicts")
        add("--summary", metavar="PATH", help="also add the verdicts to this file, in Markdown")
    else:
        _measure(parser, "six common ones by default; all for the catalogue")
        add(
            "--slices",
            action="store_true",
            help="judge the slices together: which clear surely, which could be chance",
        )
        add("--all", action="store_true", help="show every row, with interval, skill and p of each score")
        _json(parser, "all verdicts")
        add("--html", metavar="PATH", help="also write a report: one page, with tables and pictures")
        add("--force", action="store_true", help="replace the report if it is there already")
    _undefined(parser)


def _slices(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--by",
        nargs="+",
        action="extend",
        metavar="COL",
        help="columns of slices; each combination is judged against its own bar, after the whole",
    )
    add("--by-file", action="store_true", help="each file is a slice")
    add("--min-support", type=size, default=0, metavar="N", help="judge only slices of N samples or more")
    add("--fold", metavar="COL", help="column of folds: judge cross-validated predictions")
    add(
        "--aggregate",
        metavar="WAY",
        help="how folds are combined, as in evaluate_folds: mean, ... (default: pooled)",
    )


def _table(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--model", metavar="COL", help="column that says which model a row is about, in a long table")
    add("--weight", metavar="COL", help="column that says how often a row occurs: whole numbers")
    add("--clusters", metavar="COL", help="column that says which rows belong together, such as patients")
    add("--threshold", type=finite, metavar="X", help="predictions are probabilities, and positive from X on")
    add(
        "--confidence-level",
        type=confidence,
        default=0.95,
        metavar="LEVEL",
        help="of the intervals (default: 0.95); a score that clears surely does so at one minus it",
    )
    add(
        "--nulls",
        choices=("raise", "drop"),
        default="raise",
        help="rows with missing values: an error (default), or left out and counted",
    )


def _sizes(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument("--total", type=whole, required=required, metavar="M", help="number of samples")
    parser.add_argument(
        "--positives", type=whole, required=required, metavar="P", help="how many of them are positive"
    )


def _measure(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--measure",
        nargs="+",
        action="extend",
        metavar="NAME",
        help=f"what to judge by; {default}",
    )


def _undefined(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--undefined",
        type=policy,
        default="exclude",
        metavar="HOW",
        help="outcomes without a value: exclude (default), worst, or the number they count as",
    )
