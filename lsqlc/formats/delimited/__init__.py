"""The format DELIMITED of ksqlDB."""
