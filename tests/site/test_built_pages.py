"""One page of the built site of each kind, in a real browser: it fits the screen, and axe finds nothing."""

from pathlib import Path

import pytest
from tests.report.browser import browser  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow

SITE = Path(__file__).parents[2] / "build" / "site" / "html"
KINDS = ["index", "tutorial", "plots", "measures/scores/index", "measures/binary/mcc", "search"]
KINDS += ["reference/top/baseline", "reference/command_line"]


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1280, False)], ids=["dark phone", "desktop"])
@pytest.mark.parametrize("page", KINDS)
def test_a_page_fits_the_screen_and_axe_finds_nothing(browser, page, width, dark):  # noqa: F811 - the fixture
    if not SITE.is_dir():
        pytest.skip("the site is not built: make docs")
    browser.open(SITE / f"{page}.html", width=width, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.violations() == []
