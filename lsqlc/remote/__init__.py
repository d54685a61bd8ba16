"""Run a lowered plan on Spark: the embedded server, sessions, streaming queries, checkpoints.

This is the only room that imports pyspark. Its functions import pyspark when they are called, because the import takes
about a second. The room executes the steps of `lsqlc.lower.spark.steps`, and contains no rule about SQL.
"""
