"""How much memory a process has held at most."""

from __future__ import annotations

import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_memory() -> int:
    """Return the largest number of bytes that this process has had in memory.

    Linux's own count for the process image; ``ru_maxrss`` elsewhere, whose unit differs.
    """
    peak = _from_status("VmHWM")
    if peak is not None:
        return peak
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def memory() -> int:
    """Return the number of bytes in memory now; the peak so far where the system does not tell."""
    in_use = _from_status("VmRSS")
    return peak_memory() if in_use is None else in_use


def forget_peak() -> None:
    """Start the count of the peak anew, where Linux allows that."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _from_status(field: str) -> int | None:
    try:
        lines = _STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    values = [line.split()[1] for line in lines if line.startswith(field + ":")]
    return int(values[0]) * 1024 if values else None
