"""The format AVRO."""
