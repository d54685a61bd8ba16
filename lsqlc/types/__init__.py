"""Data types, facets, records and their JSON texts. Knows nothing of SQL and of storage formats."""
