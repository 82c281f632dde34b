"""Problems beyond one draw of labels: each brings its own distributions, none its own verdict."""

from __future__ import annotations
