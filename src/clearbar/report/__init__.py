"""The page to send to a colleague: verdict, tables, pictures and reasons in one file."""

from __future__ import annotations

from clearbar.report._page import page, to_html

__all__ = ["page", "to_html"]
