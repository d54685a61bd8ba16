"""Binding of ksqlDB programs."""
