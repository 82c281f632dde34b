"""What every JSON document begins with: the version of the package, and that of the document's shape."""

from __future__ import annotations

import json
from typing import Any

from clearbar._version import __version__
from clearbar.core._numbers import whole_number

SCHEMA = 2  # grows when a field is renamed or removed, or means something else; what is added leaves it


def document(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a document behind its versions; docs/json.md says what it holds."""
    return {"clearbar": __version__, "schema": SCHEMA, **content}


def strict_json(content: dict[str, Any], indent: Any) -> str:
    """Return content as JSON that any reader takes, on one line or with so many blanks per level."""
    blanks = None if indent is None else whole_number("indent", indent, instead=", or None")
    return json.dumps(content, indent=blanks, allow_nan=False)
