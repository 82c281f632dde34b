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
    "group:docs",
    "group:browser",
    "group:engines",
]
FROM_SOURCE = ("pyspark",)
"""What is published as source alone, which no Python but this one can be asked about."""
HEADER = """\
# What continuous integration installs. Written by `make lock`; do not edit.
"""


def resolve(python: str) -> list[str]:
    """Let pip choose versions for that Python, and return them as sorted pins."""
    wanted = requirements(LOCKED)
    source = [line for line in wanted if re.match(r"[\w-]+", line)[0] in FROM_SOURCE]
    built = chosen(["--no-deps", *source])
    needed = [line for item in built for line in item.get("requires_dist", ()) if "extra ==" not in line]
    # Older releases of pip ask for a target beside a Python version; a dry run leaves it alone.
    options = ["--only-binary=:all:", "--python-version", python, "--target", "unused"]
    resolved = chosen([*options, *(line for line in wanted if line not in source), *needed])
    return sorted((f"{it['name']}=={it['version']}" for it in [*resolved, *built]), key=str.lower)


def chosen(arguments: list[str]) -> list[dict]:
    """Return the metadata of what pip would install."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "-qq"]
    run = subprocess.run(
        [*command, "--report", "-", *arguments], check=False, stdout=subprocess.PIPE, text=True
    )
    if run.returncode:
        sys.exit("clearbar: pip could not resolve the requirements (the lines above say why).")
    return [item["metadata"] for item in json.loads(run.stdout)["install"]]


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
