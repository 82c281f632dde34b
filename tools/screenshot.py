"""Take docs/images/report.png, the picture of a report in docs/command_line.md, anew.

    python tools/screenshot.py

Judges the demo's predictions, writes the report, and opens it in a headless Chromium.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from clearbar.cli import main as clearbar

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "report.png"
MODELS = ["decision_tree", "random_forest", "naive_bayes"]
MEASURES = ["f1", "threat_score", "accuracy", "g_mean", "mcc", "precision", "fnr"]
WIDTH, HEIGHT = 1280, 1010


def report(folder: Path) -> Path:
    """Write the report that the picture shows."""
    before = Path.cwd()
    os.chdir(folder)  # the page says what was typed
    try:
        clearbar(["demo", "--csv", "predictions.csv"])
        words = ["--y-true", "y_true", "--y-pred", *MODELS, "--measure", *MEASURES, "--by", "split"]
        words += ["--html", "report.html"]
        clearbar(["evaluate", "predictions.csv", *words])
    finally:
        os.chdir(before)
    return folder / "report.html"


def main() -> None:
    """Write the report, look at it and keep the picture."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("tools/screenshot.py needs Chromium.")
    with tempfile.TemporaryDirectory() as folder:
        page = report(Path(folder).resolve())
        flags = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-sync"]
        flags += ["--disable-background-networking", "--disable-component-update", "--disable-quic"]
        flags += ["--no-sandbox"] * (os.geteuid() == 0)
        flags += [f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}"]
        subprocess.run([chromium, *flags, f"--screenshot={PICTURE}", page.as_uri()], check=True)
    print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
