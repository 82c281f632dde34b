"""What happens by chance: hypergeometric counts and the laws of measures."""
