"""For pytest: a fixture that fails where a model does not clear its bar, and what all of them found.

pytest loads this file by its entry point ``clearbar`` of the group ``pytest11``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import pytest

if TYPE_CHECKING:
    from clearbar.scorecard import Scorecard
    from clearbar.testing import Clearance

MARKER = "clears_bar"

MOST = 20  # verdicts of a call that the table shows: what fails first. The rest is counted
JUDGEMENTS = pytest.StashKey[list["Judgement"]]()


class Line(TypedDict):
    subject: str
    measure: str
    score: str
    bar: str
    p: str
    stands: str


class Judgement(TypedDict):
    """What one call of the fixture says of a model."""

    verdicts: int
    passed: int
    lines: list[Line]
    html: str


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("clearbar").addoption(
        "--clearbar-html",
        metavar="PATH",
        default=None,
        help="write a page with all that the fixture clears_bar judged",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{MARKER}(measure, alpha=..., by=..., ...): options of the fixture {MARKER} in a test, class or "
        f"module; every test with the fixture has it, so that -m {MARKER} selects them",
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    if MARKER in getattr(item, "fixturenames", ()) and item.get_closest_marker(MARKER) is None:
        item.add_marker(MARKER)


@pytest.fixture
def clears_bar(request: pytest.FixtureRequest) -> Callable[..., Scorecard]:
    """Fail unless predictions surely clear their bar: ``clears_bar(y_true, y_pred, "mcc", by=...)``.

    It takes what `clearbar.testing.assert_clears` takes, and returns the scorecard.
    """
    item: pytest.Item = request.node
    options = _marked(item)

    def judge(*arguments: Any, **named: Any) -> Scorecard:
        __tracebackhide__ = True
        from clearbar.testing import cleared, refuse_options

        marked = {name: value for name, value in options.items() if name != "measure" or len(arguments) < 3}
        try:
            refuse_options({**marked, **named}, MARKER)
            clearance = cleared(*arguments, **{**marked, **named})
        except ValueError as error:  # a sentence, which says what to change
            raise ValueError(str(error)) from None
        page = request.config.getoption("clearbar_html") is not None
        item.stash.setdefault(JUDGEMENTS, []).append(_judgement(clearance, page=page))
        if not clearance:
            raise AssertionError(clearance.message)
        return clearance.card

    return judge


def _marked(item: pytest.Item) -> dict[str, Any]:
    """Return the options of the markers, those closest to the test before those further away."""
    options: dict[str, Any] = {}
    for marker in item.iter_markers(MARKER):
        if len(marker.args) > 1:
            raise pytest.UsageError(
                f"the marker {MARKER} takes one measure and options by name; found {marker.args!r:.80} at "
                f"{item.nodeid}."
            )
        options = {**dict(zip(("measure",), marker.args, strict=False)), **marker.kwargs, **options}
    return options


def _judgement(clearance: Clearance, *, page: bool) -> Judgement:
    card, passes = clearance.card, clearance.passes.tolist()
    rows = sorted(range(len(passes)), key=passes.__getitem__)[:MOST]
    return {
        "verdicts": len(passes),
        "passed": sum(passes),
        "lines": [_line(clearance, row) for row in rows],
        "html": card._repr_html_() if page else "",
    }


def _line(clearance: Clearance, row: int) -> Line:
    from clearbar.formatting import TELLS, number, p_value_text
    from clearbar.scorecard import subject

    verdict = clearance.card[row]
    samples = int(verdict.baseline.population.total)
    stands = "clears" if clearance.passes[row] else verdict.outcome
    doubt = verdict.outcome == "clears" and clearance.alpha is not None
    return {
        "subject": subject(verdict),
        "measure": verdict.measure.label,
        "score": number(verdict.score, samples),
        "bar": number(float(verdict.baseline.value), samples),
        "p": p_value_text(verdict.p_corrected, clearance.alpha or 1.0, floor=TELLS) if doubt else "–",
        "stands": "doubt" if stands == "clears" and not clearance.passes[row] else stands,
    }


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Give the report of a test what its calls found: workers of pytest-xdist send it with the report."""
    report: Any = yield
    if MARKER in getattr(item, "fixturenames", ()):
        report.clearbar = item.stash.get(JUDGEMENTS, [])
        item.stash[JUDGEMENTS] = []
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the table, and write the page."""
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    judged: dict[str, list[Judgement]] = {}
    failed: dict[str, str] = {}
    for report in reports:
        if getattr(report, "clearbar", None):
            judged.setdefault(report.nodeid, []).extend(report.clearbar)
        elif hasattr(report, "clearbar") and report.failed:
            failed[report.nodeid] = report.when
    broken = {test: when for test, when in failed.items() if test not in judged}
    path = config.getoption("clearbar_html")
    if judged or broken:
        from clearbar.integrations._pytest_summary import text

        terminalreporter.section("clearbar")
        terminalreporter.write_line(text(judged, broken, color=config.get_terminal_writer().hasmarkup))
    if path is not None:
        from clearbar.core.documents import errors_of_writing, save
        from clearbar.core.errors import visible
        from clearbar.integrations._pytest_summary import page

        try:
            with errors_of_writing(path):
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            save(page(judged, broken), path, overwrite=True)
        except (OSError, ValueError) as error:  # which fails no test
            terminalreporter.write_line(f"clearbar: --clearbar-html: {visible(error)}", red=True)
        else:
            terminalreporter.write_line(f"clearbar: the page is in {visible(path)}")
