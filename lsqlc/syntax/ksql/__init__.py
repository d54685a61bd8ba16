"""The language of ksqlDB: its statements and expressions, parsed and formatted."""
