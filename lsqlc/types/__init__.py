"""Data types, facets, record schemas and storage formats. Knows nothing of SQL."""
