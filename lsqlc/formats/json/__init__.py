"""The format JSON, and the JSON of ksqlDB."""
