"""Whether every link of the built site leads somewhere: to a file, and to a place in it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

ELSEWHERE = ("http:", "https:", "mailto:", "data:", "javascript:")


class Page(HTMLParser):
    """The links of a page, the places that can be linked to, and what is fetched from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.fetched: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links to, fetches, and can be found by."""
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        for name in ("href", "src"):
            target = given.get(name, "")
            if not target.startswith(ELSEWHERE):
                self.links.add(target)
            elif tag != "a" and not target.startswith("data:") and given.get("rel") != "canonical":
                self.fetched.add(target)


def broken(folder: Path) -> list[str]:
    """Name each link that leads nowhere, and each thing that a page would fetch from another place."""
    files = (path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts)
    pages = {path: Page(path.read_text("utf-8")) for path in files}
    faults = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        faults += [f"{name} fetches {target}" for target in sorted(page.fetched)]
        for target in sorted(page.links - {"", "#"}):
            address, place = urldefrag(target)
            file = address.partition("?")[0]
            at = (path.parent / unquote(file)).resolve() if file else path
            at = at / "index.html" if at.is_dir() else at
            if not at.exists():
                faults.append(f"{name} links to {target}, which is not there")
            elif place and at in pages and unquote(place) not in pages[at].places:
                faults.append(f"{name} links to {target}, a place that is not there")
    return faults
