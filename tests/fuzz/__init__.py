"""Random programs over the whole grammar, held against each other on DuckDB, on Spark and in the reference."""
