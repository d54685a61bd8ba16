"""Schema registries: their REST API, what is kept of them in the lock file, and the wire format of records."""
