"""Compilation of a project: cache entries, the build cache, the manifest, lint and formatting."""
