"""Exact feature-blind baselines for evaluation measures."""
