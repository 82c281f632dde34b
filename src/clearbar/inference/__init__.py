"""One way to answer each question of inference, whatever the kind of problem: how sure, how far, how likely."""
