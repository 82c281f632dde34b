"""Benchmarks against the peers, side by side in the same run. Not tests: nothing fails for being slow.

python -m benchmarks [section ...] [--quick] [--output FOLDER]
"""
