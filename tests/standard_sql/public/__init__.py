"""Public queries in standard SQL, with data, judged by Spark."""
