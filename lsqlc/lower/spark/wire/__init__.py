"""Records as Kafka has them, key and value as bytes, made into lines and back by Spark's own functions."""
