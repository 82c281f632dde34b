"""Where people already work: thin files over the public names, each for one tool and loaded by it."""
