"""Renew requirements.lock: what .ci/run installs, every version pinned.

    make lock

Resolves from scratch for the oldest Python that the package supports, so that every newer one can
install the same versions, and writes names and versions only: whoever installs decides from where.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from requirements import PYPROJECT, requirements

LOCK = PYPROJECT.parent / "requirements.lock"
LOCKED = [
    "core",
    "all",
    "group:build",
    "group:test",
    "group:lint",
    "group:peers",
    "group:bench",
    "group:browser",
]
HEADER = """\
# What continuous integration installs. Written by `make lock`; do not edit.
"""


def resolve(python: str) -> list[str]:
    """Let pip choose versions for that Python, and return them as sorted pins."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "-qq"]
    # Older releases of pip ask for a target beside a Python version; a dry run leaves it alone.
    command += ["--only-binary=:all:", "--python-version", python, "--target", "unused"]
    command += ["--report", "-"]
    command += requirements(LOCKED)
    run = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit("clearbar: pip could not resolve the requirements (the lines above say why).")
    found = [item["metadata"] for item in json.loads(run.stdout)["install"]]
    return sorted((f"{it['name']}=={it['version']}" for it in found), key=str.lower)


def main() -> None:
    """Write the lock file and say what changed."""
    with PYPROJECT.open("rb") as file:
        oldest = re.search(r"\d+\.\d+", tomllib.load(file)["project"]["requires-python"])[0]
    old = set(LOCK.read_text(encoding="utf-8").splitlines()) if LOCK.exists() else set()
    pins = resolve(oldest)
    part = Path(f"{LOCK}.part")
    part.write_text(HEADER + "\n".join(pins) + "\n", encoding="utf-8")
    part.replace(LOCK)
    changed = sorted(set(pins) - old, key=str.lower)
    print(f"{LOCK.name}: {len(pins)} packages,", f"changed: {', '.join(changed) or 'none'}")


if __name__ == "__main__":
    main()
