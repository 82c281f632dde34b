"""The pages of docs as sources of the site, and the order in which docs/README.md names them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HOUSE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md",
         "CODE_OF_CONDUCT.md": "conduct.md"}  # fmt: skip
"""Pages of the root folder that the site holds as well."""

CALCULATOR = "<!-- calculator -->"
"""Where the home page has the calculator."""

ANIMATION = "<!-- animation -->"
"""Where it has the drawing of 31 patients that explains what a bar is."""

ATLAS, TASKS = "<!-- atlas -->", "<!-- task atlas -->"
"""Where the page on public test sets has its tables, and that of tasks of language models."""


@dataclass(frozen=True)
class Section:
    """A part of docs/README.md: it becomes a page, and its links the pages below it."""

    title: str
    text: str

    @property
    def slug(self) -> str:
        """The name of its page."""
        return re.sub(r"[^a-z0-9]+", "_", self.title.lower()).strip("_")

    @property
    def pages(self) -> list[str]:
        """The pages that it names, once each, without their ending."""
        return list(dict.fromkeys(re.findall(r"\]\((\w+)\.md\)", for_site(self.text))))


def sections(readme: str) -> tuple[Section, ...]:
    """Return what stands before the first heading of second order, and what stands below each."""
    _, *parts = re.split(r"^(?:# (?=.*$)|## (?=.*$))", readme, flags=re.MULTILINE)
    pairs = (part.partition("\n") for part in parts)
    return tuple(Section(title.strip(), text.strip()) for title, _, text in pairs)


def for_site(text: str) -> str:
    """Let links to files of the repository lead to the site's own page, or read as names."""
    for name, page in HOUSE.items():
        text = text.replace(f"](../{name})", f"]({page})").replace(f"]({name})", f"]({page})")
    text = re.sub(r"\]\(README\.md#([\w-]+)\)", lambda it: f"]({it[1].replace('-', '_')}.md)", text)
    text = re.sub(r"\]\(docs/([\w/]+\.(?:md|png))", r"](\1", text)
    text = re.sub(r"\[(\w+)\.md\]\(", r"[\1](", text)
    text = re.sub(r"!\[([^\]]*)\]\(images/(\w+)\.png\)", in_both_themes, text)
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"`\1`", text)


def in_both_themes(picture: re.Match[str]) -> str:
    """Return a picture that has a dark variant twice, each for its pages."""
    if not (DOCS / "images" / f"{picture[2]}_dark.png").exists():
        return picture[0]
    return (
        f"![{picture[1]}](images/{picture[2]}.png){{.only-light}}\n"
        f"![{picture[1]}](images/{picture[2]}_dark.png){{.only-dark}}"
    )


def with_gallery(text: str) -> str:
    """Return a page of pictures with small ones before its first part, each a link to where it stands."""
    head, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    items = []
    for part in parts:
        title = part.partition("\n")[0]
        for name in re.findall(r"!\[[^\]]*\]\(images/(\w+)\.png\)\{\.only-light\}", part)[:1]:
            images = "".join(
                f'<img class="only-{theme}" src="_images/{name}{ending}.png" alt="">'
                for theme, ending in (("light", ""), ("dark", "_dark"))
            )
            place = re.sub("[^a-z0-9]+", "-", title.lower().encode("ascii", "ignore").decode()).strip("-")
            items.append(f'<li><a href="#{place}">{images}<span>{title}</span></a></li>')
    gallery = f'<ul class="cb-gallery cb-pictures">{"".join(items)}</ul>'
    return "## ".join([f"{head}```{{raw}} html\n{gallery}\n```\n\n", *parts])


def landing(section: Section) -> str:
    """Return the page of a section: its own words, and its pages in their order."""
    listed = "\n".join(section.pages)
    # without words, a link has the title of its page
    titled = re.sub(r"\[[\w.]+\.md\]\(", "[](", section.text)
    return f"# {section.title}\n\n{titled}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def front(home: str, parts: tuple[Section, ...]) -> str:
    """Return the home page with the tree of all others; those that stand alone are called by their name."""
    first, *rest = parts
    tree = [
        *(f"{page.replace('_', ' ').capitalize()} <{page}>" for page in first.pages),
        *(part.slug for part in rest),
    ]
    at = next((i for i, part in enumerate(rest) if part.slug == "background"), len(rest))
    tree[len(first.pages) + at : len(first.pages) + at] = ["measures/index", "reference/index"]
    return f"{home}\n```{{toctree}}\n:hidden:\n\n" + "\n".join(tree) + "\n```\n"


def sources() -> dict[str, str]:
    """Return the pages that are written by hand, by their place in the site."""
    pages = {path.name: path.read_text("utf-8") for path in sorted(DOCS.glob("*.md"))}
    parts = sections(pages.pop("README.md"))
    pages["index.md"] = front(pages["index.md"], parts)
    pages |= {f"{part.slug}.md": landing(part) for part in parts[1:]}
    pages |= {
        page: (ROOT / name).read_text("utf-8") for name, page in HOUSE.items() if (ROOT / name).exists()
    }
    made = {name: for_site(text) for name, text in pages.items()}
    return made | {"plots.md": with_gallery(made["plots.md"])}
