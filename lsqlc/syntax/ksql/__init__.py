"""ksqlDB's language: its statements and expressions, parsed and formatted."""
