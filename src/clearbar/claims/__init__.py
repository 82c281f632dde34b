"""What follows from printed scores alone: which tables are possible, and whether one model beats another."""

from clearbar.claims._possible import possible_tables

__all__ = ["possible_tables"]
