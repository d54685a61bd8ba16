"""The connector of streaming queries for topics in Kafka: reading them, and writing a batch exactly once."""
