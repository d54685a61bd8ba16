"""Programs of other systems as projects: what they export is read, cut into models, and reported."""
