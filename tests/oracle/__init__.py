"""Slow and exact: what the tests hold the library against. Nothing here imports the library's arithmetic."""
