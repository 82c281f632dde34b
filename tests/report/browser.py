"""A real browser, driven by the tests; what is missing for one is the reason to skip them."""

import json
import os
import shutil
from importlib import resources, util

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    "--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--window-size=1280,900",
)  # fmt: skip


def missing():
    """Say what there is no browser without."""
    lacking = [
        f"the package {name}" for name in ("selenium", "axe_core_python") if util.find_spec(name) is None
    ]
    lacking += ["Chromium"] if not any(map(shutil.which, CHROMIUM)) else []
    return [*lacking, *(["chromedriver"] if not shutil.which("chromedriver") else [])]


class Browser:
    """One browser with one page."""

    def __init__(self, profile):
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = next(filter(None, map(shutil.which, CHROMIUM)))
        for flag in (*QUIET, f"--user-data-dir={profile}", *["--no-sandbox"] * (os.geteuid() == 0)):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = webdriver.chrome.service.Service(shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_script_timeout(100)  # axe reads long pages
        self.axe = (resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")

    def open(self, path, *, fragment="", width=1280, dark=False, media="", scripts=True):
        """Open a file as a reader with such a screen would see it, and forget what was logged before."""
        command = self.driver.execute_cdp_cmd
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce"}  # fading colours have little contrast
        command("Emulation.setEmulatedMedia", {"media": media, "features": [scheme, motion]})
        self.resize(width)
        command("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        self.logged("browser")
        self.logged("performance")
        self.driver.get(path.as_uri() + fragment)

    def wait_for(self, selector):
        """Return the one element of a kind, once it is there."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 10).until(lambda _: self.all(selector))
        return self.one(selector)

    def resize(self, width):
        """Make the screen as wide, and narrow ones those of a phone."""
        sizes = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sizes)

    def logged(self, kind):
        return self.driver.get_log(kind)

    def requests(self):
        """Return the address of everything that was fetched."""
        messages = (json.loads(entry["message"])["message"] for entry in self.logged("performance"))
        return [
            one["params"]["request"]["url"]
            for one in messages
            if one["method"] == "Network.requestWillBeSent"
        ]

    def run(self, script, *args):
        return self.driver.execute_script(script, *args)

    def all(self, selector):
        from selenium.webdriver.common.by import By

        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        (found,) = self.all(selector)
        return found

    def choose(self, what, text):
        """Choose an option as a reader does."""
        from selenium.webdriver.support.ui import Select

        Select(self.one(f'select[data-filter="{what}"]')).select_by_visible_text(text)

    def every_column(self):
        """Show what else stands in rows that open."""
        box = self.one('[data-filter="every"]')
        if not box.is_selected():
            box.click()

    def choose_at(self, what, index):
        """Choose an option by its place, and return its text."""
        from selenium.webdriver.support.ui import Select

        select = Select(self.one(f'select[data-filter="{what}"]'))
        select.select_by_index(index)
        return select.options[index].get_attribute("textContent")

    def rows(self, table):
        """Return the text of the cells that can be seen, row by row."""
        return self.run(
            "const seen = (one) => one.checkVisibility();"
            "const tables = [...document.querySelectorAll(`#${arguments[0]}, [data-of=${arguments[0]}]`)];"
            "return [...tables.find(seen).tBodies[0].rows].filter(seen)"
            ".map((row) => [...row.cells].filter(seen).map((cell) => cell.innerText.trim()))",
            table,
        )

    def violations(self):
        """Return what an accessibility checker finds wrong, once no colour is on its way to another."""
        self.run(self.axe)
        found = self.driver.execute_async_script(
            "const still = Promise.all(document.getAnimations().map((one) => one.finished.catch(() => 0)));"
            "still.then(() => axe.run()).then(arguments[0], (error) => arguments[0]({error: String(error)}))"
        )
        assert found["passes"]
        return [
            (one["id"], node["html"][:200], node.get("failureSummary", "")[:200])
            for one in found["violations"]
            for node in one["nodes"][:3]
        ]

    def close(self):
        self.driver.quit()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    lacking = missing()
    if lacking:
        pytest.skip(f"no browser to look with: {', '.join(lacking)} not installed")
    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.close()
