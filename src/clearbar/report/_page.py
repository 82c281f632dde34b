"""One self-contained page: a template, a style and a script, with nothing from elsewhere."""

from __future__ import annotations

import base64
import datetime as dt
import functools
import hashlib
import os
import re
from importlib import resources
from typing import TYPE_CHECKING, Any

from clearbar._version import __version__
from clearbar.core.documents import savable, save
from clearbar.report._content import ReportOptions, Threshold, content
from clearbar.scorecard import Scorecard, View

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup


def to_html(
    card: Scorecard,
    path: str | os.PathLike[str] | None = None,
    *,
    overwrite: bool = False,
    title: str = "",
    subtitle: str = "",
    data: str = "",
    date: str | dt.date = "",
    threshold: Threshold = None,
    call: str = "",
    alpha: float | None = None,
    pictures: bool = True,
) -> str | None:
    """Write a scorecard as a page that stands alone: it opens from disk and fetches nothing.

    Parameters
    ----------
    card : Scorecard
        The verdicts.
    path : str or path-like, optional
        The file to write; it is written beside and moved into place.
    overwrite : bool
        Whether a file that is there may be replaced.
    title, subtitle : str
        The page's title, and a line below it.
    data : str
        The name of the data.
    date : str or datetime.date
        The date of the data, as it shall be read; the page has none of its own.
    threshold : float or mapping of str to float
        From where on probabilities were called positive, for all models or for each: the page says so.
    call : str
        What made the scorecard, as it was typed; by default the call that the scorecard remembers.
    alpha : float
        The level at which a score is sure; by default that of the scorecard.
    pictures : bool
        Whether to draw the verdicts as well; needs matplotlib.

    Returns
    -------
    str or None
        The page, where no file is named.

    Raises
    ------
    FileExistsError
        If the file is there and may not be replaced.
    ValueError
        If the path is that of a folder, `alpha` is no probability, `threshold` no number, `date` no date or
        text, or another wish no text.
    ImportError
        If Jinja2, or matplotlib for the pictures, is not installed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), ["f1", "mcc"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder) / "report.html"
    ...     card.to_html(place, pictures=False)
    ...     place.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    if path is not None:
        savable(path, overwrite=overwrite)  # before the work, not after it
    options: dict[str, Any] = {"title": title, "subtitle": subtitle, "data": data, "date": date, "call": call}
    text = page(card, alpha=alpha, threshold=threshold, pictures=pictures, **options)
    if path is None:
        return text
    save(text, path, overwrite=overwrite)
    return None


def page(card: Scorecard, *, alpha: float | None = None, **options: Any) -> str:
    """Return the page that `to_html` writes; `options` are the fields of `ReportOptions`.

    The same text for the same verdicts: no date but that of the data, no path, nothing drawn by chance.
    """
    from markupsafe import Markup

    report_options = ReportOptions(**options)
    style = _file("page.css").strip()
    script = "\n".join(_file(name).strip() for name in ("tables.js", "page.js"))
    script = f'(() => {{\n"use strict";\n{script}\n}})();'  # one function: nothing is seen from outside
    return _template().render(
        content(View.of(card, alpha), report_options),
        version=__version__,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own files
        policy=(
            f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )


@functools.cache
def _template() -> jinja2.Template:
    try:
        import jinja2
    except ImportError as error:
        msg = "the report needs Jinja2, which is not installed: in a checkout, pip install '.[report]'"
        raise ImportError(msg) from error
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    return environment.get_template("page.html")


def _breakable(name: str) -> Markup:
    """Return a name as markup in which a line may end behind ``_`` and ``/``, and nowhere within a word."""
    from markupsafe import Markup, escape

    return Markup(re.sub("([_/])", r"\1<wbr>", str(escape(name))))  # noqa: S704 - escaped


def _file(name: str) -> str:
    return (resources.files("clearbar.report") / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return the name by which a content security policy knows a style or a script."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
