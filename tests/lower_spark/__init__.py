"""Plans as Spark stages, without a Spark."""
