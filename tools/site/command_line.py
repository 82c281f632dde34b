"""The command line in full, from the parser's own tables."""

from __future__ import annotations

from typing import Any

from tools.site.measures import text

from clearbar.cli._commands import ABOUT, COMMANDS, Command


def page() -> str:
    """Return the reference page of the command line, in Markdown."""
    parts = ["# The command line: reference", text(" ".join(ABOUT.split())) + " "]
    parts.append(
        "[A gate for a build, and the rest of a walk through it](../command_line.md) is a page of its own."
    )
    for name, command in COMMANDS.items():
        parts += [f"## clearbar {name}", *described(command)]
    return "\n\n".join(parts) + "\n"


def described(command: Command) -> list[str]:
    """Return what a command answers, how it is typed, and every option that it takes."""
    rows = [f"`{written(name, facts)}`\n: {text(words(facts))}\n" for name, facts in command.options.items()]
    shown = "\n".join(f"$ clearbar {line}" for line in command.examples)
    return [
        text(" ".join(command.about.split())),
        f"```text\nclearbar {command.usage}\n```",
        *(["\n".join(rows)] if rows else []),
        f"```console\n{shown}\n```",
    ]


def written(name: str, facts: dict[str, Any]) -> str:
    """Return an option as it is typed."""
    value = facts.get("metavar") or ("|".join(facts["choices"]) if "choices" in facts else "")
    if not name.startswith("-"):
        return f"{value} ..." if facts.get("nargs") else value
    return f"{name} {value}{' ...' if facts.get('nargs') == '+' else ''}".rstrip()


def words(facts: dict[str, Any]) -> str:
    """Return an option's help as sentences."""
    sentence = facts["help"][0].upper() + facts["help"][1:]
    end = "" if sentence.endswith("?") else "."
    return f"{sentence}{end}{' It must be given.' if facts.get('required') else ''}"
