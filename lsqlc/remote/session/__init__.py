"""A session with a Spark Connect server: how it is opened, probed and lost."""
