"""The processes that lsqlc starts: the embedded Spark Connect server, a Kafka broker, and their watchdog."""
