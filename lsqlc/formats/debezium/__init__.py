"""The formats of Debezium: a row in the envelope of a change, as JSON, or behind the id of a schema in a registry."""
