"""Tables of Apache Iceberg, written by the library pyiceberg: no Spark, and no connector on a server."""
