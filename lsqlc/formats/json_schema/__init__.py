"""The format JSON_SR: JSON with a JSON Schema in a registry."""
