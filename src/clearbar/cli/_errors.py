"""What is wrong, as the command line says it: options for arguments, what to type for code."""

from __future__ import annotations

import shlex

from clearbar.core.errors import ArgumentError, listed

_RIGHT = {
    "labels": "Turn it into labels first.",
    "two classes": "Turn it into one class against the rest first.",
    "threshold": "if they are probabilities, add --threshold 0.5.",
    "nulls": "add --nulls drop to leave those rows out.",
}
"""What would be right, by the name under which an error has it."""


def in_options(error: BaseException) -> str:
    """Return what is wrong in a sentence."""
    if not isinstance(error, ArgumentError):
        return str(error)
    name = error.argument
    argument = f"--{name.replace('_', '-')}" if name.isidentifier() else name
    return f"{argument}{error.found}{_right(error)}"


def _right(error: ArgumentError) -> str:
    if error.mends == "pos_label":
        options = (f"--pos-label {shlex.quote(str(label))}" for label in error.values)
        return f"Pass {listed(options, last='or')}."
    if error.mends == "measure":
        return f"--measure {shlex.quote(str(error.values[0]))}."
    if error.mends == "measures":
        return f"`clearbar measures` lists all {error.values[0]}."
    return _RIGHT.get(error.mends, error.right)
