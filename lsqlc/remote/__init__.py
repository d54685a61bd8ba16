"""Running a lowered plan on Spark: the embedded server, sessions, streaming queries, checkpoints.

The only room that imports pyspark, and each module does so inside the functions that need it, since the import takes
about a second. It executes the steps of `lsqlc.lower.spark.steps` and decides nothing about SQL.
"""
