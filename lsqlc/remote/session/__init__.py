"""Sessions with a Spark Connect server: opening them, probing the server, and diagnostics for its errors."""
