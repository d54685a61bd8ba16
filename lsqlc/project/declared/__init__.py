"""Declarations in YAML: topics, sources, models, configuration, profiles, locked schemas."""
