"""Bytes of Kafka's records as values, and values as bytes, in Spark SQL: a file for each family of formats."""
