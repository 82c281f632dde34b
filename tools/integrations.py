"""Test what stands in clearbar/integrations beside the real tools, each in an environment of its own.

    make integrations                       all of them, at the versions of integrations/NAME.lock
    make integrations ARGS="mlflow skore"   some
    make integrations ARGS="--renew mlflow" at the newest releases, which the lock then names

What a tool needs is its group in pyproject.toml; its tests are integrations/test_NAME.py.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from lock import HEADER, chosen
from requirements import requirements

ROOT = Path(__file__).parent.parent
NAMES = sorted(path.stem.removeprefix("test_") for path in (ROOT / "integrations").glob("test_*.py"))


def group(name: str) -> str:
    """Return the group of pyproject.toml."""
    return name.replace("_", "-")


def lock_of(name: str) -> Path:
    """Return where the versions of a tool stand."""
    return ROOT / "integrations" / f"{group(name)}.lock"


def renew(name: str) -> None:
    """Let pip choose the newest versions for this Python, and write them down."""
    wanted = requirements(["core", "cli", "group:build", f"group:{group(name)}"])
    pins = sorted((f"{it['name']}=={it['version']}" for it in chosen(wanted)), key=str.lower)
    header = HEADER.replace("continuous integration", "`make integrations`").replace(
        "`make lock`", "`make integrations ARGS=--renew`"
    )
    lock_of(name).write_text(header + "\n".join(pins) + "\n", encoding="utf-8")


def tested(name: str) -> bool:
    """Install a tool and clearbar, run the tests, and delete the environment; return whether they pass."""
    place = ROOT / "build" / "integrations" / name
    shutil.rmtree(place, ignore_errors=True)
    python = str(place / ("Scripts" if os.name == "nt" else "bin") / "python")
    environment = {**os.environ, "MPLCONFIGDIR": str(place / "matplotlib"), "PYTHONNOUSERSITE": "1"}
    steps = (
        [sys.executable, "-m", "venv", str(place)],
        [python, "-m", "pip", "install", "-q", "--no-deps", "-r", str(lock_of(name))],
        [python, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", str(ROOT)],
        [python, "-m", "pytest", "-p", "no:cacheprovider", f"integrations/test_{name}.py"],
    )
    try:
        return all(
            subprocess.run(step, cwd=ROOT, env=environment, check=False).returncode == 0 for step in steps
        )
    finally:
        shutil.rmtree(place, ignore_errors=True)


def main() -> None:
    """Test what was named, or all."""
    parser = argparse.ArgumentParser(description="Test clearbar beside the real tools.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--renew", action="store_true", help="take the newest releases, and write the lock")
    options = parser.parse_args()
    names = [name.replace("-", "_") for name in options.names] or NAMES
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        parser.error(f"no tests of {', '.join(unknown)}; there are those of {', '.join(NAMES)}.")
    failed = []
    for name in names:
        print(f"\n== {name}", flush=True)
        if options.renew:
            renew(name)
        failed += [] if tested(name) else [name]
    print(f"\nFAILED: {', '.join(failed)}" if failed else f"\nAll pass: {', '.join(names)}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
