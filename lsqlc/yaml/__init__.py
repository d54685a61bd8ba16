"""YAML in general: nodes with their positions, decoded into frozen data with carets. Knows no project."""
