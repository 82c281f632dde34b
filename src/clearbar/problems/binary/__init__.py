"""Binary labels: what the counts of a test set say of the model's true score."""
