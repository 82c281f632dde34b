"""Is the model's true score above the bar? Exact tests and intervals from two binomial rates."""
