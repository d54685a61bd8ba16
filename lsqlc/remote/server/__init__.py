"""The embedded Spark Connect server: its process, its Java runtime, its watchdog."""
