"""Laying out text: documents, line breaks, and comments. Knows no dialect."""
