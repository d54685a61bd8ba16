"""The functions of ksqlDB, under its names."""
