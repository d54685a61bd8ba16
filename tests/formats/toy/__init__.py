"""A format that nobody has: the id of a schema, the letter T, and JSON text. Its schemas are lists of columns."""
