"""From labels, predictions, tables and files to what happened."""
