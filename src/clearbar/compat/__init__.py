"""The interfaces of other packages, kept for those who come from them.

``from clearbar.compat import dutchdraw`` stands in for ``import DutchDraw``.
"""

from __future__ import annotations
