"""A project compiled: entries, the cache, the manifest, linting and formatting."""
