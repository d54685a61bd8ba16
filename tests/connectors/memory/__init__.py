"""A connector of the tests: topics with partitions in the memory of the process."""
