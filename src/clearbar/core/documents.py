"""What every JSON document begins with: the version of the package, and that of the document's shape."""

from __future__ import annotations

from typing import Any

from clearbar._version import __version__

SCHEMA = 1
"""Grows when a field is renamed or removed, or means something else; what is added leaves it."""


def document(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a document behind its versions; docs/json.md says what it holds."""
    return {"clearbar": __version__, "schema": SCHEMA, **content}
