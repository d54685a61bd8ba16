"""Topics as folders of JSON lines."""
