"""Queries in standard SQL to plans."""
