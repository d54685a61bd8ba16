"""Golden cases on Spark."""
