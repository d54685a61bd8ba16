"""Standard SQL in Spark's form, read by sqlglot's parser."""
