"""The Markdown page: what was measured, on what, how."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from statistics import median

from benchmarks._case import Case, Result, Section, Times

PACKAGES = (
    "clearbar",
    "numpy",
    "scipy",
    "mpmath",
    "scikit-learn",
    "statsmodels",
    "confidenceinterval",
    "fairlearn",
    "mlscorecheck",
    "model-diagnostics",
    "pandas",
    "polars",
    "pyarrow",
    "dask",
    "pyspark",
    "DutchDraw",
    "pycm",
    "tqdm",
)

HOW = """\
Each row puts one question to two programs in the same run. Both answers are compared first; a row stands
here only if they agree, or says by how much they differ. Then both are timed in turn, A B A B, in one
process: what slows the machine slows both. A time is the **median** of {samples} samples (of
10 ms or more each), with the **smallest – largest** behind it. The ratio is the median of the ratios of
neighbouring samples, with its spread: how many times as long the other one takes. Below 1 it is faster.

Memory is that of a fresh process for each side, which makes the inputs, imports what it needs and answers
for the first time: its **peak** during that call, inputs and imports included, and in brackets by how much
the call itself raised it.

A target is what this project aimed at on one core of a server. Nothing here is a test, and nothing fails
because a machine is slow. `make bench` measures all of it again, `make bench ARGS="tables --output docs"` one
section.
"""


def seconds_text(seconds: float) -> str:
    """Return a time with three digits in the unit that suits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return (
                f"{seconds / scale:.3g} {unit}"
                if seconds / scale < 1000
                else f"{seconds / scale:,.0f} {unit}"
            )
    return f"{seconds / 1e-9:.3g} ns"


def spread_text(values: Sequence[float], per: int = 1) -> str:
    """Return median (smallest – largest) of times."""
    scaled = [value / per for value in values]
    return f"**{seconds_text(median(scaled))}** ({seconds_text(min(scaled))} – {seconds_text(max(scaled))})"


def ratio_text(values: Sequence[float]) -> str:
    """Return median (smallest – largest) of ratios."""
    return f"**{digits_text(median(values))} ×** ({digits_text(min(values))} – {digits_text(max(values))})"


def memory_text(times: Times) -> str:
    """Return the peak, and what the call added to it."""
    if times.peak is None:
        return ""
    grown = "" if times.grown is None else f" (+{_mebibytes(times.grown)})"
    return f"{_mebibytes(times.peak)}{grown} MiB"


def row(case: Case, result: Result) -> list[str]:
    """Return the cells of one row."""
    theirs = ratio = their_memory = "–"
    if result.theirs is not None:
        theirs = spread_text(result.theirs.seconds, case.per)
        ratio, their_memory = ratio_text(result.ratios), memory_text(result.theirs)
    elif result.gave_up:
        theirs = result.gave_up
        ratio = f"over {digits_text((case.patience or 0) / median(result.ours.seconds))} ×"
    ours = spread_text(result.ours.seconds, case.per)
    remark = "; ".join(part for part in (case.target, result.remark) if part)
    return [case.title, case.size, ours, theirs, ratio, memory_text(result.ours), their_memory, remark]


def table(section: Section, rows: Sequence[tuple[Case, Result]]) -> str:
    """Return the Markdown of a section; columns that hold nothing are left out."""
    peers = list(dict.fromkeys(case.peer for case, _ in rows if case.peer))
    peer = peers[0] if len(peers) == 1 else "the other"
    head = ["what", "size", "clearbar", peer, f"{peer} takes", "memory: clearbar", f"memory: {peer}", "notes"]
    body = [row(case, result) for case, result in rows]
    kept = [i for i in range(len(head)) if any(cells[i] not in {"", "–"} for cells in body)]
    if len(peers) > 1:
        for cells, (case, _) in zip(body, rows, strict=True):
            cells[3] = f"{case.peer}: {cells[3]}" if case.peer else cells[3]
    lines = ["| " + " | ".join(head[i] for i in kept) + " |", "|" + "---|" * len(kept)]
    lines += ["| " + " | ".join(cells[i] for i in kept) + " |" for cells in body]
    return f"## {section.title}\n\n{section.text.strip()}\n\n" + "\n".join(lines) + "\n"


def page(tables: Sequence[str], results: Sequence[Result]) -> str:
    """Return the whole page."""
    numbers = [len(result.ours.seconds) for result in results]
    samples = f"{min(numbers)} to {max(numbers)}" if numbers else "several"
    opening = f"# Benchmarks\n\n<!-- Written by `make bench`; not by hand. -->\n\n{machine()}\n"
    return "\n".join([opening, HOW.format(samples=samples), *tables])


def renewed(written: str, tables: Sequence[str]) -> str:
    """Return a page that was written before with these sections in place of its own of the same title."""
    head, *sections = re.split(r"^(?=## )", written, flags=re.MULTILINE)
    fresh = {_title(section): f"{section.rstrip()}\n" for section in tables}
    kept = [fresh.pop(_title(section), f"{section.rstrip()}\n") for section in sections]
    return "\n".join([f"{head.rstrip()}\n", *kept, *fresh.values()])


def _title(section: str) -> str:
    return section.partition("\n")[0]


def machine() -> str:
    """Say what this was measured on, in neutral words."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = ", ".join(f"{name} {version}" for name in PACKAGES if (version := _version(name)))
    return (
        f"Measured on {_processor()}, {cores} cores, {_memory()}{platform.system()}, "
        f"Python {platform.python_version()}; {versions}."
    )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return ""
    return f"{pages / 2**30:.0f} GiB of memory, "


def _mebibytes(number: int) -> str:
    value = number / 2**20
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def digits_text(value: float) -> str:
    """Return a ratio with two digits."""
    if value >= 100:
        return f"{float(f'{value:.2g}'):,.0f}"
    return f"{value:.2g}"
