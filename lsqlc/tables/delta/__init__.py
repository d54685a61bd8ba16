"""Tables of Delta Lake, written by the library deltalake: no Spark, and no connector on a server."""
