"""What can be typed: the values of options, the parser, and what to say when it is something else."""

from __future__ import annotations

import argparse
import shlex
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from clearbar._version import __version__
from clearbar.cli._commands import ABOUT, COMMANDS, EXAMPLES
from clearbar.cli._errors import UsageError
from clearbar.core.errors import listed, nearest

_LISTS = ("y_pred", "y_score", "measure", "by", "metric")


class _Help(argparse.HelpFormatter):
    """argparse's, which leaves examples as they are, to be pasted."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = (line if line.startswith("  ") else textwrap.fill(line, width) for line in text.split("\n"))
        return "\n".join(indent + line for line in lines)


class _Parser(argparse.ArgumentParser):
    """argparse, with errors of one line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False, formatter_class=_Help)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Keep ``--`` where it is the value of an option: argparse before Python 3.13 takes it away."""
        if not action.option_strings or list(arg_strings) != ["--"]:
            return super()._get_values(action, arg_strings)
        value = self._get_value(action, "--")
        self._check_value(action, value)
        return [value] if action.nargs == "+" else value

    def error(self, message: str) -> NoReturn:
        of_option = message.removeprefix("argument ")  # "argument --alpha: must be ..."
        raise UsageError(message if of_option == message else of_option.replace(": ", " ", 1))

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or the version; argparse itself says nothing if there is no room for it."""
        from clearbar.cli._output import write

        write(message.removesuffix("\n"), file)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Read the arguments; options that the command does not take have their defaults."""
    parser, commands = _parser()
    first = next((word for word in argv if not word.startswith("-")), None)
    if first is None and not {"-h", "--help", "--version"} & set(argv):
        unknown = f"there is no option {argv[0]}; name a command" if argv else "name a command"
        raise UsageError(f"{unknown}: {listed(commands, last='or', most=99)}. See clearbar --help.")
    if argv and argv[0] == first and first not in commands:
        near = nearest(first, commands, most=1)
        hint = f"Did you mean clearbar {near[0]}?" if near else f"There are {listed(commands, most=99)}."
        raise UsageError(f"there is no command {first!r}. {hint}")
    not_typed = {
        name.lstrip("-").replace("-", "_"): facts.get("default")
        for command in COMMANDS.values()
        for name, facts in command.options.items()
    }
    try:
        options, rest = parser.parse_known_args(argv, argparse.Namespace(typed=list(argv), **not_typed))
    except SystemExit:  # argparse has printed help or the version
        if first == "check" and len(argv) > 2:  # else a gate whose arguments hold --help passes every model
            raise UsageError("--help judges no model, so that this check fails; leave it out.") from None
        raise
    if "files" in COMMANDS[options.command].options:
        rest = _collect_files(options, rest)
    if rest:
        _refuse(commands[options.command], rest[0])
    for name in (options.measure or []) if "--measure" in COMMANDS[options.command].options else ():
        if "," in name and "(" not in name:
            parts = shlex.join(part.strip() for part in name.split(",") if part.strip())
            raise UsageError(f"--measure {name!r}: separate names with spaces, as in --measure {parts}.")
    return options


def _refuse(command: argparse.ArgumentParser, word: str) -> NoReturn:
    name = command.prog.removeprefix("clearbar ")
    if not word.startswith("-"):
        raise UsageError(f"{name} does not know what to do with {word!r}; see {command.prog} --help.")
    names = [name.lstrip("-") for action in command._actions for name in action.option_strings]  # noqa: SLF001
    option = word.partition("=")[0]
    typed = option.lstrip("-")
    turned = [name for name in names if sorted(name) == sorted(typed)]  # two letters have changed places
    near = turned or nearest(typed, names, most=1)
    hint = f" Did you mean --{near[0]}?" if near else f" See {command.prog} --help."
    raise UsageError(f"{name} has no option {option}.{hint}")


def _collect_files(options: argparse.Namespace, rest: list[str]) -> list[str]:
    """Files may stand anywhere: also where an option that takes several values has swallowed them."""
    options.files += [word for word in rest if not word.startswith("-")]
    if not options.files:
        from clearbar.data.files import TABLE_ENDINGS

        for name in _LISTS:
            values = getattr(options, name) or []
            while len(values) > 1 and (
                Path(values[-1]).is_file() or values[-1].lower().endswith(TABLE_ENDINGS)
            ):
                options.files.insert(0, values.pop())
    return [word for word in rest if word.startswith("-")]


def _examples(lines: Sequence[str]) -> str:
    return "\n".join(["examples:", *(f"  clearbar {line}" for line in lines)])


def _parser() -> tuple[_Parser, dict[str, argparse.ArgumentParser]]:
    last = "\n\nclearbar COMMAND --help tells more about one command."
    parser = _Parser(prog="clearbar", description=" ".join(ABOUT.split()), epilog=_examples(EXAMPLES) + last)
    parser.add_argument("--version", action="version", version=f"clearbar {__version__}")
    added = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", required=True)
    for name, command in COMMANDS.items():
        subparser = added.add_parser(
            name,
            usage=f"clearbar {command.usage}",
            help=command.about.partition(".")[0].lower(),
            description=" ".join(command.about.split()),
            epilog=_examples(command.examples),
        )
        for option, facts in command.options.items():
            subparser.add_argument(option, **facts)
    return parser, dict(added.choices)
