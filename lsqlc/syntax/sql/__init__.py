"""Standard SQL as Spark writes it, read by sqlglot's parser."""
