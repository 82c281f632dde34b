"""A page for every public name, from its docstring."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Room:
    """A module whose public names are documented, and what they are for."""

    module: str
    title: str
    folder: str

    @property
    def values(self) -> dict[str, Any]:
        """What the module offers by its public names, without modules and what begins with an underscore."""
        own = importlib.import_module(self.module)
        names = getattr(own, "__all__", None) or [
            name for name, value in vars(own).items() if getattr(value, "__module__", "") == self.module
        ]
        values = {name: getattr(own, name) for name in names if not name.startswith("_")}
        return {name: value for name, value in values.items() if not inspect.ismodule(value)}

    def place(self, name: str) -> str:
        """Return where a name's page lies: small letters, since some disks tell no others apart."""
        return f"{self.folder}/{name.lower()}{'-class' if inspect.isclass(self.values[name]) else ''}"


ROOMS = (
    Room("clearbar", "clearbar", "top"),
    Room("clearbar.plots", "clearbar.plots: pictures", "plots"),
    Room("clearbar.sklearn", "clearbar.sklearn: inside scikit-learn", "sklearn"),
    Room("clearbar.testing", "clearbar.testing: for test suites", "testing"),
    Room("clearbar.compat.dutchdraw", "clearbar.compat.dutchdraw: the older package's names", "dutchdraw"),
)


ABOUT = """\
[The command line](command_line.md), and every public name of the package. What plugs into pytest, MLflow,
skore and Inspect has [a page of its own](../integrations.md)."""


def pages() -> dict[str, str]:
    """Return the reference's pages by their place, in Markdown."""
    texts = {"reference/index.md": index()}
    for room in ROOMS:
        texts |= {
            f"reference/{room.place(name)}.md": page(room, name, value) for name, value in room.values.items()
        }
    return texts


def index() -> str:
    """Return the table of all public names."""
    parts = ["# Reference", ABOUT]
    parts.append(tree("", ["command_line"]))
    for room in ROOMS:
        rows = [
            f"| [`{name}`]({room.place(name)}.md) | {summary(value)} |" for name, value in room.values.items()
        ]
        parts += [f"## {room.title}", "\n".join(["| name | |", "|---|---|", *rows])]
        parts.append(tree(room.module, map(room.place, room.values)))
    return "\n\n".join(parts) + "\n"


def tree(caption: str, places: Iterable[str]) -> str:
    """Return the directive that hangs pages below this one, with a heading in the sidebar."""
    options = ":hidden:\n" + (f":caption: {caption}\n" if caption else "")
    return f"```{{toctree}}\n{options}\n" + "\n".join(places) + "\n```"


def page(room: Room, name: str, value: Any) -> str:
    """Return the page of one name."""
    kind = "class" if inspect.isclass(value) else "function" if callable(value) else "data"
    if inspect.isclass(value) and issubclass(value, BaseException):
        kind = "exception"
    members = "\n   :members:" if kind == "class" else ""
    return f"# {name}\n\n```{{eval-rst}}\n.. auto{kind}:: {room.module}.{name}{members}\n```\n"


def summary(value: Any) -> str:
    """Return the first line of a docstring."""
    first = (inspect.getdoc(value) or "").partition("\n")[0]
    return first.replace("|", "\\|").replace("``", "`")
