"""The state that streaming queries keep in their checkpoints: reading it, and another number of its partitions."""
