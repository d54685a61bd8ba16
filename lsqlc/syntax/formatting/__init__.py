"""Layout of text: documents, line breaks, and comments. Knows no dialect."""
