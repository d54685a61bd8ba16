"""DuckDB against Spark: two lowerings that share nothing below the plan must agree."""
