"""What data say about true scores: one function per question, whatever the kind of problem.

``inference.resamples`` is imported when it is first used: of labels of two classes most modules never are.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clearbar.inference import bootstrap as bootstrap
    from clearbar.inference import differences as differences
    from clearbar.inference import level_sets as level_sets
    from clearbar.inference import permutation as permutation
    from clearbar.inference import resamples as resamples


def __getattr__(name: str) -> Any:
    if name in {"bootstrap", "differences", "level_sets", "permutation", "resamples"}:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
