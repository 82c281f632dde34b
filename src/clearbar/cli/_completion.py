"""``clearbar completion``: what a shell gets when Tab is pressed; ``clearbar demo``: shipped predictions."""

from __future__ import annotations

import argparse
import csv
import os
import shlex
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from clearbar.cli._commands import COMMANDS
from clearbar.cli._errors import UsageError
from clearbar.cli._output import Reply

if TYPE_CHECKING:
    from clearbar.formatting import Screen

_SCRIPTS = {
    "bash": """\
_clearbar() {
    local IFS=$'\\n'
    COMPREPLY=($(clearbar --complete bash "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null))
}
complete -o default -F _clearbar clearbar""",
    "zsh": """\
#compdef clearbar
_clearbar() {
    local -a found
    found=("${(@f)$(clearbar --complete zsh $((CURRENT - 1)) "${words[@]}" 2>/dev/null)}")
    if [[ -n "$found[1]" ]]; then compadd -a found; else _files; fi
}
compdef _clearbar clearbar""",
    "fish": """\
function __clearbar
    set -l before (commandline -opc)
    set -l found (clearbar --complete fish (count $before) $before (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c clearbar -f -a '(__clearbar)'""",
}
"""Where nothing is known that fits, the shell completes names of files."""


def completion(options: argparse.Namespace, screen: Screen) -> Reply:  # noqa: ARG001 - for a shell
    return Reply(_SCRIPTS[options.shell])


def completed(argv: Sequence[str]) -> str:
    """Return what the word at the cursor may become, a line each: of a shell, a position, and all words."""
    shell, position, *words = argv
    completions = candidates(words, int(position))
    return "\n".join(map(shlex.quote, completions) if shell == "bash" else completions)


def candidates(words: Sequence[str], position: int) -> list[str]:
    """Return what the word at a position may become; nothing where it may be a file."""
    before = [word for word in words[1:position] if word != "="]  # bash parts --option=value
    begun = words[position].lstrip("'\"") if position < len(words) else ""
    begun = "" if begun == "=" else begun
    if not before:
        possible: Iterable[str] = [*COMMANDS, "--help", "--version"]
    elif before[0] not in COMMANDS:
        possible = []
    elif begun.startswith("-"):
        possible = [*(name for name in COMMANDS[before[0]].options if name.startswith("-")), "--help"]
    else:
        possible = _values(before)
    return [word for word in possible if word.startswith(begun) and (word not in before or word == begun)]


def _values(before: Sequence[str]) -> Iterable[str]:
    """Return what may stand behind words that begin with a command."""
    options = COMMANDS[before[0]].options
    position = max((position for position, word in enumerate(before) if word.startswith("--")), default=0)
    name = before[position]
    taken = len(before) - position > 1 and "nargs" not in options.get(name, {})
    if taken or options.get(name, {"action": "store_true"}).get("action") == "store_true":
        name = next((name for name in options if not name.startswith("-")), "")
    option: dict[str, Any] = options.get(name, {})
    if "choices" in option:
        return list(option["choices"])
    if name.lstrip("-") == "measure":
        from clearbar.catalogue import KINDS, measures

        return dict.fromkeys(measure.name for kind in KINDS for measure in measures(kind))
    if option.get("metavar") != "COL":
        return []
    from clearbar.data.file_tables import column_names
    from clearbar.data.files import TABLE_ENDINGS

    tables = (word for word in before if word.lower().endswith(TABLE_ENDINGS) and os.path.isfile(word))  # noqa: PTH113
    return next((list(column_names(path)) for path in tables), [])


_TITLES = {
    "diabetes": "Diabetes: progression above the median",
    "wisconsin": "Wisconsin breast cancer: malignant",
}
_NO_MODELS = ("dataset", "split", "y_true")

_OPENING = (
    "Five classifiers with scikit-learn's default settings; each sample is predicted by models trained on "
    "nine tenths of the others. The bar is the best that a classifier can expect which never looks at a "
    "feature. Who clears it?"
)
_CLOSING = "Now your own file, with a column of true labels and one or more of predictions:"
_COMMAND = "clearbar evaluate FILE --y-true COLUMN --y-pred COLUMN"


def demo(options: argparse.Namespace, screen: Screen) -> Reply:
    if options.csv is not None:
        return Reply(_saved(options.csv))
    from clearbar.evaluation.labels import evaluate

    parts = [screen.sentence(_OPENING)]
    for name, title in _TITLES.items():
        columns = _columns(name)
        models = {model: column for model, column in columns.items() if model not in _NO_MODELS}
        card = evaluate(columns["y_true"], models)
        heading = f"{screen.sentence(title, 'strong')}\n{'=' * min(len(title), screen.columns)}"
        parts.append(f"{heading}\n{card.to_text(**screen.options)}")
    return Reply("\n\n".join([*parts, screen.sentence(_CLOSING), screen.sentence(_COMMAND, first="    ")]))


def _saved(path: str) -> str:
    from clearbar.core.documents import save
    from clearbar.formatting import visible

    text = _text("diabetes")
    try:
        save(text, path)
    except FileExistsError:
        raise UsageError(f"{path} is there already; give --csv another name.") from None
    rows = len(text.splitlines()) - 1
    return f"{rows:,} predictions of five classifiers are in {visible(path)}, the true labels in y_true."


def _text(name: str) -> str:
    return (resources.files("clearbar") / "_demo" / f"{name}.csv").read_text(encoding="utf-8")


def _columns(name: str) -> dict[str, list[int]]:
    header, *rows = csv.reader(_text(name).splitlines())
    return {
        column: [int(value) for value in values]
        for column, values in zip(header, zip(*rows, strict=True), strict=True)
        if column != "dataset"
    }
