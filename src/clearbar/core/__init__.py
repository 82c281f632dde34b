"""What every room stands on: counts, values, errors, progress."""
