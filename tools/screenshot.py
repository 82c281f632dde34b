"""Take report.png and report_dark.png in docs/images, the pictures of a report in docs/command_line.md, anew.

    python tools/screenshot.py

Judges the demo's predictions, writes the report, and opens it in a headless Chromium, in light and dark.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from clearbar.cli import main as clearbar

IMAGES = Path(__file__).parent.parent / "docs" / "images"
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
    """Write the report, look at it in light and dark and keep the pictures."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("tools/screenshot.py needs Chromium.")
    with tempfile.TemporaryDirectory() as folder:
        page = report(Path(folder).resolve())
        flags = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-sync"]
        flags += ["--disable-background-networking", "--disable-component-update", "--disable-quic"]
        flags += ["--no-sandbox"] * (os.geteuid() == 0)
        flags += [f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}"]
        for name, theme in (("report", []), ("report_dark", ["--blink-settings=preferredColorScheme=0"])):
            picture = IMAGES / f"{name}.png"
            subprocess.run([chromium, *flags, *theme, f"--screenshot={picture}", page.as_uri()], check=True)
            print(f"{picture.name}: {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
