"""Import of programs of other systems as projects: read their exports, split them into models, and report."""
