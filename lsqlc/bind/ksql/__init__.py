"""Binding of ksqlDB's programs."""
