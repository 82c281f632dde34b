"""What data say about true scores: one function per question, whatever the kind of problem."""
