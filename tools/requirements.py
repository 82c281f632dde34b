"""Print what pyproject.toml asks for, one requirement a line.

    python tools/requirements.py core cli sklearn group:test

`core` is the package's own dependencies, a bare name an extra, `group:NAME` a dependency group.
Older releases of pip know no groups; this needs nothing but Python itself.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"


def requirements(names: list[str]) -> list[str]:
    """Return the sorted requirements behind the names, without duplicates."""
    with PYPROJECT.open("rb") as file:
        table = tomllib.load(file)
    return sorted({line for name in names for line in _lines(table, name)}, key=str.lower)


def _lines(table: dict, name: str) -> Iterator[str]:
    project = table["project"]
    if name == "core":
        yield from project["dependencies"]
    elif name.startswith("group:"):
        for entry in table["dependency-groups"][name.removeprefix("group:")]:
            if isinstance(entry, dict):
                yield from _lines(table, f"group:{entry['include-group']}")
            else:
                yield entry
    else:
        for entry in project["optional-dependencies"][name]:
            own = re.fullmatch(rf"{project['name']}\[(.+)\]", entry)
            if own:
                for extra in own[1].split(","):
                    yield from _lines(table, extra.strip())
            else:
                yield entry


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1:])))
