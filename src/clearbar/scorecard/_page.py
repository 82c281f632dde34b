"""What is printed: a headline, tables and notes; a `Page` is the one model of it, for every format."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clearbar import formatting
from clearbar.formatting import Screen, Table


@dataclass(frozen=True)
class Block:
    """A table, the title over it, and what is to be said below it."""

    table: Table | None
    notes: Sequence[str] = ()
    legend: Sequence[str] = ()  # what each mark means, and what p was corrected for
    title: str = ""

    @property
    def below(self) -> list[str]:
        return [line for line in (*self.notes, "   ".join(self.legend)) if line]


@dataclass(frozen=True)
class Page:
    """The verdict in a sentence, tables, and what is said of the whole."""

    headline: str  # empty where the tables speak for themselves
    blocks: Sequence[Block]
    notes: Sequence[str] = ()
    data: str = ""  # what was judged, over the headline
    details: Sequence[str] = ()  # below the headline

    def text(self, screen: Screen) -> str:
        """Return the page for a terminal, an empty line between its parts."""
        data = [screen.sentence(self.data)] if self.data else []
        headline = [screen.sentence(self.headline, "strong")] if self.headline else []
        parts = [[*data, *headline, *map(screen.sentence, self.details)]]
        for block in self.blocks:
            parts.append([screen.sentence(block.title, "strong")] if block.title else [])
            table = [screen.table(block.table)] if block.table is not None else []
            legend = "   ".join(words.replace(" ", "\xa0") for words in block.legend)  # no meaning is torn
            parts.append(table + [screen.sentence(line, "muted") for line in (*block.notes, legend) if line])
        parts.append([screen.sentence(note) for note in self.notes])
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def html(self, name: str) -> str:
        """Return the page for a notebook; `name` tells a style sheet what it is."""
        escape_html = formatting.escape_html
        headline = f"<strong>{escape_html(self.headline)}</strong>" if self.headline else ""
        head = "<br>".join(filter(None, (escape_html(self.data), headline, *map(escape_html, self.details))))
        parts = [f"<p>{head}</p>"] if head else []
        for block in self.blocks:
            parts += [f"<p><strong>{escape_html(block.title)}</strong></p>"] if block.title else []
            parts += [block.table.to_html()] if block.table is not None else []
            below = "<br>".join(map(escape_html, block.below))
            parts += [f"<p><small>{below}</small></p>"] if below else []
        body = "\n".join([*parts, *(f"<p>{escape_html(note)}</p>" for note in self.notes)])
        return f'<div class="clearbar-{name}" dir="ltr" style="overflow-x:auto">\n{body}\n</div>'

    def markdown(self) -> str:
        escape_markdown = formatting.escape_markdown
        parts = [escape_markdown(self.data)] if self.data else []
        parts += [f"**{escape_markdown(self.headline)}**"] if self.headline else []
        parts += map(escape_markdown, self.details)
        for block in self.blocks:
            parts += [f"**{escape_markdown(block.title)}**"] if block.title else []
            parts += [block.table.to_markdown()] if block.table is not None else []
            parts += map(escape_markdown, block.below)
        return "\n\n".join([*parts, *map(escape_markdown, self.notes)]) + "\n"

    def latex(self) -> str:
        """Return the tables and what stands below them in LaTeX, with booktabs rules."""
        parts: list[str | Table] = []
        for block in self.blocks:
            parts += [*([block.table] if block.table is not None else []), *block.below]
        return formatting.latex_page([*parts, *self.notes])


class Printed:
    """What shows itself as a page, on a terminal, in a notebook, and in documents."""

    def _page(self, wide: int | None) -> Page:
        """Return the page; `wide` is the width of a terminal, None where tables may have any."""
        raise NotImplementedError

    def to_text(self, *, color: bool = False, encoding: str | None = None, width: int | None = None) -> str:
        """Return the sentence, the table and the notes, for a terminal.

        Parameters
        ----------
        color : bool
            Whether the terminal understands ANSI colours.
        encoding : str, optional
            The stream's encoding; plain letters stand in for what it cannot show.
        width : int, optional
            Columns of the terminal, 80 by default; a table that does not fit is broken up.
        """
        screen = Screen.chosen(color, encoding, width)
        return self._page(screen.columns).text(screen)

    def to_markdown(self) -> str:
        """Return the sentence, the table and the notes in GitHub-flavoured Markdown; names are escaped."""
        return self._page(None).markdown()

    def to_latex(self) -> str:
        """Return the table in LaTeX, with booktabs rules, and the notes below it."""
        return self._page(None).latex()

    def __str__(self) -> str:
        screen = Screen.of(sys.stdout)
        return self.to_text(encoding=screen.encoding, width=screen.width)

    def __rich_console__(self, console: Any, options: Any) -> Any:
        from rich.text import Text

        color = console.color_system is not None and not console.no_color
        width = getattr(options, "max_width", None)
        shown = self.to_text(color=color, encoding=getattr(options, "encoding", None), width=width)
        yield Text.from_ansi(shown, overflow="fold")

    def _repr_html_(self) -> str:
        """Return the page for a notebook."""
        return self._page(None).html(type(self).__name__.lower())
