"""Streaming queries over Kafka: how they read topics, and how they write a batch exactly once."""
