import gc
import os
from collections import Counter

import pytest
from hypothesis import settings

# Each worker has a processor of its own: threads of linear algebra would only wait for each other.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# Processes that tests start buffer what they print, as those of users do.
os.environ.pop("PYTHONUNBUFFERED", None)

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

LAYERS = ("quick", "test", "slow")
"""`make quick` runs the first, `make test` the first two, `make test-all` all three."""

NO_SKIPS = os.environ.get("CLEARBAR_NO_SKIPS") == "1"


def _fail_if_skipped(report):
    """Where every group is installed, a skipped test is a test that someone forgot."""
    if NO_SKIPS and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Ten thousand tests stay until the end: nobody looks among them for what is no longer needed."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return _fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return _fail_if_skipped((yield))


def layer(item):
    """In which layer a test is; `pytestmark` puts a whole file there, a decorator one test."""
    marks = {mark.name for mark in item.iter_markers()}
    slow = marks & {"slow", "peers"} or "browser" in getattr(item, "fixturenames", ())
    return "slow" if slow else "quick" if "quick" in marks else "test"


def pytest_addoption(parser):
    told = "say in which layer the tests of each file are, and run none"
    parser.addoption("--layers", action="store_true", help=told)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Say what is in which layer, before a layer is chosen; what needs a peer or a browser is slow."""
    for item in items:
        if layer(item) == "slow":
            item.add_marker("slow")
    if config.option.layers:
        counts = Counter((str(item.path.relative_to(config.rootpath)), layer(item)) for item in items)
        say = config.get_terminal_writer().line
        say("".join(f"{name:>7}" for name in LAYERS) + "  file")
        for file in sorted({file for file, _ in counts}):
            say("".join(f"{counts[file, name] or '':>7}" for name in LAYERS) + f"  {file}")
        items.clear()
