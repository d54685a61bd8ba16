"""Models as templates: the functions for them, and their rendering in a sandbox."""
