"""What a project declares in YAML: topics, sources, models, configuration, profiles, locked schemas."""
