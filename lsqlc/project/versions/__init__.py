"""Two versions of a project compared."""
