"""Comparison of two versions of a project."""
