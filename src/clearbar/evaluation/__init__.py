"""From data to a card: each kind of data is read into a question, and all are judged in one way."""
